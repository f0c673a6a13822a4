package report_test

import (
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
	for _, pair := range [][2]*report.Tree{{predicted, predicted}, {measured, predicted}, {measured, measured}} {
		if text := sheet(t, report.Compare(pair[0], pair[1], "p", "m"), report.Text); strings.Contains(text, "Predicted and measured") {
			t.Errorf("no prediction of a measurement:\n%s", text)
		}
	}
}
