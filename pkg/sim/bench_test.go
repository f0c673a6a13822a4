package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
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
