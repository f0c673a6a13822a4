package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dvmtools/cmd/internal/cli"
)

// dvmmachine runs the program and returns its outputs and exit code.
func dvmmachine(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.RunGroup(t.Context(), group(), args, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// TestPresets: every machine of scripts/machines is in order without a
// remark, says where its figures come from, and, in Parasol, is in canonical
// form.
func TestPresets(t *testing.T) {
	files, err := filepath.Glob("../../scripts/machines/*.*")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, ext := string(b), filepath.Ext(path)
		seen[ext]++
		if ext == ".md" {
			continue
		}
		if ext == ".power" {
			stdout, stderr, code := dvmmachine(t, "power", "--ratio", path, path)
			if code != 0 || stderr != "" || strings.Count(stdout, "  1.0  ") != 8 || !strings.Contains(text, "\n// processor: ") {
				t.Errorf("%s: exit code %d, %s%s", path, code, stdout, stderr)
			}
			continue
		}
		if _, stderr, code := dvmmachine(t, "check", path); code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d, %s", path, code, stderr)
		}
		head, _, _ := strings.Cut(text, "\n"+map[string]string{".mach": "begin", ".par": "cluster"}[ext])
		if !strings.HasPrefix(head, "//") || !strings.Contains(strings.ToLower(head), "assumed") && !strings.Contains(head, "section") {
			t.Errorf("%s does not say where its figures come from", path)
		}
		if printed, _, _ := dvmmachine(t, "fmt", path); ext == ".mach" && printed != text {
			t.Errorf("%s is not in canonical form", path)
		}
	}
	if seen[".mach"] < 2 || seen[".par"] < 4 || seen[".power"] < 1 || seen[".md"] != 1 {
		t.Errorf("found %v", seen)
	}
}

// TestConvertRoundTrip: a machine of one bus, as Parasol and back, with the
// traced processor named, has the same medium and powers.
func TestConvertRoundTrip(t *testing.T) {
	dir := t.TempDir()
	mach, back := filepath.Join(dir, "a.mach"), filepath.Join(dir, "a.par")
	if _, stderr, code := dvmmachine(t, "convert", "../../testdata/machines/mixed.par", "--to", "parasol", "-o", mach); code != 0 || !strings.Contains(stderr, "lost: the names of clusters") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if _, stderr, code := dvmmachine(t, "convert", mach, "--to", "par", "--traced-on", "3", "-o", back); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	got, _, _ := dvmmachine(t, "show", back)
	for _, want := range []string{"ethernet, 75 us a message, 0.2 us a byte", "2048 x type1: power 2\n", "2048 x type2: power 0.5\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
