package interval_test

import (
	"testing"

	"dvmtools/pkg/interval"
)

// Two processors are useful for 6 and 2 s of 10 s, of which 8 s are left when
// messages take no time: 0.4 = 4/6 * 6/10, and 6/10 = 6/8 * 8/10.
func TestPOPByHand(t *testing.T) {
	got := *interval.NewPOP(4, 6, 10, 8)
	want := interval.POP{ParallelEfficiency: 0.4, LoadBalance: 4. / 6, CommunicationEfficiency: 0.6, Serialisation: 0.75, Transfer: 0.8, IdealTime: 8}
	if got != want {
		t.Errorf("%+v, expected %+v", got, want)
	}
	for name, p := range map[string]*interval.POP{"nothing passes": interval.NewPOP(0, 0, 0, 0), "only messages": interval.NewPOP(0, 0, 3, 0)} {
		if p.ParallelEfficiency != p.LoadBalance*p.CommunicationEfficiency || p.CommunicationEfficiency != p.Serialisation*p.Transfer {
			t.Errorf("%s: %+v", name, *p)
		}
	}
}
