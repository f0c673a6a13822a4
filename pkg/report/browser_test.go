package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/report"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// bundled returns the intervals of a real trace on a cluster
// (testdata/machines/cluster.par), as dvmsim writes and dvmreport reads them.
func bundled(t testing.TB, name string) *report.Tree {
	t.Helper()
	const path = "testdata/machines/cluster.par"
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	m, list := par.Parse(path, text)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	trace := "single/" + name + ".ptr.zst"
	r, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: []int{2, 2}, Options: sim.Defaults(), Lines: true, POP: true}, testtraces.Parse(t, "testdata/traces/"+trace, testtraces.Text(t, trace)))
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	w := interval.NewWriter(&stream)
	if err := errors.Join(r.Write(w, sim.Classes), w.End(int64(len(r.Warnings)))); err != nil {
		t.Fatal(err)
	}
	tree, err := report.Read(name, &stream, report.AllLevels)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// awkward are times whose printing is easy to get wrong: ties, borders of
// units, very small and large ones.
var awkward = []float64{0, 1, 1.0625, 1.1875, 0.03125, 0.5, 2.5, 10.125, 100.25, 999.95e-6, 999.94e-6, 0.99995, 999.95, 9999.5, 9999999, 1e7, 1e300,
	1e-12, 9.99e-13, 5e-324, 1.5e-10, 12.5e-9, 21.4e-6, -1, -12.25e-6, 0.1 + 0.2, 1.0 / 3, 123456.5, 8.5, 7.0625e-3, 1e-9, 0.5e-9}

// varied is a program of n intervals with all kinds of numbers.
func varied(n int) *records {
	r := rand.New(rand.NewPCG(1, 2))
	p := chain(n, false)
	p.processors = nil
	fill := func(t *interval.Times) {
		next := func() units.Seconds {
			if r.IntN(3) == 0 {
				return units.Seconds(awkward[r.IntN(len(awkward))])
			}
			return units.Seconds(math.Exp(r.Float64()*30 - 25))
		}
		for _, c := range interval.Characteristics() {
			if x := c.At(t); x != nil {
				*x = next()
			}
		}
		for k := range interval.NumKinds {
			for _, c := range interval.KindCharacteristics() {
				*c.AtKind(t.Kind(k)) = next()
			}
		}
		t.Efficiency = []float64{0, 1, 0.5, 0.1225, 0.9995, 0.0004, -0.0004, -0.3, 3.5, r.Float64()}[r.IntN(10)]
	}
	for i := range p.intervals {
		iv := &p.intervals[i]
		fill(&iv.Times)
		iv.Operations = interval.Operations{IO: r.Int64N(10), Reduction: r.Int64N(1e9), Shadow: 1<<60 + 1, Remote: 3, Redistribution: 0}
		iv.Line = r.IntN(500)
	}
	return p
}

// shownFigures returns the text of every figure of a page without scripts, by
// its id: of intervals for "i", of lines for "l".
func shownFigures(doc *html.Node, of string) map[string]string {
	all := map[string]string{}
	for n := range doc.Descendants() {
		if _, ok := attr(n, "data-name"); ok {
			if id, _ := attr(n, "id"); strings.HasPrefix(id, of) {
				all[id] = text(n)
			}
		}
	}
	return all
}

// collect shows every interval and returns all its figures.
const collect = `(async () => {
	const all = {};
	for (const e of JSON.parse(document.getElementById("data").textContent).intervals) {
		location.hash = "#i" + e[0];
		await new Promise((done) => setTimeout(done));
		for (const f of document.querySelectorAll("#interval [data-name]")) all[f.id] = f.textContent;
	}
	return all;
})()`

// TestBrowser opens pages in a real browser.
func TestBrowser(t *testing.T) {
	b := startBrowser(t)

	// The script shows the same as the page without it, to the last digit;
	// another test compares the page without the script with the records.
	t.Run("figures", func(t *testing.T) {
		for name, tree := range map[string]*report.Tree{
			"f09_tasks": bundled(t, "f09_tasks"),
			"sample":    sample(t).tree(t, report.AllLevels), "hostile": hostile(t).tree(t, report.AllLevels), "varied": varied(12).tree(t, report.AllLevels),
		} {
			page := write(t, tree, report.HTML)
			want := shownFigures(parse(t, page), "i")
			x := b.tab(t)
			x.size(1280, 900, "light")
			x.open(page, "")
			var got map[string]string
			x.eval(collect, &got)
			for id, s := range got {
				if s != want[id] {
					t.Errorf("%s: %s is shown as %q, without scripts as %q", name, id, s, want[id])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %d figures shown, expected %d", name, len(got), len(want))
			}
			x.quiet()
		}
	})

	t.Run("lines", func(t *testing.T) { browseLines(t, b) })

	t.Run("timeline", func(t *testing.T) { browseTimeline(t, b) })

	t.Run("tree", func(t *testing.T) {
		tree := bundled(t, "f01_ivals")
		x := b.tab(t)
		x.size(1280, 900, "light")
		x.open(write(t, tree, report.HTML), "")
		rows := func() []int {
			var list []int
			x.eval(`[...document.querySelectorAll("#rows tr")].map((r) => Number(r.dataset.row))`, &list)
			return list
		}
		expect := func(what string, want []int) {
			t.Helper()
			if got := rows(); !slices.Equal(got, want) {
				t.Errorf("%s: the rows are %v, expected %v", what, got, want)
			}
		}
		var all, outer []int
		for _, n := range tree.Nodes {
			all = append(all, n.ID)
			if n.Level <= 1 {
				outer = append(outer, n.ID)
			}
		}
		expect("at first", all)

		// Levels, one interval closed and opened again, by mouse.
		x.eval(`(() => { const s = document.querySelector("#level"); s.value = "1"; s.dispatchEvent(new Event("change")); })()`, nil)
		expect("level 1", outer)
		second := tree.Root.Inner[1]
		x.click(fmt.Sprintf(`[data-toggle="%d"]`, second.ID))
		var opened []int
		for _, n := range tree.Nodes {
			if n.Level <= 1 || n.Up == second {
				opened = append(opened, n.ID)
			}
		}
		expect("one opened", opened)
		x.click(fmt.Sprintf(`[data-toggle="%d"]`, second.ID))
		expect("closed again", outer)

		// The same by keyboard: the button keeps the focus.
		x.eval(fmt.Sprintf(`document.querySelector('[data-toggle="%d"]').focus()`, second.ID), nil)
		x.key("Enter", 0)
		expect("opened by Enter", opened)
		x.key("Space", 0)
		expect("closed by Space", outer)

		// A figure of an interval that has no row yet.
		deep := tree.Nodes[len(tree.Nodes)-1]
		x.eval(fmt.Sprintf(`location.hash = "#i%d-exec"`, deep.ID), nil)
		x.eval(`new Promise((done) => setTimeout(done, 50))`, nil)
		if !slices.Contains(rows(), deep.ID) {
			t.Errorf("interval %d has no row", deep.ID)
		}
		if s := x.text(".target"); s != deep.ExecutionTime.Short() && strings.ReplaceAll(s, "\u00a0", " ") != deep.ExecutionTime.Short() {
			t.Errorf("the figure at the address is %q, expected %s", s, deep.ExecutionTime.Short())
		}

		// As a list, sorted by lost time, then the other way round.
		x.click("#flat")
		sorted := slices.Clone(tree.Nodes)
		slices.SortStableFunc(sorted, func(a, b *report.Node) int { return int(math.Copysign(1, float64(b.LostTime-a.LostTime))) })
		x.click(`th[data-key="lost"] button`)
		if got := rows(); got[0] != sorted[0].ID || got[1] != sorted[1].ID || got[2] != sorted[2].ID {
			t.Errorf("sorted by lost time: %v", got)
		}
		var order string
		x.eval(`document.querySelector('th[data-key="lost"]').getAttribute("aria-sort")`, &order)
		if order != "descending" {
			t.Errorf("the column says it is %q", order)
		}
		x.click(`th[data-key="lost"] button`)
		if got := rows(); got[len(got)-1] != sorted[0].ID {
			t.Errorf("sorted the other way: %v", got)
		}
		x.click(`th[data-key="lost"] button`)
		expect("sorted no more", all)

		// The filter, typed.
		x.eval(`document.querySelector("#filter").focus()`, nil)
		for _, c := range "parallel f01_ivals.fdv:14" {
			if c == ' ' {
				x.key("Space", 0)
			} else {
				x.key(string(c), 0)
			}
		}
		var found []int
		for _, n := range tree.Nodes {
			if n.Type == interval.Parallel && n.Line == 14 {
				found = append(found, n.ID)
			}
		}
		if len(found) == 0 {
			t.Fatal("nothing to be found")
		}
		expect("filtered", found)
		x.click("#flat")
		if got := rows(); len(got) <= len(found) || got[0] != 1 {
			t.Errorf("the filtered tree shows what is around: %v", got)
		}
		x.quiet()
	})

	t.Run("navigation", func(t *testing.T) {
		tree := bundled(t, "f01_ivals")
		x := b.tab(t)
		x.size(1280, 900, "light")
		n := tree.Root.Inner[1].Inner[1]
		x.open(write(t, tree, report.HTML), fmt.Sprintf("#i%d", n.ID))
		at := func(want int) {
			t.Helper()
			x.eval(`new Promise((done) => setTimeout(done, 30))`, nil)
			var id string
			x.eval(`document.querySelector("#interval section").id`, &id)
			if id != fmt.Sprintf("i%d", want) {
				t.Errorf("shown is %s, expected i%d", id, want)
			}
		}
		link := func(word string) {
			x.eval(fmt.Sprintf(`[...document.querySelectorAll("#interval nav a")].find((a) => a.textContent === %q).click()`, word), nil)
		}
		at(n.ID)
		link("NEXT")
		at(n.Next.ID)
		link("PRED")
		link("PRED")
		at(n.Pred.ID)
		link("UP")
		at(n.Up.ID)
		link("HOME")
		var top float64
		x.eval(`new Promise((done) => setTimeout(() => done(scrollY), 50))`, &top)
		if top > 100 {
			t.Errorf("HOME leads to %v", top)
		}
		x.quiet()
	})

	t.Run("keyboard", func(t *testing.T) { browseByKeyboard(t, b) })

	t.Run("contrast", func(t *testing.T) {
		for _, theme := range []string{"light", "dark"} {
			for at, page := range map[string]string{
				"#i3": write(t, bundled(t, "f01_ivals"), report.HTML), "#i2": write(t, sample(t).tree(t, report.AllLevels), report.HTML), "#l1": everything(t),
			} {
				x := b.tab(t)
				x.size(1280, 900, theme)
				x.open(page, at)
				x.contrast(theme)
				x.quiet()
			}
		}
	})

	// On paper all rows are there, folded parts are open, and there are no
	// controls.
	t.Run("print", func(t *testing.T) {
		x := b.tab(t)
		x.size(1280, 900, "dark")
		x.open(write(t, chain(170, false).tree(t, report.AllLevels), report.HTML), "")
		var pdf struct{ Data string }
		x.do("Page.printToPDF", nil, &pdf)
		if len(pdf.Data) < 1000 {
			t.Errorf("%d bytes of PDF", len(pdf.Data))
		}
		x.do("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
		var seen struct {
			Rows, Controls int
			Background     string
			Inside         bool
		}
		x.eval(`({rows: document.querySelectorAll("#rows tr").length,
			controls: [...document.querySelectorAll("nav, .controls, #more, button.toggle")].filter((e) => e.checkVisibility()).length,
			background: getComputedStyle(document.documentElement).backgroundColor,
			inside: document.querySelector("#interval details table").getBoundingClientRect().height > 0})`, &seen)
		if seen.Rows != 170 || seen.Controls != 0 || seen.Background != "rgb(255, 255, 255)" || !seen.Inside {
			t.Errorf("on paper: %+v", seen)
		}
		x.quiet()
	})

	t.Run("without scripts", func(t *testing.T) {
		tree := bundled(t, "f11_subr")
		x := b.tab(t)
		x.size(1280, 900, "light")
		x.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
		x.open(write(t, tree, report.HTML), "")
		shown := strings.ReplaceAll(x.text("main"), "\u00a0", " ")
		for _, n := range tree.Nodes {
			for _, want := range []string{n.ExecutionTime.Short(), n.LostTime.Short(), strconv.Itoa(n.Line)} {
				if !strings.Contains(shown, want) {
					t.Errorf("interval %d: the page does not show %s", n.ID, want)
				}
			}
		}
		x.quiet()
	})

	// Nothing of a hostile name becomes markup when the script shows it.
	t.Run("hostile names", func(t *testing.T) {
		r := sample(t)
		for i := range r.intervals {
			r.intervals[i].File = `<script>document.title="x"</script><img src=x onerror=alert(1)>"'` + "\x00\xff" + `</noscript></script><!--`
		}
		r.header.Source = []string{"</title><script>alert(1)</script>"}
		x := b.tab(t)
		x.size(1280, 900, "light")
		x.open(write(t, r.tree(t, report.AllLevels), report.HTML), "#i3")
		if s := x.text("#interval h3"); !strings.Contains(s, `<script>document.title="x"</script><img src=x onerror=alert(1)>"'\x00\xff</noscript></script><!--:12`) {
			t.Errorf("the heading is %q", s)
		}
		var images int
		x.eval(`document.querySelectorAll("img, #interval script, #tree script").length`, &images)
		if images != 0 {
			t.Error("a name became an element")
		}
		x.quiet()
	})

	t.Run("sheets", func(t *testing.T) {
		a, b2 := versions()
		search, err := report.ReadSearch("x", strings.NewReader(searchStream))
		if err != nil {
			t.Fatal(err)
		}
		ivals := bundled(t, "f01_ivals")
		for name, s := range map[string]*report.Sheet{
			"comparison": report.Compare(a.tree(t, report.AllLevels), b2.tree(t, report.AllLevels), "a", "b"),
			"same":       report.Compare(ivals, ivals, "a", "b"),
			"scaling":    report.Scale(grids(t)), "search": search.Sheet(),
			"sweep": found(t, sweepStream).Sheet(), "cross": found(t, crossStream).Sheet(), "varied": found(t, variedStream).Sheet(),
		} {
			page := sheet(t, s, report.HTML)
			for _, width := range []int{1280, 400} {
				x := b.tab(t)
				x.size(width, 900, "light")
				x.open(page, "")
				var wide int
				x.eval(`document.documentElement.scrollWidth`, &wide)
				if wide > width {
					t.Errorf("%s is %d pixels wide in a window of %d", name, wide, width)
				}
				x.shot(fmt.Sprintf("%s-%d", name, width))
				if width == 400 {
					continue
				}
				x.contrast("light")
				x.size(width, 900, "dark")
				x.contrast("dark")
				x.quiet()
			}
		}
		// Sorting and filtering, by keyboard.
		x := b.tab(t)
		x.size(1280, 900, "light")
		x.open(sheet(t, report.Compare(ivals, ivals, "a", "b"), report.HTML), "")
		first := func() (s string) {
			x.eval(`document.querySelector("#intervals tbody tr:not([hidden]) td").dataset.value`, &s)
			return s
		}
		x.eval(`document.querySelector("#intervals thead th:nth-child(2) button").focus()`, nil)
		most, least := ivals.Root.ExecutionTime, ivals.Root.ExecutionTime
		for _, n := range ivals.Nodes {
			least = min(least, n.ExecutionTime)
		}
		x.key("Enter", 0)
		if s := first(); s != most.Exact() {
			t.Errorf("sorted by A the first has %s, expected %s", s, most.Exact())
		}
		x.key("Enter", 0)
		if s := first(); s != least.Exact() {
			t.Errorf("sorted the other way the first has %s, expected %s", s, least.Exact())
		}
		x.eval(`document.querySelector("#intervals input").focus()`, nil)
		for _, c := range "fdv:14" {
			x.key(string(c), 0)
		}
		if s := x.text("#intervals .controls .note"); s != "1 of 35 rows" {
			t.Errorf("filtered: %q", s)
		}
		x.quiet()
	})

	t.Run("pictures", func(t *testing.T) {
		names := []string{"f01_ivals", "f09_tasks", "f11_subr"}
		if os.Getenv("DVM_SCREENSHOTS") == "" {
			names = names[:1]
		}
		for _, name := range names {
			page := write(t, bundled(t, name), report.HTML)
			for _, width := range []int{1280, 400} {
				for _, theme := range []string{"light", "dark"} {
					if theme == "dark" && os.Getenv("DVM_SCREENSHOTS") == "" {
						continue // only the colours differ
					}
					x := b.tab(t)
					x.size(width, 900, theme)
					x.open(page, "")
					// The page itself does not scroll sideways.
					var wide int
					x.eval(`document.documentElement.scrollWidth`, &wide)
					if wide > width {
						t.Errorf("%s is %d pixels wide in a window of %d", name, wide, width)
					}
					x.shot(fmt.Sprintf("%s-%d-%s", name, width, theme))
					x.quiet()
				}
			}
		}
	})
}

// contrast computes the contrast (WCAG 2, 1.4.3) of all text that is shown
// with what is behind it, from the colours that the browser drew.
func (x *tab) contrast(theme string) {
	x.t.Helper()
	var poor []string
	x.eval(`(() => {
		const parse = (s) => (s.match(/[\d.]+/g) || []).map(Number);
		const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
			.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
		const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
		const poor = [];
		let n = 0;
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walk.nextNode()) {
			const e = walk.currentNode.parentElement;
			if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest("title, script, noscript, style")) continue;
			const style = getComputedStyle(e);
			const a = luminance(parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color)), b = luminance(behind(e));
			const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			n++;
			if (ratio < 4.5) poor.push(ratio.toFixed(2) + " " + e.outerHTML.slice(0, 100));
		}
		if (n < 50) poor.push("only " + n + " texts");
		return poor;
	})()`, &poor)
	for _, p := range poor[:min(len(poor), 5)] {
		x.t.Errorf("%s: %s", theme, p)
	}
}
