package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dvmtools/pkg/whatif"
)

// TestWhatIfBlames: of two changes that cannot be simulated the one is named that the
// message is about.
func TestWhatIfBlames(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "compute/jac.ptr.zst", "cluster.par", 2, 2)
	x := b.openChangeable(t, c.page(t))
	const start = `[data-number="hpc.TStart"]`
	x.enter("#grid", "4x1")
	x.shows(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{4, 1} }))
	x.enter(start, "1e99")
	x.complains(start, "expected a value in range")
	if s := x.text("#stale"); !strings.HasSuffix(s, "of the last setting that could be simulated: grid 4x1.") {
		t.Errorf("the figures are said to be: %q", s)
	}
	x.enter("#grid", "0x1")
	x.complains(start, "expected a value in range")
	x.enter(start, "7")
	x.await(`document.querySelector("#wrong").textContent.includes("extent is 0")`)
	x.complains("#grid", "extent is 0")
	x.click("#undo")
	x.await(`document.querySelector("#wrong").textContent.includes("value in range")`)
	x.complains(start, "expected a value in range")
	x.click("#reset")
	x.good()
	x.shows(c, c.base.Setting)
	x.quiet()
}

// TestWhatIfStops: what takes long can be stopped at once, a simulation and a chart,
// and the next change works. With POP metrics the large trace is simulated twice and
// call by call.
func TestWhatIfStops(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "large/f11_big.ptr.zst", "cluster.par", 4)
	c.base.POP = true
	c.Begin(c.base)
	x := b.openChangeable(t, c.page(t))

	// A simulation under way.
	x.enter("#grid", "64")
	x.await(`!document.querySelector("#halt").hidden`)
	if s := x.text("#waiting"); s != "Simulating grid 64." {
		t.Errorf("while it is simulated: %q", s)
	}
	x.click("#halt")
	x.complains("#grid", "the simulation was stopped")
	x.eval(`document.querySelector("#again").focus()`, nil)
	x.key("Enter", 0)
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{64} }))
	x.good()

	// One that a change makes useless.
	x.enter("#grid", "256")
	x.enter("#grid", "2")
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{2} }))
	x.click("#reset")
	x.showsFigures(c, c.base.Setting)

	// A chart, between two changes: a change goes first, and the chart goes on.
	done := func() (n int) {
		x.eval(`parseInt(document.querySelector("#swept").textContent) || 0`, &n)
		return n
	}
	x.click(".curve summary")
	x.enter("#most", "40")
	x.click("#go")
	x.await(`document.querySelector("#swept").textContent.startsWith("2 of")`)
	x.enter("#grid", "8")
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{8} }))
	x.await(`parseInt(document.querySelector("#swept").textContent) > 3`)
	x.click("#stop")
	n := done()
	if s := x.text("#swept"); !strings.HasSuffix(s, ", stopped") {
		t.Errorf("after Stop: %q", s)
	}
	x.enter("#grid", "16")
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{16} }))
	if m := done(); m != n {
		t.Errorf("after Stop the chart went from %d to %d", n, m)
	}

	// How soon: the least of some tries, as other programs run beside the browser.
	x.eval(fmt.Sprintf(workerOfTest, `{ time: JSON.parse(part("base")).setting }`), nil)
	least := math.Inf(1)
	for range 5 {
		var took float64
		x.eval(`(async () => {
			const setting = { ...JSON.parse(document.getElementById("base").textContent).setting, grid: [512] };
			const answer = window.asked({ request: JSON.stringify({ page: setting }) });
			await new Promise((go) => setTimeout(go, 60));
			const begin = performance.now();
			window.stopped();
			if (!(await answer).stopped) throw new Error("the simulation was not stopped");
			return performance.now() - begin;
		})()`, &took)
		least = min(least, took)
	}
	t.Logf("a simulation ends %v ms after it is stopped", least)
	if least > 100 {
		t.Errorf("a simulation ends %v ms after it is stopped, expected at most 100", least)
	}
	// Behind all that it simulates as before.
	var records string
	x.eval(fmt.Sprintf(workerOfTest, `{ records: JSON.parse(part("base")).setting }`), &records)
	if want := c.records(t, c.base.Setting); records != want {
		t.Errorf("behind simulations that were stopped:\n%.500s\nexpected\n%.500s", records, want)
	}
	x.quiet()
}

// TestWhatIfDeaf: a worker that does not listen is ended, and another one takes its
// place.
func TestWhatIfDeaf(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "compute/jac.ptr.zst", "cluster.par", 2, 2)
	// A simulation that never ends.
	page := strings.Replace(c.page(t), "async function ask(message) {", "async function ask(message) {\n  if (message.request.includes('[4,1]')) for (;;);", 1)
	x := b.openChangeable(t, page)
	x.enter("#grid", "4x1")
	x.await(`!document.querySelector("#halt").hidden`)
	x.click("#halt")
	x.complains("#grid", "the simulation was stopped")
	x.enter("#grid", "1x4")
	x.showsFigures(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{1, 4} }))
	x.good()
	x.quiet()
}
