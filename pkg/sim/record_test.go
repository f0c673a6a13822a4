package sim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	repeats "dvmtools/pkg/program"
	"dvmtools/pkg/sim"
)

// written returns all that is written about a result, and its warnings.
func written(t *testing.T, r *sim.Result) string {
	t.Helper()
	var out bytes.Buffer
	w := interval.NewWriter(&out)
	if err := errors.Join(r.Write(w, sim.Classes), w.End(int64(len(r.Warnings)))); err != nil {
		t.Fatal(err)
	}
	return out.String() + fmt.Sprint(r.Warnings)
}

// A simulation that was recorded on one machine and is replayed on another, whose
// processors may be in another order, gives to the last bit what a simulation on that machine gives.
func TestRecordedSimulationsCanBeReplayed(t *testing.T) {
	machines := []string{bus, strings.Replace(bus, "TStart = 75", "TStart = 3", 1), strings.Replace(bus, "p = 1.0", "p = 1.3", 1), mixed, tree, transputer}
	programs := map[string][]byte{}
	for _, name := range []string{"f01_ivals", "f02_heat3d", "f03_async", "f04_across", "f05_remote", "f06_redist", "f07_copy", "f08_io", "f09_tasks", "c12_groups", "d15_api"} {
		programs[name] = testtraces.Text(t, "single/"+name+".ptr.zst")
	}
	// Many time steps, in which several calls stand at one line.
	programs["jac"] = testtraces.Text(t, "compute/jac.ptr.zst")
	seeds := uint64(effort.Of(10, 200))
	for seed := range seeds {
		o := tracegen.Options{Seed: seed + 1, Grid: []int{2, 2}}
		if seed%2 == 1 {
			o.Steps, o.Repeat = 6, 5
		}
		programs[fmt.Sprint("seed ", seed)] = tracegen.Generate(o).Text()
	}
	replayed, steps, tables := 0, 0, 0
	for name, b := range programs {
		for i, grid := range [][]int{{4}, {2, 2}, {2, 2}} {
			for _, async := range []options.Async{options.Synced, options.Free} {
				cfg := sim.Config{Machine: machineOf(t, machines[(i+len(name))%len(machines)]), Grid: grid, Options: sim.Defaults(), Lines: i != 1, OwnTimes: i == 0}
				cfg.Options.Async = async
				// Blocks of repeated time steps are recorded too.
				src := source(t, name, b)
				if i > 0 {
					calls, err := call.Record(src)
					if err != nil {
						t.Fatal(name, err)
					}
					src = repeats.New(calls).Source()
				}
				r, err := sim.Record(context.Background(), cfg, src)
				if err != nil {
					if !tooWide(err) {
						t.Fatalf("%s: %v", name, err)
					}
					continue
				}
				steps += r.Steps()
				for k, text := range machines {
					m, err := machineOf(t, text).Ordered(machine.Orders()[(i+k+len(name))%3])
					if err != nil {
						t.Fatal(err)
					}
					got, err := r.On(m)
					if err != nil {
						t.Fatal(name, err)
					}
					cfg.Machine = m
					want, err := sim.Run(context.Background(), cfg, source(t, name, b))
					if err != nil {
						t.Fatal(name, err)
					}
					if a, b := written(t, got), written(t, want); a != b {
						t.Errorf("%s on %v, %s, replayed on %s, order %s:\n%s\nsimulated:\n%s", name, grid, async, m.Name, m.Order(), a, b)
					}
					where := fmt.Sprintf("%s on %v, %s, %s, order %s", name, grid, async, m.Name, m.Order())
					// The second time by a timetable, if there can be one.
					for range 2 {
						figures, err := r.FiguresOn(m)
						if err != nil {
							t.Fatal(where, err)
						}
						sameFigures(t, where+", replayed", figures, want)
					}
					if sim.HasTimetable(r, m) {
						tables++
					}
					figures, err := sim.RunFigures(context.Background(), cfg, source(t, name, b))
					if err != nil {
						t.Fatal(where, err)
					}
					sameFigures(t, where, figures, want)
					replayed++
				}
			}
		}
	}
	t.Logf("%d simulations replayed, %d by timetables, %d steps recorded", replayed, tables, steps)
	if replayed < 200 || tables < replayed/4 {
		t.Errorf("only %d simulations were replayed, %d by timetables", replayed, tables)
	}
}

// sameFigures checks figures against the result of an ordinary simulation.
func sameFigures(t *testing.T, where string, f *sim.Figures, want *sim.Result) {
	t.Helper()
	main := &want.Intervals()[0]
	if f.ExecutionTime != want.ExecutionTime() || f.Efficiency != main.Efficiency || len(f.Warnings) != len(want.Warnings) {
		t.Errorf("%s: figures %v s, %v, %d warnings, simulated %v s, %v, %d", where, f.ExecutionTime, f.Efficiency, len(f.Warnings), want.ExecutionTime(), main.Efficiency, len(want.Warnings))
	}
}

// A recording is of one grid, and where blocks follow the powers of
// processors, of those powers.
func TestReplayRefuses(t *testing.T) {
	src := func() sim.Config {
		return sim.Config{Machine: machineOf(t, mixed), Grid: []int{4}, Options: sim.Defaults()}
	}
	text := testtraces.Text(t, "single/f01_ivals.ptr.zst")
	r, err := sim.Record(context.Background(), src(), source(t, "a", text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.On(machineOf(t, "cluster = c; c = {3 x p}; c.CommType = ethernet; c.TStart = 1; c.TByte = 0.2; p = 1.0;\n")); !errors.Is(err, sim.ErrTooSmall) {
		t.Errorf("error %v", err)
	}
	cfg := src()
	cfg.Options.Balance = options.Power
	if r, err = sim.Record(context.Background(), cfg, source(t, "a", text)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.On(machineOf(t, bus)); !errors.Is(err, sim.ErrPowers) {
		t.Errorf("error %v", err)
	}
	if _, err := r.On(machineOf(t, mixed)); err != nil {
		t.Error(err)
	}
}

// What brief clocks keep has the bits of an ordinary simulation in every interval.
func TestBriefSimulationsHaveTheSameBits(t *testing.T) {
	kept := map[string]bool{}
	for _, name := range []string{"execution_time", "total_time", "efficiency", "productive_time", "cpu_time", "sys_time", "io_time", "communication", "insuff_parallelism", "idle", "lost_time", "load_imbalance"} {
		kept[name] = true
	}
	for i, path := range testtraces.Sample(t) {
		b := testtraces.Text(t, path)
		for k, grid := range [][]int{{3}, {2, 4}} {
			cfg := sim.Config{Machine: machineOf(t, []string{bus, mixed}[(i+k)%2]), Grid: grid, Options: sim.Defaults()}
			want, err := sim.Run(context.Background(), cfg, source(t, path, b))
			if err != nil {
				if !tooWide(err) {
					t.Fatal(path, err)
				}
				continue
			}
			cfg.NewClocks = clock.NewBrief
			calls, err := call.Record(source(t, path, b))
			if err != nil {
				t.Fatal(path, err)
			}
			got, err := sim.Run(context.Background(), cfg, repeats.New(calls).Source())
			if err != nil {
				t.Fatal(path, err)
			}
			n := 0
			for j := range want.Intervals() {
				x, y := &want.Intervals()[j], &got.Intervals()[j]
				if x.Processors != y.Processors || x.Count != y.Count || x.Operations != y.Operations {
					t.Errorf("%s on %v, interval %d: %d processors, %d times, want %d, %d", path, grid, x.ID, y.Processors, y.Count, x.Processors, x.Count)
				}
				for _, c := range interval.Characteristics() {
					if kept[c.Name] {
						n++
						if a, b := c.Value(&y.Times), c.Value(&x.Times); a != b {
							t.Errorf("%s on %v, interval %d: %s %v, want %v", path, grid, x.ID, c.Name, a, b)
						}
					}
				}
			}
			if n != len(want.Intervals())*len(kept) {
				t.Errorf("%s: %d figures of %d intervals compared", path, n, len(want.Intervals()))
			}
		}
	}
}

// What makes searches fast: nearly all of a program passes in blocks, and a recording of
// it is replayed by a timetable.
func TestLongProgramsPassInBlocksAndTimetables(t *testing.T) {
	for path, steps := range map[string]int64{"large/f11_big.ptr.zst": 1900, "compute/jac.ptr.zst": 30} {
		m := machineOf(t, bus)
		prog := repeats.New(testtraces.Calls(t, path))
		cfg := sim.Config{Machine: m, Grid: []int{8, 8}, Options: sim.Defaults(), NewClocks: clock.NewBrief}
		passed, err := sim.StepsInBlocks(cfg, prog.Source())
		if err != nil || passed < steps {
			t.Errorf("%s: %d time steps passed in blocks, want %d or more (error %v)", path, passed, steps, err)
		}
		r, err := sim.Record(context.Background(), cfg, prog.Source())
		if err != nil {
			t.Fatal(path, err)
		}
		for range 2 {
			if _, err := r.FiguresOn(m); err != nil {
				t.Fatal(path, err)
			}
		}
		if !sim.HasTimetable(r, m) {
			t.Errorf("%s has no timetable", path)
		}
	}
}

func BenchmarkRecorded(b *testing.B) {
	m := machineOf(b, bus)
	r, err := sim.Record(context.Background(), sim.Config{Machine: m, Grid: []int{4, 4}, Options: sim.Defaults()}, testtraces.Calls(b, "compute/jac.ptr.zst").Source())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(r.Steps()), "steps")
	for b.Loop() {
		if _, err := r.On(m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMachines replays the simulation of 7,020 calls on one grid on many
// machines, whose processors have one power or a power each.
func BenchmarkMachines(b *testing.B) {
	var machines []*machine.Machine
	for i := range 20 {
		machines = append(machines, machineOf(b, fmt.Sprintf("cluster = c; c = {64 x p}; c.CommType = ethernet; c.TStart = 20; c.TByte = 0.01; p = 1.%02d;", i)))
	}
	rec := testtraces.Longer(b, "sizes/jac_1600.ptr.zst", "crtrg_", 6)
	for _, c := range []struct {
		name   string
		powers int
	}{{"network", 1}, {"powers", len(machines)}} {
		b.Run(c.name, func(b *testing.B) {
			r, err := sim.Record(context.Background(), sim.Config{Machine: machines[0], Grid: []int{8, 8}, Options: sim.Defaults()}, repeats.New(rec).Source())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := r.FiguresOn(machines[i%c.powers]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.Steps()), "steps")
		})
	}
}
