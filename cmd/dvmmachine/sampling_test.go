package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dvmtools/pkg/machine/measure"
)

// TestPace: the time that is left is right within a quarter, or half a minute, from
// the first round on, also when compiling takes as long as many steps, steps of one
// name take ten times those of another, and one name in six takes no time and is
// tried twice.
func TestPace(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		o := measure.Options{Samples: 10, Processes: 6}
		kept := &journal{&records{}, map[string]*measure.Series{}}
		p := pace{options: o, steps: map[attempt]spent{}, built: map[string]bool{}}
		var names []string
		cost := map[string]float64{}
		for i := range 150 {
			n := fmt.Sprint(i)
			names = append(names, n)
			cost[n] = 0.01 * math.Pow(10, random.Float64())
		}
		now := 0.0
		spend := func(seconds float64) float64 {
			seconds *= 1 + 0.3*random.Float64()
			now += seconds
			return seconds
		}
		type guess struct{ at, left float64 }
		var guesses []guess
		for open := true; open; {
			open = false
			for i, n := range names {
				s := kept.of(n)
				if s.Done {
					continue
				}
				open = true
				if i%50 == 30 {
					guesses = append(guesses, guess{now, p.left(names, kept)})
				}
				if !p.built[n] {
					p.compiled(n, spend(0.7))
				}
				again, seconds := s.Again, cost[n]
				if again {
					seconds *= 2
				}
				p.stepped(attempt{n, again}, spend(seconds))
				if s.Steps++; s.Steps < o.Processes {
					continue
				}
				v := 1.0
				if i%6 == 0 && len(s.Samples)%2 == 1 {
					v = -1
				}
				s.Steps, s.Samples = 0, append(s.Samples, v)
				switch {
				case i%6 == 0 && len(s.Samples) == 6 && again:
					s.Done, s.Reason = true, "r"
				case i%6 == 0 && len(s.Samples) == 6:
					*s = measure.Series{Again: true}
				case len(s.Samples) == o.Samples:
					s.Done = true
				}
			}
		}
		for _, g := range guesses {
			if want := now - g.at; math.Abs(g.left-want) > max(30, want/4) {
				t.Errorf("seed %d: after %.0f s %.0f s are left, want %.0f s", seed, g.at, g.left, want)
				break
			}
		}
		if done, total := p.count(names, kept); done > total {
			t.Errorf("seed %d: %d of %d steps", seed, done, total)
		}
	}
}
