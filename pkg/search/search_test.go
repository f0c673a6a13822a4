package search_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
)

func cluster(t *testing.T, n int, start, perByte float64) *machine.Machine {
	t.Helper()
	m, errs := par.Parse("c.par", fmt.Appendf(nil, "cluster = c; c = {%d x p}; c.CommType = ethernet; c.TStart = %g; c.TByte = %g; p = 1.0;", n, start, perByte))
	if m == nil {
		t.Fatal(errs.Err())
	}
	return m
}

func TestMark(t *testing.T) {
	for _, c := range []struct {
		grid    []int
		extents []int64
		want    float64
	}{
		{[]int{4}, []int64{8}, 1},
		// 10 on 4 is 2, 3, 2, 3, although the last coordinate has the most.
		{[]int{4}, []int64{10}, 2. / 3},
		// 7 on 3: bounds 0, 2, 4, 7: 2, 2, 3.
		{[]int{3}, []int64{7}, 2. / 3},
		// 9 on 2 is 4, 5; the worse of the two dimensions counts.
		{[]int{2, 3}, []int64{9, 7}, 2. / 3},
		{[]int{2, 2}, []int64{9, 8}, 0.8},
		{[]int{5}, []int64{3}, 0},
		{[]int{2, 9}, []int64{8, 8}, 0},
		{[]int{2, 2}, []int64{8}, 0},
	} {
		if got := search.Mark(c.grid, c.extents); got != c.want {
			t.Errorf("Mark(%v, %v) = %v, want %v", c.grid, c.extents, got, c.want)
		}
	}
}

func TestGrids(t *testing.T) {
	var got [][]int
	search.Grids(12, 2, func(g []int) { got = append(got, append([]int(nil), g...)) })
	if d := cmp.Diff([][]int{{12, 1}, {6, 2}, {4, 3}, {3, 4}, {2, 6}, {1, 12}}, got); d != "" {
		t.Error(d)
	}
}

func TestShapeOfPrograms(t *testing.T) {
	for path, want := range map[string][]int64{
		"single/f01_ivals.ptr.zst":  {64},
		"single/f02_heat3d.ptr.zst": {12, 12, 12},
		"compute/jac.ptr.zst":       {1600, 1600},
	} {
		s, err := search.Read(testtraces.Calls(t, path), "", false)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(s.Extents) != len(want) {
			t.Errorf("%s: extents %v, want %v", path, s.Extents, want)
		}
	}
}

// run searches and returns the records.
func run(t *testing.T, cfg search.Config, rec *call.Recording) (*search.Best, []map[string]any, string) {
	t.Helper()
	cfg.Options = sim.Defaults()
	var out bytes.Buffer
	best, err := search.Run(context.Background(), cfg, rec, &out)
	if err != nil {
		t.Fatal(err)
	}
	var records []map[string]any
	for l := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatal(err)
		}
		records = append(records, m)
	}
	return best, records, out.String()
}

// The best record is the least time of all candidates, the numbers are those
// of an enumeration, and threads change nothing.
func TestSearchAgainstEnumeration(t *testing.T) {
	rec := testtraces.Calls(t, "compute/jac.ptr.zst")
	m := cluster(t, 24, 20, 0.01)
	possible := 0
	for n := 1; n <= 24; n++ {
		search.Grids(n, 2, func([]int) { possible++ })
	}
	for _, mode := range []int{search.NotBad, search.All} {
		best, records, text := run(t, search.Config{Machine: m, Mode: mode, Max: 24, Threads: 1}, rec)
		if _, _, again := run(t, search.Config{Machine: m, Mode: mode, Max: 24, Threads: 8}, rec); again != text {
			t.Errorf("mode %d: threads change the output", mode)
		}
		if records[0]["record"] != "search" || records[len(records)-1]["record"] != "end" {
			t.Fatalf("mode %d: the stream begins with %v and ends with %v", mode, records[0], records[len(records)-1])
		}
		least, candidates, notBad := 1e9, 0, 0
		last := 0.0
		for _, r := range records {
			switch r["record"] {
			case "candidate":
				candidates++
				if r["mark"].(float64) > 0 {
					notBad++
				}
				if r["abandoned_at"] != nil {
					continue // TestSlowGridsAreAbandoned
				}
				least = min(least, r["execution_time"].(float64))
				if p := r["processors"].(float64); p < last {
					t.Errorf("mode %d: %v processors after %v", mode, p, last)
				} else {
					last = p
				}
				// One candidate, simulated by itself, gives the same time.
				if candidates%17 == 0 {
					var grid []int
					for _, x := range r["grid"].([]any) {
						grid = append(grid, int(x.(float64)))
					}
					one, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, rec.Source())
					if err != nil {
						t.Fatal(err)
					}
					if float64(one.ExecutionTime()) != r["execution_time"].(float64) {
						t.Errorf("mode %d: %v takes %v in the search and %v alone", mode, grid, r["execution_time"], one.ExecutionTime())
					}
				}
			case "pareto":
				if r["execution_time"].(float64) < least {
					t.Errorf("mode %d: the front has %v, the least time is %v", mode, r, least)
				}
			}
		}
		if float64(best.ExecutionTime) != least || best.Processors < 2 {
			t.Errorf("mode %d: best %+v, least time %v", mode, best, least)
		}
		end := records[len(records)-1]
		if int(end["evaluated"].(float64)) != candidates || int(end["possible"].(float64)) != possible || int(end["not_bad"].(float64)) < notBad {
			t.Errorf("mode %d: end %v, %d candidates, %d not bad, %d possible", mode, end, candidates, notBad, possible)
		}
		if mode == search.All && candidates != possible {
			t.Errorf("mode 3 tried %d of %d grids", candidates, possible)
		}
	}
}

// A grid whose blocks are narrower than a shadow edge is recorded with its
// error and is not the best.
func TestImpossibleCandidates(t *testing.T) {
	best, records, _ := run(t, search.Config{Machine: cluster(t, 64, 1, 0.001), Mode: search.All, Max: 64, Threads: 2}, testtraces.Calls(t, "single/c12_groups.ptr.zst"))
	failed := 0
	for _, r := range records {
		if msg, ok := r["error"].(string); ok {
			failed++
			if !strings.Contains(msg, "shadow edge") || r["execution_time"] != nil {
				t.Errorf("%v", r)
			}
		}
	}
	if failed == 0 {
		t.Error("no candidate was refused")
	}
	if best.ExecutionTime <= 0 {
		t.Errorf("best %+v", best)
	}
}

func TestProgramWithoutDistribution(t *testing.T) {
	text := "RTS VERSION = 2889\n ProcCount=1;\nret_dvm_Init TIME=0.1 LINE=1 FILE=a\n \nEvent_dvm_exit TIME=0.1 LINE=2 FILE=a\nrc=0;\n"
	r, err := ptr.NewReader("a.ptr", strings.NewReader(text), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := call.Record(r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = search.Run(context.Background(), search.Config{Machine: cluster(t, 4, 1, 0), Mode: search.NotBad, Max: 4, Options: sim.Defaults()}, rec, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "distributes nothing") {
		t.Errorf("error %v", err)
	}
}
