package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/program"
	"dvmtools/pkg/sim"
)

// On programs of loops, shadow edges, reductions and pipelines the estimator is near
// what is simulated: half of the grids that take less than twice the best time
// are within 3 %, nine tenths within 5 %, once what no grid changes is added.
func TestEstimatesAreNear(t *testing.T) {
	for _, trace := range []string{"sizes/jac_1200", "compute/mixed", "sizes/sor_1500", "sizes/heat3_80"} {
		prog := program.New(testtraces.Calls(t, trace+".ptr.zst"))
		shape, err := Read(prog.Recording, "", false)
		if err != nil {
			t.Fatal(err)
		}
		rec := newRecorder(prog)
		for i, m := range []*machine.Machine{clusterOf(t, "64", 20, 0.01), clusterOf(t, "8x8", 20, 0.01),
			parsed(t, "cluster = c; c = {2 x a, 10 x b}; c.CommType = myrinet(4); c.TStart = 5; c.TByte = 0.01; a = {12 x p}; a.CommType = ethernet; a.TStart = 1; a.TByte = 0.002; b = {4 x p}; b.CommType = myrinet(2); b.TStart = 1; b.TByte = 0.002; p = 2.0;")} {
			cfg := &Config{Machine: m, Options: sim.Defaults(), Mode: All, Max: 64, Threads: 1, Objective: Time}
			s := &state{cfg: *cfg, shape: shape, prog: prog, recorder: rec}
			e := newEstimator(cfg, &shape)
			guess := func(g *grid) float64 {
				sum := 0.0
				parts := e.of(g)
				for _, x := range parts[:numGuesses] {
					sum += x
				}
				return sum
			}
			best, added := math.Inf(1), 0.0
			var times, guesses []float64
			for k, g := range grids(64, shape.Extents, false) {
				if k > 0 && k%effort.Of(5, 1) != 0 && g.n < 60 {
					continue
				}
				o := s.simulate(t.Context(), g.extents, 0)
				if o.err != nil {
					continue
				}
				if g.n == 1 {
					added = float64(o.time) - guess(g)
				}
				best = min(best, float64(o.time))
				times, guesses = append(times, float64(o.time)), append(guesses, guess(g))
			}
			var off []float64
			for k, x := range times {
				if x < 2*best {
					off = append(off, math.Abs(guesses[k]+added-x)/x)
				}
			}
			slices.Sort(off)
			half, most := off[len(off)/2], off[len(off)*9/10]
			if t.Logf("%s, machine %d: of %d grids half are within %.2f %%, nine tenths within %.2f %%", trace, i, len(off), 100*half, 100*most); half > 0.03 || most > 0.05 {
				t.Errorf("%s, machine %d: half of the grids are off by up to %.3g, nine tenths by %.3g", trace, i, half, most)
			}
		}
	}
}

// The busiest node has as many pairs of neighbours as counting gives, and all pairs
// meet somewhere. Machines of one kind of node are exact for the root.
func TestMeetingsAreCounted(t *testing.T) {
	for text, nodes := range map[string]int64{
		"cluster = c; c = {8 x n}; c.CommType = myrinet(4); c.TStart = 5; c.TByte = 0.01; n = {8 x p}; n.CommType = myrinet(2); n.TStart = 1; n.TByte = 0.01; p = 1.0;":                                                              8,
		"cluster = c; c = {16 x n}; c.CommType = ethernet; c.TStart = 5; c.TByte = 0.01; n = {4 x p}; n.CommType = ethernet; n.TStart = 1; n.TByte = 0.01; p = 1.0;":                                                                 4,
		"cluster = c; c = {64 x p}; c.CommType = ethernet; c.TStart = 5; c.TByte = 0.01; p = 1.0;":                                                                                                                                   64,
		"cluster = c; c = {2 x r}; c.CommType = ethernet; c.TStart = 9; c.TByte = 0.1; r = {4 x n}; r.CommType = ethernet; r.TStart = 5; r.TByte = 0.01; n = {8 x p}; n.CommType = ethernet; n.TStart = 1; n.TByte = 0.01; p = 1.0;": 32,
	} {
		m := parsed(t, text)
		for _, x := range [][]int{{64}, {2, 16}, {16, 2}, {3, 5}, {8, 8}, {64, 1}, {1, 64}, {2, 4, 8}, {3, 4, 5}, {7, 3, 3}} {
			g := &grid{extents: x, n: 1}
			for _, e := range x {
				g.n *= e
			}
			root := make([]int64, len(x))
			for k := range x {
				stride := 1
				for _, e := range x[k+1:] {
					stride *= e
				}
				for p := range g.n {
					if p/stride%x[k] != x[k]-1 {
						if a, b := int64(p)/nodes, int64(p+stride)/nodes; a != b || nodes == 64 {
							root[k]++
						}
					}
				}
			}
			if got := meetings(m, g); !slices.Equal(got[0].pairs, root) {
				t.Errorf("%v in nodes of %d: %v pairs on the root, want %v", x, nodes, got[0].pairs, root)
			}
		}
	}
}

// Messages on channels end as when each is put in turn on the one that is free first.
func TestCarry(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		channels := 1 + r.IntN(5)
		m := meeting{medium: machine.Medium{Kind: machine.Myrinet, Channels: channels, TStart: 3, TByte: 0.5}}
		var all []batch
		var sizes []float64
		for range 1 + r.IntN(3) {
			b := batch{1 + r.Int64N(12), float64(r.IntN(40))}
			all = append(all, b)
			for range b.count {
				sizes = append(sizes, b.bytes)
			}
		}
		slices.Sort(sizes)
		slices.Reverse(sizes)
		free, want := make([]float64, channels), 0.0
		for _, b := range sizes {
			slices.Sort(free)
			free[0] += 3 + 0.5*b
			want = max(want, free[0])
		}
		if got := m.carry(all); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v on %d channels: %g, want %g", all, channels, got, want)
		}
	}
}

// Of places on an axis in even blocks, the coordinate that has most has as many as
// counting gives: 10 places 2, 5, ..., 29 of 30 on 4 coordinates of 7, 8, 7 and 8
// elements (0..6, 7..14, 15..21, 22..29) are 2, 3, 2 and 3.
func TestMostOfSpread(t *testing.T) {
	for _, c := range []struct {
		s    spread
		n    int
		want int64
	}{
		{spread{axis: 30, first: 2, step: 3, count: 10}, 4, 3},
		{spread{axis: 30, first: 0, step: 1, count: 30}, 4, 8},
		{spread{axis: 30, first: 7, step: 1, count: 3}, 4, 3},
		{spread{axis: 30, first: 6, step: 1, count: 2}, 4, 1},
		{spread{axis: 0, count: 12}, 4, 12},
		{spread{axis: 30, first: 1, step: 1, count: 28}, 1, 28},
	} {
		if got := c.s.most(c.n); got != c.want {
			t.Errorf("%s: %d, want %d", fmt.Sprintf("%+v on %d", c.s, c.n), got, c.want)
		}
	}
}
