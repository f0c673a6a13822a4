package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/sim"
)

// program writes the text of a small trace. Times are in seconds.
type program struct{ b strings.Builder }

// newProgram begins a trace of a run whose program saw the given grid.
func newProgram(grid ...int) *program {
	p := &program{}
	p.b.WriteString("RTS VERSION = 2889\n ProcCount=1;      PSRank=1;      PSSize= 1;\n")
	if len(grid) > 0 {
		fmt.Fprintf(&p.b, "VProcCount=1;      VPSRank=%d;      VPSSize=", len(grid))
		for _, n := range grid {
			fmt.Fprintf(&p.b, " %d", n)
		}
		p.b.WriteString(";\n")
	}
	p.b.WriteString("ret_dvm_Init TIME=0.5 LINE=1 FILE=a.fdv\n \n")
	return p
}

// call writes a call with its parameter lines; times are given as text.
func (p *program) call(name, callTime, args, retTime, ret string) {
	fmt.Fprintf(&p.b, "call_%-21s TIME=%s LINE=7 FILE=a.fdv\n%s\nret_%-22s TIME=%s LINE=7 FILE=a.fdv\n%s\n", name, callTime, args, name, retTime, ret)
}

// end writes the program's end and returns the text.
func (p *program) end() []byte {
	p.b.WriteString("Event_dvm_exit TIME=0 LINE=9 FILE=a.fdv\nrc=0;\n")
	return []byte(p.b.String())
}

// vector writes Name[0]=..; Name[1]=..;
func vector(name string, xs ...int) string {
	var b strings.Builder
	for i, x := range xs {
		fmt.Fprintf(&b, "%s[%d]=%d; ", name, i, x)
	}
	return b.String()
}

// template creates and distributes a template of the given size; extra calls
// stand between the two.
func (p *program) template(size []int, axis []int, extra func()) {
	p.call("crtamv_", "0", fmt.Sprintf("AMRefPtr=NULL; AMRef=0; Rank=%d; StaticSign=0;\n%s", len(size), vector("SizeArray", size...)), "0", "AMViewRef=a1;")
	if extra != nil {
		extra()
	}
	p.call("distr_", "0", fmt.Sprintf("AMViewRefPtr=10; AMViewRef=a1; PSRefPtr=NULL; PSRef=0; ParamCount=%d;\n%s\n%s", len(axis), vector("AxisArray", axis...), vector("DistrParamArray", make([]int, len(axis))...)), "0", "IsLocal=1;")
}

// loop runs a loop over all elements of the template for the given time.
func (p *program) loop(size []int, time string) {
	rank := len(size)
	axis, one, zero, last := make([]int, rank), make([]int, rank), make([]int, rank), make([]int, rank)
	for i := range size {
		axis[i], one[i], last[i] = i+1, 1, size[i]-1
	}
	p.call("crtpl_", "0", fmt.Sprintf("Rank=%d;", rank), "0", "LoopRef=b1;")
	p.call("mappl_", "0", strings.Join([]string{"LoopRefPtr=11; LoopRef=b1; PatternRefPtr=10; PatternRef=a1 (AMView);",
		vector("AxisArray", axis...), vector("CoeffArray", one...), vector("ConstArray", zero...),
		vector("InInitIndexArray", zero...), vector("InLastIndexArray", last...), vector("InStepArray", one...)}, "\n"), "0", "IsLocal=1;")
	p.call("dopl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=1;")
	p.call("dopl_", time, "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=0;")
	p.call("endpl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", " ")
}

// cpu returns the CPU time of every processor in the main interval.
func cpu(t *testing.T, r *sim.Result) []float64 {
	t.Helper()
	var out []float64
	if err := r.Processors(0, sim.Each, func(p *interval.Processor) error {
		out = append(out, float64(p.CPUTime))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// A loop of 10 s over 10 elements takes N_i seconds on processor i, so that
// the times show the block sizes of docs/model.md#blocks.
func TestBlocksShowInTheTimingOfALoop(t *testing.T) {
	const template = "AMViewRefPtr=10; AMViewRef=a1; "
	for _, c := range []struct {
		name  string
		n     int
		procs int
		extra func(*program)
		want  []float64
	}{
		{"10 on 4: 0-1, 2-4, 5-6, 7-9", 10, 4, nil, []float64{2, 3, 2, 3}},
		{"blkdiv 4: 0-3, 4-7, 8-9, empty", 10, 4, func(p *program) {
			p.call("blkdiv_", "0", template+"AMVAxisCount=1\nAMVAxisDiv[0]=4", "0", " ")
		}, []float64{4, 4, 2, 0}},
		{"3 on 5: 0, 1, 2, empty, empty", 3, 5, nil, []float64{10. / 3, 10. / 3, 10. / 3, 0, 0}},
		{"genblk 1 2 3 4", 10, 4, func(p *program) {
			p.call("genblk_", "0", "PSRefPtr=NULL; PSRef=0; "+template+"AxisCount=1; DoubleSign=0\nAxisWeightAddr[0][0] = 1\nAxisWeightAddr[0][1] = 2\nAxisWeightAddr[0][2] = 3\nAxisWeightAddr[0][3] = 4", "0", " ")
		}, []float64{1, 2, 3, 4}},
		// Loads 1 2 3 3 2 1 over six segments, cut into 2 runs of three:
		// b = 10/6, lower(1) = trunc(5) = 5.
		{"setelw", 10, 2, func(p *program) {
			p.call("setelw_", "0", "PSRefPtr=NULL; PSRef=0; "+template+"\nAddrNumber=1;\nWeightNumber[0] = 6;\n LoadWeight[0] = 1.00; LoadWeight[1] = 2.00; \n LoadWeight[2] = 3.00; LoadWeight[3] = 3.00; LoadWeight[4] = 2.00; LoadWeight[5] = 1.00; ", "0", " ")
		}, []float64{5, 5}},
	} {
		p := newProgram(c.procs)
		p.template([]int{c.n}, []int{1}, func() {
			if c.extra != nil {
				c.extra(p)
			}
		})
		p.loop([]int{c.n}, "10")
		r := simulate(t, c.name, p.end(), machineOf(t, bus), []int{c.procs})
		got := cpu(t, r)
		if len(got) != len(c.want) {
			t.Errorf("%s: %d processors", c.name, len(got))
			continue
		}
		for i := range got {
			if !near(got[i], c.want[i], 1e-12) {
				t.Errorf("%s: processor %d works %v s, want %v", c.name, i, got[i], c.want[i])
			}
		}
	}
}

// A loop over a template that is replicated along the second dimension of a
// 2x2 grid: each half is done by two processors, one of them redundantly. 8 s in
// all, 4 s a processor, half of it insufficient parallelism; productive time
// is 8 s as on one processor.
func TestReplicatedLoop(t *testing.T) {
	p := newProgram(2, 2)
	p.template([]int{8}, []int{1, 0}, nil)
	p.loop([]int{8}, "8")
	r := simulate(t, "replicated", p.end(), machineOf(t, bus), []int{2, 2})
	iv := r.Intervals()[0]
	if iv.ExecutionTime != 4 || iv.InsuffParallelismUSR != 8 || iv.ProductiveCPUTime != 8 {
		t.Errorf("execution %v, insufficient %v, productive %v; want 4, 8, 8", iv.ExecutionTime, iv.InsuffParallelismUSR, iv.ProductiveCPUTime)
	}
}

// The interval tree of f01_ivals, from its source: interval 10 holds the
// compiler's interval of the sequential loop at line 11 and of the parallel
// loop at 14; the sequential loop at 20 runs 6 steps, each an interval of its
// own by the value of T, with intervals 100 and 200 of one parallel loop each.
func TestIntervalTreeOfIvals(t *testing.T) {
	r := simulate(t, "f01", testtraces.Text(t, "single/f01_ivals.ptr.zst"), machineOf(t, bus), []int{1})
	var want []string
	add := func(level int, typ interval.Type, line int, expr string) {
		want = append(want, fmt.Sprintf("%d %s %d %s x1", level, typ, line, expr))
	}
	add(0, interval.Main, 9, "-")
	add(1, interval.User, 10, "10")
	add(2, interval.Sequential, 11, "-")
	add(2, interval.Parallel, 14, "-")
	add(1, interval.Sequential, 20, "-")
	for step := 1; step <= 6; step++ {
		add(2, interval.User, 21, fmt.Sprint(step))
		add(3, interval.User, 22, "100")
		add(4, interval.Parallel, 23, "-")
		add(3, interval.User, 28, "200")
		add(4, interval.Parallel, 30, "-")
	}
	var got []string
	parents := map[int]int{}
	for _, iv := range r.Intervals() {
		expr := "-"
		if iv.Expr != nil {
			expr = fmt.Sprint(*iv.Expr)
		}
		got = append(got, fmt.Sprintf("%d %s %d %s x%d", iv.Level, iv.Type, iv.Line, expr, iv.Count))
		parents[iv.ID] = iv.Parent
		if iv.File != "f01_ivals.fdv" {
			t.Errorf("interval %d is in %q", iv.ID, iv.File)
		}
		if p := iv.Parent; p >= iv.ID || p == 0 && iv.ID != 1 {
			t.Errorf("interval %d has the parent %d", iv.ID, p)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tree (-want +got):\n%s", d)
	}
	// Six steps, each with one shadow exchange in interval 100 and one
	// reduction in interval 200.
	ops := r.Intervals()[0].Operations
	if ops.Shadow != 6 || ops.Reduction != 6 {
		t.Errorf("operations %+v, want 6 shadow exchanges and 6 reductions", ops)
	}
}

// The same interval entered again counts up; one with another expression is
// another interval.
func TestIntervalsAreFoundAgain(t *testing.T) {
	p := newProgram()
	for _, x := range []int{1, 2, 1, 1} {
		p.call("binter_", "0.25", fmt.Sprintf("nfrag=3; index=%d UserInter=0;", x), "0.5", " ")
		p.call("einter_", "1", "nfrag=3; nline=7", "2", " ")
	}
	r := simulate(t, "again", p.end(), machineOf(t, bus), []int{1})
	ivs := r.Intervals()
	if len(ivs) != 3 || ivs[1].Count != 3 || ivs[2].Count != 1 {
		t.Fatalf("intervals %+v", ivs)
	}
	// The begin call (0.75 s) is booked to the outer interval, the end call
	// (3 s) to the inner one: 4 x 3.75 s in all, 9 s and 3 s inside.
	for i, want := range []float64{15, 9, 3} {
		if got := float64(ivs[i].ExecutionTime); got != want {
			t.Errorf("interval %d takes %v s, want %v", i+1, got, want)
		}
	}
}

func TestIntervalErrors(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*program)
		want  string
	}{
		"end without begin": {func(p *program) { p.call("einter_", "0", "nfrag=3; nline=7", "0", " ") }, "no interval is open"},
		"wrong type": {func(p *program) {
			p.call("bploop_", "0", "nfrag=3", "0", " ")
			p.call("einter_", "0", "nfrag=3; nline=7", "0", " ")
		}, "of type par"},
		"wait without start": {func(p *program) {
			p.call("crtrg_", "0", "StaticSign=0; DelRedSign=1;", "0", "RedGroupRef=c1;")
			p.call("waitrd_", "0", "RedGroupRefPtr=12; RedGroupRef=c1;", "0", " ")
		}, "nothing was started"},
		"handle of nothing": {func(p *program) { p.call("strtsh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=dead;", "0", " ") }, "ShadowGroupRef=dead names nothing"},
		"handle of something else": {func(p *program) {
			p.call("crtrg_", "0", "StaticSign=0; DelRedSign=1;", "0", "RedGroupRef=c1;")
			p.call("strtsh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
		}, "names a reduction group"},
		"loops nest": {func(p *program) {
			p.call("crtpl_", "0", "Rank=1;", "0", "LoopRef=b1;")
			p.call("crtpl_", "0", "Rank=1;", "0", "LoopRef=b2;")
		}, "still open"},
		"stop without run": {func(p *program) { p.call("stopam_", "0", " ", "0", " ") }, "no task is entered"},
		"bad rank": {func(p *program) {
			p.call("crtamv_", "0", "AMRefPtr=NULL; AMRef=0; Rank=2; StaticSign=0;\nSizeArray[0]=4; ", "0", "AMViewRef=a1;")
		}, "Rank=2"},
		"huge extents": {func(p *program) {
			p.call("crtamv_", "0", "AMRefPtr=NULL; AMRef=0; Rank=3; StaticSign=0;\n"+"SizeArray[0]=2147483648; SizeArray[1]=2147483648; SizeArray[2]=2147483648;", "0", "AMViewRef=a1;")
		}, "more than 2^62 elements"},
	} {
		p := newProgram()
		c.write(p)
		_, err := run(t, name, p.end(), machineOf(t, bus), []int{1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), name+":") || !strings.Contains(err.Error(), "a.fdv:7") {
			t.Errorf("%s: the error lacks its places: %v", name, err)
		}
	}
}
