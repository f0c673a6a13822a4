package clock_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// kept are the counters that brief clocks have.
var kept = []interval.Counter{interval.BookedCPU, interval.BookedSYS, interval.BookedIO, interval.BookedCommunication, interval.BookedInsuffUSR, interval.BookedInsuffSYS}

// Brief clocks give, for random questions, the bits that the usual ones give.
func TestBriefClocksHaveTheSameBits(t *testing.T) {
	machines := []*machine.Machine{machineOf(t)}
	equal, _ := par.Parse("equal.par", []byte("cluster = c; c = {12 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.5;\n"))
	machines = append(machines, equal)
	grid := []int{4, 3}
	root := procs.Root(grid, grid)
	for seed := range uint64(300) {
		cfg := clock.Config{Machine: machines[seed%2], Grid: grid}
		var both [2]clock.Clocks
		for i, c := range []clock.Clocks{clock.New(cfg), clock.NewBrief(cfg)} {
			systems := []*procs.System{root, procs.Section(root, []int64{1, 0}, []int64{2, 2})}
			if seed%3 == 0 {
				systems = append(systems, procs.View(root, []int64{12}))
			}
			for id, s := range systems {
				s.ID = id
			}
			a := &asker{r: rand.New(rand.NewPCG(seed, 2)), c: c, systems: systems}
			c.Enter(0)
			c.Enter(1)
			if seed%2 == 0 {
				c.Within(3, 0)
				c.Within(4, 1)
			}
			for range 60 {
				a.ask()
				if a.r.IntN(3) == 0 {
					a.times(systems[a.r.IntN(len(systems))])
				}
			}
			both[i] = c
		}
		if a, b := both[0].Classes(), both[1].Classes(); a != b {
			t.Fatalf("seed %d: %d and %d classes", seed, a, b)
		}
		for id := range clock.Account(accounts) {
			if seed%2 == 0 && id >= 3 {
				continue // parts of others are not kept
			}
			for i := range both[0].Classes() {
				want, in := both[0].Counters(id, i)
				got, inGot := both[1].Counters(id, i)
				if in != inGot {
					t.Fatalf("seed %d, account %d, class %d: member %v, want %v", seed, id, i, inGot, in)
				}
				for _, k := range kept {
					if got[k] != want[k] {
						t.Fatalf("seed %d, account %d, class %d: counter %d is %v, want %v", seed, id, i, k, got[k], want[k])
					}
				}
			}
		}
	}
}

// A timetable gives on any machine with the same processors of equal powers the bits
// of clocks that are asked.
func TestTimetablesHaveTheSameBits(t *testing.T) {
	machines := func(texts ...string) (list []*machine.Machine) {
		for _, text := range texts {
			m, faults := par.Parse("m.par", []byte("cluster = c; c.CommType = ethernet; "+text))
			if err := faults.Err(); err != nil {
				t.Fatal(err)
			}
			list = append(list, m)
		}
		return list
	}
	alike := machines("c = {12 x p}; c.TStart = 75; c.TByte = 0.2; p = 1.5;\n", "c = {12 x p}; c.TStart = 75; c.TByte = 0.1; p = 1.5;\n", "c = {12 x p}; c.TStart = 7; c.TByte = 0.1; p = 0.3;\n")
	unlike := machines("c = {3 x p, 9 x q}; c.TStart = 75; c.TByte = 0.2; p = 1.5; q = 1.0;\n", "c = {3 x p, 9 x q}; c.TStart = 5; c.TByte = 0.2; p = 0.7; q = 1.9;\n")
	other := machines("c = {4 x p, 8 x q}; c.TStart = 5; c.TByte = 0.2; p = 0.7; q = 1.9;\n")
	grid := []int{4, 3}
	root := procs.Root(grid, grid)
	made, joined := 0, 0
	for seed := range uint64(400) {
		list := alike
		if seed%2 == 1 {
			list = unlike
		}
		all := append(slices.Clone(list), other...)
		kinds := [][]int{{0, 1, 3, 5, 11}, {0, 1, 2, 5, 11}, {1, 3, 4, 11}, {1, 5}, {5}, {0}}[seed/2%6]
		ask := func(c clock.Clocks) error {
			systems := []*procs.System{root, procs.Section(root, []int64{1, 0}, []int64{2, 2}), procs.Section(root, []int64{0, 0}, []int64{3, 0})}
			systems = systems[:1+seed/12%3]
			for id, s := range systems {
				s.ID = id
			}
			a := &asker{r: rand.New(rand.NewPCG(seed, 3)), c: c, systems: systems}
			c.Enter(1)
			for range 30 {
				a.question(kinds[a.r.IntN(len(kinds))])
			}
			return c.Err()
		}
		table := clock.NewTimetable(clock.Config{Machine: list[0], Grid: grid}, ask)
		if table == nil {
			t.Fatalf("seed %d: no timetable", seed)
		}
		made++
		if table.Joins() {
			joined++
		}
		for i, m := range all {
			cfg := clock.Config{Machine: m, Grid: grid}
			if suits := table.Suits(m, grid); suits != (i < len(list)) {
				t.Fatalf("seed %d, machine %d: suits %v", seed, i, suits)
			}
			if i == len(list) {
				continue
			}
			want := clock.NewBrief(cfg)
			if err := ask(want); err != nil {
				t.Fatal(err)
			}
			got, err := table.Run(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := got.Classes(), want.Classes(); a != b {
				t.Fatalf("seed %d: %d classes, want %d", seed, a, b)
			}
			for id := range clock.Account(accounts) {
				for c := range want.Classes() {
					w, in := want.Counters(id, c)
					g, inGot := got.Counters(id, c)
					if in != inGot || *w != *g || want.Class(c) != got.Class(c) {
						t.Fatalf("seed %d, machine %d, account %d, class %d: member %v, %v, want %v, %v", seed, i, id, c, inGot, *g, in, *w)
					}
				}
			}
		}
	}
	if joined < made/10 {
		t.Errorf("%d of %d timetables have classes that are alike", joined, made)
	}
}

// times asks for the times of several calls, which some clocks add up at once.
func (a *asker) times(s *procs.System) {
	list := make([]units.Seconds, a.r.IntN(7))
	for i := range list {
		if a.r.IntN(3) > 0 {
			list[i] = units.Seconds(a.r.Float64())
		}
	}
	redundant := 0.5
	if a.r.IntN(2) == 0 {
		redundant = 0.25
	}
	clock.AddTimes(a.c, s, redundant, list, a.r.IntN(2) == 0)
	if a.r.IntN(2) == 0 {
		clock.AddTimes(a.c, s, redundant, list, false)
	}
}
