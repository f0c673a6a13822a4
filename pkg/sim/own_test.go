package sim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/clock/clocktest"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/sim"
)

// runOwn simulates with own times.
func runOwn(t testing.TB, name string, b []byte, m *machine.Machine, grid []int) (*sim.Result, error) {
	t.Helper()
	return sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults(), OwnTimes: true}, source(t, name, b))
}

// twoProcesses is a trace of two processes with own times:
//
//	call       before it    inside it
//	getam_     1, 3         1, 0
//	the loop   4, 8         (its work: 12 in all)
//	bsynch_    0, 0         5, 2: the last to come did not wait
//	begbl_     -, 1         -, 1: process 0 does not execute it
//	the end    1, 0
//
// That makes CPU 6 and 12, SYS 3 and 3; the mean of it, which is merged, has
// CPU 2 + 6 + 0.5 + 0.5 on both.
func twoProcesses(own bool) []byte {
	p := newProgram()
	line := func(call string) string {
		if own {
			return "OwnTimes: " + call + "\n"
		}
		return ""
	}
	p.call("getam_", "2", line("1 3")+" ", "0.5", line("1 0")+"AMRef=d1;")
	p.template([]int{4}, []int{1}, nil)
	p.call("crtpl_", "0", "Rank=1;", "0", "LoopRef=b1;")
	p.call("mappl_", "0", "LoopRefPtr=11; LoopRef=b1; PatternRefPtr=10; PatternRef=a1 (AMView);\nAxisArray[0]=1;\nCoeffArray[0]=1;\nConstArray[0]=0;\nInInitIndexArray[0]=0;\nInLastIndexArray[0]=3;\nInStepArray[0]=1;", "0", "IsLocal=1;")
	p.call("dopl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=1;")
	p.call("dopl_", "12", line("4 8")+"LoopRefPtr=11; LoopRef=b1;", "0", line("0 0")+"DoPL=0;")
	p.call("endpl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", " ")
	p.call("bsynch_", "0", line("0 0")+" ", "0.000001", line("5 2")+" ")
	p.call("begbl_", "0.5", line("- 1")+" ", "0.5", line("- 1")+" ")
	text := strings.NewReplacer("ProcCount=1", "ProcCount=2", "PSSize= 1", "PSSize= 2").Replace(string(p.end()))
	return []byte(strings.Replace(text, "TIME=0 LINE=9 FILE=a.fdv\n", "TIME=0.5 LINE=9 FILE=a.fdv\n"+line("1 0"), 1))
}

func TestOwnTimesOfTwoProcesses(t *testing.T) {
	b, m := twoProcesses(true), machineOf(t, bus)
	for _, grid := range [][]int{{2}, {2, 1}, {2, 1, 1}} {
		r, err := runOwn(t, "two", b, m, grid)
		if err != nil {
			t.Fatal(err)
		}
		checkAccounts(t, fmt.Sprint(grid), r)
		times := eachTimes(t, r, 0)
		want := []struct{ cpu, sys, insuffUSR, insuffSYS float64 }{
			// Half of everything but the loop was in vain.
			{6, 3, 1, 1.5}, {12, 3, 2, 1.5},
		}
		for i, w := range want {
			got := times[i]
			if float64(got.CPUTime) != w.cpu || float64(got.SYSTime) != w.sys || float64(got.InsuffParallelismUSR) != w.insuffUSR || float64(got.InsuffParallelismSYS) != w.insuffSYS || got.Communication != 0 {
				t.Errorf("grid %v, processor %d: CPU %v SYS %v in vain %v %v, want %v", grid, i, got.CPUTime, got.SYSTime, got.InsuffParallelismUSR, got.InsuffParallelismSYS, w)
			}
		}
		if len(r.Warnings) > 0 {
			t.Errorf("warnings: %v", r.Warnings)
		}
	}
}

// On other grids, and for those who do not want own times, merged times hold to
// the last bit; another grid is said once.
func TestOwnTimesOnOtherGrids(t *testing.T) {
	m := machineOf(t, bus)
	for _, grid := range [][]int{{1}, {4}, {2, 2}, {1, 2}} {
		r, err := runOwn(t, "two", twoProcesses(true), m, grid)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Warnings) != 1 || r.Warnings[0].Code != "model/own-times" || !strings.Contains(r.Warnings[0].Msg, "merged times are used") {
			t.Errorf("on %v: warnings %v", grid, r.Warnings)
		}
		if a, b := intervalsText(t, r), intervalsText(t, simulate(t, "two", twoProcesses(false), m, grid)); a != b {
			t.Errorf("on %v:\n%s\n%s", grid, a, b)
		}
	}
	if a, b := intervalsText(t, simulate(t, "two", twoProcesses(true), m, []int{2})), intervalsText(t, simulate(t, "two", twoProcesses(false), m, []int{2})); a != b {
		t.Errorf("without own times:\n%s\n%s", a, b)
	}
}

func TestOwnTimesOfOtherNumbersOfProcesses(t *testing.T) {
	for from, to := range map[string]string{"OwnTimes: 4 8": "OwnTimes: 4 8 9", "OwnTimes: 1 3": "OwnTimes: 1", "OwnTimes: 5 2": "OwnTimes: 5*3"} {
		b := []byte(strings.Replace(string(twoProcesses(true)), from, to, 1))
		_, err := runOwn(t, "two", b, machineOf(t, bus), []int{2})
		e, ok := errors.AsType[*diag.Error](err)
		if !ok || e.Code != "call/own" || e.Pos.Line == 0 || !strings.Contains(e.Msg, "expected 2") {
			t.Errorf("%s: error %v", to, err)
		}
	}
}

// oneProcess is where a trace says how many processes ran.
var oneProcess = regexp.MustCompile(`(?m)^ *ProcCount=1\b`)

var eventTime = regexp.MustCompile(`(?m)^((?:call_|ret_|Event_)\S+ +TIME=)([0-9.]+)(.*)$`)

// alikeTwo makes of the trace of a program on one processor that of two
// processes each of which does half of every loop, and all else alike: what is
// merged of them has the times of the loops, which are those before a dopl_
// that is not the first of its loop, as they are.
func alikeTwo(text string) string {
	text = strings.Replace(oneProcess.ReplaceAllString(text, " ProcCount=2"), "PSSize= 1", "PSSize= 2", 1)
	inLoop := false
	return eventTime.ReplaceAllStringFunc(text, func(line string) string {
		f := eventTime.FindStringSubmatch(line)
		x, _ := strconv.ParseFloat(f[2], 64)
		if strings.HasPrefix(line, "call_dopl_") {
			if inLoop {
				x /= 2
			}
			inLoop = true
		}
		if strings.HasPrefix(line, "call_endpl_") {
			inLoop = false
		}
		return fmt.Sprintf("%s\nOwnTimes: %s*2", line, strconv.FormatFloat(x, 'f', -1, 64))
	})
}

// Own times of processes that do alike give what the merged times give, to the
// last bit where halves of halves are exact.
func TestOwnTimesOfEqualProcesses(t *testing.T) {
	p := newProgram()
	p.template([]int{64, 64}, []int{1}, nil)
	for range 3 {
		p.call("getam_", "0.25", " ", "0.125", "AMRef=d1;")
		p.loop([]int{64, 64}, "8")
	}
	one := string(p.end())
	two := alikeTwo(one)
	for _, src := range []string{bus, mixed, transputer} {
		m := machineOf(t, src)
		r, err := runOwn(t, "two", []byte(two), m, []int{2})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := intervalsText(t, r), intervalsText(t, simulate(t, "one", []byte(one), m, []int{2})); got != want {
			t.Errorf("own times:\n%s\nmerged:\n%s", got, want)
		}
	}
}

// Laws, and the engine with a clock for every processor, on all runs of several
// processes with their own times on their own grids. What processors compute,
// which is CPU time, is what their processes did, all in all.
func TestOwnTimesOfRuns(t *testing.T) {
	for _, run := range testtraces.SampleRuns(t) {
		b := testtraces.MergedOwn(t, run)
		src := source(t, run.Name, b)
		grid := src.Header().Runtime.Root()
		for name, text := range map[string]string{"bus": bus, "mixed": mixed, "tree": tree, "transputer": transputer, "boards": boards} {
			where := fmt.Sprintf("%s on %v (%s)", run.Name, grid, name)
			m := machineOf(t, text)
			fast, err := runOwn(t, run.Name, b, m, grid)
			if err != nil {
				t.Errorf("%s: %v", where, err)
				continue
			}
			checkAccounts(t, where, fast)
			slow, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults(), OwnTimes: true, NewClocks: clocktest.New}, source(t, run.Name, b))
			if err != nil {
				t.Fatal(err)
			}
			sameResult(t, where, slow, fast)
			if name != "bus" {
				continue
			}
			own := ownCPU(t, b)
			for p, got := range eachTimes(t, fast, 0) {
				// What the I/O process alone does is booked as I/O.
				if sum := float64(got.CPUTime + got.IOTime); !near(sum, own[p], 1e-9) && sum < own[p]*0.98 || sum > own[p]+float64(got.IOTime)+1e-9 {
					t.Errorf("%s: processor %d computes %v s, its process did %v s", where, p, sum, own[p])
				}
			}
		}
	}
}

// ownCPU adds up what each process computed before calls and before the end.
func ownCPU(t *testing.T, b []byte) []float64 {
	t.Helper()
	src := source(t, "own", b)
	sum := make([]float64, src.Header().Runtime.Processors)
	for {
		c, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for p, x := range c.Own.Call {
			sum[p] += max(float64(x), 0)
		}
	}
	for p, x := range src.Exit().Own {
		sum[p] += float64(x)
	}
	return sum
}

// eachTimes returns the times of every processor in an interval.
func eachTimes(t *testing.T, r *sim.Result, i int) []interval.Times {
	t.Helper()
	var out []interval.Times
	if err := r.Processors(i, sim.Each, func(p *interval.Processor) error {
		out = append(out, p.Times)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// intervalsText returns the records of all intervals and processors.
func intervalsText(t *testing.T, r *sim.Result) string {
	t.Helper()
	var b strings.Builder
	w := interval.NewWriter(&b)
	if err := w.Header(&interval.Header{Machine: r.Header().Machine}); err != nil {
		t.Fatal(err)
	}
	for i := range r.Intervals() {
		if err := w.Interval(&r.Intervals()[i]); err != nil {
			t.Fatal(err)
		}
		if err := r.Processors(i, sim.Each, w.Processor); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// Process 0 waits 5 of 6 s in a barrier for process 1, although it has computed
// as long: process 1 began 5 s later, which passes as time of the run-time
// system. Where nobody waits for sure, nothing is concluded.
func TestUnequalStarts(t *testing.T) {
	trace := func(inside string) []byte {
		p := newProgram()
		p.call("getam_", "3", "OwnTimes: 3 3\n ", "0", "OwnTimes: 0 0\nAMRef=d1;")
		p.call("bsynch_", "0", "OwnTimes: 0 0\n ", "0.000001", "OwnTimes: "+inside+"\n ")
		p.call("begbl_", "1", "OwnTimes: 1 1\n ", "0", "OwnTimes: 0 0\n ")
		return []byte(strings.NewReplacer("ProcCount=1", "ProcCount=2", "PSSize= 1", "PSSize= 2").Replace(string(p.end())))
	}
	for inside, want := range map[string][2]float64{
		"6 1":             {1, 6},
		"1 6":             {6, 1},
		"6 2":             {2, 2},
		"0.00001 0.00000": {0, 0},
		"6 -":             {0.000001, 0.000001},
	} {
		r, err := runOwn(t, "late", trace(inside), machineOf(t, bus), []int{2})
		if err != nil {
			t.Fatal(err)
		}
		checkAccounts(t, inside, r)
		for p, got := range eachTimes(t, r, 0) {
			if float64(got.SYSTime) != want[p] || got.CPUTime != 4 {
				t.Errorf("inside %s, processor %d: CPU %v SYS %v, want 4 and %v", inside, p, got.CPUTime, got.SYSTime, want[p])
			}
		}
	}
}

// divisible are traced programs of which two processes do alike: every loop has
// as many iterations on the one as on the other, none is a pipeline, and nothing
// is copied, which takes the merged time by shares.
var divisible = []string{
	"compute/heat3", "compute/jac", "compute/mixed", "single/c14_line", "single/d15_api", "single/d16_stdio",
	"single/f01_ivals", "single/f05_remote", "single/f08_io", "single/f11_subr",
}

// The same of real programs, to rounding, on machines whose processors differ too.
func TestOwnTimesOfEqualProcessesOfPrograms(t *testing.T) {
	paths := divisible
	if effort.Race {
		paths = paths[:min(2, len(paths))]
	}
	for _, path := range paths {
		one := string(testtraces.Text(t, path+".ptr.zst"))
		two := []byte(alikeTwo(one))
		for _, machine := range []string{bus, mixed, tree} {
			m := machineOf(t, machine)
			own, err := runOwn(t, "two", two, m, []int{2})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			checkAccounts(t, path, own)
			sameResult(t, path, own, simulate(t, "one", []byte(one), m, []int{2}))
		}
	}
}

// The ideal network has the same processes, which began when they did: where no
// messages are sent it is no faster.
func TestIdealNetworkKnowsUnequalStarts(t *testing.T) {
	p := newProgram()
	p.call("getam_", "3", "OwnTimes: 3 3\n ", "0", "OwnTimes: 0 0\nAMRef=d1;")
	p.call("bsynch_", "0", "OwnTimes: 0 0\n ", "0.000001", "OwnTimes: 6 1\n ")
	b := []byte(strings.NewReplacer("ProcCount=1", "ProcCount=2", "PSSize= 1", "PSSize= 2").Replace(string(p.end())))
	r, err := sim.Run(t.Context(), sim.Config{Machine: machineOf(t, bus), Grid: []int{2}, Options: sim.Defaults(), OwnTimes: true, POP: true}, source(t, "late", b))
	if err != nil {
		t.Fatal(err)
	}
	main := &r.Intervals()[0]
	if main.ExecutionTime != 9 || main.POP.IdealTime != main.ExecutionTime {
		t.Errorf("%v s, on an ideal network %v s, expected 9 for both", main.ExecutionTime, main.POP.IdealTime)
	}
	if n := r.Header().Options.OwnTimes; n != 2 {
		t.Errorf("the header says that own times of %d processes were used, expected 2", n)
	}
}

// The engine by classes keeps processors apart where their times differ, and
// nowhere else: of a thousand one that is slower once.
func TestOwnTimesKeepFewProcessorsApart(t *testing.T) {
	p := newProgram()
	for range 3 {
		p.call("begbl_", "1", "OwnTimes: 1*1000\n ", "0", "OwnTimes: 0*1000\n ")
	}
	p.call("endbl_", "1", "OwnTimes: 1*5 2 1*994\n ", "0", "OwnTimes: 0*1000\n ")
	b := []byte(strings.NewReplacer("ProcCount=1", "ProcCount=1000", "PSSize= 1", "PSSize= 10 100", "PSRank=1", "PSRank=2").Replace(string(p.end())))
	r, err := runOwn(t, "many", b, machineOf(t, bus), []int{10, 100})
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	if err := r.Processors(0, sim.Classes, func(p *interval.Processor) error {
		sizes = append(sizes, p.N)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(sizes) != "[999 1]" && fmt.Sprint(sizes) != "[1 999]" {
		t.Errorf("classes of %v processors, expected 999 and 1", sizes)
	}
}
