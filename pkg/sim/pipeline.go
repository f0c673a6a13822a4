package sim

import (
	"encoding/binary"
	"math"
	"slices"

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
	passed  int  // how many of the loop's parts it has passed
}

// across handles across_: the loop becomes a pipeline.
func across(s *Sim, c *call.Call) (effect, error) {
	if err := s.objects.Across(c); err != nil {
		return effect{}, err
	}
	s.tree.operation(interval.Shadow)
	s.loop.pipe = &pipe{}
	return effect{}, nil
}

// exchangeOld exchanges the old values of a pipelined loop, before its first
// portion.
func (s *Sim) exchangeOld(c *call.Call, l *object.Loop) error {
	if l.Across == nil || l.Across.Old == nil {
		s.whileWaiting(interval.Shadow)
		return nil
	}
	d, err := s.edges(c, l.Across.Old)
	if err == nil {
		s.whileWaiting(interval.Shadow, d...)
	}
	return err
}

// runPipe passes the time of a pipelined loop, once.
func (s *Sim) runPipe(c *call.Call, l *object.Loop) error {
	parts := s.loop.parts[s.loop.pipe.passed:]
	s.loop.pipe.passed = len(s.loop.parts)
	if len(parts) == 0 {
		return nil
	}
	g := stagesOf(l)
	if g == nil {
		s.passParts(parts)
		return nil
	}
	for i := range l.Across.New.Edges {
		if err := mapped(c, l.Across.New.Edges[i].Array); err != nil {
			return err
		}
	}
	s.clocks.Pipeline(g.pipeline(l, parts))
	s.clocks.Variation(l.System, interval.Shadow)
	return nil
}

// passParts passes loop time that was deferred.
func (s *Sim) passParts(parts []loopPart) {
	for _, p := range parts {
		s.clocks.Enter(p.account)
		s.passShare(p.of.loop.System, p.of.share, p.user, p.system)
	}
	s.clocks.Enter(s.tree.cur.account)
}

// stages is what a pipelined loop looks like on its grid.
type stages struct {
	loop  *object.Loop
	edges []pipeEdge
	// step[k] is where the predecessor lies along grid dimension k: -1 at
	// the next lower coordinate, 1 at the next higher, 0 when the dimension
	// is not pipelined.
	step []int
	// filled[k] are the coordinates of dimension k that have iterations, in
	// order; place[k][c] is the position there, -1 for none.
	filled [][]int
	place  [][]int
	// hops is D, extents are those of the quantised loop dimensions.
	hops    int64
	extents []int64
}

// pipeEdge are the edges of new values of one array, as it lies when the
// pipeline runs.
type pipeEdge struct {
	at     *layout.Mapping // nil for an array that lies nowhere
	elem   int64
	lo, hi []int64
}

func pipeEdges(g *object.ShadowGroup) []pipeEdge {
	out := make([]pipeEdge, len(g.Edges))
	for i := range g.Edges {
		e := &g.Edges[i]
		out[i] = pipeEdge{e.Array.Map, e.Array.ElemSize, e.Lo, e.Hi}
	}
	return out
}

// stagesOf returns the pipeline of a loop, nil when no dimension is pipelined:
// dimensions of the new group with a width that are cut into blocks for more
// than one coordinate.
func stagesOf(l *object.Loop) *stages {
	if l.Across.New == nil || l.Map == nil || l.Share.Diagonal() {
		return nil
	}
	n := len(l.Map.Grid)
	g := &stages{loop: l, edges: pipeEdges(l.Across.New), step: make([]int, n), filled: make([][]int, n), place: make([][]int, n)}
	piped := make([]bool, l.Rank)
	some := false
	for k := range l.Map.Spans {
		sp := &l.Map.Spans[k]
		if sp.Dim < 0 {
			continue
		}
		g.place[k] = make([]int, l.Map.Grid[k])
		for c := range g.place[k] {
			g.place[k][c] = -1
			if sp.Lo[c] < sp.Hi[c] {
				g.place[k][c] = len(g.filled[k])
				g.filled[k] = append(g.filled[k], c)
			}
		}
		if len(g.filled[k]) < 2 {
			continue
		}
		if g.step[k] = direction(g.edges, k); g.step[k] != 0 {
			some = true
			piped[sp.Dim] = true
			g.hops += int64(len(g.filled[k]) - 1)
		}
	}
	if !some {
		return nil
	}
	for i, count := range l.Counts {
		if piped[i] {
			continue
		}
		most := count
		for k := range l.Map.Spans {
			if sp := &l.Map.Spans[k]; sp.Dim == i {
				most = 0
				for c := range sp.Lo {
					most = max(most, sp.Hi[c]-sp.Lo[c])
				}
			}
		}
		g.extents = append(g.extents, max(most, 1))
	}
	return g
}

// direction returns where the predecessors lie along grid dimension k for the
// edges of new values: a left edge comes from the block with lower indices.
func direction(edges []pipeEdge, k int) int {
	for i := range edges {
		m := edges[i].at
		if m == nil || k >= len(m.Spans) || m.Spans[k].Dim < 0 {
			continue
		}
		sp := &m.Spans[k]
		step := 0
		switch {
		case edges[i].lo[sp.Dim] > 0:
			step = -1
		case edges[i].hi[sp.Dim] > 0:
			step = 1
		default:
			continue
		}
		if falling(sp) {
			step = -step
		}
		return step
	}
	return 0
}

// falling reports whether higher coordinates own lower indices.
func falling(sp *layout.Span) bool {
	prev := -1
	for c := range sp.Lo {
		if sp.Lo[c] == sp.Hi[c] {
			continue
		}
		if prev >= 0 {
			return sp.Lo[c] < sp.Lo[prev]
		}
		prev = c
	}
	return false
}

// label tells coordinates apart along pipelined dimensions, and elsewhere when
// their blocks or their shares of some part of the loop differ.
func (g *stages) label(parts []loopPart) [][]int64 {
	l := g.loop
	m := l.Map
	labels := make([][]int64, len(m.Grid))
	for k, n := range m.Grid {
		labels[k] = make([]int64, n)
		ids := map[string]int64{}
		var key []byte
		for c := range n {
			if g.step[k] != 0 {
				labels[k][c] = int64(c)
				continue
			}
			key = m.Spans[k].Extent(c).AppendKey(key[:0])
			for i := range g.edges {
				if am := g.edges[i].at; k < len(am.Spans) {
					key = am.Spans[k].Extent(c).AppendKey(key)
				}
			}
			for i := range parts {
				if share := parts[i].of.share; share != l.Share {
					key = binary.AppendVarint(key, share.Labels[k][c])
				}
			}
			id, ok := ids[string(key)]
			if !ok {
				id = int64(len(ids))
				ids[string(key)] = id
			}
			labels[k][c] = id
		}
	}
	return labels
}

// edgeBytes returns the bytes that the processor at coords receives along grid
// dimension k: the width of the edge times the other extents of its block, of
// all arrays.
func (g *stages) edgeBytes(coords []int, k int) units.Bytes {
	var sum float64
	for i := range g.edges {
		e := &g.edges[i]
		m := e.at
		if len(m.Grid) != len(coords) || m.Spans[k].Dim < 0 {
			continue
		}
		d := m.Spans[k].Dim
		width := max(e.lo[d], e.hi[d])
		box := make([]layout.Interval, len(m.Size))
		if width == 0 || !m.Owned(coords, box) {
			continue
		}
		v := float64(width) * float64(e.elem)
		for j := range box {
			if j != d {
				v *= float64(box[j].Len())
			}
		}
		sum += v
	}
	return units.Bytes(math.Min(sum, 1<<62))
}

// pipeline describes the pipeline to the clocks.
func (g *stages) pipeline(l *object.Loop, parts []loopPart) *clock.Pipeline {
	labels := make([]int64, len(l.System.Grid))
	count := func(share *layout.Share, coords []int) int64 {
		for k, c := range coords {
			labels[k] = share.Labels[k][c]
		}
		return share.Count(labels)
	}
	p := &clock.Pipeline{
		System: l.System, Labels: g.label(parts), Hops: g.hops, Extents: g.extents, Quanta: l.Across.Stages,
		Stage: func(coords []int) (clock.Stage, bool) {
			if count(l.Share, coords) == 0 {
				return clock.Stage{}, false
			}
			return g.stage(l.System.Grid, coords), true
		},
	}
	for _, part := range parts {
		share, user, system := part.of.share, part.user, part.system
		p.Work = append(p.Work, clock.Work{Account: part.account, Of: func(coords []int) clock.Amount {
			return workOf(share, count(share, coords), user, system)
		}})
	}
	return p
}

// stage describes the processor at coords.
func (g *stages) stage(grid, coords []int) clock.Stage {
	var st clock.Stage
	at := slices.Clone(coords)
	for k, c := range coords {
		if g.step[k] == 0 {
			continue
		}
		if g.step[k] < 0 {
			st.Depth += g.place[k][c]
		} else {
			st.Depth += len(g.filled[k]) - 1 - g.place[k][c]
		}
		if from := g.predecessor(coords, k); from >= 0 {
			at[k] = from
			st.From = append(st.From, clock.Predecessor{Number: linear(grid, at), Bytes: g.edgeBytes(coords, k)})
			at[k] = c
		}
	}
	return st
}

// predecessor returns the coordinate of the predecessor along dimension k, -1
// when there is none.
func (g *stages) predecessor(coords []int, k int) int {
	if g.step[k] == 0 {
		return -1
	}
	p := g.place[k][coords[k]] + g.step[k]
	if p < 0 || p >= len(g.filled[k]) {
		return -1
	}
	return g.filled[k][p]
}

func linear(grid, coords []int) int {
	i := 0
	for k, n := range grid {
		i = i*n + coords[k]
	}
	return i
}
