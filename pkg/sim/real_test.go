package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/clock/clocktest"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// A program that ends inside intervals (here a real trace up to where the
// runtime stopped writing, with a program end behind it): all are closed, and
// no time is lost. So it is with a run that a run-time error ended inside a
// call.
func TestProgramThatEndsInsideIntervals(t *testing.T) {
	stopped := append(testtraces.Text(t, "variants/f06_redist_v10_stop.ptr.zst"), " \nEvent_dvm_exit             TIME=0.00000100 LINE=99     FILE=f06_redist.fdv\nrc=0;\n"...)
	begun := len(regexp.MustCompile(`(?m)^call_(bsloop_|bploop_|binter_)`).FindAll(stopped, -1)) - 1 // the first is the root
	ended := len(regexp.MustCompile(`(?m)^call_(enloop_|einter_)`).FindAll(stopped, -1))
	if begun <= ended {
		t.Fatalf("the trace begins %d intervals and ends %d: it does not end inside one", begun, ended)
	}
	for name, b := range map[string][]byte{"stopped": stopped, "error": testtraces.Text(t, "damaged/rts_error_exit.ptr.zst")} {
		want, lines := tracedTime(t, b)
		r := simulate(t, name, b, machineOf(t, bus), []int{1})
		if got := float64(r.ExecutionTime()); !near(got, want, 1e-12*float64(lines)) {
			t.Errorf("%s: %.17g s predicted, %.17g s traced", name, got, want)
		}
		checkAccounts(t, name, simulate(t, name, b, machineOf(t, mixed), []int{2, 2}))
	}
}

// Real programs reuse references: loops of f09's tasks live where earlier
// loops were, and sor's shadow groups where its loops were.
func TestReferencesAreReused(t *testing.T) {
	ref := regexp.MustCompile(`(?m)^(LoopRef|ShadowGroupRef|RedGroupRef|RedRef|AMRef|PSRef|ArrayHandlePtr|AMViewRef)=([0-9a-f]+);$`)
	for _, path := range []string{"compute/sor.ptr.zst", "single/f09_tasks.ptr.zst"} {
		b := testtraces.Text(t, path)
		kinds := map[string]map[string]bool{}
		reused := 0
		for _, m := range ref.FindAllSubmatch(b, -1) {
			h := string(m[2])
			if kinds[h] == nil {
				kinds[h] = map[string]bool{}
			} else if string(m[1]) != "PSRef" { // getps_ names one again
				reused++
			}
			kinds[h][string(m[1])] = true
		}
		if reused == 0 {
			t.Errorf("%s: no reference is returned twice", path)
		}
		for _, grid := range [][]int{{4}, {2, 2}} {
			checkAccounts(t, path, simulate(t, path, b, machineOf(t, bus), grid))
		}
	}
}

// A handle that names nothing is an error with its place, its parameter and
// its value; with Lenient it is a warning, and no time is lost.
func TestUnmatchedHandles(t *testing.T) {
	b := testtraces.Text(t, "single/f02_heat3d.ptr.zst")
	strt := regexp.MustCompile(`(call_strtsh_ .*\nShadowGroupRefPtr=[0-9a-f]+; ShadowGroupRef=)[0-9a-f]+`)
	wait := regexp.MustCompile(`(call_waitsh_ .*\nShadowGroupRefPtr=[0-9a-f]+; ShadowGroupRef=)[0-9a-f]+`)
	b = strt.ReplaceAll(b, []byte("${1}dead"))
	b = wait.ReplaceAll(b, []byte("${1}dead"))
	_, err := run(t, "f02.ptr", b, machineOf(t, bus), []int{2})
	if err == nil || !strings.Contains(err.Error(), "ShadowGroupRef=dead names nothing") || !regexp.MustCompile(`^f02\.ptr:\d+: strtsh_ `).MatchString(err.Error()) {
		t.Errorf("error %v", err)
	}
	r, err := sim.Run(context.Background(), sim.Config{Machine: machineOf(t, bus), Grid: []int{1}, Options: sim.Defaults(), Lenient: true}, source(t, "f02.ptr", b))
	if err != nil {
		t.Fatal(err)
	}
	want, lines := tracedTime(t, b)
	if got := float64(r.ExecutionTime()); len(r.Warnings) == 0 || !near(got, want, 1e-12*float64(lines)) {
		t.Errorf("%d warnings; %.17g s predicted, %.17g s traced", len(r.Warnings), got, want)
	}
	if _, err := sim.Run(context.Background(), sim.Config{Machine: machineOf(t, bus), Grid: []int{1}, Options: sim.Defaults(), Lenient: true, Strict: true}, source(t, "f02.ptr", b)); err == nil {
		t.Error("strict takes warnings for nothing")
	}
}

// A function outside the table is simulated as an ordinary one, with one
// warning that says how often.
func TestUnknownFunctions(t *testing.T) {
	b := bytes.ReplaceAll(testtraces.Text(t, "single/f08_io.ptr.zst"), []byte("_tstio_ "), []byte("_tstix_ "))
	want, lines := tracedTime(t, b)
	r := simulate(t, "f08", b, machineOf(t, bus), []int{1})
	n := bytes.Count(b, []byte("call_tstix_"))
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Error(), fmt.Sprintf("%d times in all", n)) || !strings.Contains(r.Warnings[0].Error(), `did you mean "tstio_"?`) {
		t.Errorf("warnings %v, want one that says %d times", r.Warnings, n)
	}
	if got := float64(r.ExecutionTime()); !near(got, want, 1e-12*float64(lines)) {
		t.Errorf("%.17g s predicted, %.17g s traced", got, want)
	}
}

// watched are clocks that note how long the exchanges of each kind last.
type watched struct {
	*clocktest.Each
	lasted *[interval.NumKinds]units.Seconds
	since  map[clock.Snapshot][]units.Seconds
}

func (w watched) Await(s *procs.System, k interval.Kind, start, end clock.Instant, m clock.Snapshot) {
	w.lasted[k] += end.Since(start)
	w.Each.Await(s, k, start, end, m)
}

func (w watched) Remember(s *procs.System) clock.Snapshot {
	m := w.Each.Remember(s)
	w.since[m] = w.Times()
	return m
}

func (w watched) Pipeline(p *clock.Pipeline) {
	before, byHand := w.since[p.Since]
	if !byHand {
		before = w.Times()
	}
	w.Each.Pipeline(p)
	longest := units.Seconds(0)
	for i, t := range w.Times() {
		longest = max(longest, t-before[i])
	}
	w.lasted[interval.Shadow] += longest
}

// L8: the overlap of a kind is at most as long as the exchanges of the kind.
func checkOverlap(t *testing.T, where string, b []byte, m *machine.Machine, grid []int) {
	t.Helper()
	var lasted [interval.NumKinds]units.Seconds
	r, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults(), NewClocks: func(cfg clock.Config) clock.Clocks {
		return watched{clocktest.NewEach(cfg), &lasted, map[clock.Snapshot][]units.Seconds{}}
	}}, source(t, where, b))
	if err != nil {
		if !tooWide(err) {
			t.Errorf("%s: %v", where, err)
		}
		return
	}
	if err := r.Processors(0, sim.Classes, func(p *interval.Processor) error {
		for k := range interval.NumKinds {
			if o := p.Kind(k).Overlap; float64(o) > float64(lasted[k])*(1+1e-9)+1e-15 {
				t.Errorf("L8: %s: processors %v: %s overlap %g s, its exchanges last %g s", where, p.Boxes, k, o, lasted[k])
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestL8OverlapIsPartOfTheExchange(t *testing.T) {
	m := machineOf(t, mixed)
	for _, path := range testtraces.Programs(t) {
		b := testtraces.Text(t, path)
		for _, grid := range [][]int{{2}, {2, 2}, {3, 5}} {
			checkOverlap(t, fmt.Sprintf("%s on %v", path, grid), b, m, grid)
		}
	}
}

// The laws on random programs.
func TestLawsOnGeneratedPrograms(t *testing.T) {
	machines := []*machine.Machine{machineOf(t, bus), machineOf(t, mixed), machineOf(t, tree), machineOf(t, transputer), machineOf(t, boards)}
	half, free := machineOf(t, twice), machineOf(t, free)
	small := [][]int{{2}, {2, 2}, {3}, {4}, {2, 1, 3}, {4, 4}}
	checked, seeds := 0, uint64(effort.Of(60, 1000))
	if effort.Race {
		seeds = 20
	}
	for seed := range seeds {
		b := tracegen.Generate(tracegen.Options{Seed: seed + 1, Grid: small[seed%uint64(len(small))]}).Text()
		name := fmt.Sprintf("seed %d", seed+1)
		want, lines := tracedTime(t, b)
		one := simulate(t, name, b, machines[0], []int{1})
		if got := float64(one.ExecutionTime()); !near(got, want, 1e-12*float64(lines)) {
			t.Errorf("L1: %s: %.17g s predicted, %.17g s traced", name, got, want)
		}
		grid := small[seed%uint64(len(small))]
		where := fmt.Sprintf("%s on %v", name, grid)
		for i, m := range machines {
			r, err := run(t, where, b, m, grid)
			if err != nil {
				if !tooWide(err) {
					t.Errorf("%s: %v", where, err)
				}
				break
			}
			checked++
			checkAccounts(t, fmt.Sprintf("%s, machine %d", where, i), r)
			checkOverlap(t, where, b, m, grid)
			if i > 0 {
				continue
			}
			w := one.Intervals()[0]
			if iv := r.Intervals()[0]; !tasks(b) && (!near(float64(iv.ProductiveCPUTime), float64(w.ProductiveCPUTime), 1e-9) || !near(float64(iv.ProductiveSYSTime), float64(w.ProductiveSYSTime), 1e-9)) {
				t.Errorf("L4: %s: productive CPU %g, SYS %g; on one processor %g, %g", where, iv.ProductiveCPUTime, iv.ProductiveSYSTime, w.ProductiveCPUTime, w.ProductiveSYSTime)
			}
			d := simulate(t, where, b, half, grid).Intervals()[0]
			if iv := r.Intervals()[0]; !near(float64(iv.CPUTime), 2*float64(d.CPUTime), 1e-9) || !near(float64(iv.SYSTime), 2*float64(d.SYSTime), 1e-9) {
				t.Errorf("L6: %s: CPU %g, SYS %g; with twice the power %g, %g", where, iv.CPUTime, iv.SYSTime, d.CPUTime, d.SYSTime)
			}
			if f := simulate(t, where, b, free, grid).Intervals()[0]; !near(float64(f.Communication), float64(f.Synchronization), 1e-9) {
				t.Errorf("L6: %s on a free network: communication %g, synchronization %g", where, f.Communication, f.Synchronization)
			}
		}
	}
	if uint64(checked) < seeds*5/2 {
		t.Errorf("only %d results were checked", checked)
	}
}

// Every class of the table has a handler, but for those that are ordinary by
// the model.
func TestEveryClassHasAHandler(t *testing.T) {
	ordinary := []libdvm.Class{libdvm.Ordinary, libdvm.Runtime, libdvm.Initialise, libdvm.Finish,
		libdvm.DeleteHeader,  // never deletes the array
		libdvm.EndIO,         // ends what beginIO began, else it is ordinary
		libdvm.SaveReduction, // takes its time only
	}
	for c := range libdvm.NumClasses {
		if got, want := sim.Handled(c), !slices.Contains(ordinary, c); got != want {
			t.Errorf("class %v: has a handler: %v, want %v", c, got, want)
		}
	}
}

// Grids are bounded by what would fill the machine's memory; within the
// bounds the number of processors costs nothing.
func TestBoundsOfGrids(t *testing.T) {
	m := machineOf(t, "cluster = c; c = {1000000000 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0;\n")
	for _, c := range []struct {
		grid []int
		want string
	}{
		{[]int{0}, "at least 1"},
		{[]int{1 << 23}, "at most 4194304 in one dimension"},
		{[]int{1 << 20, 1 << 20}, "more than 1073741824 processors"},
		{nil, "no dimensions"},
		{[]int{32768, 16384}, ""},
	} {
		err := sim.CheckGrid(m, c.grid)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: error %v, want %q", c.grid, err, c.want)
		}
	}
	if iv := simulate(t, "f01", testtraces.Text(t, "single/f01_ivals.ptr.zst"), m, []int{32768, 16384}).Intervals()[0]; iv.Processors != 1<<29 {
		t.Errorf("%d processors", iv.Processors)
	}
}
