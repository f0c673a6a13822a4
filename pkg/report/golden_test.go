package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/report"
)

var update = flag.Bool("update", false, "write the golden files")

// write returns the report of tree.
func write(t testing.TB, tree *report.Tree, f report.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, tree, f, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// assets match what a page has of the style sheet and the script, which have
// files of their own.
var assets = regexp.MustCompile(`(?s)(<style>|<script>).*?(</style>|</script>)|'sha256-[^']*'`)

// withoutAssets returns the page without its style sheet and script.
func withoutAssets(page string) string { return assets.ReplaceAllString(page, "$1$2") }

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name   string
		format report.Format
		level  int
	}{
		{"sample.html", report.HTML, report.AllLevels},
		{"sample.txt", report.Text, report.AllLevels},
		{"sample-level1.txt", report.Text, 1},
		{"sample-level0.txt", report.Text, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := write(t, sample(t).tree(t, c.level), c.format)
			if c.format == report.HTML {
				got = withoutAssets(got)
			}
			file := filepath.Join("testdata", c.name)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("run with -update if this is meant:\n%s", d)
			}
		})
	}
}
