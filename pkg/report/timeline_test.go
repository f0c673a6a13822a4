package report_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/report"
	"dvmtools/pkg/sim"
)

// timed returns the intervals of a real trace with its timeline.
func timed(t testing.TB, trace string, grid []int) *report.Tree {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "machines", "bus4.par"))
	if err != nil {
		t.Fatal(err)
	}
	m, list := par.Parse("bus4.par", text)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults(), Lines: true, Timeline: true}, testtraces.Calls(t, trace).Source())
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	w := interval.NewWriter(&stream)
	if err := errors.Join(r.Write(w, sim.Classes), w.End(0)); err != nil {
		t.Fatal(err)
	}
	tree, err := report.Read(trace, &stream, report.AllLevels)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestPerfettoNests reads the events back: in every thread each slice ends before
// the one around it does, time does not go back, intervals lie in those around
// them, the slices of a thread sum to the processor's time, and flows lead from
// their begin to their end.
func TestPerfettoNests(t *testing.T) {
	flows := 0
	for _, trace := range []string{"single/f01_ivals.ptr.zst", "single/f09_tasks.ptr.zst", "single/f04_across.ptr.zst"} {
		tree := timed(t, trace, []int{2, 2})
		type event struct {
			Ph, Cat, Name string
			Tid, ID       int64
			Ts            float64
			Args          struct {
				Interval int
				Name     string
			}
		}
		var doc struct{ TraceEvents []event }
		if err := json.Unmarshal([]byte(write(t, tree, report.Perfetto)), &doc); err != nil {
			t.Fatal(err)
		}
		nodes := map[int]*report.Node{}
		for _, n := range tree.Nodes {
			nodes[n.ID] = n
		}
		type slice struct {
			cat      string
			from     float64
			interval int
		}
		stacks, at, spent := map[int64][]slice{}, map[int64]float64{}, map[int64]float64{}
		began, ended := map[string]float64{}, map[string]float64{}
		for i, e := range doc.TraceEvents {
			if e.Ph == "M" {
				continue
			}
			if e.Ts < at[e.Tid] {
				t.Fatalf("%s: event %d goes back from %v to %v", trace, i, at[e.Tid], e.Ts)
			}
			at[e.Tid] = e.Ts
			stack := stacks[e.Tid]
			key := fmt.Sprint(e.Name, e.ID)
			switch e.Ph {
			case "B":
				outer := 0
				for _, s := range stack {
					if s.cat != "interval" {
						t.Fatalf("%s: event %d begins in a %s", trace, i, s.cat)
					}
					outer = s.interval
				}
				if e.Cat == "interval" && nodes[e.Args.Interval].Parent != outer {
					t.Fatalf("%s: interval %d begins in interval %d", trace, e.Args.Interval, outer)
				}
				stacks[e.Tid] = append(stack, slice{e.Cat, e.Ts, e.Args.Interval})
			case "E":
				if len(stack) == 0 {
					t.Fatalf("%s: event %d ends nothing", trace, i)
				}
				last := stack[len(stack)-1]
				if last.cat != "interval" {
					spent[e.Tid] += e.Ts - last.from
				}
				stacks[e.Tid] = stack[:len(stack)-1]
			case "s", "t", "f":
				if len(stack) == 0 || stack[len(stack)-1].cat != "wait" && stack[len(stack)-1].cat != "communication" {
					t.Errorf("%s: a flow outside of exchanges", trace)
				}
				if e.Ph == "s" {
					began[key] = e.Ts
				}
				if e.Ph == "f" {
					ended[key] = e.Ts
				}
			default:
				t.Fatalf("%s: an event %q", trace, e.Ph)
			}
		}
		longest := 0.0
		for tid, s := range stacks {
			if len(s) > 0 {
				t.Errorf("%s: thread %d leaves %d slices open", trace, tid, len(s))
			}
			longest = max(longest, spent[tid])
		}
		if want := float64(tree.Root.ExecutionTime) * 1e6; math.Abs(longest-want) > 1e-6*want {
			t.Errorf("%s: the longest thread takes %v us, the program %v", trace, longest, want)
		}
		for key, from := range began {
			if to, ok := ended[key]; !ok || to < from {
				t.Errorf("%s: the flow %s from %v to %v, %v", trace, key, from, to, ok)
			}
		}
		if len(began) != len(ended) {
			t.Errorf("%s: %d flows begin, %d end", trace, len(began), len(ended))
		}
		// As the UI reads them: in whole nanoseconds, sorted by time, those at the same
		// time in the order of the document. A flow begins once, then goes on, then ends.
		events := slices.Clone(doc.TraceEvents)
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(math.Floor(a.Ts*1e3+1e-3), math.Floor(b.Ts*1e3+1e-3)) })
		state := map[string]string{}
		for _, e := range events {
			if key := fmt.Sprint(e.Name, e.ID); e.Ph == "s" || e.Ph == "t" || e.Ph == "f" {
				if was := state[key]; (was == "") != (e.Ph == "s") || was == "f" {
					t.Errorf("%s: in the flow %s follows %q to %q", trace, key, e.Ph, was)
				}
				state[key] = e.Ph
			}
			if whole := math.Round(e.Ts*1e3) / 1e3; e.Ts != whole {
				t.Errorf("%s: an event at %v us", trace, e.Ts)
			}
		}
		flows += len(began)
	}
	if flows == 0 {
		t.Error("no flows")
	}
}

func TestSpansAreChecked(t *testing.T) {
	for set, good := range map[string]bool{"0": true, "0,2-4": true, "2-4,9": true, "": false, "a": false, "3-1": false, "2,1": false, "0-3,2": false, "-1": false,
		"1-2-3": false, "99999999999": false, "0,": false} {
		b := report.NewBuilder(interval.Header{}, report.AllLevels)
		if err := b.Interval(diag.Pos{}, &interval.Interval{ID: 1, Type: interval.Main}); err != nil {
			t.Fatal(err)
		}
		err := b.Span(diag.Pos{File: "x", Line: 3, Col: 1}, &interval.Span{Processors: set, End: 1, Kind: interval.SpanCPU, Interval: 1})
		if (err == nil) != good {
			t.Errorf("the set %q: %v", set, err)
		}
		if err := b.Span(diag.Pos{}, &interval.Span{Processors: "0", End: 1, Kind: interval.SpanCPU, Interval: 2}); err == nil || !strings.Contains(err.Error(), "interval 2") {
			t.Errorf("a span of no interval: %v", err)
		}
		if err := b.Span(diag.Pos{}, &interval.Span{Processors: "0", End: 1, Kind: interval.SpanWait, Op: "x", Interval: 1}); err == nil {
			t.Error("a span of an unknown operation is taken")
		}
	}
}
