package report_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
	"dvmtools/pkg/units"
)

// collectLines shows every line of the program and returns all its figures.
const collectLines = `(async () => {
	const all = {};
	for (const e of JSON.parse(document.getElementById("data").textContent).lines) {
		location.hash = "#l" + e[1];
		await new Promise((done) => setTimeout(done));
		for (const f of document.querySelectorAll("#line [data-name]")) all[f.id] = f.textContent;
	}
	return all;
})()`

// browseLines tests what a page shows of lines: their table, their figures, and
// the source.
func browseLines(t *testing.T, b *browser) {
	tree := bundled(t, "f01_ivals")
	program := report.SourceLines(tree)
	source := strings.Repeat("      CONTINUE\n", 60)
	var out strings.Builder
	if err := report.Write(&out, tree, report.HTML, report.Options{Sources: []report.Source{{Name: "f01_ivals.fdv", Text: source}}}); err != nil {
		t.Fatal(err)
	}
	x := b.tab(t)
	x.size(1280, 900, "light")
	x.open(out.String(), "")

	// Every figure of every line is that of the record, to the printed digits.
	var got map[string]string
	x.eval(collectLines, &got)
	compared := 0
	for i := range program {
		for _, f := range report.Figures() {
			text, ok := got[fmt.Sprintf("l%d-%s", i+1, f.Anchor)]
			if !ok {
				continue
			}
			compared++
			value := f.OfLine(&program[i]).Exact()
			want := value + " " + f.Unit
			if f.Unit == "s" {
				s, _ := strconv.ParseFloat(value, 64)
				want = units.Seconds(s).Short()
			}
			if strings.ReplaceAll(text, "\u00a0", " ") != want {
				t.Errorf("line %d: %s is shown as %q, expected %s", i+1, f.Anchor, text, want)
			}
		}
	}
	if compared != len(got) || compared < 14*len(program) {
		t.Errorf("%d figures of %d lines compared, %d shown", compared, len(program), len(got))
	}

	// Without scripts every line shows the same, but for kinds of operations that no
	// line has.
	static := shownFigures(parse(t, out.String()), "l")
	for id, text := range got {
		if want, ok := static[id]; ok && text != want {
			t.Errorf("%s is shown as %q, without scripts as %q", id, text, want)
		} else if !ok && strings.ReplaceAll(text, "\u00a0", " ") != "0 s" && strings.ReplaceAll(text, "\u00a0", " ") != "0 op" {
			t.Errorf("%s, which is %q, is not shown without scripts", id, text)
		}
	}
	for id := range static {
		if _, ok := got[id]; !ok && strings.HasPrefix(id, "l") && static[id] != "0\u00a0s" && static[id] != "0\u00a0op" {
			t.Errorf("%s is shown without scripts only: %q", id, static[id])
		}
	}
	if len(static) < 14*len(program) {
		t.Errorf("%d figures of %d lines without scripts", len(static), len(program))
	}

	// The table is sorted by what is lost; its columns sort, its filter filters.
	first := func() (s string) {
		x.eval(`document.querySelector("#lines tbody tr:not([hidden])").id`, &s)
		return s
	}
	id := func(less func(a, b int) bool) string {
		best := 0
		for i := range program {
			if less(i, best) {
				best = i
			}
		}
		return fmt.Sprintf("l%d", best+1)
	}
	worst := id(func(a, b int) bool { return program[a].Lost() > program[b].Lost() })
	if s := first(); s != worst {
		t.Errorf("the first line is %s, expected %s", s, worst)
	}
	x.eval(`document.querySelector("#lines thead th:nth-child(4) button").focus()`, nil)
	x.key("Enter", 0)
	if s, want := first(), id(func(a, b int) bool { return program[a].Spent() > program[b].Spent() }); s != want {
		t.Errorf("sorted by the time spent the first is %s, expected %s", s, want)
	}
	x.eval(`document.querySelector("#lines input").focus()`, nil)
	for _, c := range "dopl" {
		x.key(string(c), 0)
	}
	var found int
	x.eval(`document.querySelectorAll("#lines tbody tr:not([hidden])").length`, &found)
	if found == 0 || found >= len(program) {
		t.Errorf("%d lines of %d found that begin a portion of a loop", found, len(program))
	}

	// A click on the source shows the figures beside it; what is coloured leads
	// to the stretch that it is part of.
	stretch := slices.IndexFunc(program, func(l interval.Line) bool { return l.Line > l.FromLine+2 })
	line := program[stretch]
	x.click(fmt.Sprintf(`#source a[title^="f01_ivals.fdv:%d-%d"]`, line.FromLine, line.Line))
	x.eval(`new Promise((done) => setTimeout(done, 50))`, nil)
	if s, want := x.text("#source .line h3"), fmt.Sprintf("f01_ivals.fdv:%d-%d", line.FromLine, line.Line); s != want {
		t.Errorf("beside the source stands %q, expected %s", s, want)
	}
	var stretched int
	x.eval(fmt.Sprintf(`document.querySelectorAll('#source a[href="#l%d"].picked').length`, stretch+1), &stretched)
	if stretched < 2 {
		t.Errorf("%d lines of the source belong to %d to %d", stretched, line.FromLine, line.Line)
	}
	x.contrast("light")
	x.size(400, 900, "dark")
	x.contrast("dark")
	var wide int
	if x.eval(`document.documentElement.scrollWidth`, &wide); wide > 400 {
		t.Errorf("the page is %d pixels wide in a window of 400", wide)
	}
	x.shot("lines-400-dark")
	x.quiet()
}
