package comm

import (
	"cmp"
	"math"
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// routes finds the routes of messages over the links of a network
// (docs/model.md#links): the one with the least sum of times on its links, of
// equal ones that with the fewest links, of these the one whose links, from the
// sender on, have the smaller ids. One search (Dijkstra's) finds the routes from
// a processor to several others; none is needed where a link that both
// processors share is the shortest route. Searches that went over much of the
// network are remembered.
type routes struct {
	links []machine.Link
	// alike says that every message takes the same time on all links, so that the
	// size of messages does not matter; lines that all links are between two.
	alike, lines bool
	// of are the links of each processor, by growing id.
	of [][]int32
	// bytes is the size of the messages, and round counts how often it changed.
	// least[p] is the shortest time on a link of p, valid when leastAt[p] is
	// round.
	bytes   units.Bytes
	least   []units.Seconds
	leastAt []int
	round   int

	// search is the number of the current search. The processors that it wants
	// and the links that it went over are marked with that number, so that no
	// marks need to be cleared. order are the processors that it has settled.
	search   int
	wanted   []int
	expanded []int
	order    []int32
	heap     []reached
	inward   bool
	tree
	trees map[treeKey]*tree
	// block is room for routes.
	block []int32
}

// tree is the routes between a processor, the root, and those that a search
// settled: the link next to each, and the processor at its other end. from is -1
// for processors that are not settled; whole says that those have no route.
type tree struct {
	from, via []int32
	whole     bool
}

// treeKey is what a search depends on. bytes is 0 where links are alike.
type treeKey struct {
	root   int
	bytes  units.Bytes
	inward bool
}

// maxTree bounds how many processors all trees that are remembered have together;
// each takes 8 bytes.
const maxTree = 4 << 20

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
		wanted: make([]int, processors), expanded: make([]int, len(n.Links)),
		tree:  tree{from: make([]int32, processors), via: make([]int32, processors)},
		alike: true, lines: true,
	}
	for p := range r.from {
		r.from[p] = -1
	}
	for i := range n.Links {
		l, first := &n.Links[i], &n.Links[0]
		r.alike = r.alike && l.Latency == first.Latency && l.Speed == first.Speed
		r.lines = r.lines && len(l.Ends) == 2
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
// of p and on one of q. That sum has all its bits, as those of a search have.
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
	if !ok {
		return 0, false
	}
	around := exact{hi: float64(r.shortest(p))}.plus(r.shortest(q))
	return link, exact{hi: float64(best)}.compare(around) <= 0
}

// star finds the routes between root and others, away from root or, inward, to
// it. It calls yield with each of the others that has a route, in their order,
// and with the links of that route from the sender on. It returns the first of
// others without a route, -1 for none.
func (r *routes) star(root int, others []int, inward bool, yield func(q int, path []int32)) (without int) {
	var far []int
	direct := make([]int32, len(others))
	for i, q := range others {
		l, ok := r.direct(root, q)
		if direct[i] = l; !ok {
			direct[i] = -1
			far = append(far, q)
		}
	}
	var t tree
	if len(far) > 0 {
		t = r.find(root, far, inward)
	}
	without = -1
	for i, q := range others {
		switch {
		case direct[i] >= 0:
			yield(q, r.cut(direct[i]))
		case t.from[q] >= 0:
			yield(q, r.path(&t, root, q))
		case without < 0:
			without = q
		}
	}
	return without
}

// path returns the links between root and q from the sender on.
func (r *routes) path(t *tree, root, q int) []int32 {
	n := 0
	for p := q; p != root; p = int(t.from[p]) {
		n++
	}
	path := r.space(n)
	for p, i := q, 0; p != root; p, i = int(t.from[p]), i+1 {
		if r.inward {
			path[i] = t.via[p]
		} else {
			path[n-1-i] = t.via[p]
		}
	}
	return path
}

// cut returns a route of one link.
func (r *routes) cut(link int32) []int32 {
	path := r.space(1)
	path[0] = link
	return path
}

// space returns room for a route of n links. Routes share blocks.
func (r *routes) space(n int) []int32 {
	if len(r.block) < n {
		r.block = make([]int32, max(n, 4096))
	}
	path := r.block[:n:n]
	r.block = r.block[n:]
	return path
}

// find returns the routes between root and at least those wanted processors that
// have any.
func (r *routes) find(root int, wanted []int, inward bool) tree {
	r.inward = inward
	key := treeKey{root: root, bytes: r.bytes, inward: inward}
	if r.alike {
		key.bytes = 0
	}
	known := r.trees[key]
	if known != nil {
		if known.whole || !slices.ContainsFunc(wanted, func(q int) bool { return known.from[q] < 0 }) {
			return *known
		}
		wanted = nil // everything, so that no third search is needed
	}
	if r.alike && r.lines && !inward {
		r.spread(root, wanted)
	} else {
		r.explore(root, wanted)
	}
	if 4*len(r.order) < len(r.of) {
		return r.tree
	}
	if r.trees == nil || (len(r.trees)+1)*len(r.of) > maxTree {
		r.trees = map[treeKey]*tree{}
	}
	found := &tree{slices.Clone(r.from), slices.Clone(r.via), r.whole}
	r.trees[key] = found
	return *found
}

// begin starts a search and returns how many processors it has to settle.
func (r *routes) begin(wanted []int) int {
	r.search++
	for _, p := range r.order {
		r.from[p] = -1
	}
	r.order = r.order[:0]
	for _, q := range wanted {
		r.wanted[q] = r.search
	}
	if wanted == nil {
		return math.MaxInt
	}
	return len(wanted)
}

// settle notes that p is reached from a processor over a link, and returns how
// many of left processors still have to be settled.
func (r *routes) settle(p, from, via int32, left int) int {
	r.from[p], r.via[p] = from, via
	r.order = append(r.order, p)
	if r.wanted[p] == r.search {
		left--
	}
	return left
}

// spread settles processors by growing distance from root until all wanted ones
// are settled, all when wanted is nil, on lines that all take the same time.
// Processors of one distance are settled in the order of their routes. So a route
// is found from the best processor that has a line to its end, over the first of
// such lines, and is the best one.
func (r *routes) spread(root int, wanted []int) {
	left := r.settle(int32(root), int32(root), -1, r.begin(wanted))
	i := 0
	for ; i < len(r.order) && left > 0; i++ {
		p := r.order[i]
		for _, l := range r.of[p] {
			q := r.links[l].Ends[0]
			if q == p {
				q = r.links[l].Ends[1]
			}
			if r.from[q] < 0 {
				left = r.settle(q, p, l, left)
			}
		}
	}
	r.whole = i == len(r.order)
}

// explore settles processors by growing distance from root until all wanted ones
// are settled, all when wanted is nil. Of the processors of a link the one that is
// settled first is the best one to use the link from, so that each link is expanded
// once.
func (r *routes) explore(root int, wanted []int) {
	left := r.begin(wanted)
	r.heap = r.heap[:0]
	r.push(reached{at: int32(root), from: int32(root), via: -1})
	for len(r.heap) > 0 && left > 0 {
		x := r.pop()
		if r.from[x.at] >= 0 {
			continue
		}
		left = r.settle(x.at, x.from, x.via, left)
		for _, l := range r.of[x.at] {
			if r.expanded[l] == r.search {
				continue
			}
			r.expanded[l] = r.search
			time := x.time.plus(r.time(l))
			for _, q := range r.links[l].Ends {
				if r.from[q] < 0 {
					r.push(reached{time: time, hops: x.hops + 1, at: q, from: x.at, via: l})
				}
			}
		}
	}
	r.whole = len(r.heap) == 0
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
