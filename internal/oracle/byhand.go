package oracle

import (
	"errors"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// byHand holds the calls of recvsh_ and sendsh_ for a shadow group that wait for
// their counterparts (docs/model.md#pipelines-by-hand).
type byHand struct {
	receives []*receive // recvsh_ calls without a sendsh_, the oldest first
	sends    int        // sendsh_ calls without a recvsh_
	used     int        // sendsh_ calls that ended a pipeline and whose waitsh_ is still to come
}

// A receive is a call of recvsh_. Its waitsh_ sets clocks, the time of each
// processor at the wait, and collectives, the engine's count at that time.
type receive struct {
	clocks      []float64
	collectives int
}

// recvShadow is recvsh_. It starts the exchange when sendsh_ was called before.
func (e *engine) recvShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	if g.hand.sends > 0 {
		g.hand.sends--
		return e.startEdges(g)
	}
	g.hand.receives = append(g.hand.receives, &receive{})
	return nil
}

// sendShadow is sendsh_. It belongs to the oldest recvsh_ without one and starts
// their exchange, or ends a pipeline when the program has already waited for that
// recvsh_.
func (e *engine) sendShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	if len(g.hand.receives) == 0 {
		g.hand.sends++
		return nil
	}
	r := g.hand.receives[0]
	g.hand.receives = g.hand.receives[1:]
	if r.clocks == nil || r.collectives != e.collectives {
		return e.startEdges(g)
	}
	stages, err := e.stagesByHand(g, r)
	if err != nil {
		return err
	}
	timeHops(stages)
	if stages == nil || !runStages(stages, 1) {
		return e.startEdges(g)
	}
	e.count(interval.Shadow)
	e.collectives++
	e.bookStages(stages)
	e.finishAmong(interval.Shadow, e.current().procs)
	g.hand.used++
	return nil
}

// stagesByHand returns the stages of a pipeline between the wait for r and now:
// the work of a stage is what the processor did in between. It returns nil when
// edges come from both sides of a dimension.
func (e *engine) stagesByHand(g *shadowGroup, r *receive) (map[int]*stage, error) {
	_, ts, err := e.edges(g)
	if err != nil {
		return nil, err
	}
	stages := map[int]*stage{}
	for p, t := range r.clocks {
		stages[p] = &stage{p: p, begin: t, work: e.clock[p] - t}
	}
	type side struct {
		e     *edge
		dim   int
		right bool
	}
	sides := map[side]bool{}
	for _, t := range ts {
		if len(t.dims) > 1 {
			continue
		}
		sides[side{t.e, t.dims[0], t.right}] = true
		if sides[side{t.e, t.dims[0], !t.right}] {
			return nil, nil
		}
		e.addHop(stages[t.to], t)
	}
	return stages, nil
}

// addHop makes s wait for the elements of t.
func (e *engine) addHop(s *stage, t transfer) {
	bytes := int64(len(t.elements)) * t.e.a.bytes
	if i := slices.IndexFunc(s.hops, func(h hop) bool { return h.from == t.from }); i >= 0 {
		s.hops[i].bytes += bytes
	} else {
		s.hops = append(s.hops, hop{from: t.from, bytes: bytes, times: func(h *hop) { h.over, h.tstart, h.perByte = e.network.crossings(t.from, t.to, h.bytes) }})
	}
}

// waitShadow is waitsh_. It ends the exchange that was started. When only recvsh_
// was called so far, it stores the times of the wait. After a sendsh_ that ended
// a pipeline it does nothing.
func (e *engine) waitShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	open := slices.IndexFunc(g.hand.receives, func(r *receive) bool { return r.clocks == nil })
	switch {
	case g.started != nil && g.started.fixed:
		e.await(g.started, nil)
		g.started = nil
	case open >= 0:
		*g.hand.receives[open] = receive{slices.Clone(e.clock), e.collectives}
	case g.hand.used > 0:
		g.hand.used--
	default:
		return errors.New("found a wait without a start")
	}
	return nil
}
