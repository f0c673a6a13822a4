package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An example is a command of a document and what the document says it prints.
type example struct {
	command string
	output  string
	line    int // where the command stands, counted from 1
	begin   int // the output is the lines begin to end of the document, from 0
	end     int
}

// examples finds the commands in the blocks ```console of a document: lines
// that begin with "$ ", continued by lines that begin with "> ", followed by
// what they print.
func examples(lines []string) []example {
	var all []example
	inside := false
	for i := 0; i < len(lines); i++ {
		switch {
		case !inside:
			inside = lines[i] == "```console"
		case lines[i] == "```":
			inside = false
		case strings.HasPrefix(lines[i], "$ "):
			e := example{command: strings.TrimPrefix(lines[i], "$ "), line: i + 1}
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "> ") {
				i++
				e.command += "\n" + strings.TrimPrefix(lines[i], "> ")
			}
			e.begin = i + 1
			for i+1 < len(lines) && lines[i+1] != "```" && !strings.HasPrefix(lines[i+1], "$ ") {
				i++
			}
			e.end = i + 1
			if e.end > e.begin {
				e.output = strings.Join(lines[e.begin:e.end], "\n") + "\n"
			}
			all = append(all, e)
		}
	}
	return all
}

// documents are the documents whose examples are run, with the least number of
// examples that each has.
var documents = []struct {
	path  string
	least int
}{
	{"README.md", 5},
	{"docs/parasol.md", 15},
}

// TestReadme runs the examples of README.md and of other documents, each in a
// directory of its own that looks like the module's root, one after the other.
func TestReadme(t *testing.T) {
	for _, d := range documents {
		t.Run(filepath.Base(d.path), func(t *testing.T) { runDocument(t, d.path, d.least) })
	}
}

func runDocument(t *testing.T, document string, least int) {
	if !available(t, "the examples of "+document, "bash", "jq") {
		return
	}
	path := filepath.Join(root, filepath.FromSlash(document))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	all := examples(lines)
	if len(all) < least {
		t.Fatalf("found %d examples", len(all))
	}
	dir := t.TempDir()
	for _, part := range []string{"testdata", "scripts"} {
		if err := os.Symlink(filepath.Join(root, part), filepath.Join(dir, part)); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]string, len(all))
	for i, e := range all {
		got[i] = runExample(t, dir, e)
	}
	if *update {
		for i := len(all) - 1; i >= 0; i-- {
			var output []string
			if got[i] != "" {
				output = strings.Split(strings.TrimSuffix(got[i], "\n"), "\n")
			}
			lines = append(lines[:all[i].begin:all[i].begin], append(output, lines[all[i].end:]...)...)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, e := range all {
		if d := cmp.Diff(e.output, got[i]); d != "" {
			t.Errorf("%s:%d: %s\n(-document +run; go test ./cmd/internal/e2e -update rewrites it)\n%s", document, e.line, e.command, d)
		}
	}
}

// runExample returns what the example prints on both outputs, and its exit
// code behind it when that is not 0. What goes through head ends the command
// before it by SIGPIPE, which is no failure.
func runExample(t *testing.T, dir string, e example) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-c", e.command)
	c.Dir, c.Env = dir, environment()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			t.Fatal(err)
		}
		out.WriteString("(" + err.Error() + ")\n")
	}
	return out.String()
}

func TestExamplesFound(t *testing.T) {
	doc := "text\n```console\n$ one\n>   more\nout\n\nout\n$ two\n$ three\nx\n```\n$ no example\n```sh\n$ nor this\n```\n"
	var got []string
	for _, e := range examples(strings.Split(doc, "\n")) {
		got = append(got, e.command, e.output)
	}
	if d := cmp.Diff([]string{"one\n  more", "out\n\nout\n", "two", "", "three", "x\n"}, got); d != "" {
		t.Error(d)
	}
}

// TestDemo runs the command that README.md begins with.
func TestDemo(t *testing.T) {
	html := filepath.Join(t.TempDir(), "demo.html")
	c := exec.CommandContext(t.Context(), "sh", filepath.Join(root, "scripts", "demo"), html)
	c.Dir = t.TempDir()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("scripts/demo: %v\n%s", err, out)
	}
	for _, want := range []string{"execution time", "the report: " + html, "2 × 2 = 4 processors"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("scripts/demo does not print %q:\n%s", want, out)
		}
	}
	page, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("i1-effic")) || !bytes.Contains(page, []byte("</html>")) {
		t.Error("scripts/demo writes something else than a report")
	}
}
