package sim

import (
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
)

// partial says which coordinates of a grid dimension have partial results:
// those in coords when the dimension is cut, all that hold the whole dimension alike when
// not.
type partial struct {
	cut    bool
	coords []int
	ranges layout.Ranges
}

// spread returns what compute returns for the layout. It is remembered, since
// layouts recur.
func (m *messages) spread(layout any, compute func() []partial) []partial {
	p, ok := m.partials[layout]
	if !ok {
		if m.partials == nil || len(m.partials) >= maxKnown {
			m.partials = map[any][]partial{}
		}
		p = compute()
		m.partials[layout] = p
	}
	return p
}

func loopSpread(l *object.Loop) []partial {
	out := make([]partial, len(l.Map.Ranges))
	for k := range l.Map.Ranges {
		sp := &l.Map.Ranges[k]
		if sp.Dim < 0 {
			out[k] = partial{ranges: *sp}
			continue
		}
		out[k].cut = true
		for c := range sp.Lo {
			if sp.Lo[c] < sp.Hi[c] {
				out[k].coords = append(out[k].coords, c)
			}
		}
	}
	return out
}

func templateSpread(t *object.Template) []partial {
	out := make([]partial, len(t.Dist.Dims))
	for k := range t.Dist.Dims {
		switch d := &t.Dist.Dims[k]; d.Kind {
		case layout.Whole:
			out[k] = partial{ranges: layout.Ranges{Dim: -1, Last: t.Dist.Grid[k] - 1}}
		case layout.Fixed:
			out[k] = partial{ranges: layout.Ranges{Dim: -1, First: d.Coord, Last: d.Coord}}
		default:
			out[k].cut = true
			for c := range d.Block.Coords() {
				if lo, hi := d.Block.Range(c); lo < hi {
					out[k].coords = append(out[k].coords, c)
				}
			}
		}
	}
	return out
}

// partialResults completes r for partial results that lie on where as spread says:
// n is the product over the cut dimensions of the coordinates that have some,
// in the section of the root; a root without counts as one.
func partialResults(r comm.Reduction, where *procs.System, spread []partial) (comm.Reduction, bool) {
	var extents []int
	var corners []comm.Corner
	sets := make([][]int, len(spread))
	r.Senders = 1
	rootAt, inside := where.Contains(r.Root)
	at := make([]int, len(where.Grid))
	if inside {
		where.Coords(rootAt, at)
	}
	distributed := false
	for k, p := range spread {
		n := where.Grid[k]
		switch {
		case p.cut && n > 1:
			distributed = true
			extents = append(extents, n)
			sets[k] = p.coords
		case !p.cut && p.ranges.Holders() < n:
			distributed = true
			if p.ranges.Holders() == 0 {
				sets[k] = nil
				break
			}
			corners = append(corners, comm.Corner{At: p.ranges.First, Extent: n})
			sets[k] = []int{p.ranges.Nearest(at[k])}
		default:
			sets[k] = []int{at[k]}
		}
		r.Senders *= int64(len(sets[k]))
	}
	if !distributed {
		return r, false
	}
	r.Hops = comm.ReductionHops(extents, corners)
	r.Each = func(yield func(int) bool) { eachRank(where, sets, yield) }
	rootHas := inside && r.Senders > 0
	for k := range sets {
		rootHas = rootHas && slices.Contains(sets[k], at[k])
	}
	if !rootHas {
		r.Senders++
	}
	return r, true
}

// eachRank calls yield with the root's numbers of the processors of sys whose
// coordinates are in the product of sets.
func eachRank(sys *procs.System, sets [][]int, yield func(int) bool) {
	index := make([]int, len(sets))
	for _, set := range sets {
		if len(set) == 0 {
			return
		}
	}
	for {
		i := 0
		for k, n := range sys.Grid {
			i = i*n + sets[k][index[k]]
		}
		if !yield(sys.Rank(i)) {
			return
		}
		k := len(sets) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k] < len(sets[k]) {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}
