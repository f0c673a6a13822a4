package layout_test

import (
	"testing"

	"dvmtools/internal/keytest"
	"dvmtools/pkg/layout"
)

// A change of any field changes the key.
func TestKeys(t *testing.T) {
	r := layout.Rule{Kind: layout.Bounded, Dim: 1, A: 2, B: 8, Step: 3}
	keytest.Fields(t, &r, func() []byte { return r.AppendKey(nil) })
	w := layout.Weights{Load: []float64{1, 2}, Sums: []float64{0, 1, 3}, Sizes: []int64{3, 1, 1}, Divisor: 2}
	keytest.Fields(t, &w, func() []byte { return w.AppendKey(nil) })
	it := layout.Iterations{Init: 1, Last: 9, Step: 2}
	keytest.Fields(t, &it, func() []byte { return it.AppendKey(nil) })
	e := layout.Extent{Indices: 4}
	keytest.Fields(t, &e, func() []byte { return e.AppendKey(nil) })
	rules := []layout.Rule{r, {Kind: layout.Linear, A: 1}}
	keytest.Fields(t, &rules, func() []byte { return layout.AppendRulesKey(nil, rules) })
	m := layout.Mapping{Grid: []int{2, 3}, Size: []int64{7}, Ranges: []layout.Ranges{
		{Dim: 0, Lo: []int64{0, 4}, Hi: []int64{4, 7}, Gaps: []bool{true}}, {Dim: -1, First: 1, Last: 2, Gaps: []bool{false, true}, Lo: []int64{1}, Hi: []int64{2}},
	}}
	keytest.Fields(t, &m.Grid, func() []byte { return m.AppendKey(nil) })
	keytest.Fields(t, &m.Size, func() []byte { return m.AppendKey(nil) })
	keytest.Fields(t, &m.Ranges, func() []byte { return m.AppendKey(nil) })
	xs := []int64{1, 0, -1, 127, 128}
	keytest.Fields(t, &xs, func() []byte { return layout.AppendIntsKey(nil, xs) })
}

// Weights that are there but empty are an error for any number of
// coordinates; none at all are equal ones.
func TestKeyOfNoWeights(t *testing.T) {
	none, empty := layout.Weights{}, layout.Weights{Load: []float64{}}
	if string(none.AppendKey(nil)) == string(empty.AppendKey(nil)) {
		t.Error("no weights and empty weights have the same key")
	}
}
