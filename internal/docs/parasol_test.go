package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestParasolRules: every row of docs/parasol-rules.md names a test, and each
// test that it names exists.
func TestParasolRules(t *testing.T) {
	b, err := os.ReadFile(root + "docs/parasol-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	for name, text := range sources(t) {
		if strings.HasSuffix(name, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(text, -1) {
				tests[m[1]] = true
			}
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	rows := 0
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| rule") {
			continue
		}
		rows++
		found := named.FindAllStringSubmatch(line, -1)
		if len(found) == 0 {
			t.Errorf("no test holds the rule: %s", line)
		}
		for _, m := range found {
			if !tests[m[1]] {
				t.Errorf("%s does not exist: %s", m[1], line)
			}
		}
	}
	if rows < 60 {
		t.Errorf("found %d rules", rows)
	}
}
