package sim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/options"
	"dvmtools/pkg/sim"
)

// source returns the calls of a trace, parsed once when it is a real one.
func source(t testing.TB, name string, b []byte) call.Source {
	t.Helper()
	return testtraces.Source(t, name, b)
}

func machineOf(t testing.TB, src string) *machine.Machine {
	t.Helper()
	m, errs := par.Parse("test.par", []byte(src))
	if m == nil {
		t.Fatal(errs.Err())
	}
	return m
}

// bus is a homogeneous cluster of 4096 processors, mixed one whose processors
// differ; boards are transputers within nodes of a network.
const (
	bus        = "cluster = c; c = {4096 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0;\n"
	mixed      = "cluster = c; c = {3 x slow, 4093 x fast}; c.CommType = myrinet(2); c.TStart = 75; c.TByte = 0.2; slow = 0.5; fast = 2.0;\n"
	tree       = "cluster = c; c = {8 x rack, 500 x pair}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; rack = {2 x pair}; rack.CommType = myrinet(2); rack.TStart = 20; rack.TByte = 0.05; pair = {slow, fast}; pair.CommType = ethernet; pair.TStart = 1; pair.TByte = 0.001; slow = 0.5; fast = 1.5;\n"
	transputer = "cluster = c; c = {4096 x p}; c.CommType = transputer; c.TStart = 75; c.TByte = 0.2; p = 1.0;\n"
	boards     = "cluster = c; c = {1024 x board}; c.CommType = myrinet(2); c.TStart = 20; c.TByte = 0.05; board = {4 x p}; board.CommType = transputer; board.TStart = 75; board.TByte = 0.2; p = 1.0;\n"
	free       = "cluster = c; c = {4096 x p}; c.CommType = ethernet; c.TStart = 0; c.TByte = 0; p = 1.0;\n"
	twice      = "cluster = c; c = {4096 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 2.0;\n"
)

var grids = [][]int{{1}, {2}, {3}, {4}, {2, 2}, {4, 4}, {3, 5}, {2, 2, 2}, {64}}

func simulate(t testing.TB, name string, b []byte, m *machine.Machine, grid []int) *sim.Result {
	t.Helper()
	r, err := run(t, name, b, m, grid)
	if err != nil {
		t.Fatalf("%s on %v: %v", name, grid, err)
	}
	return r
}

func run(t testing.TB, name string, b []byte, m *machine.Machine, grid []int) (*sim.Result, error) {
	t.Helper()
	return sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, source(t, name, b))
}

// tracedTime adds up the TIME fields of the program, reading the text without
// the packages under test: law L1. It also counts the lines.
func tracedTime(t testing.TB, b []byte) (sum float64, lines int) {
	t.Helper()
	event := regexp.MustCompile(`^ *(?:NAME=)?((?:call|ret|Event)_\S+) +TIME=([0-9.]+)`)
	in := false
	for l := range strings.Lines(string(b)) {
		m := event.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		var x float64
		if _, err := fmt.Sscanf(m[2], "%g", &x); err != nil {
			t.Fatal(err)
		}
		if in {
			sum += x
			lines++
		}
		if m[1] == "Event_dvm_exit" {
			return sum, lines
		}
		in = in || m[1] == "ret_dvm_Init"
	}
	t.Fatal("the trace has no program end")
	return 0, 0
}

func near(a, b, rel float64) bool {
	return math.Abs(a-b) <= rel*max(math.Abs(a), math.Abs(b), 1e-9)
}

func TestL1OneProcessorTakesTheTracedTime(t *testing.T) {
	m := machineOf(t, bus)
	for _, path := range testtraces.Programs(t) {
		b := testtraces.Text(t, path)
		want, lines := tracedTime(t, b)
		r := simulate(t, path, b, m, []int{1})
		if got := float64(r.ExecutionTime()); !near(got, want, 1e-12*float64(lines)) {
			t.Errorf("%s: %.17g s predicted, %.17g s traced", path, got, want)
		}
	}
}

// checkAccounts verifies laws L2, L3 and L5 on a result.
func checkAccounts(t *testing.T, where string, r *sim.Result) {
	t.Helper()
	const rel = 1e-9
	ivs := r.Intervals()
	type sums struct {
		interval.Times
		n    int64
		most float64
	}
	for i := range ivs {
		iv := &ivs[i]
		at := func() string {
			return fmt.Sprintf("%s: interval %d (%s %s:%d)", where, iv.ID, iv.Type, iv.File, iv.Line)
		}
		check := func(law, what string, a, b float64) {
			if !near(a, b, rel) {
				t.Errorf("%s: %s: %s: %.17g and %.17g", at(), law, what, a, b)
			}
		}
		var s sums
		err := r.Processors(i, sim.Each, func(p *interval.Processor) error {
			tm := &p.Times
			check("L2", "execution time and its parts", float64(tm.ExecutionTime), float64(tm.CPUTime+tm.SYSTime+tm.IOTime+tm.Communication))
			for k := range interval.NumKinds {
				if kt := tm.Kind(k); kt.RealSynch > kt.Communication*(1+1e-9) || (r.Options.Async != options.Free || i == 0) && kt.Synch < kt.RealSynch*(1-1e-9) {
					t.Errorf("%s: processor %d: %s: %+v", at(), *p.Rank, k, *kt)
				}
			}
			s.n++
			s.most = max(s.most, float64(tm.ExecutionTime))
			s.ProductiveTime += tm.ProductiveTime
			s.LostTime += tm.LostTime
			s.Communication += tm.Communication
			s.Idle += tm.Idle
			s.InsuffParallelism += tm.InsuffParallelism
			s.CPUTime += tm.CPUTime
			s.IOTime += tm.IOTime
			for k := range interval.NumKinds {
				s.Overlap += tm.Kind(k).Overlap
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		check("L3", "total = productive + lost", float64(iv.TotalTime), float64(iv.ProductiveTime+iv.LostTime))
		check("L3", "lost and its parts", float64(iv.LostTime), float64(iv.InsuffParallelism+iv.Communication+iv.Idle))
		check("L3", "execution time is the maximum", float64(iv.ExecutionTime), s.most)
		check("L3", "total = execution * processors", float64(iv.TotalTime), float64(iv.ExecutionTime)*float64(iv.Processors))
		check("L3", "sum of productive", float64(iv.ProductiveTime), float64(s.ProductiveTime))
		check("L3", "sum of lost", float64(iv.LostTime), float64(s.LostTime))
		check("L3", "sum of communication", float64(iv.Communication), float64(s.Communication))
		check("L3", "sum of idle", float64(iv.Idle), float64(s.Idle))
		check("L3", "sum of CPU", float64(iv.CPUTime), float64(s.CPUTime))
		check("L3", "sum of I/O", float64(iv.IOTime), float64(s.IOTime))
		check("L3", "sum of overlap", float64(iv.Overlap), float64(s.Overlap))
		if iv.Processors != s.n {
			t.Errorf("%s: %d processors, %d records", at(), iv.Processors, s.n)
		}
		if iv.Efficiency < 0 || iv.Efficiency > 1+1e-9 {
			t.Errorf("%s: efficiency %v", at(), iv.Efficiency)
		}
		// L5: what nested intervals have, the interval has.
		var nested interval.Times
		var ops interval.Operations
		for j := range ivs {
			if ivs[j].Parent == iv.ID {
				nested.CPUTime += ivs[j].CPUTime
				nested.SYSTime += ivs[j].SYSTime
				nested.IOTime += ivs[j].IOTime
				nested.Communication += ivs[j].Communication
				nested.InsuffParallelism += ivs[j].InsuffParallelism
				nested.Synchronization += ivs[j].Synchronization
				nested.TimeVariation += ivs[j].TimeVariation
				ops.Shadow += ivs[j].Operations.Shadow
				ops.Reduction += ivs[j].Operations.Reduction
			}
		}
		for _, c := range []struct {
			what         string
			nested, self float64
		}{
			{"CPU", float64(nested.CPUTime), float64(iv.CPUTime)},
			{"SYS", float64(nested.SYSTime), float64(iv.SYSTime)},
			{"I/O", float64(nested.IOTime), float64(iv.IOTime)},
			{"communication", float64(nested.Communication), float64(iv.Communication)},
			{"insufficient parallelism", float64(nested.InsuffParallelism), float64(iv.InsuffParallelism)},
			{"synchronization", float64(nested.Synchronization), float64(iv.Synchronization)},
			{"time variation", float64(nested.TimeVariation), float64(iv.TimeVariation)},
			{"shadow operations", float64(ops.Shadow), float64(iv.Operations.Shadow)},
			{"reductions", float64(ops.Reduction), float64(iv.Operations.Reduction)},
		} {
			if c.nested > c.self*(1+rel)+1e-15 {
				t.Errorf("%s: L5: %s: nested intervals have %g, all together %g", at(), c.what, c.nested, c.self)
			}
		}
	}
}

// tasks reports whether a trace enters tasks.
func tasks(b []byte) bool { return bytes.Contains(b, []byte("call_runam_")) }

// tooWide reports whether err is the one fault that a grid may make: a shadow
// edge wider than a block.
func tooWide(err error) bool {
	e, ok := errors.AsType[*diag.Error](err)
	return ok && e.Code == "model/shadow-width" && errors.Is(err, diag.ErrImpossible) && e.Pos.Line > 0
}

func TestLawsOnEveryTraceMachineAndGrid(t *testing.T) {
	machines := map[string]*machine.Machine{"bus": machineOf(t, bus), "mixed": machineOf(t, mixed), "tree": machineOf(t, tree), "transputer": machineOf(t, transputer), "boards": machineOf(t, boards)}
	twice, free := machineOf(t, twice), machineOf(t, free)
	cases, wide := 0, 0
	programs, grids := testtraces.Programs(t), grids
	if effort.Race {
		programs, grids = testtraces.Sample(t), [][]int{{1}, {2, 2}, {3, 5}, {2, 2, 2}}
	}
	for _, path := range programs {
		b := testtraces.Text(t, path)
		one := simulate(t, path, b, machines["bus"], []int{1})
		for _, grid := range grids {
			name := fmt.Sprintf("%s on %v", filepath.Base(path), grid)
			r, err := run(t, name, b, machines["bus"], grid)
			if err != nil {
				if !tooWide(err) {
					t.Errorf("%s: %v", name, err)
				}
				wide++
				continue
			}
			checkAccounts(t, name+" (bus)", r)
			for _, m := range []string{"mixed", "tree", "transputer", "boards"} {
				checkAccounts(t, name+" ("+m+")", simulate(t, path, b, machines[m], grid))
			}
			cases += 5
			// L4: with equal powers and without tasks productive CPU and SYS
			// time do not depend on the grid.
			if !tasks(b) {
				for i, iv := range r.Intervals() {
					w := one.Intervals()[i]
					if !near(float64(iv.ProductiveCPUTime), float64(w.ProductiveCPUTime), 1e-9) || !near(float64(iv.ProductiveSYSTime), float64(w.ProductiveSYSTime), 1e-9) {
						t.Errorf("L4: %s: interval %d: productive CPU %g, SYS %g; on one processor %g, %g", name, iv.ID, iv.ProductiveCPUTime, iv.ProductiveSYSTime, w.ProductiveCPUTime, w.ProductiveSYSTime)
					}
				}
			}
			// L6: twice the power, half the CPU and SYS time.
			d := simulate(t, path, b, twice, grid)
			for i, iv := range r.Intervals() {
				w := d.Intervals()[i]
				if !near(float64(iv.CPUTime), 2*float64(w.CPUTime), 1e-9) || !near(float64(iv.SYSTime), 2*float64(w.SYSTime), 1e-9) {
					t.Errorf("L6: %s: interval %d: CPU %g, SYS %g; with twice the power %g, %g", name, iv.ID, iv.CPUTime, iv.SYSTime, w.CPUTime, w.SYSTime)
				}
			}
			// L6: without latency and with infinite bandwidth communication
			// is waiting only.
			for _, iv := range simulate(t, path, b, free, grid).Intervals() {
				if !near(float64(iv.Communication), float64(iv.CommunicationSynch), 1e-9) || !near(float64(iv.Communication), float64(iv.Synchronization), 1e-9) {
					t.Errorf("L6: %s: interval %d on a free network: communication %g, real synchronization %g, synchronization %g", name, iv.ID, iv.Communication, iv.CommunicationSynch, iv.Synchronization)
				}
			}
			// L6: more channels, bandwidth or power never lengthen a program
			// without pipelined loops and tasks.
			if !tasks(b) && !pipelines(b) {
				slow := r.ExecutionTime()
				for _, better := range []string{"cluster = c; c = {4096 x p}; c.CommType = myrinet(3); c.TStart = 75; c.TByte = 0.2; p = 1.0;", "cluster = c; c = {4096 x p}; c.CommType = ethernet; c.TStart = 60; c.TByte = 0.1; p = 1.0;", "cluster = c; c = {4096 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 3.0;"} {
					if q := simulate(t, path, b, machineOf(t, better), grid).ExecutionTime(); q > slow*(1+1e-9) {
						t.Errorf("L6: %s: %g s, on %q %g s", name, slow, better, q)
					}
				}
			}
			// L8 is part of the accounts of exchanges; no overlap exceeds the
			// time of the whole program.
			for k := range interval.NumKinds {
				if o := r.Intervals()[0].Kind(k).Overlap; float64(o) > float64(r.Intervals()[0].TotalTime)*(1+1e-9) {
					t.Errorf("L8: %s: %s overlap %g of %g", name, k, o, r.Intervals()[0].TotalTime)
				}
			}
		}
	}
	t.Logf("%d results checked, %d grids have blocks narrower than a shadow edge", cases, wide)
	if wide > 40 || cases < 2*len(grids)*len(programs) {
		t.Errorf("%d results checked, %d grids refused", cases, wide)
	}
}

func pipelines(b []byte) bool { return bytes.Contains(b, []byte("call_across_")) }

func TestGridLargerThanTheMachine(t *testing.T) {
	m := machineOf(t, bus)
	_, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: []int{64, 65}, Options: sim.Defaults()}, source(t, "x", testtraces.Text(t, "single/f02_heat3d.ptr.zst")))
	if !errors.Is(err, sim.ErrTooSmall) {
		t.Errorf("error %v, want that the machine is too small", err)
	}
}

// L7: the same input gives the same bytes, recorded, read, or read ahead,
// whatever went on before.
func TestL7SameBytes(t *testing.T) {
	m := machineOf(t, tree)
	for _, path := range testtraces.Sample(t) {
		b := testtraces.Text(t, path)
		for _, grid := range [][]int{{1}, {2, 2}, {3, 5}} {
			var first []byte
			for i := range 3 {
				src := testtraces.Calls(t, path).Source()
				if i > 0 {
					src = testtraces.Parse(t, path, b)
				}
				if i == 2 {
					src = call.Ahead(t.Context(), src, 2)
				}
				r, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: sim.Defaults()}, src)
				if err != nil {
					if !tooWide(err) {
						t.Fatal(err)
					}
					break
				}
				var out bytes.Buffer
				w := interval.NewWriter(&out)
				if err := r.Write(w, sim.Classes); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					first = out.Bytes()
				} else if !bytes.Equal(first, out.Bytes()) {
					t.Errorf("%s on %v: run %d writes other bytes", path, grid, i+1)
				}
			}
		}
	}
}
