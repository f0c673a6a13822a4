package procs

// Section returns the processors init..last of base, given in the traced
// system's coordinates (docs/model.md#systems): where the simulated extents
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
// on n coordinates (docs/model.md#systems). The bounds a = init·n/traced and
// b = (last+1)·n/traced are rounded to the nearest coordinate, halves up; a
// section that is empty then is the coordinate that holds (a+b)/2. So sections
// that partition the traced coordinates cover the simulated ones, and those
// that are at least one coordinate wide do not share any:
//
//	traced  0   1   2   3   4        sections 0..0, 1..3 of 4
//	        |---|-----------|
//	n = 3   0     1     2     3      bounds 0, 0.75 -> 1, 3: 0..0, 1..2
//	n = 2   0       1       2        bounds 0, 0.5 -> 1, 2: 0..0, 1..1
//	n = 1   0               1        bounds 0, 0.25 -> 0, 1: empty, 0..0;
//	                                 the first one becomes 0, that holds 0.125
//
// Bounds beyond the traced coordinates are those at the edge.
func scale(init, last, n, traced int64) (lo, hi int) {
	traced = max(traced, 1)
	init = min(max(init, 0), traced-1)
	end := min(max(last, init), traced-1) + 1
	nearest := func(x int64) int64 { return (2*x*n + traced) / (2 * traced) }
	from, to := nearest(init), nearest(end)
	if from == to {
		from = (init + end) * n / (2 * traced)
		to = from + 1
	}
	return int(from), int(to - 1)
}
