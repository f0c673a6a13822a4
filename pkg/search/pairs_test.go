package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/options"
	"dvmtools/pkg/program"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// scaled returns the calls of a program whose parallel loops take factor times as
// long, and whose time before the first loop is left out.
type scaled struct {
	call.Source
	factor units.Seconds
	inBody bool
	begun  bool
	c      call.Call
}

func (s *scaled) Next() (*call.Call, error) {
	c, err := s.Source.Next()
	if err != nil {
		return c, err
	}
	s.c = *c
	k := s.c.Class()
	if k == libdvm.CreateLoop {
		s.begun = true
	}
	if !s.begun {
		s.c.CallTime, s.c.RetTime = min(s.c.CallTime, 1e-6), min(s.c.RetTime, 1e-6)
	}
	if s.inBody {
		s.c.CallTime *= s.factor
	}
	switch k {
	case libdvm.DoLoop:
		more, err := s.c.RetInt("DoPL")
		s.inBody = err == nil && more != 0
	case libdvm.EndLoopNest:
		s.inBody = false
	default:
		if s.inBody {
			s.c.RetTime *= s.factor
		}
	}
	return &s.c, nil
}

// traceOf returns the calls of a trace, its loops multiplied unless factor is
// 1.
func traceOf(t testing.TB, name string, factor float64) *call.Recording {
	t.Helper()
	r := testtraces.Calls(t, name)
	if factor == 1 {
		return r
	}
	out, err := call.Record(&scaled{Source: r.Source(), factor: units.Seconds(factor)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// of64 returns a machine of 64 processors: one cluster, or eight nodes of
// eight, with the given latency and time for a byte in microseconds.
func of64(t testing.TB, tree bool, start, perByte float64) *machine.Machine {
	t.Helper()
	text := fmt.Sprintf("cluster = c; c = {64 x p}; c.CommType = ethernet; c.TStart = %g; c.TByte = %g; p = 1.0;", start, perByte)
	if tree {
		text = fmt.Sprintf("cluster = c; c = {8 x n}; c.CommType = myrinet(4); c.TStart = %g; c.TByte = %g; n = {8 x p}; n.CommType = myrinet(2); n.TStart = %g; n.TByte = %g; p = 1.0;", start, perByte, start/5, perByte/5)
	}
	m, errs := par.Parse("c.par", []byte(text))
	if m == nil {
		t.Fatal(errs.Err())
	}
	return m
}

// pair is a program on a machine of 64 processors.
type pair struct {
	trace  string
	factor float64 // of its loops, 1 for the trace as it is
	tree   bool
	start  float64 // latency in microseconds
}

// pairs returns the table of programs and machines, those of a program one after
// the other: all of them where nothing may be left out, else a few.
func pairs() []pair {
	if os.Getenv("DVM_FULL") != "1" && !effort.Long() || effort.Race {
		some := []pair{
			{"compute/mixed.ptr.zst", 1, false, 50}, {"compute/mixed.ptr.zst", 1, true, 5}, {"sizes/mixed_300.ptr.zst", 1, true, 0.5},
			{"compute/sor.ptr.zst", 1, false, 50}, {"single/f04_across.ptr.zst", 1000, true, 50}, {"single/f11_subr.ptr.zst", 1000, false, 5},
		}
		if effort.Race {
			some = some[:3]
		}
		return some
	}
	var all []pair
	add := func(name string, factor float64, starts ...float64) {
		for _, start := range starts {
			for _, tree := range []bool{false, true} {
				all = append(all, pair{name + ".ptr.zst", factor, tree, start})
			}
		}
	}
	for _, name := range []string{"compute/jac", "compute/sor", "compute/mixed", "sizes/jac_400", "sizes/jac_1200", "sizes/sor_376", "sizes/sor_1500", "sizes/mixed_300"} {
		add(name, 1, 0.5, 5, 50, 500)
	}
	for _, name := range []string{"f01_ivals", "f02_heat3d", "f04_across", "f06_redist", "f11_subr", "c12_groups"} {
		add("single/"+name, 1000, 0.5, 5, 50, 500)
	}
	// Best grids of these are often neither the most square nor lines.
	add("compute/jac", 1, 1, 2)
	add("sizes/jac_1200", 1, 1, 2)
	add("single/f02_heat3d", 1000, 1, 2, 10, 20)
	return all
}

// kindOf says whether a grid of rank 2 or more is one-dimensional, the most square
// one of its number of processors, or neither. All grids of rank 1 are lines.
func kindOf(x []int) string {
	n := 1
	for _, e := range x {
		n *= e
	}
	if slices.Max(x) == n {
		return "line"
	}
	spread, least := slices.Max(x)-slices.Min(x), true
	Grids(n, len(x), func(g []int) { least = least && slices.Max(g)-slices.Min(g) >= spread })
	if least {
		return "square"
	}
	return "neither"
}

// Modes 1 and 2 are compared with mode 3. Mode 2 always finds the best of the grids
// that are not bad. Mode 1 tries less than a tenth of the grids, or 16 at rank 1, and
// its best is at most 0.25 % worse than the best.
func TestModesAgainstAll(t *testing.T) {
	ctx := context.Background()
	missed, between, neither, needed, unscaled := 0, 0, 0, 0, 0
	shares := 0.0
	table := pairs()
	var prog *program.Program
	var replays *recorder
	for i, x := range table {
		if i == 0 || table[i-1].trace != x.trace {
			prog = program.New(traceOf(t, x.trace, x.factor))
			replays = newRecorder(prog)
		}
		shape, err := Read(prog.Recording, "", false)
		if err != nil {
			t.Fatal(err)
		}
		rank := len(shape.Extents)
		s := &state{shape: shape, prog: prog, recorder: replays, enc: json.NewEncoder(io.Discard), end: End{Counts: Counts{Possible: countGrids(64, rank)}},
			cfg: Config{Machine: of64(t, x.tree, x.start, 0.01), Options: sim.Defaults(), Mode: All, Max: 64, Threads: 2, Objective: Time, Threshold: DefaultThreshold}}
		all := &pass{state: s, mode: All, list: grids(64, shape.Extents, true)}
		few := &pass{state: s, mode: Heuristic, list: slices.DeleteFunc(slices.Clone(all.list), func(g *grid) bool { return g.mark == 0 })}
		not := &pass{state: s, mode: NotBad, list: few.list}
		// The later ones take the outcomes of the first.
		for _, p := range []*pass{all, few, not} {
			if err := p.run(ctx); err != nil {
				t.Fatalf("%v: mode %d: %v", x, p.mode, err)
			}
		}
		near := 0
		for _, g := range all.list {
			if !g.score.worseBy(all.best.score, DefaultThreshold) {
				near++
			}
		}
		shares += float64(near) / float64(len(all.list))
		b := all.best
		if b.n > 1 && b.n < 64 {
			between++
		}
		if kindOf(b.extents) == "neither" {
			neither++
		}
		if few.stale != few.best {
			needed++
		}
		if x.factor == 1 {
			unscaled++
		}
		gap := behind(few.best.score, b.score)
		t.Logf("%v: best %s, %s; %d of %d grids near; mode 1: %s, %.2f %% behind, %d tried; mode 2: %d tried", x, GridText(b.extents), kindOf(b.extents), near, len(all.list), GridText(few.best.extents), 100*gap, few.evaluated, not.evaluated)
		if gap > 0.0025 {
			missed++
			t.Errorf("%v: mode 1 is %.2f %% behind", x, 100*gap)
		}
		if b.mark > 0 && not.best != b {
			t.Errorf("%v: mode 2 found %s, the best is %s", x, GridText(not.best.extents), GridText(b.extents))
		}
		if most := s.end.Possible; rank > 1 && int64(10*few.evaluated) >= most || rank == 1 && few.evaluated > 16 {
			t.Errorf("%v: mode 1 tried %d of %d grids", x, few.evaluated, most)
		}
	}
	n := len(table)
	share := shares / float64(n)
	t.Logf("%d pairs, %d unscaled; mode 1 missed in %d and needed what comes after its steps in %d; the best has 1 < n < 64 in %d, and is neither the most square nor a line in %d; %.1f %% of grids are near", n, unscaled, missed, needed, between, neither, 100*share)
	if n >= 60 && (2*unscaled < n || between < 45 || neither < 20 || share >= 0.1) {
		t.Error("the table shows too little")
	}
}

// No program is faster on a grid than the bound of mode 2 says, whatever the
// options and the machine are, and on a slow network the bound is high.
func TestFloorsAreBelow(t *testing.T) {
	traces := []string{"sizes/jac_400", "single/f01_ivals", "single/f02_heat3d", "single/f03_async", "single/f05_remote", "single/f08_io", "single/f09_tasks", "single/f10_genblk", "single/d16_stdio", "single/c12_groups"}
	machines := map[string]*machine.Machine{"flat": of64(t, false, 300, 0.05), "tree": of64(t, true, 300, 0.05)}
	for name, text := range map[string]string{
		"transputer": "cluster = c; c = {64 x p}; c.CommType = transputer; c.TStart = 300; c.TByte = 0.05; p = 1.0;",
		"unequal":    "cluster = c; c = {32 x p, 32 x q}; c.CommType = ethernet; c.TStart = 30; c.TByte = 0.05; p = 1.0; q = 3.0;",
	} {
		m, errs := par.Parse("c.par", []byte(text))
		if m == nil {
			t.Fatal(errs.Err())
		}
		machines[name] = m
	}
	compared, high := 0, 0
	for _, trace := range traces {
		prog := testtraces.Calls(t, trace+".ptr.zst")
		shape, err := Read(prog, "", false)
		if err != nil {
			t.Fatal(trace, err)
		}
		list := grids(64, shape.Extents, false)
		for name, m := range machines {
			for i, change := range []func(*interval.Options){
				func(*interval.Options) {},
				func(o *interval.Options) { o.Async, o.Collectives = options.Free, options.Tree },
				func(o *interval.Options) { o.Balance = options.Power },
			} {
				cfg := &Config{Machine: m, Options: sim.Defaults(), Max: 64}
				change(&cfg.Options)
				f := newFloors(cfg, &shape)
				for k := i; k < len(list); k += 1 + len(list)/8 {
					g := list[k]
					r, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: g.extents, Options: cfg.Options}, prog.Source())
					if errors.Is(err, diag.ErrImpossible) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					compared++
					floor := f.of(g)
					if floor > r.ExecutionTime() {
						t.Errorf("%s on %s as %s, options %d: at least %v, but it takes %v", trace, name, GridText(g.extents), i, floor, r.ExecutionTime())
					}
					if floor > r.ExecutionTime()/2 {
						high++
					}
				}
			}
		}
	}
	if t.Logf("%d grids, the bound is above half of the time on %d", compared, high); high < compared/10 {
		t.Error("the bound says next to nothing")
	}
}
