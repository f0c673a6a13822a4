package report_test

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
)

// linesOf is the sample with the given lines.
func linesOf(t *testing.T, lines []interval.Line) *report.Tree {
	t.Helper()
	r := sample(t)
	b := report.NewBuilder(r.header, report.AllLevels)
	for i := range r.intervals {
		if err := b.Interval(diag.Pos{File: "x"}, &r.intervals[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range lines {
		if err := b.Line(diag.Pos{File: "x"}, &lines[i]); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Tree(diag.Pos{File: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Line 9 is the same in both, line 30 has moved to 32, where it communicates 4 ms
// longer; 12 has no calls and is known by its number alone, so that it is gone.
func TestCompareLines(t *testing.T) {
	a := linesOf(t, linesSample())
	later := linesSample()
	later[1].Line, later[1].FromLine = 14, 11
	later[2].Line, later[2].FromLine, later[2].Communication = 32, 3, 8e-3
	b := linesOf(t, later)
	var got []string
	for _, p := range report.MatchLines(a, b) {
		at := func(l *interval.Line) string {
			if l == nil {
				return "-"
			}
			return l.File + ":" + strconv.Itoa(l.Line)
		}
		got = append(got, at(p.A)+" "+at(p.B))
	}
	if s := strings.Join(got, ", "); s != "a.fdv:30 a.fdv:32, b.fdv:9 b.fdv:9, b.fdv:12 -, - b.fdv:14" {
		t.Errorf("paired: %s", s)
	}
	text := sheet(t, report.Compare(a, b, "a", "b"), report.Text)
	_, text, _ = strings.Cut(text, "\nLines\n")
	rows := strings.Split(text, "\n")[2:]
	// 5 ms of four processors become 9.
	for i, want := range []string{"lines", "b.fdv:9-12 (only in A)", "b.fdv:11-14 (only in B)", "a.fdv:1-30 → 3-32", "b.fdv:3-9"} {
		if !strings.HasPrefix(rows[i], want) {
			t.Errorf("row %d is %q, expected %s", i, rows[i], want)
		}
	}
	if want := []string{"1.250", "ms", "2.250", "ms", "+1.000", "ms", "+80.0", "%", "1.125", "ms", "2.125", "ms"}; !strings.Contains(strings.Join(strings.Fields(rows[3]), " "), strings.Join(want, " ")) {
		t.Errorf("the row is %q, expected %q", rows[3], want)
	}
}

// A stream without lines has none of the other's either: nothing is the other's only.
func TestCompareWithoutLines(t *testing.T) {
	with, without := linesOf(t, linesSample()), linesOf(t, nil)
	for _, pair := range [][2]*report.Tree{{with, without}, {without, with}} {
		text := sheet(t, report.Compare(pair[0], pair[1], "a", "b"), report.Text)
		if strings.Contains(text, "only in") || strings.Contains(text, "\nLines\n") {
			t.Errorf("%s", text)
		}
	}
}

// The changes of lines and of idle time sum to that of the execution time.
func TestChangesOfLinesSum(t *testing.T) {
	a, b := bundled(t, "f01_ivals"), bundled(t, "f11_subr")
	rows, err := csv.NewReader(strings.NewReader(sheet(t, report.Compare(a, b, "a", "b"), report.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sum, n := float64(b.Root.Idle-a.Root.Idle)/4, 0
	for _, row := range rows {
		if row[0] == "lines" && row[3] == "change" {
			x, err := strconv.ParseFloat(row[4], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += x
			n++
		}
	}
	if want := float64(b.Root.ExecutionTime - a.Root.ExecutionTime); math.Abs(sum-want) > 1e-12 || n < 30 {
		t.Errorf("%d lines changed by %v in all, the programs by %v", n, sum, want)
	}
}
