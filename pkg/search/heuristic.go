package search

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// heuristic tries few grids (docs/model.md#11-search; R 5).
//
// A step takes the grids of the best mark left that have some number of
// processors: the middle one, or a bound of the nearest neighbours of a best
// that was just found. Grids that can hardly be better are then dropped: those
// of that number; without an improvement all on the far side of the best; in
// every row, the grids that differ in one dimension only, those outside the
// bracket around the best of the row. R does not have the first step, which tries
// the fewest processors so that the others show what exchanges add, nor the
// descent at the end (see descend), which gets most of the grids.
func (p *pass) heuristic(ctx context.Context) error {
	h := &thinning{pass: p, rows: map[string][]*grid{}, dropped: map[*grid]bool{}}
	for _, g := range p.list {
		for k := range g.extents {
			key := rowOf(g, k)
			h.rows[key] = append(h.rows[key], g)
		}
	}
	if len(p.list) > 0 {
		if _, err := p.step(ctx, p.list[:1]); err != nil {
			return err
		}
		h.left = slices.Clone(p.list[1:])
	}
	for len(h.left) > 0 && p.evaluated < min(p.most()/4, mostInSteps) {
		list := h.next()
		improved, err := p.step(ctx, list)
		if err != nil {
			return err
		}
		h.thin(list, improved)
	}
	p.stale = p.best
	return p.descend(ctx)
}

// mostInSteps is how many grids the steps of R 5 may try, those of a search over few
// grids a quarter of what is allowed.
const mostInSteps = 20

// thinning holds the grids that a heuristic search may still try.
type thinning struct {
	*pass
	left    []*grid // in the order of the list
	dropped map[*grid]bool
	rows    map[string][]*grid // by rowOf
	// lower and upper say that the least and the greatest number of processors
	// of the nearest neighbours of the best are to be tried.
	lower, upper bool
}

// rowOf names the row of the grids that differ from g in dimension k only.
func rowOf(g *grid, k int) string {
	x := slices.Clone(g.extents)
	x[k] = 0
	return fmt.Sprint(x)
}

// next returns the grids of the next step.
func (h *thinning) next() []*grid {
	top := 0.0
	for _, g := range h.left {
		top = max(top, g.mark)
	}
	var level []*grid
	var ns []int // ascending, as the grids are
	for _, g := range h.left {
		if g.mark == top {
			level = append(level, g)
			if len(ns) == 0 || ns[len(ns)-1] != g.n {
				ns = append(ns, g.n)
			}
		}
	}
	n := h.choose(ns)
	return slices.DeleteFunc(level, func(g *grid) bool { return g.n != n })
}

// choose picks one of the numbers of processors ns, which ascend.
func (h *thinning) choose(ns []int) int {
	if h.best != nil {
		low, high := neighbourhood(h.best)
		if h.lower {
			h.lower = false
			if i, _ := slices.BinarySearchFunc(ns, low, compareFloor); i > 0 {
				return ns[i-1]
			}
		}
		if h.upper {
			h.upper = false
			if i, _ := slices.BinarySearchFunc(ns, high, func(n int, x float64) int {
				if float64(n) < x {
					return -1
				}
				return 1
			}); i < len(ns) {
				return ns[i]
			}
		}
	}
	return ns[(len(ns)-1)/2]
}

// compareFloor orders a number of processors before a bound that it does not
// exceed.
func compareFloor(n int, x float64) int {
	if float64(n) <= x {
		return -1
	}
	return 1
}

// neighbourhood returns the least and the most processors of the nearest
// neighbours of a grid, one coordinate more or less in one dimension.
func neighbourhood(g *grid) (low, high float64) {
	low, high = math.Inf(1), 0
	for _, e := range g.extents {
		low = min(low, float64(g.n)-float64(g.n/e))
		high = max(high, float64(g.n)+float64(g.n/e))
	}
	return low, high
}

// thin drops the grids that can hardly be better, after a step.
func (h *thinning) thin(tried []*grid, improved bool) {
	n := tried[0].n
	low, high := neighbourhood(h.bestOrTried(tried))
	if improved {
		h.lower, h.upper = true, true
	}
	for _, g := range h.left {
		x := float64(g.n)
		switch {
		case g.n == n:
			h.dropped[g] = true
		case improved || h.best == nil || x >= low && x <= high:
		case n < h.best.n && g.n < n, n > h.best.n && g.n > n:
			h.dropped[g] = true
		}
	}
	for _, g := range tried {
		for k := range g.extents {
			h.bracket(rowOf(g, k), k)
		}
	}
	h.left = slices.DeleteFunc(h.left, func(g *grid) bool { return h.dropped[g] })
}

// bestOrTried returns the best grid, or one that was tried when none could be
// simulated.
func (h *thinning) bestOrTried(tried []*grid) *grid {
	if h.best != nil {
		return h.best
	}
	return tried[0]
}

// bracket drops the grids of a row, which differ in dimension k, that lie
// outside the bracket around the best of those tried.
func (h *thinning) bracket(row string, k int) {
	var best *grid
	for _, g := range h.rows[row] {
		if h.seen[g] > 0 && g.better(best) {
			best = g
		}
	}
	if best == nil || best.score == never {
		return
	}
	low, high := 0, math.MaxInt
	for _, g := range h.rows[row] {
		if h.seen[g] == 0 || !g.score.worseBy(best.score, h.cfg.Threshold) {
			continue
		}
		switch x := g.extents[k]; {
		case x < best.extents[k]:
			low = max(low, x)
		case x > best.extents[k]:
			high = min(high, x)
		}
	}
	for _, g := range h.rows[row] {
		if x := g.extents[k]; x < low || x > high {
			h.dropped[g] = true
		}
	}
}

// most returns how many grids a heuristic search tries at most.
func (p *pass) most() int {
	if len(p.shape.Extents) == 1 {
		return 16
	}
	return int(max(16, min(p.end.Possible/10-1, 380)))
}
