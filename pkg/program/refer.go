package program

import (
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
)

// graph says of all calls of a recording what they are alike in and what they
// refer to.
type graph struct {
	rec    *call.Recording
	blocks map[int]*block // by the numbers of the recording
	// shape numbers what a call is without its times and the objects that it names:
	// calls with equal numbers have the same function, place and other parameters.
	shape []int32
	// refs are the references of the arguments, one after the other, those of call
	// i from first[i] on. A reference is the number of the call that created the
	// object or, when nobody did, a number below 0 for the value.
	refs  []int32
	first []int32
	// ends is, of a call that gives an object the name of an array, which call
	// created that array, -1 for none.
	ends []int32
	// used is the last call that refers to what a call created, -1 for none.
	used []int32
	// moves says of a call that it or a later one maps a template anew that was there
	// before; arrays that are aligned with it move then.
	moves []bool
	// stale is the last call with a name of something that is no more.
	stale int
	// inLoop says that a parallel loop is open before a call.
	inLoop []bool
	// wide is the first call that shows that addresses have 64 bits, on which the
	// size of a type depends, or the number of calls when none does.
	wide int
}

// shapeKey is what the shape of a call depends on.
type shapeKey struct {
	row       *libdvm.Func
	name      string
	line, ret int // of both halves
	file      string
	retFile   string
	only      call.Half
	outside   bool
	blocks    [2]int32
}

// reader follows the names of objects in a recording.
type reader struct {
	*graph
	live   map[uint64]int32 // the calls that bound the names
	dead   map[uint64]bool  // names of deleted objects
	values map[uint64]int32 // numbers of values that name nothing
	shapes map[shapeKey]int32
	others map[string]int32 // the numbers of blocks without names
	// since counts mappings of templates: 1 more behind the call that created the
	// template, 1 less behind that which maps it.
	since []int32
}

// block is a block of parameters.
type block struct {
	others int32 // equal for blocks that differ in the names of objects only
	names  []name
}

// name is a handle or the address of a header, and the parameter's key.
type name struct {
	key   string
	value uint64
}

// isName reports whether a parameter names an object. Most pointers are addresses
// of variables.
func isName(q *call.Param) bool {
	key := strings.TrimSuffix(q.Key, "[]")
	return strings.HasSuffix(key, "Ref") || strings.HasSuffix(key, "Header") || strings.HasSuffix(key, "HandlePtr") || key == "PatternRefPtr"
}

// namesOf returns the names of objects in a call's half in order.
func namesOf(p *call.Params) []name {
	var out []name
	for i := range p.Len() {
		q := p.At(i)
		if !isName(q) {
			continue
		}
		for _, h := range p.HandlesOf(q) {
			out = append(out, name{q.Key, h})
		}
	}
	return out
}

// headers are the arguments that become the name of a new object, or another name
// of an old one: addresses of headers.
var headers = map[libdvm.Class]string{
	libdvm.CreateArray:         "ArrayHeader",
	libdvm.CreateReplica:       "ArrayHeader",
	libdvm.AddHeader:           "NewArrayHeader",
	libdvm.CreateLoopBuffer:    "BufferHeader",
	libdvm.CreateSectionBuffer: "BufferHeader",
}

// read returns the graph of a recording.
func read(rec *call.Recording) *graph {
	n := rec.Len()
	g := &graph{rec: rec, blocks: map[int]*block{}, shape: make([]int32, n), first: make([]int32, n+1), ends: make([]int32, n), used: make([]int32, n), moves: make([]bool, n), stale: -1, inLoop: make([]bool, n), wide: n}
	r := reader{graph: g, live: map[uint64]int32{}, dead: map[uint64]bool{}, values: map[uint64]int32{}, shapes: map[shapeKey]int32{}, others: map[string]int32{}, since: make([]int32, n+1)}
	open := false
	for i := range n {
		c := rec.Call(i)
		g.inLoop[i] = open
		r.call(i, c)
		switch c.Class() {
		case libdvm.CreateLoop:
			open = true
		case libdvm.EndLoopNest:
			open = false
		}
	}
	g.first[n] = int32(len(g.refs))
	under := int32(0)
	for i := range g.moves {
		under += r.since[i]
		g.moves[i] = under > 0
	}
	return g
}

// call adds call i.
func (r *reader) call(i int, c *call.Call) {
	a, b := r.rec.Blocks(i)
	args, ret := r.block(a, &c.Args, c.Text), r.block(b, &c.Ret, c.RetText)
	key := shapeKey{c.Row, c.Func, c.Line, c.RetLine, c.File, c.RetFile, c.Only, c.Outside, [2]int32{args.others, ret.others}}
	n, ok := r.shapes[key]
	if !ok {
		n = int32(len(r.shapes))
		r.shapes[key] = n
	}
	r.shape[i], r.ends[i], r.used[i] = n, -1, -1
	r.first[i] = int32(len(r.refs))
	header := headers[c.Class()]
	for _, h := range args.names {
		if h.key == header {
			continue
		}
		by := r.refer(i, h.value)
		r.refs = append(r.refs, by)
		if c.Class() == libdvm.Distribute && h.key == "AMViewRef" {
			r.mapped(i, by)
		}
	}
	if c.Class() == libdvm.Redistribute || c.Class() == libdvm.Realign {
		r.mapped(i, -1)
	}
	if !object.Follows(c.Class()) {
		return
	}
	for _, h := range args.names {
		switch {
		case c.Class() == libdvm.Delete:
			delete(r.live, h.value)
			r.dead[h.value] = true
		case h.key == header:
			r.bind(i, h.value)
		}
	}
	for _, h := range ret.names {
		r.bind(i, h.value)
	}
	r.nested(i, c)
}

// mapped notes that call i maps a template that call by created, or an unknown one.
func (r *reader) mapped(i int, by int32) {
	if by < 0 || r.rec.Call(int(by)).Class() != libdvm.CreateTemplate {
		by = -1
	}
	r.since[by+1]++
	r.since[i+1]--
}

// refer returns the reference of call i to what has the given name.
func (r *reader) refer(i int, value uint64) int32 {
	by, ok := r.live[value]
	if ok {
		r.used[by] = int32(i)
		return by
	}
	if r.dead[value] {
		r.stale = i
	}
	if by, ok = r.values[value]; !ok {
		by = -int32(len(r.values)) - 1
		r.values[value] = by
	}
	return by
}

// nested binds the names that calls inside of call i return, as a realn_ gives
// its array a new one.
func (r *reader) nested(i int, c *call.Call) {
	for k := range c.Nested {
		in := &c.Nested[k]
		for _, h := range namesOf(&in.Ret) {
			r.bind(i, h.value)
		}
		r.nested(i, in)
	}
}

// bind notes that call i gives a name to an object.
func (r *reader) bind(i int, value uint64) {
	if value>>32 != 0 {
		r.wide = min(r.wide, i)
	}
	if object.NoHandle(value) {
		return
	}
	if by, ok := r.live[value]; ok && int(by) != i {
		switch r.rec.Call(int(by)).Class() {
		case libdvm.CreateArray, libdvm.CreateReplica, libdvm.AddHeader, libdvm.Realign:
			r.ends[i] = by
		}
	}
	r.live[value] = int32(i)
}

// block returns the block of the given number.
func (r *reader) block(n int, p *call.Params, text [][]byte) *block {
	if b := r.blocks[n]; b != nil {
		return b
	}
	key := p.AppendKeyBut(nil, isName)
	for _, l := range text {
		key = append(append(key, l...), '\n')
	}
	id, ok := r.others[string(key)]
	if !ok {
		id = int32(len(r.others))
		r.others[string(key)] = id
	}
	b := &block{others: id, names: namesOf(p)}
	r.blocks[n] = b
	return b
}
