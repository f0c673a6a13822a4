package comm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// Options are the choices that change costs; the zero value is the default.
type Options struct {
	Collectives options.Collectives
}

// Set is the processor system that takes part in an operation. Ranks are the
// numbers of its processors in the root grid; nil stands for all of them. For
// the life of a network, sets of the same ID have the same processors.
type Set struct {
	ID    int
	Ranks []int
}

// Network is a machine restricted to the processors of a root grid, with the
// schedules of its channels (docs/model.md#channels). It is not safe for
// concurrent use.
type Network struct {
	machine *machine.Machine
	grid    []int
	size    int
	opts    Options
	explain bool

	// flat is the only instance of a medium, when there is only one.
	flat   machine.Instance
	isFlat bool
	// links is the only medium of a machine of links; nil on other machines.
	links *topology

	// kinds are the media of the nodes used so far, media the schedules of
	// their instances.
	kinds map[*machine.Node]medium
	media map[machine.Instance]*ledger
	// pending are exchanges that began when every channel was free. Their ends
	// follow from their loads alone; they are booked on the schedules when a
	// later exchange may have to wait for them.
	pending []booking
	// latest is the end of the last message on a medium that queues; no
	// exchange starts before horizon any more.
	latest, horizon units.Seconds
	sets            sets
	loads           loads
	mediaStars      mediaStars
}

// booking is a load whose messages could start at ready.
type booking struct {
	load  *load
	ready units.Seconds
	set   *set
}

// maxPending bounds how many exchanges wait to be booked.
const maxPending = 64

// NewNetwork returns the network of the processors 0 to n-1 of m, where n is
// the product of the extents of grid. It panics when the machine has fewer:
// callers check what the user asked for.
func NewNetwork(m *machine.Machine, grid []int, opts Options) *Network {
	size := 1
	for _, n := range grid {
		if n < 1 || size > math.MaxInt/n {
			panic(fmt.Sprintf("comm: internal error: a grid of %v", grid))
		}
		size *= n
	}
	if int64(size) > m.Processors() {
		panic(fmt.Sprintf("comm: internal error: a grid of %d processors on a machine of %d", size, m.Processors()))
	}
	n := &Network{
		machine: m, grid: slices.Clone(grid), size: size, opts: opts,
		kinds: map[*machine.Node]medium{}, media: map[machine.Instance]*ledger{},
		latest: units.Seconds(math.Inf(-1)), horizon: units.Seconds(math.Inf(-1)),
	}
	if m.Network != nil {
		n.flat, n.isFlat = machine.Instance{Node: m.Root}, true
		n.links = newTopology(m, size)
	} else if m.Scattered() {
		n.flat, n.isFlat = n.alike(n.byPlace(nil))
	} else {
		n.flat, n.isFlat = flat(m, int64(size))
	}
	n.sets.size = size
	return n
}

// flat returns the instance that every message between two of the processors 0
// to size-1 uses, and whether there is just one such instance.
func flat(m *machine.Machine, size int64) (machine.Instance, bool) {
	at := machine.Instance{Node: m.Root}
	for !at.Node.Leaf() && size <= at.Node.Groups[0].Node.Processors() {
		at = machine.Instance{Node: at.Node.Groups[0].Node, Depth: at.Depth + 1}
	}
	left := size
	for _, g := range at.Node.Groups {
		if left <= 0 {
			break
		}
		if left > 1 && g.Node.Processors() > 1 {
			return machine.Instance{}, false
		}
		left -= g.Count * g.Node.Processors()
	}
	return at, true
}

// byPlace returns the given processors, all of the root grid for nil, in the order
// of the machine's description, in which those of a node follow each other.
func (n *Network) byPlace(ranks []int) []int {
	if ranks == nil {
		for p := range n.size {
			ranks = append(ranks, p)
		}
	}
	if !n.machine.Scattered() {
		return ranks
	}
	return slices.SortedFunc(slices.Values(ranks), func(p, q int) int {
		return cmp.Compare(n.machine.Place(int64(p)), n.machine.Place(int64(q)))
	})
}

// alike returns the instance that every message between two of the processors
// uses, and whether there is just one. They are in the order of [Network.byPlace]:
// then the lowest node with the first and the last has all of them, and a lower
// node with two of them has two that are neighbours.
func (n *Network) alike(ranks []int) (machine.Instance, bool) {
	if len(ranks) < 2 {
		path := n.machine.Path(int64(ranks[0]))
		return path[len(path)-1], true
	}
	at := n.Between(ranks[0], ranks[len(ranks)-1])
	for i := 1; i < len(ranks); i++ {
		if n.Between(ranks[i-1], ranks[i]) != at {
			return machine.Instance{}, false
		}
	}
	return at, true
}

// Processors returns the number of processors of the root grid.
func (n *Network) Processors() int { return n.size }

// Explain says whether placements carry their steps from now on. Times do not
// depend on it.
func (n *Network) Explain(on bool) { n.explain = on }

// Between returns the instance whose medium messages from p to q use: that of
// the lowest node that contains both (docs/model.md#media). p and q are
// different processors of the root grid.
func (n *Network) Between(p, q int) machine.Instance {
	if n.isFlat {
		return n.flat
	}
	node, first, depth := n.machine.Lowest(int64(p), int64(q))
	return machine.Instance{Node: node, First: first, Depth: depth}
}

// Single returns the only instance of a medium that the root grid uses, when
// [Network.Link] is the same for all its processors. It returns false when there
// are several instances, or links differ.
func (n *Network) Single() (machine.Instance, bool) {
	return n.flat, n.isFlat && n.medium(n.flat).sameLinks()
}

// Forget drops the schedules before t. The caller promises that no exchange of
// any processor system starts before t any more. Costs do not depend on it, only
// memory and speed. A simulation calls it when all processors of the root system
// have reached t, as at a synchronization.
func (n *Network) Forget(t units.Seconds) {
	n.horizon = max(n.horizon, t)
	if n.latest > t {
		return
	}
	n.pending = n.pending[:0]
	if len(n.media) > 0 {
		n.media = map[machine.Instance]*ledger{}
	}
	n.sets.reset()
}

// sets are the processor systems that a network knows. Systems with the same
// processors are one set.
type sets struct {
	size int // processors of the root grid
	all  []*set
	byID map[int]*set
	// last is what was found last, for lastID.
	last   *set
	lastID int
	meet   map[[2]int]bool
}

// set is a processor system with what was worked out about it.
type set struct {
	index int
	whole bool  // all processors of the root grid
	ranks []int // ascending; nil when whole
	size  int
	// far is the largest distance from farRoot to a processor of the set, in
	// hops.
	farRoot, far int
	// stars are the counts of a star from starRoot, see [Network.starCounts];
	// only on a machine whose processors are scattered.
	starRoot int
	stars    []int64
	// nodes are those whose media lie between processors of the set, nil before
	// [Network.nodes] was called.
	nodes []*machine.Node
	// links are the different links between processors of the set, nil before
	// [topology.within] was called.
	links []machine.Link
	// Once placed is set: inside says that all messages of the set use one
	// instance, which is at.
	at             machine.Instance
	inside, placed bool
}

// Limits on what is remembered of systems that come and go.
const (
	maxIDs  = 4096
	maxSets = 256
)

// reset forgets systems; it is called when no channel refers to one.
func (s *sets) reset() {
	if len(s.all) > maxSets || len(s.byID) > maxIDs {
		s.all, s.byID, s.meet, s.last = nil, nil, nil, nil
	}
}

// of returns the set of a system.
func (s *sets) of(x Set) *set {
	want := s.size
	if x.Ranks != nil {
		want = len(x.Ranks)
	}
	if s.last != nil && s.lastID == x.ID && s.last.size == want {
		return s.last
	}
	if found := s.byID[x.ID]; found != nil && found.size == want {
		s.last, s.lastID = found, x.ID
		return found
	}
	found := s.find(x.Ranks)
	s.last, s.lastID = found, x.ID
	if len(s.byID) > maxIDs {
		s.byID = nil
	}
	if s.byID == nil {
		s.byID = map[int]*set{}
	}
	s.byID[x.ID] = found
	return found
}

// find returns the set of some processors, a new one when there is none yet.
func (s *sets) find(ranks []int) *set {
	whole := ranks == nil || len(ranks) == s.size
	if whole {
		ranks = nil
	} else if !slices.IsSorted(ranks) {
		ranks = slices.Sorted(slices.Values(ranks))
	}
	for _, k := range s.all {
		if k.whole == whole && slices.Equal(k.ranks, ranks) {
			return k
		}
	}
	k := &set{index: len(s.all), whole: whole, ranks: ranks, size: len(ranks), farRoot: -1, starRoot: -1}
	if whole {
		k.size = s.size
	}
	s.all = append(s.all, k)
	return k
}

// intersect reports whether the systems with the indices i and j have a
// processor in common.
func (s *sets) intersect(i, j int) bool {
	a, b := s.all[i], s.all[j]
	if i == j || a.whole || b.whole {
		return true
	}
	key := [2]int{min(i, j), max(i, j)}
	met, known := s.meet[key]
	if !known {
		met = meet(a.ranks, b.ranks)
		if s.meet == nil {
			s.meet = map[[2]int]bool{}
		}
		s.meet[key] = met
	}
	return met
}

// meet reports whether two ascending lists have a number in common.
func meet(a, b []int) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

// within returns how many processors of the set lie in first..last.
func (s *set) within(first, last int64) int64 {
	if s.whole {
		return max(0, min(last, int64(s.size)-1)-first+1)
	}
	lo, _ := slices.BinarySearch(s.ranks, int(first))
	hi, _ := slices.BinarySearch(s.ranks, int(last)+1)
	return int64(hi - lo)
}

// has reports whether processor p belongs to the set.
func (s *set) has(p int) bool {
	return s.within(int64(p), int64(p)) == 1
}

// each calls yield with the processors of the set in ascending order until it
// returns false.
func (s *set) each(yield func(int) bool) {
	for i := range s.size {
		p := i
		if !s.whole {
			p = s.ranks[i]
		}
		if !yield(p) {
			return
		}
	}
}
