package sim_test

import (
	"strings"
	"testing"

	"dvmtools/pkg/clock/clocktest"
	"dvmtools/pkg/sim"
)

// ownPortions is a pipelined loop of two processes in two portions, with edges of
// 512 bytes, at 75 us and 0.2 us a byte:
//
//	             process 0   process 1
//	portion 0    100         500
//	inside dopl_  40         300: process 1 waits, of which the merged 1 passes
//	portion 1    200         100
//	inside dopl_   7         9: likewise
func ownPortions() []byte {
	p := pipelined("0.000000")
	text := strings.NewReplacer("VProcCount=1;      VPSRank=1;      VPSSize= 4;\n", "", "ProcCount=1;", "ProcCount=2;", "PSSize= 1;", "PSSize= 2;").Replace(p.b.String())
	text = strings.TrimSuffix(text, "DoPL=1;\n") + "OwnTimes: 0*2\nDoPL=1;\n"
	p.b.Reset()
	p.b.WriteString(text)
	p.call("dopl_", "0.0006", "OwnTimes: 0.0001 0.0005\nLoopRefPtr=11; LoopRef=b1;", "0.000001", "OwnTimes: 0.00004 0.0003\nDoPL=1;")
	p.call("dopl_", "0.0003", "OwnTimes: 0.0002 0.0001\nLoopRefPtr=11; LoopRef=b1;", "0.000001", "OwnTimes: 0.000007 0.000009\nDoPL=0;")
	p.call("endpl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", " ")
	return p.end()
}

// The pipeline has the two quanta of the run. Processor 0 ends them at 100 and
// 100 + 40 + 200 = 340. A message takes 75 + 51.2. Processor 1 begins at 226.2,
// of which 100 is waiting and 51.2 transfer; it ends its first quantum at 726.2,
// spends 75 on the second message, which has come at 466.2, and then 1 and 100.
func TestPortionsOfARunAreQuanta(t *testing.T) {
	m := machineOf(t, cluster("myrinet(64)"))
	r, err := runOwn(t, "portions", ownPortions(), m, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	checkAccounts(t, "portions", r)
	for p, want := range []struct{ execution, cpu, sys, insuffSYS, comm, synch, overlap float64 }{
		{347, 300, 47, 23.5, 0, 0, 0},
		{903.2, 600, 2, 1, 301.2, 100, 51.2},
	} {
		got := eachTimes(t, r, 0)[p]
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"execution", float64(got.ExecutionTime), want.execution}, {"CPU", float64(got.CPUTime), want.cpu}, {"SYS", float64(got.SYSTime), want.sys},
			{"SYS in vain", float64(got.InsuffParallelismSYS), want.insuffSYS}, {"CPU in vain", float64(got.InsuffParallelismUSR), 0},
			{"shadow edges", float64(got.Shadow.Communication), want.comm}, {"waiting", float64(got.Shadow.RealSynch), want.synch}, {"overlap", float64(got.Shadow.Overlap), want.overlap},
		} {
			if !near(c.got*1e6, c.want, 1e-9) {
				t.Errorf("processor %d: %s %v us, want %v", p, c.what, c.got*1e6, c.want)
			}
		}
	}
	slow, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: []int{2}, Options: sim.Defaults(), OwnTimes: true, NewClocks: clocktest.New}, source(t, "portions", ownPortions()))
	if err != nil {
		t.Fatal(err)
	}
	sameResult(t, "portions", slow, r)
}

// On a grid with another number of processors the quanta are chosen, and the
// merged times hold to the last bit.
func TestPortionsOnOtherGrids(t *testing.T) {
	m := machineOf(t, cluster("myrinet(64)"))
	own, err := runOwn(t, "portions", ownPortions(), m, []int{4})
	if err != nil {
		t.Fatal(err)
	}
	var merged []string
	for l := range strings.Lines(string(ownPortions())) {
		if !strings.HasPrefix(l, "OwnTimes:") {
			merged = append(merged, l)
		}
	}
	if a, b := intervalsText(t, own), intervalsText(t, simulate(t, "merged", []byte(strings.Join(merged, "")), m, []int{4})); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// A program that ends inside the loop has spent the times of its portions.
func TestPortionsCut(t *testing.T) {
	text := string(ownPortions())
	at := strings.LastIndex(text, "call_dopl_")
	end := strings.Index(text, "Event_dvm_exit")
	r, err := runOwn(t, "cut", []byte(text[:at]+text[end:]), machineOf(t, cluster("myrinet(64)")), []int{2})
	if err != nil {
		t.Fatal(err)
	}
	checkAccounts(t, "cut", r)
	for p, want := range []float64{140, 501} {
		if got := eachTimes(t, r, 0)[p]; !near(float64(got.CPUTime+got.SYSTime)*1e6, want, 1e-9) {
			t.Errorf("processor %d: CPU and SYS %v us, want %v", p, float64(got.CPUTime+got.SYSTime)*1e6, want)
		}
	}
}
