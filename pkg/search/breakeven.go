package search

import (
	"context"
	"math"
	"sync"

	"dvmtools/pkg/machine"
)

// farthest is the largest factor by which a parameter is changed to find another
// best grid.
const farthest = 1024

// rungs are the factors at which grids are looked at first, each the double of the
// one before. nearby is how exactly a break-even is found.
const (
	rungs  = 10
	nearby = 1e-6
)

// breakEven writes the nearest values of a parameter on both sides at which another
// of the grids that were tried is better than the best.
func (s *state) breakEven(ctx context.Context, p machine.Variable) error {
	for _, dir := range []struct {
		name string
		sign float64
	}{{"more", 1}, {"less", -1}} {
		r := BreakEven{Record: "break_even", Parameter: p.Name, Value: p.Value, Direction: dir.name}
		l := &ladder{state: s, ctx: ctx, p: p, sign: dir.sign}
		x, g, err := l.nearest()
		if err != nil {
			return err
		}
		if g != nil {
			m, value, err := s.scaled(p, x)
			if err != nil {
				return err
			}
			o := s.on(ctx, m, g)
			if o.err != nil {
				return o.err
			}
			r.Factor, r.At, r.Grid, r.Processors, r.ExecutionTime = x, value, g.extents, g.n, &o.time
		}
		if err := s.enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// ladder looks for another best grid at growing distances from the machine, in one
// direction of a parameter.
type ladder struct {
	*state
	ctx  context.Context
	p    machine.Variable
	sign float64
}

// factor returns the factor of a rung, which may lie between whole ones.
func (l *ladder) factor(rung float64) float64 {
	return math.Pow(farthest, float64(l.sign*rung)/rungs)
}

// beaten returns which of the grids are better than the best grid on a rung; ok is
// false when the parameter cannot have that value.
func (l *ladder) beaten(list []*grid, rung float64) (better []*grid, ok bool, err error) {
	m, _, err := l.scaled(l.p, l.factor(rung))
	if err != nil {
		return nil, false, nil
	}
	cfg := l.cfg
	cfg.Machine = m
	scores := make([]score, len(list)+1)
	errs := make([]error, len(list)+1)
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, min(l.cfg.Threads, len(scores))) {
		wg.Go(func() {
			for i := range next {
				g := l.best
				if i < len(list) {
					g = list[i]
				}
				o := l.on(l.ctx, m, g)
				scores[i], errs[i] = cfg.score(o, g.n), o.err
			}
		})
	}
	for i := range scores {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, false, err
		}
		if i < len(list) && scores[i].compare(scores[len(list)]) < 0 {
			better = append(better, list[i])
		}
	}
	return better, true, nil
}

// nearest returns the factor nearest to 1 at which another grid is better, and the
// grid, nil when there is none. A grid that is better between two rungs only is not
// seen.
func (l *ladder) nearest() (factor float64, first *grid, err error) {
	var others []*grid
	for _, g := range l.tried {
		if g != l.best && g.out.known() {
			others = append(others, g)
		}
	}
	for rung := 1.0; rung <= rungs; rung++ {
		better, ok, err := l.beaten(others, rung)
		if err != nil || !ok {
			return 0, nil, err
		}
		if len(better) == 0 {
			continue
		}
		// At low none is better, at high those are that may be the first.
		low, high := rung-1, rung
		for math.Abs(l.factor(high)/l.factor(low)-1) > nearby {
			middle := (low + high) / 2
			at, _, err := l.beaten(better, middle)
			if err != nil {
				return 0, nil, err
			}
			if len(at) > 0 {
				high, better = middle, at
			} else {
				low = middle
			}
		}
		return l.factor(high), better[0], nil
	}
	return 0, nil, nil
}
