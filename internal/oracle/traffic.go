package oracle

import (
	"errors"
	"fmt"
	"slices"
)

// nearest returns the owner at the least distance from p in the root grid, the
// lowest number when there are several.
func (e *engine) nearest(owners set, p int) int {
	best := -1
	for _, q := range owners.each() {
		if best < 0 || hops(e.grid, q, p) < hops(e.grid, best, p) {
			best = q
		}
	}
	return best
}

// move adds the messages of an array whose elements pass from the owners from to
// the owners to. Each processor gets the elements that it lacks from the nearest
// owner.
func (e *engine) move(ms messages, from, to []set, bytes int64) {
	for i := range to {
		for _, p := range (to[i] &^ from[i]).each() {
			if from[i] != 0 {
				ms.add(e.nearest(from[i], p), p, bytes)
			}
		}
	}
}

// An edge is the shadow edges of one array in a shadow group.
type edge struct {
	a         *array
	low, high []int
	// sign has, for each dimension, the bits 1 inside, 2 left, 4 right.
	sign []int
	// outside is in how many dimensions at once an element may lie outside of
	// the block.
	outside int
}

// A shadowGroup is made by crtshg_.
type shadowGroup struct {
	edges   []edge
	started *exchange
	hand    byHand
	// first is the loop of the exfrst_ that was called.
	first *loop
}

// A transfer is a box of elements that goes from one processor to another for
// its shadow edge; needs are the elements of the receiver that use it, dims
// the array dimensions in which it lies outside of the receiver's block.
type transfer struct {
	from, to int
	e        *edge
	elements []int
	needs    []int
	dims     []int
	// right is whether it lies to the right of the receiver's block in the
	// first of these.
	right bool
}

// box is the block of processor p: the lowest and highest index that it owns
// in each dimension; false when it owns nothing.
func box(a *array, p int) (lo, hi []int, ok bool) {
	owner := a.owner()
	for i, x := range indices(a.size) {
		if !owner[i].has(p) {
			continue
		}
		if !ok {
			lo, hi, ok = slices.Clone(x), slices.Clone(x), true
		}
		for d, v := range x {
			lo[d], hi[d] = min(lo[d], v), max(hi[d], v)
		}
	}
	return lo, hi, ok
}

// shadow lists the transfers of an edge (docs/model.md#shadow-edges).
func (e *engine) shadow(g *edge) ([]transfer, error) {
	a := g.a
	if a.t == nil {
		return nil, nil
	}
	owner := a.owner()
	var all []transfer
	states := make([][]int, len(a.size)) // 0 inside, 1 left, 2 right
	for j := range states {
		states[j] = []int{0, 1, 2}
	}
	for _, p := range a.t.sys.procs {
		lo, hi, ok := box(a, p)
		if !ok {
			continue
		}
		if err := e.fits(g, p, lo, hi); err != nil {
			return nil, err
		}
		for _, where := range choices(states) {
			var dims []int
			wanted := true
			for j, w := range where {
				wanted = wanted && g.sign[j]>>w&1 != 0
				switch {
				case w == 1:
					dims = append(dims, j)
					wanted = wanted && g.low[j] > 0 && lo[j] > 0
				case w == 2:
					dims = append(dims, j)
					wanted = wanted && g.high[j] > 0 && hi[j] < a.size[j]-1
				}
			}
			if !wanted || len(dims) == 0 || len(dims) > g.outside {
				continue
			}
			// The owner of the element next to the block, diagonally for corners,
			// is the neighbour.
			beside := slices.Clone(lo)
			ranges, needs := make([][]int, len(a.size)), make([][]int, len(a.size))
			for j, w := range where {
				first, last, use, used := lo[j], hi[j], lo[j], hi[j]
				switch w {
				case 1:
					beside[j] = lo[j] - 1
					first, last = lo[j]-g.low[j], lo[j]-1
					used = min(hi[j], lo[j]+g.low[j]-1)
				case 2:
					beside[j] = hi[j] + 1
					first, last = hi[j]+1, hi[j]+g.high[j]
					use = max(lo[j], hi[j]-g.high[j]+1)
				}
				for v := first; v <= last; v++ {
					ranges[j] = append(ranges[j], v)
				}
				for v := use; v <= used; v++ {
					needs[j] = append(needs[j], v)
				}
			}
			q := inSection(a.t.sys, owner[linear(a.size, beside)], p)
			if q < 0 {
				return nil, fmt.Errorf("processor %d has no neighbour", p)
			}
			t := transfer{from: q, to: p, e: g, dims: dims, right: where[dims[0]] == 2}
			for _, x := range choices(ranges) {
				if !owner[linear(a.size, x)].has(q) {
					return nil, errors.New("a block is no box")
				}
				t.elements = append(t.elements, linear(a.size, x))
			}
			for _, x := range choices(needs) {
				t.needs = append(t.needs, linear(a.size, x))
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// fits returns an error when an edge of processor p, whose block is lo..hi, is
// wider than the block of the neighbour that it comes from.
func (e *engine) fits(g *edge, p int, lo, hi []int) error {
	for j, size := range g.a.size {
		for _, side := range []struct {
			bit, width, beside int
		}{{2, g.low[j], lo[j] - 1}, {4, g.high[j], hi[j] + 1}} {
			if g.sign[j]&side.bit == 0 || side.width <= 0 || side.beside < 0 || side.beside >= size {
				continue
			}
			x := slices.Clone(lo)
			x[j] = side.beside
			q := inSection(g.a.t.sys, g.a.owner()[linear(g.a.size, x)], p)
			if qlo, qhi, _ := box(g.a, q); side.width > qhi[j]-qlo[j]+1 {
				return fmt.Errorf("found an edge of %d in dimension %d, wider than the block %d..%d of the neighbour: %w", side.width, j+1, qlo[j], qhi[j], ErrImpossible)
			}
		}
	}
	return nil
}

// inSection returns the owner that is nearest to p in the system's own
// coordinates. So each set of replicas exchanges edges among its own processors.
func inSection(s *system, owners set, p int) int {
	best, least := -1, 0
	for _, q := range owners.each() {
		d := hops(s.shape, s.index(q), s.index(p))
		if best < 0 || d < least {
			best, least = q, d
		}
	}
	return best
}

// edges returns the messages and transfers of a group.
func (e *engine) edges(g *shadowGroup) (messages, []transfer, error) {
	ms := messages{}
	var all []transfer
	if e.bare {
		return ms, nil, nil
	}
	for i := range g.edges {
		ts, err := e.shadow(&g.edges[i])
		if err != nil {
			return nil, nil, err
		}
		for _, t := range ts {
			ms.add(t.from, t.to, int64(len(t.elements))*g.edges[i].a.bytes)
		}
		all = append(all, ts...)
	}
	return ms, all, nil
}

// slice returns the indices of a section of an array in each dimension.
func slice(a *array, first, last, step []int) ([][]int, error) {
	if len(first) < len(a.size) || len(last) < len(a.size) {
		return nil, errors.New("found a section of another rank")
	}
	ranges := make([][]int, len(a.size))
	for d, n := range a.size {
		from, to, by := first[d], last[d], 1
		if d < len(step) && step[d] != 0 {
			by = step[d]
		}
		if from == -1 {
			from, to, by = 0, n-1, 1
		}
		if by < 0 || from < 0 || from > to || to >= n {
			return nil, fmt.Errorf("found the section %d..%d of %d elements", from, to, n)
		}
		for v := from; v <= to; v += by {
			ranges[d] = append(ranges[d], v)
		}
	}
	return ranges, nil
}

// elements returns the elements of a section in order, as positions in the
// array, and the extents of its dimensions with more than one element.
func elements(a *array, ranges [][]int) (all []int, long []int) {
	for _, x := range choices(ranges) {
		all = append(all, linear(a.size, x))
	}
	for _, r := range ranges {
		if len(r) > 1 {
			long = append(long, len(r))
		}
	}
	return all, long
}

// A buffer holds elements of a remote array.
type buffer struct {
	a *array
	// need[i] are the processors that need element i.
	need    []set
	loaded  bool
	started *exchange
}

// A bufferGroup is made by crtbg_.
type bufferGroup struct {
	buffers []*buffer
	started *exchange
}

// loading adds the messages that load b, unless it is loaded and renew is false.
func (e *engine) loading(ms messages, b *buffer, renew bool) {
	if !b.loaded || renew {
		e.move(ms, b.a.owner(), b.need, b.a.bytes)
	}
	b.loaded = true
}
