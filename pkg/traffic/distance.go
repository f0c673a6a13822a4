package traffic

import (
	"math/bits"
	"slices"

	"dvmtools/pkg/comm"
)

// distances combines the distances within groups of stars. Two stars are in
// one group when a dimension of the root has its receivers' coordinate in one
// and its senders' coordinate in the other.
//
// The distance of two processors is a sum over the dimensions of the grid. When
// one star has both coordinates of a dimension, their difference is known for
// each pair of that star. When they are in two stars, it is known only after the
// two are combined: the dimension is open. In the picture of closed both
// dimensions are open, |c0 - e0| and |c1 - e1|, because the stars are (c0,e1) and
// (c1,e0). One dimension is open when 6 elements on a grid of 3x2 are cut along
// the first dimension and replicated along the second before, and the other way
// round afterwards (TestPictureOfAnOpenDimension). Each receiver gets elements
// from a sender with its own coordinate e1 = c1.
//
//	before: 0 1 | 2 3 | 4 5       star of c1 and e0, e1:   star of c0:
//	     e0  0     1     2          c1=0 --2-- e0=0          c0=0
//	after:  0 1 2 | 3 4 5           c1=0 --1-- e0=1          c0=1
//	     c1   0       1             c1=1 --1-- e0=1          c0=2
//	                                c1=1 --2-- e0=2
//
// The first dimension is open: c0 is in one star, e0 in the other. The pairs of
// each star are grouped by the elements that they have in common; the coordinates
// of a group in the open dimension are a bit set (spots). The distances of two
// groups are the differences of the two sets (between): one set is shifted down
// by each coordinate of the other, and mirrored for negative differences.
//
//	                       place 012          differences to c0 (111)
//	star of c1, 2 elements:  e0  101          012   111
//	star of c1, 1 element:   e0  010          012   110
//
// So pieces of 2 elements are sent over the distances 0, 1 and 2, pieces of 1
// over 0 and 1; at distance 0 a processor gets them from itself.
func (z *closed) distances() []comm.Distance {
	recv, send := z.x.to, z.x.from
	group := make([]int, len(z.stars))
	for i := range group {
		group[i] = i
	}
	base := 0
	for j := range recv.at {
		a, b := z.receiving(recv.at[j]), z.sending(send.at[j])
		switch {
		case a < 0 && b < 0:
			base += abs(recv.off[j] - send.off[j])
		case a >= 0 && b >= 0:
			from, to := group[b], group[a]
			for i := range group {
				if group[i] == from {
					group[i] = to
				}
			}
		}
	}
	all := ones(len(z.x.terms))
	all[0].dist = base
	for g := range group {
		var members []int
		for i := range group {
			if group[i] == g {
				members = append(members, i)
			}
		}
		if len(members) > 0 {
			all = longest(multiply(all, longest(z.apart(members)), noLimit))
		}
	}
	var far comm.LongestAt
	for _, c := range all {
		far.Add(c.dist, z.bytes(c.vec))
	}
	return far.Distances()
}

// receiving returns the star of the receivers' dimension k.
func (z *closed) receiving(k int) int { return k }

// sending returns the star of the senders' dimension l, -1 for none.
func (z *closed) sending(l int) int {
	if l < 0 {
		return -1
	}
	return slices.IndexFunc(z.stars, func(s star) bool { return slices.Contains(s.leaves, l) })
}

// placed is a pair of coordinates of a star: its bin, with the distance within
// the star, and where it is in the root's dimensions that the star shares with
// others.
type placed struct {
	dist int
	vec  []int64
	pos  []int
}

// apart returns the bins of pairs, by distance, of a group of stars.
func (z *closed) apart(members []int) []bin {
	// Each dimension of the root that two stars of the group share is open.
	var open []int
	of := make([][]int, len(members)) // the open dimensions of each star
	for j := range z.x.to.at {
		a, b := z.receiving(z.x.to.at[j]), z.sending(z.x.from.at[j])
		if a < 0 || b < 0 || a == b {
			continue
		}
		if ia, ib := slices.Index(members, a), slices.Index(members, b); ia >= 0 {
			of[ia], of[ib] = append(of[ia], len(open)), append(of[ib], len(open))
			open = append(open, j)
		}
	}
	var t tally
	if len(members) == 1 {
		m := members[0]
		z.each(&z.stars[m], func(c int, es []int, vec []int64) {
			dist, _ := z.place(m, c, es, nil, nil)
			t.add(dist, 0, 1, vec)
		})
		return t.list
	}
	dims := make([][]int, len(members))
	for i := range members {
		for _, o := range of[i] {
			dims[i] = append(dims[i], open[o])
		}
	}
	if len(members) == 2 && len(open) == 1 {
		n := z.x.root.grid[open[0]]
		return between(z.spots(members[0], dims[0], n), z.spots(members[1], dims[1], n), n)
	}
	sides := make([][]placed, len(members))
	for i, m := range members {
		z.each(&z.stars[m], func(c int, es []int, vec []int64) {
			p := placed{vec: slices.Clone(vec)}
			p.dist, p.pos = z.place(m, c, es, dims[i], nil)
			sides[i] = append(sides[i], p)
		})
	}
	// The pairs of all stars are combined: only arrays that are transposed on a
	// grid of several dimensions come here.
	at := make([]int, len(open))
	seen := make([]bool, len(open))
	vecs := make([][]int64, len(members)+1)
	for i := range vecs {
		vecs[i] = slices.Clone(ones(len(z.x.terms))[0].vec)
	}
	var walk func(i, dist int)
	walk = func(i, dist int) {
		if i == len(members) {
			t.add(dist, 0, 1, vecs[i])
			return
		}
		for n := range sides[i] {
			p := &sides[i][n]
			copy(vecs[i+1], vecs[i])
			if !scale(vecs[i+1], p.vec) {
				continue
			}
			d := dist + p.dist
			for q, o := range of[i] {
				if seen[o] {
					d += abs(at[o] - p.pos[q])
				} else {
					at[o] = p.pos[q]
				}
			}
			// Two stars share a dimension: after the second it is not needed.
			for _, o := range of[i] {
				seen[o] = !seen[o]
			}
			walk(i+1, d)
			for _, o := range of[i] {
				seen[o] = !seen[o]
			}
		}
	}
	walk(0, 0)
	return t.list
}

// place returns where a pair of coordinates of star m lies: its distance in the
// root's dimensions that belong to this star alone, and its coordinates in dims,
// which the star shares with others; those are appended to pos.
func (z *closed) place(m, c int, es, dims, pos []int) (int, []int) {
	s := &z.stars[m]
	recv, send := z.x.to, z.x.from
	dist := 0
	for j := range recv.at {
		a, b := z.receiving(recv.at[j]), z.sending(send.at[j])
		if a != m && b != m {
			continue
		}
		to, from := recv.off[j], send.off[j]
		if a == m {
			to += c
		}
		if b == m {
			from += es[slices.Index(s.leaves, send.at[j])]
		}
		switch {
		case !slices.Contains(dims, j):
			dist += abs(to - from)
		case a == m:
			pos = append(pos, to)
		default:
			pos = append(pos, from)
		}
	}
	return dist, pos
}

// spot is a bin of a star with the set of coordinates in a dimension of the
// root where it occurs.
type spot struct {
	dist int
	vec  []int64
	at   []uint64
}

// spots groups the pairs of star m, which shares the dimension dims[0] of the
// root, with n coordinates.
func (z *closed) spots(m int, dims []int, n int) []spot {
	var t tally
	var list []spot
	var pos []int
	z.each(&z.stars[m], func(c int, es []int, vec []int64) {
		var dist int
		dist, pos = z.place(m, c, es, dims, pos[:0])
		which := t.add(dist, 0, 1, vec)
		if which == len(list) {
			list = append(list, spot{dist: dist, vec: t.list[which].vec, at: make([]uint64, (n+63)/64)})
		}
		list[which].at[pos[0]/64] |= 1 << (pos[0] % 64)
	})
	return list
}

// between returns the bins of pairs of two stars that share one dimension
// of the root, which has n coordinates. There can be n*n pairs, but there are
// few bins: the differences of two sets of coordinates are found with shifts of
// bit sets, and the search ends when all possible differences are found.
func between(left, right []spot, n int) []bin {
	var t tally
	diff, back := make([]uint64, (n+63)/64), make([]uint64, (n+63)/64)
	var vec []int64
	for j := range right {
		y := &right[j]
		mirror(back, y.at, n)
		for i := range left {
			x := &left[i]
			vec = append(vec[:0], x.vec...)
			if !scale(vec, y.vec) {
				continue
			}
			clear(diff)
			differences(diff, x.at, y.at, back, n)
			for d := range n {
				if diff[d/64]>>(d%64)&1 != 0 {
					t.add(x.dist+y.dist+d, 0, 1, vec)
				}
			}
		}
	}
	return t.list
}

// mirror sets dst to set counted from the far end of n coordinates.
func mirror(dst, set []uint64, n int) {
	clear(dst)
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			x := n - 1 - w*64 - bits.TrailingZeros64(word)
			dst[x/64] |= 1 << (x % 64)
		}
	}
}

// differences adds to diff all |x-y| of coordinates x in a and y in b; back is
// b counted from the far end.
func differences(diff, a, b, back []uint64, n int) {
	lowA, highA := ends(a)
	lowB, highB := ends(b)
	// The most differences there can be.
	most := max(highA-lowB, highB-lowA) + 1 - max(0, lowA-highB, lowB-highA)
	for w, word := range a {
		for ; word != 0; word &= word - 1 {
			x := w*64 + bits.TrailingZeros64(word)
			count := 0
			shiftOr(diff, b, x)
			shiftOr(diff, back, n-1-x)
			for _, d := range diff {
				count += bits.OnesCount64(d)
			}
			if count >= most {
				return
			}
		}
	}
}

// ends returns the lowest and the highest coordinate of a set that is not
// empty.
func ends(set []uint64) (low, high int) {
	low = -1
	for w, word := range set {
		if word == 0 {
			continue
		}
		if low < 0 {
			low = w*64 + bits.TrailingZeros64(word)
		}
		high = w*64 + 63 - bits.LeadingZeros64(word)
	}
	return low, high
}

// shiftOr adds to dst the members of set that are at least by, less by.
func shiftOr(dst, set []uint64, by int) {
	skip, shift := by/64, uint(by%64)
	for i := skip; i < len(set); i++ {
		w := set[i] >> shift
		if shift != 0 && i+1 < len(set) {
			w |= set[i+1] << (64 - shift)
		}
		dst[i-skip] |= w
	}
}
