package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
)

// stream writes r as dvmsim does, with a record that no report knows, and two
// warnings.
func (r *records) stream(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	w := interval.NewWriter(&b)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(w.Header(&r.header))
	for i := range r.intervals {
		check(w.Interval(&r.intervals[i]))
		for j := range r.processors {
			if r.processors[j].Interval == r.intervals[i].ID {
				check(w.Processor(&r.processors[j]))
			}
		}
	}
	b.WriteString(`{"record":"hint","interval":2}` + "\n")
	check(w.End(2))
	return b.String()
}

// TestReadGivesTheSameReport compares the reports of a stream and of the
// records that it was written from.
func TestReadGivesTheSameReport(t *testing.T) {
	r := sample(t)
	for level := report.AllLevels; level < 3; level++ {
		got, err := report.Read("x", strings.NewReader(r.stream(t)), level)
		if err != nil {
			t.Fatal(err)
		}
		if got.Warnings != 2 {
			t.Errorf("%d warnings, expected 2", got.Warnings)
		}
		want := r.tree(t, level)
		want.Warnings = 2
		for _, f := range report.Formats() {
			g := write(t, got, f)
			if g != write(t, want, f) {
				t.Errorf("level %d, %s: the reports differ", level, f)
			}
			if (f == report.HTML || f == report.Text) && !strings.Contains(g, "2 warnings of the simulation") {
				t.Errorf("level %d, %s: the warnings are not said", level, f)
			}
		}
	}
}

// TestReadTellsEveryCut cuts the stream at every byte and expects an error.
func TestReadTellsEveryCut(t *testing.T) {
	s := sample(t).stream(t)
	for n := range len(s) {
		_, err := report.Read("x", strings.NewReader(s[:n]), 0)
		if !errors.Is(err, diag.ErrTruncated) {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(s), err)
		}
	}
}

func TestReadSaysWhere(t *testing.T) {
	lines := strings.SplitAfter(sample(t).stream(t), "\n")
	without := func(skip ...int) string {
		var b strings.Builder
		for i, l := range lines {
			drop := false
			for _, s := range skip {
				drop = drop || i == s-1
			}
			if !drop {
				b.WriteString(l)
			}
		}
		return b.String()
	}
	for _, c := range []struct{ name, in, want string }{
		// Lines: 1 header, 2 interval 1 and its two classes, 5 interval 2,
		// 6 interval 3, 7 interval 4 and its two classes, 10 hint, 11 end.
		{"no main interval", without(2, 3, 4, 5, 6, 7, 8, 9, 11) + `{"record":"end","intervals":0}` + "\n", "x: found no main interval, expected one; was the stream filtered?"},
		{"parent filtered away", without(6), "x:6:1: interval 4 has the parent 3, which does not come before it; do not filter the intervals around it"},
		{"interval of processors filtered away", without(7), "x:7:1: processors of interval 4, which does not come before them"},
		{"not a header", without(1), "x:1:"},
		{"trace", `{"record":"trace","version":1,"source":[],"runtime":{}}` + "\n", "x:1:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := report.Read("x", strings.NewReader(c.in), report.AllLevels)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, ok := errors.AsType[*diag.Error](err); !ok {
				t.Errorf("%T is no diag.Error", err)
			}
		})
	}
}

// TestReadKeepsItsOwnRecords gives two classes whose boxes a reader that uses
// its memory again would mix up.
func TestReadKeepsItsOwnRecords(t *testing.T) {
	r := sample(t)
	r.processors = nil
	for i := range 5 {
		r.processors = append(r.processors, interval.Processor{Interval: 1, N: 1, Boxes: [][]string{{fmt.Sprint(i), "7"}}})
	}
	tree, err := report.Read("x", strings.NewReader(r.stream(t)), report.AllLevels)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range tree.Root.Classes {
		if got := fmt.Sprint(c.Boxes); got != fmt.Sprintf("[[%d 7]]", i) {
			t.Errorf("class %d has the boxes %s", i, got)
		}
	}
}
