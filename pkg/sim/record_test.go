package sim_test

import (
	"context"
	"fmt"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// recorder are clocks that write down what they are asked: instants, marks and
// loads by their numbers, everything else as it was handed over.
type recorder struct {
	clock.Clocks
	steps []func(*player)
	loads map[*comm.Load]int
	last  clock.Account
}

// player asks the clocks of another simulation what was recorded.
type player struct {
	clock.Clocks
	instants []clock.Instant // by their numbers
	marks    map[clock.Mark]clock.Mark
	loads    []*comm.Load
}

func (p *player) made(t clock.Instant) {
	for int64(len(p.instants)) <= t.Number() {
		p.instants = append(p.instants, clock.Instant{})
	}
	p.instants[t.Number()] = t
}

func (r *recorder) note(step func(*player)) { r.steps = append(r.steps, step) }

func (r *recorder) Enter(a clock.Account) {
	r.last = max(r.last, a)
	r.note(func(p *player) { p.Enter(a) })
	r.Clocks.Enter(a)
}

func (r *recorder) Join(s *procs.System) {
	r.note(func(p *player) { p.Join(s) })
	r.Clocks.Join(s)
}

func (r *recorder) AddAll(s *procs.System, w clock.Amount) {
	r.note(func(p *player) { p.AddAll(s, w) })
	r.Clocks.AddAll(s, w)
}

func (r *recorder) AddBy(s *procs.System, labels [][]int64, work func([]int64) clock.Amount) {
	r.note(func(p *player) { p.AddBy(s, labels, work) })
	r.Clocks.AddBy(s, labels, work)
}

func (r *recorder) AddOne(rank int, w clock.Amount) {
	r.note(func(p *player) { p.AddOne(rank, w) })
	r.Clocks.AddOne(rank, w)
}

func (r *recorder) Sync(s *procs.System, k interval.Kind) clock.Instant {
	r.note(func(p *player) { p.made(p.Sync(s, k)) })
	return r.Clocks.Sync(s, k)
}

func (r *recorder) Late(s *procs.System, k interval.Kind) (clock.Instant, clock.Mark) {
	t, m := r.Clocks.Late(s, k)
	r.note(func(p *player) {
		at, mark := p.Late(s, k)
		p.made(at)
		p.marks[m] = mark
	})
	return t, m
}

func (r *recorder) Remember(s *procs.System) clock.Mark {
	m := r.Clocks.Remember(s)
	r.note(func(p *player) { p.marks[m] = p.Remember(s) })
	return m
}

func (r *recorder) Release(m clock.Mark) {
	r.note(func(p *player) { p.Release(p.marks[m]) })
	r.Clocks.Release(m)
}

func (r *recorder) AfterLongest(start clock.Instant, s *procs.System, labels [][]int64, work func([]int64) units.Seconds) clock.Instant {
	from := start.Number()
	r.note(func(p *player) { p.made(p.AfterLongest(p.instants[from], s, labels, work)) })
	return r.Clocks.AfterLongest(start, s, labels, work)
}

func (r *recorder) Load(t comm.Traffic) *comm.Load {
	l := r.Clocks.Load(t)
	r.loads[l] = len(r.loads)
	r.note(func(p *player) { p.loads = append(p.loads, p.Load(t)) })
	return l
}

func (r *recorder) Exchange(s *procs.System, start clock.Instant, demands ...clock.Demand) clock.Instant {
	from := start.Number()
	loads := make([]int, len(demands))
	for i, d := range demands {
		if d.Load != nil {
			loads[i] = r.loads[d.Load]
		}
	}
	r.note(func(p *player) {
		own := append([]clock.Demand(nil), demands...)
		for i := range own {
			if own[i].Load != nil {
				own[i].Load = p.loads[loads[i]]
			}
		}
		p.made(p.Exchange(s, p.instants[from], own...))
	})
	return r.Clocks.Exchange(s, start, demands...)
}

func (r *recorder) Delay(s *procs.System, k interval.Kind, from, to clock.Instant) {
	a, b := from.Number(), to.Number()
	r.note(func(p *player) { p.Delay(s, k, p.instants[a], p.instants[b]) })
	r.Clocks.Delay(s, k, from, to)
}

func (r *recorder) Await(s *procs.System, k interval.Kind, start, end clock.Instant, mark clock.Mark) {
	a, b := start.Number(), end.Number()
	r.note(func(p *player) { p.Await(s, k, p.instants[a], p.instants[b], p.marks[mark]) })
	r.Clocks.Await(s, k, start, end, mark)
}

func (r *recorder) Variation(s *procs.System, k interval.Kind) {
	r.note(func(p *player) { p.Variation(s, k) })
	r.Clocks.Variation(s, k)
}

func (r *recorder) Forget(t clock.Instant) {
	n := t.Number()
	r.note(func(p *player) { p.Forget(p.instants[n]) })
	r.Clocks.Forget(t)
}

func (r *recorder) Pipeline(pl *clock.Pipeline) {
	r.note(func(p *player) {
		own := *pl
		own.Since = p.marks[pl.Since]
		p.Pipeline(&own)
	})
	r.Clocks.Pipeline(pl)
}

// record simulates a program and returns what its clocks were asked; nil when
// it cannot be simulated on the grid.
func record(t *testing.T, name string, b []byte, m *machine.Machine, grid []int, opts interval.Options) *recorder {
	t.Helper()
	var r *recorder
	_, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: opts, NewClocks: func(cfg clock.Config) clock.Clocks {
		r = &recorder{Clocks: clock.New(cfg), loads: map[*comm.Load]int{}}
		return r
	}}, source(t, name, b))
	if err != nil {
		if !tooWide(err) {
			t.Fatalf("%s: %v", name, err)
		}
		return nil
	}
	return r
}

// replay asks fresh clocks what was recorded.
func (r *recorder) replay(cfg clock.Config) clock.Clocks {
	p := &player{Clocks: clock.New(cfg), marks: map[clock.Mark]clock.Mark{}}
	for _, step := range r.steps {
		step(p)
	}
	return p.Clocks
}

// sameBooks compares all that was booked, to the last bit.
func sameBooks(t *testing.T, where string, a, b clock.Books, last clock.Account) {
	t.Helper()
	if a.Classes() != b.Classes() {
		t.Errorf("%s: %d and %d classes", where, a.Classes(), b.Classes())
		return
	}
	for id := range last + 1 {
		for i := range a.Classes() {
			x, inA := a.Counters(id, i)
			y, inB := b.Counters(id, i)
			if *x != *y || inA != inB || a.Class(i) != b.Class(i) {
				t.Errorf("%s: account %d, class %d: %v and %v", where, id, i, *x, *y)
				return
			}
		}
	}
}

// What a simulation asks of its clocks, written down and asked again of the
// clocks of the same or of another machine, gives to the last bit what a
// simulation on that machine gives.
func TestRecordedSimulationsCanBeReplayed(t *testing.T) {
	machines := map[string]*machine.Machine{"bus": machineOf(t, bus), "mixed": machineOf(t, mixed), "tree": machineOf(t, tree), "transputer": machineOf(t, transputer)}
	programs := map[string][]byte{}
	for _, name := range []string{"f01_ivals", "f02_heat3d", "f03_async", "f04_across", "f05_remote", "f06_redist", "f07_copy", "f08_io", "f09_tasks", "c12_groups", "d15_api"} {
		programs[name] = testtraces.Text(t, "single/"+name+".ptr.zst")
	}
	for seed := range uint64(40) {
		programs[fmt.Sprint("seed ", seed)] = tracegen.Generate(tracegen.Options{Seed: seed + 1, Grid: []int{2, 2}}).Text()
	}
	replayed, steps := 0, 0
	for name, b := range programs {
		for _, grid := range [][]int{{4}, {2, 2}} {
			for _, async := range []options.Async{options.Synced, options.Free} {
				opts := sim.Defaults()
				opts.Async = async
				r := record(t, name, b, machines["bus"], grid, opts)
				if r == nil {
					continue
				}
				steps += len(r.steps)
				for on, m := range machines {
					want := record(t, name, b, m, grid, opts)
					where := fmt.Sprintf("%s on %v, %s, replayed on %s", name, grid, async, on)
					sameBooks(t, where, want, r.replay(clock.Config{Machine: m, Grid: grid}), r.last)
					replayed++
				}
			}
		}
	}
	t.Logf("%d simulations replayed, %d steps recorded", replayed, steps)
	if replayed < 200 {
		t.Errorf("only %d simulations were replayed", replayed)
	}
}
