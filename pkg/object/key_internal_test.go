package object

import (
	"testing"

	"dvmtools/internal/keytest"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/procs"
)

// A change of any field changes the key.
func TestKeys(t *testing.T) {
	q := loopRequest{Pattern: 1, Axis: []int64{1}, Coeff: []int64{2}, Const: []int64{0}, Init: []int64{0}, Last: []int64{9}, Step: []int64{1}}
	keytest.Fields(t, &q, func() []byte { return q.appendKey(nil) })

	on := func(mapping, system int, elem int64) *Array {
		return &Array{Map: &layout.Mapping{ID: mapping}, System: &procs.System{ID: system}, ElemSize: elem}
	}
	g := ShadowGroup{Edges: []Edge{
		{Array: on(1, 1, 8), Lo: []int64{1, 0}, Hi: []int64{0, 1}, Outside: []bool{true, false}, Corners: 1},
		{Array: on(2, 1, 8), Lo: []int64{1}, Hi: []int64{2}, Outside: []bool{false}, Corners: 1},
	}}
	for _, other := range []*Array{on(9, 1, 8), on(1, 9, 8), on(1, 1, 4)} {
		keytest.Fields(t, &g, func() []byte {
			k, ok := g.AppendKey(nil)
			if !ok {
				t.Fatal("no key")
			}
			return k
		}, other)
	}
	g.Edges[1].Array = on(0, 1, 8)
	if _, ok := g.AppendKey(nil); ok {
		t.Error("a group has a key although the place of an array has no number")
	}
}
