package machine

import (
	"fmt"
	"math"
	"slices"

	"dvmtools/pkg/units"
)

// Medium is what connects the children of a node. Channels is 1 for
// [Ethernet], at least 1 for [Myrinet] and 0 otherwise. A message of b bytes
// occupies a channel for TStart + b*TByte. The zero Medium stands for no medium.
type Medium struct {
	Kind     Kind
	Channels int
	TStart   units.Seconds
	TByte    units.SecPerByte
}

// Smallest and Largest bound powers and those times, in seconds and seconds per
// byte, that are not zero. Quotients and products of sizes, times and powers
// within these bounds are finite.
const (
	Smallest = 1e-30
	Largest  = 1e30
)

// MaxChannels is the largest number of channels of a medium.
const MaxChannels = 1_000_000_000

// ValidPower reports whether f may be the power of a processor: between
// [Smallest] and [Largest], so neither zero nor NaN.
func ValidPower(f float64) bool { return f >= Smallest && f <= Largest }

// ValidTime reports whether f may be a TStart in seconds or a TByte in seconds
// per byte: 0 or between [Smallest] and [Largest].
func ValidTime(f float64) bool { return f == 0 || f >= Smallest && f <= Largest }

// String returns the medium in the words of the 2010 form, as "myrinet(2)",
// without its times.
func (md Medium) String() string {
	if least, most := md.Kind.Channels(); least < most {
		return fmt.Sprintf("%v(%d)", md.Kind, md.Channels)
	}
	return md.Kind.String()
}

func (md Medium) check() error {
	switch {
	case md.Kind == NoMedium:
		if md != (Medium{}) {
			return fmt.Errorf("times or channels without a kind of medium")
		}
		return nil
	case int(md.Kind) >= len(kinds):
		return fmt.Errorf("no medium has kind %d", uint8(md.Kind))
	}
	least, most := md.Kind.Channels()
	if least < most && (md.Channels < least || md.Channels > most) {
		return fmt.Errorf("%d channels, at least %d and at most %d", md.Channels, least, most)
	}
	if md.Channels < least || md.Channels > most {
		return fmt.Errorf("%d channels on a medium of kind %v, expected %d", md.Channels, md.Kind, least)
	}
	if !ValidTime(float64(md.TStart)) || !ValidTime(float64(md.TByte)) {
		return fmt.Errorf("TStart %v s, TByte %v s per byte: neither 0 nor between %v and %v",
			float64(md.TStart), float64(md.TByte), Smallest, Largest)
	}
	return nil
}

// Node is a processor, which has a Power and no Groups, or a cluster, which
// has Groups and, when it has more than one child, a Medium. Build nodes with
// [NewProcessor] and [NewCluster], which count the processors; a struct literal
// lacks these counts.
type Node struct {
	Name   string
	Power  float64
	Groups []Group
	Medium Medium

	total    int64   // leaves, saturated at MaxInt64
	children int64   // sum of the counts, saturated
	starts   []int64 // offset of the first leaf of each group
	height   int     // nodes down to the deepest leaf, this one included
}

// Group is Count copies of one node. The node is shared, never copied.
type Group struct {
	Count int64
	Node  *Node
}

// NewProcessor returns a leaf with a relative power. [New] checks the power.
func NewProcessor(name string, power float64) *Node {
	return &Node{Name: name, Power: power, total: 1, height: 1}
}

// NewCluster returns a node whose children are copies of nodes that were built
// before. [New] checks counts and medium. Sums that overflow stay at the largest
// number, so that New reports too many processors.
func NewCluster(name string, medium Medium, groups ...Group) *Node {
	n := &Node{Name: name, Medium: medium, Groups: groups, height: 1}
	for _, g := range groups {
		n.starts = append(n.starts, n.total)
		if g.Node == nil || g.Count < 1 {
			continue
		}
		leaves, ok := units.Mul(g.Count, g.Node.total)
		if !ok || leaves > math.MaxInt64-n.total {
			leaves = math.MaxInt64 - n.total
		}
		n.total += leaves
		n.children += min(g.Count, math.MaxInt64-n.children)
		n.height = max(n.height, g.Node.height+1)
	}
	return n
}

// Leaf reports whether n is a processor.
func (n *Node) Leaf() bool { return len(n.Groups) == 0 }

// Processors returns the number of processors in n, 1 for a processor.
func (n *Node) Processors() int64 { return n.total }

// Children returns the number of children of n: 5 for {2 x a, 3 x b}, 0 for a
// processor.
func (n *Node) Children() int64 { return n.children }

// check returns nil when the node itself, without those below it, is valid.
// linked says that the machine has links in place of media.
func (n *Node) check(linked bool) error {
	if n.Leaf() {
		if n.total != 1 {
			return fmt.Errorf("cluster %q is empty", n.Name)
		}
		if !ValidPower(n.Power) {
			return fmt.Errorf("processor %q has power %v, expected between %v and %v", n.Name, n.Power, Smallest, Largest)
		}
		if n.Medium != (Medium{}) {
			return fmt.Errorf("processor %q has a medium", n.Name)
		}
		return nil
	}
	if n.Power != 0 {
		return fmt.Errorf("cluster %q has a power", n.Name)
	}
	for _, g := range n.Groups {
		if g.Node == nil || g.Count < 1 {
			return fmt.Errorf("cluster %q lists %d copies of a node, at least 1", n.Name, g.Count)
		}
	}
	if err := n.Medium.check(); err != nil {
		return fmt.Errorf("cluster %q: %w", n.Name, err)
	}
	if linked && n.Medium.Kind != NoMedium {
		return fmt.Errorf("cluster %q has a medium beside the links of the machine", n.Name)
	}
	if !linked && n.children > 1 && n.Medium.Kind == NoMedium {
		return fmt.Errorf("cluster %q has %d children and no medium", n.Name, n.children)
	}
	return nil
}

// sameText reports whether two nodes have the same description. Nodes below them
// are compared by name, which is enough because names are unique.
func (n *Node) sameText(o *Node) bool {
	return n.Name == o.Name && n.Power == o.Power && n.Medium == o.Medium &&
		slices.EqualFunc(n.Groups, o.Groups, func(a, b Group) bool {
			return a.Count == b.Count && a.Node.Name == b.Node.Name
		})
}
