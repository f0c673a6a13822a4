// Package search finds the processor grid on which a program does best, by
// simulating it on many (docs/model.md#11-search).
package search

import (
	"fmt"

	"dvmtools/pkg/call"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Shape is what a program's distributions say about useful grids.
type Shape struct {
	// Extents are, for each dimension of a grid, the largest axis of a
	// template that the program maps on it.
	Extents []int64
	// Alike is the time that every processor spends whatever the grid is,
	// on the traced machine; 0 when the program has tasks, which may share
	// it.
	Alike units.Seconds
}

// Read returns the shape of a recorded program; a program without a
// distribution is an error. sections are those of the options, "" for none.
// Handles that name nothing are passed over when lenient is set.
func Read(r *call.Recording, sections string, lenient bool) (Shape, error) {
	var s Shape
	var given []procs.Given
	if sections != "" {
		var err error
		if given, err = procs.ParseGiven(sections); err != nil {
			return s, fmt.Errorf("sections: %w", err)
		}
	}
	src := r.Source()
	traced := r.Header().Runtime.Root()
	t := object.New(object.Config{Grid: traced, Traced: traced, Sections: given})
	tasks, io := false, false
	for {
		c, err := src.Next()
		if err != nil {
			break
		}
		if c.Outside {
			continue
		}
		if err := t.Follow(c); err != nil && !(lenient && object.IsHandleError(err)) {
			return s, err
		}
		switch c.Class() {
		case libdvm.RunMachine:
			tasks = true
		case libdvm.BeginIO:
			io = true
		case libdvm.EndIO:
			io = false
		case libdvm.Ordinary:
			if !io {
				s.Alike += c.CallTime + c.RetTime
			}
		}
	}
	if err := t.UnusedSections(); err != nil {
		return s, err
	}
	if tasks {
		s.Alike = 0
	}
	s.Extents = t.Extents()
	if len(s.Extents) == 0 {
		return s, fmt.Errorf("the program distributes nothing, so that no grid is better than another; expected a distr_ or redis_ that maps an axis")
	}
	return s, nil
}

// Mark says how even the blocks of the extents are on a grid: the least ratio
// over the dimensions of the least elements of any coordinate to the most, 0
// when a coordinate gets none, 1 when every extent is divisible
// (docs/model.md#11-search; R 5 takes the last coordinate, which under the
// blocks of docs/model.md#blocks has always the most). Grids with a mark above
// 0 are called not bad.
func Mark(grid []int, extents []int64) float64 {
	mark := 1.0
	for k, n := range grid {
		e := int64(1)
		if k < len(extents) && extents[k] > 0 {
			e = extents[k]
		}
		if int64(n) > e {
			return 0
		}
		a, err := layout.NewAxis(e, n, layout.Weights{})
		if err != nil {
			return 0
		}
		least, most := e, int64(0)
		for c := range n {
			lo, hi := a.Range(c)
			least, most = min(least, hi-lo), max(most, hi-lo)
		}
		mark = min(mark, float64(least)/float64(most))
	}
	return mark
}

// Grids calls yield for all grids of the given rank with n processors, the
// first extent descending.
func Grids(n, rank int, yield func(grid []int)) {
	grid := make([]int, rank)
	var walk func(k, left int)
	walk = func(k, left int) {
		if k == rank-1 {
			grid[k] = left
			yield(grid)
			return
		}
		for f := left; f >= 1; f-- {
			if left%f == 0 {
				grid[k] = f
				walk(k+1, left/f)
			}
		}
	}
	walk(0, n)
}

// countGrids returns how many grids of the given rank have at most most
// processors.
func countGrids(most, rank int) int64 {
	counts := make([]int64, most+1)
	counts[1] = 1
	for range rank {
		next := make([]int64, most+1)
		for d := 1; d <= most; d++ {
			for m := d; m <= most; m += d {
				next[m] += counts[m/d]
			}
		}
		counts = next
	}
	sum := int64(0)
	for _, c := range counts {
		sum += c
	}
	return sum
}
