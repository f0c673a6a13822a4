package report_test

import (
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
