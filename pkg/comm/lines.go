package comm

import (
	"cmp"
	"math"
	"slices"

	"dvmtools/pkg/units"
)

// ray is the straight line that has the value start at q = 1 and grows by
// pace with every quantum.
type ray struct{ start, pace units.Seconds }

func (r ray) value(q int64) units.Seconds {
	return r.start + units.Seconds(float64(r.pace)*float64(q-1))
}

// lines is a maximum of rays over the quanta 1 to Q: by growing pace and
// falling start, each the greatest somewhere. Such a function is convex, and
// so the recurrence f(q) = max(f(q-1) + p, g(q)) over a g of this form is the
// maximum of g and the one ray that has f(1) at 1 and the pace p: between them
// nothing is ever greater.
type lines []ray

// at returns the value at quantum q.
func (l lines) at(q int64) units.Seconds {
	v := l[0].value(q)
	for _, r := range l[1:] {
		v = max(v, r.value(q))
	}
	return v
}

// after returns l, later by d.
func (l lines) after(d units.Seconds) lines {
	out := make(lines, len(l), len(l)+1)
	for i, r := range l {
		out[i] = ray{r.start + d, r.pace}
	}
	return out
}

// cross returns the quantum from which b, of greater pace, is above a.
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

// gaps calls yield with the values of f(q) - f(q-1) - step for the quanta 2
// to q and with how many quanta in a row have each; none is negative.
func (l lines) gaps(q int64, step units.Seconds, yield func(gap units.Seconds, n int64)) {
	done := int64(0) // quanta that lie on rays before the current one
	var last units.Seconds
	for i, r := range l {
		upto := q
		if i+1 < len(l) {
			upto = min(q, count(math.Min(cross(r, l[i+1]), float64(q))))
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
