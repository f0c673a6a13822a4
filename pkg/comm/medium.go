package comm

import (
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// medium is what connects processors: it says what messages cost there. All
// that is special about a kind of medium stands in the file of its
// implementation; another kind is another such file and the place where a
// network finds it ([Network.medium]). The kinds differ in this:
//
//	                      channels             transputer                links
//	what counts           sizes and numbers    the longest message at    every message
//	                                           each distance
//	an exchange alone     the longest first,   the slowest distance      step by step along
//	                      channel by channel                             the ways, link by link
//	exchanges that meet   queue                do not notice each other  queue
//	a reduction           gather, broadcast    rounds over the grid      gather, broadcast
//	a pipeline            shares the channels  has links of its own      shares the links
//
// All instances of a node have the same medium; what an instance is busy with
// is its schedule.
type medium interface {
	// String names the medium in one word, as "myrinet(2)".
	String() string
	// demand returns what the messages of t ask of an instance that all of
	// them use.
	demand(t Traffic) demand
	// tally returns an empty tally of messages between processors of a grid.
	tally(grid []int) tally
	// star returns what equal messages from or to one processor ask.
	star(s *star) demand
	// reduction returns in how many rounds a reduction of processors takes
	// place that all use one instance; nothing is occupied. It returns false
	// for a medium on which a reduction is messages to and from its root, like
	// any others.
	reduction(r *Reduction) (rounds int64, ok bool)
	// round returns how long a round of a collective operation lasts whose
	// messages have b bytes, and the formula of that in microseconds.
	round(b units.Bytes) (units.Seconds, string)
	// link returns what the messages of a pipeline from p to q travel on, on
	// the instance at: b bytes in all, of elements of the given size.
	link(at machine.Instance, p, q int, b, element units.Bytes) Link
	// alike reports whether that is the same for all processors.
	alike() bool
	// queues reports whether exchanges wait for each other; if not, each lasts
	// as long as if it were alone and there is no schedule.
	queues() bool
	// schedule returns an instance on which nothing was placed yet.
	schedule() schedule
}

// kinds make the medium of each kind that a node of a machine can state. A node
// that states none sends no messages.
var kinds = [...]func(timed) medium{
	machine.NoMedium:   func(t timed) medium { return channels{t} },
	machine.Ethernet:   func(t timed) medium { return channels{t} },
	machine.Myrinet:    func(t timed) medium { return channels{t} },
	machine.Transputer: func(t timed) medium { return transputer{t} },
}

// medium returns what connects the processors of an instance.
func (n *Network) medium(at machine.Instance) medium {
	if n.links != nil {
		return n.links
	}
	m, ok := n.kinds[at.Node]
	if !ok {
		m = kinds[at.Node.Medium.Kind](timed{at.Node.Medium})
		n.kinds[at.Node] = m
	}
	return m
}

// demand is what messages ask of an instance of a medium.
type demand interface {
	// empty reports whether there are no messages.
	empty() bool
	// alone returns how long the messages take when nothing else is on the
	// instance.
	alone() units.Seconds
	// explain writes the messages and what each of them costs.
	explain(b *strings.Builder)
}

// tally collects what messages ask of an instance, one by one, in any order.
type tally interface {
	add(m Message)
	demand() demand
}

// schedule is what an instance of a medium is busy with.
type schedule interface {
	// book places messages that are ready at ready, for the system s of all
	// systems, and returns when the last one ends.
	book(ready units.Seconds, s *set, d demand, all *sets) units.Seconds
	// forget drops what lies before t, when nothing starts before t any more.
	forget(t units.Seconds)
}

// star is equal messages between one processor and others that share an
// instance of a medium with it.
type star struct {
	// root is that processor's number in the root grid.
	root  int
	bytes units.Bytes
	// count is how many messages there are, at least 1.
	count int64
	// far returns the largest distance of the others, in hops.
	far func() int
	// others calls yield with the others.
	others func(yield func(int) bool)
}

// timed is a medium on which a message lasts TStart + TByte for each byte.
type timed struct{ machine.Medium }

// message returns how long a message lasts.
func (t *timed) message(b units.Bytes) units.Seconds {
	return units.Transfer(t.TStart, t.TByte, b)
}

// formula writes how long a message lasts.
func (t *timed) formula(b units.Bytes) string {
	return micro(t.TStart) + " + " + micro(units.Seconds(t.TByte)) + " x " + decimal(int64(b))
}

func (timed) alike() bool { return true }

func (t timed) round(b units.Bytes) (units.Seconds, string) { return t.message(b), t.formula(b) }

// separator stands before the item with the number i of a list of messages.
func separator(i int) string {
	if i == 0 {
		return ": "
	}
	return "; "
}
