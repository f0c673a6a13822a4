package machine

import (
	"fmt"
	"math"
	"slices"

	"dvmtools/pkg/units"
)

// A Network connects the processors of a machine by links, as the topologies of
// Parasol I do (CAMAS-TR-2.1.1.4, section 2.5). The tree of such a machine has no
// media and only gives the powers of the processors.
//
// A message between two processors takes a route of links, store and forward,
// and occupies each for Latency + bytes x Speed; a link carries one message at a
// time. The route is the one with the least sum of these times; of equal ones
// that with fewer links, then that with the smaller ids.
type Network struct {
	// ID and Name are those of the topology; Name may be empty.
	ID   int64
	Name string
	// Creation is the time that setting the topology up takes, added once to
	// the clock of every processor before the first call.
	Creation units.Seconds
	// Links are the links, ordered by their ids, which are different.
	Links []Link
	// Model is the programming model, "pvm", "express" or "mpi", empty when the
	// machine states none. Overheads are the functions of that model that the
	// machine file defines, in the order of the Parasol report.
	Model     string
	Overheads []Overhead
	// PowerBase says in words which processor has power 1.
	PowerBase string
}

// A Link connects two or more processors: a line between two, or a bus. Ends
// are numbers of processors from 0, all different.
type Link struct {
	ID      int64
	Latency units.Seconds
	Speed   units.SecPerByte
	Ends    []int32
}

// An Overhead is the time that a function of a programming model takes on the
// processor that calls it, beside the time on the links.
type Overhead struct {
	Function string
	Cost     units.Seconds
}

// Overhead returns the cost of a function of the programming model, and false
// when it is not defined.
func (n *Network) Overhead(function string) (units.Seconds, bool) {
	for _, o := range n.Overheads {
		if o.Function == function {
			return o.Cost, true
		}
	}
	return 0, false
}

// equal reports whether two networks are the same.
func (n *Network) equal(o *Network) bool {
	if n == nil || o == nil {
		return n == o
	}
	return n.ID == o.ID && n.Name == o.Name && n.Creation == o.Creation && n.Model == o.Model && n.PowerBase == o.PowerBase &&
		slices.Equal(n.Overheads, o.Overheads) &&
		slices.EqualFunc(n.Links, o.Links, func(a, b Link) bool {
			return a.ID == b.ID && a.Latency == b.Latency && a.Speed == b.Speed && slices.Equal(a.Ends, b.Ends)
		})
}

// check returns nil when the network is valid on a machine of so many processors.
func (n *Network) check(processors int64) error {
	if !ValidTime(float64(n.Creation)) {
		return fmt.Errorf("topology %d: creation takes %v s, neither 0 nor between %v and %v", n.ID, float64(n.Creation), Smallest, Largest)
	}
	if processors > math.MaxInt32 {
		return fmt.Errorf("topology %d has %d processors", n.ID, processors)
	}
	seen := make(map[int32]int)
	for i, l := range n.Links {
		if i > 0 && l.ID <= n.Links[i-1].ID {
			return fmt.Errorf("topology %d: link %d follows link %d", n.ID, l.ID, n.Links[i-1].ID)
		}
		if !ValidTime(float64(l.Latency)) || !ValidTime(float64(l.Speed)) {
			return fmt.Errorf("link %d: latency %v s, speed %v s per byte: neither 0 nor between %v and %v",
				l.ID, float64(l.Latency), float64(l.Speed), Smallest, Largest)
		}
		if len(l.Ends) < 2 {
			return fmt.Errorf("link %d connects %d processors, at least 2", l.ID, len(l.Ends))
		}
		for _, e := range l.Ends {
			if e < 0 || int64(e) >= processors {
				return fmt.Errorf("link %d connects processor %d of %d", l.ID, e, processors)
			}
			if seen[e] == i+1 {
				return fmt.Errorf("link %d connects processor %d twice", l.ID, e)
			}
			seen[e] = i + 1
		}
	}
	for _, o := range n.Overheads {
		if !ValidTime(float64(o.Cost)) {
			return fmt.Errorf("function %s of %s costs %v s, neither 0 nor between %v and %v", o.Function, n.Model, float64(o.Cost), Smallest, Largest)
		}
	}
	return nil
}
