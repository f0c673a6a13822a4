package sim_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/sim"
)

// openLoop begins a loop over size elements of the template up to its first
// dopl_, whose call_ time is given and whose lines state a portion.
func (p *program) openLoop(size int, time, portion string) {
	p.mapLoop(size)
	p.dopl(time, "0", portion, 1)
}

// openLoopWith is openLoop with calls before the first dopl_.
func (p *program) openLoopWith(size int, calls func()) {
	p.mapLoop(size)
	calls()
	p.dopl("0", "0", "", 1)
}

// mapLoop creates and maps a loop over size elements of the template.
func (p *program) mapLoop(size int) {
	p.call("crtpl_", "0", "Rank=1;", "0", "LoopRef=b1;")
	p.call("mappl_", "0", strings.Join([]string{"LoopRefPtr=11; LoopRef=b1; PatternRefPtr=10; PatternRef=a1 (AMView);",
		vector("AxisArray", 1), vector("CoeffArray", 1), vector("ConstArray", 0),
		vector("InInitIndexArray", 0), vector("InLastIndexArray", size-1), vector("InStepArray", 1)}, "\n"), "0", "IsLocal=1;")
}

// dopl writes a dopl_ of the open loop.
func (p *program) dopl(callTime, retTime, portion string, more int) {
	p.call("dopl_", callTime, strings.TrimRight("LoopRefPtr=11; LoopRef=b1;\n"+portion, "\n"), retTime, fmt.Sprintf("DoPL=%d;", more))
}

// endLoop writes the endpl_ of the open loop.
func (p *program) endLoop(callTime string) {
	p.call("endpl_", callTime, "LoopRefPtr=11; LoopRef=b1;", "0", " ")
}

// body is what processor i books in an interval, in milliseconds.
type body struct{ cpu, sys, insuffUser, insuffSys float64 }

func bodyOf(t *testing.T, r *sim.Result, at int) (out []body) {
	t.Helper()
	if err := r.Processors(at, sim.Each, func(p *interval.Processor) error {
		out = append(out, body{float64(p.CPUTime) * 1e3, float64(p.SYSTime) * 1e3, float64(p.InsuffParallelismUSR) * 1e3, float64(p.InsuffParallelismSYS) * 1e3})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func checkBody(t *testing.T, where string, got, want []body) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d processors, want %d", where, len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		if !near(g.cpu, w.cpu, 1e-9) || !near(g.sys, w.sys, 1e-9) || !near(g.insuffUser, w.insuffUser, 1e-9) || !near(g.insuffSys, w.insuffSys, 1e-9) {
			t.Errorf("%s: processor %d: %+v, want %+v", where, i, g, w)
		}
	}
}

// A loop of 10 iterations on 4 processors has 2, 3, 2 and 3 of them. The first
// dopl_ comes after 4 ms (base: 4 ms each, 3 of them insufficient parallelism)
// and takes 2 ms itself (base, 1.5 ms insufficient). In the body a sequential
// loop is an interval: 1 ms before its bsloop_, 0.5 ms inside it, 5 ms up to its
// enloop_, which takes 0.5 ms. 4 ms more pass up to the last dopl_. What
// belongs to the body is 10 ms of the user and 1 ms of the system: a tenth of
// it for every iteration. The interval has 5 ms and the 0.5 ms of enloop_.
func TestWorkInsideTheBodyOfALoop(t *testing.T) {
	p := newProgram(4)
	p.template([]int{10}, []int{1}, nil)
	p.mapLoop(10)
	p.dopl("0.004", "0.002", "", 1)
	p.call("bsloop_", "0.001", "nfrag=3;", "0.0005", " ")
	p.call("enloop_", "0.005", "nfrag=3; nline=7;", "0.0005", " ")
	p.dopl("0.004", "0", "", 0)
	p.endLoop("0")
	r := simulate(t, "body", p.end(), machineOf(t, bus), []int{4})
	var main, inner []body
	for _, n := range []float64{2, 3, 2, 3} {
		main = append(main, body{4 + n, 2 + 0.1*n, 3, 1.5})
		inner = append(inner, body{0.5 * n, 0.05 * n, 0, 0})
	}
	checkBody(t, "main", bodyOf(t, r, 0), main)
	checkBody(t, "inner loop", bodyOf(t, r, 1), inner)
	if got := r.Intervals()[1]; got.Count != 1 || got.Type != interval.Sequential {
		t.Errorf("the inner loop is %+v", got)
	}
	checkAccounts(t, "body", r)
}

// Portions: the time between two dopl_ belongs to what the first of them
// stated. 10 iterations on 2 processors, 0-4 and 5-9. Iterations 0-3 take 8 ms:
// all of it on processor 0. 4-9 take 6 ms: 1 on processor 0, 5 on processor 1.
// The endpl_ ends the last one. The first dopl_ comes after 1 ms (base).
func TestPortionsBelongToTheDoplThatStatedThem(t *testing.T) {
	p := newProgram(2)
	p.template([]int{10}, []int{1}, nil)
	p.openLoop(10, "0.001", "Dim0: Lower=0 Upper=3 Step=1")
	p.dopl("0.008", "0", "Dim0: Lower=4 Upper=9 Step=1", 1)
	p.endLoop("0.006")
	r := simulate(t, "portions", p.end(), machineOf(t, bus), []int{2})
	checkBody(t, "main", bodyOf(t, r, 0), []body{{10, 0, 0.5, 0}, {6, 0, 0.5, 0}})
}

// A loop over a template that is replicated along one dimension of a 2x2 grid:
// two processors each do the same half, time inside calls included. 8 ms of the
// user and 2 ms of the system make 4 and 1 ms on each, half of it insufficient.
func TestBodyOfAReplicatedLoop(t *testing.T) {
	p := newProgram(2, 2)
	p.template([]int{8}, []int{1, 0}, nil)
	p.openLoop(8, "0", "")
	p.call("userfn_", "0.008", " ", "0.002", " ")
	p.dopl("0", "0", "", 0)
	p.endLoop("0")
	r := simulate(t, "replicated", p.end(), machineOf(t, bus), []int{2, 2})
	one := body{4, 1, 2, 0.5}
	checkBody(t, "main", bodyOf(t, r, 0), []body{one, one, one, one})
}

// An exchange inside a body: call_time is loop time, the rest is as elsewhere,
// with one warning. 8 ms before a srmem_ of 8 bytes, split on 4 processors: 2 ms
// each; 3 messages of 76.6 us; ret_time 1 ms on everybody.
func TestExchangeInsideABody(t *testing.T) {
	p := newProgram(4)
	p.template([]int{8}, []int{1}, nil)
	p.openLoop(8, "0", "")
	for range 2 {
		p.call("srmem_", "0.004", "MemoryCount=1;\nStartAddrArray[0]=20;\nLengthArray[0]=8;", "0.0005", " ")
	}
	p.dopl("0", "0", "", 0)
	p.endLoop("0")
	r := simulate(t, "exchange", p.end(), machineOf(t, bus), []int{4})
	one := body{2, 1, 0, 0.75}
	checkBody(t, "main", bodyOf(t, r, 0), []body{one, one, one, one})
	if got := float64(r.ExecutionTime()) * 1e6; !near(got, 3000+2*229.8, 1e-9) {
		t.Errorf("%.9g us, want 3459.6", got)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Error(), "body of a parallel loop") {
		t.Errorf("warnings %v, want one about the body of a loop", r.Warnings)
	}
}

// f06_redist's parallel loops hold sequential ones. With 10 ms before each
// enloop_ inside a loop's body the program takes 24 times as much longer on one
// processor. The loops have 12 iterations, so that on eight processors those
// with most of them have two: 0.24 s * 2/12 = 0.04 s.
func TestInnerLoopsOfRedistRunInParallel(t *testing.T) {
	b := testtraces.Text(t, "single/f06_redist.ptr.zst")
	lines := bytes.Split(b, []byte("\n"))
	inside, added := false, 0
	for i, l := range lines {
		switch {
		case bytes.HasPrefix(l, []byte("call_dopl_")), bytes.HasPrefix(l, []byte("call_endpl_")):
			inside = false
		case bytes.HasPrefix(l, []byte("DoPL=1")):
			inside = true
		case inside && bytes.HasPrefix(l, []byte("call_enloop_")):
			from := bytes.Index(l, []byte("TIME=0.0")) + len("TIME=0.0")
			lines[i] = bytes.Join([][]byte{l[:from], []byte("1"), l[from+1:]}, nil)
			added++
		}
	}
	if added != 24 {
		t.Fatalf("%d inner loops were found, want 24", added)
	}
	m := machineOf(t, strings.Replace(bus, "TStart = 75", "TStart = 1", 1))
	slow := bytes.Join(lines, []byte("\n"))
	for n, want := range map[int]float64{1: 0.24, 8: 0.04} {
		grow := float64(simulate(t, "slow", slow, m, []int{n}).ExecutionTime() - simulate(t, "f06", b, m, []int{n}).ExecutionTime())
		if !near(grow, want, 1e-6) {
			t.Errorf("%d inner loops on %d processors: %v s more, want %v", added, n, grow, want)
		}
	}
}

// A program that ends inside a loop whose time passes at the loop's end has
// taken that time all the same: 8 ms in the body of a pipelined loop over 8
// iterations, 2 ms on each of 4 processors.
func TestProgramThatEndsInsideALoop(t *testing.T) {
	p := newProgram(4)
	p.template([]int{8}, []int{1}, nil)
	p.array("e1", 8)
	p.edges(1, 0)
	p.openLoopWith(8, func() {
		p.call("across_", "0", "AcrossType=0; OldShadowGroupRefPtr=0; OldShadowGroupRef=0; NewShadowGroupRefPtr=12; NewShadowGroupRef=c1; PipeLinePar=0.000000;", "0", "ErrPipeLine=9")
	})
	p.dopl("0.008", "0", "", 1)
	r := simulate(t, "open", p.end(), machineOf(t, bus), []int{4})
	one := body{2, 0, 0, 0}
	checkBody(t, "main", bodyOf(t, r, 0), []body{one, one, one, one})
}

// A pipeline whose time passes inside calls of its body too: the check figure
// of docs/model.md#9-pipelined-loops, A = 1600 us on each of 4 stages and B =
// 102.4, with 3 ms of the 6.4 in an inner loop's interval and 0.4 ms inside its
// enloop_. Each stage books 0.75 and 0.1 ms there, the rest outside.
func TestPipelineWithAnInnerLoop(t *testing.T) {
	p := pipelined("0.000000")
	p.call("bsloop_", "0", "nfrag=3;", "0", " ")
	p.call("enloop_", "0.003", "nfrag=3; nline=7;", "0.0004", " ")
	p.dopl("0.003", "0", "", 0)
	p.endLoop("0")
	r := simulate(t, "pipeline", p.end(), machineOf(t, cluster("myrinet(64)")), []int{4})
	if got := float64(r.ExecutionTime()) * 1e6; !near(got, 2988.4, 1e-9) {
		t.Errorf("%.9g us, want 2988.4", got)
	}
	all, inner := body{1.5, 0.1, 0, 0}, body{0.75, 0.1, 0, 0}
	checkBody(t, "main", bodyOf(t, r, 0), []body{all, all, all, all})
	checkBody(t, "inner loop", bodyOf(t, r, 1), []body{inner, inner, inner, inner})
	checkAccounts(t, "pipeline", r)
}
