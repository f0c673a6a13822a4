// Package layout says which processors own which elements and iterations:
// grids, block distributions of templates, alignments of arrays and loops
// with them (docs/model.md#blocks). It knows integers only: no time, no
// machine.
//
// An index space (an array, or the iterations of a loop) is placed on a grid
// in two steps. A template's axes are distributed over the dimensions of the
// grid ([Distribute]). Rules place the index space on the template
// ([Rule]), and [Place] turns both into a [Mapping]: for every dimension of
// the grid, what each coordinate owns.
package layout

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Axis is the distribution of the elements 0..N-1 of a template's axis over
// the coordinates of a grid dimension, in blocks of neighbours.
type Axis struct {
	// lower[c] is the first element of coordinate c; the last entry is N.
	lower []int64
}

// Weights are what the program asked for an axis. The zero value is an even
// distribution.
type Weights struct {
	// Load are the relative sizes of the coordinates' blocks, nil for equal
	// ones.
	Load []float64
	// Sums are S_0 = 0, ..., S_n of relative sizes that were cut anew
	// ([Resample]), in place of Load; nil for none.
	Sums []float64
	// Sizes are the block sizes themselves (genblk_), nil for none.
	Sizes []int64
	// Divisor makes every lower bound a multiple of it (blkdiv_); 0 and 1
	// mean none.
	Divisor int64
}

// NewAxis distributes n elements over coords coordinates. Without sizes the
// bounds are computed in float64 in the order in which the run-time system
// computes them (docs/model.md#blocks): 30 elements on 22
// coordinates give lower(11) = 14. Sizes that are negative or do not sum to n
// are an error, and so is a weight that is negative or not a number.
func NewAxis(n int64, coords int, w Weights) (Axis, error) {
	if n < 0 || coords < 1 {
		return Axis{}, fmt.Errorf("%d elements on %d coordinates", n, coords)
	}
	a := Axis{lower: make([]int64, coords+1)}
	a.lower[coords] = n
	if w.Sizes != nil {
		return a, a.fromSizes(n, w.Sizes)
	}
	prefix, err := w.prefix(coords)
	if err != nil {
		return Axis{}, err
	}
	if prefix[coords] == 0 {
		return Axis{}, errors.New("all weights are zero")
	}
	block := max(1, float64(n)/prefix[coords])
	d := w.Divisor
	if d > 1 {
		block = max(block, float64(d))
	}
	for c := range coords {
		lower := math.Trunc(block * prefix[c])
		if lower >= maxPlace {
			a.lower[c] = n
			continue
		}
		l := int64(lower)
		if d > 1 {
			l -= l % d
		}
		a.lower[c] = min(n, l)
	}
	return a, nil
}

// prefix returns the sums S_0, ..., S_n of the weights.
func (w *Weights) prefix(coords int) ([]float64, error) {
	if w.Sums != nil {
		if len(w.Sums) != coords+1 {
			return nil, fmt.Errorf("%d sums of weights for %d coordinates", len(w.Sums), coords)
		}
		for c := range coords {
			if from, to := w.Sums[c], w.Sums[c+1]; !(from >= 0 && to >= from) || math.IsInf(to, 1) {
				return nil, fmt.Errorf("sums of weights %v and %v around coordinate %d, expected finite ascending numbers", from, to, c)
			}
		}
		return w.Sums, nil
	}
	if w.Load != nil && len(w.Load) != coords {
		return nil, fmt.Errorf("%d weights for %d coordinates", len(w.Load), coords)
	}
	prefix := make([]float64, coords+1)
	for c := range coords {
		x := 1.0
		if w.Load != nil {
			x = w.Load[c]
			if !(x >= 0) || math.IsInf(x, 1) {
				return nil, fmt.Errorf("weight %v of coordinate %d is not a finite non-negative number", x, c)
			}
		}
		prefix[c+1] = prefix[c] + x
	}
	return prefix, nil
}

func (a *Axis) fromSizes(n int64, sizes []int64) error {
	if len(sizes) != a.Coords() {
		return fmt.Errorf("%d block sizes for %d coordinates", len(sizes), a.Coords())
	}
	at := int64(0)
	for c, s := range sizes {
		a.lower[c] = at
		if s < 0 || s > n-at {
			return fmt.Errorf("block sizes %v do not sum to the %d elements of the axis", sizes, n)
		}
		at += s
	}
	if at != n {
		return fmt.Errorf("block sizes %v sum to %d, the axis has %d elements", sizes, at, n)
	}
	return nil
}

// Len returns the number of elements.
func (a Axis) Len() int64 { return a.lower[len(a.lower)-1] }

// Coords returns the number of coordinates.
func (a Axis) Coords() int { return len(a.lower) - 1 }

// Range returns the elements lo <= x < hi of coordinate c; lo == hi means
// none.
func (a Axis) Range(c int) (lo, hi int64) { return a.lower[c], a.lower[c+1] }

// Owner returns the coordinate that owns element x, or -1 when x is outside.
func (a Axis) Owner(x int64) int {
	if x < 0 || x >= a.Len() {
		return -1
	}
	// The last coordinate whose lower bound is at most x is not empty.
	i, found := slices.BinarySearch(a.lower, x)
	if !found {
		return i - 1
	}
	for a.lower[i+1] == x {
		i++
	}
	return i
}

// Resample returns the sums S_0, ..., S_n of the weights of n coordinates for
// which the piecewise constant density over the given ones is the same
// (docs/model.md#blocks): coordinate c gets the weight of the interval [c,
// c+1)·len(w)/n, so that S_c is the weight up to c·len(w)/n: the float64 nearest
// to that. Whole weights are divided once for it, others added in more digits.
// Sums never descend; no weight may be negative.
func Resample(w []float64, n int) []float64 {
	if !slices.ContainsFunc(w, notFinite) && slices.ContainsFunc(w, notWhole) {
		return resampleFractions(w, n)
	}
	sums := make([]float64, n+1)
	before, k := 0.0, 0 // the weight of the given coordinates before k
	for c := range sums {
		at := c * len(w) // in units of 1/n of a given coordinate
		for ; k < at/n; k++ {
			before += w[k]
		}
		sums[c] = before
		if part := at % n; part > 0 {
			sums[c] = (float64(before*float64(n)) + float64(w[k]*float64(part))) / float64(n)
		}
		if c > 0 && sums[c] < sums[c-1] {
			sums[c] = sums[c-1] // which was rounded up
		}
	}
	return sums
}

func notWhole(x float64) bool { return x != math.Trunc(x) }

func notFinite(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }

// fractionDigits are the binary digits of sums of weights that are not whole:
// so many that what is cut off of weights of any use decides no rounding.
const fractionDigits = 320

// resampleFractions is Resample for finite weights.
func resampleFractions(w []float64, n int) []float64 {
	sums := make([]float64, n+1)
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(fractionDigits).SetFloat64(x) }
	before, k := number(0), 0
	for c := range sums {
		at := c * len(w)
		for ; k < at/n; k++ {
			before.Add(before, number(w[k]))
		}
		sum := number(0).Set(before)
		if part := at % n; part > 0 {
			x := number(w[k])
			x.Mul(x, number(float64(part)))
			sum.Add(sum, x.Quo(x, number(float64(n))))
		}
		sums[c], _ = sum.Float64()
	}
	return sums
}

// CutLoads returns how many of the segments with the given loads each of n
// coordinates gets when they are cut into n contiguous runs whose greatest
// load is least; among equals the earliest cuts (docs/model.md#weights). No
// run is empty as long as there are segments.
func CutLoads(loads []float64, n int) []float64 {
	most := leastMost(loads, n)
	out := make([]float64, n)
	at := 0
	for c := range n {
		left := n - c - 1
		// The earliest cut takes as few segments as the rest allows.
		for at < len(loads) && (out[c] == 0 || !fits(loads[at:], left, most)) {
			out[c]++
			at++
		}
	}
	return out
}

// fits reports whether the loads go into n runs of at most most each.
func fits(loads []float64, n int, most float64) bool {
	sum := 0.0
	runs := 0
	for _, l := range loads {
		if runs == 0 || sum+l > most {
			runs++
			sum = 0
		}
		sum += l
	}
	return runs <= n
}

// leastMost returns the least possible greatest load of n contiguous runs.
func leastMost(loads []float64, n int) float64 {
	// The answer is the sum of some run: candidates are tried by bisection
	// over the values, then fixed to the exact sum that a greedy cut gives.
	lo, hi := 0.0, 0.0
	for _, l := range loads {
		lo = max(lo, l)
		hi += l
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if fits(loads, n, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	if fits(loads, n, lo) {
		return lo
	}
	return hi
}
