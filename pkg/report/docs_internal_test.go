package report

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestFindingsAreDocumented compares the table of docs/report.md with the
// rules.
func TestFindingsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		want = append(want, m[1])
	}
	for _, r := range rules {
		got = append(got, r.id)
		if r.least != leastShare && r.id != "limit" {
			t.Errorf("%s has a threshold that the page does not state", r.id)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the rules are %v, the page has %v", got, want)
	}
}
