package sim_test

import (
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/sim"
)

// A dvm_ function without a row of its own is input or output that returns a
// status: dvm_open of 1 ms on 4 processors of the bus. The I/O processor
// spends 1 ms in I/O, the others wait for it; the status goes to the three
// others, 3 * (75 + 4 * 0.2) = 227.4 us. So it is for the second call,
// dvm_lseek of nothing: 227.4 us more. Each name has one warning.
func TestUnlistedInputAndOutput(t *testing.T) {
	p := newProgram(4)
	p.call("dvm_open", "0", "FileName=a; Flag=2;", "0.001", "Res=3;")
	p.call("dvm_lseek", "0", "Handle=3; Offset=0;", "0", "Res=0;")
	r := simulate(t, "unlisted", p.end(), machineOf(t, bus), []int{4})
	if err := r.Processors(0, sim.Each, func(q *interval.Processor) error {
		io, comm := 1000.0, 454.8
		if *q.Rank != 0 {
			io, comm = 0, 1454.8
		}
		if got := float64(q.IOTime) * 1e6; !near(got, io, 1e-12) {
			t.Errorf("processor %d: I/O time %v us, want %v", *q.Rank, got, io)
		}
		if got := float64(q.IO.Communication) * 1e6; !near(got, comm, 1e-12) {
			t.Errorf("processor %d: %v us in I/O operations, want %v", *q.Rank, got, comm)
		}
		if q.SYSTime != 0 {
			t.Errorf("processor %d: SYS time %v, want none", *q.Rank, q.SYSTime)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := r.Intervals()[0].Operations.IO; n != 2 {
		t.Errorf("%d operations of input and output, want 2", n)
	}
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0].Error(), "unknown function dvm_open") || !strings.Contains(r.Warnings[0].Error(), "status of 4 bytes, 1 times in all") {
		t.Errorf("warnings %v, want one for each name", r.Warnings)
	}
}
