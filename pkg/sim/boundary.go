package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// boundary is an exchange that is tied to the iterations at the edges of a
// loop's blocks (model section 6, exfrst_ and imlast_).
type boundary struct {
	call  call.Call
	group *object.ShadowGroup
	cost  costs
	// first marks exfrst_; sys synchronized at start then.
	first bool
	start units.Seconds
	mark  Mark
	sys   *object.System
}

// exportFirst handles exfrst_: the processors start together; the exchange
// begins when the iterations whose results others need are done, which is
// settled at the loop's endpl_.
func exportFirst(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	cost, err := s.shadows(c, g)
	if err != nil {
		return err
	}
	s.tree.operation(interval.Shadow)
	sys := s.objects.Current()
	start, mark := s.startAsync(sys, interval.Shadow)
	s.edges = append(s.edges, boundary{call: c.Clone(), group: g, cost: cost, first: true, start: start, mark: mark, sys: sys})
	return nil
}

// importLast handles imlast_: the iterations that need imported elements run
// behind the wait for them, at the loop's endpl_; until then the loop's time
// is kept back.
func importLast(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	if s.flying(g) < 0 {
		return object.Error(c, "wait", "the exchange of the group was not started, expected strtsh_ or exfrst_ before")
	}
	s.edges = append(s.edges, boundary{group: g})
	s.keepBack = true
	return nil
}

// endLoop handles endpl_: exchanges of boundary iterations begin, and the
// iterations that wait for imported elements are done.
func endLoop(s *Sim, c *call.Call) error {
	l, err := s.objects.EndLoop(c)
	if err != nil {
		return err
	}
	if s.pipe != nil {
		if s.pipe.time != 0 {
			// No dopl_ said that the loop was over.
			if err := s.runPipe(c, l); err != nil {
				return err
			}
		}
		s.pipe = nil
	}
	edges, t, kept := s.edges, s.loopTime, s.keepBack
	s.edges, s.loopTime, s.keepBack = nil, 0, false
	if len(edges) == 0 {
		return nil
	}
	var imports []*object.ShadowGroup
	for i := range edges {
		if !edges[i].first {
			imports = append(imports, edges[i].group)
		}
	}
	in := edgeShare(l, imports, true)
	if kept = kept && t != 0; kept {
		s.passEdges(l, t, in, false)
	}
	for i := range edges {
		b := &edges[i]
		if !b.first {
			if err := s.await(c, b.group); err != nil {
				return err
			}
			continue
		}
		if err := s.beginBoundary(b, l, t); err != nil {
			return err
		}
	}
	if kept {
		s.passEdges(l, t, in, true)
	}
	return nil
}

// beginBoundary starts the exchange of b: at the common clock before the loop
// plus the longest time that anybody spends in the iterations at the edges.
func (s *Sim) beginBoundary(b *boundary, l *object.Loop, t units.Seconds) error {
	if i := s.flying(b.group); i >= 0 {
		return object.Error(&b.call, "start", "the operation begun at %v is still under way, expected its wait before", s.flights[i].pos)
	}
	start := b.start
	if e := edgeShare(l, []*object.ShadowGroup{b.group}, false); e != nil && t != 0 {
		start += s.clocks.Longest(l.System, e.labels, func(labels []int64) units.Seconds {
			n, inner := e.counts(labels)
			return scaled(t, float64(n-inner)/float64(e.total))
		})
	}
	if s.explained != nil {
		s.say("the exchange of %s begins at the common clock %s plus the longest time in the iterations that it exports: %s", originOf(&b.call), micro(b.start), micro(start))
	}
	end, err := b.cost(start, b.sys)
	if err != nil {
		return err
	}
	s.flights = append(s.flights, flight{key: b.group, by: originOf(&b.call), pos: b.call.Pos, kind: interval.Shadow, sys: b.sys, start: start, end: end, mark: b.mark})
	return nil
}

// passEdges passes the part of a loop's time t that belongs to the iterations
// at the edges, or to the others.
func (s *Sim) passEdges(l *object.Loop, t units.Seconds, e *edgeCounts, edges bool) {
	if e == nil {
		if !edges {
			s.passLoop(l, l.Share, t)
		}
		return
	}
	if s.explained != nil {
		which := "the others"
		if edges {
			which = "the iterations at the edges, which need imported elements"
		}
		s.say("of the loop's time %s: the part of %s", micro(t), which)
	}
	twice := inVain(l.Share.Same)
	s.clocks.AddBy(l.System, e.labels, func(labels []int64) Amount {
		n, inner := e.counts(labels)
		if edges {
			inner = n - inner
		}
		return Amount{User: scaled(t, float64(inner)/float64(e.total)), UserTwice: twice}
	})
}

// edgeCounts are the iterations of a loop's processors and how many of them
// are not at an edge of their block: products of numbers per dimension.
type edgeCounts struct {
	labels [][]int64
	// n and inner hold, for each grid dimension and label, the iterations
	// along it and those that are not at an edge.
	n, inner [][]int64
	free     int64
	total    int64
}

// counts returns the iterations of a processor and those not at an edge.
func (e *edgeCounts) counts(labels []int64) (n, inner int64) {
	n, inner = e.free, e.free
	for k, l := range labels {
		n *= e.n[k][l]
		inner *= e.inner[k][l]
	}
	return n, inner
}

// edgeShare returns which iterations of l are at the edges that the groups
// exchange: those whose elements others need, or with imports those that need
// others' elements. It is nil for a loop that is not mapped or has no
// iterations, and for one that has a dimension cut along two grid dimensions.
func edgeShare(l *object.Loop, groups []*object.ShadowGroup, imports bool) *edgeCounts {
	if l.Map == nil || l.Share == nil || l.Share.Total == 0 || l.Share.Diagonal() {
		return nil
	}
	e := &edgeCounts{free: l.Share.Free(), total: l.Share.Total}
	for k := range l.Map.Spans {
		sp := &l.Map.Spans[k]
		n := l.Map.Grid[k]
		type pair struct{ n, inner int64 }
		ids := map[pair]int64{}
		labels := make([]int64, n)
		var ns, inners []int64
		low, high := edgeWidths(groups, k, imports)
		first, last := -1, -1
		if sp.Dim >= 0 {
			for c := range n {
				if sp.Lo[c] < sp.Hi[c] {
					if first < 0 {
						first = c
					}
					last = c
				}
			}
		}
		for c := range n {
			p := pair{1, 1}
			if sp.Dim < 0 {
				if c < sp.First || c > sp.Last {
					p = pair{}
				}
			} else {
				p.n = sp.Hi[c] - sp.Lo[c]
				p.inner = p.n
				if c != first {
					p.inner -= low
				}
				if c != last {
					p.inner -= high
				}
				p.inner = max(0, p.inner)
			}
			id, ok := ids[p]
			if !ok {
				id = int64(len(ns))
				ids[p] = id
				ns, inners = append(ns, p.n), append(inners, p.inner)
			}
			labels[c] = id
		}
		e.labels, e.n, e.inner = append(e.labels, labels), append(e.n, ns), append(e.inner, inners)
	}
	return e
}

// edgeWidths returns how many iterations from the low and the high end of a
// block are at an edge along grid dimension k. An element of the low end is
// somebody's right edge, and needs the left one.
func edgeWidths(groups []*object.ShadowGroup, k int, imports bool) (low, high int64) {
	for _, g := range groups {
		for i := range g.Edges {
			ed := &g.Edges[i]
			if ed.Array.Map == nil || k >= len(ed.Array.Map.Spans) {
				continue
			}
			d := ed.Array.Map.Spans[k].Dim
			if d < 0 {
				continue
			}
			lo, hi := ed.Hi[d], ed.Lo[d]
			if imports {
				lo, hi = hi, lo
			}
			low, high = max(low, lo), max(high, hi)
		}
	}
	return low, high
}
