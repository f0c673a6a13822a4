package search_test

import (
	"context"
	"fmt"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
)

// On a slow network most grids take longer than small ones. Mode 2 gives them up;
// what it finds, and which it gives up, depends neither on that nor on the threads.
func TestSlowGridsAreAbandoned(t *testing.T) {
	rec := testtraces.Calls(t, "sizes/jac_800.ptr.zst")
	m := cluster(t, 24, 30, 0.01)
	_, records, text := run(t, search.Config{Machine: m, Mode: search.NotBad, Max: 24, Threads: 1}, rec)
	for range 3 {
		if _, _, again := run(t, search.Config{Machine: m, Mode: search.NotBad, Max: 24, Threads: 8}, rec); again != text {
			t.Fatal("threads change the output")
		}
	}
	_, all, _ := run(t, search.Config{Machine: m, Mode: search.All, Max: 24, Threads: 2}, rec)
	found := func(records []map[string]any) (list []string) {
		for _, r := range records {
			if r["record"] == "best" || r["record"] == "pareto" {
				list = append(list, gridOf(r)+" "+r["record"].(string))
			}
		}
		return list
	}
	if a, b := found(records), found(all); len(a) != len(b) || a[len(a)-1] != b[len(b)-1] {
		t.Errorf("mode 2 finds %q, mode 3 %q", a, b)
	}
	abandoned := 0
	for _, r := range records {
		at, ok := r["abandoned_at"].(float64)
		if !ok {
			continue
		}
		abandoned++
		var grid []int
		for _, x := range r["grid"].([]any) {
			grid = append(grid, int(x.(float64)))
		}
		one, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, rec.Source())
		if err != nil {
			t.Fatal(err)
		}
		if float64(one.ExecutionTime()) <= at {
			t.Errorf("%v was given up beyond %v and takes %v", grid, at, one.ExecutionTime())
		}
	}
	for _, r := range all {
		if r["abandoned_at"] != nil {
			t.Errorf("mode 3 gave up %v", r["grid"])
		}
	}
	if abandoned < 10 {
		t.Errorf("only %d grids were given up", abandoned)
	}
}

func gridOf(r map[string]any) string {
	text := ""
	for _, x := range r["grid"].([]any) {
		text += fmt.Sprint(x, " ")
	}
	return text
}
