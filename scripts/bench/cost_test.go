package main

import (
	"bytes"
	"fmt"
	"testing"

	"dvmtools/pkg/call"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/sim"
)

// recorded reads the program into memory.
func recorded(t testing.TB, p regular) *call.Recording {
	t.Helper()
	src, err := ptr.NewReader("regular.ptr", bytes.NewReader(p.text()), ptr.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := call.Record(src)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// simulate runs the program on a grid.
func simulate(t testing.TB, rec *call.Recording, grid []int) *sim.Result {
	t.Helper()
	m, errs := par.Parse("bench.par", []byte("cluster = c; c = {1048576 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0;\n"))
	if m == nil {
		t.Fatal(errs.Err())
	}
	r, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, rec.Source())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRegular: the programs of all points are valid, have as many calls as
// they say and as many intervals as asked for.
func TestRegular(t *testing.T) {
	for _, c := range curves {
		for _, pt := range c.points {
			p := pt.program
			if p.rounds > 2*p.arrays && p.rounds > 2*p.intervals {
				p.rounds = 2 * max(p.arrays, p.intervals)
			}
			rec := recorded(t, p)
			if got := rec.Len(); got != p.calls()+1 { // and dvm_Init
				t.Errorf("%s %d: %d calls, want %d", c.name, pt.x, got, p.calls()+1)
			}
			r := simulate(t, rec, pt.grid)
			if got := len(r.Intervals()) - 1; got != p.intervals {
				t.Errorf("%s %d: %d intervals, want %d", c.name, pt.x, got, p.intervals)
			}
		}
	}
}

// BenchmarkCost is how the cost of a call changes with one property of a
// regular program or of the processors; the others stay as they are.
func BenchmarkCost(b *testing.B) {
	for _, c := range curves {
		for _, pt := range c.points {
			b.Run(fmt.Sprintf("%s/%d", c.name, pt.x), func(b *testing.B) {
				rec := recorded(b, pt.program)
				b.ReportAllocs()
				for b.Loop() {
					simulate(b, rec, pt.grid)
				}
				b.ReportMetric(float64(rec.Len())*float64(b.N)/b.Elapsed().Seconds(), "calls/s")
			})
		}
	}
}
