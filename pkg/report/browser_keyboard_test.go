package report_test

import (
	"fmt"
	"strings"
	"testing"

	"dvmtools/pkg/report"
)

// everything is a page that has all that a page of a program can have: lines,
// exchanges, intervals, processors, a timeline, the source.
func everything(t testing.TB) string {
	t.Helper()
	tree := timed(t, "single/f04_across.ptr.zst", []int{2, 2})
	source := report.Source{Name: tree.Root.File, Text: strings.Repeat("      CONTINUE\n", 60)}
	var page strings.Builder
	if err := report.Write(&page, tree, report.HTML, report.Options{Sources: []report.Source{source}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="lines"`, `id="exchanges"`, `id="timeline"`, `id="source`} {
		if !strings.Contains(page.String(), want) {
			t.Fatalf("the page has no %s", want)
		}
	}
	return page.String()
}

// keyboardScript finds controls and says what they do. name is the same for a control
// that is made again when the page changes.
const keyboardScript = `(() => {
	window.controls = () => [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
		.filter((e) => e.checkVisibility() && !e.disabled);
	window.nameOf = (e) => [e.closest("section[id]")?.id, e.tagName, e.id, e.type, e.ariaLabel ?? e.getAttribute("href") ?? e.textContent.trim(),
		e.dataset.toggle].join("|");
	window.find = (name) => controls().find((e) => nameOf(e) === name);
	window.changes = 0;
	new MutationObserver((list) => { changes += list.length; }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
	addEventListener("hashchange", () => { changes++; });
})()`

// browseByKeyboard reaches everything that the mouse can use with the Tab key, on
// pages that have everything, and works every control.
func browseByKeyboard(t *testing.T, b *browser) {
	a, b2 := versions()
	for name, page := range map[string]struct {
		text  string
		least int // controls
	}{
		"sample":     {write(t, sample(t).tree(t, report.AllLevels), report.HTML), 40},
		"everything": {everything(t), 80},
		"comparison": {sheet(t, report.Compare(a.tree(t, report.AllLevels), b2.tree(t, report.AllLevels), "a", "b"), report.HTML), 10},
		"sweep":      {sheet(t, found(t, sweepStream).Sheet(), report.HTML), 8},
	} {
		x := b.tab(t)
		x.size(1280, 900, "light")
		x.open(page.text, "")
		x.eval(keyboardScript, nil)
		var controls int
		x.eval(`(() => { window.seen = new Set(); window.all = controls(); return all.length; })()`, &controls)
		for range controls + 5 {
			x.key("Tab", 0)
			x.eval(`void seen.add(document.activeElement)`, nil)
		}
		var missed []string
		x.eval(`all.filter((e) => !seen.has(e)).map((e) => e.outerHTML.slice(0, 80))`, &missed)
		if len(missed) > 0 || controls < page.least {
			t.Errorf("%s: %d controls, not reached: %q", name, controls, missed)
		}
		var nameless []string
		x.eval(`controls().filter((e) => !e.textContent.trim() && !e.ariaLabel && !e.labels?.length).map((e) => e.outerHTML.slice(0, 80))`, &nameless)
		if len(nameless) > 0 {
			t.Errorf("%s: controls without a name: %q", name, nameless)
		}
		workControls(t, x, name)
		x.quiet()
	}
}

// workControls works each control by keyboard, twice where that undoes it, and expects
// the page to change.
func workControls(t *testing.T, x *tab, page string) {
	t.Helper()
	var names []string
	x.eval(`[...new Set(controls().map(nameOf))]`, &names)
	for _, name := range names {
		var kind string
		x.eval(fmt.Sprintf(`(() => { const e = find(%q); if (!e) return "gone"; e.focus(); changes = 0;
			return e.tagName === "INPUT" ? e.type : e.tagName === "A" && e.hash === location.hash ? "here" : e.tagName; })()`, name), &kind)
		keys := map[string][]string{"A": {"Enter"}, "BUTTON": {"Enter", "Space"}, "SUMMARY": {"Enter", "Space"}, "checkbox": {"Space", "Space"},
			"SELECT": {"ArrowUp", "ArrowDown"}, "search": {"q"}, "CANVAS": {"ArrowRight"}}[kind]
		if keys == nil {
			// Regions that scroll, links to where the page is, and what another
			// control took away.
			if kind != "DIV" && kind != "PRE" && kind != "TABLE" && kind != "here" && kind != "gone" {
				t.Errorf("%s: nobody knows how to work a %s: %s", page, kind, name)
			}
			continue
		}
		for _, key := range keys {
			x.eval(fmt.Sprintf(`find(%q)?.focus()`, name), nil)
			x.key(key, 0)
		}
		if kind == "search" {
			x.eval(fmt.Sprintf(`(() => { const e = find(%q); e.select(); })()`, name), nil)
			x.key("Backspace", 0)
		}
		var changes int
		x.eval(`new Promise((done) => setTimeout(() => done(changes), 20))`, &changes)
		if changes == 0 {
			t.Errorf("%s: nothing happens with %q at %s", page, keys, name)
		}
	}
}
