package sim

import (
	"math"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// pipe is the pipelined loop that is open (model section 9).
type pipe struct {
	started bool          // its first dopl_ was there
	time    units.Seconds // of the dopl_ calls after the first
	passed  bool          // the pipeline has run
}

// across handles across_: the loop becomes a pipeline.
func across(s *Sim, c *call.Call) error {
	if err := s.objects.Across(c); err != nil {
		return err
	}
	s.tree.operation(interval.Shadow)
	s.pipe = &pipe{}
	return nil
}

// doAcross handles dopl_ of a pipelined loop: the first one exchanges the old
// values, the one that ends the loop runs the pipeline with the time of all
// after the first.
func (s *Sim) doAcross(c *call.Call, l *object.Loop) error {
	more, err := c.RetInt("DoPL")
	if err != nil {
		return err
	}
	p := s.pipe
	if !p.started {
		p.started = true
		if c.CallTime != 0 {
			s.user(s.objects.Current(), c.CallTime)
		}
		if more == 0 {
			return nil
		}
		if l.Across.Old == nil {
			return s.whileWaiting(interval.Shadow, nothing)
		}
		cost, err := s.shadows(c, l.Across.Old)
		if err != nil {
			return err
		}
		return s.whileWaiting(interval.Shadow, cost)
	}
	p.time += c.CallTime
	if more != 0 {
		return nil
	}
	return s.runPipe(c, l)
}

// runPipe passes the time of a pipelined loop.
func (s *Sim) runPipe(c *call.Call, l *object.Loop) error {
	p := s.pipe
	t := p.time
	p.time, p.passed = 0, true
	if l.Share == nil || l.Share.Total == 0 {
		if t != 0 {
			s.user(s.objects.Current(), t)
		}
		return nil
	}
	g := s.stagesOf(l)
	if g == nil {
		s.passLoop(l, l.Share, t)
		return nil
	}
	for i := range g.edges {
		if err := mapped(c, g.edges[i].Array); err != nil {
			return err
		}
	}
	s.clocks.Act(l.System, g.labels, func(actors []Actor) []Part { return s.schedule(g, t, actors) })
	s.clocks.Settle(l.System, interval.Shadow)
	return nil
}

// stages is what a pipelined loop looks like on its grid.
type stages struct {
	loop  *object.Loop
	edges []object.Edge
	// step[k] is where the predecessor lies along grid dimension k: -1 at
	// the next lower coordinate, 1 at the next higher, 0 when the dimension
	// is not pipelined.
	step []int
	// filled[k] are the coordinates of dimension k that have iterations, in
	// order; place[k][c] is the position there, -1 for none.
	filled [][]int
	place  [][]int
	labels [][]int64
	// hops is D, extents are those of the quantised loop dimensions.
	hops    int64
	extents []int64
}

// stagesOf returns the pipeline of a loop, nil when no dimension is pipelined:
// dimensions of the new group with a width that are cut into blocks for more
// than one coordinate.
func (s *Sim) stagesOf(l *object.Loop) *stages {
	if l.Across.New == nil || l.Map == nil || l.Share.Diagonal() {
		return nil
	}
	n := len(l.Map.Grid)
	g := &stages{loop: l, edges: l.Across.New.Edges, step: make([]int, n), filled: make([][]int, n), place: make([][]int, n)}
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
	_, single := s.net.Single()
	g.labels = g.label(single)
	return g
}

// direction returns where the predecessors lie along grid dimension k for the
// edges of new values: a left edge comes from the block with lower indices.
func direction(edges []object.Edge, k int) int {
	for i := range edges {
		m := edges[i].Array.Map
		if m == nil || k >= len(m.Spans) || m.Spans[k].Dim < 0 {
			continue
		}
		sp := &m.Spans[k]
		step := 0
		switch {
		case edges[i].Lo[sp.Dim] > 0:
			step = -1
		case edges[i].Hi[sp.Dim] > 0:
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
// their blocks differ. Where links use different media every processor is told
// from every other.
func (g *stages) label(single bool) [][]int64 {
	m := g.loop.Map
	labels := make([][]int64, len(m.Grid))
	for k, n := range m.Grid {
		labels[k] = make([]int64, n)
		ids := map[string]int64{}
		for c := range n {
			if !single || g.step[k] != 0 {
				labels[k][c] = int64(c)
				continue
			}
			key := extentKey(&m.Spans[k], c)
			for i := range g.edges {
				if am := g.edges[i].Array.Map; k < len(am.Spans) {
					key += extentKey(&am.Spans[k], c)
				}
			}
			id, ok := ids[key]
			if !ok {
				id = int64(len(ids))
				ids[key] = id
			}
			labels[k][c] = id
		}
	}
	return labels
}

// extentKey spells how much coordinate c owns.
func extentKey(sp *layout.Span, c int) string {
	n := int64(0)
	if sp.Dim >= 0 {
		n = sp.Hi[c] - sp.Lo[c]
	} else if sp.Holds(c) {
		n = -1
	}
	var b [9]byte
	for i := range 8 {
		b[i] = byte(n >> (8 * i))
	}
	b[8] = ';'
	return string(b[:])
}

// edgeBytes returns the bytes that the processor at coords receives along grid
// dimension k: the width of the edge times the other extents of its block, of
// all arrays.
func (g *stages) edgeBytes(coords []int, k int) units.Bytes {
	var sum float64
	for i := range g.edges {
		e := &g.edges[i]
		m := e.Array.Map
		if len(m.Grid) != len(coords) || m.Spans[k].Dim < 0 {
			continue
		}
		d := m.Spans[k].Dim
		width := max(e.Lo[d], e.Hi[d])
		box := make([]layout.Interval, len(m.Size))
		if width == 0 || !m.Owned(coords, box) {
			continue
		}
		v := float64(width) * float64(e.Array.ElemSize)
		for j := range box {
			if j != d {
				v *= float64(box[j].Len())
			}
		}
		sum += v
	}
	return units.Bytes(math.Min(sum, 1<<62))
}

// schedule runs the pipeline of loop time t with the given processors and
// returns what becomes of each.
func (s *Sim) schedule(g *stages, t units.Seconds, actors []Actor) []Part {
	sys, share := g.loop.System, g.loop.Share
	parts := make([]Part, len(actors))
	twice := inVain(share.Same)
	at := make(map[int]int, len(actors)) // number in sys -> stage
	order := make([]int, 0, len(actors))
	depth := make([]int, len(actors))
	labels := make([]int64, len(sys.Grid))
	counts := make([]int64, len(actors))
	for i := range actors {
		for k, c := range actors[i].Coords {
			labels[k] = share.Labels[k][c]
			if g.step[k] < 0 {
				depth[i] += g.place[k][c]
			} else if g.step[k] > 0 {
				depth[i] += len(g.filled[k]) - 1 - g.place[k][c]
			}
		}
		if counts[i] = share.Count(labels); counts[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return depth[a] - depth[b] })
	st := make([]comm.Stage, len(order))
	a := comm.Across{Hops: g.hops}
	for n, i := range order {
		ac := &actors[i]
		work := scaled(t, float64(counts[i])/float64(share.Total))
		parts[i].Work = Amount{User: work, UserTwice: twice}
		st[n] = comm.Stage{Clock: ac.Clock, Work: work / units.Seconds(ac.Power), Copies: ac.N}
		own := linear(sys.Grid, ac.Coords)
		at[own] = n
		var received units.Seconds
		for k := range sys.Grid {
			from := g.predecessor(ac.Coords, k)
			if from < 0 {
				continue
			}
			c := ac.Coords[k]
			ac.Coords[k] = from
			pred := linear(sys.Grid, ac.Coords)
			ac.Coords[k] = c
			h := comm.Hop{From: at[pred], Bytes: g.edgeBytes(ac.Coords, k), On: s.net.Between(sys.Rank(pred), sys.Rank(own))}
			st[n].Hops = append(st[n].Hops, h)
			md := h.On.Node.Medium
			a.TStart = max(a.TStart, md.TStart)
			received += scaled(units.Seconds(md.TByte), float64(h.Bytes))
		}
		a.Work, a.Transfer = max(a.Work, st[n].Work), max(a.Transfer, received)
	}
	q := s.quanta(g, &a, st)
	s.explainPipe(g, &a, q)
	for n, tm := range comm.Pipe(st, q) {
		p := &parts[order[n]]
		p.Transfer, p.Overlap, p.Wait, p.Ends, p.End = tm.Start+tm.Transfer, tm.Hidden, tm.Wait, true, tm.End
		s.explainStage(&actors[order[n]], &st[n], &tm)
	}
	return parts
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

// quanta chooses the number of quanta: by the formula, or by trying shapes
// (--across search).
func (s *Sim) quanta(g *stages, a *comm.Across, st []comm.Stage) int64 {
	all := comm.Pieces(g.extents)
	if s.cfg.Options.Across != "search" || g.loop.Across.Stages >= 1 {
		return comm.Pieces(comm.Shape(a.Quanta(all, g.loop.Across.Stages), g.extents))
	}
	best, bestEnd := int64(1), units.Seconds(math.Inf(1))
	tried := map[int64]bool{}
	for _, shape := range comm.Shapes(g.extents) {
		q := comm.Pieces(shape)
		if tried[q] {
			continue
		}
		tried[q] = true
		var end units.Seconds
		for _, tm := range comm.Pipe(st, q) {
			end = max(end, tm.End)
		}
		if end < bestEnd {
			best, bestEnd = q, end
		}
	}
	return best
}
