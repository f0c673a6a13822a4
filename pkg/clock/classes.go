package clock

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// classes is the engine by classes: processors with equal histories share a
// clock and counters (docs/model.md#10-size).
type classes struct {
	partition
	*Network
	clock     []units.Seconds
	books     []book // per account
	snapshots Snapshots
	// at is the account that was entered, all what it is a part of, or itself; within
	// has, for an account that is a part, 1 more than what it is a part of.
	at, all Account
	within  []Account
	// common has, for an account that is a part, what all classes have alike beside
	// its book.
	common   []common
	timeline *Timeline // nil when nobody wants one

	// pendingWork is work of all processors of a system that is not booked
	// yet.
	pendingWork struct {
		sys  *procs.System
		work Amount
		seq  int64   // for the timeline
		of   []share // what of it is of accounts that are parts
	}
}

// book is what the classes have in one account, nil until it is entered.
type book []entry

// common is what all classes have alike in an account; some says that there is any.
type common struct {
	Counters
	some bool
}

// share is work of an account that is a part of another.
type share struct {
	account Account
	work    Amount
}

// entry is what a class has in one account.
type entry struct {
	Counters
	member bool
}

// spend books w for a member.
func (b *entry) spend(w *worked) {
	b.member = true
	b.Counters.spend(w)
}

// wait is [Counters.Wait] for a member, of nothing when it is the latest.
func (b *entry) wait(k interval.Kind, w units.Seconds) {
	b.member = true
	if w > 0 {
		b.Wait(k, w)
	}
}

// transfer is [Counters.Transfer] for a member.
func (b *entry) transfer(k interval.Kind, d units.Seconds) {
	b.member = true
	b.Transfer(k, d)
}

// late is [Counters.Late] for a member.
func (b *entry) late(k interval.Kind, w units.Seconds) {
	b.member = true
	b.Late(k, w)
}

// await is, for a member, [Counters.AwaitFree] when the start did not wait, else
// [Counters.Await].
func (b *entry) await(k interval.Kind, t, start, end units.Seconds, free bool, late units.Seconds) units.Seconds {
	b.member = true
	if free {
		return b.AwaitFree(k, t, start, end, late)
	}
	return b.Await(k, t, start, end)
}

// New returns clocks that keep processors with equal histories together.
func New(cfg Config) Clocks {
	e := &classes{Network: NewNetwork(cfg), timeline: cfg.Timeline}
	e.partition = newPartition(cfg.Machine, cfg.Grid, e.divide)
	e.clock = make([]units.Seconds, len(e.whole))
	return e
}

// divide follows a split of classes.
func (e *classes) divide(from []int) {
	e.clock = pick(e.clock, from)
	e.snapshots.split(from)
	for b := range e.books {
		if e.books[b] != nil {
			e.books[b] = pick(e.books[b], from)
		}
	}
}
