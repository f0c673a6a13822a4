package comm_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// slowNetwork places messages one by one, as docs/model.md#media says.
type slowNetwork struct {
	m     *machine.Machine
	grid  []int
	busy  map[machine.Instance][][]occupied
	ranks map[int][]int
}

type occupied struct {
	from, to units.Seconds
	set      int
}

func (n *slowNetwork) disjoint(a, b int) bool {
	if n.ranks[a] == nil || n.ranks[b] == nil {
		return false
	}
	return !slices.ContainsFunc(n.ranks[a], func(p int) bool { return slices.Contains(n.ranks[b], p) })
}

func (n *slowNetwork) exchange(start units.Seconds, set int, ms []comm.Message) units.Seconds {
	ms = slices.Clone(ms)
	slices.SortStableFunc(ms, func(a, b comm.Message) int { return int(b.Bytes - a.Bytes) })
	end := start
	for _, m := range ms {
		node, first, depth := n.m.Lowest(int64(m.From), int64(m.To))
		at := machine.Instance{Node: node, First: first, Depth: depth}
		md := node.Medium
		if md.Kind == machine.Transputer {
			t, _ := comm.Pipelined(md, comm.Hops(n.grid, m.From, m.To), m.Bytes)
			end = max(end, start+t)
			continue
		}
		if n.busy[at] == nil {
			n.busy[at] = make([][]occupied, md.Channels)
		}
		d := md.TStart + units.Seconds(float64(md.TByte)*float64(m.Bytes))
		best, where := units.Seconds(-1), -1
		for c := range n.busy[at] {
			if t := n.earliest(n.busy[at][c], start, d, set); where < 0 || t < best {
				best, where = t, c
			}
		}
		n.busy[at][where] = append(n.busy[at][where], occupied{best, best + d, set})
		end = max(end, best+d)
	}
	return end
}

// earliest tries the ready time and every end of a message.
func (n *slowNetwork) earliest(busy []occupied, ready, d units.Seconds, set int) units.Seconds {
	for _, o := range busy {
		if !n.disjoint(o.set, set) {
			ready = max(ready, o.to)
		}
	}
	tries := []units.Seconds{ready}
	for _, o := range busy {
		if o.to > ready {
			tries = append(tries, o.to)
		}
	}
	slices.Sort(tries)
	for _, t := range tries {
		if !slices.ContainsFunc(busy, func(o occupied) bool {
			return o.to > t && t+d*(1-1e-9) > o.from && (d > 0 || t > o.from)
		}) {
			return t
		}
	}
	panic("after the last message there is room")
}

// systems are the processor systems of the random programs, on 12 processors.
var systems = map[int][]int{
	0: nil,
	1: {0, 1, 2, 3},
	2: {4, 5, 6, 7},
	3: {8, 9, 10, 11},
	4: {2, 3, 4, 5},
	5: {0, 11},
}

// messages returns random messages within a system.
func messages(r *rand.Rand, ranks []int) []comm.Message {
	if ranks == nil {
		ranks = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	}
	sizes := []units.Bytes{1, 2, 5, units.Bytes(1 + r.IntN(20))}[:1+r.IntN(4)]
	var ms []comm.Message
	for _, p := range ranks {
		for _, q := range ranks {
			if p != q && r.IntN(3) == 0 {
				ms = append(ms, comm.Message{From: p, To: q, Bytes: sizes[r.IntN(len(sizes))]})
			}
		}
	}
	return ms
}

func randomMedium(r *rand.Rand) machine.Medium {
	md := machine.Medium{Kind: machine.Myrinet, Channels: 1 + r.IntN(5)}
	switch r.IntN(6) {
	case 0:
		md = machine.Medium{Kind: machine.Ethernet, Channels: 1}
	case 1:
		md = machine.Medium{Kind: machine.Transputer}
	case 2:
		md.Channels = 150 // more than there are messages
	}
	// Times of whole numbers make sums exact, so that gaps are what they are.
	md.TStart, md.TByte = units.Seconds(r.IntN(4)), units.SecPerByte(r.IntN(3))
	return md
}

func randomMachine(t *testing.T, r *rand.Rand) *machine.Machine {
	switch r.IntN(4) {
	case 0:
		return tree(t, level{12, randomMedium(r)})
	case 1:
		return mixed(t, randomMedium(r), randomMedium(r))
	case 2:
		return tree(t, level{3, randomMedium(r)}, level{5, randomMedium(r)})
	}
	return tree(t, level{2, randomMedium(r)}, level{2, randomMedium(r)}, level{3, randomMedium(r)})
}

// Many exchanges that meet nothing, and then some that start among them.
func TestEarlierExchangesAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 17))
	for round := range 40 {
		m := randomMachine(t, r)
		grid := []int{12}
		n := comm.NewNetwork(m, grid, comm.Options{})
		slow := &slowNetwork{m: m, grid: grid, busy: map[machine.Instance][][]occupied{}, ranks: systems}
		latest := units.Seconds(0)
		for step := range 150 {
			set := 1 + r.IntN(3)
			start := latest + units.Seconds(r.IntN(5))
			if step > 100 && r.IntN(2) == 0 {
				start = units.Seconds(r.IntN(int(latest) + 1))
			}
			ms := messages(r, systems[set])
			want := slow.exchange(start, set, ms)
			got := n.Exchange(start, comm.Set{ID: set, Ranks: systems[set]}, comm.Messages(grid, ms))
			if !close12(got.End, want) {
				t.Fatalf("round %d, step %d: system %d from %v: ends at %v, expected %v", round, step, set, start, got.End, want)
			}
			latest = max(latest, want)
		}
	}
}

// Random programs of tasks: exchanges of systems that do and do not intersect,
// at starts that go forth and back.
func TestAgainstMessageByMessage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	gaps := 0
	for round := range 1500 {
		m := randomMachine(t, r)
		grid := [][]int{{12}, {3, 4}, {2, 3, 2}}[r.IntN(3)]
		n := comm.NewNetwork(m, grid, comm.Options{})
		slow := &slowNetwork{m: m, grid: grid, busy: map[machine.Instance][][]occupied{}, ranks: systems}
		latest := units.Seconds(0)
		for step := range 12 {
			set := r.IntN(len(systems))
			ms := messages(r, systems[set])
			start := units.Seconds(r.IntN(120))
			if r.IntN(4) == 0 {
				start = latest
			}
			want := slow.exchange(start, set, ms)
			got := n.Exchange(start, comm.Set{ID: set, Ranks: systems[set]}, comm.Messages(grid, ms))
			if !close12(got.End, want) {
				t.Fatalf("round %d, step %d: system %d from %v: ends at %v, expected %v", round, step, set, start, got.End, want)
			}
			if start < latest {
				gaps++
			}
			latest = max(latest, want)
		}
	}
	if gaps < 5000 {
		t.Errorf("only %d exchanges met earlier ones", gaps)
	}
}

// Neither Forget nor Explain changes a time.
func TestForgetChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 400 {
		m := randomMachine(t, r)
		grid := []int{12}
		keep, drop := comm.NewNetwork(m, grid, comm.Options{}), comm.NewNetwork(m, grid, comm.Options{})
		drop.Explain(true)
		horizon := units.Seconds(0)
		for step := range 100 {
			if r.IntN(8) == 0 {
				horizon += units.Seconds(r.IntN(60))
				drop.Forget(horizon)
			}
			set := r.IntN(len(systems))
			tr := comm.Messages(grid, messages(r, systems[set]))
			start := horizon + units.Seconds(r.IntN(50))
			s := comm.Set{ID: set, Ranks: systems[set]}
			a, b := keep.Exchange(start, s, tr), drop.Exchange(start, s, tr)
			if a.End != b.End {
				t.Fatalf("round %d, step %d: ends at %v, and at %v when forgotten", round, step, a.End, b.End)
			}
			last := start
			for _, x := range b.Steps {
				last = max(last, x.End)
			}
			if last != b.End {
				t.Fatalf("round %d, step %d: the steps end at %v, the exchange at %v", round, step, last, b.End)
			}
		}
	}
}

// Counts and real times as they occur: the plain loop over all messages.
func TestManyEqualMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		md := machine.Medium{Kind: machine.Myrinet, Channels: 1 + r.IntN(40), TStart: units.Micro(r.Float64() * 100), TByte: units.MicroPerByte(r.Float64())}
		sizes := fixed{}
		free := make([]units.Seconds, md.Channels)
		n := network(t, md, 4)
		start := units.Seconds(0)
		want := start
		b := units.Bytes(1 << 20)
		for range 1 + r.IntN(5) {
			b = 1 + units.Bytes(r.Int64N(int64(b)))
			sizes = append(sizes, comm.Size{Bytes: b, Count: 1 + r.Int64N(3000)})
			if b == 1 {
				break
			}
			b--
		}
		for _, x := range sizes {
			for range x.Count {
				c := 0
				for i := range free {
					if free[i] < free[c] {
						c = i
					}
				}
				free[c] += units.Transfer(md.TStart, md.TByte, x.Bytes)
				want = max(want, free[c])
			}
		}
		got := n.Exchange(start, comm.Set{}, sizes)
		if d := float64(got.End-want) / float64(want); d > 1e-12 || d < -1e-12 {
			t.Fatalf("%v on %v: %v, expected %v", sizes, md, got.End, want)
		}
	}
}

// fixed is a Traffic of sizes only, as a flat medium with channels sees it.
type fixed []comm.Size

func (f fixed) Sizes() []comm.Size                 { return f }
func (f fixed) Distances() []comm.Distance         { return nil }
func (f fixed) Each(yield func(comm.Message) bool) {}
