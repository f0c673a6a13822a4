package comm

import (
	"cmp"
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// routes finds the routes of messages over the links of a network
// (docs/model.md#links): the one with the least sum of times on its links, of
// equal ones that with the fewest links, of these the one whose links, from the
// sender on, have the smaller ids. One search (Dijkstra's) finds the routes from
// a processor to several others; none is needed where a link that both
// processors share is the shortest route.
type routes struct {
	links []machine.Link
	// of are the links of each processor, by growing id.
	of [][]int32
	// bytes is the size of the messages, and round counts how often it changed.
	// least[p] is the shortest time on a link of p, valid when leastAt[p] is
	// round.
	bytes   units.Bytes
	least   []units.Seconds
	leastAt []int
	round   int

	// search is the number of the current search. What it has reached is marked
	// with that number, so that no marks need to be cleared.
	search    int
	settled   []int // processors
	wanted    []int
	expanded  []int // links
	from, via []int32
	heap      []reached
	inward    bool
}

// reached is the processor at, which a search reached from the processor from
// over the link via.
type reached struct {
	time      exact
	hops      int32
	at        int32
	from, via int32
}

// exact is a sum of times in two numbers, which together hold all its bits: the
// order of the terms must not decide which of two routes is the shorter.
type exact struct{ hi, lo float64 }

func (a exact) plus(t units.Seconds) exact {
	b := float64(t)
	s := a.hi + b
	rest := s - a.hi
	lo := a.lo + ((a.hi - (s - rest)) + (b - rest))
	hi := s + lo
	return exact{hi, lo - (hi - s)}
}

func (a exact) compare(b exact) int {
	return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))
}

func newRoutes(n *machine.Network, processors int) *routes {
	r := &routes{
		links: n.Links, of: make([][]int32, processors), bytes: -1,
		least: make([]units.Seconds, processors), leastAt: make([]int, processors),
		settled: make([]int, processors), wanted: make([]int, processors), expanded: make([]int, len(n.Links)),
		from: make([]int32, processors), via: make([]int32, processors),
	}
	for i := range n.Links {
		for _, p := range n.Links[i].Ends {
			r.of[p] = append(r.of[p], int32(i))
		}
	}
	return r
}

// size sets the size of the messages that routes are found for.
func (r *routes) size(b units.Bytes) {
	if r.bytes != b {
		r.bytes = b
		r.round++
	}
}

// time returns how long a message occupies a link.
func (r *routes) time(link int32) units.Seconds {
	l := &r.links[link]
	return units.Transfer(l.Latency, l.Speed, r.bytes)
}

// shortest returns the shortest time on a link of p.
func (r *routes) shortest(p int) units.Seconds {
	if r.leastAt[p] != r.round {
		r.leastAt[p] = r.round
		r.least[p] = r.time(r.of[p][0])
		for _, l := range r.of[p][1:] {
			r.least[p] = min(r.least[p], r.time(l))
		}
	}
	return r.least[p]
}

// direct returns the link that p and q share, if it is the best route: every
// route of several links takes at least the sum of the shortest times on a link
// of p and on one of q.
func (r *routes) direct(p, q int) (link int32, ok bool) {
	few, many := r.of[p], r.of[q]
	if len(few) > len(many) {
		few, many = many, few
	}
	var best units.Seconds
	for _, l := range few {
		if _, shared := slices.BinarySearch(many, l); !shared {
			continue
		}
		if t := r.time(l); !ok || t < best {
			link, best, ok = l, t, true
		}
	}
	return link, ok && best <= r.shortest(p)+r.shortest(q)
}

// star finds the routes between root and others, away from root or, inward, to
// it. It calls yield with each of the others that has a route, and the links of
// that route from the sender on. It returns the first of others without a route,
// -1 for none.
func (r *routes) star(root int, others []int, inward bool, yield func(q int, path []int32)) (without int) {
	var far []int
	for _, q := range others {
		if l, ok := r.direct(root, q); ok {
			yield(q, []int32{l})
		} else {
			far = append(far, q)
		}
	}
	if len(far) == 0 {
		return -1
	}
	without = -1
	r.explore(root, far, inward)
	for _, q := range far {
		if r.settled[q] != r.search {
			if without < 0 {
				without = q
			}
			continue
		}
		var path []int32
		for p := int32(q); int(p) != root; p = r.from[p] {
			path = append(path, r.via[p])
		}
		if !inward {
			slices.Reverse(path)
		}
		yield(q, path)
	}
	return without
}

// explore settles processors by growing distance from root until all wanted ones
// are settled. Of the processors of a link the one that is settled first is the
// best one to use the link from, so that each link is expanded once.
func (r *routes) explore(root int, wanted []int, inward bool) {
	r.search++
	r.inward = inward
	r.heap = r.heap[:0]
	left := len(wanted)
	for _, q := range wanted {
		r.wanted[q] = r.search
	}
	r.push(reached{at: int32(root), from: int32(root), via: -1})
	for len(r.heap) > 0 && left > 0 {
		x := r.pop()
		if r.settled[x.at] == r.search {
			continue
		}
		r.settled[x.at] = r.search
		r.from[x.at], r.via[x.at] = x.from, x.via
		if r.wanted[x.at] == r.search {
			left--
		}
		for _, l := range r.of[x.at] {
			if r.expanded[l] == r.search {
				continue
			}
			r.expanded[l] = r.search
			time := x.time.plus(r.time(l))
			for _, q := range r.links[l].Ends {
				if r.settled[q] != r.search {
					r.push(reached{time: time, hops: x.hops + 1, at: q, from: x.at, via: l})
				}
			}
		}
	}
}

// before is the order in which processors are settled.
func (r *routes) before(a, b *reached) bool {
	if c := cmp.Or(a.time.compare(b.time), cmp.Compare(a.hops, b.hops)); c != 0 {
		return c < 0
	}
	return r.smaller(a, b)
}

// smaller reports whether route a comes before route b of as many links: it
// compares the ids of their links from the sender on, which is the root or,
// inward, the other end.
func (r *routes) smaller(a, b *reached) bool {
	first := 0
	va, vb, pa, pb := a.via, b.via, a.from, b.from
	for {
		if c := cmp.Compare(va, vb); c != 0 {
			if first = c; r.inward {
				break
			}
		}
		if pa == pb {
			break
		}
		va, vb, pa, pb = r.via[pa], r.via[pb], r.from[pa], r.from[pb]
	}
	return first < 0
}

func (r *routes) push(x reached) {
	r.heap = append(r.heap, x)
	for i := len(r.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !r.before(&r.heap[i], &r.heap[up]) {
			break
		}
		r.heap[i], r.heap[up] = r.heap[up], r.heap[i]
		i = up
	}
}

func (r *routes) pop() reached {
	x := r.heap[0]
	last := len(r.heap) - 1
	r.heap[0] = r.heap[last]
	r.heap = r.heap[:last]
	for i := 0; ; {
		least := i
		for _, k := range [2]int{2*i + 1, 2*i + 2} {
			if k < last && r.before(&r.heap[k], &r.heap[least]) {
				least = k
			}
		}
		if least == i {
			return x
		}
		r.heap[i], r.heap[least] = r.heap[least], r.heap[i]
		i = least
	}
}
