package clock_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/clock/clocktest"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

const powers = "cluster = c; c = {3 x slow, 61 x fast}; c.CommType = myrinet(2); c.TStart = 75; c.TByte = 0.2; slow = 0.5; fast = 2.0;\n"

func machineOf(t *testing.T) *machine.Machine {
	t.Helper()
	m, faults := par.Parse("powers.par", []byte(powers))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// asker asks clocks random questions; the same seed asks the same ones.
type asker struct {
	r       *rand.Rand
	c       clock.Clocks
	systems []*procs.System
	flights []flight
}

type flight struct {
	sys        *procs.System
	kind       interval.Kind
	start, end clock.Instant
	snapshot   clock.Snapshot
}

func (a *asker) amount() clock.Amount {
	return clock.Amount{User: units.Seconds(a.r.Float64()), System: units.Seconds(a.r.Float64()), UserRedundant: 0.5, SystemRedundant: 0.25}
}

// labels numbers coordinates by random blocks.
func (a *asker) labels(s *procs.System) [][]int64 {
	out := make([][]int64, len(s.Grid))
	for k, n := range s.Grid {
		cut := a.r.IntN(n)
		out[k] = make([]int64, n)
		for c := range out[k] {
			if c > cut {
				out[k][c] = 1 + int64(c%2)
			}
		}
	}
	return out
}

func (a *asker) demands() []clock.Demand {
	switch a.r.IntN(3) {
	case 0:
		return []clock.Demand{{Load: a.c.Load(comm.Messages([]int{4, 3}, []comm.Message{{From: 0, To: 5, Bytes: 100}, {From: 7, To: 2, Bytes: 64}}))}}
	case 1:
		return []clock.Demand{{Broadcast: &clock.Broadcast{Bytes: 8}}}
	}
	return []clock.Demand{{Reduction: &comm.Reduction{Bytes: 16, Senders: 3}}, {Broadcast: &clock.Broadcast{Root: 1, Bytes: 8}}}
}

// pipeline is a wavefront along the first dimension of s.
func (a *asker) pipeline(s *procs.System, since clock.Snapshot) *clock.Pipeline {
	labels := make([][]int64, len(s.Grid))
	for k, n := range s.Grid {
		labels[k] = make([]int64, n)
		for c := range n {
			labels[k][c] = int64(c)
		}
	}
	p := &clock.Pipeline{System: s, Labels: labels, Since: since, Hops: int64(s.Grid[0] - 1), Extents: []int64{10}}
	if since == 0 {
		w := a.amount()
		p.Work = []clock.Work{{Account: 0, Of: func([]int) clock.Amount { return w }}, {Account: 1, Of: func(coords []int) clock.Amount { return clock.Amount{System: units.Seconds(coords[0])} }}}
	}
	p.Stage = func(coords []int) (clock.Stage, bool) {
		st := clock.Stage{Depth: coords[0]}
		if coords[0] > 0 {
			before := slices.Clone(coords)
			before[0]--
			st.From = []clock.Predecessor{{Number: s.Number(before), Bytes: 100}}
		}
		return st, true
	}
	return p
}

// accounts is how many accounts are booked to.
const accounts = 5

func (a *asker) ask() { a.question(a.r.IntN(11)) }

// question asks a question of one of 12 kinds; those below 6 and the last are such as
// timetables know.
func (a *asker) question(kind int) {
	s := a.systems[a.r.IntN(len(a.systems))]
	k := interval.Kind(a.r.IntN(int(interval.NumKinds)))
	switch kind {
	case 0:
		a.c.Enter(clock.Account(a.r.IntN(accounts)))
		a.c.Join(s)
	case 1, 2:
		a.c.AddAll(s, a.amount())
	case 3:
		w := a.amount()
		labels := a.labels(s)
		a.c.AddBy(s, labels, func(l []int64) clock.Amount {
			return clock.Amount{User: w.User * units.Seconds(l[0]), System: w.System}
		})
		parts := &clock.Parts{Labels: labels, Redundant: 0.5, Of: func(l []int64) float64 { return float64(l[0]) / 8 }}
		a.c.AddParts(s, parts, w.User, w.System)
		a.c.AddAll(s, w)
		a.c.AddParts(s, parts, w.System, 0)
	case 4:
		a.c.AddOne(s.Rank(0), clock.Amount{IO: 1, User: 1})
	case 5:
		from := a.c.Sync(s, k)
		a.c.Delay(s, k, from, a.c.Exchange(s, from, a.demands()...))
		a.c.Variation(s, k)
	case 6:
		from := a.c.Sync(s, k)
		from = a.c.AfterLongest(from, s, a.labels(s), func(l []int64) units.Seconds { return units.Seconds(l[0]) })
		a.flights = append(a.flights, flight{s, k, from, a.c.Exchange(s, from, a.demands()...), 0})
	case 7:
		from, snapshot := a.c.Late(s, k)
		a.flights = append(a.flights, flight{s, k, from, a.c.Exchange(s, from, a.demands()...), snapshot})
	case 8:
		if len(a.flights) > 0 {
			f := a.flights[0]
			a.flights = a.flights[1:]
			a.c.Await(f.sys, f.kind, f.start, f.end, f.snapshot)
			a.c.Variation(f.sys, f.kind)
		}
	case 9:
		a.c.Pipeline(a.pipeline(s, 0))
	case 10:
		snapshot := a.c.Remember(s)
		a.c.AddAll(s, a.amount())
		a.c.Pipeline(a.pipeline(s, snapshot))
	case 11:
		from := a.c.Sync(s, k)
		if s.Ranks == nil {
			a.c.Forget(from)
		}
		end := a.c.Exchange(s, from, a.demands()...)
		a.c.AddAll(s, a.amount())
		a.c.Await(s, k, from, end, 0)
		a.c.Variation(s, k)
	}
}

// Clocks that keep processors with equal histories together give, for random
// questions about the root, sections of it and other shapes, what a clock for
// every processor gives.
func TestClassesAreAsGoodAsProcessors(t *testing.T) {
	m := machineOf(t)
	grid := []int{4, 3}
	root := procs.Root(grid, grid)
	for seed := range uint64(300) {
		var both [2]clock.Clocks
		for i, c := range []clock.Clocks{clock.New(clock.Config{Machine: m, Grid: grid}), clocktest.New(clock.Config{Machine: m, Grid: grid})} {
			systems := []*procs.System{root, procs.Section(root, []int64{1, 0}, []int64{2, 2})}
			if seed%3 == 0 {
				systems = append(systems, procs.View(root, []int64{12}))
			}
			for id, s := range systems {
				s.ID = id
			}
			a := &asker{r: rand.New(rand.NewPCG(seed, 1)), c: c, systems: systems}
			c.Enter(0)
			c.Enter(1)
			c.Within(3, 0)
			c.Within(4, 1)
			for range 40 {
				a.ask()
			}
			both[i] = c
		}
		for id := range clock.Account(accounts) {
			want, in := perRank(both[1], id)
			got, inGot := perRank(both[0], id)
			if !slices.Equal(in, inGot) {
				t.Fatalf("seed %d, account %d: members %v, want %v", seed, id, inGot, in)
			}
			for r := range want {
				for x := range want[r] {
					if a, b := float64(got[r][x]), float64(want[r][x]); math.Abs(a-b) > 1e-9*max(1, math.Abs(b)) {
						t.Fatalf("seed %d, account %d, processor %d: counters %v, want %v", seed, id, r, got[r], want[r])
					}
				}
			}
		}
	}
}

func perRank(b clock.Books, id clock.Account) ([]clock.Counters, []bool) {
	out, in := make([]clock.Counters, 12), make([]bool, 12)
	for i := range b.Classes() {
		c, member := b.Counters(id, i)
		for _, r := range b.Ranks(i) {
			out[r], in[r] = *c, member
		}
	}
	return out, in
}

// The wait for an exchange from 10 to 14 whose processors were not pulled
// together. One that came at 7 when the latest came at 8 (it is late by 1)
// waits from 8.5: 1.5 before the exchange begins, of which 1 is booked already
// as potential, and all of it is real. One that comes at 11 has an overlap of 1
// and waits 3; had it been 2 early, 2 of that would be real. One that comes at
// 20 waits for nothing.
func TestAwaitFree(t *testing.T) {
	for _, c := range []struct {
		clock, late               units.Seconds
		end, comm, synch, real, o units.Seconds
	}{
		{8.5, 1, 14, 5.5, 0.5, 1.5, 0},
		{8.5, 0, 14, 5.5, 1.5, 1.5, 0},
		{8.5, 4, 14, 5.5, 0, 4, 0},
		{11, 2, 14, 3, 0, 2, 1},
		{11, 9, 14, 3, 0, 3, 1},
		{20, 2, 20, 0, 0, 0, 4},
	} {
		var n clock.Counters
		end := n.AwaitFree(interval.Shadow, c.clock, 10, 14, c.late)
		got := []units.Seconds{end, n[interval.BookedCommunication], n[interval.BookedSynch], n[interval.BookedRealSynch], n[interval.KindOverlap.Of(interval.Shadow)]}
		if want := []units.Seconds{c.end, c.comm, c.synch, c.real, c.o}; !slices.Equal(got, want) {
			t.Errorf("at %v, early by %v: clock, communication, synchronization, real, overlap are %v, want %v", c.clock, c.late, got, want)
		}
	}
}
