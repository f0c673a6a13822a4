package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/sim"
)

// BenchmarkSimulate runs the large trace from its text to the intervals.
func BenchmarkSimulate(b *testing.B) {
	trace := testtraces.Text(b, "large/f11_big.ptr.zst")
	m := machineOf(b, "cluster = c; c = {1048576 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0;\n")
	for _, grid := range [][]int{{1}, {8, 8}, {32, 32}, {1024, 1024}} {
		b.Run(fmt.Sprint(grid), func(b *testing.B) {
			b.SetBytes(int64(len(trace)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := ptr.NewReader("f11_big.ptr", bytes.NewReader(trace), ptr.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplay runs the simulation alone, on calls that are in memory.
func BenchmarkReplay(b *testing.B) {
	trace := testtraces.Text(b, "large/f11_big.ptr.zst")
	m := machineOf(b, bus)
	src, err := ptr.NewReader("f11_big.ptr", bytes.NewReader(trace), ptr.Options{})
	if err != nil {
		b.Fatal(err)
	}
	rec, err := call.Record(src)
	if err != nil {
		b.Fatal(err)
	}
	for _, grid := range [][]int{{1}, {8, 8}, {32, 32}} {
		b.Run(fmt.Sprint(grid), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, rec.Source()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rec.Len())*float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// torus returns a torus of n x n processors, read from the text of its file.
func torus(t testing.TB, n int) *machine.Machine {
	t.Helper()
	shape := parasol.Shape{Kind: "torus", Extents: []int{n, n}, ID: 1, Type: 1, Latency: 1e-6, Speed: 1e-9, Hardware: true}
	section, err := shape.Section()
	if err != nil {
		t.Fatal(err)
	}
	f, list := parasol.Parse("torus.mach", []byte("begin machine\nid = 1\nname = \"torus\"\nprocessors = 1\ntopologies = 1\nbegin processor\nid = 1\nname = \"p\"\nend processor\n"+section+"end machine\n"))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	pm := f.Machine()
	m, err := pm.Target(parasol.TargetOptions{Topology: pm.Topology(1)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// BenchmarkTorus runs every real trace on a torus of 64x64 links and on an
// ethernet of as many processors, on calls that are in memory: "x" is how many
// times as long the torus takes.
func BenchmarkTorus(b *testing.B) {
	const n = 64
	links := torus(b, n)
	ether := machineOf(b, "cluster = c; c = {4096 x p}; c.CommType = ethernet; c.TStart = 1; c.TByte = 0.001; p = 1.0;\n")
	for _, path := range testtraces.Programs(b) {
		calls := testtraces.Calls(b, path)
		on := func(m *machine.Machine) error {
			_, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: []int{n, n}, Options: sim.Defaults()}, calls.Source())
			return err
		}
		if on(ether) != nil {
			continue // a shadow edge is wider than a block
		}
		b.Run(path, func(b *testing.B) {
			var spent [2]time.Duration
			for b.Loop() {
				for i, m := range []*machine.Machine{ether, links} {
					begin := time.Now()
					if err := on(m); err != nil {
						b.Fatal(err)
					}
					spent[i] += time.Since(begin)
				}
			}
			b.ReportMetric(float64(spent[0].Microseconds())/float64(b.N)/1e3, "ms-ethernet")
			b.ReportMetric(float64(spent[1].Microseconds())/float64(b.N)/1e3, "ms-torus")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "x")
		})
	}
}
