package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/machine/parasol"
	"dvmtools/pkg/sim"
)

// A description makes machines that differ from it in some parameters, in either
// language.
type description struct {
	testing.TB
	tree *machine.Machine
	text []byte // of a machine of Parasol
	id   int64  // its topology
}

func describe(t testing.TB, text string) *description {
	m, list := par.Parse("m.par", []byte(text))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return &description{TB: t, tree: m}
}

// transputers are the four of a ring in testdata, with the overheads of mpi.
func transputers(t testing.TB) *description {
	b, err := os.ReadFile("../../testdata/machines/sparc.mach")
	if err != nil {
		t.Fatal(err)
	}
	return &description{TB: t, text: b, id: 2}
}

func (d *description) file() (*parasol.File, parasol.TargetOptions) {
	f, list := parasol.Parse("m.mach", d.text)
	if err := list.Err(); err != nil {
		d.Fatal(err)
	}
	return f, parasol.TargetOptions{Topology: f.Machine().Topology(d.id)}
}

func (d *description) Variables() ([]machine.Variable, error) {
	if d.tree != nil {
		return d.tree.Variables(), nil
	}
	f, o := d.file()
	return f.Variables(o), nil
}

func (d *description) Make(changes ...machine.Change) (m *machine.Machine, all []machine.Changed, err error) {
	if d.tree != nil {
		m = d.tree.Clone()
		for _, c := range changes {
			moved, err := m.Apply(c)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, moved...)
		}
		return m, all, nil
	}
	f, _ := d.file()
	for _, c := range changes {
		moved, err := f.Apply(c)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, moved...)
	}
	m, err = f.Machine().Target(parasol.TargetOptions{Topology: f.Machine().Topology(d.id)})
	return m, all, err
}

// with returns the machine with one change by a factor.
func (d *description) with(name string, factor float64) *machine.Machine {
	c, err := machine.ParseScale(fmt.Sprintf("%s=%v", name, factor))
	if err != nil {
		d.Fatal(err)
	}
	m, _, err := d.Make(c)
	if err != nil {
		d.Fatal(err)
	}
	return m
}

func (d *description) machine() *machine.Machine {
	m, _, err := d.Make()
	if err != nil {
		d.Fatal(err)
	}
	return m
}

const twoLevels = "cluster = c; c = {4 x n}; c.CommType = ethernet; c.TStart = 20; c.TByte = 0.01; n = {4 x p}; n.CommType = ethernet; n.TStart = 2; n.TByte = 0.001; p = 1.0;"

const sor, jac = "sizes/sor_376.ptr.zst", "sizes/jac_400.ptr.zst"

// The records of each machine of a sweep are those of a search on this machine
// alone, to the last bit, whatever the mode, the options, the language of the
// machine and the number of threads.
func TestSweepIsManySearches(t *testing.T) {
	prog := testtraces.Calls(t, sor)
	number := regexp.MustCompile(`,"point":\d+`)
	for _, c := range []struct {
		d    *description
		axes []Axis
		max  int
		cfg  Config
	}{
		{describe(t, twoLevels), []Axis{{"c.TStart", false, []string{"1", "200"}}, {"power", true, []string{"1", "8"}}}, 16, Config{Mode: Heuristic, Explain: true}},
		{describe(t, twoLevels), []Axis{{"TByte", false, []string{"0", "0.5", "0.001"}}}, 9, Config{Mode: All}},
		{describe(t, twoLevels), []Axis{{"n.TStart", true, []string{"1", "100"}}}, 12, Config{Mode: Compare, Objective: Cost}},
		{describe(t, twoLevels), []Axis{{"c.TStart", true, []string{"1", "100"}}}, 12, Config{Mode: NotBad, Limits: Limits{Deadline: 0.05}}},
		{transputers(t), []Axis{{"links.latency", true, []string{"1", "40"}}, {"mpi.send", true, []string{"0.5", "3"}}}, 4, Config{Mode: NotBad}},
	} {
		var streams []string
		for _, threads := range []int{1, 3} {
			cfg := c.cfg
			cfg.Machine, cfg.Max, cfg.Threads, cfg.Threshold, cfg.Options = c.d.machine(), c.max, threads, DefaultThreshold, sim.Defaults()
			s := Sweep{Axes: c.axes, Make: func(x []machine.Change) (*machine.Machine, []machine.Changed, error) { return c.d.Make(x...) }}
			var out bytes.Buffer
			if err := s.Run(t.Context(), cfg, prog, &out); err != nil {
				t.Fatal(err)
			}
			streams = append(streams, out.String())
		}
		if streams[0] != streams[1] {
			t.Errorf("%v: with 3 threads the stream differs", c.axes)
		}
		lines := strings.SplitAfter(streams[0], "\n")
		for i, at := 0, 1; at < len(lines)-2; i++ {
			begin := at
			for !strings.HasPrefix(lines[at], `{"record":"point_end"`) {
				at++
			}
			got := number.ReplaceAllString(strings.Join(lines[begin+1:at], ""), "")
			at++
			m, _, err := (&Sweep{Axes: c.axes, Make: func(x []machine.Change) (*machine.Machine, []machine.Changed, error) { return c.d.Make(x...) }}).machine(i)
			if err != nil {
				t.Fatal(err)
			}
			cfg := c.cfg
			cfg.Machine, cfg.Max, cfg.Threads, cfg.Threshold, cfg.Options = m, c.max, 1, DefaultThreshold, sim.Defaults()
			var out bytes.Buffer
			if _, err := Run(t.Context(), cfg, prog, &out); err != nil && !strings.Contains(lines[at-1], `"error":`) {
				t.Fatal(err)
			}
			one := strings.SplitAfter(out.String(), "\n")
			one = one[1 : len(one)-1]
			if !strings.Contains(lines[at-1], `"error":`) {
				one = one[:len(one)-1] // the end record
			}
			if want := strings.Join(one, ""); got != want {
				t.Errorf("%v, point %d:\n%s\nalone:\n%s", c.axes, i+1, got, want)
			}
		}
	}
}

// varied returns the records of a kind that a search with a question about its
// parameters writes, and the best grid.
func varied[T any](t *testing.T, d *description, trace, kind string, cfg Config) (list []T, best *Best) {
	t.Helper()
	cfg.Machine, cfg.Max, cfg.Threads, cfg.Options, cfg.Vary = d.machine(), int(d.machine().Processors()), 2, sim.Defaults(), d
	var out bytes.Buffer
	best, err := Run(t.Context(), cfg, testtraces.Calls(t, trace), &out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, `{"record":"`+kind+`"`) {
			var x T
			if err := json.Unmarshal([]byte(line), &x); err != nil {
				t.Fatal(err)
			}
			list = append(list, x)
		}
	}
	return list, best
}

// timeOn returns the time of a grid on a machine.
func timeOn(t *testing.T, trace string, m *machine.Machine, grid []int) float64 {
	t.Helper()
	r, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, testtraces.Calls(t, trace).Source())
	if err != nil {
		t.Fatal(err)
	}
	return float64(r.ExecutionTime())
}

// Every parameter has a derivative, which is what simulations beside the machine
// give. Scaling all parameters that are times, and the powers the other way, scales
// the execution time, but for what does not depend on the machine, so that the
// shares of all parameters nearly add up to one.
func TestSensitivity(t *testing.T) {
	for _, d := range []*description{describe(t, twoLevels), transputers(t)} {
		list, best := varied[Derivative](t, d, sor, "sensitivity", Config{Mode: All, Sensitivity: true})
		want, _ := d.Variables()
		if len(list) != len(want) || len(list) < 5 {
			t.Fatalf("%d derivatives of %d parameters", len(list), len(want))
		}
		sum := 0.0
		for i, x := range list {
			if x.Parameter != want[i].Name || x.Value != want[i].Value {
				t.Errorf("the derivative by %s of %q, want %s of %q", x.Parameter, x.Value, want[i].Name, want[i].Value)
			}
			h := 0.0025
			slope := (timeOn(t, sor, d.with(x.Parameter, 1+h), best.Grid) - timeOn(t, sor, d.with(x.Parameter, 1-h), best.Grid)) / (200 * h)
			if slope != float64(x.Check) {
				t.Errorf("%s: the derivative over the smaller step is %g, simulations give %g", x.Parameter, float64(x.Check), slope)
			}
			if share := 100 * float64(x.SecondsPerPercent) / float64(best.ExecutionTime); math.Abs(share-x.Share) > 1e-12 {
				t.Errorf("%s: the share is %g, want %g", x.Parameter, x.Share, share)
			}
			if x.Smooth != (math.Abs(slope-float64(x.SecondsPerPercent)) <= 0.01*max(math.Abs(slope), math.Abs(float64(x.SecondsPerPercent)))) && x.Check != x.SecondsPerPercent {
				t.Errorf("%s: smooth is %v for %g and %g", x.Parameter, x.Smooth, float64(x.SecondsPerPercent), slope)
			}
			if strings.HasSuffix(x.Parameter, ".power") {
				sum -= x.Share
			} else {
				sum += x.Share
			}
		}
		if d.tree != nil && math.Abs(sum-1) > 0.01 {
			t.Errorf("the shares of all parameters add up to %g", sum)
		}
	}
}

// On one side of a break-even the grid of the search is the best of all, on the other
// one that is named.
func TestBreakEven(t *testing.T) {
	found := 0
	for _, d := range []*description{describe(t, twoLevels), transputers(t)} {
		names := []string{"c.TStart", "power"}
		if d.tree == nil {
			names = []string{"links.latency", "mpi.send"}
		}
		list, best := varied[BreakEven](t, d, jac, "break_even", Config{Mode: All, BreakEven: names})
		if len(list) != 2*len(names) {
			t.Fatalf("%d break-evens of %d parameters", len(list), len(names))
		}
		for i, x := range list {
			if x.Parameter != names[i/2] || x.Direction != []string{"more", "less"}[i%2] {
				t.Errorf("record %d is about %s %s", i, x.Direction, x.Parameter)
			}
			away := math.Copysign(1e-5, math.Log(x.Factor))
			if x.Grid == nil {
				for _, f := range []float64{2, 30, 1024} {
					if x.Direction == "less" {
						f = 1 / f
					}
					if g := bestOn(t, d.with(x.Parameter, f)); fmt.Sprint(g.Grid) != fmt.Sprint(best.Grid) {
						t.Errorf("%s times %g: %v is the best, but no break-even was found", x.Parameter, f, g.Grid)
					}
				}
				continue
			}
			found++
			if (x.Factor > 1) != (x.Direction == "more") {
				t.Errorf("%s of %s is times %g", x.Direction, x.Parameter, x.Factor)
			}
			before, after := bestOn(t, d.with(x.Parameter, x.Factor*(1-away))), bestOn(t, d.with(x.Parameter, x.Factor*(1+away)))
			if fmt.Sprint(before.Grid) != fmt.Sprint(best.Grid) || after.Processors == best.Processors && fmt.Sprint(after.Grid) == fmt.Sprint(best.Grid) {
				t.Errorf("%s %s, times %g: %v is the best before, %v behind, want %v and another", x.Direction, x.Parameter, x.Factor, before.Grid, after.Grid, best.Grid)
			}
			// Where several become better at once, any of them is right.
			named := timeOn(t, jac, d.with(x.Parameter, x.Factor*(1+away)), x.Grid)
			if float64(after.ExecutionTime) < named*(1-1e-4) {
				t.Errorf("%s %s, times %g: %v is the best behind, it names %v", x.Direction, x.Parameter, x.Factor, after.Grid, x.Grid)
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d break-evens were found", found)
	}
}

// bestOn returns the best grid of all on a machine.
func bestOn(t *testing.T, m *machine.Machine) *Best {
	t.Helper()
	best, err := Run(t.Context(), Config{Machine: m, Mode: All, Max: int(m.Processors()), Threads: 2, Options: sim.Defaults()}, testtraces.Calls(t, jac), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	return best
}

func TestSweepErrors(t *testing.T) {
	d := describe(t, twoLevels)
	prog := testtraces.Calls(t, jac)
	for _, c := range []struct {
		axes []Axis
		cfg  Config
		want string
	}{
		{[]Axis{{"c.TStart", false, nil}}, Config{Mode: All}, "found no value for c.TStart"},
		{[]Axis{{"c.Speed", false, []string{"1"}}}, Config{Mode: All}, `point 1 of the sweep: found no parameter "c.Speed"`},
		{[]Axis{{"c.TStart", false, []string{"1", "2"}}}, Config{Mode: All, Limits: Limits{Deadline: 1e-9}}, "no grid was found on any machine of the sweep"},
		{[]Axis{{"a", false, make([]string, 1001)}, {"b", false, make([]string, 1001)}}, Config{Mode: All}, "a sweep of more than 1000000 machines"},
	} {
		cfg := c.cfg
		cfg.Machine, cfg.Max, cfg.Options = d.machine(), 4, sim.Defaults()
		s := Sweep{Axes: c.axes, Make: func(x []machine.Change) (*machine.Machine, []machine.Changed, error) { return d.Make(x...) }}
		if err := s.Run(t.Context(), cfg, prog, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.axes[0], err, c.want)
		}
	}
}
