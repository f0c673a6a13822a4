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
// processor and to it: on small networks with many equal sums.
func TestRoutesAreBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		n := 2 + rng.IntN(5)
		net := &machine.Network{ID: 1}
		for i := range 1 + rng.IntN(7) {
			ends := rng.Perm(n)[:2+rng.IntN(min(n-1, 2))]
			l := machine.Link{ID: int64(i + 1), Latency: units.Seconds(rng.IntN(3)), Speed: units.SecPerByte(rng.IntN(2))}
			for _, e := range ends {
				l.Ends = append(l.Ends, int32(e))
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

// A gather or broadcast that is repeated with the same processors and size finds
// no routes again; with another size or other processors it does.
func TestStarsAreRemembered(t *testing.T) {
	net := &machine.Network{ID: 1}
	for p := int32(1); p < 6; p++ {
		net.Links = append(net.Links, machine.Link{ID: int64(p), Latency: 1, Speed: 1, Ends: []int32{p - 1, p}})
	}
	m := &machine.Machine{Name: "row", Root: machine.NewCluster("row", machine.Medium{}, machine.Group{Count: 6, Node: machine.NewProcessor("p", 1)}), Network: net}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	n := NewNetwork(m, []int{6}, Options{})
	some := func(yield func(int) bool) { _ = yield(0) && yield(2) && yield(4) }
	searches := func(r Reduction) int {
		before := n.links.routes.search
		n.Reduce(0, Set{ID: 1}, r)
		return n.links.routes.search - before
	}
	a := Reduction{Bytes: 8, Senders: 3, Each: some, Who: "a"}
	if k := searches(a); k != 2 {
		t.Errorf("%d searches, want one to gather and one to broadcast", k)
	}
	if k := searches(a); k != 0 {
		t.Errorf("%d searches for a reduction that was there before", k)
	}
	b := a
	b.Who = "b"
	if k := searches(b); k != 1 {
		t.Errorf("%d searches for other senders, want one", k)
	}
	a.Bytes = 16
	if k := searches(a); k != 2 {
		t.Errorf("%d searches for another size, want two", k)
	}
}
