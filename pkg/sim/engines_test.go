package sim_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/clock/clocktest"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/sim"
)

// plain simulates with a clock for every processor.
func plain(t testing.TB, name string, b []byte, m *machine.Machine, grid []int, opts interval.Options) (*sim.Result, error) {
	t.Helper()
	return sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: opts, NewClocks: clocktest.New}, source(t, name, b))
}

// sameResult compares two results figure by figure: equal to 1e-12 of the
// interval's total time, or to 1e-14 of the program's, and processor by processor.
func sameResult(t *testing.T, where string, a, b *sim.Result) {
	t.Helper()
	ia, ib := a.Intervals(), b.Intervals()
	if len(ia) != len(ib) {
		t.Errorf("%s: %d and %d intervals", where, len(ia), len(ib))
		return
	}
	for i := range ia {
		// Clocks run through the whole program, and their rounding is in short
		// intervals too.
		scale := max(float64(ia[i].TotalTime), float64(ia[0].TotalTime)/100, 1e-9)
		if ia[i].Processors != ib[i].Processors || ia[i].Operations != ib[i].Operations || ia[i].Count != ib[i].Count {
			t.Errorf("%s: interval %d: %+v and %+v", where, i+1, ia[i], ib[i])
		}
		sameTimes(t, func() string { return fmt.Sprintf("%s: interval %d", where, i+1) }, &ia[i].Times, &ib[i].Times, scale)
		each := func(r *sim.Result) (out []interval.Processor) {
			if err := r.Processors(i, sim.Each, func(p *interval.Processor) error { out = append(out, *p); return nil }); err != nil {
				t.Fatal(err)
			}
			return out
		}
		pa, pb := each(a), each(b)
		if len(pa) != len(pb) {
			t.Errorf("%s: interval %d: %d and %d processors", where, i+1, len(pa), len(pb))
			continue
		}
		for j := range pa {
			if *pa[j].Rank != *pb[j].Rank {
				t.Fatalf("%s: interval %d: processor %d and %d", where, i+1, *pa[j].Rank, *pb[j].Rank)
			}
			at := func() string { return fmt.Sprintf("%s: interval %d, processor %d", where, i+1, *pa[j].Rank) }
			sameTimes(t, at, &pa[j].Times, &pb[j].Times, scale)
		}
	}
}

func sameTimes(t *testing.T, at func() string, a, b *interval.Times, scale float64) {
	t.Helper()
	check := func(what string, x, y, tol float64) {
		if d := math.Abs(x - y); !(d <= tol) {
			t.Errorf("%s: %s: %.17g and %.17g differ by %g of the total time", at(), what, x, y, d/scale)
		}
	}
	list, kinds := interval.Characteristics(), interval.KindCharacteristics()
	for i := range list {
		tol := 1e-12 * scale
		if list[i].Unit == interval.UnitRatio {
			tol = 1e-10
		}
		check(list[i].Name, list[i].Value(a), list[i].Value(b), tol)
	}
	for k := range interval.NumKinds {
		for i := range kinds {
			check(kinds[i].Name, float64(*kinds[i].AtKind(a.Kind(k))), float64(*kinds[i].AtKind(b.Kind(k))), 1e-12*scale)
		}
	}
}

// The engine by classes gives what the engine with a clock for every
// processor gives.
func TestEnginesAgreeOnEveryTrace(t *testing.T) {
	machines := map[string]*machine.Machine{"bus": machineOf(t, bus), "mixed": machineOf(t, mixed)}
	all := [][]int{{2}, {4}, {2, 2}, {3, 5}, {2, 2, 2}, {16, 4}}
	if effort.Race {
		all = all[2:5]
	}
	for _, path := range testtraces.Sample(t) {
		b := testtraces.Text(t, path)
		for _, grid := range all {
			for name, m := range machines {
				where := fmt.Sprintf("%s on %v (%s)", filepath.Base(path), grid, name)
				slow, err := plain(t, where, b, m, grid, sim.Defaults())
				fast, err2 := run(t, where, b, m, grid)
				if (err == nil) != (err2 == nil) {
					t.Errorf("%s: errors %v and %v", where, err, err2)
					continue
				}
				if err == nil {
					sameResult(t, where, slow, fast)
				}
			}
		}
	}
}

// A million processors make as few classes as a small grid.
func TestClassesDoNotGrowWithTheGrid(t *testing.T) {
	m := machineOf(t, "cluster = c; c = {1048576 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0;\n")
	b := testtraces.Text(t, "single/f01_ivals.ptr.zst")
	records := func(grid []int) int {
		r, err := run(t, "x", b, m, grid)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := r.Processors(0, sim.Classes, func(*interval.Processor) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	small, large := records([]int{8, 8}), records([]int{1024, 1024})
	if large > 4*small {
		t.Errorf("%d classes on 8x8, %d on 1024x1024", small, large)
	}
}

// The options of the model: both engines agree and the accounts balance.
func TestOptions(t *testing.T) {
	for _, o := range []func(*interval.Options){
		func(o *interval.Options) { o.Async = options.Free },
		func(o *interval.Options) { o.Collectives = options.Tree },
		func(o *interval.Options) { o.Across = options.Search },
		func(o *interval.Options) { o.Balance = options.Power },
	} {
		opts := sim.Defaults()
		o(&opts)
		for _, name := range []string{"f03_async", "f04_across", "f06_redist", "c12_groups", "f09_tasks"} {
			path := "single/" + name + ".ptr.zst"
			b := testtraces.Text(t, path)
			for _, grid := range [][]int{{4}, {2, 3}} {
				where := fmt.Sprintf("%s on %v %+v", name, grid, opts)
				m := machineOf(t, mixed)
				slow, err := plain(t, where, b, m, grid, opts)
				if err != nil {
					t.Fatal(err)
				}
				fast, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: opts}, source(t, where, b))
				if err != nil {
					t.Fatal(err)
				}
				sameResult(t, where, slow, fast)
				checkAccounts(t, where, fast)
			}
		}
	}
}

// The engines agree on grids of a thousand processors too.
func TestEnginesAgreeOnLargeGrids(t *testing.T) {
	m := machineOf(t, bus)
	compared := 0
	names := []string{"f04_across", "f05_remote", "f09_tasks", "f03_async", "f06_redist", "f10_genblk", "f01_ivals", "f07_copy", "c14_line", "d15_api"}
	if effort.Race {
		names = names[:3]
	}
	names = names[:effort.Of(min(6, len(names)), len(names))]
	for _, name := range names {
		b := testtraces.Text(t, "single/"+name+".ptr.zst")
		for _, grid := range [][]int{{16, 16, 4}, {1024}} {
			where := fmt.Sprintf("%s on %v", name, grid)
			slow, err := plain(t, where, b, m, grid, sim.Defaults())
			fast, err2 := run(t, where, b, m, grid)
			if err != nil || err2 != nil {
				if !tooWide(err) || !tooWide(err2) {
					t.Errorf("%s: errors %v and %v", where, err, err2)
				}
				continue
			}
			compared++
			sameResult(t, where, slow, fast)
		}
	}
	if compared < len(names)*8/10 {
		t.Errorf("only %d results were compared", compared)
	}
}
