package report_test

import (
	"math"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
	"dvmtools/pkg/units"
)

// A comparison of a prediction with a measurement gives the error of each interval
// and its main cause: here an interval of 2 s on each of two processors was predicted to
// take 1.5 s, as 0.75 s of waiting were not foreseen and 0.25 s of computing
// were too much.
func TestPredictionAndMeasurement(t *testing.T) {
	tree := func(measured bool, cpu, wait float64) *report.Tree {
		b := report.NewBuilder(interval.Header{Grid: []int{2}, Processors: 2, Measured: measured}, report.AllLevels)
		total := cpu + wait
		iv := &interval.Interval{ID: 1, Type: interval.Main, File: "a.fdv", Line: 1, Count: 1, Processors: 2}
		tm := &iv.Times
		tm.ExecutionTime, tm.TotalTime, tm.CPUTime, tm.ProductiveCPUTime, tm.ProductiveTime = units.Seconds(total), units.Seconds(2*total), units.Seconds(2*cpu), units.Seconds(2*cpu), units.Seconds(2*cpu)
		tm.Communication, tm.CommunicationSynch, tm.LostTime = units.Seconds(2*wait), units.Seconds(2*wait), units.Seconds(2*wait)
		tm.Reduction.Communication, tm.Reduction.RealSynch = tm.Communication, tm.CommunicationSynch
		if err := b.Interval(diag.Pos{}, iv); err != nil {
			t.Fatal(err)
		}
		tr, err := b.Tree(diag.Pos{})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	predicted, measured := tree(false, 1.25, 0.25), tree(true, 1, 1)
	text := sheet(t, report.Compare(predicted, measured, "p", "m"), report.Text)
	want := []string{"Predicted and measured", "predicted", "measured", "1.500 s", "2.000 s", "-25.0 %", "waiting and idle", "-750.0 ms"}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in\n%s", w, text)
		}
	}
	if part, by := report.Cause(predicted, measured); part != "waiting and idle" || by != -0.75 {
		t.Errorf("the cause is %q, %v s; expected waiting, -0.75", part, by)
	}
	for _, pair := range [][2]*report.Tree{{predicted, predicted}, {measured, predicted}, {measured, measured}} {
		if text := sheet(t, report.Compare(pair[0], pair[1], "p", "m"), report.Text); strings.Contains(text, "Predicted and measured") {
			t.Errorf("no prediction of a measurement:\n%s", text)
		}
	}
}

// What passes inside functions is booked differently: of a second that all
// spend in a reduction the prediction has 0.8 as time of the run-time system and
// 0.1 as exchange, the measurement all of it as exchange. The reduction is 0.1 s
// too short, not 0.9.
func TestCausesAreSetOff(t *testing.T) {
	tree := func(measured bool, sys, exchange, wait float64) *report.Tree {
		b := report.NewBuilder(interval.Header{Grid: []int{2}, Processors: 2, Measured: measured}, report.AllLevels)
		iv := &interval.Interval{ID: 1, Type: interval.Main, File: "a.fdv", Line: 1, Count: 1, Processors: 2}
		tm := &iv.Times
		tm.SYSTime, tm.Reduction.Communication, tm.Reduction.RealSynch = units.Seconds(2*sys), units.Seconds(2*(exchange+wait)), units.Seconds(2*wait)
		tm.Communication, tm.CommunicationSynch = tm.Reduction.Communication, tm.Reduction.RealSynch
		tm.ExecutionTime = units.Seconds(sys + exchange + wait)
		tm.TotalTime, tm.LostTime = 2*tm.ExecutionTime, tm.Communication
		if err := b.Interval(diag.Pos{}, iv); err != nil {
			t.Fatal(err)
		}
		tr, err := b.Tree(diag.Pos{})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	for _, c := range []struct {
		sys, exchange, wait float64 // predicted; 0, 1 and 0.9 are measured
		part                string
		by                  float64
	}{
		{0.8, 0.1, 0.9, "reductions", -0.1},
		{0.8, 0.1, 0.3, "reductions", -0.42}, // 0.9 of 1.5 too short, 0.8 set off
		{1.5, 1, 0.9, "in the run-time system", 1.5},
		{1.5, 0.5, 0.9, "in the run-time system", 1},
	} {
		part, by := report.Cause(tree(false, c.sys, c.exchange, c.wait), tree(true, 0, 1, 0.9))
		if part != c.part || math.Abs(float64(by)-c.by) > 1e-12 {
			t.Errorf("%+v: %q, %v s", c, part, by)
		}
	}
}
