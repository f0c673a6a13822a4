package sim_test

import (
	"errors"
	"io"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/sim"
)

// ownTotals adds up all times of each process inside the program.
func ownTotals(t *testing.T, b []byte) []float64 {
	t.Helper()
	sum := ownCPU(t, b)
	src := source(t, "own", b)
	for {
		c, err := src.Next()
		if errors.Is(err, io.EOF) {
			return sum
		}
		if err != nil {
			t.Fatal(err)
		}
		for p, x := range c.Own.Ret {
			if !c.Outside {
				sum[p] += max(float64(x), 0)
			}
		}
	}
}

// The accounts of every measured run sum up, and every process has spent what
// its trace says, to the last call. Waiting that nobody could have done without
// is none: somebody came last.
func TestMeasuredRuns(t *testing.T) {
	for _, run := range testtraces.Runs(t) {
		b := testtraces.MergedOwn(t, run)
		r, err := sim.Measure(t.Context(), source(t, run.Name, b))
		if err != nil {
			t.Errorf("%s: %v", run.Name, err)
			continue
		}
		checkAccounts(t, run.Name, r)
		want := ownTotals(t, b)
		for p, got := range eachTimes(t, r, 0) {
			if !near(float64(got.ExecutionTime), want[p], 1e-9) {
				t.Errorf("%s: process %d took %v s, its trace says %v", run.Name, p, got.ExecutionTime, want[p])
			}
		}
		if !r.Header().Measured {
			t.Errorf("%s: the header does not say that it was measured", run.Name)
		}
	}
}

// A run of one process took the time of its trace (law L1), without waiting.
func TestMeasuredRunOfOneProcess(t *testing.T) {
	b := testtraces.Text(t, "compute/jac.ptr.zst")
	want, lines := tracedTime(t, b)
	r, err := sim.Measure(t.Context(), source(t, "jac", b))
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(r.ExecutionTime()); !near(got, want, 1e-12*float64(lines)) || r.Intervals()[0].Communication != 0 {
		t.Errorf("%v s of which %v s communication, the trace has %v", got, r.Intervals()[0].Communication, want)
	}
}

// The example of own times as it was measured: process 0 waited 3 s of the 5
// in bsynch_, as process 1 came last and was there for 2.
func TestMeasuredWaiting(t *testing.T) {
	r, err := sim.Measure(t.Context(), source(t, "two", twoProcesses(true)))
	if err != nil {
		t.Fatal(err)
	}
	times := eachTimes(t, r, 0)
	for p, want := range []struct{ cpu, sys, comm, wait float64 }{{6, 1, 5, 3}, {12, 1, 2, 0}} {
		got := times[p]
		if float64(got.CPUTime) != want.cpu || float64(got.SYSTime) != want.sys || float64(got.Reduction.Communication) != want.comm || float64(got.Reduction.RealSynch) != want.wait {
			t.Errorf("process %d: CPU %v SYS %v communication %v waiting %v, want %v", p, got.CPUTime, got.SYSTime, got.Reduction.Communication, got.Reduction.RealSynch, want)
		}
	}
}
