package comm

import (
	"math/bits"
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// Reduction describes the exchange of a reduction group
// (docs/model.md#gathering-and-broadcasting; R 4.4).
type Reduction struct {
	// Bytes is S, the size of all variables of the group with their
	// locations.
	Bytes units.Bytes
	// Root is the root grid's number of the first processor of the current
	// system: it gathers and broadcasts.
	Root int
	// Senders is n: how many processors have partial results. The root counts
	// as one of them even when it has no iterations.
	Senders int64
	// Each lists the senders by their numbers in the root grid, with or without
	// the root. It is called only on trees of clusters and on links. nil stands
	// for all processors of the system.
	Each func(yield func(int) bool)
	// Who, when it is not nil, identifies the senders that Each lists: it is
	// comparable, and for the life of a network equal values mean the same
	// senders. Costs do not depend on it; a network of links uses it as a key
	// to compute routes only once.
	Who any
	// Hops is 2·Distance + CornerDistance ([ReductionHops]), which only a
	// transputer needs.
	Hops int64
}

// Reduce places a reduction of the system s from start on
// (docs/model.md#gathering-and-broadcasting). On channels n-1 messages are
// gathered by the root and, when all have arrived, N-1 are broadcast by it,
// each on its own medium; with k free channels that is (ceil((n-1)/k) +
// ceil((N-1)/k))·(Ts + TB·S). On a transputer that holds the whole system it
// takes (Ts + TB·S)·Hops. With [options.Tree] collectives it takes ceil(log2
// n) + ceil(log2 N) rounds, each a message on the slowest medium of the
// system, and no channel is occupied. The caller must leave out reductions that
// exchange nothing, as those of a loop that is replicated on all processors.
func (n *Network) Reduce(start units.Seconds, s Set, r *Reduction) Placement {
	set := n.sets.of(s)
	p := Placement{Start: start, End: start}
	senders := max(r.Senders, 1)
	at, inside := n.common(set)
	rounds, direct := int64(0), false
	if inside {
		rounds, direct = n.medium(at).reduction(r)
	}
	switch {
	case r.Bytes <= 0 || set.size < 1:
	case n.opts.Collectives == options.Tree:
		n.rounds(&p, "reduction", set, doublings(senders)+doublings(int64(set.size)), r.Bytes)
	case direct:
		once, formula := n.medium(at).round(r.Bytes)
		n.pay(&p, "reduction", at, rounds, once, formula)
	default:
		if r.Each == nil || senders == int64(set.size) {
			n.place(&p, "gather", set, n.starOf(set, r.Root, senders, gather, r.Bytes))
		} else {
			n.place(&p, "gather", set, n.partialStar(r, senders))
		}
		n.place(&p, "broadcast", set, n.starOf(set, r.Root, int64(set.size), result, r.Bytes))
	}
	return p
}

// Broadcast places the messages that bring b bytes from the processor root to
// all processors of the system s, from start on (docs/model.md#broadcast): one
// message to every other processor; on a transputer one message pipelined over
// the largest distance from root; with [options.Tree] collectives ceil(log2 N)
// rounds. root need not belong to s.
func (n *Network) Broadcast(start units.Seconds, s Set, root int, b units.Bytes) Placement {
	set := n.sets.of(s)
	p := Placement{Start: start, End: start}
	reached := int64(set.size)
	if !set.has(root) {
		reached++
	}
	switch {
	case b <= 0 || reached < 2:
	case n.opts.Collectives == options.Tree:
		n.rounds(&p, "broadcast", set, doublings(reached), b)
	default:
		n.place(&p, "broadcast", set, n.starOf(set, root, reached, inform, b))
	}
	return p
}

// common returns the instance whose medium all messages between processors of
// a set use, and whether there is just one.
func (n *Network) common(s *set) (machine.Instance, bool) {
	if n.isFlat {
		return n.flat, true
	}
	if !s.placed {
		s.placed = true
		s.at, s.inside = n.commonOf(s)
	}
	return s.at, s.inside
}

func (n *Network) commonOf(s *set) (machine.Instance, bool) {
	if s.whole || s.size < 2 {
		return machine.Instance{}, false
	}
	return n.alike(n.byPlace(s.ranks))
}

// doublings returns ceil(log2 n) for n >= 1.
func doublings(n int64) int64 { return int64(bits.Len64(uint64(n - 1))) }

// pay adds rounds to p. Each lasts once, by the given formula, on an instance
// of a medium, which the rounds do not occupy.
func (n *Network) pay(p *Placement, name string, at machine.Instance, rounds int64, once units.Seconds, formula string) {
	md := n.medium(at)
	ready := p.End
	p.End += units.Seconds(float64(rounds) * float64(once))
	if n.explain && rounds > 0 {
		p.Steps = append(p.Steps, Step{Name: name, At: at, Rounds: rounds, Ready: ready, End: p.End, medium: md, round: formula})
	}
}

// rounds adds the rounds of a tree collective to p: each is a message of b
// bytes on the slowest medium of the system.
func (n *Network) rounds(p *Placement, name string, s *set, rounds int64, b units.Bytes) {
	if n.links != nil {
		once, formula := n.links.slowest(n.links.within(s), b)
		n.pay(p, name, n.flat, rounds, once, formula)
		return
	}
	var slowest *machine.Node
	longest, how := units.Seconds(-1), ""
	for _, node := range n.nodes(s) {
		if t, formula := n.medium(machine.Instance{Node: node}).round(b); t > longest {
			slowest, longest, how = node, t, formula
		}
	}
	if slowest != nil {
		n.pay(p, name, machine.Instance{Node: slowest}, rounds, longest, how)
	}
}

// partialStar returns the load of a gather whose senders are not all processors
// of the system.
func (n *Network) partialStar(r *Reduction, senders int64) *load {
	if n.links != nil {
		return n.linkStar(nil, r.Who, r.Root, r.Each, gather, r.Bytes)
	}
	if r.Who == nil {
		return n.star(nil, r.Root, senders, r.Each, gather, r.Bytes)
	}
	return n.mediaStars.get(mediaStarKey{who: r.Who, root: r.Root, count: senders, bytes: r.Bytes}, func() *load {
		return n.star(nil, r.Root, senders, r.Each, gather, r.Bytes)
	})
}

// starOf is star for all processors of a set, remembered.
func (n *Network) starOf(all *set, root int, count int64, p purpose, b units.Bytes) *load {
	if n.links != nil {
		return n.star(all, root, count, all.each, p, b)
	}
	return n.mediaStars.get(mediaStarKey{all: all, root: root, count: count, bytes: b}, func() *load {
		return n.star(all, root, count, all.each, p, b)
	})
}

// mediaStarKey is what a star depends on when no links are told apart: its members are
// all of a set, or who.
type mediaStarKey struct {
	all   *set
	who   any
	root  int
	count int64
	bytes units.Bytes
}

// mediaStars are the loads of stars that were made, which recur.
type mediaStars struct {
	of map[mediaStarKey]*load
	// recent are the last two that were asked for, as a reduction asks for two.
	recent [2]struct {
		key  mediaStarKey
		load *load
	}
}

// maxMediaStars bounds how many are remembered.
const maxMediaStars = 1024

// get returns the load of a star, which split works out the first time.
func (s *mediaStars) get(k mediaStarKey, split func() *load) *load {
	for i := range s.recent {
		if r := &s.recent[i]; r.load != nil && r.key == k {
			return r.load
		}
	}
	l := s.of[k]
	if l == nil {
		if s.of == nil || len(s.of) >= maxMediaStars {
			s.of = map[mediaStarKey]*load{}
		}
		l = split()
		s.of[k] = l
	}
	s.recent[1] = s.recent[0]
	s.recent[0].key, s.recent[0].load = k, l
	return l
}

// star returns the load of equal messages between root and members. count is
// the number of members and root together. all, when it is not nil, is the set
// with exactly these members. p says what the messages are part of.
func (n *Network) star(all *set, root int, count int64, members func(func(int) bool), p purpose, b units.Bytes) *load {
	if n.links != nil {
		return n.linkStar(all, nil, root, members, p, b)
	}
	l := &load{}
	if n.isFlat {
		if count > 1 {
			x := star{root: root, bytes: b, count: count - 1, others: without(members, root)}
			x.far = func() int { return n.reach(root, x.others) }
			if all != nil {
				x.far = func() int { return n.farthest(all, root) }
			}
			l.add(n, n.flat, n.medium(n.flat).star(&x))
		}
		return l
	}
	path := n.machine.Path(int64(root))
	counts := n.starCounts(path, all, root, members)
	for d, at := range path {
		if counts[d] == 0 {
			continue
		}
		x := star{root: root, bytes: b, count: counts[d], others: func(yield func(int) bool) {
			without(members, root)(func(q int) bool { return n.lowest(path, q) != d || yield(q) })
		}}
		x.far = func() int { return n.reach(root, x.others) }
		l.add(n, at, n.medium(at).star(&x))
	}
	return l
}

// starCounts returns how many messages of a star use each instance of a path.
func (n *Network) starCounts(path []machine.Instance, all *set, root int, members func(func(int) bool)) []int64 {
	counts := make([]int64, len(path))
	scattered := n.machine.Scattered()
	if scattered && all != nil && all.starRoot == root {
		return all.stars
	}
	if all == nil || scattered {
		without(members, root)(func(q int) bool {
			counts[n.lowest(path, q)]++
			return true
		})
		if all != nil {
			all.starRoot, all.stars = root, counts
		}
		return counts
	}
	inner := int64(0)
	for d, x := range slices.Backward(path) {
		here := all.within(x.First, x.First+x.Node.Processors()-1)
		if d < len(path)-1 {
			counts[d] = here - inner
		}
		inner = here
	}
	return counts
}

// without returns the members other than root.
func without(members func(func(int) bool), root int) func(func(int) bool) {
	return func(yield func(int) bool) {
		members(func(q int) bool { return q == root || yield(q) })
	}
}

// reach returns the distance from root to the farthest of others.
func (n *Network) reach(root int, others func(func(int) bool)) int {
	far := 0
	others(func(q int) bool {
		far = max(far, Hops(n.grid, root, q))
		return true
	})
	return far
}

// lowest returns the depth of the lowest instance on a path that contains
// processor p.
func (n *Network) lowest(path []machine.Instance, p int) int {
	q := n.machine.Place(int64(p))
	for d, x := range slices.Backward(path) {
		if q >= x.First && q-x.First < x.Node.Processors() {
			return d
		}
	}
	return 0
}

// farthest returns the distance from root to the farthest processor of a set.
func (n *Network) farthest(s *set, root int) int {
	if s.farRoot == root {
		return s.far
	}
	far := 0
	if s.whole {
		for k, rest := len(n.grid)-1, root; k >= 0; k-- {
			c := rest % n.grid[k]
			far += max(c, n.grid[k]-1-c)
			rest /= n.grid[k]
		}
	} else {
		for _, q := range s.ranks {
			far = max(far, Hops(n.grid, root, q))
		}
	}
	s.farRoot, s.far = root, far
	return far
}

// nodes returns the nodes whose media lie between processors of a set, each
// once, in the order of [machine.Machine.Nodes].
func (n *Network) nodes(s *set) []*machine.Node {
	if s.nodes != nil || s.size < 2 {
		return s.nodes
	}
	found := map[*machine.Node]bool{}
	if s.whole && !n.machine.Scattered() {
		between(n.machine.Root, int64(n.size), found, map[*machine.Node]bool{})
	} else {
		// The lowest nodes that contain two processors of a list in the order
		// of the description are those that contain two neighbours in it.
		ranks := n.byPlace(s.ranks)
		for i := 1; i < len(ranks); i++ {
			found[n.Between(ranks[i-1], ranks[i]).Node] = true
		}
	}
	for _, node := range n.machine.Nodes() {
		if found[node] {
			s.nodes = append(s.nodes, node)
		}
	}
	return s.nodes
}

// between adds to found the nodes from x down whose media lie between two of the
// first limit processors of x. done are the nodes already seen with all their
// processors.
func between(x *machine.Node, limit int64, found, done map[*machine.Node]bool) {
	if x.Leaf() || limit < 2 || done[x] {
		return
	}
	if limit >= x.Processors() {
		done[x] = true
	}
	children := int64(0)
	for _, g := range x.Groups {
		size := g.Node.Processors()
		for i := int64(0); i < g.Count && limit > 0; {
			children++
			between(g.Node, limit, found, done)
			// Copies of one node that lie within the limit are alike.
			same := max(1, min(g.Count-i, limit/size))
			if same > 1 {
				children++
			}
			i += same
			limit -= same * size
		}
	}
	if children > 1 {
		found[x] = true
	}
}
