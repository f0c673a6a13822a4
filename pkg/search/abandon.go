package search

import (
	"cmp"
	"slices"

	"dvmtools/pkg/units"
)

// limits are execution times beyond which grids are not of interest: for ascending
// numbers of processors, descending times.
type limits []limit

type limit struct {
	n    int
	time units.Seconds
}

// limits returns the limits for the next grids of mode 2, made of those that were
// tried so far and keep to the conditions: a grid that takes longer than one with at
// most as many processors is neither the best nor on the front. Mode 3 tries all to
// their end, and mode 1 is guided by the times of those that are slow. Efficiency may
// be higher on a slower grid, warnings may come at the end, and another grid may be the
// best on another machine.
func (p *pass) limits() limits {
	if p.mode != NotBad || p.cfg.Objective == Efficiency || p.cfg.Strict || p.cfg.Vary != nil {
		return nil
	}
	var all limits
	for _, g := range p.list {
		if p.seen[g] > 0 && g.out != nil && g.out.known() && g.feasible() {
			all = append(all, limit{g.n, g.out.time})
		}
	}
	slices.SortStableFunc(all, func(a, b limit) int { return cmp.Compare(a.n, b.n) })
	for i := 1; i < len(all); i++ {
		all[i].time = min(all[i].time, all[i-1].time)
	}
	return all
}

// of returns the limit for grids of n processors, 0 when there is none.
func (l limits) of(n int) units.Seconds {
	i, _ := slices.BinarySearchFunc(l, n+1, func(a limit, n int) int { return cmp.Compare(a.n, n) })
	if i == 0 {
		return 0
	}
	return l[i-1].time
}
