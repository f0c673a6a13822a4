package traffic

import (
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// oblique returns the traffic of the edges of an array with a dimension that is
// cut along several dimensions of the grid. A block then belongs to a combination
// of coordinates, and the messages of every processor are found one by one.
func (r *Root) oblique(number int, e *object.Edge) (comm.Traffic, error) {
	m, f := e.Array.Map, r.frame(e.Array.System)
	by := cuts(m)
	lines := make([][]line, len(m.Size))
	for d := range by {
		lines[d] = linesOf(m, d, by[d])
	}
	var ms []comm.Message
	to := make([]int, len(m.Grid))
	from := make([]int, len(m.Grid))
	box := make([]layout.Interval, len(m.Size))
	for i := range f.sys.Size() {
		if m.Owned(to, box) {
			var walk func(d, out int, b int64) error
			walk = func(d, out int, b int64) error {
				if d == len(box) {
					if out > 0 && b > 0 {
						ms = append(ms, comm.Message{From: f.sys.Rank(f.number(from)), To: f.sys.Rank(i), Bytes: units.Bytes(b)})
					}
					return nil
				}
				if err := walk(d+1, out, b*inner(e, d, box[d].Len())); err != nil || len(by[d]) == 0 || out == max(1, e.Corners) {
					return err
				}
				at := slices.IndexFunc(lines[d], func(l line) bool { return l.iv == box[d] })
				for _, side := range [...]struct {
					at    int
					width int64
				}{{at - 1, e.Lo[d]}, {at + 1, e.Hi[d]}} {
					if side.at < 0 || side.at >= len(lines[d]) || side.width <= 0 {
						continue
					}
					next := &lines[d][side.at]
					if n := next.iv.Len(); side.width > n {
						return &ErrShadow{Edge: number, Dim: d, Width: side.width, Block: n}
					}
					for j, k := range by[d] {
						from[k] = next.coords[j]
					}
					if err := walk(d+1, out+1, b*side.width); err != nil {
						return err
					}
					for _, k := range by[d] {
						from[k] = to[k]
					}
				}
				return nil
			}
			copy(from, to)
			if err := walk(0, 0, e.Array.ElemSize); err != nil {
				return nil, err
			}
		}
		next(to, m.Grid)
	}
	return comm.Messages(r.grid, ms), nil
}

// line is a block of a dimension of an array, and its coordinates in the grid
// dimensions that cut it.
type line struct {
	iv     layout.Interval
	coords []int
}

// linesOf returns the blocks of dimension d of m in the order of their
// indices.
func linesOf(m *layout.Mapping, d int, by []int) []line {
	if len(by) == 0 {
		return nil
	}
	extents := make([]int, len(by))
	for j, k := range by {
		extents[j] = m.Grid[k]
	}
	var lines []line
	coords := make([]int, len(by))
	for {
		iv := layout.Interval{Lo: 0, Hi: m.Size[d]}
		for j, k := range by {
			iv.Lo, iv.Hi = max(iv.Lo, m.Ranges[k].Lo[coords[j]]), min(iv.Hi, m.Ranges[k].Hi[coords[j]])
		}
		if iv.Len() > 0 {
			lines = append(lines, line{iv, slices.Clone(coords)})
		}
		if !next(coords, extents) {
			break
		}
	}
	slices.SortFunc(lines, func(a, b line) int {
		if a.iv.Lo < b.iv.Lo {
			return -1
		}
		return 1
	})
	return lines
}
