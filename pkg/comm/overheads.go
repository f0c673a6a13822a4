package comm

import (
	"encoding/binary"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Use says what the messages of a [Traffic] are for. It matters only on machines
// of links whose programming model states software overheads.
type Use struct {
	// Edges says that they are shadow edges.
	Edges bool
	// Element is the size of the array elements that they carry, 0 when sizes
	// differ or they carry none.
	Element units.Bytes
}

// For returns t with the use of its messages.
func For(t Traffic, u Use) Traffic { return used{t, u} }

type used struct {
	Traffic
	use Use
}

// AppendKey implements [Keyed] where the messages have a key: their use belongs
// to it.
func (u used) AppendKey(dst []byte) ([]byte, bool) {
	k, ok := u.Traffic.(Keyed)
	if !ok {
		return dst, false
	}
	edges := byte(0)
	if u.use.Edges {
		edges = 1
	}
	return k.AppendKey(binary.AppendVarint(append(dst, edges), int64(u.use.Element)))
}

// useOf returns the use of the messages of t.
func useOf(t Traffic) Use {
	if u, ok := t.(used); ok {
		return u.use
	}
	return Use{}
}

// purpose is the operation that a message belongs to.
type purpose uint8

const (
	ordinary  purpose = iota
	edges             // an exchange of shadow edges
	gather            // a reduction: partial results to the root
	result            // a reduction: the result to all
	inform            // a broadcast
	informAll         // a broadcast to all processors of the root grid
)

// overheads are the times that the functions of a programming model take on
// the processors that call them (docs/model.md#overheads).
type overheads struct {
	model string
	cost  map[string]units.Seconds
}

func newOverheads(n *machine.Network) overheads {
	o := overheads{model: n.Model, cost: map[string]units.Seconds{}}
	for _, x := range n.Overheads {
		o.cost[x.Function] = x.Cost
	}
	return o
}

// of returns the overhead of a message of b bytes on its sender, before the
// first link, and on its receiver, after the last.
func (o *overheads) of(p purpose, b, element units.Bytes) (before, after units.Seconds) {
	if len(o.cost) == 0 {
		return 0, 0
	}
	before, after = o.cost["send"], o.cost["receive"]
	if t, ok := o.whole(p); ok {
		before, after = t, 0
	}
	if o.model == "pvm" {
		before += o.packing("pack", b, element)
		after += o.packing("unpack", b, element)
	}
	return before, after
}

// whole returns the time of the function that does the whole operation, in place
// of send and receive, where the programming model defines one.
func (o *overheads) whole(p purpose) (units.Seconds, bool) {
	switch o.model {
	case "express":
		switch p {
		case edges:
			return o.first("exchange")
		case gather:
			return o.first("combine")
		case result:
			// combine also sends the result to all, and is paid with the gather.
			if _, ok := o.cost["combine"]; ok {
				return 0, true
			}
			return o.first("broadcast")
		case inform, informAll:
			return o.first("broadcast")
		}
	case "pvm":
		switch p {
		case informAll:
			return o.first("broadcast", "multicast")
		case inform, result:
			return o.first("multicast", "broadcast")
		}
	}
	return 0, false
}

// first returns the time of the first function that is defined.
func (o *overheads) first(names ...string) (units.Seconds, bool) {
	for _, name := range names {
		if t, ok := o.cost[name]; ok {
			return t, true
		}
	}
	return 0, false
}

// packing returns the time to pack or unpack b bytes: as doubles when elements
// have 8 bytes, as floats when they have 4, else byte by byte.
func (o *overheads) packing(verb string, b, element units.Bytes) units.Seconds {
	name, size := "byte", units.Bytes(1)
	switch element {
	case 8:
		name, size = "double", 8
	case 4:
		name, size = "float", 4
	}
	return units.Seconds(float64(o.cost[verb+name]) * float64(b/size))
}

// perByte returns the time to pack and unpack an element, divided by its bytes.
func (o *overheads) perByte(element units.Bytes) units.SecPerByte {
	if o.model != "pvm" {
		return 0
	}
	n := max(element, 1)
	return units.SecPerByte(float64(o.packing("pack", n, element)+o.packing("unpack", n, element)) / float64(n))
}
