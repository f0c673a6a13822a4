package layout

import "fmt"

// Iterations is the set Init, Init+Step, ... up to Last of one loop variable.
type Iterations struct{ Init, Last, Step int64 }

// Count returns how many iterations there are; a step of 0 counts as 1.
func (it Iterations) Count() int64 {
	step := it.Step
	if step == 0 {
		step = 1
	}
	n := FloorDiv(it.Last-it.Init, step) + 1
	return max(n, 0)
}

// valid reports whether the bounds are small enough to compute with.
func (it Iterations) valid() bool {
	return placeable(it.Init) && placeable(it.Last) && placeable(it.Step)
}

// LoopRules turns rules that place the values of loop variables into rules
// that place the ordinal numbers 0, 1, ... of the iterations, and returns the
// numbers of iterations: value = Init + ordinal*Step.
func LoopRules(rules []Rule, its []Iterations) ([]Rule, []int64, error) {
	counts := make([]int64, len(its))
	for i, it := range its {
		if !it.valid() {
			return nil, nil, errPlace
		}
		counts[i] = it.Count()
	}
	out := make([]Rule, len(rules))
	for j, r := range rules {
		out[j] = r
		if r.Kind != Linear {
			continue
		}
		if r.Dim >= len(its) {
			return nil, nil, fmt.Errorf("the mapping names loop variable %d of %d", r.Dim+1, len(its))
		}
		it := its[r.Dim]
		step := it.Step
		if step == 0 {
			step = 1
		}
		a, ok1 := mul(r.A, step)
		b, ok2 := mul(r.A, it.Init)
		if !ok1 || !ok2 || !placeable(b+r.B) {
			return nil, nil, errPlace
		}
		out[j] = Rule{Kind: Linear, Dim: r.Dim, A: a, B: b + r.B}
	}
	return out, counts, nil
}

// Share is the part of an index space that processors own: for a processor at
// coords, Count of it. Shares of a mapping whose dimensions are cut along one
// grid dimension each are products of numbers per coordinate.
type Share struct {
	// Total is how many indices anybody owns.
	Total int64
	// Same is how many processors own the same indices as one that owns any.
	Same int64
	// Labels give for each grid dimension a number per coordinate such that
	// coordinates with equal numbers own equally many indices; 0 stands for
	// none.
	Labels [][]int64
	// free is how many indices the dimensions give that are not cut.
	free int64
	// diagonal marks a dimension that two grid dimensions cut.
	diagonal bool
	m        *Mapping
}

// ErrVolume is the error of an index space with more than 2^62 elements.
var ErrVolume = fmt.Errorf("the index space has more than 2^62 elements")

// Share returns the shares of m.
func (m *Mapping) Share() (*Share, error) {
	s := &Share{Same: 1, Total: 1, free: 1, m: m, Labels: make([][]int64, len(m.Grid))}
	cutBy := make([]int, len(m.Size))
	covered := make([]int64, len(m.Size))
	for k := range m.Ranges {
		sp := &m.Ranges[k]
		labels := make([]int64, m.Grid[k])
		if sp.Dim < 0 {
			for c := range labels {
				if sp.Holds(c) {
					labels[c] = 1
				}
			}
			s.Same *= int64(sp.Holders())
		} else {
			sum := int64(0)
			for c := range labels {
				labels[c] = sp.Hi[c] - sp.Lo[c]
				sum += labels[c]
			}
			cutBy[sp.Dim]++
			covered[sp.Dim] = sum
			if cutBy[sp.Dim] > 1 {
				s.diagonal = true
			}
		}
		s.Labels[k] = labels
	}
	for i, n := range m.Size {
		part := n
		if cutBy[i] > 0 {
			part = covered[i]
		}
		var ok bool
		if s.Total, ok = volume(s.Total, part); !ok {
			return nil, ErrVolume
		}
		if cutBy[i] == 0 {
			s.free, _ = volume(s.free, n)
		}
	}
	if s.diagonal {
		s.distinguishAll()
	}
	if s.Same == 0 {
		s.Total = 0
	}
	return s, nil
}

func volume(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	if b < 0 || a > (1<<62)/b {
		return 0, false
	}
	return a * b, true
}

// Mapping returns the mapping that the shares are of.
func (s *Share) Mapping() *Mapping { return s.m }

// Diagonal reports whether a dimension of the index space is cut along two
// grid dimensions, so that counts are no products.
func (s *Share) Diagonal() bool { return s.diagonal }

// Free returns how many indices the dimensions give that are not cut: counts
// are that number times one number per grid dimension.
func (s *Share) Free() int64 { return s.free }

// Count returns how many indices the processor with the given labels owns.
// For diagonal mappings the labels are coordinates+1.
func (s *Share) Count(labels []int64) int64 {
	if s.diagonal {
		coords := make([]int, len(labels))
		for k, l := range labels {
			coords[k] = int(l - 1)
		}
		box := make([]Interval, len(s.m.Size))
		if !s.m.Owned(coords, box) {
			return 0
		}
		n := int64(1)
		for _, iv := range box {
			n *= iv.Len()
		}
		return n
	}
	n := s.free
	for _, l := range labels {
		n *= l
	}
	return n
}

// distinguishAll makes every coordinate its own label and counts the total
// over the grid: the rare mapping of one dimension on two grid dimensions.
func (s *Share) distinguishAll() {
	for _, l := range s.Labels {
		for c := range l {
			l[c] = int64(c) + 1
		}
	}
	s.Total = 0
	coords := make([]int, len(s.m.Grid))
	labels := make([]int64, len(coords))
	same := max(s.Same, 1)
	for {
		for k, c := range coords {
			labels[k] = int64(c) + 1
		}
		s.Total += s.Count(labels)
		k := len(coords) - 1
		for ; k >= 0; k-- {
			if coords[k]++; coords[k] < s.m.Grid[k] {
				break
			}
			coords[k] = 0
		}
		if k < 0 {
			break
		}
	}
	s.Total /= same
}
