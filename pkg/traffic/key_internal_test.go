package traffic

import (
	"testing"

	"dvmtools/internal/keytest"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/procs"
)

// A change of anything that messages depend on changes the key.
func TestExchangeKeys(t *testing.T) {
	sys := func() *procs.System {
		return &procs.System{Grid: []int{2, 2}, Lower: []int{0, 1}, Ranks: []int{1, 2, 4, 5}}
	}
	mapping := func() *layout.Mapping {
		return &layout.Mapping{Grid: []int{2}, Size: []int64{7}, Ranges: []layout.Ranges{{Lo: []int64{0, 4}, Hi: []int64{4, 7}, Gaps: []bool{true}}}}
	}
	x := &exchange{
		from:  &frame{sys: sys(), off: make([]int, 2)},
		to:    &frame{sys: sys(), off: make([]int, 3)},
		terms: []term{{from: mapping(), to: mapping(), elem: 8, witness: []bool{true, false}}},
	}
	key := func() []byte {
		k, _ := x.AppendKey(nil)
		return k
	}
	keytest.Fields(t, &x.from.sys.Grid, key)
	keytest.Fields(t, &x.from.sys.Lower[1], key) // a section of the root
	keytest.Fields(t, &x.to.sys.Ranks, key)      // any processors
	keytest.Fields(t, &x.terms[0].elem, key)
	keytest.Fields(t, &x.terms[0].witness, key)
	for _, m := range []*layout.Mapping{x.terms[0].from, x.terms[0].to} {
		keytest.Fields(t, &m.Size, key)
		keytest.Fields(t, &m.Ranges, key)
	}
	alone := string(key())
	for _, j := range []joint{{parts: nil}, {parts: []*exchange{x}}, {parts: []*exchange{x, x}}} {
		if k, _ := j.AppendKey(nil); string(k) == alone {
			t.Errorf("%d exchanges have the key of one", len(j.parts))
		}
	}
}
