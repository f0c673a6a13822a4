package search

import (
	"cmp"
	"slices"

	"dvmtools/pkg/machine"
)

// A meeting is the medium of the busiest node at one depth of a machine, with the
// pairs of neighbours along each dimension of a grid that use it: those of which no
// lower node contains both.
type meeting struct {
	medium machine.Medium
	pairs  []int64
}

// batch is a number of messages of as many bytes each.
type batch struct {
	count int64
	bytes float64
}

// carry returns the time of messages on the medium: neighbours on transputers all send
// at once; else the longest message goes first and each takes the channel that is
// free first.
func (m *meeting) carry(all []batch) float64 {
	message := func(b batch) float64 {
		return float64(m.medium.TStart) + float64(b.bytes*float64(m.medium.TByte))
	}
	slices.SortStableFunc(all, func(a, b batch) int { return cmp.Compare(b.bytes, a.bytes) })
	if m.medium.Kind == machine.Transputer {
		return message(all[0])
	}
	// Channels that are free at the same time are one group; groups ascend.
	type group struct {
		free     float64
		channels int64
	}
	groups := []group{{0, max(1, int64(m.medium.Channels))}}
	end := 0.0
	for _, b := range all {
		t := message(b)
		for left := b.count; left > 0; {
			g := groups[0]
			used, rounds := min(g.channels, left), int64(1)
			if left >= g.channels {
				rounds = left / g.channels
				if len(groups) > 1 && t > 0 {
					rounds = min(rounds, max(1, int64((groups[1].free-g.free)/t)))
				}
			}
			left -= used * rounds
			busy := group{g.free + float64(t*float64(rounds)), used}
			end = max(end, busy.free)
			if groups[0].channels -= used; groups[0].channels == 0 {
				groups = groups[1:]
			}
			i, _ := slices.BinarySearchFunc(groups, busy, func(a, b group) int { return cmp.Compare(a.free, b.free) })
			groups = slices.Insert(groups, i, busy)
		}
	}
	return end
}

// meetings returns where neighbours of a grid meet on a machine, from the root down.
// Processors count in the order of the description, also when they have another one.
func meetings(m *machine.Machine, g *grid) []meeting {
	w := meetingWalk{extents: g.extents, strides: make([]int64, len(g.extents)), n: int64(g.n)}
	for k, s := len(w.strides)-1, int64(1); k >= 0; k-- {
		w.strides[k], s = s, s*int64(g.extents[k])
	}
	w.node(m.Root, 0, 0)
	return slices.DeleteFunc(w.found, func(m meeting) bool { return m.medium.Kind == machine.NoMedium })
}

type meetingWalk struct {
	extents []int
	strides []int64 // between neighbours
	n       int64   // processors of the grid
	found   []meeting
	sums    []int64 // of the pairs of found
}

// node looks at a node and those below it. Nodes of a group are alike, so that
// the first two are enough: blocks of the grid may begin within a node.
func (w *meetingWalk) node(at *machine.Node, first int64, depth int) {
	end := min(first+at.Processors(), w.n)
	m, sum := meeting{at.Medium, make([]int64, len(w.strides))}, int64(0)
	for k := range m.pairs {
		m.pairs[k] = w.pairs(first, end, k)
		from := first
		for _, group := range at.Groups {
			size := group.Node.Processors()
			if size > w.strides[k] {
				for c := int64(0); c < group.Count && from+c*size < end; c++ {
					m.pairs[k] -= w.pairs(from+c*size, min(from+(c+1)*size, end), k)
				}
			}
			from += group.Count * size
		}
		sum += m.pairs[k]
	}
	if depth == len(w.found) {
		w.found, w.sums = append(w.found, m), append(w.sums, sum)
	} else if sum > w.sums[depth] {
		w.found[depth], w.sums[depth] = m, sum
	}
	from := first
	for _, group := range at.Groups {
		size := group.Node.Processors()
		for c := range min(group.Count, 2) {
			if below := from + c*size; !group.Node.Leaf() && below < end {
				w.node(group.Node, below, depth+1)
			}
		}
		from += group.Count * size
	}
}

// pairs returns how many of the processors first to end-1 have a next neighbour
// along dimension k among them.
func (w *meetingWalk) pairs(first, end int64, k int) int64 {
	stride, n := w.strides[k], int64(w.extents[k])
	if n == 1 || end-stride <= first {
		return 0
	}
	// before is how many of the processors before p are not at the last coordinate.
	before := func(p int64) int64 {
		return p/(stride*n)*stride*(n-1) + min(p%(stride*n), stride*(n-1))
	}
	return before(end-stride) - before(first)
}
