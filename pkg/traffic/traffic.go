// Package traffic finds out which processor sends how many bytes to which in the
// exchanges of a program: shadow edges, redistributions, copies and remote access
// buffers (docs/model.md#7-exchanges). Package comm computes what they cost.
//
// An exchange is worked out in these steps.
//
//  1. Redistributions, copies, array input and output and remote access
//     buffers are all the same problem: there are two mappings of one index
//     space, and each processor gets what it owns under the new mapping from
//     the nearest processor that owns it under the old one. Sections and
//     accesses A*I+B become such an index space by numbering their elements.
//  2. A processor that has an element already is its own nearest owner:
//     messages from a processor to itself are dropped.
//  3. Blocks are cut dimension by dimension. Pairs of coordinates that have
//     pieces in common are listed per dimension and counted by the size of
//     the piece; the messages are the product of these lists. Only Each
//     lists the messages one by one.
//  4. Where the lists do not multiply (one dimension of an array on two
//     dimensions of a grid, processor systems that are no boxes of the root's
//     grid, arrays of one exchange that are transposed against each other) the
//     messages are found one by one.
package traffic

import (
	"errors"
	"slices"

	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// ErrVolume is the error of an exchange of arrays with more than 2^63-1 bytes
// together: sizes of messages could not be represented.
var ErrVolume = errors.New("the arrays of the exchange have more than 2^63-1 bytes")

// Root is the root's processor grid, in which distances are measured. It caches
// how the latest processor systems lie in it, and is not safe for concurrent use.
type Root struct {
	grid    []int
	strides []int
	frames  map[*procs.System]*frame
}

// NewRoot returns the root with the given extents.
func NewRoot(grid []int) *Root {
	return &Root{grid: slices.Clone(grid), strides: strides(grid), frames: map[*procs.System]*frame{}}
}

// strides returns the distance of linear numbers of neighbours along each
// dimension.
func strides(grid []int) []int {
	s := make([]int, len(grid))
	n := 1
	for k := len(grid) - 1; k >= 0; k-- {
		s[k] = n
		n *= grid[k]
	}
	return s
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

// frame is how a processor system lies in the root's grid.
type frame struct {
	sys     *procs.System
	strides []int
	// box is whether the system is a box of the root's grid whose dimensions
	// are dimensions of the root. The rest is set for boxes only.
	box bool
	// off are the root's coordinates of the first processor.
	off []int
	// dim is the root's dimension of each dimension of the system, -1 where
	// the extent is 1; at is the reverse.
	dim, at []int
}

// maxFrames bounds how many systems are remembered: a program may create any
// number of them in a loop.
const maxFrames = 64

func (r *Root) frame(s *procs.System) *frame {
	if f := r.frames[s]; f != nil {
		return f
	}
	if len(r.frames) >= maxFrames {
		clear(r.frames)
	}
	f := r.newFrame(s)
	r.frames[s] = f
	return f
}

func (r *Root) newFrame(s *procs.System) *frame {
	f := &frame{sys: s, strides: strides(s.Grid), off: make([]int, len(r.grid)), dim: make([]int, len(s.Grid)), at: make([]int, len(r.grid))}
	if f.section() {
		f.box = true
		copy(f.off, s.Lower)
		for k, n := range s.Grid {
			f.dim[k], f.at[k] = -1, -1
			if n > 1 {
				f.dim[k], f.at[k] = k, k
			}
		}
		return f
	}
	first := s.Rank(0)
	for j, st := range r.strides {
		f.off[j] = first / st % r.grid[j]
		f.at[j] = -1
	}
	for k, n := range s.Grid {
		f.dim[k] = -1
		if n == 1 {
			continue
		}
		step := s.Rank(f.strides[k]) - first
		for j, st := range r.strides {
			if st == step && f.at[j] < 0 && f.off[j]+n <= r.grid[j] {
				f.dim[k], f.at[j] = j, k
				break
			}
		}
		if f.dim[k] < 0 {
			return f
		}
	}
	f.box = s.Ranks == nil || f.regular(r)
	return f
}

// section reports whether the system says where it begins in the root's grid.
func (f *frame) section() bool {
	return f.sys.Lower != nil && len(f.sys.Lower) == len(f.off) && len(f.sys.Grid) == len(f.off)
}

// regular reports whether all processors lie in equal steps from each other, as
// the first two of each dimension do.
func (f *frame) regular(r *Root) bool {
	coords := make([]int, len(f.sys.Grid))
	first := f.sys.Rank(0)
	for _, rank := range f.sys.Ranks {
		want := first
		for k, c := range coords {
			if j := f.dim[k]; j >= 0 {
				want += c * r.strides[j]
			}
		}
		if rank != want {
			return false
		}
		next(coords, f.sys.Grid)
	}
	return true
}

// number returns the system's number of the processor at coords.
func (f *frame) number(coords []int) int {
	n := 0
	for k, c := range coords {
		n += c * f.strides[k]
	}
	return n
}

// next advances coords in a grid, the last coordinate fastest, and reports
// whether there are more.
func next(coords, grid []int) bool {
	for k := len(coords) - 1; k >= 0; k-- {
		if coords[k]++; coords[k] < grid[k] {
			return true
		}
		coords[k] = 0
	}
	return false
}

// same reports whether two systems are the same processors in the same grid.
func same(a, b *procs.System) bool {
	return a == b || slices.Equal(a.Grid, b.Grid) && (a.Ranks == nil) == (b.Ranks == nil) && slices.Equal(a.Ranks, b.Ranks)
}

// single returns the system of one processor of the root.
func single(rank int) *procs.System {
	return &procs.System{Grid: []int{1}, Traced: []int64{1}, Ranks: []int{rank}}
}

// bytesOf returns how many bytes the elements of an index space take.
func bytesOf(size []int64, elem int64) (int64, error) {
	b, ok := units.Bytes(elem), elem >= 0
	for _, n := range size {
		if n <= 0 {
			return 0, nil
		}
	}
	for _, n := range size {
		if ok {
			b, ok = units.MulBytes(b, units.Bytes(n))
		}
	}
	if !ok {
		return 0, ErrVolume
	}
	return int64(b), nil
}
