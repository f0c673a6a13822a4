package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/sim"
)

// array creates an array of doubles on the template a1, element on element,
// with shadow widths of 1.
func (p *program) array(handle string, size ...int) {
	rank := len(size)
	one, zero, axis := make([]int, rank), make([]int, rank), make([]int, rank)
	for i := range size {
		one[i], axis[i] = 1, i+1
	}
	p.call("crtda_", "0", fmt.Sprintf("ArrayHeader=%s0; ExtHdrSign=1; BasePtr=0; Rank=%d; TypeSize=8; StaticSign=0; ReDistrSign=0;\n%s\n%s\n%s",
		handle, rank, vector("SizeArray", size...), vector("LowShdWidthArray", one...), vector("HiShdWidthArray", one...)), "0", "ArrayHandlePtr="+handle+";")
	p.align("align_", handle, "a1 (AMView)", axis, one, zero)
}

func (p *program) align(call, handle, pattern string, axis, coeff, constant []int) {
	sign := ""
	if call == "realn_" {
		sign = " NewSign=0;"
	}
	p.call(call, "0", fmt.Sprintf("ArrayHeader=%s0; ArrayHandlePtr=%s; PatternRefPtr=10; PatternRef=%s;%s\n%s\n%s\n%s", handle, handle, pattern, sign,
		vector("AxisArray", axis...), vector("CoeffArray", coeff...), vector("ConstArray", constant...)), "0", "IsLocal=1")
}

// shadow exchanges the edges of array handle.
func (p *program) shadow(handle string, full int, rank int) {
	own := make([]int, rank)
	for i := range own {
		own[i] = -1
	}
	p.call("crtshg_", "0", "StaticSign=0;", "0", "ShadowGroupRef=c1;")
	p.call("inssh_", "0", fmt.Sprintf("ShadowGroupRefPtr=12; ShadowGroupRef=c1; ArrayHeader=%s0; ArrayHandlePtr=%s; FullShdSign=%d;\n%s\n%s", handle, handle, full, vector("LowShdWidthArray", own...), vector("HiShdWidthArray", own...)), "0", " ")
	p.call("strtsh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
	p.call("waitsh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
}

// reduction reduces one double over the last loop.
func (p *program) reduction() {
	p.call("crtrg_", "0", "StaticSign=0; DelRedSign=1;", "0", "RedGroupRef=d1;")
	p.call("crtred_", "0", "RedFuncNumb=1; RedArrayPtr=20; RedArrayType=4; RedArrayLength=1; LocArrayPtr=0; LocElmLength=0; StaticSign=0;", "0", "RedRef=d2;")
	p.call("insred_", "0", "RedGroupRefPtr=13; RedGroupRef=d1; RedRefPtr=14; RedRef=d2; LoopRefPtr=11; LoopRef=b1; RenewSign=0;", "0", " ")
	p.call("strtrd_", "0", "RedGroupRefPtr=13; RedGroupRef=d1;", "0", " ")
	p.call("waitrd_", "0", "RedGroupRefPtr=13; RedGroupRef=d1;", "0", " ")
}

func cluster(comm string) string {
	if comm == "tree" {
		return "cluster = c; c = {2 x node}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; node = {2 x p}; node.CommType = ethernet; node.TStart = 10; node.TByte = 0.01; p = 1.0;"
	}
	return "cluster = c; c = {64 x p}; c.CommType = " + comm + "; c.TStart = 75; c.TByte = 0.2; p = 1.0;"
}

// Exchanges of an 8x8 array of doubles, shadow width 1, and of one double, at
// 75 us a message and 0.2 us a byte.
func TestWorkedExchanges(t *testing.T) {
	shadow := func(full int) func(*program) {
		return func(p *program) {
			p.template([]int{8, 8}, []int{1, 2}, nil)
			p.array("e1", 8, 8)
			p.shadow("e1", full, 2)
		}
	}
	reduce := func(p *program) {
		p.template([]int{8, 8}, []int{1, 2}, nil)
		p.loop([]int{8, 8}, "0")
		p.reduction()
	}
	for _, c := range []struct {
		name    string
		write   func(*program)
		machine string
		grid    []int
		micros  float64
	}{
		// 2x2: blocks of 4x4; each of 4 neighbouring pairs exchanges two
		// edges of 4 doubles: 8 * (75 + 32*0.2) = 8 * 81.4.
		{"shadow 2x2 on the bus", shadow(0), "ethernet", []int{2, 2}, 651.2},
		// 4x1: blocks of 2x8; 3 pairs, edges of 8 doubles: 6 * (75 + 12.8).
		{"shadow 4x1 on the bus", shadow(0), "ethernet", []int{4, 1}, 526.8},
		// And 4 corners of one double: 651.2 + 4 * 76.6.
		{"shadow with corners on the bus", shadow(1), "ethernet", []int{2, 2}, 957.6},
		// Two channels share the 8 messages.
		{"shadow on myrinet(2)", shadow(0), "myrinet(2)", []int{2, 2}, 325.6},
		// All messages at distance 1 at once.
		{"shadow on transputers", shadow(0), "transputer", []int{2, 2}, 81.4},
		// The corner of 8 bytes at distance 2, in one portion of 2 hops:
		// 2 * 76.6 = 153.2, longer than the edge's 81.4.
		{"shadow with corners on transputers", shadow(1), "transputer", []int{2, 2}, 153.2},
		// Gather 3 messages, broadcast 3: 6 * 76.6.
		{"reduction on the bus", reduce, "ethernet", []int{2, 2}, 459.6},
		// ceil(3/2) + ceil(3/2) rounds: 4 * 76.6.
		{"reduction on myrinet(2)", reduce, "myrinet(2)", []int{2, 2}, 306.4},
		// 2 * (floor(2/2) + floor(2/2)) = 4 hops of 76.6.
		{"reduction on transputers", reduce, "transputer", []int{2, 2}, 306.4},
		// Processors 0, 1 and 2, 3 share a node (10 us + 0.01 us/byte). Gather:
		// 1 message inside, 10.08, beside 2 between the nodes, 2 * 76.6; the
		// broadcast likewise: 2 * 153.2.
		{"reduction on a tree", reduce, "tree", []int{2, 2}, 306.4},
		// srmem_ of 8 bytes to 3 others.
		{"broadcast on the bus", func(p *program) {
			p.call("srmem_", "0", "MemoryCount=2;\nStartAddrArray[0]=20; StartAddrArray[1]=21;\nLengthArray[0]=4; LengthArray[1]=4;", "0", " ")
		}, "ethernet", []int{4}, 229.8},
		// An 8x8 array moves from rows to columns on 4 processors: each of
		// 12 ordered pairs moves a 2x2 piece of 4 doubles: 12 * 81.4.
		{"realign of rows to columns", func(p *program) {
			p.template([]int{8}, []int{1}, nil)
			p.call("crtda_", "0", "ArrayHeader=e10; ExtHdrSign=1; BasePtr=0; Rank=2; TypeSize=8; StaticSign=0; ReDistrSign=0;\n"+vector("SizeArray", 8, 8)+"\n"+vector("LowShdWidthArray", 0, 0)+"\n"+vector("HiShdWidthArray", 0, 0), "0", "ArrayHandlePtr=e1;")
			p.align("align_", "e1", "a1 (AMView)", []int{1}, []int{1}, []int{0})
			p.align("realn_", "e1", "a1 (AMView)", []int{2}, []int{1}, []int{0})
		}, "ethernet", []int{4}, 976.8},
		// A[0:14:2] = B[0:7] over 4 processors, A of 16 in blocks of 4, B of
		// 8 in blocks of 2: targets 0,2 are on 0, 4,6 on 1, ...: nothing moves.
		{"copy with strides that fit", copies(16, 0, 14, 2, 8, 0, 7, 1), "ethernet", []int{4}, 0},
		// A[0:7] = B[0:7]: A in blocks of 4 has 0-3 on processor 0 and 4-7 on
		// 1; B has 2,3 on processor 1, 4,5 on 2, 6,7 on 3. Processor 0 gets
		// 2 doubles from 1, 1 gets 2 from 2 and 2 from 3: 3 * (75 + 3.2).
		{"copy between distributions", copies(16, 0, 7, 1, 8, 0, 7, 1), "ethernet", []int{4}, 234.6},
	} {
		p := newProgram(c.grid...)
		c.write(p)
		r := simulate(t, c.name, p.end(), machineOf(t, cluster(c.machine)), c.grid)
		if err := r.Processors(0, sim.Each, func(q *interval.Processor) error {
			if got := float64(q.Communication) * 1e6; !near(got, c.micros, 1e-9) {
				t.Errorf("%s: processor %d communicates %.9g us, want %g", c.name, *q.Rank, got, c.micros)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// copies writes a copy of a section of B (of nb elements) to a section of A
// (of na), both in blocks.
func copies(na, aFirst, aLast, aStep, nb, bFirst, bLast, bStep int) func(*program) {
	return func(p *program) {
		p.template([]int{na}, []int{1}, nil)
		p.array("e1", na)
		p.call("crtamv_", "0", "AMRefPtr=NULL; AMRef=0; Rank=1; StaticSign=0;\n"+vector("SizeArray", nb), "0", "AMViewRef=a2;")
		p.call("distr_", "0", "AMViewRefPtr=15; AMViewRef=a2; PSRefPtr=NULL; PSRef=0; ParamCount=1;\nAxisArray[0]=1; \nDistrParamArray[0]=0; ", "0", "IsLocal=1;")
		p.call("crtda_", "0", "ArrayHeader=e20; ExtHdrSign=1; BasePtr=0; Rank=1; TypeSize=8; StaticSign=0; ReDistrSign=0;\n"+vector("SizeArray", nb)+"\n"+vector("LowShdWidthArray", 0)+"\n"+vector("HiShdWidthArray", 0), "0", "ArrayHandlePtr=e2;")
		p.align("align_", "e2", "a2 (AMView)", []int{1}, []int{1}, []int{0})
		p.call("arrcpy_", "0", strings.Join([]string{"FromArrayHeader=e20; FromArrayHandlePtr=e2; ToArrayHeader=e10; ToArrayHandlePtr=e1; CopyRegim=0;",
			vector("FromInitIndexArray", bFirst), vector("FromLastIndexArray", bLast), vector("FromStepArray", bStep),
			vector("ToInitIndexArray", aFirst), vector("ToLastIndexArray", aLast), vector("ToStepArray", aStep)}, "\n"), "0", "Res=8;")
	}
}

// A pipelined loop of 64x8... iterations: 4 stages of A = 1600 us, an edge of
// 64 doubles, at 75 us and 0.2 us: B = 102.4, Q = sqrt(3*1702.4/75) = 8.25;
// T(8) = Tp + 3*(75 + Tb + Tp) + 7*(75 + Tp) = 200 + 3*287.8 + 7*275 = 2988.4
// with Tp = 200 and Tb = 12.8. Prescribed quanta: T(1) = 1600 + 3*(75 + 102.4
// + 1600) = 6932.2; T(2) = 800 + 3*(75 + 51.2 + 800) + 875 = 4453.6.
func TestWorkedPipeline(t *testing.T) {
	for _, c := range []struct {
		stages string
		micros float64
	}{{"0.000000", 2988.4}, {"1.000000", 6932.2}, {"2.000000", 4453.6}, {"8.000000", 2988.4}} {
		p := pipelined(c.stages)
		p.call("dopl_", "0.0064", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=0;")
		p.call("endpl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", " ")
		// Many channels, so that the pipeline's messages do not queue.
		r := simulate(t, "pipeline", p.end(), machineOf(t, cluster("myrinet(64)")), []int{4})
		if got := float64(r.ExecutionTime()) * 1e6; !near(got, c.micros, 1e-9) {
			t.Errorf("STAGE %s: %.9g us, want %g", c.stages, got, c.micros)
		}
		checkAccounts(t, "pipeline", r)
	}
}

// pipelined begins a loop of 64x64 iterations in blocks of rows on 4 processors,
// pipelined along them with the given STAGE, up to its first dopl_.
func pipelined(stages string) *program {
	p := newProgram(4)
	p.template([]int{64, 64}, []int{1}, nil)
	p.array("e1", 64, 64)
	p.call("crtpl_", "0", "Rank=2;", "0", "LoopRef=b1;")
	p.call("crtshg_", "0", "StaticSign=0;", "0", "ShadowGroupRef=c1;")
	p.call("insshd_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1; ArrayHeader=e10; ArrayHandlePtr=e1; MaxShdCount=1;\n"+vector("LowShdWidthArray", 1, 0)+"\n"+vector("HiShdWidthArray", 0, 0)+"\n"+vector("ShdSignArray", 3, 1), "0", " ")
	p.call("mappl_", "0", strings.Join([]string{"LoopRefPtr=11; LoopRef=b1; PatternRefPtr=e10; PatternRef=e1 (DisArray);",
		vector("AxisArray", 1, 2), vector("CoeffArray", 1, 1), vector("ConstArray", 0, 0),
		vector("InInitIndexArray", 0, 0), vector("InLastIndexArray", 63, 63), vector("InStepArray", 1, 1)}, "\n"), "0", "IsLocal=1;")
	p.call("across_", "0", "AcrossType=0; OldShadowGroupRefPtr=0; OldShadowGroupRef=0; NewShadowGroupRefPtr=12; NewShadowGroupRef=c1; PipeLinePar="+stages+";", "0", "ErrPipeLine=9")
	p.call("dopl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=1;")
	return p
}

// A program without communication whose loops divide evenly takes T/P for its
// loops, exactly; with unequal powers the speed-up is at most their sum.
func TestLoopsDivide(t *testing.T) {
	p := newProgram(1)
	p.template([]int{64, 64}, []int{1, 2}, nil)
	p.loop([]int{64, 64}, "8")
	b := p.end()
	for _, grid := range [][]int{{1, 1}, {2, 1}, {4, 4}, {8, 2}, {32, 64}} {
		n := float64(grid[0] * grid[1])
		if got := float64(simulate(t, "x", b, machineOf(t, bus), grid).ExecutionTime()); got != 8/n {
			t.Errorf("on %v: %v s, want %v", grid, got, 8/n)
		}
		sum := 0.0
		for _, run := range machineOf(t, mixed).PowerRuns(int64(n)) {
			sum += run.Power * float64(run.N)
		}
		if got := 8 / float64(simulate(t, "x", b, machineOf(t, mixed), grid).ExecutionTime()); got > sum*(1+1e-12) {
			t.Errorf("on %v: speed-up %v, the powers sum to %v", grid, got, sum)
		}
	}
}

// Two asynchronous exchanges share the bus: the second queues behind the
// first. Both are of 8 messages of 81.4 us; the second is started 100 us
// later (user time) and ends at 2 * 651.2.
func TestAsynchronousExchangesShareAChannel(t *testing.T) {
	p := newProgram(2, 2)
	p.template([]int{8, 8}, []int{1, 2}, nil)
	p.array("e1", 8, 8)
	for _, g := range []string{"c1", "c2"} {
		p.call("crtshg_", "0", "StaticSign=0;", "0", "ShadowGroupRef="+g+";")
		p.call("inssh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef="+g+"; ArrayHeader=e10; ArrayHandlePtr=e1; FullShdSign=0;\n"+vector("LowShdWidthArray", 1, 1)+"\n"+vector("HiShdWidthArray", 1, 1), "0", " ")
	}
	p.call("strtsh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
	p.call("strtsh_", "0.000100", "ShadowGroupRefPtr=12; ShadowGroupRef=c2;", "0", " ")
	p.call("waitsh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
	p.call("waitsh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c2;", "0", " ")
	r := simulate(t, "two", p.end(), machineOf(t, cluster("ethernet")), []int{2, 2})
	iv := r.Intervals()[0]
	if got := float64(iv.ExecutionTime) * 1e6; !near(got, 1302.4, 1e-9) {
		t.Errorf("execution time %.9g us, want 1302.4", got)
	}
	// 100 us of the first exchange pass beside the user's time; of the
	// second, begun at 100, 551.2 us until the first one's end.
	if got := float64(iv.Overlap) * 1e6 / 4; !near(got, 100+551.2, 1e-9) {
		t.Errorf("overlap %.9g us a processor, want 651.2", got)
	}
}
