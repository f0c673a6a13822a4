package traffic_test

import (
	"errors"
	"testing"

	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// edges adds what the exchange of the edges e sends, element by element: every
// processor gets the elements around its block from those of their owners that
// differ from it only in the grid's dimensions that cut the dimensions in which
// the elements are outside. It reports whether all widths are within the
// neighbours' blocks.
func edges(e *object.Edge, add sent) bool {
	a := e.Array
	s, m := a.System, a.Map
	rank := a.Rank()
	good := true
	coords := make([]int, len(s.Grid))
	others := make([]int, len(s.Grid))
	box, other := make([]layout.Interval, rank), make([]layout.Interval, rank)
	// owner returns who owns x among those that differ from coords only in
	// dimensions that cut the marked ones, or -1.
	owner := func(x []int64, outside []bool) int {
		for i := range s.Size() {
			s.Coords(i, others)
			fits := true
			for k, c := range others {
				d := m.Ranges[k].Dim
				fits = fits && (c == coords[k] || d >= 0 && outside[d])
			}
			if !fits || !m.Owned(others, other) {
				continue
			}
			for d, iv := range other {
				fits = fits && iv.Lo <= x[d] && x[d] < iv.Hi
			}
			if fits {
				return i
			}
		}
		return -1
	}
	for i := range s.Size() {
		s.Coords(i, coords)
		if !m.Owned(coords, box) {
			continue
		}
		lo, hi := make([]int64, rank), make([]int64, rank)
		for d, iv := range box {
			lo[d], hi[d] = iv.Lo, iv.Hi
		}
		for d, iv := range box {
			outside := make([]bool, rank)
			outside[d] = true
			for _, side := range []struct{ x, width int64 }{{iv.Lo - 1, e.Lo[d]}, {iv.Hi, e.Hi[d]}} {
				x := make([]int64, rank)
				for c, iv := range box {
					x[c] = iv.Lo
				}
				x[d] = side.x
				if side.width > 0 && owner(x, outside) >= 0 && other[d].Len() < side.width {
					good = false
				}
			}
			lo[d], hi[d] = max(0, iv.Lo-e.Lo[d]), min(a.Size[d], iv.Hi+e.Hi[d])
		}
		points(lo, hi, func(x []int64) {
			outside := make([]bool, rank)
			out := 0
			for d, iv := range box {
				if x[d] < iv.Lo || x[d] >= iv.Hi {
					outside[d] = true
					out++
				}
			}
			if out == 0 || out > e.Corners {
				return
			}
			if from := owner(x, outside); from >= 0 {
				add[pair{s.Rank(from), s.Rank(i)}] += units.Bytes(a.ElemSize)
			}
		})
	}
	return good
}

// shadow compares one random exchange of shadow edges with the slow way.
func shadow(t *testing.T, seed uint64) result {
	g := newGen(seed)
	want := sent{}
	good := true
	var group []object.Edge
	a := g.array()
	for range 1 + g.IntN(3)*g.IntN(2) {
		if g.IntN(3) == 0 {
			b := *a
			b.Size = g.size(1+g.IntN(3), 7)
			b.Map = g.place(g.template(b.System), b.Size)
			a = &b
		} else if g.IntN(4) == 0 {
			a = g.array()
		}
		e := object.Edge{Array: a, Corners: 1 + g.IntN(3)}
		for range a.Size {
			e.Lo = append(e.Lo, int64(g.IntN(6)/2))
			e.Hi = append(e.Hi, int64(g.IntN(6)/2))
		}
		for d := range e.Lo {
			e.Lo[d], e.Hi[d] = min(e.Lo[d], a.Size[d]), min(e.Hi[d], a.Size[d])
		}
		group = append(group, e)
		good = edges(&e, want) && good
	}
	got, err := traffic.NewRoot(g.grid).Shadow(group)
	if !good {
		var e *traffic.ErrShadow
		if !errors.As(err, &e) || e.Width <= e.Block {
			t.Fatalf("seed %d: error %v, want one about a width", seed, err)
		}
		return other
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	check(t, "shadow edges", seed, g.grid, got, want)
	return outcome(got, want)
}
