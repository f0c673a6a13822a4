package object

import (
	"math"
	"slices"

	"dvmtools/pkg/layout"
)

// System is a processor system: a grid of some processors of the root.
type System struct {
	// Grid holds the simulated extents, Traced those in the trace.
	Grid   []int
	Traced []int64
	// Ranks are the root's linear numbers of the system's processors in its
	// own order (row-major, last coordinate fastest); nil stands for 0, 1, ...
	Ranks []int
	// Lower is where the system begins in the root's grid when it is a
	// section of it with the same dimensions, else nil.
	Lower []int
	// ID is different for every system, the root's is 0.
	ID int
}

// Size returns the number of processors.
func (s *System) Size() int { return product(s.Grid) }

// Rank returns the root's number of the system's processor i.
func (s *System) Rank(i int) int {
	if s.Ranks == nil {
		return i
	}
	return s.Ranks[i]
}

// Contains reports whether the processor with the root's number r belongs to
// the system, and its number there.
func (s *System) Contains(r int) (int, bool) {
	if s.Ranks == nil {
		return r, r < s.Size()
	}
	for i, x := range s.Ranks {
		if x == r {
			return i, true
		}
	}
	return 0, false
}

// Coords fills dst with the coordinates of processor i.
func (s *System) Coords(i int, dst []int) {
	for k := len(s.Grid) - 1; k >= 0; k-- {
		dst[k] = i % s.Grid[k]
		i /= s.Grid[k]
	}
}

func product(xs []int) int {
	p := 1
	for _, x := range xs {
		p *= x
	}
	return p
}

// view returns base in the shape that the program asked for, which it knew
// for the traced number of processors (model section 4, psview_): that shape
// when it fits, else the factorisation of the simulated size with as many
// factors whose sum is least, then whose largest is least, the first being
// the largest.
func view(base *System, traced []int64) *System {
	v := &System{Traced: traced, Ranks: base.Ranks}
	p := int64(1)
	for _, x := range traced {
		p *= x
	}
	if p == int64(base.Size()) {
		for _, x := range traced {
			v.Grid = append(v.Grid, int(x))
		}
	} else {
		v.Grid = factorise(base.Size(), max(len(traced), 1))
	}
	if slices.Equal(v.Grid, base.Grid) {
		v.Lower = base.Lower
	}
	return v
}

// factorise returns n as a product of rank factors in descending order with
// the least sum, then the least first one.
func factorise(n, rank int) []int {
	var best []int
	bestSum := math.MaxInt
	cur := make([]int, 0, rank)
	var walk func(n, left, most, sum int)
	walk = func(n, left, most, sum int) {
		if left == 0 {
			if n == 1 && (sum < bestSum || sum == bestSum && cur[0] < best[0]) {
				best, bestSum = append([]int(nil), cur...), sum
			}
			return
		}
		for f := min(n, most); f >= 1; f-- {
			if n%f != 0 || !within(f, left, n) || sum+f > bestSum {
				continue
			}
			cur = append(cur, f)
			walk(n/f, left-1, f, sum+f)
			cur = cur[:len(cur)-1]
		}
	}
	walk(n, rank, n, 0)
	return best
}

// within reports whether left factors of at most f can reach n.
func within(f, left, n int) bool {
	p := 1
	for range left {
		if p *= f; p >= n {
			return true
		}
	}
	return false
}

// section returns the processors init..last of base, given in the traced
// system's coordinates (model section 4, crtps_): where the simulated extents
// differ from the traced ones the bounds are scaled, so that disjoint
// sections stay disjoint where there are processors enough.
func section(base *System, init, last []int64) *System {
	rank := len(base.Grid)
	s := &System{Grid: make([]int, rank), Traced: make([]int64, rank)}
	lower := make([]int, rank)
	whole := true
	for k, n := range base.Grid {
		lo, hi := 0, n-1
		s.Traced[k] = int64(n)
		if k < len(init) && k < len(last) {
			traced := int64(n)
			if k < len(base.Traced) {
				traced = base.Traced[k]
			}
			lo, hi = scale(init[k], last[k], int64(n), traced)
			s.Traced[k] = max(1, last[k]-init[k]+1)
		}
		lower[k] = lo
		s.Grid[k] = hi - lo + 1
		whole = whole && s.Grid[k] == n
	}
	if base.Lower != nil {
		s.Lower = make([]int, rank)
		for k := range lower {
			s.Lower[k] = base.Lower[k] + lower[k]
		}
	}
	if whole {
		s.Ranks = base.Ranks
		return s
	}
	s.Ranks = make([]int, s.Size())
	coords := make([]int, rank)
	for i := range s.Ranks {
		s.Coords(i, coords)
		at := 0
		for k := range coords {
			at = at*base.Grid[k] + lower[k] + coords[k]
		}
		s.Ranks[i] = base.Rank(at)
	}
	return s
}

// scale returns the section init..last of a dimension of traced coordinates
// on n coordinates: floor(init·n/traced) to max(lower, floor((last+1)·n/traced)-1).
func scale(init, last, n, traced int64) (lo, hi int) {
	if traced < 1 {
		traced = 1
	}
	init = min(max(init, 0), traced-1)
	last = min(max(last, init), traced-1)
	if n != traced {
		init, last = init*n/traced, (last+1)*n/traced-1
	}
	l := min(init, n-1)
	return int(l), int(max(l, min(last, n-1)))
}

// Machine is an abstract machine; System is nil until it is mapped.
type Machine struct{ System *System }

// Template is a representation of an abstract machine (AMView).
type Template struct {
	Size []int64
	// System and Dist say where it is distributed; nil before distr_.
	System *System
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
	system *System
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
	// that is whole everywhere on System.
	Template *Template
	Rules    []layout.Rule
	System   *System
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
	System     *System
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
	System   *System
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
	System *System
	Coords []int64
	// Loaded is whether it holds values.
	Loaded bool
}

// BufferGroup is a group of remote access buffers.
type BufferGroup struct {
	Buffers []*Buffer
}
