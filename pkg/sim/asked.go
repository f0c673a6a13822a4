package sim

import (
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// As clocks, a [block] writes down what it is asked, and passes it on.

// made takes note of an instant of the step and returns its place.
func (b *block) made(t clock.Instant) int {
	b.instants, b.numbers = append(b.instants, t), append(b.numbers, t.Number())
	return len(b.instants) - 1
}

// placeOf returns the place of an instant; one from before the step is odd.
func (b *block) placeOf(t clock.Instant) int {
	i := slices.Index(b.numbers, t.Number())
	if i < 0 {
		b.odd = true
	}
	return i
}

// Enter is part of [clock.Clocks]. Another line of an interval is entered when
// something is asked for it, another interval at once: clocks add up what is asked
// for one interval until then.
func (b *block) Enter(a clock.Account) {
	b.wanted = a
	if of := b.sim.tree.of; b.entered == none || of[a] != of[b.entered] {
		b.reach()
	}
	b.Clocks.Enter(a)
}

// Join is part of [clock.Clocks].
func (b *block) Join(s *procs.System) {
	b.note(question{ask: askJoin, system: s})
	b.Clocks.Join(s)
}

// AddAll is part of [clock.Clocks]; only the times of calls are expected.
func (b *block) AddAll(s *procs.System, w clock.Amount) {
	b.expected--
	b.Clocks.AddAll(s, w)
}

// AddParts is part of [clock.Clocks]; only the times of calls are expected.
func (b *block) AddParts(s *procs.System, p *clock.Parts, user, system units.Seconds) {
	b.expected--
	b.Clocks.AddParts(s, p, user, system)
}

// Sync is part of [clock.Clocks].
func (b *block) Sync(s *procs.System, k interval.Kind) clock.Instant {
	t := b.Clocks.Sync(s, k)
	b.note(question{ask: askSync, system: s, kind: k, to: b.made(t)})
	return t
}

// Exchange is part of [clock.Clocks].
func (b *block) Exchange(s *procs.System, start clock.Instant, demands ...clock.Demand) clock.Instant {
	t := b.Clocks.Exchange(s, start, demands...)
	b.note(question{ask: askExchange, system: s, demands: slices.Clone(demands), from: b.placeOf(start), to: b.made(t)})
	return t
}

// Delay is part of [clock.Clocks].
func (b *block) Delay(s *procs.System, k interval.Kind, from, to clock.Instant) {
	b.note(question{ask: askDelay, system: s, kind: k, from: b.placeOf(from), to: b.placeOf(to)})
	b.Clocks.Delay(s, k, from, to)
}

// Await is part of [clock.Clocks].
func (b *block) Await(s *procs.System, k interval.Kind, start, end clock.Instant, snapshot clock.Snapshot) {
	b.odd = b.odd || snapshot != 0
	b.note(question{ask: askAwait, system: s, kind: k, from: b.placeOf(start), to: b.placeOf(end)})
	b.Clocks.Await(s, k, start, end, snapshot)
}

// Variation is part of [clock.Clocks].
func (b *block) Variation(s *procs.System, k interval.Kind) {
	b.note(question{ask: askVariation, system: s, kind: k})
	b.Clocks.Variation(s, k)
}

// Forget is part of [clock.Clocks].
func (b *block) Forget(t clock.Instant) {
	b.note(question{ask: askForget, from: b.placeOf(t)})
	b.Clocks.Forget(t)
}

// AddBy is part of [clock.Clocks].
func (b *block) AddBy(s *procs.System, labels [][]int64, work func([]int64) clock.Amount) {
	b.odd = true
	b.Clocks.AddBy(s, labels, work)
}

// AddOne is part of [clock.Clocks].
func (b *block) AddOne(rank int, w clock.Amount) {
	b.odd = true
	b.Clocks.AddOne(rank, w)
}

// Late is part of [clock.Clocks].
func (b *block) Late(s *procs.System, k interval.Kind) (clock.Instant, clock.Snapshot) {
	b.odd = true
	return b.Clocks.Late(s, k)
}

// Remember is part of [clock.Clocks].
func (b *block) Remember(s *procs.System) clock.Snapshot {
	b.odd = true
	return b.Clocks.Remember(s)
}

// Release is part of [clock.Clocks].
func (b *block) Release(m clock.Snapshot) {
	b.odd = true
	b.Clocks.Release(m)
}

// AfterLongest is part of [clock.Clocks].
func (b *block) AfterLongest(start clock.Instant, s *procs.System, labels [][]int64, work func([]int64) units.Seconds) clock.Instant {
	b.odd = true
	return b.Clocks.AfterLongest(start, s, labels, work)
}

// Placed is part of [clock.Clocks]; only what the call at hand starts is expected.
func (b *block) Placed(x int, by, messages int64, bytes units.Bytes, start, end clock.Instant) {
	b.odd = b.odd || by != b.sim.lines.call.seq
	b.note(question{ask: askPlaced, from: b.placeOf(start), to: b.placeOf(end), placed: &placed{x, messages, bytes, b.sim.repeats.place.At}})
	b.Clocks.Placed(x, by, messages, bytes, start, end)
}

// Pipeline is part of [clock.Clocks].
func (b *block) Pipeline(p *clock.Pipeline) {
	b.odd = true
	b.Clocks.Pipeline(p)
}
