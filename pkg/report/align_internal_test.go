package report

import (
	"strings"
	"testing"
)

// Decimal points and units of numbers are aligned, whatever the units are; headings
// are at the right.
func TestAlign(t *testing.T) {
	rows := [][]string{
		{"interval", "count", "execution", "efficiency"},
		{"main", "1", "497.2 ms", "16.5 %"},
		{"par", "120", "3.634 us", "<0.1 %"},
		{"seq", "3", "12000 s", "100.0 %"},
		{"seq", "3", "0 s", "-2.0 %"},
		{"user", "3", "1.500e-13 s", ""},
	}
	want := strings.Join([]string{
		"interval  count         execution  efficiency",
		"main          1    497.2       ms      16.5 %",
		"par         120      3.634     us      <0.1 %",
		"seq           3  12000         s      100.0 %",
		"seq           3      0         s       -2.0 %",
		"user          3      1.500e-13 s             ",
	}, "\n")
	if got := strings.Join(align(rows, "lrdd"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if rows[1][2] != "497.2 ms" {
		t.Error("the rows were changed")
	}
}

// Exact numbers are those of the records.
func TestExactNumbers(t *testing.T) {
	o := Options{Exact: true}
	tenth := 0.1
	if got := o.time(tenth + 0.2); got != "0.30000000000000004 s" {
		t.Errorf("time %s", got)
	}
	if got := o.percent(0.125); got != "12.5 %" {
		t.Errorf("share %s", got)
	}
	o.Exact = false
	if got := o.time(tenth+0.2) + " " + o.percent(0.12549); got != "300.0 ms 12.5 %" {
		t.Errorf("rounded %s", got)
	}
}
