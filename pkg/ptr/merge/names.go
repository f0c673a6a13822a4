package merge

import (
	"strconv"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// names maps the handles of all processes to their names in the merged trace.
// A handle, whether a reference or an address, is valid only inside its process,
// so each process has a map from its own handles to the canonical names:
//
//   - An object of a call in which process 0 takes part has the name that it has
//     in process 0.
//   - Every joint call relates the handles at the same position of its
//     processes. The newest relation counts, as addresses are used again.
//   - An object that a group without process 0 creates, or uses without a known
//     name, gets an invented name that is no possible address. There is one for
//     each handle of the first process of the group, and the same one when that
//     process uses the address again, so that names are no more than addresses.
//
// NULL, 0 and the reference of all ones are the same in all processes.
type names struct {
	next uint64 // how many names were invented
	wide bool   // a reference of more than 32 bits was seen
	// group holds the canonical names of the handles of the half that is being
	// written, in their order.
	group   []uint64
	scratch [2]call.Params // the args and ret of a call under their new names
	arena   []byte
}

// Invented names are no addresses of any program: with 64 bits they are in the
// non-canonical range; in the trace of a 32-bit system, where references must keep
// their 8 digits, they are near the end of 32 bits.
const (
	wideBase   = 0xfffe << 48
	wideNames  = 1 << 48
	shortBase  = 0xfff00000
	shortNames = 0xf0000
)

// invented reports whether h is in a range of invented names.
func invented(h uint64) bool {
	return h-wideBase < wideNames || h-shortBase < shortNames
}

// sameEverywhere reports whether h is no address, but means the same in all
// processes.
func sameEverywhere(h uint64) bool {
	return h == 0 || h == 0xffffffff || h == 0xffffffffffffffff
}

// of returns the canonical name of p's handle h and whether it has one.
func (n *names) of(p *process, h uint64) (uint64, bool) {
	if sameEverywhere(h) || p.index == 0 && !invented(h) {
		return h, true
	}
	c, ok := p.canon[h]
	return c, ok
}

// invent returns the invented name of p's handle h, the same each time.
func (n *names) invent(p *process, h uint64) uint64 {
	if name, ok := p.made[h]; ok {
		return name
	}
	n.next++
	name := uint64(shortBase + n.next%shortNames)
	if n.wide {
		name = wideBase + n.next
	}
	if p.made == nil {
		p.made = map[uint64]uint64{}
	}
	p.made[h] = name
	return name
}

// learn stores name as the canonical name of p's handle h.
func (n *names) learn(p *process, h, name uint64) {
	if sameEverywhere(h) || p.index == 0 && !invented(h) {
		return
	}
	if p.canon == nil {
		p.canon = map[uint64]uint64{}
	}
	p.canon[h] = name
}

// half selects the parameters of one half of a call.
type half func(*call.Call) *call.Params

func argsOf(c *call.Call) *call.Params { return &c.Args }
func retOf(c *call.Call) *call.Params  { return &c.Ret }

// rename returns the parameters of the first process of the group with canonical
// names for handles, and stores these names for all processes of the group. created
// says that handles name objects that this call creates. The result is valid until
// rename is called again with the same slot.
func (n *names) rename(group []*process, calls []*call.Call, of half, created bool, slot int) *call.Params {
	first := of(calls[0])
	n.group = n.group[:0]
	changed := false
	for i := range first.Len() {
		q := first.At(i)
		if !isHandle(q) {
			continue
		}
		if q.Shape == libdvm.Scalar {
			changed = n.position(group, calls, of, i, -1, created) || changed
			continue
		}
		for j := range q.Len() {
			changed = n.position(group, calls, of, i, j, created) || changed
		}
	}
	if !changed {
		return first
	}
	dst := &n.scratch[slot]
	if slot == 0 {
		n.arena = n.arena[:0]
	}
	at := 0
	copyParams(dst, first, func(q *call.Param, val []byte) []byte {
		if !isHandle(q) {
			return val
		}
		name := n.group[at]
		at++
		start := len(n.arena)
		n.arena = strconv.AppendUint(n.arena, name, 16)
		return n.arena[start:len(n.arena):len(n.arena)]
	})
	return dst
}

// position determines the canonical name of element j (-1: the value) of
// parameter i and reports whether it differs from the handle of the first
// process.
func (n *names) position(group []*process, calls []*call.Call, of half, i, j int, created bool) bool {
	own, _ := handleAt(of(calls[0]), nil, i, j)
	if sameEverywhere(own) {
		n.group = append(n.group, own)
		return false
	}
	if own > 0xffffffff {
		n.wide = true
	}
	name, ok := n.of(group[0], own)
	if created && group[0].index != 0 {
		ok = false
	}
	q := of(calls[0]).At(i)
	if !ok && !created {
		for k, p := range group[1:] {
			if h, there := handleAt(of(calls[k+1]), q, i, j); there && !sameEverywhere(h) {
				if name, ok = n.of(p, h); ok {
					break
				}
			}
		}
	}
	if !ok {
		name = n.invent(group[0], own)
	}
	n.learn(group[0], own, name)
	for k, p := range group[1:] {
		if h, there := handleAt(of(calls[k+1]), q, i, j); there {
			n.learn(p, h, name)
		}
	}
	n.group = append(n.group, name)
	return name != own
}

// handleAt returns the handle at element j (-1: the value) of parameter i of
// ps. When like is given, the parameter must have the key of like, and may be at
// another position.
func handleAt(ps *call.Params, like *call.Param, i, j int) (uint64, bool) {
	var q *call.Param
	if i < ps.Len() {
		q = ps.At(i)
	}
	if like != nil && (q == nil || q.Key != like.Key) {
		q = ps.Get(like.Key)
	}
	if q == nil || like != nil && (q.Shape != like.Shape || q.Kind != like.Kind) {
		return 0, false
	}
	if j < 0 {
		return hex(q.Val), true
	}
	if e := ps.Elems(q); j < len(e) {
		return hex(e[j]), true
	}
	return 0, false
}

func isHandle(q *call.Param) bool {
	return q.Kind == libdvm.Handle || q.Kind == libdvm.Pointer
}

// hex reads a handle, which the reader has checked to have only hexadecimal digits
// in lower case.
func hex(b []byte) uint64 {
	var h uint64
	for _, d := range b {
		v := uint64(d - '0')
		if d >= 'a' {
			v = uint64(d-'a') + 10
		}
		h = h<<4 | v&15
	}
	return h
}

// creates lists the classes whose functions return a new object. Those of other
// classes may return a known one. Ordinary functions that return handles create
// maps.
var creates = [libdvm.NumClasses]bool{
	libdvm.Ordinary:             true,
	libdvm.ViewSystem:           true,
	libdvm.CreateSystem:         true,
	libdvm.CreateTemplate:       true,
	libdvm.CreateArray:          true,
	libdvm.CreateReplica:        true,
	libdvm.AddHeader:            true,
	libdvm.CreateShadowGroup:    true,
	libdvm.CreateReductionGroup: true,
	libdvm.CreateReduction:      true,
	libdvm.CreateLoopBuffer:     true,
	libdvm.CreateSectionBuffer:  true,
	libdvm.CreateBufferGroup:    true,
	libdvm.CreateLoop:           true,
}
