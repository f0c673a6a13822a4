package traffic

import (
	"fmt"
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// ErrShadow is the error of a shadow edge that is wider than the block it is
// taken from.
type ErrShadow struct {
	// Edge is the array's number in the group, Dim the dimension of the
	// array, both from 0.
	Edge, Dim int
	// Width is the width of the edge, Block the size of the neighbour's
	// block.
	Width, Block int64
}

// Error says which edge is too wide for which block.
func (e *ErrShadow) Error() string {
	return fmt.Sprintf("the shadow edge of dimension %d is %d elements wide, the neighbour's block has %d: expected edges within the neighbours' blocks; use fewer processors along this dimension or a larger array", e.Dim+1, e.Width, e.Block)
}

// Shadow returns the traffic of the exchange of a group's shadow edges
// (docs/model.md#shadow-edges): along every dimension of an array that is cut
// into more than one block that is not empty, each processor gets its left
// edge from the nearest such block on the left, its right edge from the one on
// the right, and with corners the pieces diagonally opposite. Arrays must be
// mapped. A width larger than the block that it is taken from is an
// [*ErrShadow].
func (r *Root) Shadow(edges []object.Edge) (comm.Traffic, error) {
	var parts []comm.Traffic
	var halos []*halo
	total := int64(0)
	for i := range edges {
		e := &edges[i]
		a := e.Array
		if err := mapped(a); err != nil {
			return nil, err
		}
		b, err := bytesOf(a.Size, a.ElemSize)
		if err != nil {
			return nil, err
		}
		if total += b; total < 0 {
			return nil, ErrVolume
		}
		if b == 0 || unowned(a.Map) {
			continue
		}
		if slices.ContainsFunc(cuts(a.Map), func(by []int) bool { return len(by) > 1 }) {
			l, err := r.oblique(i, e)
			if err != nil {
				return nil, err
			}
			parts = append(parts, l)
			continue
		}
		at := slices.IndexFunc(halos, func(h *halo) bool { return same(h.frame.sys, a.System) })
		if at < 0 {
			at = len(halos)
			halos = append(halos, &halo{root: r, frame: r.frame(a.System)})
		}
		if err := halos[at].add(i, e); err != nil {
			return nil, err
		}
	}
	for _, h := range halos {
		h.join()
		parts = append(parts, h)
	}
	return r.merge(parts), nil
}

func mapped(a *object.Array) error {
	if a.Map == nil || a.System == nil {
		return fmt.Errorf("the array lies nowhere, expected align_ to a distributed template before")
	}
	return nil
}

// step is what processors at one coordinate of a grid dimension, to, get from
// those at another, from.
type step struct {
	to, from int
	vec      []int64 // elements, per array
}

// halo is the traffic of shadow edges on one processor system: the product of
// the steps along each dimension of the grid. A step from a coordinate to
// itself stands for a dimension that a message does not cross.
type halo struct {
	root    *Root
	frame   *frame
	arrays  [][][]step // per array and grid dimension
	steps   [][]step   // all arrays together, by to, then from
	first   [][]int    // index of the first step to each coordinate
	factor  []int64    // bytes per element of the product
	corners []int
}

// inner returns how many of the n elements of a block are sent when a message
// does not cross dimension d: none when only the edges of d are exchanged.
func inner(e *object.Edge, d int, n int64) int64 {
	if e.Outside != nil && e.Outside[d] {
		return 0
	}
	return n
}

// add adds array number i of the group.
func (h *halo) add(i int, e *object.Edge) error {
	m := e.Array.Map
	by := cuts(m)
	factor := e.Array.ElemSize
	for d, n := range m.Size {
		if len(by[d]) == 0 {
			factor *= inner(e, d, n)
		}
	}
	dims := make([][]step, len(m.Ranges))
	var wide *ErrShadow
	for k := range m.Ranges {
		s := &m.Ranges[k]
		if s.Dim < 0 {
			for c := s.First; c <= s.Last; c++ {
				if !s.Holds(c) {
					continue
				}
				dims[k] = append(dims[k], step{c, c, []int64{1}})
			}
			continue
		}
		b := newBlocks(s)
		if len(b.coord) == 0 {
			return nil
		}
		for at, c := range b.coord {
			dims[k] = append(dims[k], step{c, c, []int64{inner(e, s.Dim, b.hi[at]-b.lo[at])}})
			for _, side := range [...]struct {
				at    int
				width int64
			}{{at - 1, e.Lo[s.Dim]}, {at + 1, e.Hi[s.Dim]}} {
				if side.at < 0 || side.at >= len(b.coord) || side.width <= 0 {
					continue
				}
				if n := b.hi[side.at] - b.lo[side.at]; side.width > n && wide == nil {
					wide = &ErrShadow{Edge: i, Dim: s.Dim, Width: side.width, Block: n}
				}
				dims[k] = append(dims[k], step{c, b.coord[side.at], []int64{side.width}})
			}
		}
	}
	if wide != nil {
		return wide
	}
	h.arrays = append(h.arrays, dims)
	h.factor = append(h.factor, factor)
	h.corners = append(h.corners, max(1, e.Corners))
	return nil
}

// join combines the steps of all arrays.
func (h *halo) join() {
	width := len(h.arrays)
	h.steps = make([][]step, len(h.frame.sys.Grid))
	h.first = make([][]int, len(h.steps))
	for k, n := range h.frame.sys.Grid {
		index := map[[2]int]int{}
		var all []step
		for t := range h.arrays {
			for _, s := range h.arrays[t][k] {
				i, ok := index[[2]int{s.to, s.from}]
				if !ok {
					i = len(all)
					index[[2]int{s.to, s.from}] = i
					all = append(all, step{s.to, s.from, make([]int64, width)})
				}
				all[i].vec[t] = s.vec[0]
			}
		}
		slices.SortFunc(all, func(a, b step) int {
			if a.to != b.to {
				return a.to - b.to
			}
			return a.from - b.from
		})
		h.steps[k] = all
		h.first[k] = make([]int, n+1)
		i := 0
		for c := range n + 1 {
			for i < len(all) && all[i].to < c {
				i++
			}
			h.first[k][c] = i
		}
	}
	h.arrays = nil
}

// bytes returns the size of a message that crosses out dimensions.
func (h *halo) bytes(out int, vec []int64) units.Bytes {
	b := int64(0)
	for t, v := range vec {
		if out <= h.corners[t] {
			b += v * h.factor[t]
		}
	}
	return units.Bytes(b)
}

// reach returns the largest number of dimensions that a message of any array
// crosses.
func (h *halo) reach() int {
	n := 0
	for _, c := range h.corners {
		n = max(n, c)
	}
	return n
}

// bins multiplies the steps of all dimensions, with their distances in
// the root if they are asked for.
func (h *halo) bins(apart bool) []bin {
	all := ones(len(h.factor))
	for _, steps := range h.steps {
		var t tally
		for i := range steps {
			s := &steps[i]
			dist, out := 0, 0
			if s.to != s.from {
				out = 1
				if apart {
					dist = abs(s.to - s.from)
				}
			}
			t.add(dist, out, 1, s.vec)
		}
		all = multiply(all, t.list, h.reach())
		if apart {
			all = longest(all)
		}
	}
	return all
}

// Sizes implements [comm.Traffic].
func (h *halo) Sizes() []comm.Size {
	if len(h.factor) == 0 {
		return nil
	}
	var counts comm.SizeCounts
	for _, c := range h.bins(false) {
		if c.out > 0 {
			counts.Add(h.bytes(c.out, c.vec), c.n)
		}
	}
	return counts.Sizes()
}

// Distances implements [comm.Traffic].
func (h *halo) Distances() []comm.Distance {
	if !h.frame.box {
		return h.root.measured(h.Each)
	}
	if len(h.factor) == 0 {
		return nil
	}
	var far comm.LongestAt
	for _, c := range h.bins(true) {
		if c.out > 0 {
			far.Add(c.dist, h.bytes(c.out, c.vec))
		}
	}
	return far.Distances()
}

// Each implements [comm.Traffic].
func (h *halo) Each(f func(comm.Message) bool) {
	if len(h.factor) == 0 {
		return
	}
	sys := h.frame.sys
	to := make([]int, len(sys.Grid))
	from := make([]int, len(sys.Grid))
	vecs := make([][]int64, len(to)+1)
	for i := range vecs {
		vecs[i] = slices.Clone(ones(len(h.factor))[0].vec)
	}
	reach, receiver := h.reach(), 0
	var walk func(k, out int) bool
	walk = func(k, out int) bool {
		if k == len(to) {
			b := h.bytes(out, vecs[k])
			return out == 0 || b == 0 || f(comm.Message{From: sys.Rank(h.frame.number(from)), To: receiver, Bytes: b})
		}
		for i := h.first[k][to[k]]; i < h.first[k][to[k]+1]; i++ {
			s := &h.steps[k][i]
			left := out
			if s.to != s.from {
				left++
			}
			copy(vecs[k+1], vecs[k])
			if left > reach || !scale(vecs[k+1], s.vec) {
				continue
			}
			from[k] = s.from
			if !walk(k+1, left) {
				return false
			}
		}
		return true
	}
	for i := range sys.Size() {
		receiver = sys.Rank(i)
		if !walk(0, 0) {
			return
		}
		next(to, sys.Grid)
	}
}
