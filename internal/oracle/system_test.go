package oracle

import "testing"

// TestScale: sections that together cover all traced coordinates cover all
// simulated ones, and those that are at least one simulated coordinate wide share
// none.
func TestScale(t *testing.T) {
	for traced := 1; traced <= 8; traced++ {
		for n := 1; n <= 9; n++ {
			for cuts := range 1 << (traced - 1) { // bit k: a section begins at k+1
				holders := make([]int, n)  // how many sections hold a coordinate
				crowded := make([]bool, n) // whether one of them is narrow
				for first := 0; first < traced; {
					end := first + 1
					for end < traced && cuts>>(end-1)&1 == 0 {
						end++
					}
					lo, hi := scale(first, end, n, traced)
					if lo < 0 || hi >= n || hi < lo {
						t.Fatalf("%d..%d of %d is %d..%d of %d", first, end-1, traced, lo, hi, n)
					}
					for c := lo; c <= hi; c++ {
						holders[c]++
						crowded[c] = crowded[c] || (end-first)*n < traced
					}
					first = end
				}
				for c, k := range holders {
					if k == 0 || k > 1 && !crowded[c] {
						t.Errorf("cuts %b of %d traced coordinates: %d sections hold coordinate %d of %d", cuts, traced, k, c, n)
					}
				}
			}
		}
	}
}
