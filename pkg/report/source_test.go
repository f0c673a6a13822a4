package report_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dvmtools/pkg/report"
)

// TestSource shows the lines of the program: those at which intervals begin are
// links with the Lost time of what begins there, 7.200 ms at line 9, and
// coloured when that is much of the program's 15.04 ms.
func TestSource(t *testing.T) {
	tree := sample(t).tree(t, report.AllLevels)
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = "x = <b>1</b> & \xff"
	}
	var b strings.Builder
	code0 := strings.Join(lines, "\r\n")
	if err := report.Write(&b, tree, report.HTML, report.Options{Sources: []report.Source{{Name: "jac.fdv", Text: code0}, {Name: "other.fdv", Text: "\tend"}}}); err != nil {
		t.Fatal(err)
	}
	section := byID(t, parse(t, b.String()))["source"]
	if section == nil {
		t.Fatal("no source")
	}
	got := map[string]string{}
	for n := range section.Descendants() {
		if href, ok := attr(n, "href"); ok {
			class, _ := attr(n, "class")
			got[href] = class + "|" + text(n)
		}
		if n.Data == "b" && n.Type == html.ElementNode {
			t.Error("the text of the program became an element")
		}
	}
	code := `  x = <b>1</b> & \xff`
	want := map[string]string{
		"#i1": "line hot2|    1   3.000 ms" + code, "#i2": "line hot3|    9   7.200 ms" + code,
		"#i3": "line|   12        0 s" + code, "#i4": "line hot3|   14   4.838 ms" + code,
	}
	for href, w := range want {
		if got[href] != w {
			t.Errorf("%s:\ngot  %q\nwant %q", href, got[href], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d links, expected %d: %v", len(got), len(want), got)
	}
	if s := text(section); !strings.Contains(s, "   20           "+code+"\n") || !strings.Contains(s, "    1                     end\n") {
		t.Errorf("lines without intervals are not shown as they are:\n%s", s)
	}
	if names := strings.Join(report.SourceNames(tree), " "); names != "jac.fdv" {
		t.Errorf("the files are %q", names)
	}
	if strings.Contains(write(t, tree, report.HTML), `id="source"`) {
		t.Error("a page without files has a section for them")
	}
}
