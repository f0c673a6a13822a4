package comm

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// everyWay lists the links of all routes from p to q that visit no processor
// twice.
func everyWay(links []machine.Link, p, q int32, seen []int32, way []int32, yield func([]int32)) {
	if p == q {
		yield(way)
		return
	}
	seen = append(seen, p)
	for i := range links {
		if !slices.Contains(links[i].Ends, p) {
			continue
		}
		for _, next := range links[i].Ends {
			if !slices.Contains(seen, next) {
				everyWay(links, next, q, seen, append(slices.Clone(way), int32(i)), yield)
			}
		}
	}
}

// The search finds the best of all routes by its definition, away from a
// processor and to it: on small networks with many equal sums, every third time
// on lines that are alike.
func TestRoutesAreBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 600 {
		n := 2 + rng.IntN(5)
		alike := round%3 == 0
		net := &machine.Network{ID: 1}
		for i := range 1 + rng.IntN(7) {
			most := min(n-1, 2)
			if alike {
				n, most = max(n, 4), 1
			}
			ends := rng.Perm(n)[:2+rng.IntN(most)]
			l := machine.Link{ID: int64(i + 1), Latency: units.Seconds(rng.IntN(3)), Speed: units.SecPerByte(rng.IntN(2))}
			for _, e := range ends {
				l.Ends = append(l.Ends, int32(e))
			}
			if alike {
				l.Latency, l.Speed = 1, 0
			}
			net.Links = append(net.Links, l)
		}
		r := newRoutes(net, n)
		bytes := units.Bytes(1 + rng.IntN(3))
		r.size(bytes)
		time := func(way []int32) (sum units.Seconds) {
			for _, l := range way {
				sum += r.time(l)
			}
			return sum
		}
		for root := range n {
			for _, inward := range []bool{false, true} {
				var others []int
				for q := range n {
					if q != root {
						others = append(others, q)
					}
				}
				found := map[int][]int32{}
				r.star(root, others, inward, func(q int, path []int32) { found[q] = path })
				for _, q := range others {
					from, to := int32(root), int32(q)
					if inward {
						from, to = to, from
					}
					var best []int32
					everyWay(net.Links, from, to, nil, nil, func(w []int32) {
						if best == nil || cmp.Or(cmp.Compare(time(w), time(best)), cmp.Compare(len(w), len(best)), slices.Compare(w, best)) < 0 {
							best = w
						}
					})
					if !slices.Equal(found[q], best) {
						t.Fatalf("links %v, %d bytes: from %d to %d by links %v, best %v", net.Links, bytes, from, to, found[q], best)
					}
				}
			}
		}
	}
}

// Sums do not depend on the order of their terms.
func TestExactSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		terms := make([]units.Seconds, 2+rng.IntN(60))
		for i := range terms {
			terms[i] = units.Seconds(rng.Float64() * []float64{1, 1e-6, 1e3}[rng.IntN(3)])
		}
		sum := func() (s exact) {
			for _, x := range terms {
				s = s.plus(x)
			}
			return s
		}
		a := sum()
		slices.Reverse(terms)
		if b := sum(); a.compare(b) != 0 {
			t.Fatalf("forwards %v, backwards %v", a, b)
		}
	}
}

// row returns the network of some processors in a row.
func row(t *testing.T, processors int) *Network {
	net := &machine.Network{ID: 1}
	for p := int32(1); p < int32(processors); p++ {
		net.Links = append(net.Links, machine.Link{ID: int64(p), Latency: 1, Speed: 1, Ends: []int32{p - 1, p}})
	}
	m := &machine.Machine{Name: "row", Root: machine.NewCluster("row", machine.Medium{}, machine.Group{Count: int64(processors), Node: machine.NewProcessor("p", 1)}), Network: net}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return NewNetwork(m, []int{processors}, Options{})
}

// A gather or broadcast that is repeated with the same processors and size is
// not worked out again; with another size or other processors it is.
func TestStarsAreRemembered(t *testing.T) {
	n := row(t, 6)
	some := func(yield func(int) bool) { _ = yield(0) && yield(2) && yield(4) }
	made := func(r Reduction) int {
		before := len(n.links.stars)
		n.Reduce(0, Set{ID: 1}, &r)
		return len(n.links.stars) - before
	}
	a := Reduction{Bytes: 8, Senders: 3, Each: some, Who: "a"}
	if k := made(a); k != 2 {
		t.Errorf("%d stars, want one to gather and one to broadcast", k)
	}
	if k := n.links.routes.search; k != 2 {
		t.Errorf("%d searches, want one to gather and one to broadcast", k)
	}
	if k := made(a); k != 0 {
		t.Errorf("%d stars for a reduction that was there before", k)
	}
	b := a
	b.Who = "b"
	if k := made(b); k != 1 {
		t.Errorf("%d stars for other senders, want one", k)
	}
	a.Bytes = 16
	if k := made(a); k != 2 {
		t.Errorf("%d stars for another size, want two", k)
	}
}

// Where links are alike one search is enough for the messages of a processor,
// whatever their size and the calls that they belong to. Only as much as is
// wanted is searched, and when that is not enough, everything.
func TestSearchesAreRemembered(t *testing.T) {
	n := row(t, 64)
	r := n.links.routes
	search := func(bytes units.Bytes, root int, others ...int) int {
		before := r.search
		r.size(bytes)
		if without := r.star(root, others, false, func(q int, path []int32) {
			if len(path) != max(q-root, root-q) {
				t.Errorf("%d links from %d to %d", len(path), root, q)
			}
		}); without >= 0 {
			t.Errorf("no route from %d to %d", root, without)
		}
		return r.search - before
	}
	for i, s := range []struct {
		bytes  units.Bytes
		root   int
		others []int
		want   int
	}{
		{8, 0, []int{1}, 0},      // a link that both share
		{8, 0, []int{30, 7}, 1},  // up to 30
		{16, 0, []int{9, 29}, 0}, // known
		{16, 0, []int{2, 63}, 1}, // everything
		{24, 0, []int{62, 61}, 0},
		{8, 5, []int{7}, 1}, // too little to be remembered
		{8, 5, []int{7}, 1},
	} {
		if got := search(s.bytes, s.root, s.others...); got != s.want {
			t.Errorf("step %d: %d searches, want %d", i, got, s.want)
		}
	}
	// Where links differ a size is searched for once.
	n.links.Links[3].Latency = 2
	n.links.routes = newRoutes(n.links.Network, 64)
	r = n.links.routes
	for i, want := range []int{1, 0} {
		for _, bytes := range []units.Bytes{8, 16} {
			if got := search(bytes, 0, 60); got != want {
				t.Errorf("links that differ, time %d: %d searches for %d bytes, want %d", i, got, bytes, want)
			}
		}
	}
}

// counted is messages with a key that counts how often they are gone through.
type counted struct {
	Traffic
	key    string
	passes *int
}

func (c counted) AppendKey(dst []byte) ([]byte, bool) { return append(dst, c.key...), c.key != "" }

func (c counted) Each(yield func(Message) bool) {
	*c.passes++
	c.Traffic.Each(yield)
}

// Messages with a key are gone through once on links, and on trees of clusters, as
// long as their use is the same; without a key each time.
func TestLoadsAreRemembered(t *testing.T) {
	bus := machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 1, TByte: 1}
	pair := machine.NewCluster("pair", bus, machine.Group{Count: 2, Node: machine.NewProcessor("p", 1)})
	tree, err := machine.New(machine.NewCluster("tree", bus, machine.Group{Count: 4, Node: pair}))
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]*Network{"row": row(t, 8), "tree": NewNetwork(tree, []int{8}, Options{})} {
		passes := 0
		ms := Messages([]int{8}, []Message{{From: 0, To: 5, Bytes: 8}, {From: 3, To: 2, Bytes: 16}})
		for i, s := range []struct {
			key  string
			use  Use
			want int
		}{
			{"a", Use{}, 1}, {"a", Use{}, 0}, {"b", Use{}, 1}, {"a", Use{}, 0},
			{"a", Use{Edges: true}, 1}, {"a", Use{Element: 8}, 1}, {"a", Use{Edges: true}, 0},
			{"", Use{}, 1}, {"", Use{}, 1},
		} {
			before := passes
			l := n.Load(For(counted{ms, s.key, &passes}, s.use))
			if got := passes - before; got != s.want {
				t.Errorf("%s, step %d: %d passes, want %d", name, i, got, s.want)
			}
			if l.load.length != n.split(ms).load.length {
				t.Errorf("%s, step %d: the load takes %v, want %v", name, i, l.load.length, n.split(ms).load.length)
			}
		}
	}
}

// The memory of remembered loads is bounded: when it is full they are forgotten,
// and one that is too large is not kept.
func TestRememberedLoadsAreBounded(t *testing.T) {
	n := row(t, 2)
	var k loads
	passes := 0
	ask := func(key string, messages int) {
		k.of(counted{Messages(nil, nil), key, &passes}, func() *Load {
			passes++
			return &Load{network: n, load: load{instances: []instanceLoad{{demand: &travels{topology: n.links, list: make([]travel, messages)}}}}}
		})
		if k.bytes > maxLoadBytes {
			t.Errorf("%d bytes are kept", k.bytes)
		}
	}
	half := maxLoadBytes / 80 / 2
	ask("a", half-100)
	ask("b", half-100)
	ask("a", half-100)
	if passes != 2 {
		t.Errorf("%d loads were made, want 2", passes)
	}
	ask("c", half-100)
	ask("large", 3*half)
	ask("large", 3*half)
	ask("c", half-100)
	ask("a", half-100)
	if passes != 6 {
		t.Errorf("%d loads were made, want 6: c, large twice, and a that was forgotten", passes)
	}
}

// A route over two links is the better one also where it is shorter by less than a
// rounding: 1 and 3/2^54 sum to 1 + 3/2^54, which rounds to 1 + 4/2^54, what the
// link between both ends takes. A link that takes less than that is the route.
func TestRoutesBelowARounding(t *testing.T) {
	const ulp = 1. / (1 << 52)
	for _, c := range []struct {
		direct units.Seconds
		want   []int32
	}{{1 + ulp, []int32{1, 2}}, {1, []int32{0}}} {
		net := &machine.Network{ID: 1, Links: []machine.Link{
			{ID: 1, Ends: []int32{0, 2}, Latency: c.direct},
			{ID: 2, Ends: []int32{0, 1}, Latency: 1},
			{ID: 3, Ends: []int32{1, 2}, Latency: 0.75 * ulp},
		}}
		r := newRoutes(net, 3)
		r.size(8)
		r.star(0, []int{2}, false, func(_ int, path []int32) {
			if !slices.Equal(path, c.want) {
				t.Errorf("a link of %v: the route is %v, want %v", c.direct, path, c.want)
			}
		})
	}
}
