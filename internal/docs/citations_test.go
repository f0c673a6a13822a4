package docs_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"dvmtools/pkg/ptr"
)

// sources returns the text of the files that cite documents: Go files, the
// documents themselves, and scripts without a file extension.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if base == "testdata" || base == "bin" || base == "out" || len(base) > 2 && base[0] == '.' {
				return fs.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(base); ext != ".go" && ext != ".md" && (ext != "" || !strings.Contains(filepath.ToSlash(name), "scripts/")) {
			return nil
		}
		b, err := os.ReadFile(name)
		rel, relErr := filepath.Rel(root, name)
		all[filepath.ToSlash(rel)] = string(b)
		return errors.Join(err, relErr)
	})
	if err != nil || len(all) < 200 {
		t.Fatalf("%d files found, error %v", len(all), err)
	}
	return all
}

// anchors returns the anchors of the headings of a document, as the pages of
// repositories make them: lower case, without punctuation, blanks as hyphens.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code || !strings.HasPrefix(line, "#") {
			continue
		}
		title := strings.TrimSpace(strings.TrimLeft(line, "#"))
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)] = true
	}
	return all
}

var (
	// cited matches a document of the repository, named from its root.
	cited = regexp.MustCompile(`\b((?:docs|schema)/[\w-]+\.md)(?:#([\w-]+))?`)
	// linked matches a link of a document to another, or to itself.
	linked = regexp.MustCompile(`\]\(([\w./-]+\.md)?(?:#([\w-]+))?\)`)
	// outside matches what cites a page that is not in the repository.
	outside = regexp.MustCompile(`model sections? \d|trace-format (?:part )?[A-D]\b|\((?:pipeline|machine-files|model|trace-format)(?:,| \d|\))|\bspec/\w|house style \d`)
	// comment matches the beginning of a comment, also at the end of a line;
	// its text follows the match.
	comment = regexp.MustCompile(`^\s*//\s*|\s//\s+`)
)

// Every citation of a document, and every link in one, leads to a heading
// that exists; nothing cites a page outside of the repository. The designs are
// cited by section, as R 3.9 and E 2.4.
func TestCitationsLeadSomewhere(t *testing.T) {
	all := sources(t)
	headings := map[string]map[string]bool{}
	followed := 0
	follow := func(from, document, anchor string) {
		followed++
		text, ok := all[document]
		if !ok {
			t.Errorf("%s cites %s, which does not exist", from, document)
			return
		}
		if headings[document] == nil {
			headings[document] = anchors(text)
		}
		if anchor != "" && !headings[document][anchor] {
			t.Errorf("%s cites %s#%s, which has no such heading", from, document, anchor)
		}
	}
	for from, text := range all {
		isDocument := path.Ext(from) == ".md"
		if path.Ext(from) == ".go" {
			text = comments(text)
		}
		for _, m := range cited.FindAllStringSubmatch(text, -1) {
			follow(from, m[1], m[2])
		}
		if isDocument {
			for _, m := range linked.FindAllStringSubmatch(text, -1) {
				document := from
				if m[1] != "" {
					document = path.Join(path.Dir(from), m[1])
				}
				follow(from, document, m[2])
			}
		}
		if from != "internal/docs/citations_test.go" {
			for _, m := range outside.FindAllString(text, -1) {
				t.Errorf("%s cites a page outside of the repository: %q", from, m)
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d citations were followed", followed)
	}
}

// comments returns the comments of a Go file. Comment lines that follow each
// other are joined.
func comments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := comment.FindStringIndex(line)
		if at != nil {
			b.WriteString(strings.TrimSpace(line[at[1]:]) + " ")
		}
		if at == nil || strings.TrimSpace(line[:at[0]]) != "" {
			b.WriteString("\n") // a line of code ends a comment
		}
	}
	return b.String()
}

func TestAnchors(t *testing.T) {
	got := anchors("# The model\n\n## 4. Processor systems, templates, arrays\ntext\n```\n# no heading\n```\n### The `--async free` of R 3.8\n")
	for _, want := range []string{"the-model", "4-processor-systems-templates-arrays", "the---async-free-of-r-38"} {
		if !got[want] {
			t.Errorf("no anchor %q in %v", want, got)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d anchors, want 3: %v", len(got), got)
	}
}

// README.md leads to both pages that comments cite.
func TestReadmeLinksThePages(t *testing.T) {
	b, err := os.ReadFile(root + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(docs/model.md)", "(docs/trace-format.md)"} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("README.md has no link %s", want)
		}
	}
}

// The example of docs/trace-format.md is a trace.
func TestTraceOfThePageIsRead(t *testing.T) {
	b, err := os.ReadFile(root + "docs/trace-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "```ptr\n")
	text, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("docs/trace-format.md has no block of a trace")
	}
	r, err := ptr.NewReader("trace-format.ptr", strings.NewReader(text), ptr.Options{Strict: true, WarnUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.Func)
		if len(c.Text)+len(c.RetText) > 0 && c.Func != "dvm_Init" {
			t.Errorf("%s has lines that are no parameters: %q %q", c.Func, c.Text, c.RetText)
		}
	}
	if s := strings.Join(got, " "); s != "dvm_Init crtda_" || !r.Exit().Found {
		t.Errorf("calls %s, program end %v", s, r.Exit().Found)
	}
}
