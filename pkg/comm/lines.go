package comm

import (
	"cmp"
	"math"
	"slices"

	"dvmtools/pkg/units"
)

// ray is the straight line with the value start at quantum q = 1 that grows by
// pace with every further quantum.
type ray struct{ start, pace units.Seconds }

func (r ray) value(q int64) units.Seconds {
	return r.start + units.Seconds(float64(r.pace)*float64(q-1))
}

// lines is the function of the quantum 1 to Q that is the maximum of some rays.
// They are listed by growing pace, each is the greatest at some quantum, and so
// their starts fall. The function is convex. Hence, for such a g, the
// recurrence f(q) = max(f(q-1) + p, g(q)) is the maximum of g and one more ray,
// with the value f(1) at quantum 1 and the pace p.
type lines []ray

// at returns the value at quantum q.
func (l lines) at(q int64) units.Seconds {
	v := l[0].value(q)
	for _, r := range l[1:] {
		v = max(v, r.value(q))
	}
	return v
}

// after returns l + d.
func (l lines) after(d units.Seconds) lines {
	out := make(lines, len(l), len(l)+1)
	for i, r := range l {
		out[i] = ray{r.start + d, r.pace}
	}
	return out
}

// cross returns the quantum, as a real number, at which b, of greater pace,
// reaches a.
func cross(a, b ray) float64 {
	return 1 + float64(a.start-b.start)/float64(b.pace-a.pace)
}

// join returns the maximum of two functions over the quanta 1 to q.
func (l lines) join(o lines, q int64) lines {
	all := append(slices.Clone(l), o...)
	slices.SortFunc(all, func(a, b ray) int {
		return cmp.Or(cmp.Compare(a.pace, b.pace), cmp.Compare(a.start, b.start))
	})
	kept := all[:0]
	for _, r := range all {
		for len(kept) > 0 && kept[len(kept)-1].start <= r.start {
			kept = kept[:len(kept)-1]
		}
		for k := len(kept); k > 1 && cross(kept[k-2], r) <= cross(kept[k-2], kept[k-1]); k-- {
			kept = kept[:k-1]
		}
		kept = append(kept, r)
	}
	for k := len(kept); k > 1 && cross(kept[k-2], kept[k-1]) >= float64(q); k-- {
		kept = kept[:k-1]
	}
	return kept
}

// gaps calls yield with the values of f(i) - f(i-1) - step for the quanta i =
// 2 to q, and with the number of successive quanta that have this value. Values
// below 0, which come from rounding, become 0.
func (l lines) gaps(q int64, step units.Seconds, yield func(gap units.Seconds, n int64)) {
	done := int64(0) // quanta on the rays before this one
	var last units.Seconds
	for i, r := range l {
		upto := q
		if i+1 < len(l) {
			upto = min(q, floorCount(math.Min(cross(r, l[i+1]), float64(q))))
		}
		if upto <= done {
			continue
		}
		if done > 0 {
			yield(max(0, r.value(done+1)-last-step), 1)
		}
		if n := upto - done - 1; n > 0 {
			yield(max(0, r.pace-step), n)
		}
		done, last = upto, r.value(upto)
	}
}
