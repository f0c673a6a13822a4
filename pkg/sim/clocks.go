package sim

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Clocks are the clocks and counters of the processors of the root system.
// Handlers speak to processors through them only and treat all processors of
// a system alike, or distinguish them by labels of their coordinates; how many
// clocks there really are is the implementation's business.
//
// All amounts of work are times on the traced machine; the clocks divide CPU
// times by the processors' powers, and leave times in input and output. Everything is booked to the interval that was
// entered last.
type Clocks interface {
	// Enter makes the interval with the given number, counted from 0, the
	// one that everything is booked to.
	Enter(id int)
	// Join makes the processors of s members of that interval.
	Join(s *procs.System)

	// AddAll adds a to every processor of s.
	AddAll(s *procs.System, a Amount)
	// AddBy adds to every processor of s what amount says for its labels:
	// labels[k][c] is the label of coordinate c of dimension k of s.
	AddBy(s *procs.System, labels [][]int64, amount func(labels []int64) Amount)
	// AddOne adds a to the processor with the root's number rank.
	AddOne(rank int, a Amount)

	// Act lets run decide what becomes of processors of s that depend on
	// each other. It is given one actor for every clock there is when
	// processors with different labels are told apart, and returns their
	// parts in the same order.
	Act(s *procs.System, labels [][]int64, run func([]Actor) []Part)

	// Latest returns the latest clock of s.
	Latest(s *procs.System) units.Seconds
	// Longest returns the longest time that a processor of s takes for the
	// work that work says for its labels.
	Longest(s *procs.System, labels [][]int64, work func(labels []int64) units.Seconds) units.Seconds
	// Sync makes all processors of s wait for the latest and returns its
	// clock: model section 2, sync(K).
	Sync(s *procs.System, k interval.Kind) units.Seconds
	// Late books for all processors of s how much earlier than the latest
	// they are, as potential synchronization only, and returns the latest
	// clock and a mark that remembers the clocks: model section 6, --async
	// free.
	Late(s *procs.System, k interval.Kind) (units.Seconds, Mark)
	// Await makes all processors of s wait until end for an exchange that
	// began at start: model section 6, the wait. mark, when not 0, is what
	// Late returned at its start and is used up.
	Await(s *procs.System, k interval.Kind, start, end units.Seconds, mark Mark)
	// Delay makes all processors of s spend d in an exchange: model section
	// 2, comm(K, d).
	Delay(s *procs.System, k interval.Kind, d units.Seconds)
	// Settle books the spread of the clocks of s at the end of a collective
	// operation: model section 2, Time_variation.
	Settle(s *procs.System, k interval.Kind)

	// Classes returns how many classes of processors with equal histories
	// there are.
	Classes() int
	// Class returns how many processors class i has.
	Class(i int) int64
	// Counters returns what class i booked to the interval id alone, nested
	// intervals excluded, and whether it is a member of it.
	Counters(id, i int) (*Counters, bool)
	// Boxes describes the processors of some classes as products of
	// coordinate sets of the root's grid.
	Boxes(classes []int) [][]string
	// Ranks lists the root's numbers of the processors of class i in
	// ascending order.
	Ranks(i int) []int
}

// Mark names clocks that were remembered; 0 is none.
type Mark int

// Amount is work done by a processor.
type Amount struct {
	// User and System are CPU times, IO is time in input and output.
	User, System, IO units.Seconds
	// UserTwice and SystemTwice are the shares of User and System that other
	// processors do as well: insufficient parallelism.
	UserTwice, SystemTwice float64
}

// Actor is a processor, or several with equal histories, in [Clocks.Act].
type Actor struct {
	// Coords are the coordinates in the system of the first of them. They
	// may be changed while run is under way and must be as they were then.
	Coords []int
	// N is how many they are.
	N     int64
	Clock units.Seconds
	Power float64
}

// Part is what an actor does.
type Part struct {
	Work Amount
	// Transfer is time in exchanges, Wait the waiting for others, Overlap
	// what exchanges passed beside work: shadow edges (model section 9).
	Transfer, Wait, Overlap units.Seconds
	// End is the clock behind it, when Ends is set; else the clock advances
	// by what was booked.
	End  units.Seconds
	Ends bool
}

// act books p and returns the clock behind it.
func (c *Counters) act(p *Part, clock units.Seconds, power float64) units.Seconds {
	took := c.work(p.Work, power) + p.Transfer + p.Wait
	if p.Transfer != 0 {
		c.transfer(interval.Shadow, p.Transfer)
	}
	if p.Wait != 0 {
		c.wait(interval.Shadow, p.Wait)
	}
	c.Kinds[interval.Shadow].Overlap += p.Overlap
	if p.Ends {
		return p.End
	}
	return clock + took
}

// Counters are the additive characteristics of one processor in one interval
// (model section 2).
type Counters struct {
	User, System, IO      units.Seconds
	Communication         units.Seconds
	InsuffUser, InsuffSys units.Seconds
	Synchronization       units.Seconds
	RealSynch             units.Seconds
	Variation             units.Seconds
	Kinds                 [interval.NumKinds]interval.KindTimes
}

// Execution is the sum of the parts of a processor's time (law L2).
func (c *Counters) Execution() units.Seconds { return c.User + c.System + c.IO + c.Communication }

// Add adds d to c.
func (c *Counters) Add(d *Counters) {
	c.User += d.User
	c.System += d.System
	c.IO += d.IO
	c.Communication += d.Communication
	c.InsuffUser += d.InsuffUser
	c.InsuffSys += d.InsuffSys
	c.Synchronization += d.Synchronization
	c.RealSynch += d.RealSynch
	c.Variation += d.Variation
	for k := range c.Kinds {
		a, b := &c.Kinds[k], &d.Kinds[k]
		a.Communication += b.Communication
		a.RealSynch += b.RealSynch
		a.Synch += b.Synch
		a.Variation += b.Variation
		a.Overlap += b.Overlap
	}
}

// work books a on a processor of the given power and returns how long it
// takes.
func (c *Counters) work(a Amount, power float64) units.Seconds {
	p := units.Seconds(power)
	var took units.Seconds
	if a.User != 0 {
		t := a.User / p
		c.User += t
		c.InsuffUser += units.Seconds(float64(t) * a.UserTwice)
		took = t
	}
	if a.System != 0 {
		t := a.System / p
		c.System += t
		c.InsuffSys += units.Seconds(float64(t) * a.SystemTwice)
		took += t
	}
	if a.IO != 0 {
		c.IO += a.IO
		took += a.IO
	}
	return took
}

// wait books w of real waiting for others to start an operation.
func (c *Counters) wait(k interval.Kind, w units.Seconds) {
	c.Communication += w
	c.Synchronization += w
	c.RealSynch += w
	t := &c.Kinds[k]
	t.Communication += w
	t.Synch += w
	t.RealSynch += w
}

// transfer books d in an exchange.
func (c *Counters) transfer(k interval.Kind, d units.Seconds) {
	c.Communication += d
	c.Kinds[k].Communication += d
}

// await books what a processor whose clock stands at t does until an exchange
// from start to end is over, and returns its clock then: what passed beside
// the exchange is overlap, what is left of it is communication.
func (c *Counters) await(k interval.Kind, t, start, end units.Seconds) units.Seconds {
	if t < start {
		c.wait(k, start-t)
		t = start
	}
	if over := min(t, end) - start; over > 0 {
		c.Kinds[k].Overlap += over
	}
	if t < end {
		c.transfer(k, end-t)
		t = end
	}
	return t
}

// late books what a processor could have waited for others.
func (c *Counters) late(k interval.Kind, w units.Seconds) {
	c.Synchronization += w
	c.Kinds[k].Synch += w
}

// awaitFree is await for an exchange whose processors were not pulled
// together: the part of the waiting that is due to others that came
// later by up to late is real synchronization.
func (c *Counters) awaitFree(k interval.Kind, t, start, end, late units.Seconds) units.Seconds {
	if over := min(t, end) - start; over > 0 {
		c.Kinds[k].Overlap += over
	}
	if t >= end {
		return t
	}
	c.transfer(k, end-t)
	real := min(end-t, late)
	c.RealSynch += real
	c.Kinds[k].RealSynch += real
	return end
}

// spread books v by which others finished an operation later.
func (c *Counters) spread(k interval.Kind, v units.Seconds) {
	c.Variation += v
	c.Kinds[k].Variation += v
}
