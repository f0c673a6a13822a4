package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"dvmtools/pkg/ptr/merge"
)

// TestTimesInBodies: calls in the body of a loop are executed for iterations,
// so that their times, call_ and ret_, are added up as those of the loop.
// Operations that wait, and input and output, keep their rule for ret_.
func TestTimesInBodies(t *testing.T) {
	body := func(us int) string {
		return fmt.Sprintf(`DoPL=1;
			call_userfn_ 0.0000%d0 7
			ret_userfn_ 0.0000%d5 7
			call_bsynch_ 0.0000%d0 7
			ret_bsynch_ 0.00009900 7
			call_dvm_fclose 0.0000%d0 7
			Stream=0;
			ret_dvm_fclose 0.0000%d0 7
			Res=0;`, 100+us, 100+us, 100+us, 100+us, 100+us)
	}
	for _, c := range []struct {
		name string
		axis int
		want []string // call_ and ret_ of userfn_, bsynch_, dvm_fclose and of the dopl_ behind
	}{
		// Half of the iterations each: 10.10+10.30 and 10.15+10.35 us; the
		// maximum of ret_ 10.3.
		{"distributed", 1, []string{"0.00002040", "0.00002050", "0.00002040", "0.00000100", "0.00002040", "0.00001030", "0.00010000", "0.00000300"}},
		// All iterations on both: half of it.
		{"replicated", 0, []string{"0.00001020", "0.00001025", "0.00001020", "0.00000100", "0.00001020", "0.00001030", "0.00005000", "0.00000300"}},
	} {
		one := strings.Replace(loop(0xa000, c.axis, true, "", "0.00000100", "0.00004000"), "DoPL=1;", body(1), 1)
		two := strings.Replace(loop(0xb000, c.axis, true, "", "0.00000300", "0.00006000"), "DoPL=1;", body(3), 1)
		got := eventTimes(t, merged(t, merge.Options{}, trace(2, one), trace(2, two)), "userfn_", "bsynch_", "dvm_fclose", "dopl_")
		// The first dopl_ stands before the body.
		if got = got[2:]; strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: times are %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLoopThatNobodyExecutes: of a loop without iterations the mean counts: of
// 0.3, 0.4, 0.5 and 0.6 ms 0.45 ms.
func TestLoopThatNobodyExecutes(t *testing.T) {
	var in [][]byte
	for i, time := range []string{"0.00030000", "0.00040000", "0.00050000", "0.00060000"} {
		in = append(in, trace(4, strings.Replace(loop(0xa000+0x1000*i, 1, true, "", "0.00000100", time), "InLastIndexArray[0]=7", "InLastIndexArray[0]=-1", 1)))
	}
	if got := eventTimes(t, merged(t, merge.Options{}, in...), "dopl_"); got[2] != "0.00045000" {
		t.Errorf("the loop takes %s s, want 0.00045000", got[2])
	}
}

// TestTimeBeforeEndOfALoop: an endpl_ that ends a portion ends loop time:
// 40+60 us.
func TestTimeBeforeEndOfALoop(t *testing.T) {
	open := func(at int, time string) []byte {
		body := loop(at, 1, true, "", "0.00000100", "0.00000100")
		from := strings.Index(body, "DoPL=1;") + len("DoPL=1;")
		to := strings.Index(body, "call_endpl_")
		return trace(2, body[:from]+"\n"+strings.Replace(body[to:], "call_endpl_ 0.00000100", "call_endpl_ "+time, 1))
	}
	if got := eventTimes(t, merged(t, merge.Options{}, open(0xa000, "0.00004000"), open(0xb000, "0.00006000")), "endpl_"); got[0] != "0.00010000" {
		t.Errorf("the loop takes %s s, want 0.00010000", got[0])
	}
}

// TestPortionsOfProcesses: a portion is kept only when all processes state the
// same one.
func TestPortionsOfProcesses(t *testing.T) {
	with := func(at int, portion string) []byte {
		return trace(2, strings.Replace(loop(at, 1, true, "", "0.00000100", "0.00004000"), "\n\t\tret_dopl_", "\n"+portion+"\n\t\tret_dopl_", 1))
	}
	const low, high = "Dim0: Lower=0 Upper=3 Step=1", "Dim0: Lower=4 Upper=7 Step=1"
	for _, c := range []struct {
		one, two string
		kept     bool
	}{{low, high, false}, {low, low, true}, {low, "", false}, {low, low + "\n" + high, false}} {
		out := string(merged(t, merge.Options{}, with(0xa000, c.one), with(0xb000, c.two)))
		if got := strings.Contains(out, "Dim0:"); got != c.kept {
			t.Errorf("%q and %q: a portion in the merged trace: %v, want %v", c.one, c.two, got, c.kept)
		}
	}
}

// eventTimes lists the times of the calls of some functions in their order.
func eventTimes(t *testing.T, text []byte, functions ...string) []string {
	var out []string
	for _, e := range events(t, text) {
		for _, f := range functions {
			if e.fn == f {
				out = append(out, e.time)
			}
		}
	}
	return out
}
