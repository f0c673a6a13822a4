package sim_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/sim"
)

// The metrics are products of each other on every trace, the ideal time is that
// on a network without times, and figures without them do not change.
func TestPOPMetricsAreProducts(t *testing.T) {
	links := linked(t, 64, 1, row(64, 2e-5, 1e-8)...)
	links.Network.Overheads = []machine.Overhead{{Function: "bufferpacking", Cost: 1e-5}}
	machines := []*machine.Machine{machineOf(t, bus), machineOf(t, tree), links}
	free := machineOf(t, free)
	for _, path := range testtraces.Sample(t) {
		for g, grid := range [][]int{{1}, {2, 2}, {3, 5}, {4}} {
			if effort.Race && g > 1 {
				continue // all grids without the detector
			}
			name := fmt.Sprintf("%s on %v", filepath.Base(path), grid)
			cfg := sim.Config{Machine: machines[g%3], Grid: grid, Options: sim.Defaults()}
			without, err := sim.Run(context.Background(), cfg, testtraces.Calls(t, path).Source())
			if err != nil {
				if !tooWide(err) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			cfg.POP = true
			r, err := sim.Run(context.Background(), cfg, testtraces.Calls(t, path).Source())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var ideal *sim.Result
			if g%3 == 0 {
				ideal = simulate(t, path, testtraces.Text(t, path), free, grid)
			}
			for i, iv := range r.Intervals() {
				p := iv.POP
				at := fmt.Sprintf("%s: interval %d: %+v", name, iv.ID, p)
				if w := without.Intervals()[i]; w.Times != iv.Times || w.POP != nil {
					t.Errorf("%s: other figures than without POP", at)
				}
				if !near(p.ParallelEfficiency, p.LoadBalance*p.CommunicationEfficiency, 1e-12) || !near(p.CommunicationEfficiency, p.Serialisation*p.Transfer, 1e-12) {
					t.Errorf("%s: no products", at)
				}
				if want := float64(iv.ProductiveCPUTime+iv.ProductiveSYSTime) / float64(iv.TotalTime); iv.TotalTime > 0 && !near(p.ParallelEfficiency, want, 1e-9) {
					t.Errorf("%s: parallel efficiency, expected %g", at, want)
				}
				if p.LoadBalance < 0 || p.LoadBalance > 1+1e-12 || p.CommunicationEfficiency > 1+1e-9 || p.Serialisation > 1+1e-9 {
					t.Errorf("%s: out of range", at)
				}
				if i == 0 && !tasks(testtraces.Text(t, path)) && !pipelines(testtraces.Text(t, path)) && p.Transfer > 1+1e-9 {
					t.Errorf("%s: transfer above 1", at)
				}
				if ideal != nil && !near(float64(p.IdealTime), float64(ideal.Intervals()[i].ExecutionTime), 1e-12) {
					t.Errorf("%s: on a free network it takes %g", at, ideal.Intervals()[i].ExecutionTime)
				}
			}
		}
	}
}
