package sim

import (
	"encoding/binary"
	"math"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
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
	sys   *procs.System
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
	edges, parts, kept := s.edges, s.loopParts, s.keepBack
	s.edges, s.loopParts, s.keepBack = nil, nil, false
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
	if kept = kept && len(parts) > 0; kept {
		in = edgeShare(l, parts, imports, true)
		s.passEdges(l, parts, in, false)
	}
	for i := range edges {
		b := &edges[i]
		if !b.first {
			if err := s.await(c, b.group); err != nil {
				return err
			}
			continue
		}
		if err := s.beginBoundary(b, l, parts); err != nil {
			return err
		}
	}
	if kept {
		s.passEdges(l, parts, in, true)
	}
	return nil
}

// loopPart is loop time that one or more dopl_ calls passed, and what they
// executed: its is nil for the whole loop.
type loopPart struct {
	time  units.Seconds
	its   []layout.Iterations
	share *layout.Share
}

// keepPart notes loop time for what waits for the end of the loop.
func (s *Sim) keepPart(t units.Seconds, its []layout.Iterations, share *layout.Share) {
	if n := len(s.loopParts); n > 0 && slices.Equal(s.loopParts[n-1].its, its) {
		s.loopParts[n-1].time += t
		return
	}
	s.loopParts = append(s.loopParts, loopPart{t, its, share})
}

// beginBoundary starts the exchange of b: at the common clock before the loop
// plus the longest time that anybody spends in the iterations at the edges.
func (s *Sim) beginBoundary(b *boundary, l *object.Loop, parts []loopPart) error {
	if i := s.flying(b.group); i >= 0 {
		return object.Error(&b.call, "start", "the operation begun at %v is still under way, expected its wait before", s.flights[i].pos)
	}
	start := b.start
	if e := edgeShare(l, parts, []*object.ShadowGroup{b.group}, false); e != nil {
		s.sayEdges("in exported iterations", e, true)
		start += s.clocks.Longest(l.System, e.labels, func(labels []int64) units.Seconds { return e.time(labels, true) })
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

// passEdges passes the part of a loop's time that belongs to the iterations at
// the edges, or to the others.
func (s *Sim) passEdges(l *object.Loop, parts []loopPart, e *edgeCounts, edges bool) {
	if e == nil {
		for i := range parts {
			if !edges {
				s.passLoop(l, parts[i].share, parts[i].time)
			}
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
	twice := inVain(l.Share.Same)
	s.clocks.AddBy(l.System, e.labels, func(labels []int64) Amount {
		return Amount{User: e.time(labels, edges), UserTwice: twice}
	})
}

// edgeCounts are the iterations of a loop's processors and how many of them
// are not at an edge of their block, for each part of the loop: products of
// numbers per dimension.
type edgeCounts struct {
	labels [][]int64
	parts  []edgePart
}

// edgePart holds, for each grid dimension and label, the iterations along it
// and those that are not at an edge.
type edgePart struct {
	part     *loopPart
	n, inner [][]int64
	free     int64
	total    int64
}

// time returns how long a processor of power 1 works at the edges, or not at
// the edges.
func (e *edgeCounts) time(labels []int64, edges bool) units.Seconds {
	var t units.Seconds
	for i := range e.parts {
		p := &e.parts[i]
		t += scaled(p.part.time, float64(p.count(labels, edges))/float64(p.total))
	}
	return t
}

// count returns how many iterations a processor has at the edges, or not at
// the edges.
func (p *edgePart) count(labels []int64, edges bool) int64 {
	n, inner := p.free, p.free
	for k, l := range labels {
		n *= p.n[k][l]
		inner *= p.inner[k][l]
	}
	if edges {
		return n - inner
	}
	return inner
}

// most returns the labels with which e.time is longest.
func (e *edgeCounts) most(edges bool) []int64 {
	labels := make([]int64, len(e.labels))
	best, longest := slices.Clone(labels), e.time(labels, edges)
	for k := 0; k < len(labels); {
		if labels[k]++; labels[k] > slices.Max(e.labels[k]) {
			labels[k] = 0
			k++
			continue
		}
		k = 0
		if t := e.time(labels, edges); t > longest {
			copy(best, labels)
			longest = t
		}
	}
	return best
}

// edgeShare returns which iterations of l are at the edges that the groups
// exchange: those at elements that others need, or with imports those at
// elements whose neighbours others have. It is nil for a loop that is not
// mapped, has no iterations, or has a dimension cut along two grid dimensions.
func edgeShare(l *object.Loop, parts []loopPart, groups []*object.ShadowGroup, imports bool) *edgeCounts {
	if l.Map == nil || l.Template == nil || l.Template.Dist == nil || l.Share == nil || l.Share.Total == 0 || l.Share.Diagonal() || len(parts) == 0 {
		return nil
	}
	e := &edgeCounts{parts: make([]edgePart, len(parts))}
	maps := make([]*layout.Mapping, len(parts))
	rules := make([][]layout.Rule, len(parts))
	for i := range parts {
		its := parts[i].its
		if its == nil {
			its = l.Iterations
		}
		placed, counts, err := layout.LoopRules(l.Rules, its)
		if err != nil {
			return nil
		}
		if maps[i], err = layout.Place(l.Template.Dist, placed, counts); err != nil {
			return nil
		}
		rules[i] = placed
		e.parts[i] = edgePart{part: &parts[i], free: parts[i].share.Free(), total: parts[i].share.Total}
	}
	for k, n := range l.Map.Grid {
		ids := map[string]int64{}
		labels := make([]int64, n)
		for i := range e.parts {
			e.parts[i].n, e.parts[i].inner = append(e.parts[i].n, nil), append(e.parts[i].inner, nil)
		}
		sources := edgesAlong(l, groups, k, imports)
		var key []byte
		counts := make([][2]int64, len(maps))
		for c := range n {
			key = key[:0]
			zones := zonesAt(sources, c)
			for i := range maps {
				all, inner := alongEdge(&maps[i].Spans[k], l.Template.Dist, rules[i], k, c, zones)
				counts[i] = [2]int64{all, inner}
				key = binary.AppendVarint(binary.AppendVarint(key, all), inner)
			}
			id, ok := ids[string(key)]
			if !ok {
				id = int64(len(ids))
				ids[string(key)] = id
				for i := range maps {
					p := &e.parts[i]
					p.n[k], p.inner[k] = append(p.n[k], counts[i][0]), append(p.inner[k], counts[i][1])
				}
			}
			labels[c] = id
		}
		e.labels = append(e.labels, labels)
	}
	return e
}

// edgeSource are the edges of one array along a grid dimension.
type edgeSource struct {
	span        *layout.Span
	rule        layout.Rule // places the array's indices on the template
	low, high   int64       // how many elements from either end are at an edge
	first, last int64       // the first indices of the first and the last block
}

// edgesAlong lists what the groups exchange along grid dimension k. An element
// of the low end is somebody's right edge, and needs the left one.
func edgesAlong(l *object.Loop, groups []*object.ShadowGroup, k int, imports bool) []edgeSource {
	var out []edgeSource
	for _, g := range groups {
		for i := range g.Edges {
			ed := &g.Edges[i]
			a := ed.Array
			if a.Map == nil || a.Template != l.Template || k >= len(a.Map.Spans) || a.Map.Spans[k].Dim < 0 {
				continue
			}
			sp := &a.Map.Spans[k]
			s := edgeSource{span: sp, rule: a.Rules[l.Template.Dist.Dims[k].Axis], low: ed.Hi[sp.Dim], high: ed.Lo[sp.Dim], first: math.MaxInt64, last: -1}
			if imports {
				s.low, s.high = s.high, s.low
			}
			for c := range sp.Lo {
				if sp.Lo[c] < sp.Hi[c] {
					s.first, s.last = min(s.first, sp.Lo[c]), max(s.last, sp.Lo[c])
				}
			}
			out = append(out, s)
		}
	}
	return out
}

// zone are the elements first, first+step, ... last of a template's axis.
type zone struct{ first, last, step int64 }

// zonesAt returns where on the template the edges of the block of coordinate c
// lie.
func zonesAt(sources []edgeSource, c int) []zone {
	var out []zone
	for i := range sources {
		s := &sources[i]
		lo, hi := s.span.Lo[c], s.span.Hi[c]
		if lo == hi {
			continue
		}
		add := func(from, to int64) {
			if from > to {
				return
			}
			z := zone{s.rule.A*from + s.rule.B, s.rule.A*to + s.rule.B, s.rule.A}
			if z.step < 0 {
				z = zone{z.last, z.first, -z.step}
			}
			out = append(out, z)
		}
		if lo > s.first {
			add(lo, min(hi, lo+s.low)-1)
		}
		if lo < s.last {
			add(max(lo, hi-s.high), hi-1)
		}
	}
	return out
}

// holds reports whether p is an element of one of the zones.
func holds(zones []zone, p int64) bool {
	for _, z := range zones {
		if p >= z.first && p <= z.last && (p-z.first)%z.step == 0 {
			return true
		}
	}
	return false
}

// touches reports whether iterations that r places alike, on one element or on
// replicas, lie on an element of a zone.
func touches(zones []zone, r layout.Rule) bool {
	switch r.Kind {
	case layout.Constant:
		return holds(zones, r.B)
	case layout.Bounded:
		for _, z := range zones {
			for p := z.first; p <= z.last; p += z.step {
				if p >= r.A && p <= r.B && (p-r.A)%max(r.Step, 1) == 0 {
					return true
				}
			}
		}
		return false
	}
	return len(zones) > 0
}

// alongEdge returns how many iterations coordinate c of grid dimension k
// executes along the loop dimension that is cut there, and how many of them
// are not at an edge. Along a dimension that is not cut it is 1 where the loop
// is executed, and not at an edge unless all of it lies on such an element.
func alongEdge(sp *layout.Span, d *layout.Dist, rules []layout.Rule, k, c int, zones []zone) (all, inner int64) {
	if sp.Dim < 0 {
		if !sp.Holds(c) {
			return 0, 0
		}
		if d.Dims[k].Kind == layout.Cut {
			if touches(zones, rules[d.Dims[k].Axis]) {
				return 1, 0
			}
		}
		return 1, 1
	}
	r := rules[d.Dims[k].Axis]
	all = sp.Hi[c] - sp.Lo[c]
	inner = all
	// Zones are as narrow as edges; an iteration that several zones hold is
	// counted at the first of them.
	for i, z := range zones {
		first, last := sp.Lo[c], sp.Hi[c]-1
		if r.A > 0 {
			first, last = max(first, -((r.B-z.first)/r.A)), min(last, (z.last-r.B)/r.A)
			for first <= last && r.A*first+r.B < z.first {
				first++
			}
		} else {
			first, last = max(first, (r.B-z.last)/-r.A), min(last, (r.B-z.first)/-r.A)
			for first <= last && r.A*first+r.B > z.last {
				first++
			}
		}
		for t := first; t <= last; t++ {
			if p := r.A*t + r.B; holds(zones[i:i+1], p) && !holds(zones[:i], p) {
				inner--
			}
		}
	}
	return all, inner
}
