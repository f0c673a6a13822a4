package sim

import (
	"context"
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/program"
	"dvmtools/pkg/units"
)

// A block is a time step as what it asks of the clocks. It is written down the
// second time and asked again the times that follow, when only the times of
// calls differ: nothing else of a simulation is touched then.
//
// While it is written down a block stands before the clocks. A question that it
// does not know makes it odd, and the step is simulated call by call.
type block struct {
	clock.Clocks
	sim   *Sim
	calls [][]question // by the place in the step
	// instants are those of the step, numbers what they were the second time.
	instants []clock.Instant
	numbers  []int64
	// expected is how much work the times of the call at hand are still to give.
	expected int
	// alike is the system whose processors spend the time before the call at hand
	// alike, if that was asked for last; nil when they do not.
	alike *procs.System
	// entered is the account of the questions so far, wanted that of the next one,
	// none before the first of the step.
	entered, wanted clock.Account
	odd             bool
	before          standing
	counted         []*int64 // what each time adds 1 to
}

// none is no account.
const none clock.Account = -1

// question asks the clocks something for a call.
type question func(t program.Times)

// standing is what a time step must leave as it is to be a block.
type standing struct {
	cur      *node
	accounts clock.Account
	warned   int
}

// openBlock writes down what the time step that begins asks, when that may be all
// that it does.
func (s *Sim) openBlock() {
	s.closeBlock()
	s.block = nil
	if s.ideal != nil || s.timeline != nil || s.costs != nil || !s.betweenSteps() {
		return
	}
	s.block = &block{Clocks: s.clocks, sim: s, calls: make([][]question, s.repeats.place.Period), before: s.stands(), entered: none, wanted: none}
	s.clocks = s.block
}

// closeBlock ends openBlock. The block is kept when it says all about the step.
func (s *Sim) closeBlock() {
	b := s.block
	if b == nil || s.clocks != clock.Clocks(b) {
		return
	}
	s.clocks = b.Clocks
	if b.odd || b.expected != 0 || !s.betweenSteps() || !s.repeats.use || s.stands() != b.before {
		s.block = nil
		return
	}
	b.reach()
}

// betweenSteps reports whether nothing is under way between two time steps.
func (s *Sim) betweenSteps() bool {
	f, l := &s.flights, &s.loop
	return len(f.open) == 0 && len(f.noopLoads) == 0 && len(f.halves) == 0 && !s.inIO &&
		l.portion == nil && l.pipe == nil && len(l.edges) == 0 && len(l.times) == 0
}

// stands returns what the simulation stands at.
func (s *Sim) stands() standing {
	return standing{s.tree.cur, s.tree.accounts, len(s.notes.warned)}
}

// count counts n up, in the time steps that a block passes as well.
func (s *Sim) count(n *int64) {
	*n++
	if s.block != nil {
		s.block.counted = append(s.block.counted, n)
	}
}

// passSteps passes the time steps that come next and of which the block says all.
func (s *Sim) passSteps(ctx context.Context, src *program.Source) error {
	if p := &s.repeats.place; p.Turn == program.Second && p.At == p.Period-1 {
		s.closeBlock()
	}
	b := s.block
	if b == nil || s.clocks == clock.Clocks(b) {
		return nil
	}
	steps, at := int64(0), -1
	src.Like(func(next int) bool {
		if next == 0 {
			steps++
			at = 0
			return !s.over && ctx.Err() == nil
		}
		at = next
		return steps > 0 && !s.over
	}, func(t program.Times) {
		for _, ask := range b.calls[at] {
			ask(t)
		}
	})
	s.block = nil
	if steps > 0 {
		s.passed += steps
		s.repeats.place = src.Place()
		for _, n := range b.counted {
			*n += steps
		}
	}
	if s.over {
		return ErrAbandoned
	}
	return ctx.Err()
}

func (b *block) note(q question) {
	b.reach()
	b.alike = nil
	b.keep(q)
}

func (b *block) keep(q question) {
	at := b.sim.repeats.place.At
	b.calls[at] = append(b.calls[at], q)
}

// reach writes down that the account that is wanted is entered.
func (b *block) reach() {
	if a := b.wanted; b.entered != a {
		b.entered = a
		b.keep(func(program.Times) { b.Clocks.Enter(a) })
	}
}

// asksBefore writes down how the user's time before the call at hand passes.
func (b *block) asksBefore(t spent, listed, inBody bool) {
	b.odd = b.odd || !listed
	b.passes(t, inBody, false)
}

// asksWithin writes down how the time inside the call at hand passes.
func (b *block) asksWithin(t spent, e *effect, inBody bool) {
	switch {
	case e.booked:
	case e.inside != nil:
		b.odd = true
	default:
		b.passes(t, inBody && !e.byAll, true)
	}
}

// passes writes down how the time before a call or inside it passes: by the parts
// of an open loop, or alike. In the body of a loop it is booked to the body.
func (b *block) passes(t spent, inLoop, inside bool) {
	s := b.sim
	if t.merged != 0 {
		b.expected++
	}
	p := s.loop.portion
	if inLoop = inLoop && p != nil; inLoop && s.lines != nil {
		defer func(a clock.Account) { b.wanted = a }(b.wanted)
		b.wanted = s.body().account
	}
	if inLoop && p.share != nil {
		b.odd = b.odd || s.loop.deferred() || len(s.loop.edges) > 0 || p.cost != nil
		b.note(b.inParts(p.loop.System, p.partsOfAll(), inside))
		return
	}
	sys := s.objects.Current()
	redundant := s.redundantOf(sys)
	if asked := b.calls[s.repeats.place.At]; inside && b.alike == sys && b.entered == b.wanted {
		asked[len(asked)-1] = b.byAllTwice(sys, redundant)
		b.alike = nil
		return
	}
	b.note(b.byAll(sys, redundant, inside))
	if !inside {
		b.alike = sys
	}
}

// inParts is the question of a loop's time.
func (b *block) inParts(s *procs.System, p *clock.Parts, inside bool) question {
	return func(t program.Times) {
		switch {
		case inside && t.Inside != 0:
			b.Clocks.AddParts(s, p, 0, t.Inside)
		case !inside && t.Before != 0:
			b.Clocks.AddParts(s, p, t.Before, 0)
		}
	}
}

// byAll is the question of time that all processors of s pass alike.
func (b *block) byAll(s *procs.System, redundant float64, inside bool) question {
	return func(t program.Times) {
		switch {
		case inside && t.Inside != 0:
			b.Clocks.AddAll(s, systemAmount(t.Inside, redundant))
		case !inside && t.Before != 0:
			b.Clocks.AddAll(s, userAmount(t.Before, redundant))
		}
	}
}

// byAllTwice is the question of both times of a call that does nothing else, at
// once: the clocks add up what processors do alike.
func (b *block) byAllTwice(s *procs.System, redundant float64) question {
	return func(t program.Times) {
		if t.Before != 0 || t.Inside != 0 {
			b.Clocks.AddAll(s, clock.Amount{User: t.Before, System: t.Inside, UserRedundant: redundant, SystemRedundant: redundant})
		}
	}
}

// asksElse says that a call asks something that a block does not know.
func (b *block) asksElse() {
	if b != nil {
		b.odd = true
	}
}

// done ends a call.
func (b *block) done() {
	if b != nil {
		b.odd = b.odd || b.expected != 0
	}
}

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
	b.note(func(program.Times) { b.Clocks.Join(s) })
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
	i := b.made(t)
	b.note(func(program.Times) {
		b.instants[i] = b.Clocks.Sync(s, k)
		b.sim.watch(b.instants[i])
	})
	return t
}

// Exchange is part of [clock.Clocks].
func (b *block) Exchange(s *procs.System, start clock.Instant, demands ...clock.Demand) clock.Instant {
	own := slices.Clone(demands)
	t := b.Clocks.Exchange(s, start, demands...)
	from, to := b.placeOf(start), b.made(t)
	b.note(func(program.Times) { b.instants[to] = b.Clocks.Exchange(s, b.instants[from], own...) })
	return t
}

// Delay is part of [clock.Clocks].
func (b *block) Delay(s *procs.System, k interval.Kind, from, to clock.Instant) {
	i, j := b.placeOf(from), b.placeOf(to)
	b.note(func(program.Times) { b.Clocks.Delay(s, k, b.instants[i], b.instants[j]) })
	b.Clocks.Delay(s, k, from, to)
}

// Await is part of [clock.Clocks].
func (b *block) Await(s *procs.System, k interval.Kind, start, end clock.Instant, snapshot clock.Snapshot) {
	i, j := b.placeOf(start), b.placeOf(end)
	b.odd = b.odd || snapshot != 0
	b.note(func(program.Times) { b.Clocks.Await(s, k, b.instants[i], b.instants[j], 0) })
	b.Clocks.Await(s, k, start, end, snapshot)
}

// Variation is part of [clock.Clocks].
func (b *block) Variation(s *procs.System, k interval.Kind) {
	b.note(func(program.Times) { b.Clocks.Variation(s, k) })
	b.Clocks.Variation(s, k)
}

// Forget is part of [clock.Clocks].
func (b *block) Forget(t clock.Instant) {
	i := b.placeOf(t)
	b.note(func(program.Times) { b.Clocks.Forget(b.instants[i]) })
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
	from, to := b.placeOf(start), b.placeOf(end)
	b.note(func(t program.Times) { b.Clocks.Placed(x, t.Seq, messages, bytes, b.instants[from], b.instants[to]) })
	b.Clocks.Placed(x, by, messages, bytes, start, end)
}

// Pipeline is part of [clock.Clocks].
func (b *block) Pipeline(p *clock.Pipeline) {
	b.odd = true
	b.Clocks.Pipeline(p)
}
