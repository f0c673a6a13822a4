package clock

import (
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Config says what clocks are made for.
type Config struct {
	Machine *machine.Machine
	// Grid is the root's processor grid; its product must not exceed the
	// machine.
	Grid []int
	// Options are the choices of the model, of which some change what
	// exchanges and pipelines cost.
	Options options.Model
	// Timeline takes note of what processors do when, nil for nobody. Nothing else
	// depends on it.
	Timeline *Timeline
}

// Clocks are the clocks and counters of the processors of the root system,
// together with the network between them. How many clocks there really are is
// the implementation's business: those who ask treat all processors of a
// system alike, or distinguish them by labels of their coordinates.
//
// labels[k][c] is the label of coordinate c of dimension k of a system.
// Functions that are handed over are called once for each combination of
// labels and power, or more often; they must depend on nothing that changes and
// change nothing, as they may be called again much later.
//
// All amounts of work are times on the traced machine; the clocks divide CPU
// times by the processors' powers, and leave times in input and output.
// Everything is booked to the account that was entered last, and to what that is a
// part of.
type Clocks interface {
	// Enter makes a the account that everything is booked to.
	Enter(a Account)
	// Within makes a a part of the account all: what is booked to a is booked to all
	// as well, with the same bits as if all itself were entered. It must be said
	// before a is entered. all is no part of another account.
	Within(a, all Account)
	// Join makes the processors of s members of that account.
	Join(s *procs.System)

	// AddAll adds w to every processor of s.
	AddAll(s *procs.System, w Amount)
	// AddBy adds to every processor of s what work says for its labels.
	AddBy(s *procs.System, labels [][]int64, work func(labels []int64) Amount)
	// AddParts adds to every processor of s its part of user's and system's time.
	// Nothing of p may change afterwards.
	AddParts(s *procs.System, p *Parts, user, system units.Seconds)
	// AddOne adds w to the processor with the root's number rank.
	AddOne(rank int, w Amount)

	// Sync makes all processors of s wait for the latest and returns its
	// clock: docs/model.md#2-accounting.
	Sync(s *procs.System, k interval.Kind) Instant
	// Late books for all processors of s how much earlier than the latest
	// they are, as potential synchronization only, and returns the latest
	// clock and a snapshot of the clocks before:
	// docs/model.md#starts-that-do-not-wait.
	Late(s *procs.System, k interval.Kind) (Instant, Snapshot)
	// Remember returns a snapshot of the clocks of s, Release gives up one that
	// nothing will use.
	Remember(s *procs.System) Snapshot
	Release(m Snapshot)
	// AfterLongest returns the instant that comes after start by the longest
	// time that a processor of s takes for the work that work says for its
	// labels. Nothing is booked.
	AfterLongest(start Instant, s *procs.System, labels [][]int64, work func(labels []int64) units.Seconds) Instant
	// Load prepares messages for [Demand], where they may be used any number
	// of times.
	Load(t comm.Traffic) *comm.Load
	// Exchange places what is demanded on the network, one after the other
	// from start on, for the processors of s, and returns when the last one
	// ends: start when nothing is demanded. No clock changes.
	Exchange(s *procs.System, start Instant, demands ...Demand) Instant
	// Placed takes note of an exchange of number x, 1 and more, that the call by
	// starts: how many messages it sends, how many bytes in all, and from when
	// to when it takes. No clock changes.
	Placed(x int, by, messages int64, b units.Bytes, start, end Instant)
	// Delay makes all processors of s spend the time between two instants in
	// an exchange: docs/model.md#2-accounting.
	Delay(s *procs.System, k interval.Kind, from, to Instant)
	// Await makes all processors of s wait until end for an exchange that
	// began at start: docs/model.md#asynchronous-operations. snapshot, when not 0,
	// is what Late returned for it and is used up.
	Await(s *procs.System, k interval.Kind, start, end Instant, snapshot Snapshot)
	// Variation books the spread of the clocks of s at the end of a
	// collective operation: docs/model.md#2-accounting, Time_variation.
	Variation(s *procs.System, k interval.Kind)
	// Err returns the first demand so far that the network could not meet, nil
	// when there was none: a message between processors without a path.
	Err() error
	// Forget promises that no exchange of any system starts before t any
	// more. Times do not depend on it, only memory and speed.
	Forget(t Instant)

	// Pipeline runs a pipeline: docs/model.md#9-pipelined-loops.
	Pipeline(p *Pipeline)

	// Explain makes exchanges and pipelines say from now on what they cost
	// and why, a line at a time; nil makes them silent.
	Explain(say func(format string, args ...any))
	// Latest returns the latest clock of s, for explanations.
	Latest(s *procs.System) units.Seconds

	Books
}

// Books are the results: what was booked, by classes of processors with equal
// histories.
type Books interface {
	// Classes returns how many classes there are.
	Classes() int
	// Class returns how many processors class i has.
	Class(i int) int64
	// Counters returns what class i booked to account a, and whether it is a
	// member of it.
	Counters(a Account, i int) (*Counters, bool)
	// Boxes describes the processors of some classes as products of
	// coordinate sets of the root's grid.
	Boxes(classes []int) [][]string
	// Exchanged returns what exchanges of number x sent.
	Exchanged(x int) Exchanged
	// Ranks lists the root's numbers of the processors of class i in
	// ascending order.
	Ranks(i int) []int
}

// Account is what times are booked to, numbered from 0: an interval of the
// program without those nested in it.
type Account int

// Instant is a moment of the simulation. Only clocks make instants; others
// hand them back and may print them.
type Instant struct {
	at     units.Seconds
	number int64
}

// Number returns the instant's number: clocks number the instants that they
// make from 1 on, so that the same questions give the same numbers. It is for
// implementations that write down what they are asked.
func (t Instant) Number() int64 { return t.number }

// Since returns the time from an earlier instant to t. It is for those who
// watch a simulation: what is asked of clocks must not depend on it.
func (t Instant) Since(earlier Instant) units.Seconds { return t.at - earlier.at }

// String spells the instant in microseconds from the beginning.
func (t Instant) String() string { return micro(t.at) }

// micro spells a time in microseconds.
func micro(t units.Seconds) string { return t.Micros(9) + " us" }

// Snapshot names a copy of clocks, numbered from 1 as [Instant]; 0 is
// none.
type Snapshot int

// Amount is work done by a processor.
type Amount struct {
	// User and System are CPU times, IO is time in input and output.
	User, System, IO units.Seconds
	// UserRedundant and SystemRedundant are the shares of User and System
	// that other processors do as well: insufficient parallelism.
	UserRedundant, SystemRedundant float64
}

// scaled returns t*f, rounded before it is added to anything.
func scaled(t units.Seconds, f float64) units.Seconds { return units.Seconds(float64(t) * f) }

// AddTimes asks for the times of calls, as [Clocks.AddAll] does for one: of the user
// before a call and inside it, in turns, those of 0 left out. inside says that the
// first is one inside. redundant is what other processors do as well.
func AddTimes(c Clocks, s *procs.System, redundant float64, times []units.Seconds, inside bool) {
	switch e := c.(type) {
	case *brief:
		e.addTimes(s, redundant, times, inside)
		return
	case *classes:
		if e.addTimes(s, redundant, times, inside) {
			return
		}
	}
	if inside && len(times) > 0 {
		// As if the call had begun at once.
		add(c, s, redundant, 0, times[0])
		times = times[1:]
	}
	for ; len(times) > 1; times = times[2:] {
		add(c, s, redundant, times[0], times[1])
	}
	if len(times) > 0 {
		add(c, s, redundant, times[0], 0)
	}
}

// add asks for the times of a call.
func add(c Clocks, s *procs.System, redundant float64, before, inside units.Seconds) {
	if before != 0 || inside != 0 {
		c.AddAll(s, Amount{User: before, System: inside, UserRedundant: redundant, SystemRedundant: redundant})
	}
}
