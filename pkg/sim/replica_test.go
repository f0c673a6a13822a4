package sim_test

import (
	"fmt"
	"testing"
)

// Two arrays, replicated along arrays that are aligned with 2*i and 5*i. On a
// template of 11 elements over 11 processors the first lies at 0, 2, 4, 6, 8,
// 10 and the second at 0, 5, 10: both from 0 to 10, with other steps. A loop
// of 1 s over the first is done by 6 processors, one over the second by 3.
func TestReplicasWithOtherSteps(t *testing.T) {
	p := newProgram(11)
	p.template([]int{11}, []int{1}, nil)
	for i, step := range []int{2, 5} {
		place, whole := fmt.Sprintf("e%d", i+1), fmt.Sprintf("f%d", i+1)
		array := func(handle string, size int, pattern string, axis, coeff int) {
			p.call("crtda_", "0", fmt.Sprintf("ArrayHeader=%s0; ExtHdrSign=1; BasePtr=0; Rank=1; TypeSize=8; StaticSign=0; ReDistrSign=0;\n%s\n%s\n%s", handle,
				vector("SizeArray", size), vector("LowShdWidthArray", 0), vector("HiShdWidthArray", 0)), "0", "ArrayHandlePtr="+handle+";")
			p.align("align_", handle, pattern, []int{axis}, []int{coeff}, []int{0})
		}
		array(place, 10/step+1, "a1 (AMView)", 1, step)
		array(whole, 4, place+" (DisArray)", -1, 0)
		p.call("crtpl_", "0", "Rank=1;", "0", "LoopRef=b1;")
		p.call("mappl_", "0", fmt.Sprintf("LoopRefPtr=11; LoopRef=b1; PatternRefPtr=10; PatternRef=%s (DisArray);\n%s\n%s\n%s\n%s\n%s\n%s", whole, vector("AxisArray", 1), vector("CoeffArray", 1), vector("ConstArray", 0),
			vector("InInitIndexArray", 0), vector("InLastIndexArray", 3), vector("InStepArray", 1)), "0", "IsLocal=1;")
		p.call("dopl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=1;")
		p.call("dopl_", "1", "LoopRefPtr=11; LoopRef=b1;", "0", "DoPL=0;")
		p.call("endpl_", "0", "LoopRefPtr=11; LoopRef=b1;", "0", " ")
	}
	got := cpu(t, simulate(t, "replicas", p.end(), machineOf(t, bus), []int{11}))
	want := []float64{2, 0, 1, 0, 1, 1, 1, 0, 1, 0, 2}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("the processors work %v s, want %v", got, want)
		}
	}
}
