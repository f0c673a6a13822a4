package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
	"dvmtools/pkg/units"
)

// browseTimeline tests the timeline: read by keyboard, zoomed, in both themes.
func browseTimeline(t *testing.T, b *browser) {
	tree := timed(t, "single/f04_across.ptr.zst", []int{2, 2})
	page := write(t, tree, report.HTML)
	x := b.tab(t)
	x.size(1280, 900, "light")
	x.open(page, "#timeline")
	x.eval(`document.querySelector("#spans-canvas").focus()`, nil)
	x.key("ArrowRight", 0)
	// The program begins with the computation before its first call.
	first := strings.ReplaceAll(x.text("#span"), "\u00a0", " ")
	if !strings.HasPrefix(first, "Processor 0: computation, ") || !strings.Contains(first, " from 0 s on, call ") || !strings.HasSuffix(first, "main f04_across.fdv:"+fmt.Sprint(tree.Root.Line)) {
		t.Errorf("the first span is %q", first)
	}
	x.key("ArrowRight", 0)
	second := strings.ReplaceAll(x.text("#span"), "\u00a0", " ")
	if !strings.HasPrefix(second, "Processor 0: run-time system, ") {
		t.Errorf("the second span is %q", second)
	}
	x.key("ArrowLeft", 0)
	if s := strings.ReplaceAll(x.text("#span"), "\u00a0", " "); s != first {
		t.Errorf("before the second is %q", s)
	}
	x.key("ArrowDown", 0)
	if s := x.text("#span"); !strings.HasPrefix(s, "Processor 1: ") {
		t.Errorf("below processor 0 is %q", s)
	}
	runs := func() (n int) {
		x.eval(`Number(document.querySelector("#spans-canvas").dataset.runs)`, &n)
		return n
	}
	all := runs()
	for range 12 {
		x.key("+", 0)
	}
	if n := runs(); n >= all || n == 0 {
		t.Errorf("%d pieces drawn, zoomed in %d", all, n)
	}
	x.key("Home", 0)
	if n := runs(); n != all {
		t.Errorf("%d pieces drawn, then %d", all, n)
	}
	// Every span that the script has is that of the stream.
	var kinds []float64
	x.eval(`(() => { const sums = [0, 0, 0, 0, 0], d = JSON.parse(document.querySelector("#spans").textContent);
		for (const l of d.lanes) for (const k of l[2]) for (let i = 0; i < d.sets[k].length; i += 5) sums[d.sets[k][i + 2] >> 3] += l[1] * d.sets[k][i + 1];
		return sums; })()`, &kinds)
	r := tree.Root
	for i, want := range []units.Seconds{r.CPUTime, r.SYSTime, r.IOTime, r.CommunicationSynch, r.Communication - r.CommunicationSynch} {
		if math.Abs(kinds[i]-float64(want)) > 1e-7*float64(r.TotalTime) {
			t.Errorf("kind %d: the page has %v s, the program %v", i, kinds[i], float64(want))
		}
	}
	x.contrast("light")
	x.shot("timeline-1280-light")
	x.size(400, 900, "dark")
	x.contrast("dark")
	var wide int
	if x.eval(`document.documentElement.scrollWidth`, &wide); wide > 400 {
		t.Errorf("the page is %d pixels wide in a window of 400", wide)
	}
	x.shot("timeline-400-dark")
	x.quiet()
}

// manySpans is a program of n spans on two processors.
func manySpans(t testing.TB, n int) *report.Tree {
	t.Helper()
	b := report.NewBuilder(interval.Header{Grid: []int{2}, Processors: 2, Source: []string{"x.ptr"}}, report.AllLevels)
	iv := interval.Interval{ID: 1, Type: interval.Main, File: "x.fdv", Line: 1, Count: 1, Processors: 2}
	iv.ExecutionTime = units.Seconds(n) * 1e-6 / 2
	if err := b.Interval(diag.Pos{}, &iv); err != nil {
		t.Fatal(err)
	}
	kinds := []interval.SpanKind{interval.SpanCPU, interval.SpanSYS, interval.SpanIO, interval.SpanWait, interval.SpanCommunication}
	for i := range n {
		s := interval.Span{Processors: fmt.Sprint(i % 2), Start: units.Seconds(i/2) * 1e-6, End: units.Seconds(i/2+1) * 1e-6, Kind: kinds[i/2%3], Interval: 1, Seq: int64(i)}
		if err := b.Span(diag.Pos{}, &s); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Tree(diag.Pos{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestTooManySpansToDraw(t *testing.T) {
	page := write(t, manySpans(t, 1<<20+1), report.HTML)
	if !strings.Contains(page, "1048577 spans are too many to draw; <code>dvmreport --format perfetto</code>") || strings.Contains(page, `id="spans"`) || len(page) > 1<<20 {
		t.Errorf("a page of %d bytes", len(page))
	}
}

// BenchmarkTimeline opens the page of a million spans and zooms in and out; the time
// is that of one drawing of all spans.
func BenchmarkTimeline(b *testing.B) {
	page := write(b, manySpans(b, 1<<20), report.HTML)
	b.Logf("%d bytes", len(page))
	x := startBrowser(b).tab(b)
	x.size(1280, 900, "light")
	x.open(page, "")
	sum := 0.0
	for b.Loop() {
		var ms float64
		x.eval(`(() => { const c = document.querySelector("#spans-canvas"), t = performance.now();
			c.dispatchEvent(new KeyboardEvent("keydown", {key: "Home"})); return performance.now() - t; })()`, &ms)
		sum += ms
	}
	b.ReportMetric(sum/float64(b.N), "ms/drawing")
}
