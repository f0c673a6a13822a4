package clock_test

import (
	"math/rand/v2"
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
