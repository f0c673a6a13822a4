package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/report"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
	"dvmtools/schema"
	"dvmtools/schema/schematest"
)

const testdata = "../testdata/"

// corpus holds streams by the name of their schema.
type corpus map[string][][]byte

func (c corpus) add(name string, stream []byte) { c[name] = append(c[name], stream) }

// glob returns the files that match a pattern in testdata.
func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(testdata + pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s matches nothing: %v", pattern, err)
	}
	return files
}

// parse returns a trace as a stream of calls. A damaged trace gives the
// records before the damage, which may be none.
func parse(t testing.TB, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	src, err := ptr.NewReader(path.Base(name), bytes.NewReader(testtraces.Text(t, name)), ptr.Options{})
	if _, ok := errors.AsType[*diag.Error](err); ok {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	w := call.NewWriter(&out)
	err = w.Header(src.Header())
	for exited := false; err == nil; {
		var c *call.Call
		c, err = src.Next()
		if src.Exit().Found && !exited {
			exited = true
			err = errors.Join(err, w.Exit(src.Exit()))
		}
		if err == nil {
			err = w.Call(c)
		}
	}
	if errors.Is(err, io.EOF) {
		err = w.End(src.Warnings())
	} else if _, ok := errors.AsType[*diag.Error](err); ok {
		err = nil
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out.Bytes()
}

// machines returns all machines of testdata.
func machines(t testing.TB) []*machine.Machine {
	t.Helper()
	var all []*machine.Machine
	for _, path := range glob(t, "machines/*.par") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, list := par.Parse(filepath.Base(path), text)
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// slow returns a machine with slow messages between its nodes.
func slow(t testing.TB) *machine.Machine {
	t.Helper()
	m, list := par.Parse("slow.par", []byte("cluster = c; c = {32 x p}; c.CommType = ethernet; c.TStart = 300; c.TByte = 0.01; p = 1.0;"))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// simulated returns the intervals of a stream of calls; ok is false when the
// program does not fit the grid.
func simulated(t testing.TB, m *machine.Machine, grid []int, d sim.Detail, calls []byte) (text []byte, ok bool) {
	t.Helper()
	src, err := call.NewReader("calls", bytes.NewReader(calls))
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults(), Lines: d == sim.Classes}, src)
	if errors.Is(err, diag.ErrImpossible) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := interval.NewWriter(&out)
	if err := errors.Join(r.Write(w, d), w.End(int64(len(r.Warnings)))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), true
}

// searched returns the stream of a search over up to four processors, whose
// configuration change may change. ok is false when the program distributes
// nothing or fits no grid.
func searched(t testing.TB, m *machine.Machine, calls []byte, change func(*search.Config)) (text []byte, ok bool) {
	t.Helper()
	src, err := call.NewReader("calls", bytes.NewReader(calls))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := call.Record(src)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := search.Read(prog, "", false); err != nil || len(s.Extents) == 0 {
		return nil, false
	}
	cfg := search.Config{
		Machine: m, Options: sim.Defaults(), Mode: search.NotBad, Max: int(min(4, m.Processors())), Threads: 2, Threshold: search.DefaultThreshold,
	}
	change(&cfg)
	var out bytes.Buffer
	_, err = search.Run(t.Context(), cfg, prog, &out)
	if err != nil && !errors.Is(err, search.ErrNoGrid) {
		t.Fatal(err)
	}
	return out.Bytes(), err == nil
}

// searches are the configurations of searches whose records differ. The last one
// is ended after the first step.
var searches = []func(*search.Config){
	func(c *search.Config) {},
	func(c *search.Config) { c.Mode = search.All },
	func(c *search.Config) { c.Mode, c.Max, c.Explain = search.Heuristic, 16, true },
	func(c *search.Config) { c.Mode, c.Max = search.NotBad, 32 },
	func(c *search.Config) { c.Mode, c.Objective, c.WholeNodes = search.Compare, search.Cost, true },
	func(c *search.Config) {
		c.Mode, c.Limits = search.Heuristic, search.Limits{Efficiency: 0.1, Deadline: 1000}
	},
	func(c *search.Config) {
		c.Mode, c.Max = search.Compare, 16
		var end context.CancelFunc
		c.Limit = func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, end = context.WithCancel(ctx)
			return ctx, end
		}
		c.Progress = func(int, int, *search.Best) { end() }
	},
}

// varier makes machines that differ from m, whose parameters it has.
type varier struct{ m *machine.Machine }

func (v varier) Variables() ([]machine.Variable, error) { return v.m.Variables(), nil }

func (v varier) Make(changes ...machine.Change) (*machine.Machine, []machine.Changed, error) {
	m := v.m.Clone()
	var all []machine.Changed
	for _, c := range changes {
		moved, err := m.Apply(c)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, moved...)
	}
	return m, all, nil
}

// swept returns the stream of a sweep over machines that differ from m.
func swept(t testing.TB, m *machine.Machine, calls []byte, change func(*search.Config)) []byte {
	t.Helper()
	src, err := call.NewReader("calls", bytes.NewReader(calls))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := call.Record(src)
	if err != nil {
		t.Fatal(err)
	}
	cfg := search.Config{Machine: m, Options: sim.Defaults(), Mode: search.NotBad, Max: 16, Threads: 2, Threshold: search.DefaultThreshold}
	change(&cfg)
	sweep := search.Sweep{
		Axes: []search.Axis{{Parameter: "TStart", Values: []string{"3", "300"}}, {Parameter: "power", Scale: true, Values: []string{"2"}}},
		Make: func(c []machine.Change) (*machine.Machine, []machine.Changed, error) { return varier{m}.Make(c...) },
	}
	var out bytes.Buffer
	if err := sweep.Run(t.Context(), cfg, prog, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// inParts returns the plan of a search over up to four processors, and its two parts.
func inParts(t testing.TB, m *machine.Machine, calls []byte, job search.Job) (streams [][]byte) {
	t.Helper()
	src, err := call.NewReader("calls", bytes.NewReader(calls))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := call.Record(src)
	if err != nil {
		t.Fatal(err)
	}
	c := &job.Config
	c.Machine, c.Options, c.Max, c.Threads, c.Threshold = m, sim.Defaults(), 4, 2, search.DefaultThreshold
	plan, cases, err := job.Plan(prog)
	if err != nil {
		t.Fatal(err)
	}
	plan.Arguments, plan.Inputs = []string{"--", "a.ptr"}, []search.PlanInput{{File: "a.ptr", SHA256: strings.Repeat("0f", 32)}}
	var out bytes.Buffer
	if err := search.WritePlan(&out, plan, cases); err != nil {
		t.Fatal(err)
	}
	streams = append(streams, out.Bytes())
	for i := range 2 {
		var out bytes.Buffer
		own := search.Share(cases, i+1, 2)
		w, err := search.NewPartWriter(&out, plan, i+1, 2, len(own))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(job.Evaluate(t.Context(), prog, own, w.Put), w.End()); err != nil {
			t.Fatal(err)
		}
		streams = append(streams, out.Bytes())
	}
	return streams
}

// written returns the streams that the commands write about traces of every kind.
func written(t testing.TB) corpus {
	t.Helper()
	all := corpus{}
	ms := machines(t)
	grids := [][]int{{1}, {2, 2}, {4}, {3}, {2, 1, 2}}
	names := slices.DeleteFunc(testtraces.Sample(t), func(name string) bool {
		return strings.HasPrefix(name, "variants/") || strings.Contains(name, "gauss") // gauss is long
	})
	sims, found := 0, 0
	for i, name := range names {
		calls := parse(t, name)
		all.add(schema.Calls, calls)
		m := ms[i%len(ms)]
		grid := grids[i%len(grids)]
		if sim.CheckGrid(m, grid) != nil {
			grid = grids[0]
		}
		if s, ok := simulated(t, m, grid, sim.Detail(i%3), calls); ok {
			sims++
			all.add(schema.Intervals, s)
		}
		// Only every third, as a search takes several simulations.
		if i%3 == 0 {
			if s, ok := searched(t, m, calls, searches[i/3%2]); ok {
				found++
				all.add(schema.Search, s)
			}
		}
	}
	if sims < 20 || found < 5 {
		t.Fatalf("%d simulations and %d searches of %d traces succeeded", sims, found, len(names))
	}
	for _, change := range searches[2:] {
		// One that has reductions, on a slow network.
		s, ok := searched(t, slow(t), parse(t, "sizes/jac_800.ptr.zst"), change)
		if !ok {
			t.Fatal("a search of jac failed")
		}
		all.add(schema.Search, s)
	}
	for _, change := range searches[2:] {
		all.add(schema.Search, swept(t, slow(t), parse(t, "sizes/jac_800.ptr.zst"), change))
	}
	varied, ok := searched(t, slow(t), parse(t, "sizes/jac_800.ptr.zst"), func(c *search.Config) {
		c.Max, c.Vary, c.Sensitivity, c.BreakEven = 16, varier{c.Machine}, true, []string{"c.TStart", "power"}
	})
	if !ok {
		t.Fatal("a search with sensitivities failed")
	}
	all.add(schema.Search, varied)
	sweep := &search.Sweep{
		Axes: []search.Axis{{Parameter: "TStart", Values: []string{"3", "300"}}},
		Make: func(c []machine.Change) (*machine.Machine, []machine.Changed, error) {
			return varier{slow(t)}.Make(c...)
		},
	}
	for _, job := range []search.Job{
		{Config: search.Config{Mode: search.All, Explain: true}},
		{Config: search.Config{Mode: search.All}, Sweep: sweep},
		{Config: search.Config{Mode: search.Compare}, Sweep: sweep},
		{Config: search.Config{Mode: search.NotBad}},
	} {
		for _, s := range inParts(t, slow(t), parse(t, "sizes/jac_800.ptr.zst"), job) {
			all.add(schema.Parts, s)
		}
	}
	reported(t, all)
	for _, path := range slices.Concat(glob(t, "traces/variants/*"), glob(t, "traces/damaged/[or]*")) {
		all.add(schema.Calls, parse(t, strings.TrimPrefix(filepath.ToSlash(path), testdata+"traces/")))
	}
	return all
}

// reported adds the documents that reports have about the streams: on each at all
// levels and on the whole program alone, of each beside the one before, and of each
// search.
func reported(t testing.TB, all corpus) {
	t.Helper()
	document := func(write func(io.Writer) error) {
		var text, line bytes.Buffer
		if err := errors.Join(write(&text), json.Compact(&line, text.Bytes())); err != nil {
			t.Fatal(err)
		}
		all.add(schema.Report, append(line.Bytes(), '\n'))
	}
	sheet := func(s *report.Sheet) {
		document(func(w io.Writer) error { return report.WriteSheet(w, s, report.JSON, report.Options{}) })
	}
	var last *report.Tree
	for i, s := range all[schema.Intervals] {
		for _, level := range []int{report.AllLevels, 2, 1, 0} {
			tree, err := report.Read("x", bytes.NewReader(s), level)
			if err != nil {
				t.Fatal(err)
			}
			document(func(w io.Writer) error { return report.Write(w, tree, report.JSON, report.Options{}) })
			if level != report.AllLevels {
				continue
			}
			if last != nil {
				sheet(report.Compare(last, tree, "a", "b"))
			}
			if i%3 == 2 {
				sheet(report.Scale([]*report.Tree{last, tree, last}, []string{"a", "b", "c"}))
			}
			last = tree
		}
	}
	for _, s := range all[schema.Search] {
		found, err := report.ReadSearch("x", bytes.NewReader(s))
		if err != nil {
			continue
		}
		sheet(found.Sheet())
	}
}

// samples returns streams, by the same writers, with records that no trace or
// machine of testdata leads to.
func samples(t testing.TB) corpus {
	t.Helper()
	var calls, intervals, searches bytes.Buffer
	w := call.NewWriter(&calls)
	c := call.Call{Seq: 3, Func: "dvm_rename", File: "a.fdv", Text: [][]byte{{0xe0}}, RetLine: 5, RetFile: "b.fdv", Only: call.OnlyRet, Outside: true}
	c.Nested = []call.Call{{Seq: 7, Func: "new_", Only: call.OnlyCall, RetLine: 1, RetFile: "c", Outside: true, Text: c.Text, RetText: c.Text,
		Nested: []call.Call{{Func: "newer_"}}}}
	own := call.Call{Seq: 4, Func: "begbl_", Own: call.Own{Call: []units.Seconds{1, call.Absent, 0}, Ret: []units.Seconds{0, call.Absent, 2}}}
	node := machine.NodeDescription{Name: "p", Processors: 1, Power: 1}
	header := interval.Header{Grid: []int{1}, Processors: 1, Options: sim.Defaults(), Machine: machine.Description{
		Name: "m", Processors: 4, Unbounded: true, Topology: []int{4}, Order: machine.Fastest, Nodes: []machine.NodeDescription{
			{Name: "m", Processors: 4, Medium: &machine.MediumDescription{CommType: machine.Transputer}, Children: []machine.GroupDescription{{Count: 2, Node: "n"}}},
			{Name: "n", Processors: 2, Medium: &machine.MediumDescription{CommType: machine.Myrinet, Channels: 2, TByte: 1e-9}, Children: []machine.GroupDescription{{Count: 2, Node: "p"}}},
			node,
		}, Network: &machine.NetworkDescription{Topology: 2, Name: "t", Creation: 0.5, PowerBase: "p", Model: "mpi",
			Overheads: []machine.OverheadDescription{{Function: "send", Cost: 1e-6}},
			Links:     []machine.LinkDescription{{ID: 1, Latency: 1e-6, Speed: 1e-9, Ends: []int32{0, 1}}},
		}, Changes: []machine.ChangeMade{{Set: "m.TStart=5", Values: 1}, {Scale: "power=2", Values: 1}}}}
	header.Measured = true
	header.Options.Sections = "16=0-1/4"
	header.Options.LoopCost = []string{"a.fdv:16=I1", "traced"}
	header.Options.OwnTimes = 2
	iw := interval.NewWriter(&intervals)
	expr, rank := int64(-5), int64(0)
	e := json.NewEncoder(&searches)
	var parts bytes.Buffer
	pe := json.NewEncoder(&parts)
	if err := errors.Join(
		w.Header(&call.Header{Source: []string{"x"}, Runtime: call.Runtime{Processors: 4, Grid: []int{4}, VirtualGrid: []int{2, 2}}, Preamble: []string{"x"}}),
		w.Call(&c), w.Call(&own), w.Exit(&call.Exit{Found: true, Own: []units.Seconds{0, 1, 2}}), w.End(nil),
		iw.Header(&header),
		iw.Interval(&interval.Interval{ID: 1, Type: interval.Main, Expr: &expr}),
		iw.Interval(&interval.Interval{ID: 2, Parent: 1, Level: 1, Type: interval.User, POP: &interval.POP{ParallelEfficiency: 0.25, LoadBalance: 0.5, CommunicationEfficiency: 0.5, Serialisation: 0.75, Transfer: 0.625, IdealTime: 0.125}}),
		iw.Processor(&interval.Processor{Interval: 1, N: 1, Rank: &rank}),
		iw.Processor(&interval.Processor{Interval: 1, N: 9, Boxes: [][]string{{"0,2-4", "1-30"}, {"1", "0"}}}),
		iw.Line(&interval.Line{Interval: 1, File: "a.fdv", FromLine: 3, Line: 7, Functions: []interval.Function{{Func: "dopl_", Calls: 2}}}),
		iw.Line(&interval.Line{Interval: 1, File: "a.fdv"}),
		iw.Exchange(&interval.Exchange{Kind: interval.Reduction, Func: "strtrd_", File: "a.fdv", Line: 9, Seq: 41, Count: 2, Messages: 12, Bytes: 96}),
		iw.Span(&interval.Span{Processors: "0-3", Start: 0.5, End: 1, Kind: interval.SpanCommunication, Op: "reduction", Interval: 1, Seq: 2}),
		iw.Span(&interval.Span{Processors: "0", Kind: interval.SpanCPU, Interval: 1}),
		iw.End(1),
		e.Encode(search.Header{Record: "search", Version: search.Version, Machine: header.Machine, Mode: search.All, Objective: "time", Rank: 1, Extents: []int64{4}, Max: 4, Options: header.Options, Source: []string{"x"}}),
		e.Encode(search.Candidate{Record: "candidate", Grid: []int{1}, Processors: 1, Step: 2, Error: "too small"}),
		e.Encode(search.PointEnd{Record: "point_end", Point: 1, Error: "no grid"}),
		e.Encode(search.Derivative{Record: "sensitivity", Parameter: "power", Smooth: true}),
		e.Encode(search.BreakEven{Record: "break_even", Parameter: "power", Direction: "less"}),
		pe.Encode(search.PartOutcome{Record: "outcome", Case: 1, Grid: []int{1}, Error: "too small"}),
		pe.Encode(search.PartOutcome{Record: "outcome", Case: 1, Grid: []int{1}, AbandonedAt: new(units.Seconds)}),
		pe.Encode(search.PartOutcome{Record: "outcome", Case: 1, Grid: []int{1}, ExecutionTime: new(units.Seconds), Efficiency: new(float64), Warnings: []search.PartWarning{{File: "a", Code: "x/y", Message: "odd"}}}),
	); err != nil {
		t.Fatal(err)
	}
	all := corpus{}
	all.add(schema.Calls, calls.Bytes())
	all.add(schema.Intervals, intervals.Bytes())
	all.add(schema.Search, searches.Bytes())
	all.add(schema.Parts, parts.Bytes())
	// A document has the records of one stream in it.
	tree := report.NewBuilder(header, report.AllLevels)
	at := diag.Pos{File: "x"}
	iv := interval.Interval{ID: 1, Type: interval.Main, Expr: &expr, POP: &interval.POP{LoadBalance: 0.5}}
	err := errors.Join(
		tree.Interval(at, &iv),
		tree.Processor(at, &interval.Processor{Interval: 1, N: 1, Rank: &rank}),
		tree.Processor(at, &interval.Processor{Interval: 1, N: 9, Boxes: [][]string{{"0,2-4", "1-30"}, {"1", "0"}}}),
		tree.Line(at, &interval.Line{Interval: 1, File: "a.fdv", FromLine: 3, Line: 7, Functions: []interval.Function{{Func: "dopl_", Calls: 2}}}),
	)
	tree.Exchange(&interval.Exchange{Kind: interval.Reduction, Func: "strtrd_", File: "a.fdv", Line: 9, Seq: 41, Count: 2, Messages: 12, Bytes: 96})
	whole, wrong := tree.Tree(at)
	var text, doc bytes.Buffer
	if err := errors.Join(err, wrong, report.Write(&text, whole, report.JSON, report.Options{}), json.Compact(&doc, text.Bytes())); err != nil {
		t.Fatal(err)
	}
	all.add(schema.Report, append(doc.Bytes(), '\n'))
	return all
}

// record is a record with the name of its schema.
type record struct {
	schema string
	kind   string
	value  map[string]any
}

// representatives returns one record of every shape: of every set of fields,
// and of every set of parameters of every function.
func representatives(t testing.TB, all ...corpus) []record {
	t.Helper()
	seen := map[string]bool{}
	var rs []record
	for _, c := range all {
		for _, name := range slices.Sorted(maps.Keys(c)) {
			for _, s := range c[name] {
				for line := range bytes.Lines(s) {
					v, err := schematest.Decode(line)
					if err != nil {
						t.Fatal(err)
					}
					m := v.(map[string]any)
					prune(m, shape)
					if name == schema.Report {
						thin(m)
					}
					sig := name + shape(m)
					if !seen[sig] {
						seen[sig] = true
						rs = append(rs, record{name, kindOf(m), m})
					}
				}
			}
		}
	}
	return rs
}

// kindOf names the definition of a record or document.
func kindOf(m map[string]any) string {
	if kind, ok := m["record"].(string); ok {
		return kind
	}
	if m["report"] == "dvmreport" {
		return "report"
	}
	return "sheet"
}

// thin keeps one element of each shape of every array in a document, which is long.
func thin(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = thin(v[k])
		}
	case []any:
		seen := map[string]bool{}
		return slices.DeleteFunc(v, func(e any) bool {
			if _, ok := e.([]any); ok {
				return false // a row
			}
			thin(e)
			sig := shape(e)
			had := seen[sig]
			seen[sig] = true
			return had
		})
	}
	return v
}

// prune keeps one nested call of each shape.
func prune(call map[string]any, shape func(any) string) {
	nested, ok := call["nested"].([]any)
	if !ok {
		return
	}
	seen := map[string]bool{}
	call["nested"] = slices.DeleteFunc(nested, func(n any) bool {
		prune(n.(map[string]any), shape)
		sig := shape(n)
		had := seen[sig]
		seen[sig] = true
		return had
	})
}

// shape returns a text that is equal for values with the same fields.
func shape(v any) string { return shapeOf(v, false) }

// outline is shape without the functions and parameters of calls.
func outline(v any) string { return shapeOf(v, true) }

func shapeOf(v any, outline bool) string {
	switch v := v.(type) {
	case map[string]any:
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if outline && (k == "func" || k == "args" || k == "ret") {
				continue
			}
			b.WriteString(k + shapeOf(v[k], outline) + ",")
			if s, ok := v[k].(string); ok && (k == "record" || k == "func") {
				b.WriteString("=" + s)
			}
		}
		return "{" + b.String() + "}"
	case []any:
		kinds := map[string]bool{}
		for _, e := range v {
			kinds[shapeOf(e, outline)] = true
		}
		return "[" + strings.Join(slices.Sorted(maps.Keys(kinds)), "|") + "]"
	case nil:
		return "null"
	}
	return ""
}
