package search_test

import (
	"context"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
)

// A search gives the same figures of a grid as a simulation, to the last bit,
// whatever intervals the simulation keeps: the sums are the same, in the
// same order. f01_ivals has intervals in intervals, f09_tasks tasks.
func TestSearchSaysWhatTheSimulationSays(t *testing.T) {
	m := cluster(t, 12, 17, 0.013)
	for _, path := range []string{"single/f01_ivals.ptr.zst", "single/f09_tasks.ptr.zst", "compute/mixed.ptr.zst"} {
		rec := testtraces.Calls(t, path)
		_, records, _ := run(t, search.Config{Machine: m, Mode: search.All, Max: 12, Threads: 2}, rec)
		for _, r := range records {
			if r["record"] != "candidate" || r["error"] != nil {
				continue
			}
			var grid []int
			for _, x := range r["grid"].([]any) {
				grid = append(grid, int(x.(float64)))
			}
			for _, level := range []int{-1, 0, 1} {
				opts := sim.Defaults()
				opts.Level = level
				one, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: opts}, rec.Source())
				if err != nil {
					t.Fatal(err)
				}
				if x := one.ExecutionTime(); float64(x) != r["execution_time"].(float64) {
					t.Errorf("%s on %v: %v s in the search, %v with level %d", path, grid, r["execution_time"], x, level)
				}
				if x := one.Intervals()[0].Efficiency; x != r["efficiency"].(float64) {
					t.Errorf("%s on %v: efficiency %v in the search, %v with level %d", path, grid, r["efficiency"], x, level)
				}
			}
		}
	}
}

// Intervals below the level are left out, the others are numbered without gaps, and
// their figures are the same as with all intervals.
func TestLevelKeepsFigures(t *testing.T) {
	m := cluster(t, 12, 17, 0.013)
	rec := testtraces.Calls(t, "single/f01_ivals.ptr.zst")
	at := func(level int) *sim.Result {
		opts := sim.Defaults()
		opts.Level = level
		r, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: []int{3}, Options: opts}, rec.Source())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := at(-1).Intervals()
	for level := range 4 {
		kept := at(level).Intervals()
		k := 0
		for _, want := range all {
			if want.Level > level {
				continue
			}
			got := kept[k]
			k++
			if got.ID != k || got.Level != want.Level || got.Line != want.Line || got.Times != want.Times || got.Operations != want.Operations || got.Count != want.Count {
				t.Errorf("level %d: interval %d is %+v, want %+v", level, k, got, want)
			}
			if got.Level > 0 && kept[got.Parent-1].Level != got.Level-1 {
				t.Errorf("level %d: interval %d of level %d has the parent %d of level %d", level, k, got.Level, got.Parent, kept[got.Parent-1].Level)
			}
		}
		if k != len(kept) {
			t.Errorf("level %d keeps %d intervals, want %d", level, len(kept), k)
		}
	}
}
