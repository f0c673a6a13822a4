package report_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
	"dvmtools/pkg/report"
	"dvmtools/pkg/whatif"
	"dvmtools/pkg/whatif/engine"
)

// changeable is a program with the engine that its page carries.
type changeable struct {
	*whatif.Engine
	base  whatif.Base
	calls []byte // packed and compressed
}

// changeableOf returns a real program on a machine of testdata.
func changeableOf(t testing.TB, trace, machine string, grid ...int) *changeable {
	t.Helper()
	return changeableCalls(t, testtraces.Calls(t, trace), trace, machine, grid...)
}

// changeableCalls is [changeableOf] for calls.
func changeableCalls(t testing.TB, r *call.Recording, trace, machine string, grid ...int) *changeable {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "machines", machine))
	if err != nil {
		t.Fatal(err)
	}
	c := &changeable{Engine: whatif.Of(r), calls: packed(t, r), base: whatif.Base{
		Machine: whatif.Machine{Files: []whatif.File{{Name: machine, Text: string(text)}}},
		Setting: whatif.Setting{Set: []string{}, Scale: []string{}, Grid: grid, Options: options.Defaults()},
		Calls:   trace, Level: -1, Shown: -1, Detail: "classes", Lines: true,
	}}
	if strings.HasSuffix(machine, ".mach") {
		c.base.Machine.TracedOn = c.base.Machine.Files
		c.base.Setting.TracedOn = machine + ":1"
	}
	c.Begin(c.base)
	return c
}

// packed returns calls as a page has them.
func packed(t testing.TB, r *call.Recording) []byte {
	t.Helper()
	calls, err := whatif.Pack(r)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(calls); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tree returns the intervals of a setting.
func (c *changeable) tree(t testing.TB, s whatif.Setting) *report.Tree {
	t.Helper()
	r, err := c.Simulate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := c.Tree(r)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// records returns the interval stream of a setting.
func (c *changeable) records(t testing.TB, s whatif.Setting) string {
	t.Helper()
	r, err := c.Simulate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Write(interval.NewWriter(&b), r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// page returns the page of the first setting.
func (c *changeable) page(t testing.TB) string {
	t.Helper()
	return c.pageOf(t, c.tree(t, c.base.Setting))
}

// pageOf returns the page of the intervals of the first setting.
func (c *changeable) pageOf(t testing.TB, tree *report.Tree) string {
	t.Helper()
	text, err := json.Marshal(c.base)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	o := report.Options{WhatIf: &report.WhatIf{Module: engine.Module, Calls: c.calls, Base: text}}
	if err := report.Write(&b, tree, report.HTML, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// changed returns the first setting after a change.
func (c *changeable) changed(change func(*whatif.Setting)) whatif.Setting {
	s := c.base.Setting
	s.Set, s.Scale, s.Grid = slices.Clone(s.Set), slices.Clone(s.Scale), slices.Clone(s.Grid)
	change(&s)
	return s
}

// openChangeable opens a page and waits until it can be changed.
func (b *browser) openChangeable(t testing.TB, page string) *tab {
	t.Helper()
	x := b.tab(t)
	x.size(1280, 900, "light")
	x.open(page, "")
	x.await(`document.querySelector("#command")?.value`)
	return x
}

// await waits until an expression is true.
func (x *tab) await(expression string) {
	x.t.Helper()
	for range 1200 {
		var ok bool
		x.eval("!!("+expression+")", &ok)
		if ok {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	var state string
	x.eval(`document.querySelector("#whatif")?.innerText.slice(0, 600) ?? "no panel"`, &state)
	x.t.Fatalf("waited for %s in vain; the panel says %s", expression, state)
}

// showsFigures waits until the page shows the figures of a setting.
func (x *tab) showsFigures(c *changeable, s whatif.Setting) {
	x.t.Helper()
	tree := c.tree(x.t, s)
	x.await(fmt.Sprintf(`document.querySelector("#now").dataset.time === String(%v) && document.querySelector("#command").value === %q`, float64(tree.Root.ExecutionTime), c.Command(s)))
}

// shows waits until the page shows the figures of a setting, and compares all
// figures of the program with those of the engine.
func (x *tab) shows(c *changeable, s whatif.Setting) {
	x.t.Helper()
	tree := c.tree(x.t, s)
	x.showsFigures(c, s)
	var got map[string]string
	x.eval(`Object.fromEntries([...document.querySelectorAll("#interval [data-name]")].map((e) => [e.id, e.dataset.value]))`, &got)
	if len(got) < 40 {
		x.t.Errorf("%d figures are shown", len(got))
	}
	for _, f := range report.Figures() {
		want := f.Value(&tree.Root.Interval).Exact()
		if id := "i1-" + f.Anchor; numberOf(got[id]) != numberOf(want) {
			x.t.Errorf("%s is shown as %s, expected %s", id, got[id], want)
		}
	}
	// What stands above the intervals is what the page of this setting has.
	own := parse(x.t, write(x.t, tree, report.HTML))
	for _, id := range []string{"top", "use", "simulated", "findings", "lines"} {
		want, selector := "", "#"+id
		for n := range own.Descendants() {
			if got, _ := attr(n, "id"); got == id {
				want = strings.Join(strings.Fields(text(n)), "")
			}
		}
		if id == "lines" {
			// The heads of columns and the filter are the script's.
			_, want, _ = strings.Cut(want, "UseCallsFunctions")
			selector += " tbody"
		}
		if want == "" && id != "findings" {
			x.t.Errorf("the page has no #%s", id)
		}
		var shown string
		x.eval(fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector), &shown)
		if shown = strings.Join(strings.Fields(shown), ""); shown != want {
			x.t.Errorf("#%s reads %s, expected %s", id, shown, want)
		}
	}
}

func numberOf(s string) float64 {
	var x float64
	fmt.Sscan(s, &x)
	return x
}

// TestWhatIfEqualsSimulation: in the browser the simulator writes the same bytes
// as here, on three traces and machines of both languages.
func TestWhatIfEqualsSimulation(t *testing.T) {
	b := startBrowser(t)
	for _, x := range []struct {
		trace, machine string
		grid           []int
		changes        []func(*whatif.Setting)
	}{
		{"compute/jac.ptr.zst", "cluster.par", []int{2, 2}, []func(*whatif.Setting){
			func(s *whatif.Setting) { s.Set = []string{"hpc.TStart=7.5"} },
			func(s *whatif.Setting) { s.Scale = []string{"power=1.7", "TByte=3"} },
			func(s *whatif.Setting) { s.Grid = []int{4, 1} },
			func(s *whatif.Setting) { s.Options.Collectives = options.Tree; s.Options.Async = options.Free },
		}},
		{"single/f04_across.ptr.zst", "tree.par", []int{2, 2}, []func(*whatif.Setting){
			func(s *whatif.Setting) { s.Scale = []string{"TStart=0.1"} },
			func(s *whatif.Setting) { s.Options.Across = options.Search },
			func(s *whatif.Setting) { s.Options.Balance = options.Power; s.Grid = []int{3, 2} },
		}},
		{"single/f01_ivals.ptr.zst", "sparc.mach", []int{2, 2}, []func(*whatif.Setting){
			func(s *whatif.Setting) { s.Scale = []string{"links.latency=2", "float=0.5"} },
			func(s *whatif.Setting) { s.Set = []string{"tl(1)(1).speed=3e-7"} },
			func(s *whatif.Setting) { s.Grid = []int{1, 4} },
		}},
	} {
		c := changeableOf(t, x.trace, x.machine, x.grid...)
		tab := b.openChangeable(t, c.page(t))
		settings := []whatif.Setting{c.base.Setting}
		for _, change := range x.changes {
			settings = append(settings, c.changed(change))
		}
		first := c.records(t, settings[0])
		for i, s := range settings {
			request, err := json.Marshal(whatif.Request{Records: &s})
			if err != nil {
				t.Fatal(err)
			}
			want := c.records(t, s)
			if i > 0 && want == first {
				t.Errorf("%s on %s: setting %d changes nothing", x.trace, x.machine, i)
			}
			var got string
			// A worker of the test's own, from the same parts as that of the page.
			tab.eval(fmt.Sprintf(workerOfTest, request), &got)
			if got != want {
				t.Errorf("%s on %s, %s: the browser writes\n%.2000s\nexpected\n%.2000s", x.trace, x.machine, c.Command(s), got, want)
			}
		}
		tab.quiet()
	}
}

// workerOfTest asks a simulator; it is kept between requests.
const workerOfTest = `(async () => {
	const part = (id) => document.getElementById(id).textContent;
	if (!window.asked) {
		const worker = new Worker(URL.createObjectURL(new Blob([part("worker")], { type: "text/javascript" })));
		window.asked = (message) => new Promise((done, no) => {
			worker.onmessage = (e) => (e.data.dead ? no(new Error(e.data.dead)) : done(JSON.parse(new TextDecoder().decode(e.data.answer))));
			worker.postMessage({ ...message, number: ++number });
		});
		window.stopped = () => worker.postMessage({ stop: number });
		let number = 0;
		await window.asked({ module: part("module"), calls: part("calls") });
		await window.asked({ request: JSON.stringify({ begin: JSON.parse(part("base")) }) });
	}
	const answer = await window.asked({ request: JSON.stringify(%s) });
	if (answer.error) throw new Error(answer.error);
	return answer.records;
})()`

// TestWhatIfSize: a page is at most five megabytes larger than the compressed trace.
// How large calls are is tested in package whatif.
func TestWhatIfSize(t *testing.T) {
	for _, trace := range []string{"large/f11_big.ptr.zst", "single/f09_tasks.ptr.zst"} {
		c := changeableOf(t, trace, "cluster.par", 4)
		s, err := os.Stat(testtraces.Path(t, trace))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(c.page(t)); int64(n) > s.Size()+5_000_000 {
			t.Errorf("%s: the page has %d bytes, its trace %d", trace, n, s.Size())
		}
	}
}
