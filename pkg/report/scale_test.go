package report_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
	"dvmtools/pkg/units"
)

// large is a program of n intervals on a grid of 1000 x 1000 processors, which
// fall into the nine classes of a block distribution: corners, edges, inside.
// Half of the characteristics are 0, as in real programs; the others are
// numbers with all their digits.
func large(n int) *records {
	r := rand.New(rand.NewPCG(3, 4))
	p := &records{header: interval.Header{Source: []string{"x.ptr"}, Grid: []int{1000, 1000}, Processors: 1e6}}
	fill := func(t *interval.Times) {
		next := func() units.Seconds { return units.Seconds(r.Float64()) }
		t.Efficiency = r.Float64()
		for _, x := range []*units.Seconds{&t.ExecutionTime, &t.TotalTime, &t.ProductiveTime, &t.ProductiveCPUTime, &t.ProductiveSYSTime, &t.LostTime,
			&t.InsuffParallelism, &t.InsuffParallelismUSR, &t.InsuffParallelismSYS, &t.Communication, &t.CommunicationSynch, &t.Idle,
			&t.Synchronization, &t.CPUTime, &t.SYSTime, &t.Shadow.Communication, &t.Shadow.RealSynch, &t.Shadow.Synch, &t.Shadow.Overlap} {
			*x = next()
		}
	}
	sets := []string{"0", "1-998", "999"}
	for i := range n {
		iv := interval.Interval{ID: i + 1, Type: interval.Parallel, File: "x.fdv", Line: i, Count: 20, Processors: 1e6}
		if i > 0 {
			// A tree of ten intervals in each.
			iv.Parent = (i-1)/10 + 1
			iv.Level = p.intervals[iv.Parent-1].Level + 1
		} else {
			iv.Type = interval.Main
		}
		fill(&iv.Times)
		p.intervals = append(p.intervals, iv)
		for _, a := range sets {
			for _, b := range sets {
				c := interval.Processor{Interval: i + 1, Boxes: [][]string{{a, b}}, N: 1}
				for _, s := range []string{a, b} {
					if s == "1-998" {
						c.N *= 998
					}
				}
				fill(&c.Times)
				p.processors = append(p.processors, c)
			}
		}
	}
	return p
}

const (
	largeIntervals = 10_000
	largeBytes     = 20 << 20
	largeElements  = 20_000
)

// TestLargePage bounds the size of the page of a large program, and what of it
// becomes elements when it is opened.
func TestLargePage(t *testing.T) {
	if effort.Race {
		t.Skip("nothing here runs side by side")
	}
	page := write(t, large(largeIntervals).tree(t, report.AllLevels), report.HTML)
	if len(page) > largeBytes {
		t.Errorf("the page has %d bytes, expected at most %d", len(page), largeBytes)
	}
	for _, want := range []string{"--level N", "--format csv"} {
		if !strings.Contains(page[strings.Index(page, "<noscript>"):strings.Index(page, "</noscript>")], want) {
			t.Errorf("without scripts it does not name %s", want)
		}
	}
	b := startBrowser(t)
	x := b.tab(t)
	x.size(1280, 900, "light")
	x.open(page, "")
	var nodes int
	x.eval(`(() => { let n = 0; const w = document.createTreeWalker(document, NodeFilter.SHOW_ALL); while (w.nextNode()) n++; return n; })()`, &nodes)
	if nodes > largeElements || nodes < 500 {
		t.Errorf("%d nodes on opening, expected at most %d", nodes, largeElements)
	}
	// An interval far down has no row until it is asked for.
	x.eval(`location.hash = "#i9999-lost"`, nil)
	x.eval(`new Promise((done) => setTimeout(done, 200))`, nil)
	var shown bool
	x.eval(`document.querySelector("[data-row='9999']") !== null && document.querySelector("#i9999-lost.target") !== null`, &shown)
	if !shown {
		t.Error("interval 9999 is not shown at its address")
	}
	x.eval(`(() => { let n = 0; const w = document.createTreeWalker(document, NodeFilter.SHOW_ALL); while (w.nextNode()) n++; return n; })()`, &nodes)
	t.Logf("%d bytes; %d nodes with interval 9999 shown", len(page), nodes)
	x.quiet()
}

// TestThreads writes the same page with any number of threads.
func TestThreads(t *testing.T) {
	for _, n := range []int{1, 64, 65, 130, 1001} {
		tree := large(n).tree(t, report.AllLevels)
		want := write(t, tree, report.HTML)
		for _, threads := range []int{1, 2, 3, 16} {
			var b strings.Builder
			if err := report.Write(&b, tree, report.HTML, report.Options{Threads: threads}); err != nil {
				t.Fatal(err)
			}
			if b.String() != want {
				t.Errorf("%d intervals, %d threads: another page", n, threads)
			}
		}
	}
}

// BenchmarkPage writes the page of a large program: without scripts there is
// nothing in the one of 10,000 intervals, everything in that of 1,000.
func BenchmarkPage(b *testing.B) {
	for _, n := range []int{1000, largeIntervals} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d/%d", n, threads), func(b *testing.B) {
				tree := large(n).tree(b, report.AllLevels)
				b.SetBytes(int64(len(write(b, tree, report.HTML))))
				for b.Loop() {
					if err := report.Write(io.Discard, tree, report.HTML, report.Options{Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFirstPicture opens the page of a large program; the time is that
// from the beginning of navigation to the first contentful picture, as the
// browser measures it.
func BenchmarkFirstPicture(b *testing.B) {
	page := write(b, large(largeIntervals).tree(b, report.AllLevels), report.HTML)
	browser := startBrowser(b)
	sum := 0.0
	for b.Loop() {
		x := browser.tab(b)
		x.size(1280, 900, "light")
		x.open(page, "")
		var ms float64
		x.eval(`new Promise((done) => { const look = () => { const p = performance.getEntriesByName("first-contentful-paint")[0];
			p ? done(p.startTime) : setTimeout(look, 10); }; look(); })`, &ms)
		sum += ms
	}
	b.ReportMetric(sum/float64(b.N), "ms/picture")
}
