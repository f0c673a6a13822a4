package traffic

import (
	"errors"
	"fmt"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
)

// Remote returns the traffic of loading remote access buffers in one exchange
// (docs/model.md#remote-access-buffers). A buffer of a loop needs, on each
// processor, the elements of the remote array that the processor's own
// iterations access; one of a processor system needs a section on all its
// processors. Missing elements come from their nearest owners. Accesses outside
// the array's bounds are ignored; section coordinates outside them are an error.
func (r *Root) Remote(buffers []*object.Buffer) (comm.Traffic, error) {
	var flows []flow
	for _, b := range buffers {
		if err := mapped(b.Array); err != nil {
			return nil, err
		}
		f, some, err := access(b)
		if err != nil {
			return nil, err
		}
		if some {
			flows = append(flows, f)
		}
	}
	return r.exchanges(flows)
}

// access returns the flow that fills b, and whether anything is needed.
func access(b *object.Buffer) (flow, bool, error) {
	a := b.Array
	f := flow{fromSys: a.System, elem: a.ElemSize}
	if b.Loop == nil {
		if b.System == nil || len(b.Coords) != a.Rank() {
			return f, false, fmt.Errorf("the buffer has %d coordinates, the remote array has rank %d", len(b.Coords), a.Rank())
		}
		s := All(a.Rank())
		copy(s.First, b.Coords)
		copy(s.Last, b.Coords)
		rows, err := s.rows(a)
		if err != nil {
			return f, false, err
		}
		size, _ := extents(rows)
		f.from, f.to, f.toSys = restrict(a.Map, rows), layout.Everywhere(b.System.Grid, size), b.System
		return f, true, nil
	}
	l := b.Loop
	if l.Map == nil || l.System == nil {
		return f, false, errors.New("the buffer's loop is not mapped, expected mappl_ before")
	}
	f.toSys = l.System
	rules, counts, err := layout.LoopRules(b.Rules, l.Iterations)
	if err != nil {
		return f, false, err
	}
	if len(rules) != a.Rank() {
		return f, false, fmt.Errorf("the access has %d dimensions, the remote array has rank %d", len(rules), a.Rank())
	}
	acc := accesses{rules: rules, array: a, loop: l}
	some := acc.number(counts)
	if some {
		f.from, f.to, f.witness = acc.owners(), acc.needs(), acc.witness
	}
	return f, some, nil
}

// accesses numbers the elements that a loop accesses: its dimensions are the
// loop variables in use, the array's dimensions that are needed whole, and a
// dimension of one element for each other loop variable, which says whether a
// processor has iterations at all.
type accesses struct {
	rules []layout.Rule // array index = A*ordinal + B
	array *object.Array
	loop  *object.Loop
	size  []int64
	// variable and whole are the dimension of each loop variable and of each
	// of the array's dimensions that is needed whole, lo and hi the ordinals
	// lo <= n < hi of each variable whose accesses are within the array.
	variable, whole []int
	lo, hi          []int64
	used            []bool
	// witness marks the dimensions of loop variables that are not in use and
	// lie along several dimensions of the grid: which processors have
	// iterations depends on them.
	witness []bool
}

// number sets up the dimensions and reports whether anything is accessed.
func (x *accesses) number(count []int64) bool {
	x.variable, x.whole = make([]int, len(count)), make([]int, len(x.rules))
	x.lo, x.hi, x.used = make([]int64, len(count)), make([]int64, len(count)), make([]bool, len(count))
	copy(x.hi, count)
	for d, n := range count {
		if n == 0 {
			return false
		}
		x.variable[d] = d
	}
	for i, r := range x.rules {
		switch r.Kind {
		case layout.Linear:
			first, end := within(0, x.array.Size[i], r.A, r.B)
			x.lo[r.Dim], x.hi[r.Dim] = max(x.lo[r.Dim], first), min(x.hi[r.Dim], end)
			x.used[r.Dim] = true
		case layout.Constant:
			if r.B < 0 || r.B >= x.array.Size[i] {
				return false
			}
		}
	}
	by := cuts(x.loop.Map)
	for d, n := range count {
		switch {
		case x.used[d]:
			if n = x.hi[d] - x.lo[d]; n <= 0 {
				return false
			}
		case len(by[d]) > 1:
			if x.witness == nil {
				x.witness = make([]bool, len(count)+len(x.rules))
			}
			x.witness[d] = true
		default:
			n = 1
		}
		x.size = append(x.size, n)
	}
	for i, r := range x.rules {
		if r.Kind != layout.Linear && r.Kind != layout.Constant {
			x.whole[i] = len(x.size)
			x.size = append(x.size, x.array.Size[i])
		}
	}
	if x.witness != nil {
		x.witness = x.witness[:len(x.size)]
	}
	return true
}

// owners maps the accessed elements as the array does.
func (x *accesses) owners() *layout.Mapping {
	m := x.array.Map
	out := &layout.Mapping{Grid: m.Grid, Size: x.size, Ranges: make([]layout.Ranges, len(m.Ranges))}
	for k := range m.Ranges {
		s := &m.Ranges[k]
		if s.Dim < 0 {
			out.Ranges[k] = *s
			continue
		}
		switch r := x.rules[s.Dim]; r.Kind {
		case layout.Linear:
			out.Ranges[k] = preimage(s, x.variable[r.Dim], r.A, r.B, x.lo[r.Dim], x.hi[r.Dim])
		case layout.Constant:
			out.Ranges[k] = holder(s, r.B)
		default:
			out.Ranges[k] = layout.Ranges{Dim: x.whole[s.Dim], Lo: s.Lo, Hi: s.Hi}
		}
	}
	return out
}

// needs maps the accessed elements as the loop does.
func (x *accesses) needs() *layout.Mapping {
	m := x.loop.Map
	out := &layout.Mapping{Grid: m.Grid, Size: x.size, Ranges: make([]layout.Ranges, len(m.Ranges))}
	for k := range m.Ranges {
		s := &m.Ranges[k]
		switch {
		case s.Dim < 0:
			out.Ranges[k] = *s
		case x.used[s.Dim], x.witness != nil && x.witness[s.Dim]:
			out.Ranges[k] = preimage(s, x.variable[s.Dim], 1, 0, x.lo[s.Dim], x.hi[s.Dim])
		default:
			some := layout.Ranges{Dim: x.variable[s.Dim], Lo: make([]int64, len(s.Lo)), Hi: make([]int64, len(s.Lo))}
			for c := range s.Lo {
				if s.Lo[c] < s.Hi[c] {
					some.Hi[c] = 1
				}
			}
			out.Ranges[k] = some
		}
	}
	return out
}
