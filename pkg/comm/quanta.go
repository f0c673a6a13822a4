package comm

import (
	"cmp"
	"math"
	"slices"

	"dvmtools/pkg/units"
)

// Across are the figures from which the number of quanta of a pipelined loop
// is chosen (docs/model.md#9-pipelined-loops; R 4.6).
type Across struct {
	// Work is A, the loop time of one processor. Transfer is B, TByte times the
	// bytes of the new edges that one processor receives. Of unequal blocks the
	// largest counts.
	Work, Transfer units.Seconds
	// TStart is that of the medium.
	TStart units.Seconds
	// Hops is D, the sum of p_k - 1 over the pipelined dimensions.
	Hops int64
}

// constants returns K2 and C of T(Q) = TStart·Q + K2/Q + C.
func (a *Across) constants() (k2, c float64) {
	d, ts := float64(a.Hops), float64(a.TStart)
	work, transfer := float64(a.Work), float64(a.Transfer)
	if transfer <= work {
		return d * (work + transfer), work + float64((d-1)*ts)
	}
	return float64((d+1)*work) + float64((d-1)*transfer), transfer + float64((d-1)*ts)
}

// Time returns T(Q), how long a pipeline of equal stages takes with q >= 1
// quanta (docs/model.md#9-pipelined-loops, formulas 2 to 4 and 9):
//
//	T(Q) = TStart·Q + K2/Q + C
//	loaded, B <= A:  K2 = D·(A + B),           C = A + (D-1)·TStart
//	underloaded:     K2 = (D+1)·A + (D-1)·B,   C = B + (D-1)·TStart
//
// which is Tp + D·(TStart + Tb + Tp) + (Q-1)·(TStart + max(Tp, Tb)) with
// Tp = A/Q and Tb = B/Q.
func (a *Across) Time(q int64) units.Seconds {
	k2, c := a.constants()
	return units.Seconds(float64(float64(a.TStart)*float64(q)) + k2/float64(q) + c)
}

// Quanta returns the number of quanta Q of a pipelined loop whose quantised
// dimensions have n iterations together (docs/model.md#9-pipelined-loops,
// formulas 5 and 10). It is prescribed, rounded down, when that is at least 1;
// else n when TStart is 0; else that of the two integers beside sqrt(K2/TStart)
// with the smaller T(Q), the smaller integer at a tie. The result lies between 1
// and max(n, 1).
func (a *Across) Quanta(n int64, prescribed float64) int64 {
	n = max(n, 1)
	switch {
	case prescribed >= 1:
		return min(toCount(prescribed), n)
	case a.TStart <= 0:
		return n
	}
	k2, _ := a.constants()
	root := math.Sqrt(k2 / float64(a.TStart))
	if !(root >= 1) {
		return 1
	}
	lower := min(floorCount(root), n)
	upper := min(toCount(math.Ceil(root)), n)
	if a.Time(upper) < a.Time(lower) {
		return upper
	}
	return lower
}

// Shape spreads q quanta over the quantised dimensions, the outermost first
// (docs/model.md#9-pipelined-loops): a dimension is cut into min(q, its extent)
// pieces, and ceil(q / that) is left for the inner ones. The product of the
// result can exceed q.
func Shape(q int64, extents []int64) []int64 {
	shape := make([]int64, len(extents))
	for k, n := range extents {
		shape[k] = max(1, min(q, n))
		q = (max(q, 1)-1)/shape[k] + 1
	}
	return shape
}

// maxShapes is the largest number of shapes that a search tries
// (docs/model.md#9-pipelined-loops, --across search).
const maxShapes = 1000

// Shapes returns at most 1000 ways to cut quantised dimensions of these
// extents into quanta, the fewest quanta first: the candidates of a search for
// the best number (docs/model.md#9-pipelined-loops, --across search; R 4.6,
// full_mode). When all numbers of pieces of a dimension, from 1 to its extent,
// would be too many, it takes some of them in about equal ratios, both ends
// among them.
func Shapes(extents []int64) [][]int64 {
	most := maxShapes
	for most > 1 && !fits(most, len(extents)) {
		most--
	}
	shapes := [][]int64{nil}
	for _, n := range extents {
		var longer [][]int64
		for _, s := range shapes {
			for _, v := range ladder(max(n, 1), most) {
				longer = append(longer, append(slices.Clone(s), v))
			}
		}
		shapes = longer
	}
	slices.SortStableFunc(shapes, func(a, b []int64) int { return cmp.Compare(Pieces(a), Pieces(b)) })
	return shapes
}

// Pieces returns the number of quanta of a shape, at most math.MaxInt64.
func Pieces(shape []int64) int64 {
	p := int64(1)
	for _, n := range shape {
		q, ok := units.Mul(p, n)
		if !ok {
			return math.MaxInt64
		}
		p = q
	}
	return p
}

// fits reports whether n to the power of rank is at most maxShapes.
func fits(n, rank int) bool {
	p := 1
	for range rank {
		if p *= n; p > maxShapes {
			return false
		}
	}
	return true
}

// ladder returns at most most numbers from 1 to n, in about equal ratios. It
// computes with integers: the same on every platform.
func ladder(n int64, most int) []int64 {
	if most < 2 {
		return []int64{n}
	}
	for step := int64(0); ; step += step/16 + 1 {
		rungs := []int64{1}
		for v := int64(1); v < n && len(rungs) <= most; rungs = append(rungs, v) {
			// A rung is step/1024 above the last one, at least 1.
			v += min(n-v, max(1, rise(v, step)))
		}
		if len(rungs) <= most {
			return rungs
		}
	}
}

// rise returns v·step/1024, the largest number when 64 bits cannot hold it.
func rise(v, step int64) int64 {
	p, ok := units.Mul(v/1024+1, step)
	if !ok {
		return math.MaxInt64
	}
	if q, ok := units.Mul(v, step); ok {
		return q / 1024
	}
	return p
}
