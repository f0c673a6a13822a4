package machine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

var bus = machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: units.Micro(75), TByte: units.MicroPerByte(0.2)}

func cluster(name string, groups ...machine.Group) *machine.Node {
	return machine.NewCluster(name, bus, groups...)
}

func mustNew(t testing.TB, root *machine.Node) *machine.Machine {
	t.Helper()
	m, err := machine.New(root)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// nested is {2 x rack, fast, wrap} with rack = {2 x pair, slow}, pair =
// {2 x core} and wrap = {pair}. Its processors:
//
//	0 1 | 2 3 | 4   first rack: two pairs and a slow one
//	5 6 | 7 8 | 9   second rack
//	10              fast
//	11 12           the pair in the wrapper
func nested(t testing.TB) (m *machine.Machine, byName map[string]*machine.Node) {
	core := machine.NewProcessor("core", 1)
	slow := machine.NewProcessor("slow", 0.5)
	fast := machine.NewProcessor("fast", 4)
	pair := cluster("pair", machine.Group{Count: 2, Node: core})
	rack := cluster("rack", machine.Group{Count: 2, Node: pair}, machine.Group{Count: 1, Node: slow})
	wrap := machine.NewCluster("wrap", machine.Medium{}, machine.Group{Count: 1, Node: pair})
	root := cluster("root", machine.Group{Count: 2, Node: rack}, machine.Group{Count: 1, Node: fast}, machine.Group{Count: 1, Node: wrap})
	m = mustNew(t, root)
	byName = map[string]*machine.Node{}
	for _, n := range m.Nodes() {
		byName[n.Name] = n
	}
	return m, byName
}

func TestLowest(t *testing.T) {
	m, node := nested(t)
	for _, c := range []struct {
		p, q  int64
		node  string
		first int64
		depth int
	}{
		{0, 1, "pair", 0, 2},
		{2, 3, "pair", 2, 2},
		{7, 8, "pair", 7, 2},
		{1, 2, "rack", 0, 1},
		{0, 4, "rack", 0, 1},
		{5, 9, "rack", 5, 1},
		{4, 5, "root", 0, 0},
		{0, 12, "root", 0, 0},
		{9, 10, "root", 0, 0},
		{10, 11, "root", 0, 0},
		{11, 12, "pair", 11, 2}, // below the wrapper, which is never lowest
		{10, 10, "fast", 10, 1},
		{12, 12, "core", 12, 3},
		{4, 4, "slow", 4, 2},
	} {
		for _, pq := range [][2]int64{{c.p, c.q}, {c.q, c.p}} {
			n, first, depth := m.Lowest(pq[0], pq[1])
			if n != node[c.node] || first != c.first || depth != c.depth {
				t.Errorf("Lowest(%d, %d) = %s, %d, %d, want %s, %d, %d", pq[0], pq[1], n.Name, first, depth, c.node, c.first, c.depth)
			}
		}
	}
}

// TestAgainstExpandedTree compares the queries with a tree in which every
// copy is written out.
func TestAgainstExpandedTree(t *testing.T) {
	m, _ := nested(t)
	type leaf struct {
		path  []machine.Instance
		power float64
	}
	var leaves []leaf
	var expand func(n *machine.Node, path []machine.Instance)
	expand = func(n *machine.Node, path []machine.Instance) {
		path = append(slices.Clone(path), machine.Instance{Node: n, First: int64(len(leaves)), Depth: len(path)})
		if n.Leaf() {
			leaves = append(leaves, leaf{path, n.Power})
		}
		for _, g := range n.Groups {
			for range g.Count {
				expand(g.Node, path)
			}
		}
	}
	expand(m.Root, nil)
	if m.Processors() != int64(len(leaves)) || len(leaves) != 13 {
		t.Fatalf("%d processors, %d leaves, want 13", m.Processors(), len(leaves))
	}
	for p, a := range leaves {
		if got := m.Power(int64(p)); got != a.power {
			t.Errorf("Power(%d) = %v, want %v", p, got, a.power)
		}
		if got := m.Path(int64(p)); !slices.Equal(got, a.path) {
			t.Errorf("Path(%d) = %v, want %v", p, got, a.path)
		}
		for q, b := range leaves {
			i := 0
			for i+1 < len(a.path) && i+1 < len(b.path) && a.path[i+1] == b.path[i+1] {
				i++
			}
			n, first, depth := m.Lowest(int64(p), int64(q))
			if got := (machine.Instance{Node: n, First: first, Depth: depth}); got != a.path[i] {
				t.Errorf("Lowest(%d, %d) = %v, want %v", p, q, got, a.path[i])
			}
		}
	}
	for n := range len(leaves) + 1 {
		var want []machine.PowerRun
		largest := 0.0
		for p, l := range leaves[:n] {
			largest = max(largest, l.power)
			if k := len(want); k > 0 && want[k-1].Power == l.power {
				want[k-1].N++
			} else {
				want = append(want, machine.PowerRun{First: int64(p), N: 1, Power: l.power})
			}
		}
		if got := m.PowerRuns(int64(n)); !slices.Equal(got, want) {
			t.Errorf("PowerRuns(%d) = %v, want %v", n, got, want)
		}
		if got := m.MaxPower(int64(n)); got != largest {
			t.Errorf("MaxPower(%d) = %v, want %v", n, got, largest)
		}
	}
}

func TestPowerRunsJoinAcrossClusters(t *testing.T) {
	one := machine.NewProcessor("one", 1)
	uno := machine.NewProcessor("uno", 1)
	two := machine.NewProcessor("two", 2)
	a := cluster("a", machine.Group{Count: 3, Node: one}, machine.Group{Count: 2, Node: two})
	b := cluster("b", machine.Group{Count: 1, Node: two}, machine.Group{Count: 4, Node: uno})
	m := mustNew(t, cluster("m", machine.Group{Count: 1, Node: a}, machine.Group{Count: 1, Node: b}, machine.Group{Count: 7, Node: one}))
	want := []machine.PowerRun{{First: 0, N: 3, Power: 1}, {First: 3, N: 3, Power: 2}, {First: 6, N: 11, Power: 1}}
	if got := m.PowerRuns(17); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// doubling returns a tree of depth levels over a processor, each {2 x lower}
// written as two groups, so that a walk over copies would take 2^depth steps.
func doubling(depth int) *machine.Node {
	n := machine.NewProcessor("p", 1)
	for i := range depth {
		n = cluster(fmt.Sprintf("c%d", i), machine.Group{Count: 1, Node: n}, machine.Group{Count: 1, Node: n})
	}
	return n
}

func TestCopiesCostNothing(t *testing.T) {
	m := mustNew(t, doubling(29))
	if m.Processors() != 1<<29 {
		t.Fatalf("%d processors, want 2^29", m.Processors())
	}
	if got := m.PowerRuns(m.Processors()); !slices.Equal(got, []machine.PowerRun{{N: 1 << 29, Power: 1}}) {
		t.Errorf("runs %v, want one", got)
	}
	if got := m.MaxPower(m.Processors()); got != 1 {
		t.Errorf("largest power %v", got)
	}
	if n := len(m.Nodes()); n != 30 {
		t.Errorf("%d nodes, want 30", n)
	}
	if !m.Equal(mustNew(t, doubling(29))) {
		t.Error("a machine differs from one built alike")
	}
	text, err := json.Marshal(m)
	if err != nil || len(text) > 10000 {
		t.Errorf("%d bytes of JSON, %v", len(text), err)
	}
	n, first, depth := m.Lowest(1<<28-1, 1<<28)
	if n != m.Root || first != 0 || depth != 0 {
		t.Errorf("the halves meet in %s, %d, %d", n.Name, first, depth)
	}
	if a := testing.AllocsPerRun(10, func() { m.Lowest(77, 1<<28) }); a != 0 {
		t.Errorf("Lowest allocates %v times", a)
	}
}

func TestFlat(t *testing.T) {
	p := machine.NewProcessor("p", 1)
	q := machine.NewProcessor("q", 2)
	wrap := func(name string, n *machine.Node) *machine.Node {
		return machine.NewCluster(name, machine.Medium{}, machine.Group{Count: 1, Node: n})
	}
	pq := cluster("pq", machine.Group{Count: 8, Node: p}, machine.Group{Count: 2, Node: q})
	free := machine.Medium{Kind: machine.Ethernet, Channels: 1}
	for _, c := range []struct {
		name   string
		root   *machine.Node
		medium machine.Medium
		flat   bool
	}{
		{"processor", p, free, true},
		{"wrapped processor", wrap("w", wrap("v", p)), free, true},
		{"bus of two kinds", pq, bus, true},
		{"wrapped bus", wrap("w", wrap("v", pq)), bus, true},
		{"bus of wrapped processors", cluster("m", machine.Group{Count: 2, Node: wrap("w", p)}, machine.Group{Count: 1, Node: q}), bus, true},
		{"two levels", cluster("m", machine.Group{Count: 2, Node: pq}), machine.Medium{}, false},
		{"one cluster beside a processor", cluster("m", machine.Group{Count: 1, Node: p}, machine.Group{Count: 1, Node: pq}), machine.Medium{}, false},
	} {
		md, flat := mustNew(t, c.root).Flat()
		if md != c.medium || flat != c.flat {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, md, flat, c.medium, c.flat)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	p := machine.NewProcessor("p", 1)
	group := machine.Group{Count: 2, Node: p}
	many := machine.NewCluster("m", bus, machine.Group{Count: machine.MaxProcessors, Node: p})
	deep := p
	for i := range machine.MaxDepth {
		deep = machine.NewCluster(fmt.Sprint("w", i), machine.Medium{}, machine.Group{Count: 1, Node: deep})
	}
	with := func(md machine.Medium) *machine.Node { return machine.NewCluster("c", md, group) }
	for _, c := range []struct {
		want string
		root *machine.Node
	}{
		{"no root", nil},
		{"has power 0", machine.NewProcessor("q", 0)},
		{"has power NaN", machine.NewProcessor("q", math.NaN())},
		{"has power +Inf", machine.NewProcessor("q", math.Inf(1))},
		{"has power -1", machine.NewProcessor("q", -1)},
		{"2 children and no medium", with(machine.Medium{})},
		{"without a kind", with(machine.Medium{TStart: 1})},
		{"0 channels", with(machine.Medium{Kind: machine.Myrinet})},
		{"2 channels", with(machine.Medium{Kind: machine.Ethernet, Channels: 2})},
		{"1 channels", with(machine.Medium{Kind: machine.Transputer, Channels: 1})},
		{"no medium has kind 9", with(machine.Medium{Kind: 9})},
		{"TStart -1", with(machine.Medium{Kind: machine.Transputer, TStart: -1})},
		{"TByte NaN", with(machine.Medium{Kind: machine.Transputer, TByte: units.SecPerByte(math.NaN())})},
		{"is empty", machine.NewCluster("c", bus)},
		{"0 copies", machine.NewCluster("c", bus, group, machine.Group{Count: 0, Node: p})},
		{"1 copies of a node", machine.NewCluster("c", bus, group, machine.Group{Count: 1})},
		{"the name \"p\"", machine.NewCluster("c", bus, group, machine.Group{Count: 1, Node: machine.NewProcessor("p", 1)})},
		{"more than 1000000000 processors", machine.NewCluster("c", bus, machine.Group{Count: 1, Node: many}, machine.Group{Count: 1, Node: p})},
		{"more than 1000000000 processors", machine.NewCluster("c", bus, machine.Group{Count: math.MaxInt64, Node: many}, machine.Group{Count: math.MaxInt64, Node: many})},
		{"nested 1001 deep", deep},
	} {
		m, err := machine.New(c.root)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, %v, want an error with %q", m, err, c.want)
		}
	}
	if _, err := machine.New(many); err != nil {
		t.Errorf("10^9 processors are refused: %v", err)
	}
}

func TestCheckTopology(t *testing.T) {
	for _, c := range []struct {
		extents []int
		ok      bool
	}{
		{nil, true},
		{[]int{1}, true},
		{[]int{1000, 1000, 1000}, true},
		{[]int{1000, 1000, 1001}, false},
		{[]int{2, 0}, false},
		{[]int{-1}, false},
		{slices.Repeat([]int{1}, machine.MaxRank), true},
		{slices.Repeat([]int{1}, machine.MaxRank+1), false},
	} {
		if err := machine.CheckTopology(c.extents); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.extents, err)
		}
	}
}

func TestEqual(t *testing.T) {
	base := func() *machine.Machine { m, _ := nested(t); return m }
	if !base().Equal(base()) {
		t.Fatal("a machine differs from one built alike")
	}
	for name, change := range map[string]func(*machine.Machine){
		"name":      func(m *machine.Machine) { m.Name = "x" },
		"search":    func(m *machine.Machine) { m.Search = 3 },
		"unbounded": func(m *machine.Machine) { m.Unbounded = true },
		"topology":  func(m *machine.Machine) { m.Topology = []int{2} },
		"power":     func(m *machine.Machine) { m.Nodes()[3].Power = 9 },
		"medium":    func(m *machine.Machine) { m.Root.Medium.TStart = 9 },
		"count":     func(m *machine.Machine) { m.Root.Groups[0].Count = 9 },
		"node":      func(m *machine.Machine) { m.Root.Groups[1].Node = m.Root.Groups[0].Node },
	} {
		m := base()
		change(m)
		if m.Equal(base()) || base().Equal(m) {
			t.Errorf("a change of the %s is not seen", name)
		}
	}
	if m := base(); m.Equal(nil) || !(*machine.Machine)(nil).Equal(nil) {
		t.Error("nil is compared wrongly")
	}
}

func TestJSON(t *testing.T) {
	p := machine.NewProcessor("p", 0.5)
	net := machine.NewCluster("net", machine.Medium{Kind: machine.Transputer, TStart: 7e-6, TByte: 4e-9}, machine.Group{Count: 3, Node: p})
	m := mustNew(t, machine.NewCluster("w", machine.Medium{}, machine.Group{Count: 1, Node: net}))
	m.Search = 1
	m.Topology = []int{3, 1}
	want := `{"name":"w","processors":3,"search":1,"topology":[3,1],"nodes":[` +
		`{"name":"w","processors":3,"children":[{"count":1,"node":"net"}]},` +
		`{"name":"net","processors":3,"medium":{"comm_type":"transputer","tstart_s":0.000007,"tbyte_s_per_b":4e-9},"children":[{"count":3,"node":"p"}]},` +
		`{"name":"p","processors":1,"power":0.5}]}`
	got, err := json.Marshal(m)
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, err)
	}
	var d machine.Description
	if err := json.Unmarshal(got, &d); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(d); err != nil || string(again) != want {
		t.Errorf("read and written again: %s, %v", again, err)
	}
}

func TestKindText(t *testing.T) {
	for k, want := range map[machine.Kind]string{
		machine.NoMedium: "none", machine.Ethernet: "ethernet", machine.Myrinet: "myrinet", machine.Transputer: "transputer",
	} {
		text, err := k.MarshalText()
		if string(text) != want || k.String() != want || err != nil {
			t.Errorf("kind %d: %q, %q, %v, want %q", uint8(k), text, k, err, want)
		}
		var back machine.Kind
		if err := back.UnmarshalText(text); err != nil || back != k {
			t.Errorf("%q is read as %v, %v", text, back, err)
		}
	}
	if _, err := machine.Kind(9).MarshalText(); err == nil {
		t.Error("kind 9 has a text")
	}
	var k machine.Kind
	if err := k.UnmarshalText([]byte("token ring")); err == nil {
		t.Error("a token ring is a medium")
	}
}

func TestProcessorOutOfRangePanics(t *testing.T) {
	m, _ := nested(t)
	for name, f := range map[string]func(){
		"Power":     func() { m.Power(13) },
		"Lowest":    func() { m.Lowest(0, -1) },
		"Path":      func() { m.Path(13) },
		"PowerRuns": func() { m.PowerRuns(14) },
		"MaxPower":  func() { m.MaxPower(14) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "internal error") {
					t.Errorf("%s: recovered %v", name, r)
				}
			}()
			f()
		}()
	}
}
