package merge_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ptr/merge"
)

// at makes calls of tstio_ at the given lines.
func at(lines ...int) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "call_tstio_ 0.00000100 %d\nret_tstio_ 0.00000100 %d\nRes=0;\n", l, l)
	}
	return b.String()
}

// linesOf returns the lines of the calls of tstio_.
func linesOf(t testing.TB, text []byte) []string {
	var lines []string
	for _, e := range events(t, text) {
		if e.kind+e.fn == "call_tstio_" {
			lines = append(lines, e.line)
		}
	}
	return lines
}

// TestOrder: which process goes first where heads differ.
func TestOrder(t *testing.T) {
	far := make([]int, 2000)
	for i := range far {
		far[i] = 100 + i
	}
	for _, c := range []struct {
		name string
		in   [][]int
		want string
		warn bool
	}{
		{"equal", [][]int{{5, 6, 5, 6}, {5, 6, 5, 6}}, "5 6 5 6", false},
		// Process 1 comes to 3 after one call, process 0 never to 9. By the
		// smallest LINE process 0 would go first, and 3 and 4 would not match.
		{"a call more at a larger line", [][]int{{3, 4}, {9, 3, 4}}, "9 3 4", false},
		// Process 0 comes to 3 after three calls, process 1 to 7 after two.
		{"the nearer one goes first", [][]int{{7, 8, 9, 3, 99}, {3, 4, 7, 8, 99}}, "3 4 7 8 9 3 99", false},
		// Both are there after one call: the smaller line.
		{"a tie", [][]int{{8, 7, 99}, {7, 8, 99}}, "7 8 7 99", false},
		// An iteration ahead: the loop stays whole, though LINE 3 is smaller.
		{"an iteration more", [][]int{{3, 4, 3, 4, 6}, {3, 4, 6}}, "3 4 3 4 6", false},
		{"three", [][]int{{5, 9}, {4, 5, 9}, {9}}, "4 5 9", false},
		{"nothing in common but the end", [][]int{{5, 6, 99}, {4, 7, 99}}, "4 5 6 7 99", true},
		// Process 1 comes to 50 after 1025 calls, one too many.
		{"too far", [][]int{{50, 5000}, append(slices.Clone(far[:1025]), 50, 5000)},
			"50 " + join(far[:1025]) + " 50 5000", true},
		{"just near enough", [][]int{{50, 99}, append(slices.Clone(far[:1024]), 50, 99)},
			join(far[:1024]) + " 50 99", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in [][]byte
			for _, lines := range c.in {
				in = append(in, trace(len(c.in), at(lines...)))
			}
			var out bytes.Buffer
			warned := 0
			err := merge.Merge(t.Context(), &out, sources(in...), merge.Options{Warn: func(*diag.Error) { warned++ }})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(c.want), linesOf(t, out.Bytes())); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if warned > 1 || c.warn != (warned == 1) {
				t.Errorf("%d warnings, want one: %t", warned, c.warn)
			}
		})
	}
}

func join(n []int) string { return strings.Trim(fmt.Sprint(n), "[]") }

// TestHalves: calls with one half match only calls with the same half, and calls
// whose halves are at different places only calls with the same places.
func TestHalves(t *testing.T) {
	const (
		tron  = "call_tron_ 0.00000100 5\n"
		both  = "call_tron_ 0.00000100 5\nret_tron_ 0.00000100 5\n"
		moved = "call_tstio_ 0.00000100 5\nret_tstio_ 0.00000100 6\n"
		still = "call_tstio_ 0.00000100 5\nret_tstio_ 0.00000100 5\n"
		end   = "call_tstio_ 0.00000100 9\nret_tstio_ 0.00000100 9\n"
	)
	same(t, merged(t, merge.Options{}, trace(2, tron+both+moved+end), trace(2, both+moved+still+end)), `
		call_tron_ 0.00000100 5
		call_tron_ 0.00000100 5
		ret_tron_ 0.00000100 5
		call_tstio_ 0.00000100 5
		ret_tstio_ 0.00000100 6
		call_tstio_ 0.00000100 5
		ret_tstio_ 0.00000100 5
		call_tstio_ 0.00000100 9
		ret_tstio_ 0.00000100 9
		Event_dvm_exit 0.00000100 99 rc=0;`)
}

// TestNested: nested calls are those of the first process, with times in
// proportion to the merged time, and relate handles as other calls do.
func TestNested(t *testing.T) {
	process := func(ref, inner, own string) []byte {
		text := string(trace(2, "call_bsynch_ 0.00000100 5\nNESTED\nret_bsynch_ "+own+" 5\n"+
			"call_delarm_ 0.00000100 6\nArrayMapRef="+ref+";\nret_delarm_ 0.00000100 6"))
		nested := fmt.Sprintf("     call_arrmap_%15sTIME=%s LINE=77     FILE=map.c\n     StaticSign=0;\n", "", inner) +
			fmt.Sprintf("     ret_arrmap_%16sTIME=%s LINE=77     FILE=map.c\n     ArrayMapRef=%s;\n", "", inner, ref)
		return []byte(strings.Replace(text, "NESTED\n", nested, 1))
	}
	// bsynch_ waits: one microsecond in all, of 40 in process 0. The nested
	// call_ and ret_ had 10 of them each, which become 0.25, and the 20 of
	// the ret_ itself 0.5.
	a, b := process("a7", "0.00001000", "0.00002000"), process("b7", "0.00003000", "0.00004000")
	same(t, merged(t, merge.Options{}, a, b), `
		call_bsynch_ 0.00000100 5
		call_arrmap_ 0.00000025 77 StaticSign=0;
		ret_arrmap_ 0.00000025 77 ArrayMapRef=a7;
		ret_bsynch_ 0.00000050 5
		call_delarm_ 0.00000100 6 ArrayMapRef=a7;
		ret_delarm_ 0.00000100 6
		Event_dvm_exit 0.00000100 99 rc=0;`)
	// Alone in a task, process 1 uses the name known from the joint call.
	in := func(am, ref string, run bool) []byte {
		body := "call_delarm_ 0.00000100 6\nArrayMapRef=" + ref + ";\nret_delarm_ 0.00000100 6\n"
		text := string(process(ref, "0.00001000", "0.00002000"))
		head, tail, _ := strings.Cut(text, "call_delarm_")
		_, tail, _ = strings.Cut(tail, "Event_")
		rest := string(trace(2, machines(am+"0", am+"1", am+"2", 5)+task(run, am+"1", 6, body)))
		_, rest, _ = strings.Cut(rest, "call_crtamv_")
		return []byte(head + "call_crtamv_" + rest[:strings.Index(rest, "Event_")] + "Event_" + tail)
	}
	out := string(merged(t, merge.Options{}, in("c", "a7", false), in("d", "b7", true)))
	if _, tail, _ := strings.Cut(out, "call_delarm_"); !strings.Contains(tail, "ArrayMapRef=a7;") {
		t.Errorf("delarm_ of process 1 alone does not name a7:\n%s", tail)
	}
}
