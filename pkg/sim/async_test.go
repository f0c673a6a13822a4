package sim_test

import (
	"context"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
	"dvmtools/pkg/sim"
)

// edges writes a group c1 of edges of the array e1 with the given widths.
func (p *program) edges(low, high int) {
	p.call("crtshg_", "0", "StaticSign=0;", "0", "ShadowGroupRef=c1;")
	p.call("inssh_", "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1; ArrayHeader=e10; ArrayHandlePtr=e1; FullShdSign=0;\n"+vector("LowShdWidthArray", low)+"\n"+vector("HiShdWidthArray", high), "0", " ")
}

// half writes a call on the group c1.
func (p *program) half(name string) {
	p.call(name, "0", "ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
}

// sweep writes a loop of 64 iterations between the receive and the send of a
// pipeline made by hand, as in R appendix 5, sor.fdv.
func (p *program) sweep(time string) {
	p.half("recvsh_")
	p.half("waitsh_")
	p.loop([]int{64}, time)
	p.half("sendsh_")
	p.half("waitsh_")
}

// Two sweeps of 6.4 ms over 4 processors, 1.6 ms on each. Where messages cost
// nothing the wavefront reaches processor 3 after 3 * 1.6 ms, which then does
// its own 1.6 ms; the second sweep follows behind: processor 0 begins it at 1.6
// ms, so that processor 3 ends it at 8 ms. Messages of 8 bytes add 3 * 76.6 us.
// Nothing is synchronised: without the wait of the receive, in an ordinary
// exchange, everybody would begin the second sweep together.
func TestPipelineMadeByHand(t *testing.T) {
	for _, c := range []struct {
		name, machine string
		low, high     int
		micros        float64
	}{
		{"free", free, 1, 0, 8000},
		{"bus", bus, 1, 0, 8229.8},
		// From the last processor to the first.
		{"backwards", bus, 0, 1, 8229.8},
	} {
		p := newProgram(4)
		p.template([]int{64}, []int{1}, nil)
		p.array("e1", 64)
		p.edges(c.low, c.high)
		p.sweep("0.0064")
		p.sweep("0.0064")
		r := simulate(t, c.name, p.end(), machineOf(t, c.machine), []int{4})
		if got := float64(r.ExecutionTime()) * 1e6; !near(got, c.micros, 1e-9) {
			t.Errorf("%s: %.9g us, want %g", c.name, got, c.micros)
		}
		if n := r.Intervals()[0].Operations; n.Shadow != 2 {
			t.Errorf("%s: operations %+v, want 2 of shadow edges", c.name, n)
		}
		if len(r.Warnings) > 0 {
			t.Errorf("%s: %v", c.name, r.Warnings)
		}
		checkAccounts(t, c.name, r)
	}
}

// What is no pipeline is an exchange at the sendsh_, with a warning: edges on
// both sides, or a reduction in between. Each sweep ends with everybody at the
// exchange: 1.6 ms and the messages, of 76.6 us each on the bus: 6 with both
// sides, 3 with one and 6 of the reduction.
func TestNoPipelineMadeByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		high   int
		micros float64
		want   string
	}{
		{"both sides", 1, 1600 + 6*76.6, "both sides"},
		{"reduction", 0, 1600 + 3*76.6 + 6*76.6, "collective"},
	} {
		p := newProgram(4)
		p.template([]int{64}, []int{1}, nil)
		p.array("e1", 64)
		p.edges(1, c.high)
		p.half("recvsh_")
		p.half("waitsh_")
		p.loop([]int{64}, "0.0064")
		if c.high == 0 {
			p.reduction()
		}
		p.half("sendsh_")
		p.half("waitsh_")
		r := simulate(t, c.name, p.end(), machineOf(t, bus), []int{4})
		if got := float64(r.ExecutionTime()) * 1e6; !near(got, c.micros, 1e-9) {
			t.Errorf("%s: %.9g us, want %g", c.name, got, c.micros)
		}
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Error(), c.want) {
			t.Errorf("%s: warnings %v, want one with %q", c.name, r.Warnings, c.want)
		}
	}
}

// An exchange starts at the later of recvsh_ and sendsh_, whichever that is.
// 1.6 ms pass between them, then 6 messages of 76.6 us, all waited for.
func TestExchangeStartsAtTheLaterHalf(t *testing.T) {
	for _, order := range [][2]string{{"recvsh_", "sendsh_"}, {"sendsh_", "recvsh_"}} {
		p := newProgram(4)
		p.template([]int{64}, []int{1}, nil)
		p.array("e1", 64)
		p.edges(1, 1)
		p.half(order[0])
		p.loop([]int{64}, "0.0064")
		p.half(order[1])
		p.half("waitsh_")
		r := simulate(t, order[0], p.end(), machineOf(t, bus), []int{4})
		if got := float64(r.ExecutionTime()) * 1e6; !near(got, 1600+6*76.6, 1e-9) {
			t.Errorf("%s first: %.9g us, want %g", order[0], got, 1600+6*76.6)
		}
		if iv := r.Intervals()[0]; iv.Overlap != 0 || iv.Operations.Shadow != 1 {
			t.Errorf("%s first: overlap %v, operations %+v", order[0], iv.Overlap, iv.Operations)
		}
	}
}

// A loop of two iterations, both at edges, on processors of power 1 and 10: 2
// and 0.2 ms. The exchange begins when the slow one is done with its edges: for
// 1.8 ms the fast one waits for an exchange that has not begun, which is real
// synchronization whether clocks are pulled together at exfrst_ or not.
func TestWaitingBeforeAnExchangeIsRealSynchronization(t *testing.T) {
	for _, async := range []options.Async{options.Synced, options.Free} {
		p := newProgram(2)
		p.template([]int{2}, []int{1}, nil)
		p.array("e1", 2)
		p.edges(1, 1)
		p.openLoopWith(2, func() {
			p.call("exfrst_", "0", "LoopRefPtr=11; LoopRef=b1; ShadowGroupRefPtr=12; ShadowGroupRef=c1;", "0", " ")
		})
		p.dopl("0.004", "0", "", 0)
		p.endLoop("0")
		p.half("waitsh_")
		opts := sim.Defaults()
		opts.Async = async
		m := machineOf(t, "cluster = c; c = {1 x slow, 1 x fast}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; slow = 1.0; fast = 10.0;\n")
		r, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: []int{2}, Options: opts}, source(t, string(async), p.end()))
		if err != nil {
			t.Fatal(err)
		}
		iv := r.Intervals()[0]
		if got := float64(iv.Kind(interval.Shadow).RealSynch) * 1e3; !near(got, 1.8, 1e-9) {
			t.Errorf("%s: %.9g ms of real synchronization, want 1.8", async, got)
		}
		if got := float64(iv.Synchronization) * 1e3; !near(got, 1.8, 1e-9) {
			t.Errorf("%s: %.9g ms of synchronization, want 1.8", async, got)
		}
		checkAccounts(t, string(async), r)
	}
}
