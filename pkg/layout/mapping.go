package layout

import (
	"errors"
	"fmt"
)

// RuleKind says how an index space lies along an axis of a template.
type RuleKind uint8

const (
	// Linear places index x of dimension Dim at A*x + B.
	Linear RuleKind = iota
	// Constant places everything at B.
	Constant
	// Replicated places everything everywhere.
	Replicated
	// Bounded places everything on the elements A, A+Step, ... up to B: a
	// replica along an array that covers only a part of the template.
	Bounded
)

// Rule places an index space along one axis of a template or one dimension of
// an array (docs/model.md#alignment).
type Rule struct {
	Kind RuleKind
	Dim  int
	A, B int64
	Step int64 // of Bounded; 0 stands for 1
}

// maxPlace bounds places, so that sums and products of rules stay within 64
// bits.
const maxPlace = 1 << 61

var errPlace = errors.New("the alignment places elements beyond 2^61")

// Rules reads AxisArray, CoeffArray and ConstArray of align_, realn_, mappl_
// or crtrbl_: entry j places along dimension j+1 of the pattern. rank is the
// rank of the index space.
func Rules(axis, coeff, constant []int64, rank int) ([]Rule, error) {
	if len(axis) != len(coeff) || len(axis) != len(constant) {
		return nil, fmt.Errorf("AxisArray, CoeffArray and ConstArray have %d, %d and %d elements, expected as many of each", len(axis), len(coeff), len(constant))
	}
	rules := make([]Rule, len(axis))
	for j := range axis {
		switch i := axis[j]; {
		case i == -1:
			rules[j] = Rule{Kind: Replicated}
		case i == 0 || coeff[j] == 0:
			rules[j] = Rule{Kind: Constant, B: constant[j]}
		case i < 0 || i > int64(rank):
			return nil, fmt.Errorf("AxisArray[%d]=%d, expected a dimension 1..%d, 0 or -1", j, i, rank)
		default:
			rules[j] = Rule{Kind: Linear, Dim: int(i - 1), A: coeff[j], B: constant[j]}
		}
		if c := constant[j]; c > maxPlace || c < -maxPlace {
			return nil, errPlace
		}
	}
	return rules, nil
}

// Compose returns the rules that place an index space on a template when
// outer places it on an array of the given size whose own rules are inner:
// linear after linear is A'A, A'B+B'.
func Compose(outer, inner []Rule, size, template []int64) ([]Rule, error) {
	rules := make([]Rule, len(inner))
	for k, in := range inner {
		if in.Kind != Linear {
			rules[k] = in
			continue
		}
		if in.Dim >= len(outer) {
			return nil, fmt.Errorf("the pattern has %d dimensions, the alignment names %d", in.Dim+1, len(outer))
		}
		out := outer[in.Dim]
		switch out.Kind {
		case Linear:
			a, ok1 := mul(in.A, out.A)
			ab, ok2 := mul(in.A, out.B)
			if !ok1 || !ok2 || !placeable(ab+in.B) {
				return nil, errPlace
			}
			rules[k] = Rule{Kind: Linear, Dim: out.Dim, A: a, B: ab + in.B}
		case Constant:
			ab, ok := mul(in.A, out.B)
			if !ok || !placeable(ab+in.B) {
				return nil, errPlace
			}
			rules[k] = Rule{Kind: Constant, B: ab + in.B}
		default:
			ends, ok := mul(in.A, size[in.Dim]-1)
			if !ok || !placeable(ends+in.B) {
				return nil, errPlace
			}
			lo, hi := in.B, ends+in.B
			if lo > hi {
				lo, hi = hi, lo
			}
			step := max(in.A, -in.A)
			if lo <= 0 && hi >= template[k]-1 && step == 1 {
				rules[k] = Rule{Kind: Replicated}
			} else {
				rules[k] = Rule{Kind: Bounded, A: lo, B: hi, Step: step}
			}
		}
	}
	return rules, nil
}

func placeable(x int64) bool { return x <= maxPlace && x >= -maxPlace }

// mul returns a*b and whether it is within the bound of places.
func mul(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	if p/b != a || !placeable(p) || !placeable(a) || !placeable(b) {
		return 0, false
	}
	return p, true
}

// DimKind says what lies along one dimension of a grid.
type DimKind uint8

const (
	// Cut distributes the axis Axis of the template over the coordinates.
	Cut DimKind = iota
	// Whole gives every coordinate everything.
	Whole
	// Fixed gives coordinate Coord everything.
	Fixed
)

// Dim is what a distribution does along one dimension of the grid.
type Dim struct {
	Kind  DimKind
	Axis  int // of the template
	Block Axis
	Coord int
}

// Dist is the distribution of a template over a grid, one entry per dimension
// of the grid.
type Dist struct {
	// ID, when not 0, is the same for equal distributions and no others; it
	// is given by the code that remembers distributions.
	ID   int
	Grid []int
	Size []int64 // of the template
	Dims []Dim
}

// Distribute reads AxisArray and DistrParamArray of distr_ or redis_
// (docs/model.md#distribution): entry k names the axis mapped on grid
// dimension k+1, 0 for replicated, -1 for the constant coordinate in param.
// Surplus entries are not distributed, missing ones replicated. weights says
// what was asked for axis a on dimension k.
func Distribute(grid []int, size, axis, param []int64, weights func(a, k int) Weights) (*Dist, error) {
	d := &Dist{Grid: grid, Size: size, Dims: make([]Dim, len(grid))}
	for k, n := range grid {
		if k >= len(axis) {
			d.Dims[k] = Dim{Kind: Whole}
			continue
		}
		switch a := axis[k]; {
		case a == 0:
			d.Dims[k] = Dim{Kind: Whole}
		case a == -1:
			c := int64(0)
			if k < len(param) {
				c = param[k]
			}
			if c < 0 {
				return nil, fmt.Errorf("DistrParamArray[%d]=%d, expected a coordinate", k, c)
			}
			// A program traced on more coordinates may name one that the
			// simulated grid lacks.
			d.Dims[k] = Dim{Kind: Fixed, Coord: int(min(c, int64(n-1)))}
		case a < 0 || a > int64(len(size)):
			return nil, fmt.Errorf("AxisArray[%d]=%d, expected an axis 1..%d of the template, 0 or -1", k, a, len(size))
		default:
			block, err := NewAxis(size[a-1], n, weights(int(a-1), k))
			if err != nil {
				return nil, fmt.Errorf("axis %d: %w", a, err)
			}
			d.Dims[k] = Dim{Kind: Cut, Axis: int(a - 1), Block: block}
		}
	}
	return d, nil
}

// Ranges are what the coordinates of one grid dimension own of an index space.
type Ranges struct {
	// Dim is the dimension of the index space that is cut along the grid
	// dimension, -1 when none is: then the coordinates First..Last own
	// everything and the others nothing; First > Last means nobody.
	Dim         int
	First, Last int
	// Gaps marks coordinates between First and Last that own nothing all the
	// same, as their blocks are empty; nil for none.
	Gaps []bool
	// Lo, Hi are the indices lo <= x < hi of each coordinate when cut.
	Lo, Hi []int64
}

// Mapping says what every processor of a grid owns of an index space: the
// intersection of what its coordinates own.
type Mapping struct {
	// ID, when not 0, is the same for equal mappings and no others; it is
	// given by the code that remembers mappings.
	ID     int
	Grid   []int
	Size   []int64  // of the index space
	Ranges []Ranges // one per grid dimension
}

// Place maps an index space of the given size, placed on the template by
// rules, on the grid of d.
func Place(d *Dist, rules []Rule, size []int64) (*Mapping, error) {
	m := &Mapping{Grid: d.Grid, Size: size, Ranges: make([]Ranges, len(d.Grid))}
	for k, n := range d.Grid {
		dim := &d.Dims[k]
		switch dim.Kind {
		case Whole:
			m.Ranges[k] = Ranges{Dim: -1, First: 0, Last: n - 1}
			continue
		case Fixed:
			m.Ranges[k] = Ranges{Dim: -1, First: dim.Coord, Last: dim.Coord}
			continue
		}
		if dim.Axis >= len(rules) {
			return nil, fmt.Errorf("the template has an axis %d, the alignment names %d", dim.Axis+1, len(rules))
		}
		switch r := rules[dim.Axis]; r.Kind {
		case Replicated:
			m.Ranges[k] = holders(dim.Block, 0, dim.Block.Len()-1, 1)
		case Constant:
			c := dim.Block.Owner(r.B)
			if c < 0 {
				return nil, fmt.Errorf("the alignment places everything at element %d of axis %d, which has the elements 0..%d", r.B, dim.Axis+1, dim.Block.Len()-1)
			}
			m.Ranges[k] = Ranges{Dim: -1, First: c, Last: c}
		case Bounded:
			m.Ranges[k] = holders(dim.Block, r.A, r.B, r.Step)
		case Linear:
			if r.Dim >= len(size) {
				return nil, fmt.Errorf("the alignment names dimension %d of an index space with %d", r.Dim+1, len(size))
			}
			s, err := cut(dim.Block, r, size[r.Dim])
			if err != nil {
				return nil, err
			}
			m.Ranges[k] = s
		}
	}
	return m, nil
}

// holders returns the coordinates that own some of the elements lo, lo+step,
// ... up to hi.
func holders(a Axis, lo, hi, step int64) Ranges {
	s := Ranges{Dim: -1, First: 1, Last: 0}
	hi, step = min(hi, a.Len()-1), max(step, 1)
	first, last := a.Owner(max(lo, 0)), a.Owner(hi)
	if first < 0 || last < 0 {
		return s
	}
	gaps := make([]bool, a.Coords())
	some := false
	for c := first; c <= last; c++ {
		from, end := a.Range(c)
		next := lo
		if from > lo {
			next = lo + CeilDiv(from-lo, step)*step
		}
		if next >= end || next > hi || next < 0 {
			gaps[c] = true
			some = some || s.First <= s.Last
			continue
		}
		if s.First > s.Last {
			s.First = c
		}
		s.Last = c
	}
	if some {
		s.Gaps = gaps
	}
	return s
}

// Holds reports whether coordinate c owns anything along a dimension that is
// not cut.
func (s *Ranges) Holds(c int) bool {
	return c >= s.First && c <= s.Last && (s.Gaps == nil || !s.Gaps[c])
}

// Holders returns how many coordinates own everything along a dimension that
// is not cut.
func (s *Ranges) Holders() int {
	n := max(0, s.Last-s.First+1)
	if s.Gaps != nil {
		for c := s.First; c <= s.Last; c++ {
			if s.Gaps[c] {
				n--
			}
		}
	}
	return n
}

// Nearest returns the coordinate nearest to c, of two the lower, that owns
// everything along a dimension that is not cut; there must be one.
func (s *Ranges) Nearest(c int) int {
	c = min(max(c, s.First), s.Last)
	for d := 0; ; d++ {
		if s.Holds(c - d) {
			return c - d
		}
		if s.Holds(c + d) {
			return c + d
		}
	}
}

// cut returns the indices x with A*x+B in each coordinate's block.
func cut(a Axis, r Rule, size int64) (Ranges, error) {
	if _, ok := mul(r.A, max(size, 1)); !ok {
		return Ranges{}, errPlace
	}
	n := a.Coords()
	s := Ranges{Dim: r.Dim, Lo: make([]int64, n), Hi: make([]int64, n)}
	for c := range n {
		lo, hi := a.Range(c)
		var first, end int64
		if r.A > 0 {
			first, end = CeilDiv(lo-r.B, r.A), CeilDiv(hi-r.B, r.A)
		} else {
			first, end = FloorDiv(r.B-hi, -r.A)+1, FloorDiv(r.B-lo, -r.A)+1
		}
		first, end = max(first, 0), min(end, size)
		if lo == hi || first >= end {
			first, end = 0, 0
		}
		s.Lo[c], s.Hi[c] = first, end
	}
	return s, nil
}

// Everywhere maps an index space on a grid so that every processor owns all
// of it.
func Everywhere(grid []int, size []int64) *Mapping {
	m := &Mapping{Grid: grid, Size: size, Ranges: make([]Ranges, len(grid))}
	for k, n := range grid {
		m.Ranges[k] = Ranges{Dim: -1, First: 0, Last: n - 1}
	}
	return m
}

// Owned intersects dst, one [lo, hi) per dimension of the index space, with
// what the processor at coords owns and reports whether anything is left. dst
// must have the rank of the index space.
func (m *Mapping) Owned(coords []int, dst []Interval) bool {
	for i := range dst {
		dst[i] = Interval{0, m.Size[i]}
	}
	some := true
	for k := range m.Ranges {
		s := &m.Ranges[k]
		c := coords[k]
		if s.Dim < 0 {
			some = some && s.Holds(c)
			continue
		}
		iv := &dst[s.Dim]
		iv.Lo, iv.Hi = max(iv.Lo, s.Lo[c]), min(iv.Hi, s.Hi[c])
	}
	for i := range dst {
		some = some && dst[i].Lo < dst[i].Hi
	}
	return some
}

// Interval is the indices Lo <= x < Hi.
type Interval struct{ Lo, Hi int64 }

// Len returns the number of indices.
func (iv Interval) Len() int64 { return max(0, iv.Hi-iv.Lo) }
