package traffic_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// pair is a sender and a receiver, by root numbers.
type pair struct{ from, to int }

// sent are the bytes between pairs.
type sent map[pair]units.Bytes

// check compares the three views of t with the messages that the slow way
// found.
func check(t *testing.T, what string, seed uint64, grid []int, got comm.Traffic, want sent) {
	t.Helper()
	ms := sent{}
	got.Each(func(m comm.Message) bool {
		p := pair{m.From, m.To}
		if _, twice := ms[p]; twice || m.From == m.To || m.Bytes <= 0 {
			t.Errorf("%s, seed %d: message %+v is empty, to itself or there twice", what, seed, m)
		}
		ms[p] = m.Bytes
		return true
	})
	if d := cmp.Diff(want, ms, cmp.AllowUnexported(pair{})); d != "" {
		t.Fatalf("%s, seed %d, grid %v: messages (-want +got):\n%s", what, seed, grid, d)
	}
	count := map[units.Bytes]int64{}
	far := map[int]units.Bytes{}
	for p, b := range want {
		count[b]++
		d := hops(grid, p.from, p.to)
		far[d] = max(far[d], b)
	}
	var sizes []comm.Size
	for b, n := range count {
		sizes = append(sizes, comm.Size{Bytes: b, Count: n})
	}
	slices.SortFunc(sizes, func(a, b comm.Size) int { return int(b.Bytes - a.Bytes) })
	if g := got.Sizes(); !slices.Equal(g, sizes) {
		t.Fatalf("%s, seed %d, grid %v: sizes %v, want %v", what, seed, grid, g, sizes)
	}
	var dists []comm.Distance
	for d, b := range far {
		dists = append(dists, comm.Distance{Hops: d, Bytes: b})
	}
	slices.SortFunc(dists, func(a, b comm.Distance) int { return a.Hops - b.Hops })
	if g := got.Distances(); !slices.Equal(g, dists) {
		t.Fatalf("%s, seed %d, grid %v: distances %v, want %v", what, seed, grid, g, dists)
	}
}

func hops(grid []int, a, b int) int {
	d := 0
	for k := len(grid) - 1; k >= 0; k-- {
		x, y := a%grid[k], b%grid[k]
		d += max(x-y, y-x)
		a, b = a/grid[k], b/grid[k]
	}
	return d
}

// points calls f for every index of the box lo..hi-1; f must not keep it.
func points(lo, hi []int64, f func(x []int64)) {
	x := slices.Clone(lo)
	var walk func(i int)
	walk = func(i int) {
		if i == len(x) {
			f(x)
			return
		}
		for x[i] = lo[i]; x[i] < hi[i]; x[i]++ {
			walk(i + 1)
		}
	}
	walk(0)
}

// flat returns the number of element x, -1 outside of the array.
func flat(size, x []int64) int64 {
	n := int64(0)
	for i, s := range size {
		if x[i] < 0 || x[i] >= s {
			return -1
		}
		n = n*s + x[i]
	}
	return n
}

// elements are the numbers of the elements that a processor has.
type elements map[int64]bool

// owned lists what every processor of the root has of a mapped index space.
func owned(m *layout.Mapping, s *procs.System) map[int]elements {
	out := map[int]elements{}
	coords := make([]int, len(s.Grid))
	box := make([]layout.Interval, len(m.Size))
	for i := range s.Size() {
		s.Coords(i, coords)
		e := elements{}
		if m.Owned(coords, box) {
			lo, hi := make([]int64, len(box)), make([]int64, len(box))
			for d, iv := range box {
				lo[d], hi[d] = iv.Lo, iv.Hi
			}
			points(lo, hi, func(x []int64) { e[flat(m.Size, x)] = true })
		}
		out[s.Rank(i)] = e
	}
	return out
}

// fetch adds what every receiver gets of the elements that it needs and does
// not have: each from the nearest owner, then the one with the lowest number.
func fetch(grid []int, have, need map[int]elements, elem int64, add sent) {
	for to, es := range need {
		for x := range es {
			best, dist := -1, 0
			for from, h := range have {
				if !h[x] {
					continue
				}
				d := hops(grid, from, to)
				if best < 0 || d < dist || d == dist && from < best {
					best, dist = from, d
				}
			}
			if best >= 0 && best != to {
				add[pair{best, to}] += units.Bytes(elem)
			}
		}
	}
}

func everything(ranks []int, n int64) map[int]elements {
	out := map[int]elements{}
	for _, r := range ranks {
		e := elements{}
		for x := range n {
			e[x] = true
		}
		out[r] = e
	}
	return out
}

func ranksOf(s *procs.System) []int {
	var r []int
	for i := range s.Size() {
		r = append(r, s.Rank(i))
	}
	return r
}

// result says what a random case was.
type result int

const (
	silent  result = iota // no messages
	other                 // an input that is refused
	sparse                // messages that were enumerated
	product               // messages that are products of dimensions
	results
)

func outcome(got comm.Traffic, want sent) result {
	switch {
	case len(want) == 0:
		return silent
	case traffic.Closed(got):
		return product
	}
	return sparse
}

// kinds are the random cases by kind of exchange.
var kinds = []struct {
	name string
	run  func(*testing.T, uint64) result
}{
	{"redistribution", redistribution},
	{"copy", arrayCopy},
	{"buffer copy", bufferCopy},
	{"remote access", remoteAccess},
	{"shadow", shadow},
}

// Every exchange is what the rules say, element by element, both where
// dimensions multiply and where they do not.
func TestRandomExchanges(t *testing.T) {
	const cases = 4000
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			var n [results]int
			for seed := range uint64(cases) {
				n[k.run(t, seed)]++
			}
			t.Logf("%d without messages, %d refused, %d enumerated, %d products", n[silent], n[other], n[sparse], n[product])
			if n[sparse] < cases/60 || n[product] < cases/20 {
				t.Errorf("%d exchanges enumerated and %d products of %d: the cases are no test", n[sparse], n[product], cases)
			}
		})
	}
}

func FuzzExchanges(f *testing.F) {
	for k := range kinds {
		f.Add(uint64(1)<<40+uint64(k), uint8(k))
	}
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8) {
		kinds[int(kind)%len(kinds)].run(t, seed)
	})
}

// redistribution compares one random redistribution with the slow way.
func redistribution(t *testing.T, seed uint64) result {
	g := newGen(seed)
	s := g.system()
	d, e := g.template(s), g.template(s)
	to := s
	if g.IntN(3) == 0 {
		to = g.system()
		e = g.template(to)
	}
	var moves []object.Move
	want := sent{}
	shape := g.size(1+g.IntN(3), 7)
	for range 1 + g.IntN(3) {
		a := &object.Array{Size: shape, ElemSize: int64(1 + g.IntN(8))}
		if g.IntN(2) == 0 {
			a.Size = g.size(1+g.IntN(3), 7)
		}
		m := object.Move{Array: a, From: g.place(d, a.Size), FromSystem: s, To: g.place(e, a.Size), ToSystem: to}
		if len(moves) > 0 && g.IntN(3) == 0 {
			last := moves[len(moves)-1]
			a.Size = last.Array.Size
			m.From, m.To = last.From, last.To
		}
		moves = append(moves, m)
		fetch(g.grid, owned(m.From, s), owned(m.To, to), a.ElemSize, want)
	}
	got, err := traffic.NewRoot(g.grid).Redistribute(moves)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	check(t, "redistribution", seed, g.grid, got, want)
	return outcome(got, want)
}

// section returns a random section of an array, and its elements in order.
func (g *gen) elementsOf(size []int64) (traffic.Section, [][]int64) {
	var s traffic.Section
	var rows [][]int64
	for _, n := range size {
		first, last, step := int64(g.IntN(int(n))), int64(0), int64(g.IntN(4))
		last = first + int64(g.IntN(int(n-first)))
		switch g.IntN(5) {
		case 0:
			first, last, step = -1, -1, -1
		case 1:
			first, last, step = last, first, -1-int64(g.IntN(2))
		}
		s.First, s.Last, s.Step = append(s.First, first), append(s.Last, last), append(s.Step, step)
		var row []int64
		switch {
		case first == -1:
			for x := range n {
				row = append(row, x)
			}
		case step < 0:
			for x := first; x >= last; x += step {
				row = append(row, x)
			}
		default:
			for x := first; x <= last; x += max(step, 1) {
				row = append(row, x)
			}
		}
		rows = append(rows, row)
	}
	return s, rows
}

// inOrder lists the elements of a section in order.
func inOrder(size []int64, rows [][]int64) []int64 {
	lo, hi := make([]int64, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		hi[i] = int64(len(r))
	}
	var out []int64
	x := make([]int64, len(rows))
	points(lo, hi, func(at []int64) {
		for i, n := range at {
			x[i] = rows[i][n]
		}
		out = append(out, flat(size, x))
	})
	return out
}

// long returns the numbers of elements of the rows that have more than one.
func long(rows [][]int64) []int {
	n := []int{}
	for _, r := range rows {
		if len(r) > 1 {
			n = append(n, len(r))
		}
	}
	return n
}

// arrayCopy compares one random copy between arrays, and the shares in it, with
// the slow way.
func arrayCopy(t *testing.T, seed uint64) result {
	g := newGen(seed)
	from, to := g.array(), g.array()
	src, srcRows := g.elementsOf(from.Size)
	dst, dstRows := g.elementsOf(to.Size)
	for try := 0; !slices.Equal(long(srcRows), long(dstRows)) && try < 200; try++ {
		dst, dstRows = g.elementsOf(to.Size)
	}
	got, share, err := traffic.NewRoot(g.grid).Copy(from, src, to, dst)
	if !slices.Equal(long(srcRows), long(dstRows)) {
		if err == nil {
			t.Fatalf("seed %d: sections %v and %v: no error", seed, srcRows, dstRows)
		}
		return other
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	sources, targets := inOrder(from.Size, srcRows), inOrder(to.Size, dstRows)
	have, targetOwned := owned(from.Map, from.System), owned(to.Map, to.System)
	want := sent{}
	need := map[int]elements{}
	for rank, e := range targetOwned {
		need[rank] = elements{}
		for i, x := range targets {
			if e[x] {
				need[rank][sources[i]] = true
			}
		}
	}
	fetch(g.grid, have, need, from.ElemSize, want)
	check(t, "copy", seed, g.grid, got, want)
	coords := make([]int, len(to.System.Grid))
	labels := make([]int64, len(coords))
	for i := range to.System.Size() {
		to.System.Coords(i, coords)
		for k, c := range coords {
			labels[k] = share.Labels[k][c]
		}
		if n := share.Count(labels); n != int64(len(need[to.System.Rank(i)])) {
			t.Fatalf("seed %d: processor %v writes %d elements, want %d", seed, coords, n, len(need[to.System.Rank(i)]))
		}
	}
	return outcome(got, want)
}

// bufferCopy compares one random copy to a buffer or array input or output with
// the slow way.
func bufferCopy(t *testing.T, seed uint64) result {
	g := newGen(seed)
	a := g.array()
	s, rows := g.elementsOf(a.Size)
	list := inOrder(a.Size, rows)
	inSection := elements{}
	for _, x := range list {
		inSection[x] = true
	}
	have := owned(a.Map, a.System)
	for _, e := range have {
		for x := range e {
			if !inSection[x] {
				delete(e, x)
			}
		}
	}
	root := traffic.NewRoot(g.grid)
	all := g.system()
	at := g.IntN(volume(g.grid))
	var n int64 = 1
	for _, x := range a.Size {
		n *= x
	}
	allOf := func(ranks []int) map[int]elements {
		m := everything(ranks, n)
		for _, e := range m {
			for x := range e {
				if !inSection[x] {
					delete(e, x)
				}
			}
		}
		return m
	}
	var got comm.Traffic
	var err error
	want := sent{}
	what := []string{"copy to all", "gather", "scatter"}[g.IntN(3)]
	switch what {
	case "copy to all":
		got, err = root.CopyToAll(a, s, all)
		fetch(g.grid, have, allOf(ranksOf(all)), a.ElemSize, want)
	case "gather":
		got, err = root.Gather(a, s, at)
		fetch(g.grid, have, allOf([]int{at}), a.ElemSize, want)
	case "scatter":
		got, err = root.Scatter(a, s, at)
		fetch(g.grid, allOf([]int{at}), have, a.ElemSize, want)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	check(t, what, seed, g.grid, got, want)
	return outcome(got, want)
}

// remote makes a random buffer and lists what every processor needs.
func (g *gen) remote(t *testing.T, a *object.Array) (*object.Buffer, map[int]elements) {
	b := &object.Buffer{Array: a}
	if g.IntN(4) == 0 {
		b.System = g.system()
		need := elements{}
		var rows [][]int64
		for _, n := range a.Size {
			x := int64(g.IntN(int(n)+1)) - 1
			b.Coords = append(b.Coords, x)
			row := []int64{x}
			if x < 0 {
				row = nil
				for x := range n {
					row = append(row, x)
				}
			}
			rows = append(rows, row)
		}
		for _, x := range inOrder(a.Size, rows) {
			need[x] = true
		}
		out := map[int]elements{}
		for _, r := range ranksOf(b.System) {
			out[r] = need
		}
		return b, out
	}
	l := &object.Loop{Rank: 1 + g.IntN(3), System: g.system()}
	b.Loop = l
	for range l.Rank {
		it := layout.Iterations{Init: int64(g.IntN(5) - 1), Step: int64(1 + g.IntN(2))}
		it.Last = it.Init + int64(g.IntN(7)) - 1
		if g.IntN(4) == 0 {
			it.Init, it.Last, it.Step = it.Last, it.Init, -it.Step
		}
		l.Iterations = append(l.Iterations, it)
		l.Counts = append(l.Counts, it.Count())
	}
	l.Map = g.place(g.template(l.System), l.Counts)
	dims := g.Perm(l.Rank)
	for k := range a.Size {
		switch g.IntN(6) {
		case 0:
			b.Rules = append(b.Rules, layout.Rule{Kind: layout.Replicated})
		case 1:
			b.Rules = append(b.Rules, layout.Rule{Kind: layout.Constant, B: int64(g.IntN(9) - 1)})
		default:
			r := layout.Rule{Kind: layout.Linear, Dim: dims[k%len(dims)], A: int64(1 + g.IntN(2)), B: int64(g.IntN(3) - 1)}
			if k >= len(dims) && g.IntN(4) > 0 {
				r = layout.Rule{Kind: layout.Replicated}
			} else if g.IntN(3) == 0 {
				r.A, r.B = -r.A, r.B+6
			}
			b.Rules = append(b.Rules, r)
		}
	}
	out := map[int]elements{}
	coords := make([]int, len(l.System.Grid))
	box := make([]layout.Interval, l.Rank)
	for i := range l.System.Size() {
		l.System.Coords(i, coords)
		e := elements{}
		if l.Map.Owned(coords, box) {
			lo, hi := make([]int64, l.Rank), make([]int64, l.Rank)
			for d, iv := range box {
				lo[d], hi[d] = iv.Lo, iv.Hi
			}
			points(lo, hi, func(o []int64) {
				from, to := make([]int64, a.Rank()), make([]int64, a.Rank())
				for k, r := range b.Rules {
					switch r.Kind {
					case layout.Replicated:
						to[k] = a.Size[k]
						continue
					case layout.Constant:
						from[k] = r.B
					default:
						it := l.Iterations[r.Dim]
						from[k] = r.A*(it.Init+o[r.Dim]*it.Step) + r.B
					}
					to[k] = from[k] + 1
				}
				points(from, to, func(x []int64) {
					if n := flat(a.Size, x); n >= 0 {
						e[n] = true
					}
				})
			})
		}
		out[l.System.Rank(i)] = e
	}
	return b, out
}

// remoteAccess compares one random load of buffers with the slow way.
func remoteAccess(t *testing.T, seed uint64) result {
	g := newGen(seed)
	want := sent{}
	var buffers []*object.Buffer
	for range 1 + g.IntN(2)*g.IntN(2) {
		a := g.array()
		b, need := g.remote(t, a)
		buffers = append(buffers, b)
		fetch(g.grid, owned(a.Map, a.System), need, a.ElemSize, want)
	}
	got, err := traffic.NewRoot(g.grid).Remote(buffers)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	check(t, "remote access", seed, g.grid, got, want)
	return outcome(got, want)
}
