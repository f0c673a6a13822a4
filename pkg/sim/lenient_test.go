package sim_test

import (
	"context"
	"strings"
	"testing"

	"dvmtools/pkg/sim"
)

// A task whose runam_ names nothing runs on the current system, and its
// stopam_ ends it: one warning, the 3 s inside are everybody's.
func TestLenientTask(t *testing.T) {
	p := newProgram(2)
	p.call("runam_", "1", "AMRefPtr=10; AMRef=dead;", "0", "Run=1;")
	p.call("tstio_", "3", " ", "0", "Res=1;")
	p.call("stopam_", "0", " ", "0", " ")
	p.call("tstio_", "5", " ", "0", "Res=1;")
	text := p.end()
	cfg := sim.Config{Machine: machineOf(t, bus), Grid: []int{2}, Options: sim.Defaults()}
	if _, err := sim.Run(context.Background(), cfg, source(t, "a.ptr", text)); err == nil || !strings.Contains(err.Error(), "AMRef=dead names nothing") {
		t.Errorf("error %v, want one about AMRef=dead", err)
	}
	cfg.Lenient = true
	r, err := sim.Run(context.Background(), cfg, source(t, "a.ptr", text))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || r.ExecutionTime() != 9 {
		t.Errorf("%v s with the warnings %v, want 9 s with one warning", r.ExecutionTime(), r.Warnings)
	}
}
