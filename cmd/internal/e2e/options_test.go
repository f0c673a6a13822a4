package e2e_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dvmtools/cmd/internal/cli"
)

// TestOwners compares the options that the commands describe with those that messages
// about misplaced options know.
func TestOwners(t *testing.T) {
	common := strings.Fields("-o --output -z --zstd -T -j --threads -q --quiet --progress -h --help -V --version")
	name := regexp.MustCompile(`^ {2,6}((?:-[a-zA-Z], )*(?:--[a-z-]+)?)`)
	had := map[string][]string{}
	commands := strings.Fields("dvmtrace-merge dvmtrace-parse dvmsim dvmsearch dvmreport")
	for _, c := range commands {
		help, err := exec.Command(filepath.Join(bin, c), "--help").Output()
		if err != nil {
			t.Fatalf("%s --help: %v", c, err)
		}
		_, options, _ := strings.Cut(string(help), "\nOptions:\n")
		options, _, _ = strings.Cut(options, "\nExit status:\n")
		for line := range strings.Lines(options) {
			m := name.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			for _, o := range strings.Fields(strings.ReplaceAll(m[1], ",", "")) {
				if !slices.Contains(common, o) {
					had[o] = append(had[o], c)
				}
			}
		}
	}
	if len(had) < 40 {
		t.Fatalf("only %d options were found: %v", len(had), had)
	}
	for o, by := range had {
		var said []string
		for _, w := range strings.Fields(strings.ReplaceAll(cli.Owners(o), ",", "")) {
			if slices.Contains(commands, w) {
				said = append(said, w)
			}
		}
		slices.Sort(by)
		slices.Sort(said)
		if !slices.Equal(by, said) {
			t.Errorf("%s is an option of %v, messages say %q", o, by, cli.Owners(o))
		}
	}
}
