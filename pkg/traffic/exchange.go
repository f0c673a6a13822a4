package traffic

import (
	"slices"
	"sort"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// term is one array of an exchange: every processor gets what it owns under
// to from the nearest processor that owns it under from. Both map the same
// index space.
type term struct {
	from, to *layout.Mapping
	elem     int64
	// witness marks dimensions of which a processor must own something, but
	// which do not multiply elements.
	witness []bool
	// fromCut and toCut are the grid dimensions that cut each dimension of
	// the index space.
	fromCut, toCut [][]int
	// links are the receivers' dimensions that restrict each of the senders',
	// -1 for none: see closed.
	links []int
	// blocks are the blocks of each grid dimension of from that cuts.
	blocks []blocks
}

// blocks are the coordinates of a grid dimension that own something, in the
// order of what they own.
type blocks struct {
	coord  []int
	lo, hi []int64
}

func newBlocks(s *layout.Ranges) blocks {
	var b blocks
	for c := range s.Lo {
		if s.Lo[c] < s.Hi[c] {
			b.coord = append(b.coord, c)
		}
	}
	sort.Slice(b.coord, func(i, j int) bool { return s.Lo[b.coord[i]] < s.Lo[b.coord[j]] })
	for _, c := range b.coord {
		b.lo = append(b.lo, s.Lo[c])
		b.hi = append(b.hi, s.Hi[c])
	}
	return b
}

// meeting returns the range of blocks that have indices in lo..hi-1.
func (b *blocks) meeting(lo, hi int64) (first, end int) {
	if lo >= hi {
		return 0, 0
	}
	first = sort.Search(len(b.hi), func(i int) bool { return b.hi[i] > lo })
	end = sort.Search(len(b.lo), func(i int) bool { return b.lo[i] >= hi })
	return first, max(first, end)
}

// exchange is the traffic of arrays that move from one processor system to
// another, or are distributed differently on the same one.
type exchange struct {
	root     *Root
	from, to *frame
	terms    []term
	closed   *closed // nil when the lists of dimensions do not multiply
}

// flow is an array that moves from a mapping on one system to a mapping of the
// same index space on another.
type flow struct {
	from, to       *layout.Mapping
	fromSys, toSys *procs.System
	elem           int64
	witness        []bool // as in term, nil for none
}

// exchanges returns the traffic of flows that make up one exchange.
func (r *Root) exchanges(flows []flow) (comm.Traffic, error) {
	total := int64(0)
	var parts []*exchange
	for _, f := range flows {
		b, err := f.bytes()
		if err != nil {
			return nil, err
		}
		if total += b; total < 0 {
			return nil, ErrVolume
		}
		if b == 0 || unowned(f.from) || unowned(f.to) {
			continue
		}
		i := slices.IndexFunc(parts, func(x *exchange) bool { return same(x.from.sys, f.fromSys) && same(x.to.sys, f.toSys) })
		if i < 0 {
			i = len(parts)
			parts = append(parts, &exchange{root: r, from: r.frame(f.fromSys), to: r.frame(f.toSys)})
		}
		parts[i].add(f)
	}
	sets := make([]comm.Traffic, len(parts))
	for i, x := range parts {
		x.closed = newClosed(x)
		sets[i] = x
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return joint{r.merge(sets), parts}, nil
}

// bytes returns how many bytes all elements have.
func (f *flow) bytes() (int64, error) {
	size := f.from.Size
	if f.witness != nil {
		size = slices.Clone(size)
		for i, w := range f.witness {
			if w {
				size[i] = min(size[i], 1)
			}
		}
	}
	return bytesOf(size, f.elem)
}

// unowned reports whether no processor owns anything, because in some dimension
// of the grid no coordinate does.
func unowned(m *layout.Mapping) bool {
	for k := range m.Ranges {
		if s := &m.Ranges[k]; s.Dim < 0 && s.First > s.Last {
			return true
		}
	}
	return false
}

// add adds an array to the exchange. When another array has the same mappings,
// the size of its elements is added to that of the other.
func (x *exchange) add(f flow) {
	for i := range x.terms {
		t := &x.terms[i]
		if sameMap(t.from, f.from) && sameMap(t.to, f.to) && slices.Equal(t.witness, f.witness) {
			t.elem += f.elem
			return
		}
	}
	t := term{from: f.from, to: f.to, elem: f.elem, witness: f.witness, fromCut: cuts(f.from), toCut: cuts(f.to), blocks: make([]blocks, len(f.from.Ranges))}
	for l := range f.from.Ranges {
		if s := &f.from.Ranges[l]; s.Dim >= 0 {
			t.blocks[l] = newBlocks(s)
		}
	}
	x.terms = append(x.terms, t)
}

// sameMap reports whether two mappings on one system are equal.
func sameMap(a, b *layout.Mapping) bool {
	if a == b {
		return true
	}
	if !slices.Equal(a.Size, b.Size) {
		return false
	}
	return slices.EqualFunc(a.Ranges, b.Ranges, func(s, t layout.Ranges) bool {
		if s.Dim != t.Dim {
			return false
		}
		if s.Dim < 0 {
			return s.First == t.First && s.Last == t.Last && slices.Equal(s.Gaps, t.Gaps)
		}
		return slices.Equal(s.Lo, t.Lo) && slices.Equal(s.Hi, t.Hi)
	})
}

// cuts lists for each dimension of the index space the grid dimensions that
// cut it.
func cuts(m *layout.Mapping) [][]int {
	by := make([][]int, len(m.Size))
	for k := range m.Ranges {
		if i := m.Ranges[k].Dim; i >= 0 {
			by[i] = append(by[i], k)
		}
	}
	return by
}

// Sizes implements [comm.Traffic].
func (x *exchange) Sizes() []comm.Size {
	if x.closed != nil {
		return x.closed.sizes()
	}
	return counted(x.Each)
}

// Distances implements [comm.Traffic].
func (x *exchange) Distances() []comm.Distance {
	if x.closed != nil {
		return x.closed.distances()
	}
	return x.root.measured(x.Each)
}

// Each implements [comm.Traffic]: for every receiver only the blocks that meet
// what it needs are looked at.
func (x *exchange) Each(f func(comm.Message) bool) {
	coords := make([]int, len(x.to.sys.Grid))
	w := &walk{x: x, sum: map[int]units.Bytes{}, at: make([]int, len(x.from.sys.Grid))}
	var froms []int
	for i := range x.to.sys.Size() {
		w.receiver = x.to.sys.Rank(i)
		for t := range x.terms {
			w.term(&x.terms[t], coords)
		}
		froms = froms[:0]
		for from, b := range w.sum {
			if from != w.receiver && b > 0 {
				froms = append(froms, from)
			}
		}
		slices.Sort(froms)
		for _, from := range froms {
			if !f(comm.Message{From: from, To: w.receiver, Bytes: w.sum[from]}) {
				return
			}
		}
		clear(w.sum)
		next(coords, x.to.sys.Grid)
	}
}

// walk collects what one receiver gets.
type walk struct {
	x        *exchange
	t        *term
	receiver int
	need     []layout.Interval
	at       []int
	sum      map[int]units.Bytes
}

// term adds what the receiver at coords gets of t.
func (w *walk) term(t *term, coords []int) {
	w.t = t
	if len(w.need) != len(t.to.Size) {
		w.need = make([]layout.Interval, len(t.to.Size))
	}
	if !t.to.Owned(coords, w.need) {
		return
	}
	w.choose(0)
}

// choose visits the blocks of the grid dimensions from l on that overlap with
// what the receiver needs.
func (w *walk) choose(l int) {
	if l == len(w.at) {
		w.piece()
		return
	}
	s := &w.t.from.Ranges[l]
	if s.Dim < 0 {
		w.choose(l + 1)
		return
	}
	b := &w.t.blocks[l]
	first, end := b.meeting(w.need[s.Dim].Lo, w.need[s.Dim].Hi)
	for i := first; i < end; i++ {
		w.at[l] = b.coord[i]
		w.choose(l + 1)
	}
}

// piece adds the piece that the blocks at w.at have in common with the need.
func (w *walk) piece() {
	n := w.t.elem
	for i, need := range w.need {
		for _, l := range w.t.fromCut[i] {
			s := &w.t.from.Ranges[l]
			need.Lo, need.Hi = max(need.Lo, s.Lo[w.at[l]]), min(need.Hi, s.Hi[w.at[l]])
		}
		if w.t.witness == nil || !w.t.witness[i] {
			n *= need.Len()
		}
	}
	if n > 0 {
		w.sum[w.nearest()] += units.Bytes(n)
	}
}

// nearest returns the processor nearest to the receiver, then with the lowest
// number, among those that own the piece.
func (w *walk) nearest() int {
	x := w.x
	if x.from.box {
		for l := range w.at {
			if s := &w.t.from.Ranges[l]; s.Dim < 0 {
				w.at[l] = s.First
				if j := x.from.dim[l]; j >= 0 {
					c := w.receiver/x.root.strides[j]%x.root.grid[j] - x.from.off[j]
					w.at[l] = s.Nearest(c)
				}
			}
		}
		return x.from.sys.Rank(x.from.number(w.at))
	}
	best, dist := -1, 0
	var try func(l int)
	try = func(l int) {
		if l == len(w.at) {
			rank := x.from.sys.Rank(x.from.number(w.at))
			if d := comm.Hops(x.root.grid, rank, w.receiver); best < 0 || d < dist || d == dist && rank < best {
				best, dist = rank, d
			}
			return
		}
		s := &w.t.from.Ranges[l]
		if s.Dim >= 0 {
			try(l + 1)
			return
		}
		for c := s.First; c <= s.Last; c++ {
			if s.Holds(c) {
				w.at[l] = c
				try(l + 1)
			}
		}
	}
	try(0)
	return best
}
