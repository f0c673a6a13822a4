package measure_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/machine/measure"
)

// TestPowerSources compares the programs of the power test with a file, and
// counts their operations.
func TestPowerSources(t *testing.T) {
	var b strings.Builder
	for _, ops := range measure.Operations() {
		first, second := measure.PowerSources(ops)
		n := 0
		for line := range strings.Lines(first) {
			if strings.HasPrefix(line, "s = s ") {
				n++
			}
		}
		if n != ops {
			t.Errorf("%d operations in an iteration, want %d", n, ops)
		}
		if ops <= 16 {
			b.WriteString(first + second)
		}
	}
	golden(t, "testdata/power.txt", b.String())
}

// TestAlone: 1000 operations in 25 us.
func TestAlone(t *testing.T) {
	m := machine{grain: 1e-6, preempted: 0.1, random: rand.New(rand.NewPCG(1, 2))}
	o := measure.Options{Samples: 10, Processes: 2, Repeats: 4, RunTime: 0.01, Grain: 1e-6}
	q := measure.Alone(1000)
	var s measure.Series
	for !s.Done {
		if err := s.Step(loop{&m, 25e-6}, loop{&m, 0}, q, o); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Timing(q, o)
	if err != nil || got.Center < 24.9e-9 || got.Center > 25.1e-9 {
		t.Errorf("%v, %v: want 25e-9", got, err)
	}
}

func TestColumn(t *testing.T) {
	c := &measure.Column{Conditions: []string{"one\ntwo"}, Rows: []measure.Row{{1, 2e-9, 0}, {16, 3.25e-8, 1e-10}}}
	text := c.String()
	if !strings.Contains(text, "// one two\n1 2.0e-9 0.0\n16 3.25e-8 1.0e-10\n") {
		t.Errorf("written as %s", text)
	}
	again, err := measure.ParseColumn("a.power", []byte(text))
	if err != nil || !cmp.Equal(again.Rows, c.Rows) {
		t.Errorf("%v read again, error %v, want %v", again, err, c.Rows)
	}
	for text, want := range map[string]string{
		"":              "a.power: found no line",
		"1":             "a.power:1:1: found 1 words",
		"// c\n1 2 3 4": "a.power:2:1: found 4 words",
		"x 1":           `found "x", expected a number of operations`,
		"0 1":           `found "0", expected a number of operations`,
		"1 0":           `found "0", expected a time`,
		"1 -2":          `found "-2", expected a time`,
		"1 NaN":         `found "NaN", expected a time`,
		"1 2 -1":        `found "-1", expected a standard deviation`,
		"2 1\n2 1":      "a.power:2:1: found 2 operations behind 2, expected ascending",
	} {
		if _, err := measure.ParseColumn("a.power", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestRatios: the target takes half the time of the machine traced on with 4
// operations, so it has twice the power. Relative deviations of 0.03 and 0.04
// make 0.05.
func TestRatios(t *testing.T) {
	target := &measure.Column{Rows: []measure.Row{{1, 1e-9, 0}, {4, 1e-9, 3e-11}, {64, 4e-9, 0}}}
	traced := &measure.Column{Rows: []measure.Row{{4, 2e-9, 8e-11}, {8, 1, 0}, {64, 1e-9, 0}}}
	all := measure.Ratios(target, traced)
	if len(all) != 2 || all[0].Operations != 4 || all[0].Words() != "2.0  (standard deviation 0.1)" || all[1].Words() != "0.25" {
		t.Errorf("%v, want a power of 2 and one of 0.25", all)
	}
	// 16 is as far from 4 as from 64.
	for ops, want := range map[int]int{1: 4, 15: 4, 16: 4, 17: 64, 1000: 64} {
		if got := measure.Nearest(all, ops); got.Operations != want {
			t.Errorf("the interval nearest to %d operations is that of %d, want %d", ops, got.Operations, want)
		}
	}
}

func FuzzColumn(f *testing.F) {
	f.Add("// c\n1 2e-9 1e-10\n2 3\n")
	f.Add("1 1e30 1e30\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := measure.ParseColumn("f", []byte(text))
		if err != nil {
			return
		}
		again, err := measure.ParseColumn("f", []byte(c.String()))
		if err != nil {
			t.Fatalf("%q is written as %q, which is not read: %v", text, c.String(), err)
		}
		// Four digits are kept, so that the second text is the first.
		if again.String() != c.String() {
			t.Errorf("%q is written again as %q", c.String(), again.String())
		}
	})
}
