package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
)

// linesSample are the lines of two intervals: line 9 is in both of them.
func linesSample() []interval.Line {
	return []interval.Line{
		{Interval: 1, File: "b.fdv", FromLine: 3, Line: 9, Functions: []interval.Function{{Func: "crtda_", Calls: 2}, {Func: "align_", Calls: 1}},
			Times: interval.Times{CPUTime: 3e-3, InsuffParallelism: 2e-3}},
		{Interval: 1, File: "b.fdv", FromLine: 9, Line: 12, Times: interval.Times{CPUTime: 5e-3}},
		{Interval: 2, File: "a.fdv", FromLine: 1, Line: 30, Functions: []interval.Function{{Func: "dopl_", Calls: 4}},
			Times: interval.Times{SYSTime: 1e-3, InsuffParallelism: 0.5e-3, Communication: 4e-3}},
		{Interval: 2, File: "b.fdv", FromLine: 5, Line: 9, Functions: []interval.Function{{Func: "align_", Calls: 3}},
			Times: interval.Times{CPUTime: 1e-3, Communication: 1e-3}},
	}
}

func withLines(t *testing.T, level int) *report.Tree {
	t.Helper()
	r := sample(t)
	b := report.NewBuilder(r.header, level)
	for i := range r.intervals {
		if err := b.Interval(diag.Pos{File: "x"}, &r.intervals[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range linesSample() {
		if err := b.Line(diag.Pos{File: "x"}, &l); err != nil {
			t.Fatal(err)
		}
		if len(l.Functions) > 0 {
			l.Functions[0].Calls = 99 // the builder has its own
		}
	}
	if err := b.Line(diag.Pos{File: "x"}, &interval.Line{Interval: 77}); err == nil {
		t.Error("a line of no interval is taken")
	}
	tree, err := b.Tree(diag.Pos{File: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestSourceLinesAreEachOnce(t *testing.T) {
	tree := withLines(t, report.AllLevels)
	list := report.SourceLines(tree)
	if len(list) != 3 || list[0].File != "a.fdv" || list[1].Line != 9 || list[2].Line != 12 {
		t.Fatalf("lines %+v", list)
	}
	l := list[1]
	if l.FromLine != 3 || l.CPUTime != 4e-3 || l.Lost() != 3e-3 || l.Spent() != 5e-3 || l.Functions[0].Calls != 2 || l.Functions[1].Calls != 4 {
		t.Errorf("line 9 is %+v", l)
	}
	if n := tree.Root.Lines[0]; n.CPUTime != 3e-3 || n.Functions[1].Calls != 1 {
		t.Errorf("the sum has changed the interval's line: %+v", n)
	}
	if got := report.SourceLines(withLines(t, 0)); len(got) != 2 {
		t.Errorf("%d lines of the main interval, expected 2", len(got))
	}
}

func TestTextShowsTheLinesThatLoseMost(t *testing.T) {
	var b bytes.Buffer
	if err := report.Write(&b, withLines(t, report.AllLevels), report.Text, report.Options{}); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(b.String(), "the lines that lose most\n")
	table, _, _ = strings.Cut(table, "\n\n")
	// Of 15.0384 ms lost in all; line 12 loses nothing.
	const want = `lines           lost  of all     spent  functions
a.fdv:1-30  4.500 ms  29.9 %  5.000 ms  dopl_ 4
b.fdv:3-9   3.000 ms  19.9 %  5.000 ms  crtda_ 2, align_ 4`
	if table != want {
		t.Errorf("found\n%s\nexpected\n%s", table, want)
	}
}

func TestJSONHoldsLines(t *testing.T) {
	var b bytes.Buffer
	if err := report.Write(&b, withLines(t, report.AllLevels), report.JSON, report.Options{}); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Intervals []struct {
			Lines []map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	l := doc.Intervals[0].Lines
	if len(l) != 2 || l[0]["from_line"] != 3.0 || l[0]["cpu_time"] != 3e-3 || l[0]["idle"] != nil {
		t.Errorf("lines of the main interval: %v", l)
	}
}
