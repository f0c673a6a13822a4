package report_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/whatif"
)

// TestWhatIfKeeps: a change leaves tables sorted and filtered, rows open and
// everything scrolled to where it was; the timeline is that of the prediction.
func TestWhatIfKeeps(t *testing.T) {
	b := startBrowser(t)
	const trace = "single/f04_across.ptr.zst"
	c := changeableOf(t, trace, "bus4.par", 2, 2)
	x := b.openChangeable(t, c.pageOf(t, timed(t, trace, []int{2, 2})))
	x.eval(`document.querySelector('#exchanges th:nth-child(4) button').click()`, nil)
	x.eval(`document.querySelector('#lines th:nth-child(6) button').click()`, nil)
	x.eval(`document.querySelector('#lines th:nth-child(6) button').click()`, nil)
	x.enter("#lines input[type=search]", "dopl")
	x.eval(`document.querySelector("#rows [data-toggle]").click()`, nil)
	x.eval(`document.querySelector('#tree th[data-key="lost"] button').click()`, nil)
	x.enter("#filter", "f04")
	x.eval(`location.hash = "#l2"`, nil)
	x.eval(`(() => { const boxes = [document.querySelector("#lines .wide"), document.querySelector("#exchanges .wide"), document.querySelector("#tree .rows")];
		for (const e of boxes) { e.style.maxHeight = "6rem"; e.style.maxWidth = "30rem"; e.scrollTo(11, 17); }
		scrollTo(0, 300); document.querySelector("#grid").focus({ preventScroll: true }); })()`, nil)
	type state struct {
		Exchanges, Lines, Rows, Sorted, Filters []string
		Scrolled                                [][2]float64
		Picked                                  string
		Timeline, Elsewhere                     bool
		Drawn                                   int
	}
	look := func() (s state) {
		x.eval(`(() => { const column = (id, n) => [...document.querySelectorAll("#" + id + " tbody tr")].filter((r) => !r.hidden).map((r) => r.cells[n].dataset.value);
			return { Exchanges: column("exchanges", 3), Lines: column("lines", 5), Rows: [...document.querySelectorAll("#rows tr")].map((r) => r.dataset.row),
				Sorted: [...document.querySelectorAll("[aria-sort=ascending], [aria-sort=descending]")].map((e) => e.textContent + " " + e.ariaSort),
				Filters: [...document.querySelectorAll("#lines input, #filter")].map((e) => e.value).concat(document.querySelector("#lines form .note").textContent),
				Scrolled: [document.querySelector("#lines .wide"), document.querySelector("#exchanges .wide"), document.querySelector("#tree .rows"), document.scrollingElement].map((e) => [e.scrollLeft, e.scrollTop]),
				Picked: document.querySelector("#lines .picked")?.id ?? "", Timeline: document.querySelector("#gantt")?.checkVisibility() ?? false,
				Elsewhere: document.querySelector("#elsewhere")?.checkVisibility() ?? false, Drawn: Number(document.querySelector("#spans-canvas")?.dataset.runs ?? 0) };
		})()`, &s)
		return s
	}
	falling := func(s []string) bool {
		return slices.IsSortedFunc(s, func(a, b string) int { return cmp.Compare(numberOf(b), numberOf(a)) })
	}
	before := look()
	if len(before.Exchanges) < 2 || len(before.Lines) < 2 || len(before.Rows) < 2 || !before.Timeline || before.Elsewhere || before.Drawn == 0 {
		t.Fatalf("the page has too little for this test: %+v", before)
	}
	for _, grid := range [][]int{{4, 1}, {1, 2}} {
		x.eval(`document.querySelector("#grid").select()`, nil)
		x.do("Input.insertText", map[string]any{"text": fmt.Sprintf("%dx%d", grid[0], grid[1])}, nil)
		x.key("Enter", 0)
		x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = grid }))
		after := look()
		if !slices.Equal(after.Sorted, before.Sorted) || !slices.Equal(after.Filters, before.Filters) || !falling(after.Exchanges) || slices.IndexFunc(after.Lines, func(s string) bool { return s == "" }) >= 0 || falling(after.Lines) && len(after.Lines) > 2 {
			t.Errorf("grid %v: sorted %q, filters %q, exchanges %q, lines %q; expected %q, %q", grid, after.Sorted, after.Filters, after.Exchanges, after.Lines, before.Sorted, before.Filters)
		}
		if slices.Equal(after.Exchanges, before.Exchanges) {
			t.Errorf("grid %v: the exchanges are those of the prediction: %q", grid, after.Exchanges)
		}
		if len(after.Rows) != len(before.Rows) || after.Picked != before.Picked || !slices.Equal(after.Scrolled, before.Scrolled) {
			t.Errorf("grid %v: %+v, expected %+v", grid, after, before)
		}
		if after.Timeline || !after.Elsewhere {
			t.Errorf("grid %v: the timeline of the prediction is shown: %v, why not: %v", grid, after.Timeline, after.Elsewhere)
		}
	}
	if s := x.text("#elsewhere"); !strings.Contains(s, "writes it with --timeline") {
		t.Errorf("about the timeline: %q", s)
	}
	x.shot("whatif-keeps")
	x.click("#reset")
	x.showsFigures(c, c.base.Setting)
	if after := look(); !after.Timeline || after.Elsewhere || after.Drawn != before.Drawn || !slices.Equal(after.Exchanges, before.Exchanges) || !slices.Equal(after.Lines, before.Lines) || !slices.Equal(after.Rows, before.Rows) {
		t.Errorf("back at the prediction: %+v, expected %+v", after, before)
	}
	x.quiet()

	// Without exchanges the table is not there, with the first it comes.
	alone := changeableOf(t, trace, "bus4.par", 1, 1)
	x = b.openChangeable(t, alone.page(t))
	x.enter("#grid", "4x1")
	x.shows(alone, alone.changed(func(s *whatif.Setting) { s.Grid = []int{4, 1} }))
	x.eval(`document.querySelector('#exchanges th:nth-child(4) button').click()`, nil)
	if s := look(); !falling(s.Exchanges) || len(s.Exchanges) < 2 {
		t.Errorf("exchanges that came with a change: %q", s.Exchanges)
	}
	x.click("#undo")
	x.shows(alone, alone.base.Setting)
	var shown bool
	if x.eval(`document.querySelector("#exchanges").checkVisibility()`, &shown); shown {
		t.Error("without exchanges their table is shown")
	}
	x.quiet()
}

// TestWhatIfFocus: whoever uses the keyboard keeps their place when a button is not
// there any more.
func TestWhatIfFocus(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "single/f09_tasks.ptr.zst", "sparc.mach", 4)
	x := b.openChangeable(t, c.page(t))
	press := func(selector, focused string) {
		t.Helper()
		x.eval(fmt.Sprintf(`document.querySelector(%q).focus()`, selector), nil)
		x.key("Enter", 0)
		var is bool
		if x.eval(fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, focused), &is); !is {
			t.Errorf("behind %s the focus is not on %s", selector, focused)
		}
	}
	x.enter("#grid", "3")
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{3} }))
	press("#keep", "#keep")
	press("#undo", "#undo")
	x.showsFigures(c, c.base.Setting)
	press("#undo", "#undo")
	press("#reset", "#reset")
	press("#pair button:last-of-type", "#keep")
	x.enter("#grid", "2")
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{2} }))
	press(`[data-knob="grid"] button`, "#grid")
	x.showsFigures(c, c.base.Setting)
	x.eval(`document.querySelector('[data-knob="links.latency"]').closest("details").open = true`, nil)
	x.enter(`[data-number="links.latency"]`, "2")
	latency := c.changed(func(s *whatif.Setting) { s.Scale = []string{"links.latency=2"} })
	x.showsFigures(c, latency)
	press(`[data-knob="links.latency"] button`, `[data-number="links.latency"]`)
	x.showsFigures(c, c.base.Setting)
	x.eval(`document.querySelector(".curve").open = true`, nil)
	x.enter("#most", "4")
	press("#go", "#go")
	x.await(`document.querySelector("#stop").hidden && document.querySelectorAll("#best button").length === 4`)
	press("#best tbody tr:nth-child(2) button", "#best tbody tr:nth-child(2) button")
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{2} }))
	x.quiet()
}
