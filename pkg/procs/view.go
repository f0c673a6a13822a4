package procs

import (
	"math"
	"slices"
)

// View returns base in the shape that the program asked for, which it knew
// for the traced number of processors (docs/model.md#systems): that shape
// when it fits, else the factorisation of the simulated size with as many
// factors whose sum is least, then whose largest is least, the first being
// the largest.
func View(base *System, traced []int64) *System {
	v := &System{Traced: traced, Ranks: base.Ranks}
	p := int64(1)
	for _, x := range traced {
		p *= x
	}
	if p == int64(base.Size()) {
		for _, x := range traced {
			v.Grid = append(v.Grid, int(x))
		}
	} else {
		v.Grid = factorise(base.Size(), max(len(traced), 1))
	}
	if slices.Equal(v.Grid, base.Grid) {
		v.Lower = base.Lower
	}
	return v
}

// factorise returns n as a product of rank factors in descending order with
// the least sum, then the least first one.
func factorise(n, rank int) []int {
	var best []int
	bestSum := math.MaxInt
	cur := make([]int, 0, rank)
	var walk func(n, left, most, sum int)
	walk = func(n, left, most, sum int) {
		if left == 0 {
			if n == 1 && (sum < bestSum || sum == bestSum && cur[0] < best[0]) {
				best, bestSum = append([]int(nil), cur...), sum
			}
			return
		}
		for f := min(n, most); f >= 1; f-- {
			if n%f != 0 || !within(f, left, n) || sum+f > bestSum {
				continue
			}
			cur = append(cur, f)
			walk(n/f, left-1, f, sum+f)
			cur = cur[:len(cur)-1]
		}
	}
	walk(n, rank, n, 0)
	return best
}

// within reports whether left factors of at most f can reach n.
func within(f, left, n int) bool {
	p := 1
	for range left {
		if p *= f; p >= n {
			return true
		}
	}
	return false
}
