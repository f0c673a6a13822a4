package procs

// Section returns the processors init..last of base, given in the traced
// system's coordinates (model section 4, crtps_): where the simulated extents
// differ from the traced ones the bounds are scaled, so that disjoint
// sections stay disjoint where there are processors enough.
func Section(base *System, init, last []int64) *System {
	rank := len(base.Grid)
	s := &System{Grid: make([]int, rank), Traced: make([]int64, rank)}
	lower := make([]int, rank)
	whole := true
	for k, n := range base.Grid {
		lo, hi := 0, n-1
		s.Traced[k] = int64(n)
		if k < len(init) && k < len(last) {
			traced := int64(n)
			if k < len(base.Traced) {
				traced = base.Traced[k]
			}
			lo, hi = scale(init[k], last[k], int64(n), traced)
			s.Traced[k] = max(1, last[k]-init[k]+1)
		}
		lower[k] = lo
		s.Grid[k] = hi - lo + 1
		whole = whole && s.Grid[k] == n
	}
	if base.Lower != nil {
		s.Lower = make([]int, rank)
		for k := range lower {
			s.Lower[k] = base.Lower[k] + lower[k]
		}
	}
	if whole {
		s.Ranks = base.Ranks
		return s
	}
	s.Ranks = make([]int, s.Size())
	coords := make([]int, rank)
	for i := range s.Ranks {
		s.Coords(i, coords)
		at := 0
		for k := range coords {
			at = at*base.Grid[k] + lower[k] + coords[k]
		}
		s.Ranks[i] = base.Rank(at)
	}
	return s
}

// scale returns the section init..last of a dimension of traced coordinates
// on n coordinates: floor(init·n/traced) to max(lower, floor((last+1)·n/traced)-1).
func scale(init, last, n, traced int64) (lo, hi int) {
	if traced < 1 {
		traced = 1
	}
	init = min(max(init, 0), traced-1)
	last = min(max(last, init), traced-1)
	if n != traced {
		init, last = init*n/traced, (last+1)*n/traced-1
	}
	l := min(init, n-1)
	return int(l), int(max(l, min(last, n-1)))
}
