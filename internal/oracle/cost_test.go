package oracle_test

import (
	"errors"
	"flag"
	"slices"
	"testing"

	"dvmtools/internal/oracle"
	"dvmtools/internal/tracegen"
)

var costPrograms = flag.Int("oracle.costs", ordinary()/2, "compare `N` random programs whose iterations do not cost the same")

// useCosts gives the loops of a program costs, of which a third of the seeds have
// none from the user and a third none from the times of processes.
func (x *trial) useCosts(p *tracegen.Program) {
	x.opts.LoopCost, x.of = nil, oracle.Costs{Of: map[int]oracle.Cost{}}
	if x.costs%3 != 0 {
		for _, c := range tracegen.LoopCosts(p, x.costs) {
			x.opts.LoopCost = append(x.opts.LoopCost, c.Text)
			x.of.Of[c.Line] = c.Of
		}
	}
	if x.costs%3 != 1 && slices.ContainsFunc(p.Calls, func(c tracegen.Call) bool { return c.Own != nil }) {
		x.opts.LoopCost = append(x.opts.LoopCost, "traced")
		x.of.Traced = true
	}
}

// Programs whose iterations do not cost the same, by random expressions and by the
// times of the processes of a run on another grid.
func TestCosts(t *testing.T) {
	compared, refused, traced, given := 0, 0, 0, 0
	for i := range uint64(*costPrograms) {
		seed := *firstSeed + i
		o, x := programOptions(seed)
		o.Features &^= tracegen.OwnTimes
		p := tracegen.Generate(o)
		sections := slices.ContainsFunc(p.Calls, func(c tracegen.Call) bool { return c.Func == "crtps_" || c.Func == "psview_" })
		if i%3 == 2 && !sections { // other dimensions were cut
			p.Root = [][]int{{2, 2}, {3}, {2, 1, 2}, {2, 3}}[i/3%4]
		}
		tracegen.AddOwnTimes(p, seed)
		x.costs = seed
		diffs, err := x.program(p)
		if errors.Is(err, errRefused) {
			if !tooWide(err) {
				t.Errorf("seed %d, %v: a valid program is refused: %v", seed, x, err)
			}
			refused++
			continue
		}
		if errors.Is(err, oracle.ErrNotTraced) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, x, err)
		}
		if len(diffs) > 0 {
			report(t, x, seed, p, diffs)
			return
		}
		compared++
		x.useCosts(p)
		if x.of.Traced {
			traced++
		}
		if len(x.of.Of) > 0 {
			given++
		}
	}
	t.Logf("%d programs compared, %d with traced costs, %d with expressions; %d refused", compared, traced, given, refused)
	if compared*2 < *costPrograms || traced*3 < compared || given*3 < compared {
		t.Errorf("of %d programs %d were compared, %d with traced costs, %d with expressions", *costPrograms, compared, traced, given)
	}
}
