package search

import (
	"context"
	"errors"
	"sync"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// pass is one search in one mode over a list of grids.
type pass struct {
	*state
	mode  int
	list  []*grid
	best  *grid         // of this search
	seen  map[*grid]int // the steps that tried them, from 1
	order []*grid       // the same in the order of their trial, in mode 1
	// estimator and known are for features, the latter by the place in list.
	estimator *estimator
	known     []*features
	// distance is what measure works out from the first measured of order.
	distance  []float64
	measured  int
	evaluated int
	steps     int
	partial   bool
	// descent is how many grids were tried by descend at the end of the search;
	// stale is the best grid before it.
	descent int
	stale   *grid
	ended   *Bound
}

// run searches.
func (p *pass) run(ctx context.Context) error {
	own := ctx
	if p.cfg.Limit != nil {
		var cancel context.CancelFunc
		own, cancel = p.cfg.Limit(ctx)
		defer cancel()
	}
	p.seen = map[*grid]int{}
	var err error
	if p.mode == Heuristic {
		err = p.heuristic(own)
	} else {
		err = p.growing(own)
	}
	if ctx.Err() == nil && own.Err() != nil && errors.Is(err, own.Err()) {
		p.partial, err = true, nil
	}
	return err
}

// least is the least number of grids in a batch of a search by growing processors,
// so that there is work for several threads.
const least = 16

// growing tries the grids of the list in order and stops when no later one can be
// better.
func (p *pass) growing(ctx context.Context) error {
	var floor []float64
	if p.mode == NotBad {
		floor = p.suffix(p.list)
	}
	for at := 0; at < len(p.list); {
		n := p.list[at].n
		if floor != nil && p.best.feasible() && floor[n] > 0 && floor[n] >= p.best.score.value {
			p.ended = &Bound{Processors: n, Value: floor[n]}
			p.end.Bound = p.ended
			return nil
		}
		to := at
		for to < len(p.list) && (to-at < least || p.list[to].n == p.list[to-1].n) {
			to++
		}
		for i := at; i < to; {
			j := i
			for j < to && p.list[j].n == p.list[i].n {
				j++
			}
			p.steps++
			for _, g := range p.list[i:j] {
				p.seen[g] = p.steps
			}
			i = j
		}
		if err := p.try(ctx, p.list[at:to], len(p.list)); err != nil {
			return err
		}
		at = to
	}
	return nil
}

// step tries grids as one step and reports whether the best became better.
func (p *pass) step(ctx context.Context, list []*grid) (bool, error) {
	p.steps++
	for _, g := range list {
		p.seen[g] = p.steps
	}
	p.order = append(p.order, list...)
	was := p.best
	err := p.try(ctx, list, max(p.most(), p.evaluated+len(list)))
	return p.best != was, err
}

// try simulates the grids that were not yet, at most Threads at once, and
// takes the results in the order of the list; most is how many grids there are
func (p *pass) try(ctx context.Context, list []*grid, most int) error {
	outcomes := make([]*outcome, len(list))
	limits := p.limits()
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, min(p.cfg.Threads, len(list))) {
		wg.Go(func() {
			for i := range next {
				if outcomes[i] = list[i].out; outcomes[i] == nil {
					outcomes[i] = p.simulate(ctx, list[i].extents, limits.of(list[i].n))
				}
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, g := range list {
		if err := p.take(g, outcomes[i]); err != nil {
			return err
		}
	}
	if p.cfg.Progress != nil && p.state.best.feasible() {
		p.cfg.Progress(p.evaluated, most, p.bestRecord())
	}
	return ctx.Err()
}

// simulate simulates a grid. Beyond limit, when it is not 0, it is given up.
func (s *state) simulate(ctx context.Context, extents []int, limit units.Seconds) *outcome {
	if ctx.Err() != nil {
		return &outcome{err: ctx.Err()}
	}
	if s.cfg.Known != nil {
		return s.cfg.Known.outcome(s.point, extents)
	}
	cfg := sim.Config{Machine: s.cfg.Machine, Grid: extents, Options: s.cfg.Options, Lenient: s.cfg.Lenient}
	var o *outcome
	var err error
	if s.recorder != nil {
		o, err = s.recorder.outcome(ctx, cfg, s.cfg.Explain)
	} else {
		cfg.Limit = limit
		o, err = simulate(ctx, cfg, s.prog, s.cfg.Explain)
	}
	// One that is slower is given up whether or not that was seen before its end.
	if errors.Is(err, sim.ErrAbandoned) || err == nil && limit > 0 && o.time > limit {
		return &outcome{abandonedAt: limit}
	}
	if err != nil {
		return &outcome{err: err}
	}
	return o
}

// take records the outcome of a grid. One that cannot be simulated is recorded
// with its error; any other error ends the search.
func (p *pass) take(g *grid, o *outcome) error {
	if o.err != nil && !errors.Is(o.err, diag.ErrImpossible) {
		return o.err
	}
	if g.out == nil {
		g.out, g.score = o, p.cfg.score(o, g.n)
		p.tried = append(p.tried, g)
		if p.collect != nil {
			if err := p.collect(g, o); err != nil {
				return err
			}
		}
		if err := p.warn(o.warnings); err != nil {
			return err
		}
	}
	p.evaluated++
	c := Candidate{Record: "candidate", Point: p.point, Grid: g.extents, Processors: g.n, Mark: g.mark, Step: p.seen[g]}
	if p.cfg.Mode == Compare {
		c.Mode = p.mode
	}
	if o.err != nil {
		p.failed = o.err
		c.Error = o.err.Error()
		return p.enc.Encode(c)
	}
	if o.abandonedAt > 0 {
		c.AbandonedAt = &o.abandonedAt
		return p.enc.Encode(c)
	}
	if g.better(p.best) {
		p.best = g
	}
	if g.better(p.state.best) {
		p.state.best = g
	}
	c.ExecutionTime, c.Efficiency, c.Cost = &o.time, &o.efficiency, p.costOf(g)
	return p.enc.Encode(c)
}

// warn passes on the warnings of a simulation that are new.
func (s *state) warn(list []*diag.Error) error {
	for _, w := range list {
		if s.cfg.Strict {
			return sim.StrictError(w)
		}
		text := w.Error()
		if s.cfg.Warn == nil || s.warned[text] {
			continue
		}
		if s.warned == nil {
			s.warned = map[string]bool{}
		}
		s.warned[text] = true
		s.cfg.Warn(w)
	}
	return nil
}
