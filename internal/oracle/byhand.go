package oracle

import (
	"errors"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// byHand is what recvsh_ and sendsh_ of a shadow group have left open
// (docs/model.md#pipelines-by-hand).
type byHand struct {
	receives []*receive // not answered yet
	sends    int        // that answer no receive yet
	used     int        // used up by pipelines, their waits to come
}

// A receive is a recvsh_. Once it was waited for, clocks says when each
// processor did so, and together what the engine counted by then.
type receive struct {
	clocks   []float64
	together int
}

// recvShadow is recvsh_: an exchange starts when the sendsh_ is there too.
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

// sendShadow is sendsh_: it answers the oldest recvsh_ and starts the exchange,
// or ends a pipeline when that was waited for already.
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
	if r.clocks == nil || r.together != e.together {
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
	e.together++
	e.bookStages(stages)
	e.finishAmong(interval.Shadow, e.current().procs)
	g.hand.used++
	return nil
}

// stagesByHand are the stages of a pipeline from the wait of r to now: what a
// processor did in between is its work. It returns none when edges come from
// both sides of a dimension.
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

// addHop lets s wait for what t brings.
func (e *engine) addHop(s *stage, t transfer) {
	bytes := int64(len(t.elements)) * t.e.a.bytes
	if i := slices.IndexFunc(s.hops, func(h hop) bool { return h.from == t.from }); i >= 0 {
		s.hops[i].bytes += bytes
	} else {
		s.hops = append(s.hops, hop{from: t.from, bytes: bytes, times: func(h *hop) { h.over, h.tstart, h.perByte = e.network.crossings(t.from, t.to, h.bytes) }})
	}
}

// waitShadow ends an exchange. The wait of a recvsh_ that no sendsh_ answered yet
// notes when it was made; that of a sendsh_ which a pipeline used up is no
// operation.
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
		*g.hand.receives[open] = receive{slices.Clone(e.clock), e.together}
	case g.hand.used > 0:
		g.hand.used--
	default:
		return errors.New("found a wait without a start")
	}
	return nil
}
