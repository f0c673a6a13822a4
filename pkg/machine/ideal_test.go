package machine_test

import (
	"testing"

	"dvmtools/pkg/machine"
)

func TestIdealTakesTheTimesOfMessagesAway(t *testing.T) {
	m, _ := nested(t)
	before, _ := nested(t)
	p := m.Ideal()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if !m.Equal(before) {
		t.Error("the machine itself has changed")
	}
	if p.Processors() != m.Processors() || len(p.Nodes()) != len(m.Nodes()) {
		t.Errorf("%d processors of %d nodes, expected %d of %d", p.Processors(), len(p.Nodes()), m.Processors(), len(m.Nodes()))
	}
	for i, n := range p.Nodes() {
		old := m.Nodes()[i]
		if n.Medium.TStart != 0 || n.Medium.TByte != 0 || n.Medium.Kind != old.Medium.Kind || n.Power != old.Power {
			t.Errorf("%+v became %+v", old, n)
		}
	}

	l := *m
	l.Network = &machine.Network{Creation: 1, Links: []machine.Link{{ID: 1, Latency: 2, Speed: 3, Ends: []int32{0, 1}}},
		Overheads: []machine.Overhead{{Function: "f", Cost: 4}}}
	n := l.Ideal().Network
	if cost, ok := n.Overhead("f"); n.Creation != 1 || n.Links[0].Latency != 0 || n.Links[0].Speed != 0 || !ok || cost != 0 {
		t.Errorf("links %+v", n)
	}
	if cost, _ := l.Network.Overhead("f"); cost != 4 || l.Network.Links[0].Latency != 2 || l.Network.Links[0].Speed != 3 {
		t.Errorf("the links themselves have changed: %+v", l.Network)
	}
}
