package oracle_test

import (
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
)

// portion is a dopl_ that states iterations of the loop of the examples, us
// microseconds after the call before.
func portion(us, from, to int) string {
	return strings.NewReplacer("TIME", itoa(us), "FROM", itoa(from), "TO", itoa(to)).
		Replace("dopl_ TIME/0 LoopRef=55d126950050;|Dim0: Lower=FROM Upper=TO Step=1 -> DoPL=1;\n")
}

// across makes the loop of the examples a pipeline of one quantum.
const across = "across_ 0/0 AcrossType=0; OldShadowGroupRef=0; NewShadowGroupRef=55d126950060; PipeLinePar=1.000000; -> ErrPipeLine=9\n"

// slowAndFast are processors of powers 1 and 10 on a network that takes no
// time.
func slowAndFast() *machine.Machine {
	return mustMachine(machine.New(machine.NewCluster("m", machine.Medium{Kind: machine.Ethernet, Channels: 1},
		machine.Group{Count: 1, Node: machine.NewProcessor("slow", 1)}, machine.Group{Count: 1, Node: machine.NewProcessor("fast", 10)})))
}

// free is a machine whose messages take no time.
func free() *machine.Machine {
	return mustMachine(machine.New(machine.NewCluster("m", machine.Medium{Kind: machine.Ethernet, Channels: 1}, machine.Group{Count: 64, Node: machine.NewProcessor("p", 1)})))
}

func asyncFree(o *interval.Options) { o.Async = options.Free }

// TestWorkedLoops is TestWorked for parallel loops: their bodies, portions,
// pipelines and edges. The array of the examples has 8 elements.
func TestWorkedLoops(t *testing.T) {
	one := bus(machine.Ethernet, 1)
	// Each sweep takes 6400, 1600 on each of four processors.
	sweep := "recvsh_ 0/0 ShadowGroupRef=55d126950060;\n" + wait + loop1 + over(0, 7, 1) + run(6400) + endLoop + "sendsh_ 0/0 ShadowGroupRef=55d126950060;\n" + wait
	// Iteration 3 is at the element that processor 0 exports, 4 is not
	// exported: 2000 on the slow processor, 200 on the fast one.
	exported := line8 + rising + lowEdge + loop1 + first + over(3, 4, 1) + run(4000) + endLoop + wait
	for _, c := range []worked{
		// All 400 inside the body are loop time: 100 on each of four.
		{name: "a sequential loop inside the body", m: one, grid: []int{4},
			text: line8 + rising + loop1 + over(0, 7, 1) + begin + "bsloop_ 100/40 nfrag=2;\nenloop_ 200/60 nfrag=2; nline=1\n" + ended(0) + endLoop,
			want: []float64{100, 100, 100, 100}},
		// The same for a function that is not in the table.
		{name: "an unknown function inside the body", m: one, grid: []int{4},
			text: line8 + rising + loop1 + over(0, 7, 1) + begin + "userfn_ 300/100\n" + ended(0) + endLoop,
			want: []float64{100, 100, 100, 100}},
		// 100 before the first dopl_ and 40 inside the calls of dopl_ are
		// everybody's, 80 of the loop 20 for each.
		{name: "the first dopl_", m: one, grid: []int{4},
			text: line8 + rising + loop1 + over(0, 7, 1) + "dopl_ 100/30 LoopRef=55d126950050; -> DoPL=1;\ndopl_ 80/10 LoopRef=55d126950050; -> DoPL=0;\n" + endLoop,
			want: []float64{160, 160, 160, 160}},
		// Iterations 0..1 are processor 0's and take 100; endpl_ ends 4..7,
		// which take 200 on processors 2 and 3.
		{name: "portions", m: one, grid: []int{4},
			text: line8 + rising + loop1 + over(0, 7, 1) + portion(0, 0, 1) + portion(100, 4, 7) + "endpl_ 200/0 LoopRef=55d126950050;\n",
			want: []float64{100, 0, 100, 100}},
		// Of 200 each of two stages does 100; the second waits for the first
		// and its message, 75 + 1.6: 100 + 76.6 + 100.
		{name: "a pipeline with calls in its body", m: one, grid: []int{2},
			text: line8 + rising + lowEdge + loop1 + over(0, 7, 1) + across + begin + "rlocel_ 60/40 ArrayHeader=1;\n" + ended(100) + endLoop,
			want: []float64{100, 276.6}},
		// The portion 0..3 is processor 0's alone: 100, and 100 for each of
		// the whole: 200 + 76.6 + 100.
		{name: "a pipeline of portions", m: one, grid: []int{2},
			text: line8 + rising + lowEdge + loop1 + over(0, 7, 1) + across + portion(0, 0, 3) + "dopl_ 100/0 LoopRef=55d126950050; -> DoPL=1;\n" + ended(200) + endLoop,
			want: []float64{200, 376.6}},
		// As without calls in the body: processor 1 has 75 before iteration 4,
		// which needs what is there at 76.6 and takes 25.
		{name: "import into a loop with calls in its body", m: one, grid: []int{2},
			text: line8 + rising + lowEdge + start + loop1 + last + over(4, 7, 1) + begin + "rwelm_ 40/20 ArrayHeader=1;\n" + ended(40) + endLoop,
			want: []float64{76.6, 101.6}},
		// Processor 1: iteration 4 alone in the first portion, 40, the others
		// 30 in the second: 30, wait until 76.6, 40.
		{name: "import into one of two portions", m: one, grid: []int{2},
			text: line8 + rising + lowEdge + start + loop1 + last + over(4, 7, 1) + portion(0, 4, 4) + portion(40, 5, 7) + ended(30) + endLoop,
			want: []float64{76.6, 116.6}},

		// A wavefront: processor 3 begins behind three others and does two
		// sweeps, 5 times 1600.
		{name: "two sweeps in a pipeline by hand", m: free(), grid: []int{4}, text: line8 + rising + lowEdge + sweep + sweep,
			want: []float64{3200, 4800, 6400, 8000}},
		// With messages of 75 + 1.6 each hop adds 76.6; the second sweep waits
		// no longer than the first.
		{name: "two sweeps on the bus", m: one, grid: []int{4}, text: line8 + rising + lowEdge + sweep + sweep,
			want: []float64{3200, 4876.6, 6553.2, 8229.8}},
		// A reduction in between, 2*76.6, makes it an ordinary exchange, 76.6.
		{name: "a reduction between recvsh_ and sendsh_", m: one, grid: []int{2},
			text: line8 + rising + lowEdge + "recvsh_ 0/0 ShadowGroupRef=55d126950060;\n" + wait + reduce + "sendsh_ 0/0 ShadowGroupRef=55d126950060;\n" + wait,
			want: []float64{229.8, 229.8}},
		// Edges from both sides: an ordinary exchange of two messages.
		{name: "edges on both sides by hand", m: one, grid: []int{2},
			text: line8 + rising + strings.ReplaceAll(lowEdge, "HiShdWidthArray[0]=0", "HiShdWidthArray[0]=1") + "recvsh_ 0/0 ShadowGroupRef=55d126950060;\n" + wait + "sendsh_ 0/0 ShadowGroupRef=55d126950060;\n" + wait,
			want: []float64{153.2, 153.2}},
		// sendsh_ first: the exchange starts at recvsh_, after 50.
		{name: "sendsh_ before recvsh_", m: one, grid: []int{2},
			text: line8 + rising + lowEdge + "sendsh_ 0/0 ShadowGroupRef=55d126950060;\nrecvsh_ 50/0 ShadowGroupRef=55d126950060;\n" + wait,
			want: []float64{126.6, 126.6}},

		// The exchange begins when the slow processor's edge is done, at 2000;
		// the fast one comes at 200 and waits 1800, all of it for the start.
		{name: "waiting before an exported edge", m: slowAndFast(), grid: []int{2}, text: exported,
			want: []float64{2000, 2000}, real: []float64{0, 1800}},
		{name: "waiting before an exported edge, async free", m: slowAndFast(), grid: []int{2}, text: exported, opts: asyncFree,
			want: []float64{2000, 2000}, real: []float64{0, 1800}},
	} {
		t.Run(c.name, c.check)
	}
}
