package search

import (
	"fmt"
	"math"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// explain returns sentences on the best grid: which step found it, how long its
// neighbours take, why other grids were not tried, where the time goes.
func (s *state) explain(passes []*pass) []Explanation {
	var list []Explanation
	say := func(about, format string, args ...any) {
		list = append(list, Explanation{"explanation", s.point, about, fmt.Sprintf(format, args...)})
	}
	for _, p := range passes {
		if p.best.feasible() {
			say("found", "%s", p.found())
		}
	}
	tried := map[string]*grid{}
	for _, g := range s.tried {
		tried[g.name()] = g
	}
	best := s.best
	for _, x := range neighbours(best.extents) {
		g := tried[fmt.Sprint(x)]
		switch {
		case g == nil:
		case g.out.err != nil:
			say("neighbour", "%s cannot be simulated: %v", GridText(x), g.out.err)
		case g.out.abandonedAt > 0:
			say("neighbour", "%s takes more than %s, the time of a grid of as many processors or fewer, and was given up", GridText(x), g.out.abandonedAt.Short())
		default:
			say("neighbour", "%s takes %s, %s than %s: %s", GridText(x), g.out.time.Short(), than(g.out.time, best.out.time), GridText(best.extents), difference(&g.out.main, g.n, &best.out.main, best.n))
		}
	}
	for _, p := range passes {
		say("bound", "%s", p.bound())
	}
	say("time", "of the time of a processor of %s: %s", GridText(best.extents), shares(&best.out.main, best.n))
	return list
}

// found says which step found the best grid of a search.
func (p *pass) found() string {
	g := p.best
	text := fmt.Sprintf("mode %d found %s in step %d of %d", p.mode, GridText(g.extents), p.seen[g], p.steps)
	if p.mode == Heuristic && p.stale != nil {
		if p.stale == g {
			text += ", before the descent over the neighbours of the best"
		} else {
			text += fmt.Sprintf(", in the descent over the neighbours of the best, which was %s before", GridText(p.stale.extents))
		}
	}
	return text
}

// bound says why the other grids were not tried.
func (p *pass) bound() string {
	switch {
	case p.partial:
		return fmt.Sprintf("mode %d was ended before it was done: the %d grids that it tried are all that is known", p.mode, p.evaluated)
	case p.mode == Heuristic:
		return fmt.Sprintf("mode 1 dropped %d of %d grids untried: those of a number of processors that a better mark had tried, those on the far side of a number that was no better, and those outside a bracket of a class whose bounds are worse by %g %% or more", len(p.list)-p.evaluated, len(p.list), 100*p.cfg.Threshold)
	case p.ended != nil:
		return fmt.Sprintf("mode %d ended at %d processors: with so many or more the %s is at least %.6g, because of the exchanges of all processors and the work that cannot be shared further; the best has %.6g", p.mode, p.ended.Processors, p.cfg.Objective, p.ended.Value, p.best.score.value)
	}
	return fmt.Sprintf("mode %d tried all %d grids of its list", p.mode, len(p.list))
}

// than says by how much a is longer than b, in words.
func than(a, b units.Seconds) string {
	if b == 0 {
		return "no more"
	}
	share := 100 * float64((a-b)/b)
	if share < 0 {
		return fmt.Sprintf("%.2f %% less", -share)
	}
	return fmt.Sprintf("%.2f %% more", share)
}

// parts are the parts of the processors' time, which sum to all of it. Waiting for
// others to start is none of the exchange at which they wait.
var parts = []struct {
	name string
	of   func(*interval.Times) units.Seconds
}{
	{"computing", func(t *interval.Times) units.Seconds { return t.CPUTime + t.SYSTime }},
	{"input and output", func(t *interval.Times) units.Seconds { return t.IOTime }},
	{"waiting for others", func(t *interval.Times) units.Seconds { return t.CommunicationSynch }},
	{"reductions", func(t *interval.Times) units.Seconds { return t.Reduction.Communication - t.Reduction.RealSynch }},
	{"shadow edges", func(t *interval.Times) units.Seconds { return t.Shadow.Communication - t.Shadow.RealSynch }},
	{"remote access", func(t *interval.Times) units.Seconds { return t.Remote.Communication - t.Remote.RealSynch }},
	{"redistribution", func(t *interval.Times) units.Seconds {
		return t.Redistribution.Communication - t.Redistribution.RealSynch
	}},
	{"exchanges of input and output", func(t *interval.Times) units.Seconds { return t.IO.Communication - t.IO.RealSynch }},
	{"idle", func(t *interval.Times) units.Seconds { return t.Idle }},
}

// shares says what the mean processor spends its time on.
func shares(t *interval.Times, n int) string {
	text := ""
	for _, p := range parts {
		if x := p.of(t) / units.Seconds(n); x > 0 {
			text += fmt.Sprintf("%s %s (%.1f %%), ", p.name, x.Short(), 100*float64(x/t.ExecutionTime))
		}
	}
	if text == "" {
		return "nothing takes time"
	}
	return text[:len(text)-2]
}

// difference says on which parts the mean processor of a grid spends more or less
// time than that of the best grid; a part that differs by less than a thousandth of
// the one that differs most is left out.
func difference(t *interval.Times, n int, best *interval.Times, m int) string {
	differs := make([]units.Seconds, len(parts))
	most := 0.0
	for i, p := range parts {
		differs[i] = p.of(t)/units.Seconds(n) - p.of(best)/units.Seconds(m)
		most = max(most, math.Abs(float64(differs[i])))
	}
	text := ""
	for i, d := range differs {
		switch {
		case math.Abs(float64(d)) <= most/1000:
		case d > 0:
			text += fmt.Sprintf("%s +%s, ", parts[i].name, d.Short())
		default:
			text += fmt.Sprintf("%s -%s, ", parts[i].name, (-d).Short())
		}
	}
	if text == "" {
		return "nothing differs"
	}
	return text[:len(text)-2]
}
