package sim

import (
	"strings"
	"testing"

	"dvmtools/pkg/call"
)

func TestWarnLone(t *testing.T) {
	for _, c := range []struct {
		source    string
		processes int
		stem      string // "" for no warning
	}{
		{"runs/jac1_1.ptr.zst", 2, "runs/jac"},
		{"jac0_0.ptr", 2, "jac"},
		{"jac20_0.ptr", 4, "jac2"},
		{"jac_p212_12.ptr.gz", 16, "jac_p2"},
		{"jac0_0.ptr", 1, ""},  // a run on one processor
		{"jac2_2.ptr", 2, ""},  // no such process
		{"jac0_1.ptr", 2, ""},  // numbers differ
		{"jac1_01.ptr", 2, ""}, // not as processes are counted
		{"0_0.ptr", 2, ""},     // nothing in common
		{"jac_p2.ptr", 2, ""},  // merged
		{"jac.calls", 2, ""},   // of a merged trace
		{"<stdin>", 2, ""},
	} {
		var n notes
		n.warnLone(&call.Header{Source: []string{c.source}, Runtime: call.Runtime{Processors: c.processes}})
		switch {
		case c.stem == "" && len(n.warned) > 0:
			t.Errorf("%s of %d: %v", c.source, c.processes, n.warned)
		case c.stem != "" && (len(n.warned) != 1 || !strings.Contains(n.warned[0].Error(), "dvmtrace-merge "+c.stem+" makes it")):
			t.Errorf("%s of %d: %v, expected a warning with %s", c.source, c.processes, n.warned, c.stem)
		}
	}
	var n notes
	n.warnLone(&call.Header{Source: []string{"jac0_0.ptr", "jac1_1.ptr"}, Runtime: call.Runtime{Processors: 2}})
	if len(n.warned) > 0 {
		t.Errorf("both traces: %v", n.warned)
	}
}
