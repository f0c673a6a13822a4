// Package clocktest keeps time in the plainest way, as a measure for the
// clocks that simulations use.
package clocktest

import (
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Each are clocks with a clock and counters for every processor.
type Each struct {
	*clock.Network
	*clock.Ledger
	power     []float64
	clock     []units.Seconds
	at        clock.Account
	snapshots clock.Snapshots
	all       []int // 0, 1, ...: the processors of a system without a list
}

// NewEach returns clocks that keep every processor by itself.
func NewEach(cfg clock.Config) *Each {
	p := int64(1)
	for _, n := range cfg.Grid {
		p *= int64(n)
	}
	power := machine.Powers(cfg.Machine.PowerRuns(p))
	e := &Each{Network: clock.NewNetwork(cfg), Ledger: clock.NewLedger(cfg.Grid), power: power, clock: make([]units.Seconds, len(power)), all: make([]int, len(power))}
	for p := range e.all {
		e.all[p] = p
	}
	return e
}

// New is [NewEach] as an implementation of the interface.
func New(cfg clock.Config) clock.Clocks { return NewEach(cfg) }

// Times returns a copy of the clocks of all processors.
func (e *Each) Times() []units.Seconds { return slices.Clone(e.clock) }

func (e *Each) ranks(s *procs.System) []int {
	if s.Ranks != nil {
		return s.Ranks
	}
	return e.all[:s.Size()]
}

// seconds returns when an instant is.
func seconds(t clock.Instant) units.Seconds { return t.Since(clock.Instant{}) }

// Enter is part of [clock.Clocks].
func (e *Each) Enter(a clock.Account) {
	e.at = a
	e.Open(a)
	if t := e.Creation(); t > 0 {
		for p := range e.clock {
			e.clock[p] += t
			e.Of(a, p).Create(t)
		}
	}
}

// Join is part of [clock.Clocks].
func (e *Each) Join(s *procs.System) {
	for _, p := range e.ranks(s) {
		e.Admit(e.at, p)
	}
}

// counters returns what processor p books to, as a member.
func (e *Each) counters(p int) *clock.Counters {
	e.Admit(e.at, p)
	return e.Of(e.at, p)
}

// AddOne is part of [clock.Clocks].
func (e *Each) AddOne(p int, w clock.Amount) { e.clock[p] += e.counters(p).Work(w, e.power[p]) }

// AddAll is part of [clock.Clocks].
func (e *Each) AddAll(s *procs.System, w clock.Amount) {
	for _, p := range e.ranks(s) {
		e.AddOne(p, w)
	}
}

// labelled calls f with every processor of s and its labels.
func (e *Each) labelled(s *procs.System, labels [][]int64, f func(p int, l []int64)) {
	coords, l := make([]int, len(s.Grid)), make([]int64, len(s.Grid))
	for i, p := range e.ranks(s) {
		s.Coords(i, coords)
		for k, c := range coords {
			l[k] = labels[k][c]
		}
		f(p, l)
	}
}

// AddBy is part of [clock.Clocks].
func (e *Each) AddBy(s *procs.System, labels [][]int64, work func([]int64) clock.Amount) {
	e.labelled(s, labels, func(p int, l []int64) { e.AddOne(p, work(l)) })
}

// AddParts is part of [clock.Clocks].
func (e *Each) AddParts(s *procs.System, p *clock.Parts, user, system units.Seconds) {
	e.AddBy(s, p.Labels, func(l []int64) clock.Amount { return p.Work(l, user, system) })
}

// AfterLongest is part of [clock.Clocks].
func (e *Each) AfterLongest(start clock.Instant, s *procs.System, labels [][]int64, work func([]int64) units.Seconds) clock.Instant {
	var m units.Seconds
	e.labelled(s, labels, func(p int, l []int64) { m = max(m, work(l)/units.Seconds(e.power[p])) })
	return e.Instant(seconds(start) + m)
}

// Pipeline is part of [clock.Clocks].
func (e *Each) Pipeline(p *clock.Pipeline) {
	ranks := e.ranks(p.System)
	actors := make([]clock.Actor, len(ranks))
	own, _ := e.snapshots.Take(p.Since)
	for i, r := range ranks {
		a := &actors[i]
		*a = clock.Actor{Coords: make([]int, len(p.System.Grid)), N: 1, Clock: e.clock[r], Power: e.power[r]}
		p.System.Coords(i, a.Coords)
		if own != nil {
			a.Clock, a.Spent = own[r], e.clock[r]-own[r]
		}
	}
	now := e.at
	for i, part := range e.Schedule(p, actors) {
		r := ranks[i]
		c := e.counters(r)
		if part.Works == nil {
			continue
		}
		c.Stage(&part)
		for w, amount := range part.Works {
			e.at = p.Work[w].Account
			e.counters(r).Work(amount, e.power[r])
		}
		e.at = now
		e.clock[r] = part.End
	}
}

// Latest is part of [clock.Clocks].
func (e *Each) Latest(s *procs.System) units.Seconds {
	var m units.Seconds
	for _, p := range e.ranks(s) {
		m = max(m, e.clock[p])
	}
	return m
}

// Sync is part of [clock.Clocks].
func (e *Each) Sync(s *procs.System, k interval.Kind) clock.Instant {
	m := e.Latest(s)
	for _, p := range e.ranks(s) {
		c := e.counters(p)
		if w := m - e.clock[p]; w > 0 {
			c.Wait(k, w)
			e.clock[p] = m
		}
	}
	return e.Instant(m)
}

// Late is part of [clock.Clocks].
func (e *Each) Late(s *procs.System, k interval.Kind) (clock.Instant, clock.Snapshot) {
	m := e.Latest(s)
	for _, p := range e.ranks(s) {
		e.counters(p).Late(k, m-e.clock[p])
	}
	return e.Instant(m), e.snapshots.Set(e.clock, m)
}

// Remember is part of [clock.Clocks].
func (e *Each) Remember(s *procs.System) clock.Snapshot { return e.snapshots.Set(e.clock, e.Latest(s)) }

// Release is part of [clock.Clocks].
func (e *Each) Release(m clock.Snapshot) { e.snapshots.Take(m) }

// Delay is part of [clock.Clocks].
func (e *Each) Delay(s *procs.System, k interval.Kind, from, to clock.Instant) {
	d := to.Since(from)
	for _, p := range e.ranks(s) {
		e.counters(p).Transfer(k, d)
		e.clock[p] += d
	}
}

// Await is part of [clock.Clocks].
func (e *Each) Await(s *procs.System, k interval.Kind, start, end clock.Instant, snapshot clock.Snapshot) {
	own, latest := e.snapshots.Take(snapshot)
	for _, p := range e.ranks(s) {
		c := e.counters(p)
		if own != nil {
			e.clock[p] = c.AwaitFree(k, e.clock[p], seconds(start), seconds(end), latest-own[p])
			continue
		}
		e.clock[p] = c.Await(k, e.clock[p], seconds(start), seconds(end))
	}
}

// Variation is part of [clock.Clocks].
func (e *Each) Variation(s *procs.System, k interval.Kind) {
	m := e.Latest(s)
	for _, p := range e.ranks(s) {
		e.Of(e.at, p).Spread(k, m-e.clock[p])
	}
}
