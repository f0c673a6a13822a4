package report_test

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/report"
	"dvmtools/pkg/units"
)

// program makes a program of a main interval and intervals directly inside
// it, on p processors. The main interval gets the sums; its execution time is
// that of the intervals and 1 ms of computation that is divided evenly.
func program(p int64, inner ...interval.Interval) *records {
	r := &records{header: interval.Header{Source: []string{"x.ptr"}, Grid: []int{int(p)}, Processors: p}}
	root := interval.Interval{ID: 1, Type: interval.Main, File: "x.fdv", Line: 1, Count: 1, Processors: p}
	t := &root.Times
	t.ExecutionTime, t.CPUTime, t.ProductiveCPUTime = 1e-3, units.Seconds(p)*1e-3, units.Seconds(p)*1e-3
	for i := range inner {
		iv := &inner[i]
		iv.ID, iv.Parent, iv.Level, iv.File, iv.Count, iv.Processors = i+2, 1, 1, "x.fdv", max(1, iv.Count), p
		iv.TotalTime = iv.ExecutionTime * units.Seconds(p)
		iv.InsuffParallelism = iv.InsuffParallelismUSR + iv.InsuffParallelismSYS
		iv.ProductiveCPUTime = iv.CPUTime - iv.InsuffParallelismUSR
		iv.ProductiveSYSTime = iv.SYSTime - iv.InsuffParallelismSYS
		for k := range interval.NumKinds {
			iv.Communication += iv.Kind(k).Communication
			iv.CommunicationSynch += iv.Kind(k).RealSynch
		}
		for _, f := range []func(*interval.Times) *units.Seconds{
			func(t *interval.Times) *units.Seconds { return &t.ExecutionTime },
			func(t *interval.Times) *units.Seconds { return &t.CPUTime },
			func(t *interval.Times) *units.Seconds { return &t.SYSTime },
			func(t *interval.Times) *units.Seconds { return &t.IOTime },
			func(t *interval.Times) *units.Seconds { return &t.ProductiveCPUTime },
			func(t *interval.Times) *units.Seconds { return &t.ProductiveSYSTime },
			func(t *interval.Times) *units.Seconds { return &t.InsuffParallelism },
			func(t *interval.Times) *units.Seconds { return &t.InsuffParallelismUSR },
			func(t *interval.Times) *units.Seconds { return &t.InsuffParallelismSYS },
			func(t *interval.Times) *units.Seconds { return &t.Communication },
			func(t *interval.Times) *units.Seconds { return &t.CommunicationSynch },
			func(t *interval.Times) *units.Seconds { return &t.LoadImbalance },
			func(t *interval.Times) *units.Seconds { return &t.Idle },
			func(t *interval.Times) *units.Seconds { return &t.IO.Communication },
			func(t *interval.Times) *units.Seconds { return &t.Reduction.Communication },
			func(t *interval.Times) *units.Seconds { return &t.Shadow.Communication },
			func(t *interval.Times) *units.Seconds { return &t.Remote.Communication },
			func(t *interval.Times) *units.Seconds { return &t.Redistribution.Communication },
			func(t *interval.Times) *units.Seconds { return &t.IO.RealSynch },
			func(t *interval.Times) *units.Seconds { return &t.Reduction.RealSynch },
			func(t *interval.Times) *units.Seconds { return &t.Shadow.RealSynch },
		} {
			*f(t) += *f(&iv.Times)
		}
	}
	t.TotalTime = t.ExecutionTime * units.Seconds(p)
	t.ProductiveTime = t.ProductiveCPUTime + t.ProductiveSYSTime + t.IOTime
	if t.LostTime = t.TotalTime - t.ProductiveTime; t.LostTime < 1e-12 {
		t.LostTime = 0 // rounding
	}
	t.Efficiency = float64(t.ProductiveTime / t.TotalTime)
	r.intervals = append([]interval.Interval{root}, inner...)
	return r
}

// TestFirstFinding uses programs of which it is known what costs most time.
func TestFirstFinding(t *testing.T) {
	type times = interval.Times
	slow, fast := machine.NewProcessor("slow", 1), machine.NewProcessor("fast", 2)
	mixed, err := machine.New(machine.NewCluster("mixed", machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 1e-6},
		machine.Group{Count: 2, Node: slow}, machine.Group{Count: 2, Node: fast}))
	if err != nil {
		t.Fatal(err)
	}
	// A loop in which 3 of 4 processors compute 2 ms and the last 10 ms, so
	// that the others wait 8 ms in the reduction behind it, which costs 0.1 ms:
	// the mean is 4 ms, 6 ms could be saved.
	uneven := interval.Interval{Type: interval.Parallel, Line: 40, Times: times{ExecutionTime: 10.1e-3, CPUTime: 16e-3, LoadImbalance: 24e-3,
		Reduction: interval.KindTimes{Communication: 24.4e-3, RealSynch: 24e-3}}}
	for _, c := range []struct {
		name    string
		r       *records
		startup units.Seconds
		machine *machine.Machine
		id      string
		at      int
		saving  float64
		says    string
	}{
		{name: "sequential part", id: "repeated", at: 2, saving: 7.5e-3, says: "in the sequential part at x.fdv:31; distributed over them it would save",
			// 4 processors repeat 10 ms: 10 of 40 would do.
			r: program(4, interval.Interval{Type: interval.Sequential, Line: 31, Times: times{ExecutionTime: 10e-3, CPUTime: 40e-3, InsuffParallelismUSR: 30e-3}},
				interval.Interval{Type: interval.Parallel, Line: 50, Times: times{ExecutionTime: 2e-3, CPUTime: 6e-3, LoadImbalance: 2e-3, Idle: 2e-3}})},
		{name: "uneven load", id: "imbalance", at: 2, saving: 6e-3, says: "ideal load balance would save", r: program(4, uneven)},
		{name: "unequal powers", id: "powers", at: 2, saving: 6e-3, says: "processors are of unequal power", r: program(4, uneven), machine: mixed},
		{name: "shadow edges", id: "shadow", at: 3, saving: 5e-3, says: "Exchanging shadow edges takes",
			// 5 ms of exchange on each of 4 processors, 1 ms of waiting.
			r: program(4, interval.Interval{Type: interval.Sequential, Line: 5, Times: times{ExecutionTime: 1e-3, CPUTime: 4e-3, InsuffParallelismUSR: 3e-3}},
				interval.Interval{Type: interval.Parallel, Line: 9, Count: 100, Times: times{ExecutionTime: 16e-3, CPUTime: 40e-3,
					Shadow: interval.KindTimes{Communication: 24e-3, RealSynch: 4e-3}}})},
		{name: "start-up", id: "startup", at: 1, saving: 40e-3, says: "before the program's first parallel operation", startup: 40e-3,
			// 40 of 43 ms pass before the program does anything; 2 ms of loop.
			r: program(4, interval.Interval{Type: interval.Sequential, Line: 2, Times: times{ExecutionTime: 40e-3, CPUTime: 160e-3, InsuffParallelismUSR: 120e-3}},
				interval.Interval{Type: interval.Parallel, Line: 9, Times: times{ExecutionTime: 2e-3, CPUTime: 8e-3}})},
		{name: "a topology that is set up", id: "creation", at: 1, saving: 40e-3, says: "Setting up the topology takes 40.00 ms",
			machine: &machine.Machine{Root: slow, Network: &machine.Network{ID: 1, Creation: 40e-3}},
			// 40 of 43 ms on every processor; the calls of the run-time system are not to blame.
			r: program(4, interval.Interval{Type: interval.Sequential, Line: 2, Times: times{ExecutionTime: 40e-3, SYSTime: 160e-3, InsuffParallelismSYS: 160e-3}},
				interval.Interval{Type: interval.Parallel, Line: 9, Times: times{ExecutionTime: 2e-3, CPUTime: 8e-3}})},
		{name: "input and output", id: "io", at: 2, saving: 9e-3, says: "One processor reads and writes in the interval at x.fdv:7",
			// 9 ms on one of 2 processors, for which the other waits.
			r: program(2, interval.Interval{Type: interval.User, Line: 7, Times: times{ExecutionTime: 9.05e-3, IOTime: 9e-3,
				IO: interval.KindTimes{Communication: 9.1e-3, RealSynch: 9e-3}}})},
		{name: "many small calls", id: "runtime", at: 2, saving: 3e-3, says: "work of the run-time system in the sequential part at x.fdv:8",
			// 4 ms of calls on each of 4 processors.
			r: program(4, interval.Interval{Type: interval.Sequential, Line: 8, Times: times{ExecutionTime: 4e-3, SYSTime: 16e-3, InsuffParallelismSYS: 12e-3}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.machine != nil {
				c.r.header.Machine = c.machine.Description()
			}
			c.r.header.Startup = c.startup
			tree := c.r.tree(t, report.AllLevels)
			findings := report.Findings(tree)
			if len(findings) == 0 {
				t.Fatal("nothing was found")
			}
			f := findings[0]
			if f.ID != c.id || f.Interval != c.at || !near(float64(f.Saving), c.saving) || !strings.Contains(f.Text, c.says) {
				t.Errorf("found %+v,\nexpected %s of interval %d, %v s, %q", f, c.id, c.at, c.saving, c.says)
			}
			if f.Share != float64(f.Saving/tree.Root.ExecutionTime) || f.Advice == "" {
				t.Errorf("share %v, advice %q", f.Share, f.Advice)
			}
			for i, g := range findings {
				if i > 0 && g.Saving > findings[i-1].Saving {
					t.Errorf("%s after %s saves more", g.ID, findings[i-1].ID)
				}
			}
			diagnosis := report.Diagnosis(tree, findings)
			if n := len(diagnosis); n < 2 || n > 3 || !strings.HasPrefix(diagnosis[1], "Of the execution time "+percentOf(f.Share)+" goes to ") {
				t.Errorf("the diagnosis is %q", diagnosis)
			}
			for _, format := range []report.Format{report.HTML, report.Text, report.Markdown} {
				// Links stand in the text of the page.
				plain := regexp.MustCompile(`</?a[^>]*>`).ReplaceAllString(write(t, tree, format), "")
				if s := html.UnescapeString(strings.Join(strings.Fields(plain), " ")); !strings.Contains(strings.ReplaceAll(s, "\u00a0", " "), f.Text) {
					t.Errorf("%s does not say %q", format, f.Text)
				}
			}
		})
	}
}

// percentOf returns a share in the form of reports.
func percentOf(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// TestWithoutStart uses a program of which 4 processors start for 40 ms, and spend 3 ms
// each besides, of which 1 ms is repeated: 3 of 12 ms are lost without the start. The
// program of one processor, and one that is all start, say nothing of it.
func TestWithoutStart(t *testing.T) {
	for _, c := range []struct {
		processors int64
		startup    units.Seconds
		want       string
	}{{4, 40e-3, "on any number of processors; without it the efficiency is 75.0 %."}, {1, 40e-3, "on any number of processors."}, {4, 44e-3, "on any number of processors."}} {
		n := units.Seconds(c.processors)
		r := program(c.processors, interval.Interval{Type: interval.Sequential, Line: 2, Times: interval.Times{ExecutionTime: 41e-3, CPUTime: n * 41e-3, InsuffParallelismUSR: (n - 1) * 41e-3}},
			interval.Interval{Type: interval.Parallel, Line: 9, Times: interval.Times{ExecutionTime: 1e-3, CPUTime: n * 1e-3}})
		r.header.Startup = c.startup
		findings := report.Findings(r.tree(t, report.AllLevels))
		if len(findings) == 0 || findings[0].ID != "startup" || !strings.HasSuffix(findings[0].Text, c.want) {
			t.Errorf("%d processors, %v s: %+v, expected %q", c.processors, c.startup, findings, c.want)
		}
	}
}

// TestEveryFinding uses a program on 4 processors that loses 1 ms of execution time
// for every reason that a rule knows, and expects a finding with that saving for each.
func TestEveryFinding(t *testing.T) {
	kind := interval.KindTimes{Communication: 4e-3}
	r := program(4,
		interval.Interval{Type: interval.Sequential, Line: 2, Times: interval.Times{ExecutionTime: 2e-3, CPUTime: 4e-3, InsuffParallelismUSR: 4e-3, SYSTime: 4e-3, InsuffParallelismSYS: 4e-3}},
		interval.Interval{Type: interval.Parallel, Line: 3, Count: 10, Times: interval.Times{ExecutionTime: 8e-3, IOTime: 1e-3, Idle: 4e-3, LoadImbalance: 3.8e-3,
			IO: kind, Reduction: interval.KindTimes{Communication: 8e-3, RealSynch: 4e-3}, Shadow: kind, Remote: kind, Redistribution: kind}})
	tree := r.tree(t, report.AllLevels)
	got := map[string]bool{}
	for _, f := range report.Findings(tree) {
		got[f.ID] = true
		want := 1e-3
		if f.ID == "imbalance" {
			want = 0.95e-3 // if it explained all waiting, that would be no finding of its own
		}
		if f.ID != "small-loop" && f.ID != "limit" && !near(float64(f.Saving), want) {
			t.Errorf("%s saves %v s, expected %v", f.ID, f.Saving, want)
		}
	}
	for id := range strings.FieldsSeq("repeated runtime imbalance wait idle io io-results reduction shadow remote redistribution small-loop limit") {
		if !got[id] {
			t.Errorf("%s was not found", id)
		}
		delete(got, id)
	}
	for id := range got {
		t.Errorf("%s was found", id)
	}
}

// TestNothingToFind expects no finding below its threshold, 2 % of the execution
// time, and a sentence that says so.
func TestNothingToFind(t *testing.T) {
	for _, c := range []struct {
		lost  units.Seconds // in each of 4 processors, of 100 ms
		found int
	}{{1.9e-3, 0}, {2.1e-3, 1}} {
		r := program(4, interval.Interval{Type: interval.Parallel, Line: 3, Times: interval.Times{ExecutionTime: 99e-3, CPUTime: 4 * (99e-3 - c.lost),
			Shadow: interval.KindTimes{Communication: 4 * c.lost}}})
		tree := r.tree(t, report.AllLevels)
		findings := report.Findings(tree)
		if len(findings) != c.found {
			t.Errorf("%v s: %d findings, expected %d", c.lost, len(findings), c.found)
		}
		if s := fmt.Sprint(report.Diagnosis(tree, findings)); strings.Contains(s, "No single cause loses more than 2.0 %") != (c.found == 0) {
			t.Errorf("%v s: %s", c.lost, s)
		}
	}
	one := program(1)
	tree := one.tree(t, report.AllLevels)
	if s := fmt.Sprint(report.Findings(tree), report.Diagnosis(tree, nil)); !strings.Contains(s, "on one processor") {
		t.Error(s)
	}
}

// TestFindingsNameLines uses programs of one interval whose time passes at known
// lines, and expects each finding to name the line that has most of it. Line 5 holds
// the start, 30 ms on each of 4 processors, which no other finding counts.
func TestFindingsNameLines(t *testing.T) {
	type times = interval.Times
	line := func(from, to int, x times, functions ...interval.Function) interval.Line {
		return interval.Line{Interval: 1, File: "x.fdv", FromLine: from, Line: to, Functions: functions, Times: x}
	}
	call := func(name string, n int64) interval.Function { return interval.Function{Func: name, Calls: n} }
	start := line(5, 5, times{CPUTime: 120e-3, InsuffParallelismUSR: 90e-3}, call("bsloop_", 1))
	edges := func(wait units.Seconds) interval.KindTimes {
		return interval.KindTimes{Communication: wait + 4e-3, RealSynch: wait}
	}
	across := interval.Exchange{Kind: interval.Shadow, Func: "across_", File: "x.fdv", Line: 14, Seq: 9, Count: 1,
		KindTimes: interval.KindTimes{Communication: 28e-3, RealSynch: 24e-3, Variation: 20e-3}}
	for _, c := range []struct {
		name      string
		grid      []int
		measured  bool
		root      times
		lines     []interval.Line
		exchanges []interval.Exchange
		id        string
		saving    float64
		lines1    string // of the finding
		says      []string
		advises   string
	}{
		{name: "repeated, without the start", id: "repeated", saving: 6e-3, lines1: "x.fdv:20-24", says: []string{", most of it at x.fdv:20-24."}, advises: "Make its loops parallel",
			root: times{InsuffParallelismUSR: 114e-3},
			lines: []interval.Line{start, line(20, 24, times{InsuffParallelismUSR: 16e-3}, call("crtpl_", 1)),
				line(24, 30, times{InsuffParallelismUSR: 8e-3}, call("endpl_", 1))}},
		// 600 calls; each of 4 processors computes 3.33 us before each, 3 of them in vain.
		{name: "gaps between calls", id: "repeated", saving: 1.5e-3, lines1: "x.fdv:20-24", says: []string{"most of it at"}, advises: "3.333 us before each: make fewer calls",
			root:  times{InsuffParallelismUSR: 96e-3},
			lines: []interval.Line{start, line(20, 24, times{InsuffParallelismUSR: 6e-3}, call("crtpl_", 400), call("mappl_", 200))}},
		{name: "gaps at many lines", id: "repeated", saving: 1.5e-3, lines1: "x.fdv:20-24", says: []string{"the largest part of it, 40.0 %,"}, advises: "3.333 us before each: make fewer calls",
			root: times{InsuffParallelismUSR: 96e-3},
			lines: []interval.Line{start, line(20, 24, times{InsuffParallelismUSR: 2.4e-3}, call("crtpl_", 200)), line(24, 25, times{InsuffParallelismUSR: 1.8e-3}, call("dopl_", 200)),
				line(25, 30, times{InsuffParallelismUSR: 1.8e-3}, call("endpl_", 199))}},
		// Of as many calls one has most of it before it.
		{name: "one long gap", id: "repeated", saving: 1.5e-3, lines1: "x.fdv:30-31", says: []string{"most of it at"}, advises: "Make its loops parallel",
			root:  times{InsuffParallelismUSR: 96e-3},
			lines: []interval.Line{start, line(20, 24, times{InsuffParallelismUSR: 2e-3}, call("crtpl_", 599)), line(30, 31, times{InsuffParallelismUSR: 4e-3}, call("tstio_", 1))}},
		{name: "spread over lines", id: "runtime", saving: 3e-3, lines1: "x.fdv:9-12", says: []string{", the largest part of it, 40.0 %, at x.fdv:9-12."}, advises: "Make fewer calls",
			root: times{InsuffParallelismUSR: 90e-3, InsuffParallelismSYS: 12e-3},
			lines: []interval.Line{start, line(6, 9, times{InsuffParallelismSYS: 3.6e-3}), line(9, 12, times{InsuffParallelismSYS: 4.8e-3}, call("crtps_", 1)),
				line(12, 13, times{InsuffParallelismSYS: 3.6e-3})}},
		{name: "calls that are made once", id: "runtime", saving: 3e-3, lines1: "x.fdv:9-16", says: []string{"most of it at x.fdv:9-16."}, advises: "Each call is made there once",
			root:  times{InsuffParallelismUSR: 90e-3, InsuffParallelismSYS: 12e-3},
			lines: []interval.Line{start, line(9, 16, times{InsuffParallelismSYS: 12e-3}, call("crtps_", 1), call("mapam_", 1))}},
		{name: "uneven load", id: "imbalance", saving: 2.5e-3, lines1: "x.fdv:12-14", says: []string{"; the others wait most at x.fdv:12-14."}, advises: "GEN_BLOCK",
			root:  times{LoadImbalance: 10e-3, CommunicationSynch: 10e-3, Communication: 11e-3},
			lines: []interval.Line{start, line(12, 14, times{CommunicationSynch: 8e-3}, call("loadrb_", 3)), line(14, 15, times{CommunicationSynch: 2e-3})}},
		// The stages wait 24 ms, and 20 ms where they come together again; 2 ms of the
		// waiting there is of another reason.
		{name: "a pipeline along one dimension", id: "pipeline", saving: 11e-3, lines1: "x.fdv:14-15", says: []string{"Pipelined loops (ACROSS) fill and drain", "most of it at x.fdv:14-15."}, advises: "Larger arrays",
			root: times{Communication: 50e-3, CommunicationSynch: 46e-3, Shadow: edges(24e-3), Reduction: interval.KindTimes{Communication: 22e-3, RealSynch: 22e-3}},
			lines: []interval.Line{start, line(14, 15, times{CommunicationSynch: 24e-3, Shadow: edges(24e-3)}, call("dopl_", 2)),
				line(15, 22, times{CommunicationSynch: 22e-3, Reduction: interval.KindTimes{Communication: 22e-3, RealSynch: 22e-3}}, call("strtrd_", 1))},
			exchanges: []interval.Exchange{across}},
		{name: "a pipeline along two dimensions", grid: []int{2, 2}, id: "pipeline", saving: 11e-3, lines1: "x.fdv:14-15", says: []string{"fill and drain"}, advises: "Cut the arrays in one dimension only",
			root:      times{Communication: 50e-3, CommunicationSynch: 46e-3, Shadow: edges(24e-3)},
			lines:     []interval.Line{start, line(14, 15, times{CommunicationSynch: 24e-3, Shadow: edges(24e-3)}, call("dopl_", 2))},
			exchanges: []interval.Exchange{across}},
		{name: "edges in a pipeline", id: "shadow", saving: 1e-3, lines1: "x.fdv:14-15", advises: "A pipelined loop (ACROSS) hands them on in steps",
			root:      times{Communication: 50e-3, CommunicationSynch: 46e-3, Shadow: edges(24e-3)},
			lines:     []interval.Line{start, line(14, 15, times{CommunicationSynch: 24e-3, Shadow: edges(24e-3)}, call("dopl_", 2))},
			exchanges: []interval.Exchange{across}},
		{name: "edges in a pipeline, measured", measured: true, id: "shadow", saving: 1e-3, lines1: "x.fdv:14-15", advises: "What was measured there is waiting for the processor before as well.",
			root: times{Communication: 28e-3, CommunicationSynch: 24e-3, Shadow: edges(24e-3)},
			lines: []interval.Line{start, line(11, 14, times{}, call("crtpl_", 1), call("across_", 1)),
				line(14, 15, times{CommunicationSynch: 24e-3, Shadow: edges(24e-3)}, call("dopl_", 2))}},
		{name: "edges before a loop", measured: true, id: "shadow", saving: 1e-3, lines1: "x.fdv:14-15", advises: "Renew the edges of several arrays in one group",
			root:  times{Communication: 28e-3, CommunicationSynch: 24e-3, Shadow: edges(24e-3)},
			lines: []interval.Line{start, line(14, 15, times{CommunicationSynch: 24e-3, Shadow: edges(24e-3)}, call("dopl_", 2))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.root.ExecutionTime, c.root.CPUTime, c.root.TotalTime = 80e-3, 200e-3, 320e-3
			r := &records{header: interval.Header{Source: []string{"x.ptr"}, Grid: []int{4}, Processors: 4, Startup: 30e-3},
				intervals: []interval.Interval{{ID: 1, Type: interval.Main, File: "x.fdv", Line: 5, Count: 1, Processors: 4, Times: c.root}}}
			if c.grid != nil {
				r.header.Grid = c.grid
			}
			r.header.Measured = c.measured
			tree := r.tree(t, report.AllLevels)
			tree.Root.Lines, tree.Exchanges = c.lines, c.exchanges
			findings := report.Findings(tree)
			i := slices.IndexFunc(findings, func(f report.Finding) bool { return f.ID == c.id })
			if i < 0 {
				t.Fatalf("no %s in %+v", c.id, findings)
			}
			f := findings[i]
			if !near(float64(f.Saving), c.saving) || f.Lines != c.lines1 || !strings.Contains(f.Advice, c.advises) {
				t.Errorf("found %+v,\nexpected %v s at %s, advice %q", f, c.saving, c.lines1, c.advises)
			}
			for _, s := range c.says {
				if !strings.Contains(f.Text, s) {
					t.Errorf("%q does not say %q", f.Text, s)
				}
			}
			// Waiting in pipelines is not said twice.
			for _, g := range findings {
				if c.id == "pipeline" && g.ID == "wait" && !near(float64(g.Saving), 0.5e-3) {
					t.Errorf("waiting besides the pipeline is %v s", g.Saving)
				}
			}
			// The first sentences tell a place that waits from one to blame.
			waits := strings.Contains(strings.Join(report.Diagnosis(tree, findings), " "), "others wait at "+c.lines1)
			if waits != (c.id == "imbalance") {
				t.Errorf("the diagnosis is %q", report.Diagnosis(tree, findings))
			}
			// The page leads from the place in the text to the figures of the line.
			number := 0
			for j, l := range report.SourceLines(tree) {
				if fmt.Sprintf("x.fdv:%d-%d", l.FromLine, l.Line) == c.lines1 {
					number = j + 1
				}
			}
			if want := fmt.Sprintf(`<a href="#l%d">%s</a>`, number, c.lines1); !strings.Contains(write(t, tree, report.HTML), want) {
				t.Errorf("the page has no %s", want)
			}
		})
	}
}
