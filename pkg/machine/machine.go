// Package machine is the model of a target machine: a tree of nodes whose
// leaves are processors with a relative power and whose inner nodes carry
// the media that connect what is below them (R 2.4).
//
//  1. A [Node] is a processor or a cluster. A cluster lists groups: Count
//     copies of one node. Copies are never made: a group of 65536 clusters
//     refers to one Node, so that a machine costs the memory of its text.
//  2. Processors are the leaves, numbered from 0 in the order of the lists, or
//     in another one ([Machine.Ordered]).
//  3. Every instance of a cluster has a medium of its own. A message between
//     two processors uses the medium of the lowest node that contains both
//     ([Machine.Lowest]).
//  4. A machine with a [Network] has links instead of media.
//
// Nodes are built with [NewProcessor] and [NewCluster], machines with [New].
// Media and powers may be changed in place before a simulation; the shape of
// the tree may not, because the nodes remember how many processors they hold.
// A machine that is not being changed is safe for concurrent use.
package machine

import (
	"fmt"
	"slices"
	"sort"

	"dvmtools/pkg/diag"
)

// MaxProcessors is the largest number of processors of a machine.
const MaxProcessors = 1_000_000_000

// MaxDepth is the largest number of nodes from the root to a processor.
const MaxDepth = 1000

// MaxRank is the largest number of dimensions of a topology.
const MaxRank = 64

// Machine is a target machine. Name is the name of its root.
type Machine struct {
	Name string
	Root *Node
	// Topology is the grid that the description asks for, nil when it asks
	// for none. The command line overrides it.
	Topology []int
	// Search is the search mode of the description: 0, 1, 2, 3 or 5.
	Search int
	// Unbounded says that the description states no number of processors
	// (the 2000 form of Predictor.par); Processors is then [MaxProcessors].
	Unbounded bool
	// Network connects the processors by links; nil when the media of the
	// tree do.
	Network *Network
	// Changes are those that were made to the description, for the header of
	// results. [Machine.Equal] ignores them.
	Changes []ChangeMade
	// Warnings are those found when the description was read. [Machine.Equal]
	// ignores them.
	Warnings []*diag.Error

	// order is that of the numbers of the processors; place holds their numbers
	// in the description, nil when they are the same.
	order Order
	place []int64
}

// New returns a machine with the given root, or an error that says which rule
// of [Machine.Check] the tree breaks.
func New(root *Node) (*Machine, error) {
	m := &Machine{Root: root}
	if root != nil {
		m.Name = root.Name
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m, nil
}

// Check returns nil when the machine can be simulated: it has a root, between
// one and [MaxProcessors] processors at most [MaxDepth] deep, different nodes
// have different names, every power and medium is in range, every cluster
// with more than one child has a medium unless there is a network, and the
// topology, if any, has at most [MaxRank] positive extents whose product is at
// most [MaxProcessors]. The links of a network connect processors that exist.
func (m *Machine) Check() error {
	if m.Root == nil {
		return fmt.Errorf("machine %q has no root", m.Name)
	}
	if m.Root.height > MaxDepth {
		return fmt.Errorf("machine %q is nested %d deep, at most %d", m.Name, m.Root.height, MaxDepth)
	}
	names := map[string]bool{}
	for _, n := range m.Nodes() {
		if names[n.Name] {
			return fmt.Errorf("two nodes of machine %q have the name %q", m.Name, n.Name)
		}
		names[n.Name] = true
		if err := n.check(m.Network != nil); err != nil {
			return fmt.Errorf("machine %q: %w", m.Name, err)
		}
	}
	if m.Network != nil {
		if err := m.Network.check(m.Processors()); err != nil {
			return fmt.Errorf("machine %q: %w", m.Name, err)
		}
	}
	if p := m.Processors(); p > MaxProcessors {
		return fmt.Errorf("machine %q has more than %d processors", m.Name, int64(MaxProcessors))
	}
	return CheckTopology(m.Topology)
}

// CheckTopology returns nil when extents are those of a grid: at most
// [MaxRank] of them, each at least 1, their product at most [MaxProcessors].
// An empty list is valid: there is no topology.
func CheckTopology(extents []int) error {
	if len(extents) > MaxRank {
		return fmt.Errorf("a topology of %d dimensions, at most %d", len(extents), MaxRank)
	}
	product := int64(1)
	for _, e := range extents {
		if e < 1 {
			return fmt.Errorf("extent %d in a topology, at least 1", e)
		}
		if int64(e) > MaxProcessors/product {
			return fmt.Errorf("a topology of more than %d processors", int64(MaxProcessors))
		}
		product *= int64(e)
	}
	return nil
}

// Processors returns the number of processors, [MaxProcessors] for a machine
// that is unbounded.
func (m *Machine) Processors() int64 { return m.Root.total }

// Nodes returns every node once, in preorder: the root, then what its list names
// from left to right, each node followed by what its own list names first. Its
// cost is that of the description, however many processors there are.
func (m *Machine) Nodes() []*Node {
	seen := map[*Node]bool{}
	stack := []*Node{m.Root}
	var all []*Node
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		all = append(all, n)
		for _, g := range slices.Backward(n.Groups) {
			stack = append(stack, g.Node)
		}
	}
	return all
}

// Equal reports whether two machines have the same description: name, search
// mode, order, topology, bound and network, and the same nodes with the same groups,
// powers and media. {2 x a} and {a, a} differ.
func (m *Machine) Equal(o *Machine) bool {
	if m == nil || o == nil {
		return m == o
	}
	return m.Name == o.Name && m.Search == o.Search && m.Unbounded == o.Unbounded &&
		m.Order() == o.Order() && slices.Equal(m.Topology, o.Topology) &&
		slices.EqualFunc(m.Nodes(), o.Nodes(), (*Node).sameText) && m.Network.equal(o.Network)
}

// child returns the copy below n that holds the leaf at offset p from n's
// first leaf, and the offset of that copy's own first leaf.
func (n *Node) child(p int64) (c *Node, first int64) {
	g := sort.Search(len(n.starts), func(i int) bool { return n.starts[i] > p }) - 1
	c = n.Groups[g].Node
	return c, n.starts[g] + (p-n.starts[g])/c.total*c.total
}

// mustHave panics when there is no processor p: callers check the numbers that
// come from input.
func (m *Machine) mustHave(p int64) {
	if p < 0 || p >= m.Root.total {
		panic(fmt.Sprintf("machine: internal error: processor %d of %d", p, m.Root.total))
	}
}

// Power returns the relative power of processor p, 0 <= p < Processors: its
// speed divided by that of the machine traced on. It costs O(depth x log
// groups).
func (m *Machine) Power(p int64) float64 {
	m.mustHave(p)
	p = m.Place(p)
	n, first := m.Root, int64(0)
	for !n.Leaf() {
		c, f := n.child(p - first)
		n, first = c, first+f
	}
	return n.Power
}

// Lowest returns the lowest node that contains both processors, the number in
// the description of its first processor and its depth (0 for the root). For p == q that is the
// processor itself. The three identify an instance of a medium: two messages
// share a medium when they have the same three. It costs O(depth x log
// groups) and allocates nothing.
func (m *Machine) Lowest(p, q int64) (n *Node, first int64, depth int) {
	m.mustHave(p)
	m.mustHave(q)
	p, q = m.Place(p), m.Place(q)
	n = m.Root
	for !n.Leaf() {
		c, f := n.child(p - first)
		if q < first+f || q >= first+f+c.total {
			break
		}
		n, first, depth = c, first+f, depth+1
	}
	return n, first, depth
}

// Instance is one copy of a node in a machine: the processors that have the
// numbers First to First + Node.Processors() - 1 in the description, Depth levels
// below the root.
type Instance struct {
	Node  *Node
	First int64
	Depth int
}

// Path returns the instances that contain processor p, from the root down to
// p itself. The processors that share the medium of Path[d] with p, and no
// lower one, are those of Path[d] without those of Path[d+1].
func (m *Machine) Path(p int64) []Instance {
	m.mustHave(p)
	p = m.Place(p)
	at := Instance{Node: m.Root}
	path := []Instance{at}
	for !at.Node.Leaf() {
		c, f := at.Node.child(p - at.First)
		at = Instance{Node: c, First: at.First + f, Depth: at.Depth + 1}
		path = append(path, at)
	}
	return path
}

// Flat returns the medium that every message uses and true when there is only
// one instance of a medium: below nodes that have a single child lies one
// cluster of processors. On a machine of one processor no message is ever
// sent; its medium is a bus that costs nothing.
func (m *Machine) Flat() (Medium, bool) {
	n := m.Root
	for !n.Leaf() && n.children == 1 {
		n = n.Groups[0].Node
	}
	if n.Leaf() {
		return Medium{Kind: Ethernet, Channels: 1}, true
	}
	for _, g := range n.Groups {
		// A chain of nodes with one child each, down to a processor, sends
		// nothing on its own media.
		if g.Node.total != 1 {
			return Medium{}, false
		}
	}
	return n.Medium, true
}
