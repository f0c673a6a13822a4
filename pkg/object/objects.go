package object

import (
	"dvmtools/pkg/layout"
	"dvmtools/pkg/procs"
)

// Machine is an abstract machine; System is nil until it is mapped.
type Machine struct{ System *procs.System }

// Template is a representation of an abstract machine (AMView).
type Template struct {
	Size []int64
	// System and Dist say where it is distributed; nil before distr_.
	System *procs.System
	Dist   *layout.Dist
	// Arrays are aligned with the template, in the order of their alignment.
	Arrays []*Array
	// machines are its abstract machines by index (getamr_).
	machines map[string]*Machine
	divisors []int64
	sizes    pending
	loads    pending
}

// pending are weights per dimension of a processor system that wait for the
// next distribution.
type pending struct {
	system *procs.System
	values [][]float64
	exact  bool // block sizes, not relative weights
}

// Array is a distributed array.
type Array struct {
	Size []int64
	// ElemSize is the size of an element in bytes.
	ElemSize int64
	// ShadowLo, ShadowHi are the widths of its shadow edges.
	ShadowLo, ShadowHi []int64
	// Template and Rules say how it is aligned; Template is nil for an array
	// that is replicated on all processors of System.
	Template *Template
	Rules    []layout.Rule
	System   *procs.System
	// Map is where its elements are; nil before align_.
	Map *layout.Mapping
}

// Rank returns the number of dimensions.
func (a *Array) Rank() int { return len(a.Size) }

// Loop is a parallel loop.
type Loop struct {
	Rank int
	// Iterations, System and Map are set by mappl_; Map is nil before.
	Iterations []layout.Iterations
	Counts     []int64
	System     *procs.System
	Map        *layout.Mapping
	Share      *layout.Share
	// Rules place the values of the loop variables on Template.
	Rules    []layout.Rule
	Template *Template
	// Across is set by across_.
	Across *Across
}

// Across are the parameters of a pipelined loop.
type Across struct {
	Old, New *ShadowGroup
	// Stages is the number of quanta that the program asks for, 0 for none.
	Stages float64
}

// ShadowGroup is a group of shadow edges.
type ShadowGroup struct {
	Edges []Edge
}

// Edge are the shadow edges of one array in a group.
type Edge struct {
	Array  *Array
	Lo, Hi []int64 // widths, already resolved
	// Outside marks dimensions of which only the edges take part and not the
	// inside, nil for none.
	Outside []bool
	// Corners is how many dimensions may be left at once: 1 means faces
	// only.
	Corners int
}

// ReductionGroup is a group of reduction variables.
type ReductionGroup struct {
	// Bytes is the size of one message: all variables with locations.
	Bytes int64
	// Loop, Template say what the reduction belongs to; both nil means all
	// processors of System, or the last mapped loop when System is nil too.
	Loop     *Loop
	Template *Template
	System   *procs.System
}

// Reduction is a reduction variable; Bytes includes its location.
type Reduction struct{ Bytes int64 }

// Buffer is a remote access buffer.
type Buffer struct {
	Array *Array
	// Loop and Rules say which elements each processor needs, of a buffer
	// for a loop.
	Loop  *Loop
	Rules []layout.Rule
	// System and Coords say which section a processor system needs;
	// coordinate -1 is a whole dimension.
	System *procs.System
	Coords []int64
	// Loaded is whether it holds values.
	Loaded bool
}

// BufferGroup is a group of remote access buffers.
type BufferGroup struct {
	Buffers []*Buffer
}
