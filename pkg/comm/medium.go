package comm

import (
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// medium is a kind of medium: what messages on an instance of it cost. All that
// is special about a kind stands in the file of its implementation; another
// kind is another such file, and the place in [Network.kind] that finds it. The
// kinds differ in four ways:
//
//	                      channels               transputer
//	what counts           sizes and numbers      the longest message at
//	                                             each distance
//	an exchange alone     the longest first,     the slowest distance
//	                      channel by channel
//	exchanges that meet   queue                  do not notice each other
//	a reduction           gather, broadcast      rounds over the grid
//
// An instance of a kind that needs no state of its own is described by md.
type medium interface {
	// demand returns what the messages of t ask of an instance that all of
	// them use.
	demand(md machine.Medium, t Traffic) demand
	// tally returns an empty tally of messages between processors of a grid.
	tally(md machine.Medium, grid []int) tally
	// star returns what equal messages from or to one processor ask.
	star(md machine.Medium, s *star) demand
	// reduction returns in how many rounds a reduction of processors takes
	// place that all use one instance: each lasts as long as a message of all
	// variables and occupies nothing. It returns false for a kind on which a
	// reduction is messages to and from its root, like any others.
	reduction(r *Reduction) (rounds int64, ok bool)
	// queues reports whether exchanges wait for each other; if not, each lasts
	// as long as if it were alone and there is no schedule.
	queues() bool
	// schedule returns an instance on which nothing was placed yet.
	schedule(md machine.Medium) schedule
	// channels returns how many messages travel at once, 0 for any number.
	channels(md machine.Medium) int64
}

// kinds are the media that [machine.Medium] describes.
var kinds = [...]medium{
	machine.NoMedium:   channels{},
	machine.Ethernet:   channels{},
	machine.Myrinet:    channels{},
	machine.Transputer: transputer{},
}

// kind returns the implementation of an instance's medium.
func (n *Network) kind(at machine.Instance) medium { return kinds[at.Node.Medium.Kind] }

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
	bytes units.Bytes
	// count is how many messages there are, at least 1.
	count int64
	// far returns the largest distance of the others, in hops.
	far func() int
	// others calls yield with the others.
	others func(yield func(int) bool)
}

// separator stands before the item with the number i of a list of messages.
func separator(i int) string {
	if i == 0 {
		return ": "
	}
	return "; "
}

// message writes what one message of so many bytes costs on a medium.
func message(md machine.Medium, b units.Bytes) string {
	return micro(md.TStart) + " + " + micro(units.Seconds(md.TByte)) + " x " + decimal(int64(b))
}
