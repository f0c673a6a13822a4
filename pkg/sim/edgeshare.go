package sim

import (
	"math"
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/density"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// Which elements lie at an edge, along one grid dimension. An array of 12
// elements has blocks on three coordinates and shadow edges of one element on
// the left (Lo = 1) and two on the right (Hi = 2):
//
//	coordinate            0         1          2
//	element            0 1 2 3 | 4 5 6 7 | 8 9 10 11
//
//	its shadow edges         . |3|     |8 9
//	(of coordinate 1)
//
//	exported                 x   x x   x   x x            low = Hi, high = Lo
//	needs imports          x x   x   x x   x              low = Lo, high = Hi
//
// Element 3 is exported because it is the left edge of coordinate 1, elements 4
// and 5 because they are the right edge of coordinate 0. From the low end of
// every block but the first low elements are at an edge, from the high end of
// every block but the last high elements (edgesAlong). The template has the
// array's elements at A·x + B, which makes them zones of every A-th place
// (zonesAt), and the loop puts its iterations on the template by a rule of its
// own. An iteration is at an edge when it lies in a zone (alongEdge):
//
//	template, A = 2, B = 1      1   3   5   7 | 9  11  13  15 | ...
//	zone of coordinate 1                        x   x       x
//	iterations t on 2·t + 1     0   1   2   3 | 4   5   6   7 | ...
//
// Of the 4 iterations of coordinate 1, 3 are at an edge when they export.
// Processors are products of coordinates: one whose block is 4 x 4, with 1 of
// 4 iterations inside along the first dimension and 2 of 4 along the second, has
// 4·4 - 1·2 = 14 iterations at edges (edgePortion.count).

// edgeCounts are the iterations of a loop's processors and how many of them
// are not at an edge of their block, for each portion of the loop: products of
// numbers per dimension.
type edgeCounts struct {
	labels   [][]int64
	times    []loopTime
	of       []*edgePortion // of each part
	portions []*edgePortion
	// user and system are, for each part, what processors spend by the costs of
	// their iterations; nil where these all cost the same.
	user, system []*density.Shares
}

// edgePortion holds, for each grid dimension and label, the iterations along it
// and those that are not at an edge.
type edgePortion struct {
	of       *portion
	n, inner [][]int64
	// all and rest are what n and inner count, along dimensions that are cut, where
	// iterations have costs.
	all, rest [][]density.Range
}

// time returns how long a processor of power 1 works at the edges, or not at
// the edges.
func (e *edgeCounts) time(labels []int64, edges bool) units.Seconds {
	var t units.Seconds
	for i := range e.times {
		w := e.work(i, labels, edges)
		t += w.User + w.System
	}
	return t
}

// work returns what a processor does of part i of the loop's time at the edges,
// or not at the edges, own times excepted.
func (e *edgeCounts) work(i int, labels []int64, edges bool) clock.Amount {
	t, of := &e.times[i], e.of[i]
	w := workOf(t.of.share, of.count(labels, edges), t.user.merged, t.system.merged)
	if u := e.user[i]; u != nil {
		w.User = scaled(t.user.merged, of.costs(u, labels, edges))
	}
	if y := e.system[i]; y != nil {
		w.System = scaled(t.system.merged, of.costs(y, labels, edges))
	}
	return w
}

// count returns how many iterations a processor has at the edges, or not at
// the edges.
func (p *edgePortion) count(labels []int64, edges bool) int64 {
	n := p.of.share.Free()
	inner := n
	for k, l := range labels {
		n *= p.n[k][l]
		inner *= p.inner[k][l]
	}
	if edges {
		return n - inner
	}
	return inner
}

// costs returns which part of the loop's time a processor spends by costs at
// the edges, or not at the edges.
func (p *edgePortion) costs(parts *density.Shares, labels []int64, edges bool) float64 {
	all := p.costsOf(parts, labels, p.n, p.all)
	rest := p.costsOf(parts, labels, p.inner, p.rest)
	if edges {
		return max(0, all-rest)
	}
	return rest
}

// costsOf returns which part of the loop's time iterations take of which there
// are n along each dimension, with the given ranges along those that are cut.
func (p *edgePortion) costsOf(parts *density.Shares, labels []int64, n [][]int64, ranges [][]density.Range) float64 {
	for k, l := range labels {
		if n[k][l] == 0 {
			return 0
		}
	}
	return parts.Part(func(k int) density.Range { return ranges[k][labels[k]] })
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
func edgeShare(l *object.Loop, times []loopTime, groups []*object.ShadowGroup, imports bool) *edgeCounts {
	if l.Map == nil || l.Template == nil || l.Template.Dist == nil || l.Share == nil || l.Share.Total == 0 || l.Share.Diagonal() || len(times) == 0 {
		return nil
	}
	e := &edgeCounts{times: times}
	for i := range times {
		at := slices.IndexFunc(e.portions, func(p *edgePortion) bool { return p.of.same(times[i].of) })
		if at < 0 {
			at = len(e.portions)
			e.portions = append(e.portions, &edgePortion{of: times[i].of})
		}
		e.of = append(e.of, e.portions[at])
		e.user = append(e.user, times[i].of.sharesOf(times[i].user))
		e.system = append(e.system, times[i].of.sharesOf(times[i].system))
	}
	maps := make([]*layout.Mapping, len(e.portions))
	rules := make([][]layout.Rule, len(e.portions))
	for i, p := range e.portions {
		its := p.of.its
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
	}
	for k, n := range l.Map.Grid {
		ids := map[string]int64{}
		labels := make([]int64, n)
		for _, p := range e.portions {
			p.n, p.inner = append(p.n, nil), append(p.inner, nil)
			p.all, p.rest = append(p.all, nil), append(p.rest, nil)
		}
		sources := edgesAlong(l, groups, k, imports)
		var key []byte
		counts := make([][2]int64, len(maps))
		costs := make([][2]density.Range, len(maps))
		var out []int64
		for c := range n {
			key = key[:0]
			zones := zonesAt(sources, c)
			for i := range maps {
				sp := &maps[i].Ranges[k]
				var all, inner int64
				all, inner, out = alongEdge(out[:0], sp, l.Template.Dist, rules[i], k, c, zones)
				counts[i] = [2]int64{all, inner}
				key = layout.AppendIntsKey(key, counts[i][:])
				if cost := e.portions[i].of.cost; cost != nil && sp.Dim >= 0 {
					slices.Sort(out)
					costs[i] = [2]density.Range{cost.cover.Along(k, sp.Lo[c], sp.Hi[c], nil), cost.cover.Along(k, sp.Lo[c], sp.Hi[c], out)}
					key = costs[i][1].AppendKey(costs[i][0].AppendKey(key))
				}
			}
			id, ok := ids[string(key)]
			if !ok {
				id = int64(len(ids))
				ids[string(key)] = id
				for i := range maps {
					p := e.portions[i]
					p.n[k], p.inner[k] = append(p.n[k], counts[i][0]), append(p.inner[k], counts[i][1])
					p.all[k], p.rest[k] = append(p.all[k], costs[i][0]), append(p.rest[k], costs[i][1])
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
	ranges      *layout.Ranges
	rule        layout.Rule // places the array's indices on the template
	low, high   int64       // how many elements from either end are at an edge
	first, last int64       // the first indices of the first and the last block
}

// edgesAlong lists what the groups exchange along grid dimension k. An element
// of the low end is the right edge of the block before, and needs its left one.
func edgesAlong(l *object.Loop, groups []*object.ShadowGroup, k int, imports bool) []edgeSource {
	var out []edgeSource
	for _, g := range groups {
		for i := range g.Edges {
			ed := &g.Edges[i]
			a := ed.Array
			if a.Map == nil || a.Template != l.Template || k >= len(a.Map.Ranges) || a.Map.Ranges[k].Dim < 0 {
				continue
			}
			sp := &a.Map.Ranges[k]
			s := edgeSource{ranges: sp, rule: a.Rules[l.Template.Dist.Dims[k].Axis], low: ed.Hi[sp.Dim], high: ed.Lo[sp.Dim], first: math.MaxInt64, last: -1}
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
		lo, hi := s.ranges.Lo[c], s.ranges.Hi[c]
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
// are not at an edge; those that are it appends to out, along a dimension that
// is cut. Along one that is not cut it is 1 where the loop is executed, and not at
// an edge unless all of it lies on such an element.
func alongEdge(out []int64, sp *layout.Ranges, d *layout.Dist, rules []layout.Rule, k, c int, zones []zone) (all, inner int64, at []int64) {
	if sp.Dim < 0 {
		if !sp.Holds(c) {
			return 0, 0, out
		}
		if d.Dims[k].Kind == layout.Cut {
			if touches(zones, rules[d.Dims[k].Axis]) {
				return 1, 0, out
			}
		}
		return 1, 1, out
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
				out = append(out, t)
			}
		}
	}
	return all, inner, out
}
