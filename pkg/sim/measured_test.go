package sim_test

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/diag"
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
		if calls := checkLineSums(t, run.Name, r); calls == 0 || len(r.Exchanges()) > 0 {
			t.Errorf("%s: %d calls at lines, expected some; exchanges %+v, expected none", run.Name, calls, r.Exchanges())
		}
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

// isInput reports whether an error is one of the input.
func isInput(err error) bool {
	var e *diag.Error
	return errors.As(err, &e)
}

// Averages are no measurement, nor are times of other processes than those of the
// grid. A run that saw four processors and had one is measured as one.
func TestWhatCannotBeMeasured(t *testing.T) {
	merged := twoProcesses(false)
	_, err := sim.Measure(t.Context(), source(t, "merged", merged))
	if !isInput(err) || !strings.Contains(err.Error(), "merged: the trace of 2 processes does not keep the times of each") {
		t.Errorf("merged times: %v", err)
	}
	nobody := bytes.Replace(twoProcesses(true), []byte("PSSize= 2;"), []byte("PSSize= 0;"), 1)
	if _, err := sim.Measure(t.Context(), source(t, "nobody", nobody)); !isInput(err) || !strings.Contains(err.Error(), "nobody: the header says that the program ran on the grid 0") {
		t.Errorf("grid 0: %v", err)
	}
	for _, grid := range []string{"1", "4"} {
		b := bytes.Replace(twoProcesses(true), []byte("PSSize= 2;"), []byte("PSSize= "+grid+";"), 1)
		want := "the trace keeps the times of 2 processes, and its header says that the program ran on the grid " + grid
		if _, err := sim.Measure(t.Context(), source(t, "other", b)); !isInput(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("grid %s, measured: %v, want %q", grid, err, want)
		}
		n, _ := strconv.Atoi(grid)
		if _, err := runOwn(t, "other", b, machineOf(t, cluster("myrinet(64)")), []int{n}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("grid %s, predicted: %v, want %q", grid, err, want)
		}
	}
	p := newProgram(4)
	p.call("bsynch_", "2", " ", "1", " ")
	r, err := sim.Measure(t.Context(), source(t, "one", p.end()))
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Header().Processors; n != 1 || float64(r.ExecutionTime()) != 3 {
		t.Errorf("%d processes took %v s, want one and 3 s", n, r.ExecutionTime())
	}
}
