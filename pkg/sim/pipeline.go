package sim

import (
	"encoding/binary"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// pipe is what an open loop that is pipelined knows of itself
// (docs/model.md#9-pipelined-loops).
type pipe struct {
	started bool // its first portion has begun
	passed  int  // how many of the loop's times have passed
	// own are the own times of its portions, nil where merged ones are used.
	own *ownPipe
	// by is where its across_ is, cost what its exchanges cost.
	by   site
	cost *exchangesAt
}

// findAcross lets the table of objects follow across_.
func findAcross(s *Sim, c *call.Call, _ *found) error { return s.objects.Across(c) }

// across handles across_: the loop becomes a pipeline.
func across(s *Sim, c *call.Call, _ *found) (effect, error) {
	s.loop.pipe = &pipe{by: callSite(c), cost: s.countOperation(interval.Shadow)}
	return effect{}, nil
}

// exchangeOld exchanges the old values of a pipelined loop, before its first
// portion.
func (s *Sim) exchangeOld(c *call.Call, l *object.Loop) error {
	if l.Across == nil || l.Across.Old == nil {
		s.whileWaiting(s.loop.pipe.cost, interval.Shadow)
		return nil
	}
	d, err := s.edges(c, l.Across.Old)
	if err == nil {
		s.whileWaiting(s.loop.pipe.cost, interval.Shadow, d...)
	}
	return err
}

// runPipe passes the time of a pipelined loop, once.
func (s *Sim) runPipe(c *call.Call, l *object.Loop) error {
	times := s.loop.times[s.loop.pipe.passed:]
	s.loop.pipe.passed = len(s.loop.times)
	own := s.loop.pipe.takeOwnPortions()
	if len(times) == 0 {
		return nil
	}
	w := pipelineOf(l)
	if w == nil {
		s.passTimes(times)
		s.passAllBetween(own, everybody)
		return nil
	}
	for i := range l.Across.New.Edges {
		if err := mapped(c, l.Across.New.Edges[i].Array); err != nil {
			return err
		}
	}
	s.flights.collective++
	p := s.describePipe(w, l, times, own)
	s.chargePipeline(s.loop.pipe.cost, s.loop.pipe.by, p)
	s.passIdle(l, times, own)
	s.charge(s.loop.pipe.cost)
	s.clocks.Variation(l.System, interval.Shadow)
	s.discharge(s.loop.pipe.cost)
	return nil
}

func everybody(int) bool { return true }

// passIdle passes the own times of processors that take no part in the
// pipeline of a loop.
func (s *Sim) passIdle(l *object.Loop, times []loopTime, own *ownPipe) {
	idle := func(rank int) bool {
		i, in := l.System.Contains(rank)
		if !in {
			return true
		}
		coords := make([]int, len(l.System.Grid))
		l.System.Coords(i, coords)
		return countAt(l.Share, coords) == 0
	}
	for i := range times {
		p := &times[i]
		if p.user.own == nil && p.system.own == nil {
			continue
		}
		redundant := redundantShare(p.of.share.Same)
		s.clocks.Enter(p.account)
		s.passRest(p.user, idle, func(t units.Seconds, _ []int64) clock.Amount {
			return clock.Amount{User: t, UserRedundant: redundant}
		})
		s.passRest(p.system, idle, func(t units.Seconds, _ []int64) clock.Amount {
			return clock.Amount{System: t, SystemRedundant: redundant}
		})
	}
	s.passAllBetween(own, idle)
	s.clocks.Enter(s.account())
}

// inDoLoop returns the time inside a dopl_ of the loop.
func (p *pipe) inDoLoop(c *call.Call) spent {
	if p == nil {
		return spent{merged: c.RetTime}
	}
	return p.own.inDoLoop(c)
}

// countAt returns how many iterations of a share the processor at coords has.
func countAt(share *layout.Share, coords []int) int64 {
	return share.Count(labelsAt(share.Labels, coords))
}

// passTimes passes loop time that was deferred.
func (s *Sim) passTimes(times []loopTime) {
	for _, p := range times {
		s.clocks.Enter(p.account)
		s.passShare(p.of, p.user, p.system)
	}
	s.clocks.Enter(s.account())
}

// loopPipeline is the wavefront of a pipelined loop.
type loopPipeline struct {
	*wavefront
	// extents are those of the quantised loop dimensions.
	extents []int64
}

// pipelineOf returns the pipeline of a loop, nil when no dimension is pipelined:
// dimensions of the new group with a width that are cut into blocks for more
// than one coordinate.
func pipelineOf(l *object.Loop) *loopPipeline {
	if l.Across.New == nil || l.Map == nil || l.Share.Diagonal() {
		return nil
	}
	w := &loopPipeline{wavefront: newWavefront(l.System, l.Across.New)}
	piped := make([]bool, l.Rank)
	for k := range l.Map.Ranges {
		if sp := &l.Map.Ranges[k]; sp.Dim >= 0 {
			w.fill(k, func(c int) bool { return sp.Lo[c] < sp.Hi[c] })
			piped[sp.Dim] = piped[sp.Dim] || w.step[k] != 0
		}
	}
	if w.hops == 0 {
		return nil
	}
	for i, count := range l.Counts {
		if piped[i] {
			continue
		}
		most := count
		for k := range l.Map.Ranges {
			if sp := &l.Map.Ranges[k]; sp.Dim == i {
				most = 0
				for c := range sp.Lo {
					most = max(most, sp.Hi[c]-sp.Lo[c])
				}
			}
		}
		w.extents = append(w.extents, max(most, 1))
	}
	return w
}

// describePipe describes the pipeline to the clocks.
func (s *Sim) describePipe(w *loopPipeline, l *object.Loop, times []loopTime, own *ownPipe) *clock.Pipeline {
	apart := s.portionsApart(l.System, own, s.timesApart(l.System, times))
	p := &clock.Pipeline{
		System: l.System, Hops: w.hops, Extents: w.extents, Quanta: l.Across.Stages, Element: w.element,
		Own: own.ownQuanta(l.System),
		Labels: w.labels(func(dst []byte, k, c int) []byte {
			dst = l.Map.Ranges[k].Extent(c).AppendKey(dst)
			if apart != nil {
				dst = binary.AppendVarint(dst, apart[k][c])
			}
			for i := range times {
				if share := times[i].of.share; share != l.Share {
					dst = binary.AppendVarint(dst, share.Labels[k][c])
				}
				dst = times[i].of.appendCostKey(dst, k, c)
			}
			return dst
		}),
		Stage: func(coords []int) (clock.Stage, bool) {
			if countAt(l.Share, coords) == 0 {
				return clock.Stage{}, false
			}
			return w.stage(coords), true
		},
	}
	for _, part := range times {
		shared := part.worker()
		p.Work = append(p.Work, clock.Work{Account: part.account, Of: func(coords []int) clock.Amount {
			a := shared(coords)
			rank := l.System.Rank(l.System.Number(coords))
			a.User += part.user.of(rank)
			a.System += part.system.of(rank)
			return a
		}})
	}
	p.Work = append(p.Work, own.betweenWork(l.System)...)
	return p
}
