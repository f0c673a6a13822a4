package comm

import (
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

// Set is the processor system whose exchange it is. Ranks are the numbers of
// its processors in the root grid; nil stands for all of them. Sets of the
// same ID have the same processors as long as a network lives.
type Set struct {
	ID    int
	Ranks []int
}

// Network is a machine restricted to the processors of a root grid, together
// with what its channels are busy with (docs/model.md#channels). It is not safe
// for concurrent use.
type Network struct {
	machine *machine.Machine
	grid    []int
	size    int
	opts    Options
	explain bool

	// flat is the only instance of a medium, when there is only one.
	flat   machine.Instance
	isFlat bool
	// links is the medium of a machine of links, which has no other; nil on
	// other machines.
	links *topology

	// kinds are the media of the nodes that were asked for, media what their
	// instances are busy with.
	kinds map[*machine.Node]medium
	media map[machine.Instance]*ledger
	// pending are exchanges that began when every channel was free. Their
	// ends are known without the media; they are booked on the media when a
	// later exchange could meet them.
	pending []booking
	// latest is the end of the last message on a medium with channels, and
	// horizon the time before which no exchange starts any more.
	latest, horizon units.Seconds
	sets            sets
}

// booking is a load that was placed at ready.
type booking struct {
	load  *load
	ready units.Seconds
	set   *set
}

// maxPending bounds how many exchanges wait to be booked.
const maxPending = 64

// NewNetwork returns the network of the processors 0 to n-1 of m, where n is
// the product of the extents of grid. The machine must have as many: callers
// check what the user asked for.
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
	} else {
		n.flat, n.isFlat = flat(m, int64(size))
	}
	n.sets.size = size
	return n
}

// flat returns the instance of a medium that every message between two of the
// processors 0 to size-1 uses, and whether there is just one such instance.
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

// Processors returns the number of processors of the root grid.
func (n *Network) Processors() int { return n.size }

// Explain says whether placements carry their steps from now on. Times do not
// depend on it.
func (n *Network) Explain(on bool) { n.explain = on }

// Between returns the instance whose medium messages from p to q use, p and q
// being different processors of the root grid: the lowest node that contains
// both (docs/model.md#media).
func (n *Network) Between(p, q int) machine.Instance {
	if n.isFlat {
		return n.flat
	}
	node, first, depth := n.machine.Lowest(int64(p), int64(q))
	return machine.Instance{Node: node, First: first, Depth: depth}
}

// Single returns the only instance of a medium of the root grid, on which
// [Network.Link] is the same for all processors, and false when there are
// several or links differ.
func (n *Network) Single() (machine.Instance, bool) {
	return n.flat, n.isFlat && n.medium(n.flat).alike()
}

// Forget promises that no exchange of any processor system starts before t
// any more, so that what channels did before t can be forgotten. Costs do not
// depend on it, only memory and speed. A simulation calls it where all
// processors of the root system have reached t, as at a synchronization.
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

// sets gives processor systems a short form that is the same for systems of
// the same processors.
type sets struct {
	size int
	all  []*set
	byID map[int]*set
	meet map[[2]int]bool
}

// set is a processor system in short.
type set struct {
	index int
	whole bool  // all processors of the root grid
	ranks []int // ascending; nil when whole
	size  int
	// far remembers the farthest processor of the set from farRoot.
	farRoot, far int
	// nodes remembers whose media lie between processors of the set.
	nodes []*machine.Node
	// links are the different links between processors of the set, as far as
	// they were asked for.
	links []machine.Link
	// at and inside are the instance that all messages of the set use, when
	// there is just one, as soon as placed is set.
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
		s.all, s.byID, s.meet = nil, nil, nil
	}
}

// of returns the short form of a system.
func (s *sets) of(x Set) *set {
	want := s.size
	if x.Ranks != nil {
		want = len(x.Ranks)
	}
	if found := s.byID[x.ID]; found != nil && found.size == want {
		return found
	}
	found := s.find(x.Ranks)
	if len(s.byID) > maxIDs {
		s.byID = nil
	}
	if s.byID == nil {
		s.byID = map[int]*set{}
	}
	s.byID[x.ID] = found
	return found
}

// find returns the set of some processors, a new one when it is not known.
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
	k := &set{index: len(s.all), whole: whole, ranks: ranks, size: len(ranks), farRoot: -1}
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
