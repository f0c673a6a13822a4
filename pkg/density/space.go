package density

import (
	"encoding/binary"
	"math"
	"slices"
)

// Space divides iterations, by their ordinal numbers from 0 on, into cells.
type Space struct{ axes []axis }

// axis is a dimension of the iterations.
type axis struct {
	// ends are where the segments end; each begins where the one before ends,
	// the first at 0.
	ends []int64
	// sums[i] is what the first i iterations weigh; nil says that each weighs 1.
	// An axis with weights has one segment.
	sums []float64
}

// whole returns an axis of n iterations that weigh 1 each.
func whole(n int64) axis { return axis{ends: []int64{n}} }

// Part is how much of a segment a range of iterations has.
type Part struct {
	Segment int
	Weight  float64
}

// Range is how much of the segments of an axis a set of iterations has, in
// their order; what it has nothing of is left out.
type Range []Part

// AppendKey appends a key that only equal ranges share.
func (r Range) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r)))
	for _, p := range r {
		dst = binary.AppendUvarint(dst, uint64(p.Segment))
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(p.Weight))
	}
	return dst
}

// between returns what the iterations lo <= x < hi have.
func (a *axis) between(lo, hi int64) Range { return a.add(nil, lo, hi) }

// without returns what the iterations lo <= x < hi have that are not in out,
// which is sorted.
func (a *axis) without(lo, hi int64, out []int64) Range {
	var r Range
	for _, x := range out {
		if x < lo || x >= hi {
			continue
		}
		r = a.add(r, lo, x)
		lo = x + 1
	}
	return a.add(r, lo, hi)
}

// add adds what the iterations lo <= x < hi have to r, the segments of which
// are not behind theirs.
func (a *axis) add(r Range, lo, hi int64) Range {
	lo, hi = max(lo, 0), min(hi, a.ends[len(a.ends)-1])
	if lo >= hi {
		return r
	}
	i, exact := slices.BinarySearch(a.ends, lo)
	if exact {
		i++
	}
	for ; lo < hi; i++ {
		end := min(hi, a.ends[i])
		weight := float64(end - lo)
		if a.sums != nil {
			weight = a.sums[end] - a.sums[lo]
		}
		lo = end
		switch n := len(r) - 1; {
		case weight == 0:
		case n >= 0 && r[n].Segment == i:
			r[n].Weight += weight
		default:
			r = append(r, Part{i, weight})
		}
	}
	return r
}

// plus returns what two sets without a common iteration have together.
func (r Range) plus(s Range) Range {
	out := make(Range, 0, len(r)+len(s))
	for len(r) > 0 && len(s) > 0 {
		switch {
		case r[0].Segment < s[0].Segment:
			out, r = append(out, r[0]), r[1:]
		case r[0].Segment > s[0].Segment:
			out, s = append(out, s[0]), s[1:]
		default:
			out = append(out, Part{r[0].Segment, r[0].Weight + s[0].Weight})
			r, s = r[1:], s[1:]
		}
	}
	return append(append(out, r...), s...)
}

// weigh returns what a box costs, the product of the ranges of its dimensions:
// the sum over its cells of density times weight. A nil density is 1
// everywhere.
func (s *Space) weigh(density []float64, box []Range) float64 {
	return s.weighFrom(density, box, 0)
}

// weighFrom weighs the dimensions of box that are left, in the cells that begin
// with the given one.
func (s *Space) weighFrom(density []float64, box []Range, cell int) float64 {
	if len(box) == 0 {
		if density == nil {
			return 1
		}
		return density[cell]
	}
	segments := len(s.axes[len(s.axes)-len(box)].ends)
	sum := 0.0
	for _, p := range box[0] {
		sum += float64(p.Weight * s.weighFrom(density, box[1:], cell*segments+p.Segment))
	}
	return sum
}
