package traffic

import (
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/units"
)

// closed describes the messages of an exchange between two boxes of the root
// as a product of stars. A star is a grid dimension of the receivers with
// those dimensions of the senders whose coordinate it restricts, because both
// cut the same dimension of the arrays, or because the nearest of several
// owners sends; senders' dimensions that nothing restricts are stars of their
// own. In all regular cases a star has one dimension of each side.
//
// An example: an array of 6x6 elements is transposed on a grid of 2x3. Before,
// its rows are cut along the first dimension of the grid and its columns along
// the second; afterwards rows along the second and columns along the first
// (TestPictureOfATransposedArray).
//
//	 before: processor (e0,e1)       after: processor (c0,c1)
//
//	         column 0 1 2 3 4 5             column 0 1 2 3 4 5
//	              e1  0   1   2                 c0   0     1
//	row 0         +---+---+---+      row 0      +-----+-----+
//	    1    e0=0 |   |   |   |          1 c1=0 |     |     |
//	    2         |   |   |   |                 +-----+-----+
//	    3         +---+---+---+          3 c1=1 |     |     |
//	    4    e0=1 |   |   |   |                 +-----+-----+
//	    5         |   |   |   |          5 c1=2 |     |     |
//	              +---+---+---+                 +-----+-----+
//
// The number of elements that (c0,c1) gets from (e0,e1) is the number of columns
// that both have, times the number of rows that both have. The columns depend
// only on c0 and e1: they are a star with the center c0 and the leaf e1. The rows
// are a star with the center c1 and the leaf e0. Each line below is a pair of
// coordinates with the number of columns or rows that they have in common:
//
//	columns:  c0=0 --2-- e1=0       rows:  c1=0 --2-- e0=0
//	          c0=0 --1-- e1=1              c1=1 --1-- e0=0
//	          c0=1 --1-- e1=1              c1=1 --1-- e0=1
//	          c0=1 --2-- e1=2              c1=2 --2-- e0=1
//
// Both stars have 2 pairs with 2 elements and 2 with 1. Multiplied, 4 pairs of
// processors have 2·2 elements in common, 8 have 2·1 and 4 have 1·1: 36 in all,
// found without listing pairs of processors. What a processor gets from itself
// is not a message: kept finds the pairs with c0 = e0 and c1 = e1, of 4, 1, 1 and
// 4 elements. 2 messages of 4 elements, 8 of 2 and 2 of 1 are left.
type closed struct {
	x *exchange
	// center is the receivers' dimension that restricts each of the senders'
	// dimensions for some of the arrays, -1 for none. Arrays that it does not
	// restrict pair all coordinates there.
	center []int
	stars  []star
	// factor is the bytes that each array has per element of the product.
	factor []int64
}

type star struct {
	center int   // a dimension of the receivers, or -1
	leaves []int // dimensions of the senders
}

// newClosed returns nil when the exchange is no such product.
func newClosed(x *exchange) *closed {
	if !x.from.box || !x.to.box || len(x.terms) == 0 {
		return nil
	}
	z := &closed{x: x, center: make([]int, len(x.from.sys.Grid)), factor: make([]int64, len(x.terms))}
	for t := range x.terms {
		m := &x.terms[t]
		z.factor[t] = m.elem
		for i, n := range m.from.Size {
			if len(m.fromCut[i]) > 1 || len(m.toCut[i]) > 1 {
				return nil
			}
			if len(m.fromCut[i])+len(m.toCut[i]) == 0 {
				z.factor[t] *= n
			}
		}
		m.links = make([]int, len(z.center))
		for l := range z.center {
			k := z.link(m, l)
			m.links[l] = k
			switch {
			case t == 0 || z.center[l] < 0:
				z.center[l] = k
			case k >= 0 && z.center[l] != k:
				return nil
			}
		}
	}
	for k := range x.to.sys.Grid {
		s := star{center: k}
		for l, c := range z.center {
			if c == k {
				s.leaves = append(s.leaves, l)
			}
		}
		z.stars = append(z.stars, s)
	}
	for l, c := range z.center {
		if c < 0 {
			z.stars = append(z.stars, star{center: -1, leaves: []int{l}})
		}
	}
	return z
}

// link returns the receivers' dimension that restricts the senders' dimension
// l for array t.
func (z *closed) link(t *term, l int) int {
	if i := t.from.Ranges[l].Dim; i >= 0 {
		if len(t.toCut[i]) == 0 {
			return -1
		}
		return t.toCut[i][0]
	}
	if j := z.x.from.dim[l]; j >= 0 {
		return z.x.to.at[j]
	}
	return -1
}

// inner returns how many elements coordinate c of the receivers' dimension k
// contributes by itself: those of a dimension that only the receivers cut.
func (z *closed) inner(t *term, k, c int) int64 {
	s := &t.to.Ranges[k]
	if s.Dim < 0 {
		if !s.Holds(c) {
			return 0
		}
		return 1
	}
	if len(t.fromCut[s.Dim]) == 0 {
		return s.Hi[c] - s.Lo[c]
	}
	return 1
}

// asked returns the coordinate of the senders' dimension l that sends when all
// own the same elements: the nearest to coordinate c of its center.
func (z *closed) asked(t *term, l, c int) int {
	s := &t.from.Ranges[l]
	j := z.x.from.dim[l]
	if j < 0 {
		return s.First
	}
	at := z.x.to.off[j] - z.x.from.off[j]
	if t.links[l] >= 0 {
		at += c
	}
	return s.Nearest(at)
}

// outer returns how many elements the coordinates c of the center and e of
// the senders' dimension l have in common.
func (z *closed) outer(t *term, l, c, e int) int64 {
	s := &t.from.Ranges[l]
	if s.Dim < 0 {
		if e == z.asked(t, l, c) {
			return 1
		}
		return 0
	}
	lo, hi := s.Lo[e], s.Hi[e]
	if k := t.links[l]; k >= 0 {
		need := &t.to.Ranges[k]
		lo, hi = max(lo, need.Lo[c]), min(hi, need.Hi[c])
	}
	return max(0, hi-lo)
}

// candidates adds to dst the coordinates of the senders' dimension l that have
// elements of any array in common with coordinate c of its center.
func (z *closed) candidates(l, c int, dst []int) []int {
	for i := range z.x.terms {
		t := &z.x.terms[i]
		s := &t.from.Ranges[l]
		if s.Dim < 0 {
			dst = append(dst, z.asked(t, l, c))
			continue
		}
		b := &t.blocks[l]
		first, end := 0, len(b.coord)
		if k := t.links[l]; k >= 0 {
			first, end = b.meeting(t.to.Ranges[k].Lo[c], t.to.Ranges[k].Hi[c])
		}
		dst = append(dst, b.coord[first:end]...)
	}
	if len(z.x.terms) > 1 {
		slices.Sort(dst)
		dst = slices.Compact(dst)
	}
	return dst
}

// each calls f for the coordinates of a star that have elements in common: c
// of the center, 0 for none, and es of the leaves. f must not keep es and vec.
func (z *closed) each(s *star, f func(c int, es []int, vec []int64)) {
	n, width := 1, len(z.x.terms)
	if s.center >= 0 {
		n = z.x.to.sys.Grid[s.center]
	}
	es := make([]int, len(s.leaves))
	vecs := make([][]int64, len(es)+1)
	for i := range vecs {
		vecs[i] = make([]int64, width)
	}
	found := make([][]int, len(es))
	var walk func(c, i int)
	walk = func(c, i int) {
		if i == len(es) {
			f(c, es, vecs[i])
			return
		}
		l := s.leaves[i]
		found[i] = z.candidates(l, c, found[i][:0])
		for _, e := range found[i] {
			es[i] = e
			some := false
			for t := range z.x.terms {
				v := vecs[i][t]
				if v != 0 {
					v *= z.outer(&z.x.terms[t], l, c, e)
				}
				vecs[i+1][t] = v
				some = some || v != 0
			}
			if some {
				walk(c, i+1)
			}
		}
	}
	for c := range n {
		some := false
		for t := range z.x.terms {
			v := int64(1)
			if s.center >= 0 {
				v = z.inner(&z.x.terms[t], s.center, c)
			}
			vecs[0][t] = v
			some = some || v != 0
		}
		if some {
			walk(c, 0)
		}
	}
}

// bytes returns the size of a message of vec elements.
func (z *closed) bytes(vec []int64) units.Bytes {
	b := int64(0)
	for t, v := range vec {
		b += v * z.factor[t]
	}
	return units.Bytes(b)
}

// sizes counts the pairs of all stars together and subtracts those of a processor
// with itself.
func (z *closed) sizes() []comm.Size {
	pairs := ones(len(z.x.terms))
	for i := range z.stars {
		var t tally
		z.each(&z.stars[i], func(_ int, _ []int, vec []int64) { t.add(0, 0, 1, vec) })
		pairs = multiply(pairs, t.list, noLimit)
	}
	var counts comm.SizeCounts
	for _, c := range pairs {
		counts.Add(z.bytes(c.vec), c.n)
	}
	for _, c := range z.kept() {
		counts.Add(z.bytes(c.vec), -c.n)
	}
	return counts.Sizes()
}

// ownCoord is the coordinate that a receiver itself has in a senders' dimension:
// its coordinate in the receivers' dimension k plus shift, or shift alone when k
// is -1.
type ownCoord struct{ k, shift int }

// ownCoords returns the own coordinate of each of the senders' dimensions, and the only
// coordinate of each of the receivers' dimensions that can be among the
// senders, -1 for any. It reports whether any receiver can.
func (z *closed) ownCoords() (from []ownCoord, only []int, some bool) {
	send, recv := z.x.from, z.x.to
	only = make([]int, len(recv.sys.Grid))
	for k := range only {
		only[k] = -1
	}
	from = make([]ownCoord, len(send.sys.Grid))
	for l := range from {
		from[l].k = -1
	}
	for j := range send.at {
		shift := recv.off[j] - send.off[j]
		l, k := send.at[j], recv.at[j]
		switch {
		case l >= 0:
			from[l] = ownCoord{k, shift}
			if k < 0 && (shift < 0 || shift >= send.sys.Grid[l]) {
				return nil, nil, false
			}
		case k >= 0:
			if only[k] = -shift; shift > 0 || -shift >= recv.sys.Grid[k] {
				return nil, nil, false
			}
		case shift != 0:
			return nil, nil, false
		}
	}
	return from, only, true
}

// kept counts the pieces that a processor gets from itself.
func (z *closed) kept() []bin {
	from, only, some := z.ownCoords()
	if !some {
		return nil
	}
	// Dimensions of the receivers that a piece couples are gone through
	// together: those of transposed arrays.
	group := make([]int, len(only)+1) // the last is for no dimension
	for k := range group {
		group[k] = k
	}
	none := len(only)
	dim := func(k int) int {
		if k < 0 {
			return none
		}
		return k
	}
	for l, o := range from {
		a, b := group[dim(z.center[l])], group[dim(o.k)]
		if a == none || b == none {
			continue
		}
		for k := range group {
			if group[k] == b {
				group[k] = a
			}
		}
	}
	all := ones(len(z.x.terms))
	for g := range group {
		var ks, ls []int
		for k := range only {
			if group[k] == g {
				ks = append(ks, k)
			}
		}
		for l, o := range from {
			k := z.center[l]
			if k < 0 {
				k = o.k
			}
			if group[dim(k)] == g {
				ls = append(ls, l)
			}
		}
		if len(ks)+len(ls) > 0 {
			all = multiply(all, z.keptIn(ks, ls, from, only), noLimit)
		}
	}
	return all
}

// keptIn is kept for the receivers' dimensions ks and the senders' dimensions ls
// alone.
func (z *closed) keptIn(ks, ls []int, from []ownCoord, only []int) []bin {
	var t tally
	at := make([]int, len(only))
	vec := make([]int64, len(z.x.terms))
	var walk func(i int)
	walk = func(i int) {
		if i < len(ks) {
			k := ks[i]
			lo, hi := 0, z.x.to.sys.Grid[k]
			if only[k] >= 0 {
				lo, hi = only[k], only[k]+1
			}
			for at[k] = lo; at[k] < hi; at[k]++ {
				walk(i + 1)
			}
			return
		}
		some := false
		for n := range vec {
			vec[n] = z.keptOf(&z.x.terms[n], ks, ls, from, at)
			some = some || vec[n] != 0
		}
		if some {
			t.add(0, 0, 1, vec)
		}
	}
	walk(0)
	return t.list
}

func (z *closed) keptOf(t *term, ks, ls []int, from []ownCoord, at []int) int64 {
	n := int64(1)
	for _, k := range ks {
		n *= z.inner(t, k, at[k])
	}
	for _, l := range ls {
		e := from[l].shift
		if k := from[l].k; k >= 0 {
			e += at[k]
		}
		if e < 0 || e >= z.x.from.sys.Grid[l] {
			return 0
		}
		c := 0
		if k := z.center[l]; k >= 0 {
			c = at[k]
		}
		n *= z.outer(t, l, c, e)
	}
	return n
}
