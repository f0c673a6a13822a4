package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
)

// boundary is an exchange that is tied to the iterations at the edges of a
// loop's blocks (docs/model.md#boundary-iterations).
type boundary struct {
	call    call.Call
	group   *object.ShadowGroup
	demands []clock.Demand
	// first is set by exfrst_; sys synchronized at start then.
	first    bool
	start    clock.Instant
	snapshot clock.Snapshot
	sys      *procs.System
	cost     *exchangesAt
}

// exportFirst handles exfrst_: the processors start together; the exchange
// begins when the iterations whose results others need are done, which is
// settled at the loop's endpl_.
func exportFirst(s *Sim, c *call.Call, f *found) (effect, error) {
	x := s.countOperation(interval.Shadow)
	sys := s.objects.Current()
	s.charge(x)
	start, snapshot := s.startAsync(sys, interval.Shadow)
	s.discharge(x)
	s.loop.edges = append(s.loop.edges, boundary{call: c.Clone(), group: f.shadow, demands: f.demands, first: true, start: start, snapshot: snapshot, sys: sys, cost: x})
	return effect{}, nil
}

// importLast handles imlast_: the iterations that need imported elements run
// behind the wait for them, at the loop's endpl_; until then the loop's time
// is deferred.
func importLast(s *Sim, c *call.Call, f *found) (effect, error) {
	if s.flights.find(flightKey{shadow: f.shadow}) == nil {
		return effect{}, object.Error(c, "wait", "the exchange of the group was not started, expected strtsh_ or exfrst_ before")
	}
	s.loop.edges = append(s.loop.edges, boundary{group: f.shadow})
	s.loop.last = true
	return effect{}, nil
}

// endEdges does what is tied to the boundary iterations of a loop that ends.
func (s *Sim) endEdges(c *call.Call, l *object.Loop, open *openLoop) error {
	edges, times, kept := open.edges, open.times, open.last && open.pipe == nil
	if len(edges) == 0 {
		return nil
	}
	var imports []*object.ShadowGroup
	for i := range edges {
		if !edges[i].first {
			imports = append(imports, edges[i].group)
		}
	}
	var in *edgeCounts
	if kept = kept && len(times) > 0; kept {
		in = edgeShare(l, times, imports, true)
		s.passEdges(l, times, in, false)
	}
	for i := range edges {
		b := &edges[i]
		if !b.first {
			if err := s.await(c, flightKey{shadow: b.group}); err != nil {
				return err
			}
			continue
		}
		if err := s.beginBoundary(b, l, times); err != nil {
			return err
		}
	}
	if kept {
		s.passEdges(l, times, in, true)
	}
	return nil
}

// beginBoundary starts the exchange of b: at the common clock before the loop
// plus the longest time that anybody spends in the iterations at the edges.
func (s *Sim) beginBoundary(b *boundary, l *object.Loop, times []loopTime) error {
	key := flightKey{shadow: b.group}
	if err := s.refuseSecond(&b.call, key); err != nil {
		return err
	}
	start := b.start
	if e := edgeShare(l, times, []*object.ShadowGroup{b.group}, false); e != nil {
		s.sayEdges("in exported iterations", e, true)
		start = s.afterEdges(start, l.System, e)
	}
	if s.explained != nil {
		s.say("the exchange of %s begins at the common clock %v plus the longest time in the iterations that it exports: %v", callSite(&b.call), b.start, start)
	}
	end := s.clocks.Exchange(b.sys, start, b.demands...)
	f := flight{key: key, by: callSite(&b.call), pos: b.call.Pos, kind: interval.Shadow, sys: b.sys, start: start, end: end, snapshot: b.snapshot, cost: b.cost}
	s.placed(b.cost, f.by, b.sys, start, end, b.demands)
	s.flights.open = append(s.flights.open, f)
	return nil
}

// passEdges passes the part of a loop's time that belongs to the iterations at
// the edges, or to the others.
func (s *Sim) passEdges(l *object.Loop, times []loopTime, e *edgeCounts, edges bool) {
	if e == nil {
		if !edges {
			s.passTimes(times)
		}
		return
	}
	if s.explained != nil {
		which := "in iterations that need no imported elements"
		if edges {
			which = "in iterations that need imported elements"
		}
		s.sayEdges(which, e, edges)
	}
	for i := range times {
		p := &times[i]
		counts := e.of[i]
		s.clocks.Enter(p.account)
		if s.passOwnLoop(l.System, p.of.share, p.user, p.system, e.labels, func(labels []int64) float64 { return counts.part(labels, edges) }) {
			continue
		}
		s.clocks.AddBy(l.System, e.labels, func(labels []int64) clock.Amount { return e.work(i, labels, edges) })
	}
	s.clocks.Enter(s.account())
}

// abandonLoop ends a loop that the program left open: its time passes, and
// exchanges whose start it would have settled are left out, with a warning.
func (s *Sim) abandonLoop() {
	if s.loop.deferred() {
		first := 0
		if s.loop.pipe != nil {
			first = s.loop.pipe.passed
		}
		s.passTimes(s.loop.times[first:])
		if s.loop.pipe != nil {
			s.passAllBetween(s.loop.pipe.own, everybody)
		}
	}
	for i := range s.loop.edges {
		if b := &s.loop.edges[i]; b.first {
			s.notes.warn(b.call.Pos, "no-wait", "%s: its loop did not end; the exchange is left out", callSite(&b.call))
		}
	}
}
