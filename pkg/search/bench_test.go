package search_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
)

// benchmarked searches in a recording again and again. Reading it is no part of it.
func benchmarked(b *testing.B, cfg search.Config, trace, begin string, times int) {
	rec := testtraces.Calls(b, trace)
	if times > 1 {
		rec = testtraces.Longer(b, trace, begin, times)
	}
	cfg.Options, cfg.Threads, cfg.Threshold = sim.Defaults(), 2, search.DefaultThreshold
	tried := 0
	cfg.Progress = func(n, _ int, _ *search.Best) { tried = n }
	b.ReportAllocs()
	for b.Loop() {
		if _, err := search.Run(context.Background(), cfg, rec, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tried), "grids")
	b.ReportMetric(float64(rec.Len()), "calls")
	b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N*tried), "ms/grid")
}

func described(b *testing.B, text string) *machine.Machine {
	m, errs := par.Parse("c.par", []byte(text))
	if m == nil {
		b.Fatal(errs.Err())
	}
	return m
}

// BenchmarkAll tries all 280 grids of 64 processors on a trace of 7,020 calls.
func BenchmarkAll(b *testing.B) {
	m := described(b, "cluster = c; c = {64 x p}; c.CommType = ethernet; c.TStart = 20; c.TByte = 0.01; p = 1.0;")
	benchmarked(b, search.Config{Machine: m, Mode: search.All, Max: 64}, "sizes/jac_1600.ptr.zst", "crtrg_", 6)
}

// BenchmarkHeuristic searches among 34,720 grids of 4,096 processors on the large
// trace, of 64 when tests are not to be long.
func BenchmarkHeuristic(b *testing.B) {
	m := described(b, "cluster = c; c = {512 x node}; c.CommType = myrinet(4); c.TStart = 7; c.TByte = 0.004; node = {8 x p}; node.CommType = myrinet(4); node.TStart = 1; node.TByte = 0.001; p = 1.0;")
	benchmarked(b, search.Config{Machine: m, Mode: search.Heuristic, Max: effort.Of(64, 4096)}, "large/f11_big.ptr.zst", "", 1)
}

// BenchmarkSweep tries all 20 grids of 8 processors on 500 machines, on the calls of
// BenchmarkAll. A grid is simulated once and replayed on the other machines.
func BenchmarkSweep(b *testing.B) {
	m := described(b, "cluster = c; c = {8 x p}; c.CommType = ethernet; c.TStart = 20; c.TByte = 0.01; p = 1.0;")
	rec := testtraces.Longer(b, "sizes/jac_1600.ptr.zst", "crtrg_", 6)
	var times, rates []string
	for i := range 25 {
		times = append(times, fmt.Sprint(1+i))
	}
	for i := range 20 {
		rates = append(rates, fmt.Sprint(0.001*float64(1+i)))
	}
	sweep := &search.Sweep{
		Axes: []search.Axis{{Parameter: "c.TStart", Values: times}, {Parameter: "c.TByte", Values: rates}},
		Make: func(changes []machine.Change) (*machine.Machine, []machine.Changed, error) {
			own := m.Clone()
			for _, c := range changes {
				if _, err := own.Apply(c); err != nil {
					return nil, nil, err
				}
			}
			return own, nil, nil
		},
	}
	cfg := search.Config{Machine: m, Mode: search.All, Max: 8, Options: sim.Defaults(), Threads: 2}
	b.ReportAllocs()
	for b.Loop() {
		if err := sweep.Run(context.Background(), cfg, rec, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N*500*20), "ms/grid")
}
