package traffic

import (
	"encoding/binary"
	"slices"
)

// bin counts pairs of coordinates that have the same distance and the same number
// of elements in common: a bar of a histogram.
type bin struct {
	dist int // between the coordinates
	out  int // how many dimensions are left (shadow edges)
	n    int64
	vec  []int64 // elements in common, per array of the exchange
}

// tally is a histogram of pairs; its bins are in the order of their first
// appearance.
type tally struct {
	index map[string]int
	list  []bin
	key   []byte
}

// add counts n pairs and returns the number of their bin; vec is copied when
// it is new.
func (t *tally) add(dist, out int, n int64, vec []int64) int {
	t.key = binary.AppendVarint(t.key[:0], int64(dist))
	t.key = binary.AppendVarint(t.key, int64(out))
	for _, v := range vec {
		t.key = binary.AppendVarint(t.key, v)
	}
	i, ok := t.index[string(t.key)]
	if !ok {
		if t.index == nil {
			t.index = map[string]int{}
		}
		i = len(t.list)
		t.index[string(t.key)] = i
		t.list = append(t.list, bin{dist: dist, out: out, vec: slices.Clone(vec)})
	}
	t.list[i].n += n
	return i
}

// longest drops bins that have no more elements of any array than another bin of
// the same distance: Distances asks only for the longest messages. For one array
// it leaves one bin for each distance.
func longest(list []bin) []bin {
	slices.SortStableFunc(list, func(a, b bin) int {
		if a.dist != b.dist {
			return a.dist - b.dist
		}
		if a.out != b.out {
			return a.out - b.out
		}
		return -slices.Compare(a.vec, b.vec)
	})
	kept := list[:0]
	first := 0
	for _, c := range list {
		if len(kept) > 0 && (kept[len(kept)-1].dist != c.dist || kept[len(kept)-1].out != c.out) {
			first = len(kept)
		}
		if !slices.ContainsFunc(kept[first:], func(k bin) bool { return surpasses(k.vec, c.vec) }) {
			kept = append(kept, c)
		}
	}
	return kept
}

func surpasses(a, b []int64) bool {
	for i := range a {
		if a[i] < b[i] {
			return false
		}
	}
	return true
}

// multiply returns the bins of pairs in the product of two dimensions:
// distances and left dimensions add up, pieces multiply. At most maxOut
// dimensions may be left.
func multiply(a, b []bin, maxOut int) []bin {
	var t tally
	var vec []int64
	for i := range a {
		for j := range b {
			x, y := &a[i], &b[j]
			if x.out+y.out > maxOut {
				continue
			}
			vec = append(vec[:0], x.vec...)
			if scale(vec, y.vec) {
				t.add(x.dist+y.dist, x.out+y.out, x.n*y.n, vec)
			}
		}
	}
	return t.list
}

// scale multiplies vec by the factors and reports whether anything is left.
func scale(vec, by []int64) bool {
	some := false
	for i := range vec {
		vec[i] *= by[i]
		some = some || vec[i] != 0
	}
	return some
}

// ones returns the one bin of the empty product.
func ones(width int) []bin {
	vec := make([]int64, width)
	for i := range vec {
		vec[i] = 1
	}
	return []bin{{n: 1, vec: vec}}
}

// noLimit is the number of dimensions that may be left when nothing limits it.
const noLimit = 1 << 30
