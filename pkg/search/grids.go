package search

import (
	"cmp"
	"slices"

	"dvmtools/pkg/layout"
)

// Mark says how even the blocks of the extents are on a grid: the least ratio
// over the dimensions of the least elements of any coordinate to the most, 0
// when a coordinate gets none, 1 when every extent is divisible
// (docs/model.md#11-search; R 5 takes the last coordinate, which under the
// blocks of docs/model.md#blocks always has the most). A grid with a mark above 0
// is called not bad.
func Mark(grid []int, extents []int64) float64 {
	mark := 1.0
	for k, n := range grid {
		e := int64(1)
		if k < len(extents) && extents[k] > 0 {
			e = extents[k]
		}
		if int64(n) > e {
			return 0
		}
		a, err := layout.NewAxis(e, n, layout.Weights{})
		if err != nil {
			return 0
		}
		least, most := e, int64(0)
		for c := range n {
			lo, hi := a.Range(c)
			least, most = min(least, hi-lo), max(most, hi-lo)
		}
		mark = min(mark, float64(least)/float64(most))
	}
	return mark
}

// Grids calls yield for all grids of the given rank with n processors, the
// first extent descending.
func Grids(n, rank int, yield func(grid []int)) {
	grid := make([]int, rank)
	var walk func(k, left int)
	walk = func(k, left int) {
		if k == rank-1 {
			grid[k] = left
			yield(grid)
			return
		}
		for f := left; f >= 1; f-- {
			if left%f == 0 {
				grid[k] = f
				walk(k+1, left/f)
			}
		}
	}
	walk(0, n)
}

// countGrids returns how many grids of the given rank have at most most
// processors.
func countGrids(most, rank int) int64 {
	counts := make([]int64, most+1)
	counts[1] = 1
	for range rank {
		next := make([]int64, most+1)
		for d := 1; d <= most; d++ {
			for m := d; m <= most; m += d {
				next[m] += counts[m/d]
			}
		}
		counts = next
	}
	sum := int64(0)
	for _, c := range counts {
		sum += c
	}
	return sum
}

// grids lists the grids that a search may try, by growing numbers of
// processors, and those of mark 0 only when bad is set.
func grids(most int, extents []int64, bad bool) []*grid {
	marks := make([][]float64, len(extents))
	for k, e := range extents {
		marks[k] = make([]float64, 1, min(int64(most), e)+1)
		for n := 1; n < cap(marks[k]); n++ {
			marks[k] = append(marks[k], Mark([]int{n}, []int64{e}))
		}
	}
	var out []*grid
	for n := 1; n <= most; n++ {
		Grids(n, len(extents), func(x []int) {
			mark := 1.0
			for k, n := range x {
				if n >= len(marks[k]) {
					mark = 0
				} else {
					mark = min(mark, marks[k][n])
				}
			}
			if mark > 0 || bad {
				out = append(out, &grid{extents: slices.Clone(x), n: n, mark: mark})
			}
		})
	}
	return out
}

// before is the order of [Grids]: fewer processors first, then the first
// extent descending.
func (g *grid) before(h *grid) bool {
	return cmp.Or(cmp.Compare(g.n, h.n), -slices.Compare(g.extents, h.extents)) < 0
}
