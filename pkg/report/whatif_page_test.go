package report_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/whatif"
)

// TestWhatIfPage uses the controls of a page as a reader does.
func TestWhatIfPage(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "compute/jac.ptr.zst", "cluster.par", 2, 2)
	x := b.openChangeable(t, c.page(t))
	x.shows(c, c.base.Setting)
	x.shot("whatif")

	// A slider by keyboard: each key is a step of the history.
	x.eval(`document.querySelector('[data-slider="hpc.TStart"]').focus()`, nil)
	x.key("ArrowRight", 0)
	x.key("ArrowRight", 0)
	twice := c.changed(func(s *whatif.Setting) { s.Set = []string{"hpc.TStart=2.094"} })
	x.shows(c, twice)
	if s := x.text(`[data-knob="hpc.TStart"] .name`); !strings.Contains(s, "hpc.TStart") {
		t.Errorf("the control is called %q", s)
	}
	var marked int
	x.eval(`document.querySelectorAll(".knob.changed").length`, &marked)
	if marked != 1 {
		t.Errorf("%d controls are marked as changed, expected one", marked)
	}

	// The same slider by mouse, far to the right: a drag is one step.
	x.drag(`[data-slider="hpc.TStart"]`, 0.5, 0.9)
	var stated string
	x.eval(`document.querySelector('[data-number="hpc.TStart"]').value`, &stated)
	dragged := c.changed(func(s *whatif.Setting) { s.Set = []string{"hpc.TStart=" + stated} })
	if numberOf(stated) < 20 {
		t.Errorf("the drag leads to %s us", stated)
	}
	x.shows(c, dragged)
	x.click("#undo")
	x.shows(c, twice)
	x.click("#undo")
	x.shows(c, c.changed(func(s *whatif.Setting) { s.Set = []string{"hpc.TStart=2.047"} }))
	x.click("#undo")
	x.shows(c, c.base.Setting)

	// The grid, an option, a group; what was changed is said.
	x.enter("#grid", "4x1")
	x.shows(c, c.changed(func(s *whatif.Setting) { s.Grid = []int{4, 1} }))
	x.eval(`(() => { const s = document.querySelector('[data-option="collectives"]'); s.value = "tree"; s.dispatchEvent(new Event("change")); })()`, nil)
	x.enter(`[data-number="power"]`, "2")
	all := c.changed(func(s *whatif.Setting) {
		s.Grid, s.Options.Collectives, s.Scale = []int{4, 1}, options.Tree, []string{"power=2"}
	})
	x.shows(c, all)
	if s := x.text("#changes"); s != "Changed: power × 2; grid 4x1; collectives tree" {
		t.Errorf("what was changed reads %q", s)
	}

	// Side by side.
	x.click("#keep")
	x.enter("#grid", "1x4")
	x.await(`document.querySelector("#pair td")`)
	x.shows(c, c.changed(func(s *whatif.Setting) {
		s.Grid, s.Options.Collectives, s.Scale = []int{1, 4}, options.Tree, []string{"power=2"}
	}))
	var cells []string
	x.eval(`[...document.querySelectorAll("#pair tbody tr")][0].querySelectorAll("td").values().map((c) => c.dataset.value ?? c.textContent).toArray()`, &cells)
	kept := c.tree(t, all)
	if len(cells) != 3 || numberOf(cells[0]) != float64(kept.Root.ExecutionTime) {
		t.Errorf("side by side: %q, expected %v first", cells, float64(kept.Root.ExecutionTime))
	}
	x.shot("whatif-pair")

	// The command line that is copied gives the same.
	x.click("#copy")
	x.await(`document.querySelector("#copied").textContent`)
	var line string
	x.eval(`document.querySelector("#command").value`, &line)
	if got, want := c.run(t, line)[0], c.records(t, c.changed(func(s *whatif.Setting) {
		s.Grid, s.Options.Collectives, s.Scale = []int{1, 4}, options.Tree, []string{"power=2"}
	})); got != want {
		t.Errorf("%s gives\n%.1000s\nexpected\n%.1000s", line, got, want)
	}
	x.click("#reset")
	x.shows(c, c.base.Setting)
	x.quiet()
}

// TestWhatIfLooks: the panel can be read in both themes, fits a narrow window, and
// everything in it can be reached with the Tab key and has a name.
func TestWhatIfLooks(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "single/f01_ivals.ptr.zst", "sparc.mach", 2, 2)
	page := c.page(t)
	x := b.openChangeable(t, page)
	x.shot("whatif-parasol")
	x.enter(`[data-number="links.latency"]`, "3")
	x.await(`document.querySelector("#now").textContent.includes("(+")`)
	for _, theme := range []string{"light", "dark"} {
		x.size(1280, 900, theme)
		x.contrast(theme)
		x.shot("whatif-" + theme)
	}
	x.size(400, 800, "light")
	var wide float64
	x.eval(`document.documentElement.scrollWidth`, &wide)
	if wide > 400 {
		t.Errorf("in a window of 400 pixels the page has %v", wide)
	}
	x.shot("whatif-narrow")
	x.size(1280, 900, "light")
	var controls int
	x.eval(`(() => { window.seen = new Set(); window.all = [...document.querySelectorAll("#whatif button, #whatif input, #whatif select, #whatif summary")].filter((e) => e.checkVisibility() && !e.disabled);
		document.querySelector("#undo").focus(); seen.add(document.activeElement); return all.length; })()`, &controls)
	for range controls {
		x.key("Tab", 0)
		x.eval(`void seen.add(document.activeElement)`, nil)
	}
	var missed, nameless []string
	x.eval(`all.filter((e) => !seen.has(e)).map((e) => e.outerHTML.slice(0, 80))`, &missed)
	x.eval(`all.filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80))`, &nameless)
	if len(missed)+len(nameless) > 0 || controls < 40 {
		t.Errorf("of %d controls not reached: %q; without a name: %q", controls, missed, nameless)
	}
	x.quiet()
}

// BenchmarkWhatIf is a step of a slider, and of the grid, in the browser on a trace of
// 7,020 calls: from the request to the answer of the worker, and from the change to
// the new figures.
func BenchmarkWhatIf(b *testing.B) {
	browser := startBrowser(b)
	const trace = "sizes/jac_1600.ptr.zst"
	calls := testtraces.Longer(b, trace, "crtrg_", 6)
	c := changeableCalls(b, calls, trace, "cluster.par", 2, 2)
	x := browser.openChangeable(b, c.page(b))
	for _, step := range []struct{ name, request, control, value string }{
		{"parameter", `{ page: { ...setting, scale: ["TStart=" + (1 + i / 10)] } }`, `[data-slider="TStart"]`, "1 + i % 200"},
		{"grid", `{ page: { ...setting, grid: [1 + i % 6, 1 + i % 5] } }`, `[data-extent="0"]`, "3 + i % 60"},
	} {
		measure := func(name, action string) {
			b.Run(step.name+"/"+name, func(b *testing.B) {
				var took []float64
				for b.Loop() {
					var ms float64
					x.eval(action, &ms)
					took = append(took, ms)
				}
				slices.Sort(took)
				b.ReportMetric(float64(calls.Len()), "calls")
				b.ReportMetric(took[len(took)/2], "ms/step")
				b.ReportMetric(took[0], "least-ms/step")
			})
		}
		measure("shown", fmt.Sprintf(`(async () => {
			const i = window.steps = (window.steps || 0) + 1, control = document.querySelector(%q), now = document.querySelector("#now");
			const before = now.dataset.time;
			const shown = new Promise((done) => { const o = new MutationObserver(() => { if (now.dataset.time !== before) { o.disconnect(); done(); } }); o.observe(now, { attributeFilter: ["data-time"] }); });
			const begin = performance.now();
			control.value = %s;
			control.dispatchEvent(new Event("input"));
			await shown;
			return performance.now() - begin;
		})()`, step.control, step.value))
		x.eval(fmt.Sprintf(workerOfTest, `{ time: JSON.parse(part("base")).setting }`), nil)
		measure("answered", fmt.Sprintf(`(async () => {
			const setting = JSON.parse(document.getElementById("base").textContent).setting, i = window.steps = (window.steps || 0) + 1;
			const begin = performance.now();
			await window.asked({ request: JSON.stringify(%s) });
			return performance.now() - begin;
		})()`, step.request))
	}
}

// TestWhatIfChangedMachine: a prediction for a changed machine is what the page
// begins with, and what its controls return to.
func TestWhatIfChangedMachine(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "compute/jac.ptr.zst", "cluster.par", 2, 2)
	c.base.Setting.Set, c.base.Setting.Scale = []string{"hpc.TStart=5"}, []string{"power=2"}
	c.Begin(c.base)
	x := b.openChangeable(t, c.page(t))
	expect := func(words string) {
		t.Helper()
		if s := x.text("#changes"); s != words {
			t.Errorf("what was changed reads %q, expected %q", s, words)
		}
	}
	x.shows(c, c.base.Setting)
	expect("Nothing is changed.")
	x.enter(`[data-number="hpc.TStart"]`, "2")
	x.shows(c, c.changed(func(s *whatif.Setting) { s.Set = []string{} }))
	expect("Changed: no hpc.TStart = 5")
	x.enter(`[data-number="power"]`, "4")
	x.shows(c, c.changed(func(s *whatif.Setting) { s.Set, s.Scale = []string{}, []string{"power=4"} }))
	expect("Changed: no hpc.TStart = 5; power × 4")
	x.click(`[data-knob="hpc.TStart"] button`)
	x.shows(c, c.changed(func(s *whatif.Setting) { s.Scale = []string{"power=4"} }))
	expect("Changed: power × 4")
	x.click("#reset")
	x.shows(c, c.base.Setting)
	expect("Nothing is changed.")
	x.quiet()
}

// TestWhatIfCommands: the command line of a setting gives what the simulator of the
// page gives, byte for byte, on machines of both languages.
func TestWhatIfCommands(t *testing.T) {
	for _, x := range []struct {
		trace, machine string
		grid           []int
		changes        []func(*whatif.Setting)
	}{
		{"single/f09_tasks.ptr.zst", "sparc.mach", []int{4}, []func(*whatif.Setting){
			func(s *whatif.Setting) { s.Scale = []string{"links.latency=2", "float=0.5"}; s.Grid = []int{3} },
			func(s *whatif.Setting) { s.Set = []string{"tl(1)(1).speed=3e-7"}; s.TracedOn = "" },
		}},
		{"compute/gauss.ptr.zst", "tree.par", []int{4}, []func(*whatif.Setting){
			func(s *whatif.Setting) { s.Set = []string{"grid.TStart=12.5"}; s.Order = machine.Fastest },
			func(s *whatif.Setting) {
				s.Scale, s.Options.Balance, s.Options.Async = []string{"power=0.7", "TByte=3"}, options.Power, options.Free
			},
		}},
	} {
		c := changeableOf(t, x.trace, x.machine, x.grid...)
		var lines, want []string
		for _, change := range x.changes {
			s := c.changed(change)
			lines, want = append(lines, c.Command(s)), append(want, c.records(t, s))
		}
		for i, got := range c.run(t, lines...) {
			if got != want[i] {
				t.Errorf("%s gives\n%.1000s\nexpected\n%.1000s", lines[i], got, want[i])
			}
		}
	}
}

// run runs command lines of dvmsim beside the machine and the calls.
func (c *changeable) run(t testing.TB, lines ...string) (out []string) {
	t.Helper()
	dir := t.TempDir()
	f, calls := c.base.Machine.Files[0], filepath.Join(dir, c.base.Calls)
	if err := errors.Join(os.MkdirAll(filepath.Dir(calls), 0o755), os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o644), os.WriteFile(calls, testtraces.Text(t, c.base.Calls), 0o644)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", dir, "dvmtools/cmd/dvmsim").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, line := range lines {
		sh := exec.Command("sh", "-c", "./"+line)
		sh.Dir = dir
		text, err := sh.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, string(text))
	}
	return out
}

// TestWhatIfComplains: what cannot be simulated is said beside the control that is
// the cause, and the last good figures stay, marked as such.
func TestWhatIfComplains(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "compute/jac.ptr.zst", "cluster.par", 2, 2)
	x := b.openChangeable(t, c.page(t))
	const start, power = `[data-number="hpc.TStart"]`, `[data-number="power"]`
	for _, bad := range []struct{ field, value, words string }{
		{"#grid", "4096x4096", "the machine is too small"},
		{"#grid", "0x2", "a grid extent is 0, expected at least 1"},
		{start, "1e99", "expected a value in range"},
		{start, "fast", "expected a number"},
		{power, "-1", "expected a number greater than 0"},
	} {
		x.enter(bad.field, bad.value)
		x.complains(bad.field, bad.words)
		if bad.value == "1e99" {
			for _, theme := range []string{"dark", "light"} {
				x.size(1280, 900, theme)
				x.contrast(theme)
				x.shot("whatif-wrong-" + theme)
			}
		}
		x.click("#undo")
		x.good()
		x.shows(c, c.base.Setting)
	}
	x.quiet()

	// A program that cannot be simulated on a grid.
	heat := changeableOf(t, "single/f02_heat3d.ptr.zst", "cluster.par", 2, 2)
	x = b.openChangeable(t, heat.page(t))
	x.enter("#grid", "64x1")
	x.complains("#grid", "strtsh_ (call 23, f02_heat3d.fdv:20): the shadow edge of dimension")
	x.enter("#grid", "2x1")
	x.good()
	x.shows(heat, heat.changed(func(s *whatif.Setting) { s.Grid = []int{2, 1} }))
	x.quiet()

	// Without what the simulator needs the prediction is shown, and nothing that
	// does not work.
	for lacking, words := range map[string]string{
		"delete globalThis.WebAssembly":                                              "This browser has no WebAssembly, which the simulator needs.",
		"delete globalThis.DecompressionStream":                                      "This browser has no DecompressionStream, which the simulator needs.",
		"globalThis.Worker = class { constructor() { throw new Error('no more'); }}": "The simulator does not start: no more.",
	} {
		x = b.tab(t)
		x.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": lacking}, nil)
		x.open(c.page(t), "")
		if s := x.text("#changes"); s != words+" The page shows the prediction, and nothing can be changed." {
			t.Errorf("%s: the panel says %q", lacking, s)
		}
		var alert bool
		x.eval(`document.querySelector("#changes").role === "alert" && !document.querySelector("#whatif button, #whatif input") && !document.body.classList.contains("stale")`, &alert)
		if !alert {
			t.Errorf("%s: there are controls, or it is not announced", lacking)
		}
		if s := x.text("#top .tiles"); !strings.Contains(s, "Execution time") {
			t.Errorf("%s: the tiles say %q", lacking, s)
		}
		x.shot("whatif-none")
		x.quiet()
	}
}

// complains waits for a message and checks that it stands in the row of a field,
// which is described by it, that it is announced, and that the figures are marked.
func (x *tab) complains(field, words string) {
	x.t.Helper()
	x.await(`!document.querySelector("#wrong").hidden`)
	var state struct {
		Words, Announced, Mark string
		InPlace, Stale         bool
		Invalid                []string
	}
	x.eval(fmt.Sprintf(`(() => { const wrong = document.querySelector("#wrong"), field = document.querySelector(%q), alert = document.querySelector("#stale");
		return { Words: wrong.textContent, Announced: alert.role === "alert" && alert.checkVisibility() ? alert.textContent : "",
			InPlace: wrong.closest(".knob") === field.closest(".knob") && wrong.checkVisibility() && field.getAttribute("aria-describedby") === "wrong" && field.ariaInvalid === "true",
			Stale: document.body.classList.contains("stale"), Mark: getComputedStyle(document.querySelector("#use h2"), "::after").content,
			Invalid: [...document.querySelectorAll("[aria-invalid]")].map((e) => e.closest(".knob").dataset.knob) }; })()`, field), &state)
	if !strings.Contains(state.Words, words) || !state.InPlace {
		x.t.Errorf("%s: the message %q (in place: %v), expected %q", field, state.Words, state.InPlace, words)
	}
	if !strings.Contains(state.Announced, words) || !strings.Contains(state.Announced, "The figures are those of the last setting that could be simulated") {
		x.t.Errorf("%s: announced is %q", field, state.Announced)
	}
	if !state.Stale || !strings.Contains(state.Mark, "last setting that could be simulated") {
		x.t.Errorf("%s: the figures are not marked", field)
	}
	if len(slices.Compact(state.Invalid)) != 1 {
		x.t.Errorf("%s: marked as invalid are the controls %q", field, state.Invalid)
	}
}

// good waits until nothing is wrong.
func (x *tab) good() {
	x.t.Helper()
	x.await(`document.querySelector("#wrong").hidden && document.querySelector("#stale").hidden && !document.body.classList.contains("stale") && !document.querySelector("[aria-invalid]")`)
}

// TestWhatIfSweep: charts over processors and over a parameter.
func TestWhatIfSweep(t *testing.T) {
	b := startBrowser(t)
	c := changeableOf(t, "compute/jac.ptr.zst", "cluster.par", 2, 2)
	x := b.openChangeable(t, c.page(t))
	x.click(".curve summary")
	x.enter("#most", "6")
	x.click("#go")
	x.await(`document.querySelector("#stop").hidden && document.querySelectorAll("#best button").length === 6`)
	if s := x.text("#swept"); s != "14 of 14 simulated" {
		t.Errorf("over processors: %q", s)
	}
	var best string
	x.eval(`document.querySelectorAll("#best button")[3].textContent`, &best)
	grid, least := "", 0.0
	for _, g := range [][]int{{4, 1}, {2, 2}, {1, 4}} {
		time := float64(c.tree(t, c.changed(func(s *whatif.Setting) { s.Grid = g })).Root.ExecutionTime)
		if grid == "" || time < least {
			grid, least = fmt.Sprintf("%dx%d", g[0], g[1]), time
		}
	}
	if best != grid {
		t.Errorf("the best grid of 4 processors is %s, expected %s", best, grid)
	}
	x.shot("whatif-sweep")
	x.eval(`(() => { const s = document.querySelector("#over"); s.value = "hpc.TByte"; s.dispatchEvent(new Event("change")); })()`, nil)
	x.click("#go")
	x.await(`document.querySelector("#stop").hidden && document.querySelectorAll("#chart circle.s0").length === 25`)
	var title string
	x.eval(`document.querySelectorAll("#chart circle.s0")[24].textContent`, &title)
	far := c.tree(t, c.changed(func(s *whatif.Setting) { s.Set = []string{"hpc.TByte=0.001"} }))
	if want := far.Root.ExecutionTime.Short(); !strings.Contains(strings.ReplaceAll(title, "\u00a0", " "), want) {
		t.Errorf("the last point says %q, expected %s", title, want)
	}
	// Stopped, it stays stopped.
	x.click("#go")
	x.click("#stop")
	if s := x.text("#swept"); !strings.Contains(s, "stopped") {
		t.Errorf("after Stop: %q", s)
	}
	x.quiet()
}

// enter replaces the text of a field by typing.
func (x *tab) enter(selector, text string) {
	x.t.Helper()
	x.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); e.select(); })()`, selector), nil)
	x.do("Input.insertText", map[string]any{"text": text}, nil)
	x.key("Enter", 0)
	x.eval(`document.activeElement.blur()`, nil)
}

// drag moves the mouse with its button down along an element, from one share of
// its width to another.
func (x *tab) drag(selector string, from, to float64) {
	x.t.Helper()
	var at []float64
	x.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return [r.x, r.y + r.height / 2, r.width]; })()`, selector), &at)
	move := func(kind string, share float64, buttons int) {
		x.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0] + share*at[2], "y": at[1], "button": "left", "buttons": buttons, "clickCount": 1}, nil)
	}
	move("mousePressed", from, 1)
	for i := range 10 {
		move("mouseMoved", from+(to-from)*float64(i+1)/10, 1)
	}
	move("mouseReleased", to, 0)
}
