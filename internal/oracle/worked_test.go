package oracle_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"dvmtools/internal/oracle"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// program reads calls written one per line as "name call/ret args -> result",
// with times in microseconds, and a "|" between the lines of a block. A "+"
// begins a call inside the one before.
func program(t *testing.T, text string) *tracegen.Program {
	t.Helper()
	p := &tracegen.Program{Root: []int{1}}
	for n, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		line, nested := strings.CutPrefix(line, "+")
		line, ret, _ := strings.Cut(line, "->")
		name, rest, _ := strings.Cut(line, " ")
		var a, b int64
		if k, err := fmt.Sscanf(rest, "%d/%d", &a, &b); k != 2 {
			t.Fatalf("line %d: %v", n+1, err)
		}
		_, args, _ := strings.Cut(rest, " ")
		c := tracegen.Call{Func: name, Time: a * 100, RetTime: b * 100, Line: n + 1, Args: strings.Split(args, "|")}
		if ret != "" {
			c.Ret = []string{strings.TrimSpace(ret)}
		}
		if nested {
			around := &p.Calls[len(p.Calls)-1]
			around.Nested = append(around.Nested, c)
			continue
		}
		p.Calls = append(p.Calls, c)
	}
	return p
}

// The objects of the examples.
const (
	line8 = `
crtamv_ 0/0 AMRef=0; Rank=1;|SizeArray[0]=8; -> AMViewRef=55d126950010;
distr_ 0/0 AMViewRef=55d126950010; PSRef=0; ParamCount=1;|AxisArray[0]=1;|DistrParamArray[0]=0; -> IsLocal=1;
crtda_ 0/0 ArrayHeader=55d126950021; Rank=1; TypeSize=8;|SizeArray[0]=8;|LowShdWidthArray[0]=1;|HiShdWidthArray[0]=1; -> ArrayHandlePtr=55d126950020;
`
	rising = `align_ 0/0 ArrayHandlePtr=55d126950020; PatternRef=55d126950010 (AMView);|AxisArray[0]=1;|CoeffArray[0]=1;|ConstArray[0]=0; -> IsLocal=1
`
	falling = `align_ 0/0 ArrayHandlePtr=55d126950020; PatternRef=55d126950010 (AMView);|AxisArray[0]=1;|CoeffArray[0]=-1;|ConstArray[0]=7; -> IsLocal=1
`
	loop1    = "crtpl_ 0/0 Rank=1; -> LoopRef=55d126950050;\n"
	endLoop  = "endpl_ 0/0 LoopRef=55d126950050;\n"
	lowEdge  = "crtshg_ 0/0 StaticSign=0; -> ShadowGroupRef=55d126950060;\ninssh_ 0/0 ShadowGroupRef=55d126950060; ArrayHandlePtr=55d126950020; FullShdSign=0;|LowShdWidthArray[0]=1;|HiShdWidthArray[0]=0;\n"
	highEdge = "crtshg_ 0/0 StaticSign=0; -> ShadowGroupRef=55d126950060;\ninssh_ 0/0 ShadowGroupRef=55d126950060; ArrayHandlePtr=55d126950020; FullShdSign=0;|LowShdWidthArray[0]=0;|HiShdWidthArray[0]=1;\n"
	start    = "strtsh_ 0/0 ShadowGroupRef=55d126950060;\n"
	wait     = "waitsh_ 0/0 ShadowGroupRef=55d126950060;\n"
	first    = "exfrst_ 0/0 LoopRef=55d126950050; ShadowGroupRef=55d126950060;\n"
	last     = "imlast_ 0/0 LoopRef=55d126950050; ShadowGroupRef=55d126950060;\n"
)

// over maps the loop on the array of the examples.
func over(from, to, step int) string {
	return fmt.Sprintf("mappl_ 0/0 LoopRef=55d126950050; PatternRef=55d126950020 (DisArray);|AxisArray[0]=1;|CoeffArray[0]=1;|ConstArray[0]=0;|InInitIndexArray[0]=%d;|InLastIndexArray[0]=%d;|InStepArray[0]=%d; -> IsLocal=1;\n", from, to, step)
}

// run executes the loop of the examples in one portion.
func run(us int) string { return begin + ended(us) }

const begin = "dopl_ 0/0 LoopRef=55d126950050; -> DoPL=1;\n"

func ended(us int) string {
	return fmt.Sprintf("dopl_ %d/0 LoopRef=55d126950050; -> DoPL=0;\n", us)
}

// bus is the machine of most examples: 75 us to start a message, 0.2 us per byte.
func bus(kind machine.Kind, channels int) *machine.Machine {
	return mustMachine(machine.New(machine.NewCluster("m", machine.Medium{Kind: kind, Channels: channels, TStart: 75e-6, TByte: 0.2e-6}, machine.Group{Count: 64, Node: machine.NewProcessor("p", 1)})))
}

// grid8x8 is an array of 8x8 elements of 8 bytes on a grid of two dimensions.
const grid8x8 = `
crtamv_ 0/0 AMRef=0; Rank=2;|SizeArray[0]=8; SizeArray[1]=8; -> AMViewRef=55d126950010;
distr_ 0/0 AMViewRef=55d126950010; PSRef=0; ParamCount=2;|AxisArray[0]=1; AxisArray[1]=2;|DistrParamArray[0]=0; DistrParamArray[1]=0; -> IsLocal=1;
crtda_ 0/0 ArrayHeader=55d126950021; Rank=2; TypeSize=8;|SizeArray[0]=8; SizeArray[1]=8;|LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;|HiShdWidthArray[0]=1; HiShdWidthArray[1]=1; -> ArrayHandlePtr=55d126950020;
align_ 0/0 ArrayHandlePtr=55d126950020; PatternRef=55d126950010 (AMView);|AxisArray[0]=1; AxisArray[1]=2;|CoeffArray[0]=1; CoeffArray[1]=1;|ConstArray[0]=0; ConstArray[1]=0; -> IsLocal=1
`

func shadow8x8(corners int) string {
	return grid8x8 + fmt.Sprintf("crtshg_ 0/0 StaticSign=0; -> ShadowGroupRef=55d126950060;\ninssh_ 0/0 ShadowGroupRef=55d126950060; ArrayHandlePtr=55d126950020; FullShdSign=%d;|LowShdWidthArray[0]=-1; LowShdWidthArray[1]=-1;|HiShdWidthArray[0]=-1; HiShdWidthArray[1]=-1;\n", corners) + start + wait
}

const reduce = `
crtrg_ 0/0 StaticSign=0; -> RedGroupRef=55d126950070;
crtred_ 0/0 RedFuncNumb=1; RedArrayType=4; RedArrayLength=1; LocElmLength=0; -> RedRef=55d126950080;
insred_ 0/0 RedGroupRef=55d126950070; RedRef=55d126950080; PSSpaceRefPtr=NULL; PSSpaceRef=0; RenewSign=0;
strtrd_ 0/0 RedGroupRef=55d126950070;
waitrd_ 0/0 RedGroupRef=55d126950070;
`

// A worked case is a program whose figures were worked by hand.
type worked struct {
	name string
	m    *machine.Machine
	grid []int
	text string
	want []float64 // execution times in microseconds
	// Only some cases have these: the grid of the traced run, options, and the
	// expected times of real synchronization.
	root []int
	opts func(*interval.Options)
	real []float64
}

// check compares the figures of both simulations with those worked by hand.
func (c *worked) check(t *testing.T) {
	p := program(t, c.text)
	if c.root != nil {
		p.Root = c.root
	}
	opts := sim.Defaults()
	if c.opts != nil {
		c.opts(&opts)
	}
	src, err := ptr.NewReader("worked.ptr", bytes.NewReader(p.Text()), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := oracle.Run(c.m, c.grid, opts, src)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []struct {
		name string
		got  []interval.Times
	}{{"oracle", got.Processors[0]}, {"simulation", simulated(t, c.m, c.grid, opts, p)}} {
		if times := executions(engine.got); !near(times, c.want) {
			t.Errorf("the %s gives %v, by hand %v", engine.name, times, c.want)
		}
		if times := synchs(engine.got); c.real != nil && !near(times, c.real) {
			t.Errorf("the %s gives %v of real synchronization, by hand %v", engine.name, times, c.real)
		}
	}
}

// TestWorked compares the oracle and the simulation with figures worked by hand:
// the execution times of the processors in microseconds.
func TestWorked(t *testing.T) {
	one := machine.Ethernet
	for _, c := range []worked{
		// 8 messages of 4 elements: 8*(75 + 0.2*32) = 651.2.
		{name: "shadow on the bus, 2x2", m: bus(one, 1), grid: []int{2, 2}, text: shadow8x8(0), want: []float64{651.2, 651.2, 651.2, 651.2}},
		// 6 messages of 8 elements: 6*(75 + 0.2*64) = 526.8.
		{name: "shadow on the bus, 4x1", m: bus(one, 1), grid: []int{4, 1}, text: shadow8x8(0), want: []float64{526.8, 526.8, 526.8, 526.8}},
		// and 4 corners of an element: 651.2 + 4*(75 + 1.6) = 957.6.
		{name: "corners on the bus", m: bus(one, 1), grid: []int{2, 2}, text: shadow8x8(1), want: []float64{957.6, 957.6, 957.6, 957.6}},
		// The same 8 messages, 4 on each of two channels.
		{name: "shadow on myrinet(2)", m: bus(machine.Myrinet, 2), grid: []int{2, 2}, text: shadow8x8(0), want: []float64{325.6, 325.6, 325.6, 325.6}},
		// distance 1: 75 + 6.4; distance 2 with 8 bytes: min over n of
		// (1+n)*(75 + 0.2*ceil(8/n)) = 2*76.6.
		{name: "shadow on a transputer", m: bus(machine.Transputer, 0), grid: []int{2, 2}, text: shadow8x8(0), want: []float64{81.4, 81.4, 81.4, 81.4}},
		{name: "corners on a transputer", m: bus(machine.Transputer, 0), grid: []int{2, 2}, text: shadow8x8(1), want: []float64{153.2, 153.2, 153.2, 153.2}},
		// 3 messages to the root and 3 back: 6*76.6.
		{name: "reduction on the bus", m: bus(one, 1), grid: []int{2, 2}, text: reduce, want: []float64{459.6, 459.6, 459.6, 459.6}},
		// (75 + 1.6)*2*(1 + 1).
		{name: "reduction on a transputer", m: bus(machine.Transputer, 0), grid: []int{2, 2}, text: reduce, want: []float64{306.4, 306.4, 306.4, 306.4}},
		// 8 bytes to 3 others: 3*76.6.
		{name: "broadcast", m: bus(one, 1), grid: []int{2, 2}, text: "srmem_ 0/0 MemoryCount=1;|StartAddrArray[0]=1;|LengthArray[0]=8;", want: []float64{229.8, 229.8, 229.8, 229.8}},

		// Blocks 0-1, 2-3, 4-5, 6-7. The pattern's elements lie at 0, 3, 6: on
		// processors 0, 1, 3. Its replica lies there and not on 2.
		{name: "replicas along scattered elements", m: bus(one, 1), grid: []int{4}, text: line8 + `
crtda_ 0/0 ArrayHeader=55d126950031; Rank=1; TypeSize=8;|SizeArray[0]=3;|LowShdWidthArray[0]=0;|HiShdWidthArray[0]=0; -> ArrayHandlePtr=55d126950030;
align_ 0/0 ArrayHandlePtr=55d126950030; PatternRef=55d126950010 (AMView);|AxisArray[0]=1;|CoeffArray[0]=3;|ConstArray[0]=0; -> IsLocal=1
align_ 0/0 ArrayHandlePtr=55d126950020; PatternRef=55d126950030 (DisArray);|AxisArray[0]=-1;|CoeffArray[0]=0;|ConstArray[0]=0; -> IsLocal=1
` + loop1 + over(0, 7, 1) + run(100) + endLoop, want: []float64{100, 100, 0, 100}},
		// Blocks 0, 1, 2 and none of a template of 3 elements: what is
		// replicated along it lies where elements of it lie.
		{name: "replicas along an axis with an empty block", m: bus(one, 1), grid: []int{4}, text: strings.Replace(line8, "Rank=1;|SizeArray[0]=8; ->", "Rank=1;|SizeArray[0]=3; ->", 1) + `
align_ 0/0 ArrayHandlePtr=55d126950020; PatternRef=55d126950010 (AMView);|AxisArray[0]=-1;|CoeffArray[0]=0;|ConstArray[0]=0; -> IsLocal=1
` + loop1 + over(0, 7, 1) + run(100) + endLoop, want: []float64{100, 100, 100, 0}},

		// Blocks 0-3 and 4-7. Element 3 goes to processor 1: 75 + 1.6. The
		// loop 4..7 runs there; iteration 4 needs it and comes last: 75, wait
		// until 76.6, 25 more.
		{name: "import into a loop over one block", m: bus(one, 1), grid: []int{2}, text: line8 + rising + lowEdge + start + loop1 + last + over(4, 7, 1) + run(100) + endLoop,
			want: []float64{76.6, 101.6}},
		// Iterations 0 and 3 on processor 0, 6 on processor 1, 100 each.
		// Element 4 is exported and no iteration computes it: the exchange
		// starts at 0 and is over at 76.6.
		{name: "export of an element that a loop skips", m: bus(one, 1), grid: []int{2}, text: line8 + rising + highEdge + loop1 + first + over(0, 7, 3) + run(300) + endLoop + wait,
			want: []float64{200, 100}},
		// Processor 0 has elements 4-7, processor 1 0-3. Element 3 goes to
		// processor 0, whose iteration 4 needs it: 75, until 76.6, 25.
		{name: "import into a falling array", m: bus(one, 1), grid: []int{2}, text: line8 + falling + lowEdge + start + loop1 + last + over(0, 7, 1) + run(200) + endLoop,
			want: []float64{101.6, 100}},
		// Four iterations, all at element 3, which is exported: the exchange
		// starts when they are done, at 100, and takes 76.6; processor 1 waits
		// for it too.
		{name: "export of a constant element", m: bus(one, 1), grid: []int{2}, text: line8 + rising + lowEdge + loop1 + first +
			strings.Replace(over(0, 3, 1), "AxisArray[0]=1;|CoeffArray[0]=1;|ConstArray[0]=0;", "AxisArray[0]=0;|CoeffArray[0]=0;|ConstArray[0]=3;", 1) + run(100) + endLoop + wait,
			want: []float64{176.6, 176.6}},
		// The call states iterations 4..7: all 100 are processor 1's, and of
		// its four iterations one waits: 75, until 76.6, 25.
		{name: "import into a portion", m: bus(one, 1), grid: []int{2}, text: line8 + rising + lowEdge + start + loop1 + last + over(0, 7, 1) +
			"dopl_ 0/0 LoopRef=55d126950050;|Dim0: Lower=4 Upper=7 Step=1 -> DoPL=1;\n" + ended(100) + endLoop, want: []float64{76.6, 101.6}},
		// Loop time 0: D*(TStart + Tb) of a pipeline of two in one quantum,
		// 75 + 1.6, is left; before that nothing.
		{name: "a pipeline of no time", m: bus(one, 1), grid: []int{2}, text: line8 + rising + lowEdge + loop1 + over(0, 7, 1) +
			"across_ 0/0 AcrossType=0; OldShadowGroupRef=0; NewShadowGroupRef=55d126950060; PipeLinePar=0.000000; -> ErrPipeLine=9\n" +
			run(0) + endLoop, want: []float64{0, 76.6}},
	} {
		t.Run(c.name, c.check)
	}
}

// simulated returns the figures of the simulation for each processor.
func simulated(t *testing.T, m *machine.Machine, grid []int, opts interval.Options, p *tracegen.Program) (all []interval.Times) {
	t.Helper()
	src, err := ptr.NewReader("worked.ptr", bytes.NewReader(p.Text()), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: grid, Options: opts}, src)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Processors(0, sim.Each, func(p *interval.Processor) error { all = append(all, p.Times); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// executions are the execution times of processors in microseconds.
func executions(ps []interval.Times) (all []float64) {
	for i := range ps {
		all = append(all, microseconds(ps[i].ExecutionTime))
	}
	return all
}

// synchs are the times of real synchronization in microseconds.
func synchs(ps []interval.Times) (all []float64) {
	for i := range ps {
		all = append(all, microseconds(ps[i].CommunicationSynch))
	}
	return all
}

func microseconds(t units.Seconds) float64 { return math.Round(float64(t)*1e12) / 1e6 }

func near(a, b []float64) bool {
	for i := range a {
		if len(a) != len(b) || math.Abs(a[i]-b[i]) > 1e-6 {
			return false
		}
	}
	return true
}
