package density

import (
	"slices"

	"dvmtools/pkg/layout"
	"dvmtools/pkg/units"
)

// Blocks are the iterations that each process of a run executed, as cells of a
// space.
type Blocks struct {
	Space
	of []block // by process
}

// block is what one process executed.
type block struct {
	cells  []int
	volume float64 // how many iterations, 0 for none
}

// NewBlocks returns the blocks of processes in a loop with counts[d] iterations
// along dimension d. boxes[p] are those of process p along each dimension, nil
// when it executed none.
func NewBlocks(counts []int64, boxes [][]layout.Interval) *Blocks {
	b := &Blocks{of: make([]block, len(boxes))}
	for d, n := range counts {
		ends := []int64{n}
		for _, box := range boxes {
			if box != nil {
				ends = append(ends, box[d].Lo, box[d].Hi)
			}
		}
		slices.Sort(ends)
		ends = slices.DeleteFunc(slices.Compact(ends), func(x int64) bool { return x <= 0 })
		if len(ends) == 0 {
			ends = []int64{0} // a loop without iterations
		}
		b.axes = append(b.axes, axis{ends: ends})
	}
	for p, box := range boxes {
		if box == nil {
			continue
		}
		bl := block{cells: []int{0}, volume: 1}
		for d, iv := range box {
			ends := b.axes[d].ends
			var cells []int
			for _, r := range b.axes[d].between(iv.Lo, iv.Hi) {
				for _, cell := range bl.cells {
					cells = append(cells, cell*len(ends)+r.Segment)
				}
			}
			bl.cells = cells
			bl.volume *= float64(iv.Len())
		}
		b.of[p] = bl
	}
	return b
}

// Spread divides t among the processes by their times, by the numbers of their
// iterations when times is nil or has none. The result is for [Blocks.Density]:
// what it gives for a sum of such divisions is as if each had been passed alone.
func (b *Blocks) Spread(t units.Seconds, times []units.Seconds) []units.Seconds {
	parts := make([]units.Seconds, len(b.of))
	sum := units.Seconds(0)
	for p := range times {
		if b.of[p].volume > 0 {
			parts[p] = max(times[p], 0)
			sum += parts[p]
		}
	}
	if sum == 0 {
		for p := range parts {
			parts[p] = units.Seconds(b.of[p].volume)
			sum += parts[p]
		}
	}
	if sum == 0 {
		return parts
	}
	for p := range parts {
		parts[p] *= t / sum
	}
	return parts
}

// rounding is by how much equal quotients of time and iterations may differ.
const rounding = 1e-14

// Density returns the density that the times of the processes give: the time of
// each spread evenly over its iterations. A time below 0 counts as 0. It is
// nil when it is the same everywhere. times must have as many elements as there
// are processes.
func (b *Blocks) Density(times []units.Seconds) []float64 {
	cells := 1
	for d := range b.axes {
		cells *= len(b.axes[d].ends)
	}
	density := make([]float64, cells)
	for p, bl := range b.of {
		if bl.volume == 0 || times[p] <= 0 {
			continue
		}
		each := float64(times[p]) / bl.volume
		for _, cell := range bl.cells {
			density[cell] += each
		}
	}
	least, most, some := 0.0, 0.0, false
	for _, bl := range b.of {
		for _, cell := range bl.cells {
			x := density[cell]
			if !some {
				least, most, some = x, x, true
			}
			least, most = min(least, x), max(most, x)
		}
	}
	if most-least <= most*rounding {
		return nil
	}
	return density
}
