package sim

import (
	"context"
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
	sim       *Sim
	questions []question
	// instants are those of the step, numbers what they were the second time.
	instants []clock.Instant
	numbers  []int64
	// expected is how much work the times of the call at hand are still to give.
	expected int
	// entered is the account of the questions so far, wanted that of the next one,
	// none before the first of the step.
	entered, wanted clock.Account
	odd             bool
	before          standing
	counted         []*int64 // what each time adds 1 to
}

// none is no account.
const none clock.Account = -1

// question is something that is asked of the clocks. Its fields are arguments of what
// it asks; some have a meaning for some only.
type question struct {
	ask    ask
	kind   interval.Kind
	system *procs.System
	// from and to are instants by their places, or the first of the times of the step
	// that are passed and the one behind the last.
	from, to  int
	redundant float64
	parts     *clock.Parts
	account   clock.Account
	demands   []clock.Demand
	placed    *placed
}

// placed is an exchange that is taken note of, of the call at a place of the step.
type placed struct {
	number   int
	messages int64
	bytes    units.Bytes
	at       int
}

// ask is what a [question] asks.
type ask uint8

const (
	askTimes ask = iota // that all processors pass alike
	askParts            // a time that they pass by parts
	askEnter
	askJoin
	askSync
	askExchange
	askDelay
	askAwait
	askVariation
	askForget
	askPlaced
)

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
	s.block = &block{Clocks: s.clocks, sim: s, before: s.stands(), entered: none, wanted: none}
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
func (s *Sim) passSteps(ctx context.Context, src repeating) error {
	if p := &s.repeats.place; p.Turn == program.Second && p.At == p.Period-1 {
		s.closeBlock()
	}
	b := s.block
	if b == nil || s.clocks == clock.Clocks(b) {
		return nil
	}
	steps := int64(0)
	for !s.over && ctx.Err() == nil {
		t, ok := src.TimeStep()
		if !ok {
			break
		}
		b.again(&t)
		steps++
	}
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

// again asks all questions again, with the times of another step.
func (b *block) again(step *program.TimeStep) {
	c, times := b.Clocks, step.Times
	for i := range b.questions {
		q := &b.questions[i]
		switch q.ask {
		case askTimes:
			clock.AddTimes(c, q.system, q.redundant, times[q.from:q.to], q.from%2 != 0)
		case askParts:
			var spent [2]units.Seconds // before the call, inside it
			spent[q.from%2] = times[q.from]
			if spent != [2]units.Seconds{} {
				c.AddParts(q.system, q.parts, spent[0], spent[1])
			}
		case askEnter:
			c.Enter(q.account)
		case askJoin:
			c.Join(q.system)
		case askSync:
			t := c.Sync(q.system, q.kind)
			b.instants[q.to] = t
			b.sim.watch(t)
		case askExchange:
			b.instants[q.to] = c.Exchange(q.system, b.instants[q.from], q.demands...)
		case askDelay:
			c.Delay(q.system, q.kind, b.instants[q.from], b.instants[q.to])
		case askAwait:
			c.Await(q.system, q.kind, b.instants[q.from], b.instants[q.to], 0)
		case askVariation:
			c.Variation(q.system, q.kind)
		case askForget:
			c.Forget(b.instants[q.from])
		case askPlaced:
			x := q.placed
			c.Placed(x.number, step.Seq(x.at), x.messages, x.bytes, b.instants[q.from], b.instants[q.to])
		}
	}
}

func (b *block) note(q question) {
	b.reach()
	b.questions = append(b.questions, q)
}

// reach writes down that the account that is wanted is entered.
func (b *block) reach() {
	if a := b.wanted; b.entered != a {
		b.entered = a
		b.questions = append(b.questions, question{ask: askEnter, account: a})
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
// of an open loop, or alike. In the body of a loop it is booked to the body. Times in
// a row that are passed alike are one question.
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
	at := 2 * s.repeats.place.At
	if inside {
		at++
	}
	if inLoop && p.share != nil {
		b.odd = b.odd || s.loop.deferred() || len(s.loop.edges) > 0 || p.cost != nil
		b.note(question{ask: askParts, system: p.loop.System, parts: p.partsOfAll(), from: at})
		return
	}
	sys := s.objects.Current()
	b.reach()
	if n := len(b.questions); n > 0 {
		if q := &b.questions[n-1]; q.ask == askTimes && q.system == sys && q.to == at {
			q.to++
			return
		}
	}
	b.note(question{ask: askTimes, system: sys, redundant: s.redundantOf(sys), from: at, to: at + 1})
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
