package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// openLoop is the parallel loop between its creation and its endpl_
// (docs/model.md#8-parallel-loops).
type openLoop struct {
	// portion is the one that is under way: what passes is the work of its
	// iterations. It is nil outside of the loop's body.
	portion *portion
	// whole is the portion that stands for all iterations, nil before it was
	// handed out.
	whole *portion
	// edges are the exchanges tied to the loop's boundary iterations, and
	// last says that one of them is waited for before the iterations that
	// need it.
	edges []boundary
	last  bool
	// pipe is set when the loop is pipelined.
	pipe *pipe
	// times are the loop's time so far, where something needs to know it at
	// the loop's end.
	times []loopTime
	// first is the line of its first dopl_, for those who want lines, and
	// inBody says that the time of its body is being booked.
	first  lineKey
	inBody bool
}

// deferred reports whether the loop's time passes at its end and not before.
func (o *openLoop) deferred() bool { return o.last || o.pipe != nil }

// portion is what a dopl_ hands out.
type portion struct {
	loop *object.Loop
	// its are its iterations when they are stated, nil for the whole loop.
	its []layout.Iterations
	// share says who executes how much of it; nil when all processors of the
	// current system execute all of it.
	share *layout.Share
	// parts are the parts of processors when all iterations cost the same, nil
	// before [portion.partsOfAll] was called.
	parts *clock.Parts
	// cost is what its iterations cost, nil when all cost the same; priced says
	// that it has been looked for.
	cost   *portionCost
	priced bool
}

// loopTime is time that passed in a portion and is booked to an account.
type loopTime struct {
	of           *portion
	account      clock.Account
	user, system spent
}

// doLoop handles dopl_: it ends the portion that is under way and begins the
// next one, if the loop has one.
func doLoop(s *Sim, c *call.Call, f *found) (effect, error) {
	l := f.loop
	own := effect{byAll: true}
	s.loop.portion = nil
	if s.loop.first == (lineKey{}) {
		s.loop.first = lineKey{file: c.File, line: c.Line, body: true}
	}
	p := s.loop.pipe
	if f.portion == nil {
		if p != nil {
			return own, s.runPipe(c, l)
		}
		return own, nil
	}
	if p != nil && !p.started {
		p.started = true
		if err := s.exchangeOld(c, l); err != nil {
			return effect{}, err
		}
		s.ownPortions(l)
	}
	if p != nil && p.own != nil {
		p.own.begin()
		own.booked = s.passBetween(c)
	}
	s.loop.portion = f.portion
	if p != nil && f.portion.share != nil {
		// A pipeline sends its messages even when no time passes.
		s.keepTime(f.portion, spent{}, spent{})
	}
	return own, nil
}

// findPortion finds the loop of a dopl_ and what it hands out.
func findPortion(s *Sim, c *call.Call, f *found) (err error) {
	if f.loop, err = s.objects.CurrentLoop(c); err != nil {
		return err
	}
	more, err := c.RetInt("DoPL")
	if err != nil || more == 0 {
		return err
	}
	if f.portion, err = s.loop.portionOf(c, f.loop); err != nil {
		return err
	}
	return s.price(c, f.portion)
}

// portionOf returns what a dopl_ hands out.
func (o *openLoop) portionOf(c *call.Call, l *object.Loop) (*portion, error) {
	if l.Share == nil || l.Share.Total == 0 {
		return o.all(l, nil), nil
	}
	stated, err := c.Portion()
	if err != nil {
		return nil, err
	}
	if len(stated) != l.Rank || l.Iterations == nil {
		return o.all(l, l.Share), nil
	}
	p := &portion{loop: l, its: make([]layout.Iterations, len(stated))}
	for i, d := range stated {
		p.its[i] = layout.Iterations{Init: d.Lower, Last: d.Upper, Step: d.Step}
	}
	if p.share, err = l.Portion(c, p.its); err != nil {
		return nil, err
	}
	if p.share.Total == 0 {
		p.share = nil
	}
	return p, nil
}

// all returns the portion of all iterations of l, shared as share says.
func (o *openLoop) all(l *object.Loop, share *layout.Share) *portion {
	if o.whole == nil || o.whole.loop != l || o.whole.share != share {
		o.whole = &portion{loop: l, share: share}
	}
	return o.whole
}

// same reports whether two portions are the same iterations.
func (p *portion) same(q *portion) bool {
	return p == q || p.its == nil && q.its == nil && p.share == q.share
}

// passInBody passes time in the body of the open loop: its iterations' owners
// spend it.
func (s *Sim) passInBody(user, system spent) {
	s.enterBody()
	defer s.leaveBody()
	p := s.loop.portion
	if p.share == nil {
		s.user(user)
		s.system(system)
		return
	}
	if user.none() && system.none() {
		return
	}
	if s.loop.deferred() || len(s.loop.edges) > 0 {
		s.keepTime(p, user, system)
	}
	if s.loop.deferred() {
		s.sayDeferred(p, user, system)
		return
	}
	s.passShare(p, user, system)
}

// keepTime keeps loop time for what needs to know it at the loop's end.
func (s *Sim) keepTime(p *portion, user, system spent) {
	times := s.loop.times
	first := 0
	if p := s.loop.pipe; p != nil {
		first = p.passed
		if p.own != nil {
			p.own.add(user, system)
		}
	}
	account := s.account()
	for i := len(times) - 1; i >= first && times[i].of.same(p); i-- {
		if times[i].account == account {
			times[i].user.addIn(p, user)
			times[i].system.addIn(p, system)
			return
		}
	}
	part := loopTime{of: p, account: account}
	part.user.addIn(p, user)
	part.system.addIn(p, system)
	s.loop.times = append(times, part)
}

// passShare passes time that processors spend by their shares of a portion:
// processor i does N_i of N, what its iterations cost, or its own; what several
// of them do alike is insufficient parallelism.
func (s *Sim) passShare(p *portion, userSpent, systemSpent spent) {
	sys, share := p.loop.System, p.share
	own := userSpent.own != nil || systemSpent.own != nil
	if own && s.passOwnLoop(sys, share, userSpent, systemSpent, nil, nil) || s.passCosts(p, userSpent, systemSpent) {
		return
	}
	user, system := userSpent.merged, systemSpent.merged
	s.sayShare("loop time", user, share, sys)
	s.sayShare("time inside calls in the loop", system, share, sys)
	s.clocks.AddParts(sys, p.partsOfAll(), user, system)
}

// partsOfAll returns which part of the iterations every processor executes. It is
// kept, so that clocks can keep what follows from it.
func (p *portion) partsOfAll() *clock.Parts {
	if p.parts == nil {
		share := p.share
		p.parts = &clock.Parts{Labels: share.Labels, Redundant: redundantShare(share.Same),
			Of: func(labels []int64) float64 { return float64(share.Count(labels)) / float64(share.Total) }}
	}
	return p.parts
}

// workOf is the work of a processor that executes n iterations of a share.
func workOf(share *layout.Share, n int64, user, system units.Seconds) clock.Amount {
	part, redundant := float64(n)/float64(share.Total), redundantShare(share.Same)
	return clock.Amount{User: scaled(user, part), System: scaled(system, part), UserRedundant: redundant, SystemRedundant: redundant}
}

// findEndOfLoop finds the loop that endpl_ ends.
func findEndOfLoop(s *Sim, c *call.Call, f *found) (err error) {
	f.loop, err = s.objects.EndLoop(c)
	return err
}

// endLoop handles endpl_: exchanges of boundary iterations begin, and the
// iterations that wait for imported elements are done.
func endLoop(s *Sim, c *call.Call, f *found) (effect, error) {
	l := f.loop
	var err error
	s.loop.portion = nil
	if s.loop.pipe != nil {
		// It has run already when a dopl_ said that the loop was over.
		err = s.runPipe(c, l)
	}
	open := s.loop
	s.loop = openLoop{}
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.endEdges(c, l, &open)
}
