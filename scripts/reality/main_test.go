package main

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table into docs/reality.md")

// The table in docs/reality.md is what the command prints.
func TestTheTableIsThatOfTheDocument(t *testing.T) {
	const name = "../../docs/reality.md"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := table(t.Context(), &got, "host.par", "../../testdata/traces"); err != nil {
		t.Fatal(err)
	}
	bounds(t, got.String())
	text := string(b)
	from := strings.Index(text, "| run |")
	if from < 0 {
		t.Fatalf("%s has no table", name)
	}
	have := text[from:]
	if end := strings.Index(have, "\n\n"); end >= 0 {
		have = have[:end+1]
	}
	if have == got.String() {
		return
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Replace(text, have, got.String(), 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s has another table; go test ./scripts/reality -update writes it:\n%s", name, got.String())
}

// bounds checks the errors with own times of the runs that compute for long: at
// most 3 % on the average and 6 % at worst.
func bounds(t *testing.T, table string) {
	t.Helper()
	found := 0
	for _, row := range []struct {
		begins string
		most   float64
	}{{"| **compute**, mean |", 3}, {"| **compute**, worst |", 6}} {
		for line := range strings.Lines(table) {
			if !strings.HasPrefix(line, row.begins) {
				continue
			}
			cells := strings.Split(line, "|")
			e, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(cells[7]), " %"), 64)
			if err != nil || e > row.most {
				t.Errorf("%q has %q, expected at most %v %%", row.begins, cells[7], row.most)
			}
			found++
		}
	}
	if found != 2 {
		t.Errorf("the table has %d of 2 rows with bounds:\n%s", found, table)
	}
}

func TestNoRuns(t *testing.T) {
	var b strings.Builder
	if err := table(t.Context(), &b, "host.par", t.TempDir()); err == nil || !strings.Contains(err.Error(), "no runs of two processes") {
		t.Errorf("an empty directory: %v", err)
	}
	if err := table(t.Context(), &b, "none.par", t.TempDir()); err == nil {
		t.Error("no error without a machine")
	}
}
