package oracle_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
)

func itoa(n int) string { return strconv.Itoa(n) }

// task runs us microseconds on the section first..last of the traced root; its
// runam_ does not state Run.
func task(n, first, last, us int) string {
	return strings.NewReplacer("#", itoa(n), "FIRST", itoa(first), "LAST", itoa(last), "TIME", itoa(us)).Replace(`
crtps_ 0/0 PSRef=0; StaticSign=0;|InitIndexArray[0]=FIRST;|LastIndexArray[0]=LAST; -> PSRef=55d1269501#0;
getamr_ 0/0 AMViewRef=55d126950010;|IndexArray[0]=0; -> AMRef=55d1269502#0;
mapam_ 0/0 AMRef=55d1269502#0; PSRef=55d1269501#0;
runam_ 0/0 AMRef=55d1269502#0;
getlen_ TIME/0 ArrayHeader=1; -> Res=8;
stopam_ 0/0
`)
}

// vector is an array of 10 elements of 8 bytes whose template is not yet
// distributed.
const vector = `
crtamv_ 0/0 AMRef=0; Rank=1;|SizeArray[0]=10; -> AMViewRef=55d126950010;
crtda_ 0/0 ArrayHeader=55d126950021; Rank=1; TypeSize=8;|SizeArray[0]=10;|LowShdWidthArray[0]=1;|HiShdWidthArray[0]=1; -> ArrayHandlePtr=55d126950020;
`

const distributed = "distr_ 0/0 AMViewRef=55d126950010; PSRef=0; ParamCount=1;|AxisArray[0]=1;|DistrParamArray[0]=0; -> IsLocal=1;\n"

// replicaAlong makes a loop of us microseconds over an array that is
// replicated along n elements which lie at stride in template 55d126950010.
func replicaAlong(id, n, stride, us int) string {
	return strings.NewReplacer("#", itoa(id), "COUNT", itoa(n), "STRIDE", itoa(stride), "TIME", itoa(us)).Replace(`
crtda_ 0/0 ArrayHeader=55d1269503#1; Rank=1; TypeSize=8;|SizeArray[0]=COUNT;|LowShdWidthArray[0]=0;|HiShdWidthArray[0]=0; -> ArrayHandlePtr=55d1269503#0;
align_ 0/0 ArrayHandlePtr=55d1269503#0; PatternRef=55d126950010 (AMView);|AxisArray[0]=1;|CoeffArray[0]=STRIDE;|ConstArray[0]=0; -> IsLocal=1
crtda_ 0/0 ArrayHeader=55d1269504#1; Rank=1; TypeSize=8;|SizeArray[0]=4;|LowShdWidthArray[0]=0;|HiShdWidthArray[0]=0; -> ArrayHandlePtr=55d1269504#0;
align_ 0/0 ArrayHandlePtr=55d1269504#0; PatternRef=55d1269503#0 (DisArray);|AxisArray[0]=-1;|CoeffArray[0]=0;|ConstArray[0]=0; -> IsLocal=1
crtpl_ 0/0 Rank=1; -> LoopRef=55d1269505#0;
mappl_ 0/0 LoopRef=55d1269505#0; PatternRef=55d1269504#0 (DisArray);|AxisArray[0]=1;|CoeffArray[0]=1;|ConstArray[0]=0;|InInitIndexArray[0]=0;|InLastIndexArray[0]=3;|InStepArray[0]=1; -> IsLocal=1;
dopl_ 0/0 LoopRef=55d1269505#0; -> DoPL=1;
dopl_ TIME/0 LoopRef=55d1269505#0; -> DoPL=0;
endpl_ 0/0 LoopRef=55d1269505#0;
`)
}

// TestWorkedLayouts is TestWorked for processor systems, distributions,
// handles, and input and output.
func TestWorkedLayouts(t *testing.T) {
	one := bus(machine.Ethernet, 1)
	template := "crtamv_ 0/0 AMRef=0; Rank=1;|SizeArray[0]=3; -> AMViewRef=55d126950010;\n"
	byTen := loop1 + over(0, 9, 1) + run(100) + endLoop
	genblk := func(sizes ...int) string {
		var s strings.Builder
		s.WriteString(fmt.Sprintf("genblk_ 0/0 PSRef=0; AMViewRef=55d126950010; AxisCount=%d; DoubleSign=0", min(1, len(sizes))))
		for c, n := range sizes {
			s.WriteString(fmt.Sprintf("|AxisWeightAddr[0][%d] = %d", c, n))
		}
		return s.String() + "\n"
	}
	links := machine.NewCluster("links", machine.Medium{Kind: machine.Transputer, TStart: 75e-6, TByte: 0.2e-6}, machine.Group{Count: 3, Node: machine.NewProcessor("p", 1)})
	tree := mustMachine(machine.New(machine.NewCluster("m", machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 75e-6, TByte: 0.2e-6}, machine.Group{Count: 2, Node: links})))
	for _, c := range []worked{
		// An array replicated along elements 0, 2, ..., 10 is on six of eleven
		// processors, one along 0, 5, 10 on three.
		{name: "replicas along arrays of different strides", m: one, grid: []int{11},
			text: strings.Replace(line8, "Rank=1;|SizeArray[0]=8; ->", "Rank=1;|SizeArray[0]=11; ->", 1) + replicaAlong(1, 6, 2, 100) + replicaAlong(2, 3, 5, 10),
			want: []float64{110, 0, 100, 0, 100, 10, 100, 0, 100, 0, 110}},

		// The bounds 0, 1, 4 of four are 0, 1, 2 of two: 1*2/4 + 1/2 is 1.
		{name: "two sections on two processors", m: one, grid: []int{2}, root: []int{4}, text: template + task(1, 0, 0, 100) + task(2, 1, 3, 30), want: []float64{100, 30}},
		// and 0, 1, 3 of three: 0.75 + 0.5 is 1, 3 + 0.5 is 3.
		{name: "two sections on three processors", m: one, grid: []int{3}, root: []int{4}, text: template + task(1, 0, 0, 100) + task(2, 1, 3, 30), want: []float64{100, 30, 30}},
		// 0, 1, 3, 4 of four are 0, 1, 2, 3 of three: 2.25 + 0.5 is 2.
		{name: "three sections on three processors", m: one, grid: []int{3}, root: []int{4}, text: template + task(1, 0, 0, 10) + task(2, 1, 2, 20) + task(3, 3, 3, 30), want: []float64{10, 20, 30}},
		// 1..1 of four on one: empty after rounding, so the processor that
		// holds (0.25 + 0.5)/2.
		{name: "a section that would be empty", m: one, grid: []int{1}, root: []int{4}, text: template + task(1, 1, 1, 10), want: []float64{10}},

		// Traced on one processor both are 0..0 of 1 and run on all four. The
		// user says that those of lines 3 and 10 are halves.
		{name: "sections of one processor", m: one, grid: []int{4}, text: template + task(1, 0, 0, 100) + task(2, 0, 0, 30), want: []float64{130, 130, 130, 130}},
		{name: "sections that the user states", m: one, grid: []int{4}, text: template + task(1, 0, 0, 100) + task(2, 0, 0, 30), want: []float64{100, 100, 30, 30},
			opts: func(o *interval.Options) { o.Sections = "3=0-1/4,10=2-3/4" }},

		// 10 elements, 7 on the first and 3 on the second of two: densities 7
		// and 3, so three coordinates get 14/3, 10/3 and 2, with the bounds 4.7
		// and 8: 4, 4 and 2 elements.
		{name: "block sizes on other coordinates", m: one, grid: []int{3}, root: []int{2}, text: vector + genblk(7, 3) + distributed + rising + byTen, want: []float64{40, 40, 20}},
		// Without weights blocks of 10/3: 3, 3 and 4.
		{name: "weights that are removed", m: one, grid: []int{3}, root: []int{2}, text: vector + genblk(7, 3) + genblk() + distributed + rising + byTen, want: []float64{30, 30, 40}},

		// An array of 20x20 elements of 8 bytes gets another handle and its old
		// one goes to a reduction group. Turning blocks of rows into blocks of
		// columns moves 5x5 elements between each two of four: 12 messages of
		// 75 + 0.2*200, after 1000.
		{name: "an array with another handle", m: one, grid: []int{4}, text: strings.NewReplacer("[0]=8; SizeArray[1]=8;", "[0]=20; SizeArray[1]=20;", "AxisArray[0]=1; AxisArray[1]=2;|DistrParam", "AxisArray[0]=1; AxisArray[1]=0;|DistrParam").Replace(grid8x8) + `
realn_ 0/0 ArrayHandlePtr=55d126950020; PatternRef=55d126950010 (AMView); NewSign=1;|AxisArray[0]=1; AxisArray[1]=2;|CoeffArray[0]=1; CoeffArray[1]=1;|ConstArray[0]=0; ConstArray[1]=0; -> IsLocal=1
+crtda_ 0/0 ArrayHeader=55d126950021; Rank=2; TypeSize=8;|SizeArray[0]=20; SizeArray[1]=20;|LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;|HiShdWidthArray[0]=1; HiShdWidthArray[1]=1; -> ArrayHandlePtr=55d126950030;
crtrg_ 0/0 StaticSign=0; -> RedGroupRef=55d126950020;
getlen_ 1000/0 ArrayHeader=1; -> Res=8;
redis_ 0/0 AMViewRef=55d126950010; PSRef=0; ParamCount=2; NewSign=0;|AxisArray[0]=2; AxisArray[1]=0;|DistrParamArray[0]=0; DistrParamArray[1]=0; -> IsLocal=1;
`, want: []float64{2380, 2380, 2380, 2380}},

		// 50 on the I/O processor, then 4 bytes to three others: 3*75.8.
		{name: "a function of standard I/O without a row", m: one, grid: []int{4}, text: "dvm_lseek 0/50 File=1; -> Res=5;", want: []float64{277.4, 277.4, 277.4, 277.4}},

		// 18 doubles of three processors on links, of six in two such nodes:
		// (75 + 0.2*144)*2*floor(3/2).
		{name: "a reduction of a task inside a node of links", m: tree, grid: []int{6}, root: []int{6},
			text: template + strings.Replace(task(1, 0, 2, 0), "getlen_ 0/0 ArrayHeader=1; -> Res=8;", strings.Replace(reduce, "RedArrayLength=1;", "RedArrayLength=18;", 1), 1),
			want: []float64{207.6, 207.6, 207.6, 0, 0, 0}},
	} {
		t.Run(c.name, c.check)
	}
}
