package oracle

import (
	"fmt"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
)

// A Cost says what an iteration costs relative to others of its loop, by the values
// of the loop's indices (docs/model.md#costs-of-iterations).
type Cost func(index []int) float64

// Costs are the costs of the iterations of a program's loops.
type Costs struct {
	// Of holds costs by the line of the loop's crtpl_.
	Of map[int]Cost
	// Traced is whether the times of the processes that were traced say what the
	// iterations of other loops cost.
	Traced bool
}

// onTracedGrid returns a simulation that tells which iterations each process
// executed; its times mean nothing.
func onTracedGrid(opts interval.Options, h *call.Header) (*engine, error) {
	grid := h.Runtime.Root()
	if n := product(grid); n != h.Runtime.Processors {
		return nil, fmt.Errorf("found times of %d processes on a grid of %d", h.Runtime.Processors, n)
	}
	m, err := machine.New(machine.NewCluster("traced", machine.Medium{Kind: machine.Ethernet, Channels: 1}, machine.Group{Count: MaxProcessors, Node: machine.NewProcessor("p", 1)}))
	if err != nil {
		return nil, err
	}
	e, err := newEngine(m, grid, opts, h)
	if err == nil {
		e.bare = true
	}
	return e, err
}

// costing adds the times of processes to d, if they say what iterations cost.
func costing[T ~float64](e *engine, d duration, times []T) duration {
	if e.traced != nil && len(times) > 0 {
		d.processes = seconds(times).each
	}
	return d
}

// price finds out what the iterations of the portion that a loop begins cost.
func (e *engine) price(l *loop) {
	o := l.portion
	o.iterations = len(l.iterations)
	switch {
	case l.cost != nil:
		o.costs = make([]float64, len(l.iterations))
		for _, mine := range o.pieces {
			for _, i := range mine {
				o.costs[i] = l.cost(l.iterations[i])
			}
		}
		if !slices.ContainsFunc(o.costs, func(x float64) bool { return x > 0 }) {
			o.costs = nil
		}
	case e.traced != nil && e.traced.inBody():
		o.traced = e.traced.loop.portion.pieces
	}
}

// costsBy returns what each iteration costs for time d, nil when all cost the
// same.
func (o *portion) costsBy(d duration) []float64 {
	if o.costs != nil || o.traced == nil || d.processes == nil {
		return o.costs
	}
	costs := make([]float64, o.iterations)
	some := false
	for p, mine := range o.traced {
		for _, i := range mine {
			if t := d.processes[p]; t > 0 {
				costs[i] += t / float64(len(mine))
				some = true
			}
		}
	}
	if !some {
		return nil
	}
	return costs
}

// spend divides t seconds of the traced machine among the iterations.
func (o *portion) spend(t float64, costs []float64) {
	if o.on == nil {
		o.on = make([]float64, len(costs))
	}
	for i, x := range costs {
		o.on[i] += float64(t*x) / total(costs)
	}
}

// part returns which part some pieces are of all, by their number when costs is
// nil. Pieces that nobody has cost nothing.
func (d *division) part(costs []float64, mine []int) float64 {
	if costs == nil {
		return float64(len(mine)) / float64(d.n)
	}
	return sum(costs, mine) / total(costs)
}

// partOf returns which part those are of mine by cost, or by number where mine
// cost nothing.
func partOf(costs []float64, those, mine []int) float64 {
	if costs == nil || sum(costs, mine) == 0 {
		return float64(len(those)) / float64(len(mine))
	}
	return sum(costs, those) / sum(costs, mine)
}

func sum(x []float64, those []int) float64 {
	s := 0.0
	for _, i := range those {
		s += x[i]
	}
	return s
}

func total(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
