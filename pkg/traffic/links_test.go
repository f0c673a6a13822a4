package traffic_test

import (
	"fmt"
	"testing"
	"time"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine"
)

// torus returns a network of n x n processors with links between neighbours.
func torus(t testing.TB, n int) *comm.Network {
	t.Helper()
	net := machine.Network{ID: 1}
	for p := range n * n {
		i, j := p/n, p%n
		for _, q := range [...]int{i*n + (j+1)%n, (i+1)%n*n + j} {
			net.Links = append(net.Links, machine.Link{ID: int64(len(net.Links) + 1), Latency: 1e-6, Speed: 1e-9, Ends: []int32{int32(p), int32(q)}})
		}
	}
	m := &machine.Machine{Name: "torus", Root: machine.NewCluster("torus", machine.Medium{}, machine.Group{Count: int64(n * n), Node: machine.NewProcessor("p", 1)}), Network: &net}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return comm.NewNetwork(m, []int{n, n}, comm.Options{})
}

// counted counts how often the messages of an exchange are gone through.
type counted struct {
	comm.Keyed
	passes *int
}

func (c counted) Each(yield func(comm.Message) bool) {
	*c.passes++
	c.Keyed.Each(yield)
}

// keyed returns the exchanges of a real program that have keys.
func keyed(t testing.TB, path string, grid []int) (list []comm.Keyed) {
	t.Helper()
	each(t, path, grid, func(_ libdvm.Class, x comm.Traffic) {
		if k, ok := x.(comm.Keyed); ok {
			list = append(list, k)
		}
	})
	return list
}

// On links every different exchange of a real program is gone through once,
// however often it comes.
func TestExchangesAreRemembered(t *testing.T) {
	for _, path := range []string{"single/f05_remote.ptr.zst", "single/f06_redist.ptr.zst", "single/f07_copy.ptr.zst", "compute/gauss.ptr.zst"} {
		n := torus(t, 4)
		passes, different := 0, map[string]bool{}
		for range 3 {
			for _, x := range keyed(t, path, []int{4, 4}) {
				key, _ := x.AppendKey(nil)
				different[string(key)] = true
				n.Load(counted{x, &passes})
			}
		}
		if passes == 0 || passes != len(different) {
			t.Errorf("%s: %d passes over the messages of %d different exchanges", path, passes, len(different))
		}
	}
}

// BenchmarkKnownExchanges asks for the load of every exchange of real programs,
// other than of shadow edges, on an ethernet and on a torus of 64x64 that knows
// it: "x" is how many times as long the torus takes.
func BenchmarkKnownExchanges(b *testing.B) {
	const n = 64
	m, err := machine.New(machine.NewCluster("c", machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 1e-6, TByte: 1e-9}, machine.Group{Count: n * n, Node: machine.NewProcessor("p", 1)}))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"c13_copy", "f05_remote", "f06_redist", "f07_copy", "f10_genblk"} {
		list := keyed(b, fmt.Sprintf("single/%s.ptr.zst", name), []int{n, n})
		nets := [...]*comm.Network{comm.NewNetwork(m, []int{n, n}, comm.Options{}), torus(b, n)}
		for _, x := range list {
			nets[1].Load(x)
		}
		b.Run(name, func(b *testing.B) {
			var spent [2]time.Duration
			for b.Loop() {
				for i, net := range nets {
					begin := time.Now()
					for _, x := range list {
						net.Load(x)
					}
					spent[i] += time.Since(begin)
				}
			}
			exchanges := float64(b.N * len(list))
			b.ReportMetric(float64(spent[0].Nanoseconds())/exchanges, "ns-ethernet")
			b.ReportMetric(float64(spent[1].Nanoseconds())/exchanges, "ns-torus")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "x")
		})
	}
}
