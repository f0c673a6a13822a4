package oracle_test

import (
	"fmt"
	"math/rand/v2"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// linkMachine returns a machine of 16 processors with random links. A tree of
// lines and small buses connects all processors; further links add routes that are
// as good or better. On half of the machines all links are equal, so that routes
// are equally long, on half of these without buses; some machines have overheads of
// a programming model.
func linkMachine(seed uint64) *machine.Machine {
	rng := rand.New(rand.NewPCG(seed, 99))
	const n = 16
	net := &machine.Network{ID: 1, Creation: []units.Seconds{0, 3e-4}[rng.IntN(2)]}
	alike := rng.IntN(2) == 0
	lines := alike && rng.IntN(2) == 0
	add := func(ends ...int32) {
		l := machine.Link{ID: int64(len(net.Links) + 1), Latency: 75e-6, Speed: 0.2e-6, Ends: ends}
		if !alike {
			l.Latency = units.Seconds(rng.IntN(4)) * 25e-6
			l.Speed = units.SecPerByte(rng.IntN(3)) * 0.1e-6
		}
		net.Links = append(net.Links, l)
	}
	for p := int32(1); p < n; {
		ends := []int32{rng.Int32N(p), p}
		for p++; p < n && !lines && rng.IntN(4) == 0; p++ {
			ends = append(ends, p)
		}
		add(ends...)
	}
	for range rng.IntN(12) {
		p, q := rng.Int32N(n), rng.Int32N(n)
		if p != q {
			add(p, q)
		}
	}
	net.Model = []string{"", "mpi", "express", "pvm"}[rng.IntN(4)]
	overhead := func(cost units.Seconds, functions ...string) {
		for _, f := range functions {
			net.Overheads = append(net.Overheads, machine.Overhead{Function: f, Cost: cost})
		}
	}
	if net.Model != "" {
		overhead(7e-6, "send")
		overhead(11e-6, "receive")
	}
	half := func(cost units.Seconds, functions ...string) {
		for _, f := range functions {
			if rng.IntN(2) == 0 {
				overhead(cost, f)
			}
		}
	}
	switch net.Model {
	case "express":
		half(13e-6, "exchange", "combine", "broadcast")
	case "pvm":
		// Packing an element costs as much as packing its bytes.
		half(13e-6, "multicast", "broadcast")
		overhead(1e-7, "packbyte")
		overhead(4e-7, "packfloat")
		overhead(8e-7, "packdouble")
		overhead(2e-7, "unpackbyte")
		overhead(8e-7, "unpackfloat")
		overhead(16e-7, "unpackdouble")
	}
	one, slow := machine.NewProcessor("one", 1), machine.NewProcessor("slow", 0.75)
	groups := []machine.Group{{Count: 3, Node: one}, {Count: 2, Node: slow}, {Count: 11, Node: one}}
	if rng.IntN(2) == 0 {
		groups = []machine.Group{{Count: n, Node: one}}
	}
	m := &machine.Machine{Name: fmt.Sprintf("links%d", seed), Root: machine.NewCluster("links", machine.Medium{}, groups...), Network: net}
	return mustMachine(m, m.Check())
}
