package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
)

// The best grid by every objective and limit is that of an enumeration of the
// candidates, and no other candidate is better than one of the front.
func TestObjectives(t *testing.T) {
	rec := testtraces.Calls(t, "sizes/jac_800.ptr.zst")
	m := cluster(t, 12, 30, 0.01)
	abandoned := 0
	for name, c := range map[string]struct {
		cfg   search.Config
		value func(time, efficiency, n float64) float64 // infinite beyond the limits
	}{
		"time":       {search.Config{}, func(time, _, _ float64) float64 { return time }},
		"efficiency": {search.Config{Objective: search.Efficiency}, func(_, e, _ float64) float64 { return 1 - e }},
		"cost":       {search.Config{Objective: search.Cost}, func(time, _, n float64) float64 { return time * n }},
		"deadline": {search.Config{Objective: search.Cost, Limits: search.Limits{Deadline: 0.12}}, func(time, _, n float64) float64 {
			if time > 0.12 {
				return math.Inf(1)
			}
			return time * n
		}},
		"efficient": {search.Config{Limits: search.Limits{Efficiency: 0.6}}, func(time, e, _ float64) float64 {
			if e < 0.6 {
				return math.Inf(1)
			}
			return time
		}},
	} {
		for _, mode := range []int{search.All, search.NotBad} {
			c.cfg.Machine, c.cfg.Mode, c.cfg.Max, c.cfg.Threads = m, mode, 12, 2
			best, records, _ := run(t, c.cfg, rec)
			least, ones := math.Inf(1), 0
			times := map[float64]float64{} // processors: least time
			for _, r := range records {
				if r["record"] != "candidate" || r["error"] != nil {
					continue
				}
				if at, ok := r["abandoned_at"].(float64); ok {
					abandoned++
					// A grid before it, with as many processors or fewer, takes less.
					if n, time := r["processors"].(float64), fastest(times, r["processors"].(float64)); mode == search.All || at != time {
						t.Errorf("%s, mode %d: a grid of %v processors was abandoned at %v, others take %v", name, mode, n, at, time)
					}
					continue
				}
				time, n := r["execution_time"].(float64), r["processors"].(float64)
				if n == 1 {
					ones++
				}
				least = min(least, c.value(time, r["efficiency"].(float64), n))
				if was, ok := times[n]; !ok || time < was {
					times[n] = time
				}
			}
			if (ones == 0) != (name == "efficiency") {
				t.Errorf("%s, mode %d: one processor was tried %d times", name, mode, ones)
			}
			if got := c.value(float64(best.ExecutionTime), best.Efficiency, float64(best.Processors)); got != least || math.IsInf(least, 0) {
				t.Errorf("%s, mode %d: the best has %v, the least is %v", name, mode, got, least)
			}
			var front []string
			last := math.Inf(1)
			for n := 1.0; n <= 12; n++ {
				if time, ok := times[n]; ok && time < last {
					last = time
					front = append(front, fmt.Sprint(n, time))
				}
			}
			for _, r := range records {
				if r["record"] == "pareto" {
					if p := fmt.Sprint(r["processors"], r["execution_time"]); len(front) == 0 || front[0] != p {
						t.Fatalf("%s, mode %d: the front has %s, want %v", name, mode, p, front)
					}
					front = front[1:]
				}
			}
			if len(front) != 0 {
				t.Errorf("%s, mode %d: the front lacks %v", name, mode, front)
			}
		}
	}
	t.Logf("%d grids were abandoned", abandoned)
}

// Cost in whole nodes: two nodes of four processors cost eight as soon as the
// fifth is taken.
func TestWholeNodes(t *testing.T) {
	m, errs := par.Parse("c.par", []byte("cluster = c; c = {3 x n}; c.CommType = ethernet; c.TStart = 1; c.TByte = 0.01; n = {4 x p}; n.CommType = ethernet; n.TStart = 1; n.TByte = 0.01; p = 1.0;"))
	if m == nil {
		t.Fatal(errs.Err())
	}
	_, records, _ := run(t, search.Config{Machine: m, Mode: search.All, Max: 12, Threads: 1, Objective: search.Cost, WholeNodes: true}, testtraces.Calls(t, "single/f01_ivals.ptr.zst"))
	seen := 0
	for _, r := range records {
		if r["record"] == "candidate" && r["error"] == nil {
			seen++
			taken := 4 * math.Ceil(r["processors"].(float64)/4)
			if want := r["execution_time"].(float64) * taken; r["cost"].(float64) != want {
				t.Errorf("%v: cost %v, want %v", r["grid"], r["cost"], want)
			}
		}
	}
	if seen < 6 {
		t.Errorf("%d grids were tried", seen)
	}
}

// The number of threads changes nothing in any mode, each of two searches gives the
// same as alone, and a lower rank gives grids of that rank.
func TestModes(t *testing.T) {
	rec := testtraces.Calls(t, "sizes/jac_400.ptr.zst")
	m := cluster(t, 24, 40, 0.01)
	evaluated := map[int]float64{}
	for _, mode := range []int{search.Heuristic, search.NotBad, search.Compare} {
		cfg := search.Config{Machine: m, Mode: mode, Max: 24, Threads: 1, Threshold: search.DefaultThreshold, Explain: true}
		_, records, text := run(t, cfg, rec)
		cfg.Threads = 5
		if _, _, again := run(t, cfg, rec); again != text {
			t.Errorf("mode %d: threads change the output", mode)
		}
		evaluated[mode] = records[len(records)-1]["evaluated"].(float64)
		about := map[string]bool{}
		for _, r := range records {
			switch r["record"] {
			case "explanation":
				about[r["about"].(string)] = true
			case "comparison":
				if r["evaluated"].(float64) != evaluated[int(r["mode"].(float64))] {
					t.Errorf("mode %v tried %v grids in the comparison, %v alone", r["mode"], r["evaluated"], evaluated[int(r["mode"].(float64))])
				}
			}
		}
		if !about["found"] || !about["neighbour"] || !about["bound"] || !about["time"] {
			t.Errorf("mode %d explains %v", mode, about)
		}
	}
	if evaluated[search.Compare] != evaluated[search.Heuristic]+evaluated[search.NotBad] {
		t.Errorf("%v grids were tried", evaluated)
	}
	best, _, _ := run(t, search.Config{Machine: m, Mode: search.All, Max: 24, Rank: 1, Threads: 2}, rec)
	if len(best.Grid) != 1 {
		t.Errorf("rank 1: the best is %v", best.Grid)
	}
}

// A search that is ended early keeps its results and is marked as partial.
func TestPartial(t *testing.T) {
	rec := testtraces.Calls(t, "sizes/jac_400.ptr.zst")
	var end context.CancelFunc
	cfg := search.Config{Machine: cluster(t, 64, 4, 0.01), Mode: search.All, Max: 64, Threads: 2,
		Limit: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, end = context.WithCancel(ctx)
			return ctx, end
		},
		Progress: func(int, int, *search.Best) { end() },
	}
	best, records, _ := run(t, cfg, rec)
	last := records[len(records)-1]
	if last["partial"] != true || last["evaluated"].(float64) >= 280 || best == nil {
		t.Errorf("the stream ends with %v", last)
	}
	// Ending the context of Run is no limit, but an error.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	cfg.Limit, cfg.Progress, cfg.Options = nil, nil, sim.Defaults()
	if _, err := search.Run(ctx, cfg, rec, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestRefused(t *testing.T) {
	rec := testtraces.Calls(t, "sizes/jac_400.ptr.zst")
	for want, change := range map[string]func(*search.Config){
		"mode of the search is 4":     func(c *search.Config) { c.Mode = 4 },
		`objective is "speed"`:        func(c *search.Config) { c.Objective = "speed" },
		"rank of the grids is 3":      func(c *search.Config) { c.Rank = 3 },
		"threshold is 2":              func(c *search.Config) { c.Threshold = 2 },
		"one processor has always":    func(c *search.Config) { c.Objective, c.Max = search.Efficiency, 1 },
		"none that was tried keeps":   func(c *search.Config) { c.Limits.Deadline = 1e-6 },
		"expected 1 to 8":             func(c *search.Config) { c.Max = 9 },
		"least efficiency is 1.5":     func(c *search.Config) { c.Limits.Efficiency = 1.5 },
		"the deadline is -1 s":        func(c *search.Config) { c.Limits.Deadline = -1 },
		"search over up to 0 process": func(c *search.Config) { c.Max = 0 },
	} {
		cfg := search.Config{Machine: cluster(t, 8, 1, 0.01), Mode: search.Heuristic, Max: 8, Threads: 1, Options: sim.Defaults()}
		change(&cfg)
		if _, err := search.Run(context.Background(), cfg, rec, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// fastest returns the least time of all with at most n processors.
func fastest(times map[float64]float64, n float64) float64 {
	least := math.Inf(1)
	for p, time := range times {
		if p <= n {
			least = min(least, time)
		}
	}
	return least
}
