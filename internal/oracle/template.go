package oracle

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// weights of one dimension of a processor system (genblk_, setelw_).
type weights struct {
	w []float64
	// sizes says that w are block sizes, used as they are when there are as many
	// coordinates.
	sizes bool
	// loads says that w are the loads of equal segments of the axis.
	loads bool
}

// A template with its distribution.
type template struct {
	size []int
	divs []int
	// weighed are the weights of genblk_ or setelw_ by dimension of the system
	// weighOn, for which they were given.
	weighed map[int]weights
	weighOn *system

	sys *system
	// owner[i] are the processors that hold element i.
	owner []set
	// dims are the dimensions of sys with the axis that each divides.
	dims    []dimension
	version int
}

// A dimension of a processor system in a distribution.
type dimension struct {
	axis     int   // of the template, -1 for none
	constant int   // coordinate, -1 when not constant
	lower    []int // the first element of each block, and the end
}

// distribute is distr_ (docs/model.md#distribution). With balance the sizes of
// blocks follow the powers of the processors.
func (t *template) distribute(s *system, axes, params []int, power []float64, balance bool) error {
	dims := make([]dimension, len(s.shape))
	used := map[int]bool{}
	for k := range dims {
		dims[k] = dimension{axis: -1, constant: -1}
		if k >= len(axes) || axes[k] == 0 {
			continue
		}
		if axes[k] == -1 {
			if k >= len(params) || params[k] < 0 || params[k] >= s.shape[k] {
				return fmt.Errorf("found a constant coordinate that dimension %d of %v lacks", k+1, s.shape)
			}
			dims[k].constant = params[k]
			continue
		}
		a := axes[k] - 1
		if a < 0 || a >= len(t.size) || used[a] {
			return fmt.Errorf("found axis %d of a template of rank %d", axes[k], len(t.size))
		}
		used[a] = true
		dims[k].axis = a
		var err error
		if dims[k].lower, err = t.blocks(s, k, a, power, balance); err != nil {
			return err
		}
	}
	owner := make([]set, product(t.size))
	for i, x := range indices(t.size) {
		for j, p := range s.procs {
			c := coords(s.shape, j)
			holds := true
			for k, d := range dims {
				switch {
				case d.constant >= 0:
					holds = holds && c[k] == d.constant
				case d.axis >= 0:
					holds = holds && d.lower[c[k]] <= x[d.axis] && x[d.axis] < d.lower[c[k]+1]
				}
			}
			if holds {
				owner[i] |= only(p)
			}
		}
	}
	t.sys, t.dims, t.owner = s, dims, owner
	t.version++
	return nil
}

// blocks returns the first elements of the blocks of axis a on dimension k of s,
// and the end (docs/model.md#blocks).
func (t *template) blocks(s *system, k, a int, power []float64, balance bool) ([]int, error) {
	total, n := t.size[a], s.shape[k]
	w := make([]float64, n)
	for c := range w {
		w[c] = 1
	}
	given, weighed := t.weighed[k]
	weighed = weighed && t.weighOn == s
	switch {
	case weighed && given.loads:
		for c, r := range cut(given.w, n) {
			w[c] = float64(r)
		}
	case weighed && given.sizes && len(given.w) == n:
		lower, at := make([]int, n+1), 0
		for c := range n {
			lower[c] = at
			at += int(given.w[c])
		}
		if lower[n] = at; at != total {
			return nil, fmt.Errorf("found block sizes whose sum is %d, expected %d", at, total)
		}
		return lower, nil
	case weighed:
		return lowers(total, resample(given.w, n), t.divisor(a)), nil
	case balance:
		w = byPower(s, k, power)
	}
	return lowers(total, sums(w), t.divisor(a)), nil
}

func (t *template) divisor(a int) int {
	if a < len(t.divs) {
		return t.divs[a]
	}
	return 0
}

// sums returns the sums S_0 to S_n of weights.
func sums(w []float64) []float64 {
	s := make([]float64, len(w)+1)
	for c, x := range w {
		s[c+1] = s[c] + x
	}
	return s
}

// lowers applies the block rule, in the order of operations that the model
// states (docs/model.md#blocks).
func lowers(total int, sums []float64, div int) []int {
	n := len(sums) - 1
	size := max(1, float64(total)/sums[n])
	if div > 0 {
		size = max(size, float64(div))
	}
	lower := make([]int, n+1)
	for c := range n {
		at := math.Trunc(float64(size * sums[c]))
		if div > 0 {
			at = math.Floor(at/float64(div)) * float64(div)
		}
		lower[c] = int(min(float64(total), at))
	}
	lower[n] = total
	return lower
}

// cut divides segments with loads into n contiguous runs and returns the lengths
// of the runs. The greatest load of a run is as small as possible; of several such
// divisions it takes the one that cuts earliest. No run is empty as long as there
// are segments.
func cut(loads []float64, n int) []int {
	var best []int
	least := math.Inf(1)
	var try func(from int, sofar []int, worst float64)
	try = func(from int, sofar []int, worst float64) {
		if len(sofar) == n-1 {
			sum := 0.0
			for _, l := range loads[from:] {
				sum += l
			}
			if worst = max(worst, sum); worst < least {
				least = worst
				best = append(slices.Clone(sofar), len(loads)-from)
			}
			return
		}
		sum := 0.0
		for to := from; to <= len(loads); to++ {
			if to == from && from < len(loads) {
				continue
			}
			if to > from {
				sum += loads[to-1]
			}
			if max(worst, sum) >= least {
				return
			}
			try(to, append(sofar, to-from), max(worst, sum))
		}
	}
	try(0, nil, 0)
	return best
}

// resample applies weights given for n' coordinates to n coordinates and returns
// their sums S_0 to S_n. Coordinate c gets the weight of the interval
// [c, c+1)·n'/n of the piecewise constant density. Sums are exact and rounded once.
func resample(w []float64, n int) []float64 {
	if len(w) == n {
		return sums(w)
	}
	s := make([]float64, n+1)
	for c := range s {
		// c·n'/n as a whole number of coordinates and a fraction of the next.
		whole, part := c*len(w)/n, big.NewRat(int64(c*len(w)%n), int64(n))
		sum := new(big.Rat)
		for j, x := range w {
			weight := new(big.Rat)
			weight.SetFloat64(x)
			switch {
			case j < whole:
				sum.Add(sum, weight)
			case j == whole:
				sum.Add(sum, weight.Mul(weight, part))
			}
		}
		s[c], _ = sum.Float64()
	}
	return s
}

// byPower weighs coordinate c of dimension k by the mean power of its
// processors, divided by the largest.
func byPower(s *system, k int, power []float64) []float64 {
	w := make([]float64, s.shape[k])
	for j, p := range s.procs {
		w[coords(s.shape, j)[k]] += power[p]
	}
	share := float64(len(s.procs) / s.shape[k])
	for c := range w {
		w[c] /= share
	}
	most := slices.Max(w)
	for c := range w {
		w[c] /= most
	}
	return w
}
