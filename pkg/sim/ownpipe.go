package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// maxPortionTimes bounds how many times of portions are kept while a pipelined
// loop is open, 16 MB; when there are more, its quanta are equal.
const maxPortionTimes = 1 << 21

// ownPipe are the own times of a pipelined loop, portion by portion: on the grid
// that was traced they are the quanta of the pipeline (docs/model.md#own-times).
type ownPipe struct {
	// portions is how many were handed out since the pipeline last ran; of are
	// the own times of each, nil when there were too many; known says that some
	// had any.
	portions int
	of       []spent
	known    bool
	// between is the time inside dopl_ between portions.
	between []betweenPortions
	// leads says, by the root's numbers, which processors wait for nobody in
	// dopl_; nil when that is not known, or all do.
	leads []bool
}

// betweenPortions is time inside calls of dopl_ that passes in the quantum
// behind it.
type betweenPortions struct {
	account clock.Account
	sys     *procs.System
	time    spent
}

// ownPortions prepares for the own times of a loop whose first portion begins.
func (s *Sim) ownPortions(l *object.Loop) {
	p := s.loop.pipe
	if !s.own.use || s.measured != nil || l.Across == nil {
		return
	}
	w := pipelineOf(l)
	if w == nil || !w.mapped() {
		return
	}
	p.own = &ownPipe{leads: make([]bool, s.header.Runtime.Processors)}
	for rank := range p.own.leads {
		p.own.leads[rank] = true
	}
	coords := make([]int, len(l.System.Grid))
	for i := range l.System.Size() {
		l.System.Coords(i, coords)
		if countAt(l.Share, coords) > 0 {
			p.own.leads[l.System.Rank(i)] = len(w.stage(coords).From) == 0
		}
	}
}

// mapped reports whether all arrays whose edges are sent lie somewhere.
func (w *wavefront) mapped() bool {
	for i := range w.edges {
		if w.edges[i].at == nil {
			return false
		}
	}
	return true
}

// begin begins a portion.
func (o *ownPipe) begin() {
	o.portions++
	if o.portions == 1 || o.of != nil {
		o.of = append(o.of, spent{})
	}
}

// add adds own times to the portion that is under way.
func (o *ownPipe) add(times ...spent) {
	for _, t := range times {
		if t.own == nil {
			continue
		}
		o.known = true
		if o.of == nil {
			return
		}
		if len(o.of)*len(t.own) > maxPortionTimes {
			o.of = nil
			return
		}
		o.of[len(o.of)-1].add(spent{own: t.own})
	}
}

// inDoLoop returns the time inside a dopl_ of a pipelined loop: the own time of
// processors that wait for nobody, the merged one of others.
func (o *ownPipe) inDoLoop(c *call.Call) spent {
	if o == nil || len(c.Own.Ret) == 0 {
		return spent{merged: c.RetTime}
	}
	t := spent{own: make([]units.Seconds, len(c.Own.Ret))}
	for rank, own := range c.Own.Ret {
		switch {
		case o.leads[rank]:
			t.own[rank] = max(own, 0) // Absent is negative
		case own != call.Absent:
			t.own[rank] = c.RetTime
		}
	}
	return t
}

// passBetween puts off the time inside a dopl_ that is not the first of its
// loop: it passes in the quantum that the dopl_ begins. It reports whether it
// did.
func (s *Sim) passBetween(c *call.Call) bool {
	p := s.loop.pipe
	if p.own == nil || len(c.Own.Ret) == 0 || len(s.loop.times) == p.passed {
		return false
	}
	t, account, sys := p.own.inDoLoop(c), s.account(), s.objects.Current()
	s.sayDeferred(s.loop.portion, spent{}, t)
	p.own.add(t)
	for i := range p.own.between {
		if b := &p.own.between[i]; b.account == account && b.sys == sys {
			b.time.add(t)
			return true
		}
	}
	p.own.between = append(p.own.between, betweenPortions{account, sys, t})
	return true
}

// amount is what a processor spends of it; (P-1)/P of it is redundant, as of
// all base time.
func (b *betweenPortions) amount(t units.Seconds) clock.Amount {
	return clock.Amount{System: t, SystemRedundant: redundantShare(int64(b.sys.Size()))}
}

// takeOwnPortions returns what is known of the portions since the pipeline last
// ran, nil for nothing, and forgets it.
func (p *pipe) takeOwnPortions() *ownPipe {
	o := p.own
	if o == nil {
		return nil
	}
	p.own = &ownPipe{leads: o.leads}
	return o
}

// ownQuanta describes the quanta of the run to the clocks.
func (o *ownPipe) ownQuanta(sys *procs.System) *clock.OwnQuanta {
	if o == nil || !o.known {
		return nil
	}
	q := &clock.OwnQuanta{N: o.portions}
	if o.of != nil {
		q.Of = func(coords []int, k int) units.Seconds { return o.of[k].of(sys.Rank(sys.Number(coords))) }
	}
	return q
}

// betweenWork describes the time between portions to the clocks.
func (o *ownPipe) betweenWork(sys *procs.System) []clock.Work {
	if o == nil {
		return nil
	}
	var work []clock.Work
	for i := range o.between {
		b := &o.between[i]
		work = append(work, clock.Work{Account: b.account, Of: func(coords []int) clock.Amount {
			return b.amount(b.time.of(sys.Rank(sys.Number(coords))))
		}})
	}
	return work
}

// passAllBetween passes the time between portions of the processors that left
// says are left over.
func (s *Sim) passAllBetween(o *ownPipe, left func(rank int) bool) {
	if o == nil {
		return
	}
	for i := range o.between {
		b := &o.between[i]
		s.clocks.Enter(b.account)
		s.passRest(b.time, left, func(t units.Seconds, _ []int64) clock.Amount { return b.amount(t) })
	}
	s.clocks.Enter(s.account())
}

// portionsApart returns labels of the coordinates of sys under which all times
// of the portions are equal, as labels when there are none.
func (s *Sim) portionsApart(sys *procs.System, o *ownPipe, labels [][]int64) [][]int64 {
	if o == nil {
		return labels
	}
	for i := range o.of {
		if o.of[i].own != nil {
			labels = s.apart(sys, o.of[i])
		}
	}
	for i := range o.between {
		labels = s.apart(sys, o.between[i].time)
	}
	return labels
}
