package comm

import (
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// medium is what connects processors: it says what messages cost there. Each
// kind of medium has a file of its own. A new kind needs such a file and an
// entry in kinds. The kinds differ in this:
//
//	                      channels             transputer               links
//	what counts           sizes and counts     the longest message at   every message
//	                                           each distance
//	an exchange alone     the longest first,   the slowest distance     step by step along
//	                      channel by channel                            the routes, link by link
//	exchanges that        queue                do not delay each        queue
//	overlap in time                            other
//	a reduction           gather, broadcast    rounds over the grid     gather, broadcast
//	a pipeline            shares the channels  has links of its own     shares the links
//
// All instances of a node have the same medium; the times at which an instance
// is busy are its schedule.
type medium interface {
	// String names the medium in one word, as "myrinet(2)".
	String() string
	// demand returns the demand of the messages of t, which all use the same
	// instance.
	demand(t Traffic) demand
	// tally returns an empty tally of messages between processors of a grid.
	tally(grid []int) tally
	// star returns the demand of equal messages from or to one processor.
	star(s *star) demand
	// reduction returns the number of rounds of a reduction whose processors
	// all use one instance, where a medium reduces in rounds; they occupy
	// nothing. It returns false for a medium on which a reduction is ordinary
	// messages to its root and from it.
	reduction(r *Reduction) (rounds int64, ok bool)
	// round returns the time of one round of a collective operation with
	// messages of b bytes, and its formula in microseconds.
	round(b units.Bytes) (units.Seconds, string)
	// link returns the link that carries the messages of a pipeline from p to
	// q on the instance at: b bytes in all, of elements of the given size.
	link(at machine.Instance, p, q int, b, element units.Bytes) Link
	// sameLinks reports whether link returns the same for every p and q.
	sameLinks() bool
	// queues reports whether exchanges wait for each other. If not, each lasts
	// as long as if it were alone, and there is no schedule.
	queues() bool
	// schedule returns the schedule of an instance that is not busy.
	schedule() schedule
}

// kinds make the medium of each kind that a node of a machine can state. No
// message passes a node that states none.
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

// demand is the messages of one operation on one instance of a medium, in the
// form that this kind of medium needs.
type demand interface {
	// empty reports whether there are no messages.
	empty() bool
	// alone returns how long the messages take when the instance is not busy.
	alone() units.Seconds
	// explain writes the messages and what each of them costs.
	explain(b *strings.Builder)
}

// tally collects a demand message by message, in any order.
type tally interface {
	add(m Message)
	demand() demand
}

// schedule is the times at which an instance of a medium is busy.
type schedule interface {
	// book places messages that can start at ready, for the system s of all
	// systems, and returns when the last one ends.
	book(ready units.Seconds, s *set, d demand, all *sets) units.Seconds
	// forget drops what lies before t. The caller promises that no message
	// starts before t any more.
	forget(t units.Seconds)
}

// star is equal messages between one processor, the root, and others, all on
// one instance of a medium.
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

func (timed) sameLinks() bool { return true }

func (t timed) round(b units.Bytes) (units.Seconds, string) { return t.message(b), t.formula(b) }

// separator returns what is printed before item i of a list of messages.
func separator(i int) string {
	if i == 0 {
		return ": "
	}
	return "; "
}
