package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/clock/clocktest"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/sim"
)

// runCosts simulates with costs of iterations.
func runCosts(t testing.TB, name string, b []byte, m *machine.Machine, grid []int, costs ...string) (*sim.Result, error) {
	t.Helper()
	return sim.Run(context.Background(), costsConfig(m, grid, costs...), source(t, name, b))
}

func costsConfig(m *machine.Machine, grid []int, costs ...string) sim.Config {
	o := sim.Defaults()
	o.LoopCost = costs
	return sim.Config{Machine: m, Grid: grid, Options: o}
}

func withCosts(t testing.TB, b []byte, m *machine.Machine, grid []int, costs ...string) *sim.Result {
	t.Helper()
	r, err := runCosts(t, "costs", b, m, grid, costs...)
	if err != nil {
		t.Fatalf("%v on %v: %v", costs, grid, err)
	}
	return r
}

// allCosts returns a cost for each loop of a trace, written by the function of
// the loop's rank.
func allCosts(t testing.TB, name string, b []byte, write func(rank int64) string) (costs []string) {
	t.Helper()
	seen := map[string]bool{}
	src := source(t, name, b)
	for {
		c, err := src.Next()
		if err != nil {
			return costs
		}
		if c.Class() != libdvm.CreateLoop || c.Outside {
			continue
		}
		rank, err := c.Int("Rank")
		if err != nil {
			t.Fatal(err)
		}
		if at := fmt.Sprintf("%s:%d", filepath.Base(c.File), c.Line); !seen[at] {
			seen[at] = true
			costs = append(costs, at+"="+write(rank))
		}
	}
}

// uneven is a cost that depends on every index.
func uneven(rank int64) string {
	factors := []string{"(abs(I1)%5+1)", "(I2*I2+1)", "(1.0/(abs(I3)+1))", "(I4>2)"}
	return strings.Join(factors[:rank], "*")
}

// constant is a cost that does not.
func constant(rank int64) string { return fmt.Sprintf("(I%d-I%d+3)*0.1", rank, rank) }

// Constant costs give the same bits as none. With others the time that the
// processors spend in loops is the same on every grid, all accounts are kept, and
// a clock for every processor gives what classes give.
func TestCostsOnEveryTrace(t *testing.T) {
	m, unequal := machineOf(t, bus), machineOf(t, mixed)
	all := [][]int{{1}, {4}, {2, 2}, {3, 5}, {7}}
	for i, path := range testtraces.Sample(t) {
		if effort.Race && i%6 != 3 || !effort.Long() && i%2 != 1 {
			continue
		}
		b := testtraces.Text(t, path)
		name := filepath.Base(path)
		even := allCosts(t, name, b, constant)
		costs := allCosts(t, name, b, uneven)
		if len(costs) == 0 || tasks(b) {
			continue
		}
		productive := 0.0
		for j, grid := range all {
			if j > 0 && (i+j)%effort.Of(4, 1) != 0 {
				continue
			}
			where := fmt.Sprintf("%s on %v", name, grid)
			plain, err := run(t, name, b, m, grid)
			if err != nil {
				if !tooWide(err) {
					t.Fatal(err)
				}
				continue
			}
			same, err := runCosts(t, name, b, m, grid, even...)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := intervalsText(t, plain), intervalsText(t, same); a != b {
				t.Errorf("%s: constant costs change the result", where)
			}
			r, err := runCosts(t, name, b, m, grid, costs...)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			checkAccounts(t, where, r)
			got := float64(r.Intervals()[0].ProductiveCPUTime)
			if productive == 0 {
				productive = got
			}
			if !near(got, productive, 1e-10) {
				t.Errorf("%s: productive CPU time %v, want %v", where, got, productive)
			}
			fast, err := runCosts(t, name, b, unequal, grid, costs...)
			if err != nil {
				t.Fatal(err)
			}
			cfg := costsConfig(unequal, grid, costs...)
			cfg.NewClocks = clocktest.New
			slow, err := sim.Run(t.Context(), cfg, source(t, name, b))
			if err != nil {
				t.Fatal(err)
			}
			sameResult(t, where, slow, fast)
		}
	}
}

// The same of the times that processes took, for all runs of several processes
// on grids other than theirs.
func TestTracedCostsOfRuns(t *testing.T) {
	m := machineOf(t, bus)
	for _, run := range testtraces.SampleRuns(t) {
		b := testtraces.MergedOwn(t, run)
		if tasks(b) {
			continue
		}
		productive := 0.0
		for _, grid := range [][]int{{1}, {4}, {3, 2}, {5}} {
			where := fmt.Sprintf("%s on %v", run.Name, grid)
			r, err := runCosts(t, run.Name, b, m, grid, "traced")
			if err != nil {
				if !tooWide(err) {
					t.Errorf("%s: %v", where, err)
				}
				continue
			}
			checkAccounts(t, where, r)
			got := float64(r.Intervals()[0].ProductiveCPUTime)
			if productive == 0 {
				productive = got
			}
			if !near(got, productive, 1e-10) {
				t.Errorf("%s: productive CPU time %v, want %v", where, got, productive)
			}
		}
	}
}

// Two processes that do alike have no costs: the bits of merged times.
func TestTracedCostsOfEqualProcesses(t *testing.T) {
	p := newProgram()
	p.template([]int{64, 64}, []int{1}, nil)
	for range 3 {
		p.call("getam_", "0.25", " ", "0.125", "AMRef=d1;")
		p.loop([]int{64, 64}, "8")
	}
	one := p.end()
	two := []byte(alikeTwo(string(one)))
	for _, grid := range [][]int{{1}, {2}, {3}, {7}, {2, 2}} {
		a := intervalsText(t, withCosts(t, two, machineOf(t, mixed), grid, "traced"))
		if b := intervalsText(t, simulate(t, "one", one, machineOf(t, mixed), grid)); a != b {
			t.Errorf("on %v:\n%s\nwithout costs:\n%s", grid, a, b)
		}
	}
}

// The triangular loop of a real program: 1/4 and 3/4 of it on two processors,
// whose blocks are the iterations 2..600 and 601..1199 of index 2..1199.
func TestTriangleOnTwoProcessors(t *testing.T) {
	b := testtraces.Text(t, "compute/mixed.ptr.zst")
	m := machineOf(t, bus)
	cpuOf := func(costs ...string) []float64 { return cpu(t, withCosts(t, b, m, []int{2}, costs...)) }
	even, uneven := cpuOf(), cpuOf("p5_mixed.fdv:16=I1")
	// Nothing but that loop, of iterations 2 and 601 alone on each side.
	low, high := cpuOf("p5_mixed.fdv:16=I1==2"), cpuOf("p5_mixed.fdv:16=I1==601")
	loop := high[1] - low[1]
	if !near(low[0]-high[0], loop, 1e-9) || !near(even[0]-high[0], loop/2, 1e-9) {
		t.Fatalf("CPU times %v and %v, evenly %v", low, high, even)
	}
	want := float64(599*602/2) / float64(1198*1201/2)
	first, second := (uneven[0]-high[0])/loop, (uneven[1]-low[1])/loop
	if !near(first, want, 1e-9) || !near(second, 1-want, 1e-9) || !near(first, 0.25, 4e-3) {
		t.Errorf("parts %v and %v, want %v and %v", first, second, want, 1-want)
	}
}

// From two processes, on four: nearer to what the expression says than without.
func TestTracedTriangleOnFourProcessors(t *testing.T) {
	var b []byte
	for _, run := range testtraces.Runs(t) {
		if run.Name == "mixed_p2" {
			b = testtraces.MergedOwn(t, run)
		}
	}
	m := machineOf(t, bus)
	time := func(costs ...string) float64 { return float64(withCosts(t, b, m, []int{4}, costs...).ExecutionTime()) }
	none, traced, given := time(), time("traced"), time("p5_mixed.fdv:16=I1")
	if !(none < given) || !(max(traced-given, given-traced) < given-none) {
		t.Errorf("without costs %v, traced %v, given %v", none, traced, given)
	}
	// Of that loop alone traced is between the two: 3/8 of it on the slowest, not
	// 1/4 and not 7/16.
	if both := time("traced", "p5_mixed.fdv:6=1", "p5_mixed.fdv:27=1"); !(none < both) {
		t.Errorf("without costs %v, the triangle traced %v", none, both)
	}
}

// Portions: iterations 0..3 take 100 ms, 4..7 another 100 ms, on 4 processors.
// With the cost I1+1 these are 1 + 2 and 3 + 4 of 10, 5 + 6 and 7 + 8 of 26. With
// I1 < 4 the second portion costs nothing anywhere and is divided evenly.
func TestCostsOfPortions(t *testing.T) {
	p := newProgram(4)
	p.template([]int{8}, []int{1}, nil)
	p.openLoop(8, "0", "Dim0: Lower=0 Upper=3 Step=1")
	p.dopl("0.1", "0", "Dim0: Lower=4 Upper=7 Step=1", 1)
	p.dopl("0.1", "0", "", 0)
	p.endLoop("0")
	b := p.end()
	for text, want := range map[string][]float64{
		"I1+1": {30, 70, 1100. / 26, 1500. / 26},
		"I1<4": {50, 50, 50, 50},
		"I1%2": {50, 50, 50, 50},
		"I1/2": {0, 100, 40, 60},
	} {
		var all []body
		for _, x := range want {
			all = append(all, body{cpu: x})
		}
		checkBody(t, text, bodyOf(t, withCosts(t, b, machineOf(t, bus), []int{4}, "a.fdv:7="+text), 0), all)
	}
}

// Stages one after the other: 6400 us in all, and three messages of 177.4 us,
// however the 6400 are divided. Stage k has 256·k + 120 of 2016 by the cost I1.
func TestCostsOfPipelines(t *testing.T) {
	p := pipelined("1.000000")
	p.call("dopl_", "0.0064", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=0;")
	p.call("endpl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", " ")
	b := p.end()
	m := machineOf(t, cluster("myrinet(64)"))
	r := withCosts(t, b, m, []int{4}, "a.fdv:7=I1")
	if got := float64(r.ExecutionTime()) * 1e6; !near(got, 6932.2, 1e-9) {
		t.Errorf("%v us, want 6932.2", got)
	}
	cfg := costsConfig(m, []int{4}, "a.fdv:7=I1")
	cfg.Explain = &sim.Wanted{Func: "dopl_", Seq: 12}
	explained, err := sim.Run(t.Context(), cfg, source(t, "pipeline", b))
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(explained.Explanation(), "\n"); !strings.Contains(text, "put off until the loop is over, then divided by the cost of iterations, a.fdv:7=I1") {
		t.Errorf("explanation:\n%s", text)
	}
	for k, got := range cpu(t, r) {
		if want := 0.0064 * float64(256*k+120) / 2016; !near(got, want, 1e-9) {
			t.Errorf("stage %d: %v s, want %v", k, got, want)
		}
	}
	// Along the quantised dimension all stages have the same.
	if a, b := intervalsText(t, simulate(t, "even", b, m, []int{4})), intervalsText(t, withCosts(t, b, m, []int{4}, "a.fdv:7=1+(I2<0)")); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// Two processors, iterations 0..3 and 4..7 of 28 ms, edges on both sides, cost I1.
// exfrst_: iteration 3 costs 3 ms, 4 costs 4 ms, so that the exchange begins
// at 4 ms and ends 2 · 76.6 us later, long before the loop does. imlast_: the wait
// is after iterations 0 + 1 + 2, which take 3 ms, and 5 + 6 + 7, 18 ms.
func TestCostsAtEdges(t *testing.T) {
	begin := func() *program {
		p := newProgram(2)
		p.template([]int{8}, []int{1}, nil)
		p.array("e1", 8)
		p.edges(1, 1)
		return p
	}
	end := func(p *program) []byte {
		p.dopl("0.028", "0", "", 0)
		p.endLoop("0")
		return p.end()
	}
	m := machineOf(t, cluster("ethernet"))
	of := func(b []byte, call string) string {
		t.Helper()
		cfg := costsConfig(m, []int{2}, "a.fdv:7=I1")
		src := source(t, "edges", b)
		for {
			c, err := src.Next()
			if err != nil {
				t.Fatal(err)
			}
			if c.Func == call {
				cfg.Explain = &sim.Wanted{Func: call, Seq: c.Seq}
				break
			}
		}
		r, err := sim.Run(t.Context(), cfg, source(t, "edges", b))
		if err != nil {
			t.Fatal(err)
		}
		checkAccounts(t, call, r)
		return strings.Join(r.Explanation(), "\n")
	}
	p := begin()
	p.openLoopWith(8, func() {
		p.call("exfrst_", "0", "LoopRefPtr=11; LoopRef=b1; ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
	})
	p.dopl("0.028", "0", "", 0)
	p.endLoop("0")
	p.half("waitsh_")
	if text := of(p.end(), "endpl_"); !strings.Contains(text, "in exported iterations: by the cost of iterations, a.fdv:7=I1: at most 4000 us on power 1") || !strings.Contains(text, "0 us plus the longest time in the iterations that it exports: 4000 us") {
		t.Errorf("exfrst_:\n%s", text)
	}
	p = begin()
	p.half("strtsh_")
	p.openLoopWith(8, func() {
		p.call("imlast_", "0", "LoopRefPtr=11; LoopRef=b1; ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
	})
	b := end(p)
	if text := of(b, "endpl_"); !strings.Contains(text, "that need no imported elements: by the cost of iterations, a.fdv:7=I1: at most 18000 us") || !strings.Contains(text, "that need imported elements: by the cost of iterations, a.fdv:7=I1: at most 4000 us") {
		t.Errorf("imlast_:\n%s", text)
	}
	want := []body{{cpu: 6}, {cpu: 22}}
	checkBody(t, "imlast_", bodyOf(t, withCosts(t, b, m, []int{2}, "a.fdv:7=I1"), 0), want)
}

// What two processes took for 2 iterations each, 4 and 8 s, on four processors:
// 2, 2, 4 and 4 s; on three, which have 1, 1 and 2 iterations, 2, 2 and 8 s.
func TestTracedCostsOfTwoProcesses(t *testing.T) {
	m := machineOf(t, bus)
	for _, c := range []struct {
		grid []int
		want []float64
	}{{[]int{4}, []float64{2, 2, 4, 4}}, {[]int{3}, []float64{2, 2, 8}}, {[]int{2}, []float64{4, 8}}, {[]int{1}, []float64{12}}, {[]int{2, 2}, []float64{4, 4, 8, 8}}} {
		got := cpu(t, withCosts(t, twoProcesses(true), m, c.grid, "traced"))
		for p, x := range got {
			// 3 s outside of the loop are everybody's.
			if !near(x-3, c.want[p], 1e-12) {
				t.Errorf("on %v: CPU %v, want %v in the loop", c.grid, got, c.want)
				break
			}
		}
	}
	// On their own grid own times go first.
	cfg := costsConfig(m, []int{2}, "traced")
	cfg.OwnTimes = true
	r, err := sim.Run(t.Context(), cfg, source(t, "two", twoProcesses(true)))
	if err != nil {
		t.Fatal(err)
	}
	own, err := runOwn(t, "two", twoProcesses(true), m, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := intervalsText(t, r), intervalsText(t, own); a != b {
		t.Errorf("own times and costs:\n%s\nown times:\n%s", a, b)
	}
}

// A simulation with costs that is replayed on another machine has the bits of one
// on that machine, and POP metrics.
func TestCostsAreReplayed(t *testing.T) {
	p := pipelined("2.000000")
	p.call("dopl_", "0.0064", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=0;")
	p.call("endpl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", " ")
	p.loop([]int{64, 64}, "0.1")
	b := p.end()
	costs := []string{"a.fdv:7=I1*(I2+1)"}
	r, err := sim.Record(t.Context(), costsConfig(machineOf(t, bus), []int{2, 2}, costs...), source(t, "replay", b))
	if err != nil {
		t.Fatal(err)
	}
	on, err := r.On(machineOf(t, mixed))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := intervalsText(t, on), intervalsText(t, withCosts(t, b, machineOf(t, mixed), []int{2, 2}, costs...)); a != b {
		t.Errorf("replayed:\n%s\nsimulated:\n%s", a, b)
	}
	cfg := costsConfig(machineOf(t, bus), []int{2, 2}, costs...)
	cfg.POP = true
	pop, err := sim.Run(t.Context(), cfg, source(t, "pop", b))
	if err != nil {
		t.Fatal(err)
	}
	// Rows 32..63 cost 1520 of 2016, half of it would be even.
	if x := pop.Intervals()[0].POP.LoadBalance; !near(x, 1008./1520, 1e-9) {
		t.Errorf("load balance %v", x)
	}
}

// What the user asks for and cannot be had.
func TestCostErrors(t *testing.T) {
	p := newProgram()
	p.template([]int{8}, []int{1}, nil)
	p.loop([]int{8}, "1")
	b := p.end()
	for costs, want := range map[string]string{
		"a.fdv:8=I1":        "no parallel loop is at the place of a.fdv:8=I1, expected the line of a crtpl_ call or of the first dopl_ behind it; the loops of the trace are at a.fdv:7",
		"b.fdv:7=I1":        "no parallel loop is at the place of b.fdv:7=I1",
		"a.fdv:7=I1-1":      "dopl_ (call 6, a.fdv:7): a.fdv:7=I1-1: found -1 for I1 = 0, expected a cost of at least 0",
		"a.fdv:7=1/I1":      "for I1 = 0: found 1 / 0",
		"a.fdv:7=I2":        "found I2, expected an index of the loop, which has 1 of them",
		"a.fdv:7":           "expected traced, or FILE:LINE=EXPR",
		"traced":            "the trace does not keep the times of each process",
		"a.fdv:7=1;traced":  "the trace does not keep the times of each process",
		"a.fdv:7=1;a:7=I1":  "no parallel loop is at the place of a:7=I1",
		"a.fdv:7=I1;b:1=I1": "no parallel loop is at the place of b:1=I1",
	} {
		_, err := runCosts(t, "errors", b, machineOf(t, bus), []int{2}, strings.Split(costs, ";")...)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "loop costs: ") {
			t.Errorf("%s: error %v, want %q", costs, err, want)
		}
	}
	if _, err := runCosts(t, "errors", newProgram().end(), machineOf(t, bus), []int{2}, "a.fdv:7=1"); err == nil || !strings.Contains(err.Error(), "the trace has no parallel loops") {
		t.Errorf("no loops: error %v", err)
	}
	three := bytes.Replace(twoProcesses(true), []byte("OwnTimes: 4 8"), []byte("OwnTimes: 4 8 9"), 1)
	if _, err := runCosts(t, "errors", three, machineOf(t, bus), []int{4}, "traced"); err == nil || !strings.Contains(err.Error(), "own times of 3 processes, expected 2") {
		t.Errorf("three of two: error %v", err)
	}
}
