package whatif_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/options"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/whatif"
)

// file returns a machine of testdata.
func file(t testing.TB, name string) whatif.File {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testtraces.Dir(t), "machines", name))
	if err != nil {
		t.Fatal(err)
	}
	return whatif.File{Name: name, Text: string(text)}
}

// base returns what a prediction on a machine of testdata was made with.
func base(t testing.TB, name string, grid ...int) whatif.Base {
	return whatif.Base{
		Machine: whatif.Machine{Files: []whatif.File{file(t, name)}},
		Setting: whatif.Setting{Set: []string{}, Scale: []string{}, Grid: grid, Options: options.Defaults()},
		Calls:   "jac.ptr", Level: -1, Shown: -1, Detail: "classes", Lines: true,
	}
}

func engineOf(t testing.TB, trace string, b whatif.Base) *whatif.Engine {
	t.Helper()
	e := whatif.Of(testtraces.Calls(t, trace))
	e.Begin(b)
	return e
}

// written returns the interval stream of a result.
func written(t testing.TB, e *whatif.Engine, r *sim.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := e.Write(interval.NewWriter(&b), r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A setting gives what a simulation gives on the machine with the same changes,
// however often the settings before it were recorded and replayed.
func TestSettingsAreSimulations(t *testing.T) {
	b := base(t, "tree.par", 2, 2)
	e, other := engineOf(t, "compute/jac.ptr.zst", b), engineOf(t, "compute/jac.ptr.zst", b)
	m := b.Setting
	with := func(change func(*whatif.Setting)) whatif.Setting {
		s := m
		change(&s)
		return s
	}
	settings := []whatif.Setting{
		m,
		with(func(s *whatif.Setting) { s.Set = []string{"TStart=70"} }),
		with(func(s *whatif.Setting) { s.Scale = []string{"TByte=0.5", "power=3"} }),
		with(func(s *whatif.Setting) { s.Grid = []int{4, 1} }),
		with(func(s *whatif.Setting) { s.Grid = []int{4} }),
		with(func(s *whatif.Setting) { s.Grid = []int{1, 4}; s.Set = []string{"TStart=70"} }),
		with(func(s *whatif.Setting) { s.Options.Balance = options.Power; s.Order = machine.Fastest }),
		with(func(s *whatif.Setting) { s.Options.Balance = options.Power; s.Scale = []string{"power=2"} }),
		with(func(s *whatif.Setting) { s.Order = machine.Cyclic }),
		m,
	}
	seen := map[string]bool{}
	for i, s := range settings {
		got, err := e.Simulate(context.Background(), s)
		if err != nil {
			t.Fatal(i, err)
		}
		figures, err := e.Figures(context.Background(), s)
		if err != nil {
			t.Fatal(i, err)
		}
		tree, list := par.Parse("tree.par", []byte(b.Machine.Files[0].Text))
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
		for k, text := range slices.Concat(s.Set, s.Scale) {
			read := machine.ParseSet
			if k >= len(s.Set) {
				read = machine.ParseScale
			}
			c, err := read(text)
			if err != nil {
				t.Fatal(err)
			}
			moved, err := tree.Apply(c)
			if err != nil {
				t.Fatal(err)
			}
			tree.Changes = append(tree.Changes, c.Made(len(moved)))
		}
		if s.Order != "" {
			if tree, err = tree.Ordered(s.Order); err != nil {
				t.Fatal(err)
			}
		}
		o := sim.Defaults()
		o.Model = s.Options
		want, err := sim.Run(context.Background(), sim.Config{Machine: tree, Grid: s.Grid, Options: o, OwnTimes: true, Lines: true},
			testtraces.Calls(t, "compute/jac.ptr.zst").Source())
		if err != nil {
			t.Fatal(err)
		}
		text := written(t, e, want)
		if a := written(t, e, got); a != text {
			t.Errorf("setting %d:\n%.1000s\nexpected\n%.1000s", i, a, text)
		}
		// Of a grid that was simulated before, and of one that was not.
		alone, err := other.Figures(context.Background(), s)
		if err != nil {
			t.Fatal(i, err)
		}
		for _, f := range []*sim.Figures{figures, alone} {
			if top := &want.Intervals()[0]; f.ExecutionTime != top.ExecutionTime || f.Efficiency != top.Efficiency {
				t.Errorf("setting %d: figures %v and %v, expected %v and %v", i, f.ExecutionTime, f.Efficiency, top.ExecutionTime, top.Efficiency)
			}
		}
		seen[text] = true
	}
	if len(seen) < 7 {
		t.Errorf("%d settings have %d results", len(settings), len(seen))
	}
}

// The machine of a header is simulated like the file that it comes from.
func TestStatedMachine(t *testing.T) {
	for _, name := range []string{"cluster.par", "year2000.par", "transputer.par"} {
		b := base(t, name, 2, 2)
		e := engineOf(t, "compute/jac.ptr.zst", b)
		s := b.Setting
		s.Scale = []string{"TStart=1.5"}
		r, err := e.Simulate(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		want := written(t, e, r)
		first, err := e.Simulate(context.Background(), b.Setting)
		if err != nil {
			t.Fatal(err)
		}
		d := first.Machine.Description()
		b.Machine = whatif.Machine{Stated: &d}
		e.Begin(b)
		if r, err = e.Simulate(context.Background(), s); err != nil {
			t.Fatal(name, err)
		}
		if got := written(t, e, r); got != want {
			t.Errorf("%s from the header:\n%.1000s\nfrom the file:\n%.1000s", name, got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	b := base(t, "tree.par", 2, 2)
	b.Calls, b.Level, b.Detail, b.POP, b.Lenient, b.Sections = "it's.ptr", 2, "each", true, true, "16=0-1/4"
	b.LoopCost = []string{"jac.fdv:12=I1"}
	b.Machine.Files = append(b.Machine.Files, whatif.File{Name: "my lib.par"})
	e := engineOf(t, "compute/jac.ptr.zst", b)
	s := b.Setting
	s.Set, s.Scale, s.Order = []string{"a.TStart=2"}, []string{"all[proc=2]=0.5"}, machine.Cyclic
	s.Options.Async = options.Free
	want := `dvmsim -m tree.par -m 'my lib.par' --set a.TStart=2 --scale 'all[proc=2]=0.5' --order cyclic -g 2x2 --async free ` +
		`--sections 16=0-1/4 --loop-cost jac.fdv:12=I1 --level 2 --per-processor each --pop --lenient 'it'\''s.ptr'`
	if got := e.Command(s); got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
	b = base(t, "sparc.mach", 4)
	b.Machine.Topology, b.Machine.Model, b.Machine.SmallLoops, b.Setting.TracedOn, b.Lines = "1", "mpi", true, "sparc.mach:1", false
	e.Begin(b)
	want = "dvmsim -m sparc.mach --topology-id 1 --model mpi --traced-on sparc.mach:1 --small-loops -g 4 --lines=false jac.ptr"
	if got := e.Command(b.Setting); got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
	b.Machine = whatif.Machine{}
	b.Setting.TracedOn = ""
	e.Begin(b)
	if got, want := e.Command(b.Setting), "dvmsim -m MACHINE -g 4 --lines=false jac.ptr"; got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}

// ask asks for something in the JSON of pages.
func ask(t testing.TB, e *whatif.Engine, request string) whatif.Answer {
	t.Helper()
	var a whatif.Answer
	if err := json.Unmarshal(e.Answer(context.Background(), []byte(request)), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func requestOf(t testing.TB, r whatif.Request) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every control can be changed, and a change of its value is one of that machine.
func TestControls(t *testing.T) {
	for _, x := range []struct {
		machine string
		has     []string
		least   int
	}{
		{"tree.par", []string{"scale TStart", "scale TByte", "scale power"}, 6},
		{"year2000.par", []string{"scale TStart", "scale power"}, 4},
		{"sparc.mach", []string{"scale all", "scale float", "scale arithmetic", "scale links.latency", "scale links.speed", "set tl(1)(1).latency"}, 30},
	} {
		b := base(t, x.machine, 2)
		e := engineOf(t, "compute/jac.ptr.zst", b)
		a := ask(t, e, requestOf(t, whatif.Request{Begin: &b}))
		if a.Error != "" || len(a.Controls) < x.least || a.Unlisted {
			t.Fatalf("%s: %d controls, unlisted %v, error %q", x.machine, len(a.Controls), a.Unlisted, a.Error)
		}
		names := map[string]bool{}
		for _, c := range a.Controls {
			s := b.Setting
			if c.Scale {
				names["scale "+c.What] = true
				s.Scale = []string{c.What + "=2"}
			} else {
				names["set "+c.What] = true
				v, err := json.Marshal(max(2*c.Value, 1))
				if err != nil {
					t.Fatal(err)
				}
				s.Set = []string{c.What + "=" + string(v)}
			}
			if c.Words == "" {
				t.Errorf("%s: nothing is said about %s", x.machine, c.What)
			}
			if a := ask(t, e, requestOf(t, whatif.Request{Time: &s})); a.Error != "" || a.Time <= 0 {
				t.Errorf("%s: %s: time %v, error %q", x.machine, c.What, a.Time, a.Error)
			}
		}
		for _, want := range x.has {
			if !names[want] {
				t.Errorf("%s: no control %q", x.machine, want)
			}
		}
	}
}

// A page can ask for anything; the answer to what cannot be says why.
func TestAnswersToErrors(t *testing.T) {
	b := base(t, "cluster.par", 2, 2)
	e := engineOf(t, "compute/jac.ptr.zst", b)
	for request, want := range map[string]string{
		`{`:                                      "unexpected end of JSON input",
		`{}`:                                     "found a request for nothing, expected one of begin, page, time, records",
		`{"page":{"grid":[4096,4096]}}`:          "the machine is too small",
		`{"page":{"grid":[]}}`:                   "the grid has no dimensions",
		`{"page":{"grid":[0,2]}}`:                "a grid extent is 0",
		`{"time":{"grid":[2],"set":["x=1"]}}`:    `found no parameter "x"`,
		`{"time":{"grid":[2],"set":["TStart"]}}`: "expected PARAMETER=VALUE",
		`{"time":{"grid":[2],"set":["TStart=1e99"]}}`:                             "expected a value in range",
		`{"time":{"grid":[2],"scale":["power=0"]}}`:                               "expected a number greater than 0",
		`{"time":{"grid":[2],"options":{"balance":"odd"}}}`:                       `found "odd", expected none or power`,
		`{"time":{"grid":[2],"order":"last"}}`:                                    `found order "last"`,
		`{"begin":{"machine":{"files":[{"name":"a.par","text":"cluster = a"}]}}}`: "a.par:1:11: found",
		`{"begin":{"machine":{}}}`:                                                "found no machine",
	} {
		if a := ask(t, e, request); !strings.Contains(a.Error, want) || a.Time != 0 {
			t.Errorf("%s: error %q, expected %q", request, a.Error, want)
		}
		e.Begin(b)
	}
	if a := ask(t, e, `{"time":{"grid":[2,2]}}`); a.Error != "" || a.Time <= 0 {
		t.Errorf("after all that: %+v", a)
	}
}

// FuzzAnswer: no request ends the engine, and every answer is JSON.
func FuzzAnswer(f *testing.F) {
	b := base(f, "cluster.par", 2, 2)
	for _, s := range []string{requestOf(f, whatif.Request{Begin: &b}), requestOf(f, whatif.Request{Page: &b.Setting}), `{"time":{"grid":[3]}}`, `{"records":{"grid":[2,1],"set":["TStart=1"]}}`} {
		f.Add([]byte(s))
	}
	calls := testtraces.Calls(f, "single/c13_copy.ptr.zst")
	f.Fuzz(func(t *testing.T, request []byte) {
		var q whatif.Request
		if json.Unmarshal(request, &q) == nil {
			for _, s := range []*whatif.Setting{q.Page, q.Time, q.Records} {
				if s != nil && product(s.Grid) > 64 {
					t.Skip("a large grid")
				}
			}
		}
		e := whatif.Of(calls)
		e.Begin(b)
		if out := e.Answer(context.Background(), request); !json.Valid(out) {
			t.Errorf("%s: the answer is %s", request, out)
		}
	})
}

func product(grid []int) int {
	p := 1
	for _, n := range grid {
		p *= max(1, min(n, 1<<10))
	}
	return p
}
