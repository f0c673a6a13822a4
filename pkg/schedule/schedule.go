// Package schedule keeps what a simulation asks of its clocks, so that it can
// be asked again of the clocks of another machine.
//
// What a program asks depends on the program, the grid and the options of the
// model only, not on latencies, bandwidths or powers (package clock): amounts
// of work on the traced machine, labels, the messages of exchanges. Instants,
// remembered clocks and prepared messages are kept as numbers. Two things are
// left to the machine that a schedule is replayed on: the quanta of a pipeline,
// which is kept as a whole, and which way messages take. One option breaks the
// rule: with [options.Power] blocks follow the powers of the processors, so
// that a schedule holds for equal powers only; who replays it must know.
//
// Replaying gives to the last bit what a simulation on that machine gives.
package schedule

import (
	"dvmtools/pkg/clock"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/procs"
)

// Schedule is what a simulation asked of its clocks, in order. It can be
// replayed any number of times, also at once.
type Schedule struct {
	steps    []func(*player)
	instants int64 // the largest number of one
}

// Len returns the number of steps.
func (s *Schedule) Len() int { return len(s.steps) }

// Replay asks clocks, which were asked nothing yet, what was recorded. The error is
// that of [clock.Clocks.Err]. The grid and the options of the clocks must be those of
// the recording.
func (s *Schedule) Replay(c clock.Clocks) error {
	p := &player{Clocks: c, instants: make([]clock.Instant, s.instants+1), snapshots: map[clock.Snapshot]clock.Snapshot{}}
	for _, step := range s.steps {
		step(p)
	}
	return p.Err()
}

// player asks the clocks of another machine.
type player struct {
	clock.Clocks
	instants  []clock.Instant // by the numbers in the recording
	snapshots map[clock.Snapshot]clock.Snapshot
	loads     []*comm.Load
	demands   []clock.Demand // room for the next ones
}

// all is work of all processors of a system that was asked for several times
// in a row.
type all struct {
	system *procs.System
	work   clock.Amount
}

// add adds w and reports whether that is the same as asking for it next. The
// sums are those that [clock.New] makes of such a row. In a part of an account they
// go on from what was asked for in the parts before: there only times are put together
// that do not add up, such as those before a call and inside it.
func (a *all) add(s *procs.System, w clock.Amount, inPart bool) bool {
	if a == nil || a.system != s || a.work.UserRedundant != w.UserRedundant || a.work.SystemRedundant != w.SystemRedundant {
		return false
	}
	if inPart && (a.work.User != 0 && w.User != 0 || a.work.System != 0 && w.System != 0 || a.work.IO != 0 && w.IO != 0) {
		return false
	}
	a.work.User += w.User
	a.work.System += w.System
	a.work.IO += w.IO
	return true
}
