package procs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/procs"
)

func TestParseGiven(t *testing.T) {
	got, err := procs.ParseGiven("16=0-1/4,17=2-3x0/4x2,16=3/4")
	want := []procs.Given{
		{16, []int64{0}, []int64{1}, []int64{4}},
		{17, []int64{2, 0}, []int64{3, 0}, []int64{4, 2}},
		{16, []int64{3}, []int64{3}, []int64{4}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	const expected = "; expected LINE=FIRST-LAST/N, such as 16=0-1/4 for the first two of four processors at the crtps_ of line 16"
	for text, want := range map[string]string{
		"":                    `found "": no =`,
		"16":                  `found "16": no =`,
		"16=0-1":              `found "16=0-1": no / before the number of processors`,
		"16=0-4/4":            `found "16=0-4/4": no coordinates 0 to 4 of 4`,
		"16=2-1/4":            `found "16=2-1/4": no coordinates 2 to 1 of 4`,
		"16=0-1x1/4":          `found "16=0-1x1/4": 2 dimensions of 1`,
		"a=0-1/4":             `found "a=0-1/4": "a" is no number from 0 to 1073741824`,
		"16=0-1/4,":           `found "": no =`,
		"16=-1-1/4":           `found "16=-1-1/4": "" is no number from 0 to 1073741824`,
		"16=0-+1/4":           `found "16=0-+1/4": "+1" is no number from 0 to 1073741824`,
		"16=0-1/4000000000":   `found "16=0-1/4000000000": "4000000000" is no number from 0 to 1073741824`,
		"17=0-1/4,16=0-1/4/4": `found "16=0-1/4/4": "4/4" is no number from 0 to 1073741824`,
	} {
		if _, err := procs.ParseGiven(text); err == nil || err.Error() != want+expected {
			t.Errorf("%q: error %v, want %s", text, err, want+expected)
		}
	}
}

// Halves of 4 are halves of every even extent, in the system's own numbers.
func TestGivenSections(t *testing.T) {
	list, err := procs.ParseGiven("1=0-1/4,2=2-3/4")
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 8; n += 2 {
		base := procs.Root([]int{n}, []int{1})
		for i, g := range list {
			s := g.Section(base)
			if s.Size() != n/2 || s.Rank(0) != i*n/2 {
				t.Errorf("section %d of %d: %d processors from %d on, want %d from %d on", i, n, s.Size(), s.Rank(0), n/2, i*n/2)
			}
		}
		if base.Traced[0] != 1 {
			t.Error("the base was changed")
		}
	}
}
