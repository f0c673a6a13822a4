package traffic

import (
	"fmt"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
)

// Section is the elements First, First+Step, ... up to Last of each dimension
// of an array. First -1 means the whole dimension, Step 0 means 1
// (docs/model.md#copies).
type Section struct{ First, Last, Step []int64 }

// All returns the section of a whole array of the given rank.
func All(rank int) Section {
	s := Section{First: make([]int64, rank), Last: make([]int64, rank), Step: make([]int64, rank)}
	for i := range s.First {
		s.First[i] = -1
	}
	return s
}

// row is the indices first, first+step, ... of a dimension, n of them.
type row struct{ first, step, n int64 }

// rows reads s as a section of an array. Indices outside of the array are an
// error.
func (s Section) rows(a *object.Array) ([]row, error) {
	rank := a.Rank()
	if len(s.First) != rank || len(s.Last) != rank || len(s.Step) != rank {
		return nil, fmt.Errorf("the section has %d first and %d last indices and %d steps, the array has rank %d", len(s.First), len(s.Last), len(s.Step), rank)
	}
	rows := make([]row, rank)
	for i, size := range a.Size {
		if s.First[i] == -1 {
			rows[i] = row{first: 0, step: 1, n: size}
			continue
		}
		step := s.Step[i]
		if step == 0 {
			step = 1
		}
		empty := s.First[i] > s.Last[i]
		if step < 0 {
			empty = s.First[i] < s.Last[i]
		}
		if empty {
			rows[i] = row{first: s.First[i], step: step}
			continue
		}
		for _, x := range [...]int64{s.First[i], s.Last[i]} {
			if x < 0 || x >= size {
				return nil, fmt.Errorf("the section has index %d in dimension %d, expected 0..%d", x, i+1, size-1)
			}
		}
		rows[i] = row{first: s.First[i], step: step, n: (s.Last[i]-s.First[i])/step + 1}
	}
	return rows, nil
}

// extents returns the numbers of elements of the dimensions that have more
// than one, and whether the section is empty.
func extents(rows []row) (size []int64, empty bool) {
	for _, r := range rows {
		empty = empty || r.n == 0
		if r.n > 1 {
			size = append(size, r.n)
		}
	}
	return size, empty
}

// restrict returns the mapping of the elements of a section, numbered in its
// dimensions of more than one element.
func restrict(m *layout.Mapping, rows []row) *layout.Mapping {
	size, _ := extents(rows)
	dim := make([]int, len(rows))
	for i, n := 0, 0; i < len(rows); i++ {
		if dim[i] = -1; rows[i].n > 1 {
			dim[i] = n
			n++
		}
	}
	out := &layout.Mapping{Grid: m.Grid, Size: size, Ranges: make([]layout.Ranges, len(m.Ranges))}
	for k := range m.Ranges {
		s := &m.Ranges[k]
		switch {
		case s.Dim < 0:
			out.Ranges[k] = *s
		case dim[s.Dim] < 0:
			out.Ranges[k] = holder(s, rows[s.Dim].first)
		default:
			r := rows[s.Dim]
			out.Ranges[k] = preimage(s, dim[s.Dim], r.step, r.first, 0, r.n)
		}
	}
	return out
}

// holder returns the coordinate that owns index x.
func holder(s *layout.Ranges, x int64) layout.Ranges {
	for c := range s.Lo {
		if s.Lo[c] <= x && x < s.Hi[c] {
			return layout.Ranges{Dim: -1, First: c, Last: c}
		}
	}
	return layout.Ranges{Dim: -1, First: 1, Last: 0}
}

// preimage returns the numbers lo <= n < hi, less lo, for which each coordinate
// owns index a*n+b, as the ranges along dimension dim. a is not 0.
func preimage(s *layout.Ranges, dim int, a, b, lo, hi int64) layout.Ranges {
	out := layout.Ranges{Dim: dim, Lo: make([]int64, len(s.Lo)), Hi: make([]int64, len(s.Lo))}
	for c := range s.Lo {
		if s.Lo[c] == s.Hi[c] {
			continue
		}
		first, end := within(s.Lo[c], s.Hi[c], a, b)
		first, end = max(first, lo), min(end, hi)
		if first < end {
			out.Lo[c], out.Hi[c] = first-lo, end-lo
		}
	}
	return out
}

// within returns the numbers first <= n < end for which lo <= a*n+b < hi.
func within(lo, hi, a, b int64) (first, end int64) {
	if a > 0 {
		return layout.CeilDiv(lo-b, a), layout.CeilDiv(hi-b, a)
	}
	return layout.FloorDiv(b-hi, -a) + 1, layout.FloorDiv(b-lo, -a) + 1
}

// Redistribute returns the traffic of arrays that change their places in one
// operation (docs/model.md#redistribution): a processor gets each element
// that it lacks from the nearest processor that had it. Arrays that were not
// distributed before, or are not afterwards, cost nothing.
func (r *Root) Redistribute(moves []object.Move) (comm.Traffic, error) {
	var flows []flow
	for i := range moves {
		m := &moves[i]
		if m.From == nil || m.To == nil || m.FromSystem == nil || m.ToSystem == nil {
			continue
		}
		flows = append(flows, flow{from: m.From, to: m.To, fromSys: m.FromSystem, toSys: m.ToSystem, elem: m.Array.ElemSize})
	}
	return r.exchanges(flows)
}

// Copy returns the traffic of arrcpy_ and aarrcp_ from a section of an array to
// one of another (docs/model.md#copies), and the share of each processor of
// the target's system in the written section; its Total is 0 when the section
// is empty. Sections correspond by their dimensions of more than one element,
// in order; other numbers of elements are an error, and so are indices outside
// of the arrays.
func (r *Root) Copy(from *object.Array, source Section, to *object.Array, target Section) (comm.Traffic, *layout.Share, error) {
	src, err := section(from, source)
	if err != nil {
		return nil, nil, fmt.Errorf("source: %w", err)
	}
	dst, err := section(to, target)
	if err != nil {
		return nil, nil, fmt.Errorf("target: %w", err)
	}
	a, none := extents(src)
	b, empty := extents(dst)
	if none != empty || !none && !equal(a, b) {
		return nil, nil, fmt.Errorf("the source section has the extents %v, the target section %v, expected the same dimensions of more than one element", counts(src), counts(dst))
	}
	if empty {
		return r.nothing(), &layout.Share{Labels: blank(to.Map.Grid)}, nil
	}
	written := restrict(to.Map, dst)
	share, err := written.Share()
	if err != nil {
		return nil, nil, err
	}
	t, err := r.exchanges([]flow{{from: restrict(from.Map, src), to: written, fromSys: from.System, toSys: to.System, elem: from.ElemSize}})
	return t, share, err
}

func section(a *object.Array, s Section) ([]row, error) {
	if err := mapped(a); err != nil {
		return nil, err
	}
	return s.rows(a)
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func counts(rows []row) []int64 {
	n := make([]int64, len(rows))
	for i, r := range rows {
		n[i] = r.n
	}
	return n
}

// blank returns labels that give no processor a share.
func blank(grid []int) [][]int64 {
	l := make([][]int64, len(grid))
	for k, n := range grid {
		l[k] = make([]int64, n)
	}
	return l
}

// CopyToAll returns the traffic of arrcpy_ from a section of an array to a
// buffer: all processors of a system get the section (docs/model.md#copies). A
// copy from a buffer sends nothing.
func (r *Root) CopyToAll(a *object.Array, s Section, all *procs.System) (comm.Traffic, error) {
	rows, err := section(a, s)
	if err != nil {
		return nil, err
	}
	size, empty := extents(rows)
	if empty {
		return r.nothing(), nil
	}
	return r.exchanges([]flow{{from: restrict(a.Map, rows), to: layout.Everywhere(all.Grid, size), fromSys: a.System, toSys: all, elem: a.ElemSize}})
}

// Gather returns the traffic of array output: a section is collected on the
// processor with the number at in the root (docs/model.md#5-input-and-output).
func (r *Root) Gather(a *object.Array, s Section, at int) (comm.Traffic, error) {
	return r.CopyToAll(a, s, single(at))
}

// Scatter returns the traffic of array input: the processor with the number from
// in the root has a section and sends every owner its elements
// (docs/model.md#5-input-and-output).
func (r *Root) Scatter(a *object.Array, s Section, from int) (comm.Traffic, error) {
	rows, err := section(a, s)
	if err != nil {
		return nil, err
	}
	size, empty := extents(rows)
	if empty {
		return r.nothing(), nil
	}
	one := single(from)
	return r.exchanges([]flow{{from: layout.Everywhere(one.Grid, size), to: restrict(a.Map, rows), fromSys: one, toSys: a.System, elem: a.ElemSize}})
}
