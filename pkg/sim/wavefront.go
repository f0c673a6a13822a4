package sim

import (
	"math"
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// wavefront says how the processors of a grid follow each other when each of
// them needs new values from its predecessors (docs/model.md#9-pipelined-loops).
type wavefront struct {
	sys   *procs.System
	edges []newEdge
	// element is the size of the elements of the edges, 0 for several.
	element units.Bytes
	// step[k] is where the predecessor lies along grid dimension k: -1 at
	// the next lower coordinate, 1 at the next higher, 0 when the dimension
	// is not pipelined.
	step []int
	// filled[k] are the coordinates of dimension k that take part, in order;
	// place[k][c] is the position there, -1 for none.
	filled [][]int
	place  [][]int
	// hops is D, the sum of the hops along the pipelined dimensions.
	hops int64
}

func newWavefront(sys *procs.System, g *object.ShadowGroup) *wavefront {
	n := len(sys.Grid)
	return &wavefront{sys: sys, edges: newEdges(g), element: edgeElements(g).Element, step: make([]int, n), filled: make([][]int, n), place: make([][]int, n)}
}

// fill says which coordinates of dimension k take part, and makes it a
// pipelined dimension when they are several and edges have a width along it.
func (w *wavefront) fill(k int, takesPart func(c int) bool) {
	w.filled[k], w.place[k] = nil, make([]int, w.sys.Grid[k])
	for c := range w.place[k] {
		w.place[k][c] = -1
		if takesPart(c) {
			w.place[k][c] = len(w.filled[k])
			w.filled[k] = append(w.filled[k], c)
		}
	}
	if len(w.filled[k]) < 2 {
		return
	}
	if w.step[k] = direction(w.edges, k); w.step[k] != 0 {
		w.hops += int64(len(w.filled[k]) - 1)
	}
}

// labels tells coordinates apart along pipelined dimensions, and elsewhere when
// their keys differ.
func (w *wavefront) labels(appendKey func(dst []byte, k, c int) []byte) [][]int64 {
	labels := make([][]int64, len(w.sys.Grid))
	var key []byte
	for k, n := range w.sys.Grid {
		labels[k] = make([]int64, n)
		ids := map[string]int64{}
		for c := range n {
			if w.step[k] != 0 {
				labels[k][c] = int64(c)
				continue
			}
			key = appendKey(key[:0], k, c)
			for i := range w.edges {
				if m := w.edges[i].at; k < len(m.Ranges) {
					key = m.Ranges[k].Extent(c).AppendKey(key)
				}
			}
			id, ok := ids[string(key)]
			if !ok {
				id = int64(len(ids))
				ids[string(key)] = id
			}
			labels[k][c] = id
		}
	}
	return labels
}

// newEdge are the edges of new values of one array, as it lies when the
// pipeline runs.
type newEdge struct {
	at     *layout.Mapping // nil for an array that lies nowhere
	elem   int64
	lo, hi []int64
}

func newEdges(g *object.ShadowGroup) []newEdge {
	out := make([]newEdge, len(g.Edges))
	for i := range g.Edges {
		e := &g.Edges[i]
		out[i] = newEdge{e.Array.Map, e.Array.ElemSize, e.Lo, e.Hi}
	}
	return out
}

// direction returns where the predecessors lie along grid dimension k for the
// edges of new values: a left edge comes from the block with lower indices. An
// array in one block has no edges there.
func direction(edges []newEdge, k int) int {
	for i := range edges {
		m := edges[i].at
		if m == nil || k >= len(m.Ranges) || m.Ranges[k].Dim < 0 {
			continue
		}
		sp := &m.Ranges[k]
		if owners(sp) < 2 {
			continue
		}
		step := 0
		switch {
		case edges[i].lo[sp.Dim] > 0:
			step = -1
		case edges[i].hi[sp.Dim] > 0:
			step = 1
		default:
			continue
		}
		if falling(sp) {
			step = -step
		}
		return step
	}
	return 0
}

// falling reports whether higher coordinates own lower indices.
func falling(sp *layout.Ranges) bool {
	prev := -1
	for c := range sp.Lo {
		if sp.Lo[c] == sp.Hi[c] {
			continue
		}
		if prev >= 0 {
			return sp.Lo[c] < sp.Lo[prev]
		}
		prev = c
	}
	return false
}

// edgeBytes returns the bytes that the processor at coords receives from
// coordinate from of grid dimension k: the width of the edge times the other
// extents of its block, of all arrays that both have elements of.
func (w *wavefront) edgeBytes(coords []int, k, from int) units.Bytes {
	var sum float64
	for i := range w.edges {
		e := &w.edges[i]
		m := e.at
		if len(m.Grid) != len(coords) || m.Ranges[k].Dim < 0 {
			continue
		}
		d := m.Ranges[k].Dim
		width := max(e.lo[d], e.hi[d])
		box := make([]layout.Interval, len(m.Size))
		if sp := &m.Ranges[k]; width == 0 || sp.Lo[from] >= sp.Hi[from] || !m.Owned(coords, box) {
			continue
		}
		v := float64(width) * float64(e.elem)
		for j := range box {
			if j != d {
				v *= float64(box[j].Len())
			}
		}
		sum += v
	}
	return units.Bytes(math.Min(sum, 1<<62))
}

// stage describes the processor at coords.
func (w *wavefront) stage(coords []int) clock.Stage {
	var st clock.Stage
	at := slices.Clone(coords)
	for k, c := range coords {
		if w.step[k] == 0 {
			continue
		}
		if w.step[k] < 0 {
			st.Depth += w.place[k][c]
		} else {
			st.Depth += len(w.filled[k]) - 1 - w.place[k][c]
		}
		from := w.predecessor(coords, k)
		if from < 0 {
			continue
		}
		if bytes := w.edgeBytes(coords, k, from); bytes > 0 {
			at[k] = from
			st.From = append(st.From, clock.Predecessor{Number: w.sys.Number(at), Bytes: bytes})
			at[k] = c
		}
	}
	return st
}

// predecessor returns the coordinate of the predecessor along dimension k, -1
// when there is none.
func (w *wavefront) predecessor(coords []int, k int) int {
	if w.step[k] == 0 {
		return -1
	}
	p := w.place[k][coords[k]] + w.step[k]
	if p < 0 || p >= len(w.filled[k]) {
		return -1
	}
	return w.filled[k][p]
}
