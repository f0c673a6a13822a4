package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
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
	// Those of intervals that are left out belong to the one around.
	got := report.SourceLines(withLines(t, 0))
	if len(got) != 3 || got[1].Lost() != 3e-3 || got[1].Interval != 1 {
		t.Errorf("lines of the main interval: %+v", got)
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

// The lines of the table, of the document and of the metrics are those of the
// program.
func TestFormatsHoldLines(t *testing.T) {
	tree := bundled(t, "f01_ivals")
	program := report.SourceLines(tree)
	rows, err := csv.NewReader(strings.NewReader(write(t, tree, report.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]float64{}
	pop := 0
	for _, row := range rows[1:] {
		x, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if row[1] == "line" {
			if x == 0 || row[11] == "" {
				t.Errorf("the row %q", row)
			}
			table[row[8]+":"+row[9]+" "+row[2]] += x
		} else if row[11] != "" {
			t.Errorf("the row %q is no line", row)
		}
		if name, ok := strings.CutPrefix(row[2], "pop."); ok && row[0] == "1" && row[1] == "all" {
			pop++
			if name == "transfer" && x != tree.Root.POP.Transfer {
				t.Errorf("transfer is %v, expected %v", x, tree.Root.POP.Transfer)
			}
		}
	}
	prom := write(t, tree, report.Prom)
	compared := 0
	for i := range program {
		l := &program[i]
		at := fmt.Sprintf("%s:%d ", l.File, l.Line)
		for _, f := range report.Figures() {
			if got, ok := table[at+f.Name()]; ok {
				compared++
				want, _ := strconv.ParseFloat(f.OfLine(l).Exact(), 64)
				if math.Abs(got-want) > 1e-12*want {
					t.Errorf("%s%s: the table sums to %v, expected %v", at, f.Name(), got, want)
				}
			}
		}
		for _, f := range l.Functions {
			if got := table[at+"calls."+f.Func]; got != float64(f.Calls) {
				t.Errorf("%s: %v calls of %s in the table, expected %d", at, got, f.Func, f.Calls)
			}
		}
		want := fmt.Sprintf(`dvm_line_lost_seconds{program="f01_ivals.fdv",grid="2x2",file="%s",line="%d",from_line="%d"} %s`+"\n", l.File, l.Line, l.FromLine, l.Lost().Exact())
		if !strings.Contains(prom, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if compared < 5*len(program) || pop != 6 {
		t.Errorf("%d figures of %d lines compared, %d POP metrics", compared, len(program), pop)
	}
	if want := fmt.Sprintf(`dvm_pop_load_balance{program="f01_ivals.fdv",grid="2x2",interval="1",type="main",place="f01_ivals.fdv:%d"} %s`+"\n", tree.Root.Line, strconv.FormatFloat(tree.Root.POP.LoadBalance, 'g', -1, 64)); !strings.Contains(prom, want) {
		t.Errorf("the metrics lack the load balance %s", want)
	}
	md := write(t, tree, report.Markdown)
	for _, want := range []string{"\nPOP: ", " parallel efficiency = ", "\n| f01\\_ivals.fdv:"} {
		if !strings.Contains(md, want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
}

// What a page that can be changed puts in the place of its tables has nothing for
// people without scripts, whose ids would be there twice.
func TestUpdatesAreForScripts(t *testing.T) {
	tree := bundled(t, "f01_ivals")
	if page := write(t, tree, report.HTML); strings.Count(page, "<noscript>") != 2 {
		t.Errorf("the page has %d parts without scripts, expected lines and intervals", strings.Count(page, "<noscript>"))
	}
	var update strings.Builder
	if err := report.WriteUpdate(&update, tree); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(update.String(), "noscript") || strings.Contains(update.String(), `id=\"l1-`) {
		t.Error("an update has the figures of lines as markup")
	}
}
