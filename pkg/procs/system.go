// Package procs describes processor systems: the root grid that is simulated,
// views of it in other shapes and sections of it (docs/model.md#systems).
package procs

import "slices"

// System is a processor system: a grid of some processors of the root.
type System struct {
	// Grid holds the simulated extents, Traced those in the trace.
	Grid   []int
	Traced []int64
	// Ranks are the root's linear numbers of the system's processors in its
	// own order (row-major, last coordinate fastest); nil stands for 0, 1, ...
	Ranks []int
	// Lower is where the system begins in the root's grid when it is a
	// section of it with the same dimensions, else nil.
	Lower []int
	// ID is different for every system, the root's is 0.
	ID int
}

// Root returns the root system: all processors of the simulated grid. traced
// are its extents as the program saw them.
func Root(grid, traced []int) *System {
	s := &System{Grid: slices.Clone(grid), Lower: make([]int, len(grid))}
	for _, n := range traced {
		s.Traced = append(s.Traced, int64(n))
	}
	return s
}

// Size returns the number of processors.
func (s *System) Size() int { return product(s.Grid) }

// Rank returns the root's number of the system's processor i.
func (s *System) Rank(i int) int {
	if s.Ranks == nil {
		return i
	}
	return s.Ranks[i]
}

// Contains reports whether the processor with the root's number r belongs to
// the system, and its number there.
func (s *System) Contains(r int) (int, bool) {
	if s.Ranks == nil {
		return r, r < s.Size()
	}
	for i, x := range s.Ranks {
		if x == r {
			return i, true
		}
	}
	return 0, false
}

// Coords fills dst with the coordinates of processor i.
func (s *System) Coords(i int, dst []int) {
	for k := len(s.Grid) - 1; k >= 0; k-- {
		dst[k] = i % s.Grid[k]
		i /= s.Grid[k]
	}
}

// Number returns the number of the processor with the given coordinates.
func (s *System) Number(coords []int) int {
	i := 0
	for k, n := range s.Grid {
		i = i*n + coords[k]
	}
	return i
}

func product(xs []int) int {
	p := 1
	for _, x := range xs {
		p *= x
	}
	return p
}
