package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A system is a processor system: the numbers that its processors have in the
// root system, in the order of its own coordinates, its shape, and the shape that
// it had in the traced run.
type system struct {
	procs  []int
	shape  []int
	traced []int
}

func (s *system) set() set {
	var all set
	for _, p := range s.procs {
		all |= only(p)
	}
	return all
}

// index returns the number in s of the processor with root number p, or -1.
func (s *system) index(p int) int { return slices.Index(s.procs, p) }

// An abstractMachine is one of Lib-DVM; sys is nil before mapam_.
type abstractMachine struct{ sys *system }

func product(v []int) int {
	n := 1
	for _, x := range v {
		n *= x
	}
	return n
}

// indices lists all index tuples of a space, the last dimension fastest.
func indices(size []int) [][]int {
	all := make([][]int, product(size))
	for i := range all {
		all[i] = coords(size, i)
	}
	return all
}

// linear returns the position of tuple x in the list of indices.
func linear(size, x []int) int {
	i := 0
	for d, v := range x {
		i = i*size[d] + v
	}
	return i
}

// view reshapes a system (docs/model.md#systems, psview_): the trace's shape when it
// has as many processors, else the most even shape of the same rank.
func view(s *system, shape []int) *system {
	n := len(s.procs)
	v := &system{procs: s.procs, shape: shape, traced: shape}
	if product(shape) == n {
		return v
	}
	var best []int
	var try func(left int, sofar []int)
	try = func(left int, sofar []int) {
		if len(sofar) == len(shape) {
			if left == 1 && (best == nil || better(sofar, best)) {
				best = slices.Clone(sofar)
			}
			return
		}
		for d := 1; d <= left; d++ {
			if left%d == 0 {
				try(left/d, append(sofar, d))
			}
		}
	}
	try(n, nil)
	v.shape = best
	return v
}

// better orders shapes: the smallest sum, then the smallest largest extent,
// then the largest first extents.
func better(a, b []int) bool {
	sum := func(v []int) (t int) {
		for _, x := range v {
			t += x
		}
		return t
	}
	if sum(a) != sum(b) {
		return sum(a) < sum(b)
	}
	if slices.Max(a) != slices.Max(b) {
		return slices.Max(a) < slices.Max(b)
	}
	return slices.Compare(a, b) > 0
}

// scale scales the section first..end-1 of the traced coordinates to n
// coordinates. Bounds are rounded to the nearest; a section that would be empty
// becomes the coordinate in its middle.
func scale(first, end, n, traced int) (lo, hi int) {
	nearest := func(x int) int { return (2*x*n + traced) / (2 * traced) }
	if lo, hi = nearest(first), nearest(end)-1; lo > hi {
		lo = (first + end) * n / (2 * traced)
		hi = lo
	}
	return lo, hi
}

// bounds are the first and last coordinates of a section in each dimension, and
// the extents of the system that it is a section of.
type bounds struct{ first, last, of []int }

// section is the section of s with the given bounds (crtps_), scaled to the
// simulated sizes. Dimensions that s lacks are dropped; in dimensions without
// bounds the section is the whole system.
func section(s *system, b bounds) (*system, error) {
	lo, hi := make([]int, len(s.shape)), make([]int, len(s.shape))
	v := &system{}
	for d, n := range s.shape {
		lo[d], hi[d] = 0, n-1
		if d < len(b.first) && d < len(b.last) {
			traced := 1
			if d < len(b.of) {
				traced = b.of[d]
			}
			if b.first[d] < 0 || b.last[d] < b.first[d] || b.last[d] >= traced {
				return nil, fmt.Errorf("found the section %d..%d of %d processors", b.first[d], b.last[d], traced)
			}
			lo[d], hi[d] = scale(b.first[d], b.last[d]+1, n, traced)
		}
		v.shape = append(v.shape, hi[d]-lo[d]+1)
	}
	for d := range b.first {
		v.traced = append(v.traced, b.last[d]-b.first[d]+1)
	}
	for i, x := range indices(s.shape) {
		inside := true
		for d := range x {
			inside = inside && lo[d] <= x[d] && x[d] <= hi[d]
		}
		if inside {
			v.procs = append(v.procs, s.procs[i])
		}
	}
	return v, nil
}

// readSections reads the option --sections: LINE=FIRST-LAST/N, with an x between
// dimensions and a comma between sections.
func readSections(text string) (map[int][]bounds, error) {
	all := map[int][]bounds{}
	for item := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		line, rest, _ := strings.Cut(item, "=")
		at, err := strconv.Atoi(line)
		if err != nil {
			return nil, err
		}
		ranges, extents, _ := strings.Cut(rest, "/")
		var b bounds
		for d, n := range strings.Split(extents, "x") {
			var first, last, of int
			r := strings.Split(ranges, "x")[d]
			if k, _ := fmt.Sscanf(r+"/"+n, "%d-%d/%d", &first, &last, &of); k != 3 {
				return nil, fmt.Errorf("found the section %q", item)
			}
			b.first, b.last, b.of = append(b.first, first), append(b.last, last), append(b.of, of)
		}
		all[at] = append(all[at], b)
	}
	return all, nil
}
