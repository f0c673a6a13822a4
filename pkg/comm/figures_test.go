package comm_test

import (
	"math"
	"slices"
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// The figures are those of a network with TStart 75 us and TByte 0.2 us.
var (
	ts = units.Micro(75)
	tb = units.MicroPerByte(0.2)
)

func bus() machine.Medium {
	return machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: ts, TByte: tb}
}

func myrinet(k int) machine.Medium {
	return machine.Medium{Kind: machine.Myrinet, Channels: k, TStart: ts, TByte: tb}
}

func transputer() machine.Medium {
	return machine.Medium{Kind: machine.Transputer, TStart: ts, TByte: tb}
}

// level is a cluster of n copies of what is below it.
type level struct {
	n  int64
	md machine.Medium
}

// tree builds a machine from the root down.
func tree(t testing.TB, levels ...level) *machine.Machine {
	t.Helper()
	node := machine.NewProcessor("p", 1)
	for i, l := range slices.Backward(levels) {
		node = machine.NewCluster(string(rune('a'+i)), l.md, machine.Group{Count: l.n, Node: node})
	}
	m, err := machine.New(node)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func network(t testing.TB, md machine.Medium, grid ...int) *comm.Network {
	t.Helper()
	n := int64(1)
	for _, x := range grid {
		n *= int64(x)
	}
	return comm.NewNetwork(tree(t, level{n, md}), grid, comm.Options{})
}

// mixed is a machine of one processor, two nodes of 3, and a node of two pairs
// and a processor: 12 in all. The pairs and the whole have the medium outer.
func mixed(t testing.TB, outer, inner machine.Medium) *machine.Machine {
	t.Helper()
	p := machine.NewProcessor("p", 1)
	three := machine.NewCluster("three", inner, machine.Group{Count: 3, Node: p})
	pair := machine.NewCluster("pair", outer, machine.Group{Count: 2, Node: p})
	five := machine.NewCluster("five", inner, machine.Group{Count: 2, Node: pair}, machine.Group{Count: 1, Node: p})
	m, err := machine.New(machine.NewCluster("mixed", outer,
		machine.Group{Count: 1, Node: p}, machine.Group{Count: 2, Node: three}, machine.Group{Count: 1, Node: five}))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// near fails unless got is want to twelve digits.
func near(t *testing.T, what string, got, want units.Seconds) {
	t.Helper()
	if !close12(got, want) {
		t.Errorf("%s: %.15g us, expected %.15g us", what, float64(got)*1e6, float64(want)*1e6)
	}
}

func close12(a, b units.Seconds) bool {
	return math.Abs(float64(a-b)) <= 1e-12*max(math.Abs(float64(a)), math.Abs(float64(b)))
}

// shadow are the messages of the shadow edges of an array of side x side
// elements of 8 bytes, width 1, on a grid of two dimensions that divide side.
func shadow(grid []int, side int, corners bool) comm.Traffic {
	var ms []comm.Message
	at := func(i, j int) int { return i*grid[1] + j }
	for i := range grid[0] {
		for j := range grid[1] {
			for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
				x, y := i+d[0], j+d[1]
				if x < 0 || y < 0 || x == grid[0] || y == grid[1] || d[0] != 0 && d[1] != 0 && !corners {
					continue
				}
				length := 1
				if d[0] == 0 {
					length = side / grid[0]
				}
				if d[1] == 0 {
					length = side / grid[1]
				}
				ms = append(ms, comm.Message{From: at(i, j), To: at(x, y), Bytes: units.Bytes(8 * length)})
			}
		}
	}
	return comm.Messages(grid, ms)
}

// An array of 8x8 elements of 8 bytes, shadow edges of width 1.
func TestShadowFigures(t *testing.T) {
	for _, c := range []struct {
		name    string
		md      machine.Medium
		grid    []int
		corners bool
		us      float64
	}{
		// 2x2: 4 processors send to 2 neighbours each 4 elements, 32 bytes:
		// 8·(75 + 0.2·32) = 8·81.4.
		{"bus 2x2", bus(), []int{2, 2}, false, 651.2},
		// 4x1: 3 borders, both ways, 8 elements: 6·(75 + 0.2·64) = 6·87.8.
		{"bus 4x1", bus(), []int{4, 1}, false, 526.8},
		// 4 corners of one element more: 651.2 + 4·(75 + 1.6).
		{"bus 2x2 with corners", bus(), []int{2, 2}, true, 957.6},
		// 8 messages on 2 channels: 4·81.4.
		{"myrinet(2) 2x2", myrinet(2), []int{2, 2}, false, 325.6},
		// The edges have distance 1: 75 + 0.2·32.
		{"transputer 2x2", transputer(), []int{2, 2}, false, 81.4},
		// The corners have distance 2. One portion of 8 bytes costs
		// (2-1+1)·76.6 = 153.2, two of 4 bytes (2-1+2)·75.8 = 227.4.
		{"transputer 2x2 with corners", transputer(), []int{2, 2}, true, 153.2},
	} {
		n := network(t, c.md, c.grid...)
		p := n.Exchange(1, comm.Set{}, shadow(c.grid, 8, c.corners))
		near(t, c.name, p.Length()+1, 1+units.Micro(c.us))
		p = network(t, c.md, c.grid...).Exchange(0, comm.Set{}, shadow(c.grid, 8, c.corners))
		near(t, c.name, p.End, units.Micro(c.us))
	}
}

// One double, 75 + 0.2·8 = 76.6 a message, on 2x2 processors that all have
// iterations: n = N = 4.
func TestReductionFigures(t *testing.T) {
	twos := level{2, bus()}
	for _, c := range []struct {
		name string
		m    *machine.Machine
		opts comm.Options
		us   float64
	}{
		// 3 messages to the root and 3 back: 6·76.6.
		{"bus", tree(t, level{4, bus()}), comm.Options{}, 459.6},
		// ceil(3/2) + ceil(3/2) rounds: 4·76.6.
		{"myrinet(2)", tree(t, level{4, myrinet(2)}), comm.Options{}, 306.4},
		// Distance 1 + 1, no corner: (2·2 + 0)·76.6.
		{"transputer", tree(t, level{4, transputer()}), comm.Options{}, 306.4},
		// Nodes of 2 processors: processor 1 sends on the node's bus, 2 and 3
		// one after another on the upper one; 2 rounds, and 2 back.
		{"tree of pairs", tree(t, level{2, bus()}, twos), comm.Options{}, 306.4},
		// The upper medium has 2 channels: 1 round, and 1 back.
		{"tree of pairs below myrinet(2)", tree(t, level{2, myrinet(2)}, twos), comm.Options{}, 153.2},
		// log2 4 + log2 4 rounds.
		{"rounds", tree(t, level{4, bus()}), comm.Options{Collectives: options.Tree}, 306.4},
	} {
		n := comm.NewNetwork(c.m, []int{2, 2}, c.opts)
		p := n.Reduce(0, comm.Set{}, &comm.Reduction{Bytes: 8, Senders: 4, Hops: comm.ReductionHops([]int{2, 2}, nil)})
		near(t, c.name, p.End, units.Micro(c.us))
	}
}

// A task whose processors lie inside one transputer node of a tree reduces over
// the links of that node, whatever lies above: 144 bytes of three processors in
// a row take 2·floor(3/2) hops of 75 + 0.2·144 = 103.8. A task on both nodes
// gathers and broadcasts over the bus between them.
func TestReductionInsideANode(t *testing.T) {
	m := tree(t, level{2, bus()}, level{4, transputer()})
	n := comm.NewNetwork(m, []int{8}, comm.Options{})
	for i, first := range []int{0, 1, 4, 5} {
		s := comm.Set{ID: i + 1, Ranks: []int{first, first + 1, first + 2}}
		p := n.Reduce(0, s, &comm.Reduction{Bytes: 144, Root: first, Senders: 3, Hops: comm.ReductionHops([]int{3}, nil)})
		near(t, "inside a node", p.End, units.Micro(207.6))
	}
	// The same grid in a node of its own.
	near(t, "alone", network(t, transputer(), 3).Reduce(0, comm.Set{}, &comm.Reduction{Bytes: 144, Senders: 3, Hops: 2}).End, units.Micro(207.6))
	// Root 3 alone in its node: 2 messages on the bus each way, 4·103.8.
	p := n.Reduce(0, comm.Set{ID: 9, Ranks: []int{3, 4, 5}}, &comm.Reduction{Bytes: 144, Root: 3, Senders: 3, Hops: 2})
	near(t, "on two nodes", p.End, units.Micro(415.2))
	// Processors 1 and 4: the upper bus is the only medium between them.
	p = comm.NewNetwork(m, []int{8}, comm.Options{}).Reduce(0, comm.Set{ID: 10, Ranks: []int{1, 4}}, &comm.Reduction{Bytes: 144, Root: 1, Senders: 2, Hops: 2})
	near(t, "one of each node", p.End, units.Micro(207.6))
}

// A loop on 3 of 3x4 processors: distributed along the first dimension, on
// coordinate 1 of the second. n = 3, N = 12, root 0 counts as one.
func TestReductionOfASection(t *testing.T) {
	r := comm.Reduction{
		Bytes: 8, Senders: 3,
		// Distance floor(3/2) = 1; the farther corner is 4-1-1 = 2 away.
		Hops: comm.ReductionHops([]int{3}, []comm.Corner{{At: 1, Extent: 4}}),
		Each: func(yield func(int) bool) {
			for _, p := range []int{1, 5, 9} {
				if !yield(p) {
					return
				}
			}
		},
	}
	// (2·1 + 2)·76.6.
	near(t, "transputer", network(t, transputer(), 3, 4).Reduce(0, comm.Set{}, &r).End, units.Micro(306.4))
	// (3 - 1 + 12 - 1)·76.6 = 13·76.6.
	near(t, "bus", network(t, bus(), 3, 4).Reduce(0, comm.Set{}, &r).End, units.Micro(995.8))
	// On 3 nodes of 4: processor 1 sends on the bus of the first node, 5 and
	// 9 on the upper one: 2 rounds. Back go 3 on the node's and 8 on the upper
	// bus: 8 rounds. 10·76.6.
	m := tree(t, level{3, bus()}, level{4, bus()})
	near(t, "tree", comm.NewNetwork(m, []int{3, 4}, comm.Options{}).Reduce(0, comm.Set{}, &r).End, units.Micro(766))
}

func TestBroadcastFigures(t *testing.T) {
	// 3·(75 + 1.6).
	near(t, "bus", network(t, bus(), 4).Broadcast(0, comm.Set{}, 0, 8).End, units.Micro(229.8))
	// From a processor outside the system there are as many as in it.
	near(t, "from outside", network(t, bus(), 4).Broadcast(0, comm.Set{ID: 1, Ranks: []int{1, 2}}, 0, 8).End, units.Micro(153.2))
	// On 2x2 the farthest processor is 2 away: one portion, 2·76.6; 1000
	// bytes: n = 1: 2·275 = 550, n = 2: 3·175 = 525, n = 3: 4·(75 + 0.2·334).
	near(t, "transputer", network(t, transputer(), 2, 2).Broadcast(0, comm.Set{}, 3, 8).End, units.Micro(153.2))
	near(t, "transputer, long", network(t, transputer(), 2, 2).Broadcast(0, comm.Set{}, 3, 1000).End, units.Micro(525))
	// In a row of 8, from 2: the root's farthest is 7, that of a task 4.
	row := network(t, transputer(), 8)
	near(t, "row", row.Broadcast(0, comm.Set{}, 2, 8).End, units.Micro(5*76.6))
	near(t, "task", row.Broadcast(0, comm.Set{ID: 1, Ranks: []int{1, 2, 4}}, 2, 8).End, units.Micro(2*76.6))
	near(t, "rounds", comm.NewNetwork(tree(t, level{5, bus()}), []int{5}, comm.Options{Collectives: options.Tree}).
		Broadcast(0, comm.Set{}, 0, 8).End, units.Micro(3*76.6))
	for _, b := range []units.Bytes{0, -1} {
		if p := row.Broadcast(2, comm.Set{}, 0, b); p.End != 2 {
			t.Errorf("a broadcast of %d bytes ends at %v, expected its start", b, p.End)
		}
	}
	if p := network(t, bus(), 1).Broadcast(2, comm.Set{}, 0, 8); p.End != 2 {
		t.Errorf("a broadcast on one processor ends at %v, expected its start", p.End)
	}
}

// Rounds last as long as a message on the slowest medium of the system.
func TestRoundsUseTheSlowestMediumOfTheSystem(t *testing.T) {
	slow := bus()
	slow.TStart = units.Micro(1000)
	m := tree(t, level{4, slow}, level{4, bus()})
	n := comm.NewNetwork(m, []int{11}, comm.Options{Collectives: options.Tree})
	// 11 processors: 4 rounds of 1000 + 1.6.
	near(t, "whole", n.Broadcast(0, comm.Set{}, 0, 8).End, units.Micro(4*1001.6))
	// 3 processors of one node: 2 rounds of 76.6.
	near(t, "node", n.Broadcast(0, comm.Set{ID: 1, Ranks: []int{4, 5, 7}}, 4, 8).End, units.Micro(2*76.6))
	// 2 processors of two nodes use the upper medium only.
	near(t, "across", n.Broadcast(0, comm.Set{ID: 2, Ranks: []int{3, 4}}, 4, 8).End, units.Micro(1001.6))
	// The first 4 of the mixed machine are a processor and a node of 3; the
	// slow media of the other nodes lie outside of the grid.
	n = comm.NewNetwork(mixed(t, bus(), slow), []int{4}, comm.Options{Collectives: options.Tree})
	near(t, "node of 3", n.Broadcast(0, comm.Set{}, 0, 8).End, units.Micro(2*1001.6))
	p := machine.NewProcessor("p", 1)
	quick := machine.NewCluster("quick", bus(), machine.Group{Count: 2, Node: p})
	lame := machine.NewCluster("lame", slow, machine.Group{Count: 2, Node: p})
	two, err := machine.New(machine.NewCluster("two", bus(), machine.Group{Count: 3, Node: quick}, machine.Group{Count: 1, Node: lame}))
	if err != nil {
		t.Fatal(err)
	}
	n = comm.NewNetwork(two, []int{7}, comm.Options{Collectives: options.Tree})
	near(t, "without the slow node", n.Broadcast(0, comm.Set{}, 0, 8).End, units.Micro(3*76.6))
	n = comm.NewNetwork(two, []int{8}, comm.Options{Collectives: options.Tree})
	near(t, "with the slow node", n.Broadcast(0, comm.Set{}, 0, 8).End, units.Micro(3*1001.6))
	// A grid within the first node sees nothing of the upper medium.
	n = comm.NewNetwork(m, []int{4}, comm.Options{Collectives: options.Tree})
	near(t, "grid in a node", n.Broadcast(0, comm.Set{}, 0, 8).End, units.Micro(2*76.6))
}

// Every instance of a node has its own medium: pairs of processors that
// exchange within their nodes do so at the same time.
func TestEveryInstanceHasItsOwnMedium(t *testing.T) {
	m := tree(t, level{3, bus()}, level{2, bus()})
	n := comm.NewNetwork(m, []int{6}, comm.Options{})
	inside := comm.Messages([]int{6}, []comm.Message{{0, 1, 32}, {1, 0, 32}, {2, 3, 32}, {4, 5, 32}})
	// Two messages on the first node's bus: 2·81.4.
	near(t, "within nodes", n.Exchange(0, comm.Set{}, inside).Length(), units.Micro(162.8))
	// Three on the upper bus beside one on a node's: 3·81.4.
	upper := comm.Messages([]int{6}, []comm.Message{{0, 2, 32}, {1, 5, 32}, {5, 2, 32}, {4, 5, 32}})
	near(t, "between nodes", n.Exchange(1, comm.Set{}, upper).Length()+1, units.Micro(244.2)+1)
	if _, single := n.Single(); single {
		t.Error("a machine of three nodes has several media")
	}
	if at, single := comm.NewNetwork(m, []int{2}, comm.Options{}).Single(); !single || at.Depth != 1 {
		t.Errorf("two processors of one node use the node's medium only, found %v %v", at, single)
	}
	// Processors 0, 1 and 2: the second node holds one of them.
	if _, single := comm.NewNetwork(m, []int{3}, comm.Options{}).Single(); single {
		t.Error("three processors on two nodes use two media")
	}
	// A processor and the first one of the node of 3 beside it.
	if at, single := comm.NewNetwork(mixed(t, bus(), bus()), []int{2}, comm.Options{}).Single(); !single || at.Depth != 0 {
		t.Errorf("a processor and one of a node use the upper medium only, found %v %v", at, single)
	}
	// A transputer within the nodes does not queue: two messages both ways.
	m = tree(t, level{3, bus()}, level{2, transputer()})
	n = comm.NewNetwork(m, []int{6}, comm.Options{})
	near(t, "transputers in nodes", n.Exchange(0, comm.Set{}, inside).Length(), units.Micro(81.4))
}

// Messages are one set: entries between one pair are one message.
func TestMessages(t *testing.T) {
	tr := comm.Messages([]int{2, 3}, []comm.Message{
		{5, 0, 1}, {0, 1, 8}, {2, 2, 8}, {0, 1, 8}, {1, 0, 16}, {0, 5, 0}, {3, 4, 7}, {4, 3, -5},
		{1, 2, math.MaxInt64}, {1, 2, 5},
	})
	var got []comm.Message
	tr.Each(func(m comm.Message) bool { got = append(got, m); return true })
	want := []comm.Message{{0, 1, 16}, {1, 0, 16}, {1, 2, math.MaxInt64}, {3, 4, 7}, {5, 0, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("found %v, expected %v", got, want)
	}
	if s, want := tr.Sizes(), []comm.Size{{math.MaxInt64, 1}, {16, 2}, {7, 1}, {1, 1}}; !slices.Equal(s, want) {
		t.Errorf("sizes %v, expected %v", s, want)
	}
	// 5 = (1,2) and 0 = (0,0) are 3 apart.
	if d, want := tr.Distances(), []comm.Distance{{1, math.MaxInt64}, {3, 1}}; !slices.Equal(d, want) {
		t.Errorf("distances %v, expected %v", d, want)
	}
}
