package program

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// shape is what calls are that differ in their times and numbers only: the same
// function at the same place, with the same parameters, handles included.
type shape struct {
	// call is one of them; its times, number and position are those of the one
	// that was handed out last.
	call call.Call
	args call.Block
	ret  call.Block
	next *shape // the one that came after this one last
	last int64  // where in the history it was last

	// refs are the names in its arguments, binds those that it gives and ends
	// those that it deletes. creates says that an object is new.
	refs        []reference
	binds, ends []uint64
	creates     bool
}

// reference is a name in the arguments of a call, and whether the call changes what
// it names.
type reference struct {
	value   uint64
	changes bool
}

// shapeID identifies a shape by the memory of its parameters.
type shapeID struct {
	name, file, retFile string
	line, retLine       int
	only                call.Half
	args, ret           call.Block
}

// shapes finds the shapes of calls.
type shapes struct {
	byID map[shapeID]*shape
	// byText finds those whose parameters are in other memory, as they are when
	// several goroutines read.
	byText map[string]*shape
	before *shape // of the call before
	key    []byte
}

// Bounds of the memory for shapes, some 1 KB each.
const (
	maxShapes = 1 << 12
	maxIDs    = 4 * maxShapes
)

// with returns the call of the shape with the times of one of them, which times begins
// with, and what else it has of its own. It is valid until the next time.
func (k *shape) with(times []units.Seconds, o *own) *call.Call {
	c := &k.call
	c.CallTime, c.RetTime, c.Seq, c.Pos = times[0], times[1], o.seq, o.pos
	return c
}

// is reports whether c, whose parameters are args and ret, is of the shape; it says
// no when they are in other memory.
func (k *shape) is(c *call.Call, args, ret call.Block) bool {
	d := &k.call
	return args == k.args && ret == k.ret && c.Line == d.Line && c.Func == d.Func && c.File == d.File &&
		c.Only == d.Only && c.RetLine == d.RetLine && c.RetFile == d.RetFile
}

// of returns the shape of c, nil when c is none of those that may be part of a
// stretch that repeats, or when that is not known.
func (s *shapes) of(c *call.Call) *shape {
	var k *shape
	if args, ret, ok := plain(c); ok {
		if b := s.before; b != nil && b.next != nil && b.next.is(c, args, ret) {
			k = b.next
		} else {
			k = s.find(c, args, ret)
			if b != nil {
				b.next = k
			}
		}
	}
	s.before = k
	return k
}

// plain returns the parameters of a call that consists of nothing else, its times and
// lines excepted.
func plain(c *call.Call) (args, ret call.Block, ok bool) {
	if c.Outside || len(c.Nested) > 0 || len(c.Before) > 0 || len(c.Others.Others) > 0 || !c.Own.Empty() || !repeatable[c.Class()].may {
		return args, ret, false
	}
	return c.Blocks()
}

func (s *shapes) find(c *call.Call, args, ret call.Block) *shape {
	id := shapeID{c.Func, c.File, c.RetFile, c.Line, c.RetLine, c.Only, args, ret}
	k := s.byID[id]
	if k == nil {
		if s.byText == nil || len(s.byText) >= maxShapes {
			s.byID, s.byText = nil, map[string]*shape{}
		}
		if s.byID == nil || len(s.byID) >= maxIDs {
			s.byID = map[shapeID]*shape{}
		}
		s.key = c.AppendKey(s.key[:0])
		if k = s.byText[string(s.key)]; k == nil {
			k = newShape(c)
			s.byText[string(s.key)] = k
		}
		s.byID[id] = k
	}
	// The parameters of the next ones are probably in the same memory.
	k.args, k.ret = args, ret
	return k
}

func newShape(c *call.Call) *shape {
	k := &shape{call: *c, last: -1, creates: repeatable[c.Class()].creates}
	k.call.Nested, k.call.Pos = nil, diag.Pos{}
	names := namesOf(&c.Args)
	header := headers[c.Class()]
	for _, h := range names {
		if h.key != header && !object.NoHandle(h.value) {
			k.refs = append(k.refs, reference{h.value, slices.Contains(repeatable[c.Class()].changes, h.key)})
		}
	}
	if !object.Follows(c.Class()) {
		return k
	}
	for _, h := range names {
		switch {
		case c.Class() == libdvm.Delete:
			k.ends = append(k.ends, h.value)
		case h.key == header:
			k.binds = append(k.binds, h.value)
		}
	}
	for _, h := range namesOf(&c.Ret) {
		k.binds = append(k.binds, h.value)
	}
	return k
}

// history is the shapes of the calls that were read last.
type history struct {
	shapes [historySize]*shape
	before [historySize]int64 // where the same shape was before
	from   int64              // the first that is known
	n      int64              // calls so far
}

// historySize is a power of 2, twice the longest period and more.
const historySize = 2 * maxStreamPeriod

// push adds a call; nil is one without a shape.
func (h *history) push(k *shape) {
	if k == nil {
		h.n++
		h.from = h.n
		return
	}
	i := h.n % historySize
	h.shapes[i], h.before[i] = k, k.last
	k.last = h.n
	h.n++
	h.from = max(h.from, h.n-historySize)
}

// forget empties the history.
func (h *history) forget() { h.from = h.n }

// equal reports whether the last p calls are like the p calls before them, and how
// many it looked at.
func (h *history) equal(p int64) (ok bool, looked int64) {
	for t := int64(1); t <= p; t++ {
		if h.shapes[(h.n-t)%historySize] != h.shapes[(h.n-t-p)%historySize] {
			return false, t
		}
	}
	return true, p
}
