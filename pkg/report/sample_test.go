package report_test

import (
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/report"
	"dvmtools/pkg/units"
)

// records are the intervals and processors of a stream.
type records struct {
	header     interval.Header
	intervals  []interval.Interval
	processors []interval.Processor
}

// tree builds the tree of r down to level.
func (r *records) tree(t testing.TB, level int) *report.Tree {
	t.Helper()
	b := report.NewBuilder(r.header, level)
	for i := range r.intervals {
		if err := b.Interval(diag.Pos{File: "x", Line: 2 + i}, &r.intervals[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range r.processors {
		if err := b.Processor(diag.Pos{File: "x"}, &r.processors[i]); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Tree(diag.Pos{File: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// sample is a program on 2 x 2 processors as the model would have it (laws L2
// and L3 hold): a sequential part that all four repeat, and a parallel loop
// with an expression that ends with a reduction; three processors have a third
// more to do than the last.
func sample(t testing.TB) *records {
	t.Helper()
	cpu := machine.NewProcessor("cpu", 1.5)
	bus := machine.NewCluster("bus4", machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: units.Micro(75), TByte: units.MicroPerByte(0.2)},
		machine.Group{Count: 4, Node: cpu})
	m, err := machine.New(bus)
	if err != nil {
		t.Fatal(err)
	}
	expr := int64(-3)

	// Per processor, in milliseconds: the sequential part 2 CPU + 0.4 SYS.
	seq := interval.Times{
		CPUTime: 8e-3, SYSTime: 1.6e-3,
		InsuffParallelismUSR: 6e-3, InsuffParallelismSYS: 1.2e-3, InsuffParallelism: 7.2e-3,
		ProductiveCPUTime: 2e-3, ProductiveSYSTime: 0.4e-3, ProductiveTime: 2.4e-3,
		ExecutionTime: 2.4e-3, TotalTime: 9.6e-3, LostTime: 7.2e-3, Efficiency: 0.25,
	}
	// The loop: 12 CPU on three processors, 9 on the last, which waits 3 for
	// them; the reduction lasts 0.4596 more.
	par := interval.Times{
		CPUTime: 45e-3, ProductiveCPUTime: 45e-3, ProductiveTime: 45e-3,
		Communication: 4.8384e-3, CommunicationSynch: 3e-3, Synchronization: 3e-3,
		LoadImbalance: 3e-3, ExecutionTime: 12.4596e-3, TotalTime: 49.8384e-3, LostTime: 4.8384e-3,
		Efficiency: 45 / 49.8384,
		Reduction:  interval.KindTimes{Communication: 4.8384e-3, RealSynch: 3e-3, Synch: 3e-3},
	}
	all := interval.Times{
		CPUTime: 53e-3, SYSTime: 1.6e-3, IOTime: 1e-3,
		InsuffParallelismUSR: 6e-3, InsuffParallelismSYS: 1.2e-3, InsuffParallelism: 7.2e-3,
		ProductiveCPUTime: 47e-3, ProductiveSYSTime: 0.4e-3, ProductiveTime: 48.4e-3,
		Communication: 4.8384e-3, CommunicationSynch: 3e-3, Synchronization: 3.25e-3, TimeVariation: 1e-9,
		Idle: 3e-3, LoadImbalance: 3e-3, Overlap: 1.25e-4,
		ExecutionTime: 15.8596e-3, TotalTime: 63.4384e-3, LostTime: 15.0384e-3, Efficiency: 48.4 / 63.4384,
		IO:             interval.KindTimes{Variation: 1e-9},
		Reduction:      par.Reduction,
		Shadow:         interval.KindTimes{Overlap: 1.25e-4, Synch: 0.25e-3},
		Remote:         interval.KindTimes{Communication: 1e-6 / 3, RealSynch: 1e-6 / 7, Synch: 1e-6 / 9, Variation: 1e-6 / 11, Overlap: 1e-6 / 13},
		Redistribution: interval.KindTimes{Communication: 2e-6 / 3, RealSynch: 2e-6 / 7, Synch: 2e-6 / 9, Variation: 2e-6 / 11, Overlap: 2e-6 / 13},
	}
	return &records{
		header: interval.Header{
			Machine: m.Description(), Grid: []int{2, 2}, Processors: 4, Source: []string{"jac.ptr"},
			Options: interval.Options{Model: options.Defaults(), Level: -1},
		},
		intervals: []interval.Interval{
			{ID: 1, Type: interval.Main, File: "jac.fdv", Line: 1, Count: 1, Processors: 4,
				Operations: interval.Operations{IO: 1, Reduction: 20, Shadow: 3, Remote: 4, Redistribution: 5}, Times: all},
			{ID: 2, Parent: 1, Level: 1, Type: interval.Sequential, File: "jac.fdv", Line: 9, Count: 1, Processors: 4, Times: seq},
			{ID: 3, Parent: 1, Level: 1, Type: interval.User, File: "jac.fdv", Line: 12, Expr: &expr, Count: 20, Processors: 4,
				Operations: interval.Operations{Reduction: 20}, Times: par},
			{ID: 4, Parent: 3, Level: 2, Type: interval.Parallel, File: "jac.fdv", Line: 14, Count: 20, Processors: 4,
				Operations: interval.Operations{Reduction: 20}, Times: par},
		},
		processors: []interval.Processor{
			{Interval: 1, Boxes: [][]string{{"0-1", "0"}, {"0", "1"}}, N: 3, Times: interval.Times{
				ExecutionTime: 14.8596e-3, CPUTime: 14e-3, SYSTime: 0.4e-3, Communication: 0.4596e-3, Idle: 1e-3}},
			{Interval: 1, Boxes: [][]string{{"1", "1"}}, N: 1, Times: interval.Times{
				ExecutionTime: 15.8596e-3, CPUTime: 11e-3, SYSTime: 0.4e-3, IOTime: 1e-3, Communication: 3.4596e-3, LoadImbalance: 3e-3}},
			{Interval: 4, Boxes: [][]string{{"0-1", "0"}, {"0", "1"}}, N: 3, Times: interval.Times{
				ExecutionTime: 12.4596e-3, CPUTime: 12e-3, Communication: 0.4596e-3}},
			{Interval: 4, Boxes: [][]string{{"1", "1"}}, N: 1, Times: interval.Times{
				ExecutionTime: 12.4596e-3, CPUTime: 9e-3, Communication: 3.4596e-3, CommunicationSynch: 3e-3, LoadImbalance: 3e-3}},
		},
	}
}
