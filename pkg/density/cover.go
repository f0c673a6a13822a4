package density

import (
	"slices"

	"dvmtools/pkg/layout"
)

// Cover is how much of a space the processors of a grid have.
type Cover struct {
	// Labels tell apart the coordinates of each grid dimension that have
	// different weights; 0 stands for nothing.
	Labels [][]int64

	space  *Space
	m      *layout.Mapping
	same   int64
	ranges [][]Range // by grid dimension and label
	free   []Range   // along dimensions that are not cut, nil along others
	union  []Range   // of all processors together
	// diagonal says that two grid dimensions cut one dimension: labels are
	// coordinates + 1.
	diagonal bool
}

// Cover returns how much of s the processors have among which share divides
// it.
func (s *Space) Cover(share *layout.Share) *Cover {
	m := share.Mapping()
	c := &Cover{space: s, m: m, same: max(share.Same, 1), diagonal: share.Diagonal(), free: make([]Range, len(s.axes)), union: make([]Range, len(s.axes))}
	cut := make([]bool, len(s.axes))
	for k := range m.Ranges {
		sp := &m.Ranges[k]
		labels, ranges := c.along(sp, m.Grid[k])
		c.Labels, c.ranges = append(c.Labels, labels), append(c.ranges, ranges)
		if sp.Dim < 0 {
			continue
		}
		cut[sp.Dim] = true
		for x := range sp.Lo {
			c.union[sp.Dim] = c.union[sp.Dim].plus(s.axes[sp.Dim].between(sp.Lo[x], sp.Hi[x]))
		}
	}
	for d := range s.axes {
		if !cut[d] {
			c.free[d] = s.axes[d].between(0, m.Size[d])
			c.union[d] = c.free[d]
		}
	}
	return c
}

// along returns the labels of the n coordinates of a grid dimension and the
// range of each label.
func (c *Cover) along(sp *layout.Ranges, n int) (labels []int64, ranges []Range) {
	labels, ranges = make([]int64, n), []Range{nil}
	ids := map[string]int64{}
	for x := range labels {
		switch {
		case c.diagonal:
			labels[x] = int64(x) + 1
			continue
		case sp.Dim < 0:
			if sp.Holds(x) {
				labels[x] = 1
			}
			continue
		}
		r := c.space.axes[sp.Dim].between(sp.Lo[x], sp.Hi[x])
		if len(r) == 0 {
			continue
		}
		key := string(r.AppendKey(nil))
		if ids[key] == 0 {
			ids[key] = int64(len(ranges))
			ranges = append(ranges, r)
		}
		labels[x] = ids[key]
	}
	return labels, ranges
}

// Along returns how much a coordinate of grid dimension k has, which is cut,
// when its iterations are lo <= x < hi without those in out, which is sorted.
func (c *Cover) Along(k int, lo, hi int64, out []int64) Range {
	return c.space.axes[c.m.Ranges[k].Dim].without(lo, hi, out)
}

// Shares are the parts of a loop's time that the processors of a cover spend.
type Shares struct {
	*Cover
	density []float64
	total   float64
}

// Shares returns the shares by a density, nil for 1 on all cells. They are nil
// when nothing costs anything.
func (c *Cover) Shares(density []float64) *Shares {
	s := &Shares{Cover: c, density: density}
	if c.diagonal {
		s.total = s.overall() / float64(c.same)
	} else {
		s.total = c.space.weigh(density, c.union)
	}
	if s.total == 0 {
		return nil
	}
	return s
}

// Of returns the part of the processor with the given labels: 0 to 1. The parts
// of all processors sum to the number of processors that execute the same
// iterations.
func (s *Shares) Of(labels []int64) float64 { return s.weight(labels) / s.total }

func (s *Shares) weight(labels []int64) float64 {
	if slices.Contains(labels, 0) {
		return 0
	}
	if s.diagonal {
		return s.corner(labels)
	}
	return s.product(func(k int) Range { return s.ranges[k][labels[k]] })
}

// Part returns the part of a processor that has, along each grid dimension k
// that is cut, what at says, as [Cover.Along] returns it. Dimensions that are not
// cut count as had. It is for covers without a dimension that two grid dimensions
// cut.
func (s *Shares) Part(at func(k int) Range) float64 { return s.product(at) / s.total }

func (s *Shares) product(at func(k int) Range) float64 {
	box := append(make([]Range, 0, len(s.free)), s.free...)
	for k := range s.m.Ranges {
		if d := s.m.Ranges[k].Dim; d >= 0 {
			box[d] = at(k)
		}
	}
	return s.space.weigh(s.density, box)
}

// corner is the weight of a processor of a diagonal cover.
func (s *Shares) corner(labels []int64) float64 {
	coords := make([]int, len(labels))
	for k, l := range labels {
		coords[k] = int(l - 1)
	}
	owned := make([]layout.Interval, len(s.m.Size))
	if !s.m.Owned(coords, owned) {
		return 0
	}
	box := make([]Range, len(owned))
	for d, iv := range owned {
		box[d] = s.space.axes[d].between(iv.Lo, iv.Hi)
	}
	return s.space.weigh(s.density, box)
}

// overall sums the weights of all processors of a diagonal cover.
func (s *Shares) overall() float64 {
	labels := make([]int64, len(s.m.Grid))
	for k := range labels {
		labels[k] = 1
	}
	sum := 0.0
	for {
		sum += s.corner(labels)
		k := len(labels) - 1
		for ; k >= 0; k-- {
			if labels[k]++; labels[k] <= int64(s.m.Grid[k]) {
				break
			}
			labels[k] = 1
		}
		if k < 0 {
			return sum
		}
	}
}
