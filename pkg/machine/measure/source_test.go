package measure_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/machine/measure"
	"dvmtools/pkg/machine/parasol"
)

var update = flag.Bool("update", false, "rewrite the expected sources")

// golden compares a text with the file of this name, or rewrites it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestSources compares the programs of all parameters, with two groups of
// statements, with the files of their class.
func TestSources(t *testing.T) {
	classes := map[string]*strings.Builder{}
	for _, p := range parasol.Parameters() {
		if p.Substitute != "" {
			continue
		}
		b := classes[p.Class]
		if b == nil {
			b = &strings.Builder{}
			classes[p.Class] = b
		}
		first, second, ok := measure.Sources(p.Name, 2)
		if !ok {
			t.Fatalf("%s has no programs", p.Name)
		}
		fmt.Fprintf(b, "-- %s-1.f90 --\n%s-- %[1]s-2.f90 --\n%[3]s", p.Name, first, second)
	}
	if len(classes) != 5 {
		t.Errorf("%d classes, want 5", len(classes))
	}
	for class, b := range classes {
		golden(t, filepath.Join("testdata", class+".txtar"), b.String())
	}
}

// TestArithmeticDiffersByTheOperation: without the operation the second
// program of an arithmetic timing is the first, to the letter.
func TestArithmeticDiffersByTheOperation(t *testing.T) {
	const groups = 5
	signs := map[byte]string{'a': " + vb", 'm': " * vb", 'd': " / vb", 'e': " ** vb", 'x': " ** vb"}
	checked := 0
	for _, p := range parasol.Parameters() {
		if p.Class != "arithmetic" {
			continue
		}
		checked++
		first, second, _ := measure.Sources(p.Name, groups)
		second = strings.NewReplacer("work2", "work1", "prepare2", "prepare1").Replace(second)
		removed := second
		switch op := p.Name[2]; op {
		case 's':
			removed = strings.ReplaceAll(strings.ReplaceAll(second, "\nvr = va\n", "\n"), ") = vr\n", ") = va\n")
		case 't':
			removed = regexp.MustCompile(`(?m)^q\((\d+)\) = p\((\d+)\)\n`).ReplaceAllString(second, "")
		default:
			removed = strings.ReplaceAll(second, signs[op], "")
			if n := strings.Count(second, signs[op]); n != groups {
				t.Errorf("%s executes the operation %d times in an iteration, want %d", p.Name, n, groups)
			}
		}
		if diff := cmp.Diff(first, removed); diff != "" || second == first {
			t.Errorf("%s differs by more than its operation (-first +second without it):\n%s", p.Name, diff)
		}
		if global := strings.Contains(second, "common /globals/"); global != (p.Locality == "global") {
			t.Errorf("%s: variables in COMMON: %v", p.Name, global)
		}
	}
	if checked != 56 {
		t.Errorf("%d arithmetic names, want 56", checked)
	}
}

// TestSameReferences: both programs of every name load the same elements, so
// that the time of the references is no part of the difference.
func TestSameReferences(t *testing.T) {
	load := regexp.MustCompile(`(?m)^\w+ = x\w+\(\d+\)$`)
	names := measure.Names()
	if len(names) != 150 {
		t.Errorf("%d names, want the 150 of the report", len(names))
	}
	for _, n := range names {
		first, second, _ := measure.Sources(n, 7)
		a, b := load.FindAllString(first, -1), load.FindAllString(second, -1)
		slices.Sort(a)
		slices.Sort(b)
		if len(a) < 7 || !slices.Equal(a, b) {
			t.Errorf("%s: the first program loads %v, the second %v", n, a, b)
		}
		if first == strings.NewReplacer("work2", "work1", "prepare2", "prepare1").Replace(second) {
			t.Errorf("%s: both programs are the same", n)
		}
	}
	for _, groups := range []int{0, measure.MaxGroups + 1} {
		if _, _, ok := measure.Sources("ila", groups); ok {
			t.Errorf("%d groups are in order", groups)
		}
	}
	if _, _, ok := measure.Sources("acosd", 2); ok {
		t.Error("a function with a substitute has programs")
	}
}

// TestReport: the file is in order, with what was measured and a list of what
// was not.
func TestReport(t *testing.T) {
	r := measure.Report{
		Name: "a \"fast\" one", ID: 3, Conditions: []string{"compiler: f 1.0", "two\nlines"}, DataCache: 32768,
		Results: []measure.Result{
			{Name: "ila", Timing: measure.Timing{Center: 1.23456e-9, Deviation: 1.5e-11}},
			{Name: "inti", Reason: "nothing\nthere"},
			{Name: measure.SpeedupName, Timing: measure.Timing{Center: 1.25, Deviation: 0.125}},
			{Name: measure.CacheSpeed, Timing: measure.Timing{Center: 2e-9, Deviation: 1e-11}},
			{Name: measure.CacheRatio, Timing: measure.Timing{Center: 40.123, Deviation: 1.5}},
		},
	}
	got, err := r.File()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/report.mach")
	if *update {
		want, err = []byte(got), os.WriteFile("testdata/report.mach", []byte(got), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f, list := parasol.Parse("report.mach", []byte(got))
	if len(list) != 0 {
		t.Fatal(list)
	}
	if ila, ok := f.Machine().Types[0].Timing("ila"); !ok || ila.Average != 1.235e-9 {
		t.Errorf("ila = %v, %v", ila, ok)
	}
	if e := f.Machine().EvalAll(); len(e) != 1 || e[0].Name != "pc(3).speedratio" || e[0].Value.Float() != 40.12 {
		t.Errorf("%v, want a ratio of 40.12", e)
	}
	r.DataCache, r.Results = 0, r.Results[:3]
	if got, err = r.File(); err != nil || strings.Contains(got, "begin cache") || !strings.Contains(got, "// cache.size: the system does not tell it, and it was not asked for\n") {
		t.Errorf("a cache whose size is not known: %v\n%s", err, got)
	}
}
