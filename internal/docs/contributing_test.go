package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// place matches a file or directory of the repository.
	place = regexp.MustCompile(`(?:^|[\s(\x60])\.?/?((?:pkg|cmd|internal|docs|schema|scripts|testdata)(?:/[\w.-]+)*)`)
	// ran matches the tests that a recipe runs: packages, and -run.
	ran = regexp.MustCompile(`go test ([^\n]*?) -run (\w+)`)
)

// The files, directories and tests that CONTRIBUTING.md names exist.
func TestContributingNamesWhatExists(t *testing.T) {
	b, err := os.ReadFile(root + "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	named := place.FindAllStringSubmatch(text, -1)
	if len(named) < 40 {
		t.Errorf("only %d places were found", len(named))
	}
	for _, m := range named {
		name := strings.TrimRight(m[1], ".")
		if strings.HasPrefix(name, "testdata/script") || strings.HasSuffix(name, "/streams/") {
			continue // below the package that the text has named
		}
		if _, err := os.Stat(root + name); err != nil {
			t.Errorf("CONTRIBUTING.md names %s: %v", name, err)
		}
	}
	tests := ran.FindAllStringSubmatch(text, -1)
	if len(tests) < 4 {
		t.Errorf("only %d runs of tests were found", len(tests))
	}
	for _, m := range tests {
		found := false
		for dir := range strings.FieldsSeq(m[1]) {
			files, err := filepath.Glob(root + dir + "/*_test.go")
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains(string(src), "func "+m[2])
			}
		}
		if !found {
			t.Errorf("CONTRIBUTING.md runs %s in %s, which has no such test", m[2], m[1])
		}
	}
}
