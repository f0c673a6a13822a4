package merge

import (
	"strconv"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// names gives every handle of the run the name that it has in the merged
// trace. Handles, references and addresses alike, mean something inside one
// process only, so each process has a map from its own to the canonical one:
//
//   - what process 0 takes part in is named as process 0 names it;
//   - every joint call tells the others what their handle at the same
//     position is called, the newest counts, for addresses are used again;
//   - what a group without process 0 creates, or uses and nobody has named,
//     gets a name that no process can have as an address: one for each
//     handle of the first process of the group, used again when the process
//     uses the address again, so that there are not more names than addresses.
//
// NULL, 0 and the reference of all ones are the same in all processes.
type names struct {
	next uint64 // of the names invented
	wide bool   // a reference of more than 32 bits was seen
	// group is the canonical names of the half being written, by position.
	group   []uint64
	scratch [2]call.Params // the args and ret of a call under their new names
	arena   []byte
}

// The names that are invented lie where no program has addresses: in the
// non-canonical part of 64 bits, or, in the trace of a 32-bit system, so that
// references keep their 8 digits, next to the end of 32 bits.
const (
	wideBase   = 0xfffe << 48
	wideNames  = 1 << 48
	shortBase  = 0xfff00000
	shortNames = 0xf0000
)

// invented reports whether h lies where names are invented.
func invented(h uint64) bool {
	return h-wideBase < wideNames || h-shortBase < shortNames
}

// sameEverywhere reports whether h is no address.
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

// invent returns the name that is invented for p's handle h.
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

// learn notes that p's handle h is called name.
func (n *names) learn(p *process, h, name uint64) {
	if sameEverywhere(h) || p.index == 0 && !invented(h) {
		return
	}
	if p.canon == nil {
		p.canon = map[uint64]uint64{}
	}
	p.canon[h] = name
}

// half says which parameters of a call are meant.
type half func(*call.Call) *call.Params

func argsOf(c *call.Call) *call.Params { return &c.Args }
func retOf(c *call.Call) *call.Params  { return &c.Ret }

// rename returns the parameters of the first process of the group under their
// canonical names; all processes of the group learn them. created says that
// handles name objects that this call makes. The result is valid until the
// next call with the same slot.
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

// position settles the canonical name of element j (-1: the value) of
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
// ps. When like is given, the parameter must have its key; it is looked for
// when it is elsewhere.
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

// hex reads a handle; the reader lets only hexadecimal digits in lower case
// through.
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

// creates lists the classes whose result is an object that the call makes;
// the others return one that may be known already. Ordinary functions that
// return handles make maps.
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
