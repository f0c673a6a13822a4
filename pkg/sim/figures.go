package sim

import (
	"context"
	"math"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Figures are what grids and machines are compared by.
type Figures struct {
	ExecutionTime units.Seconds
	// Efficiency is that of the whole program.
	Efficiency float64
	Warnings   []*diag.Error
}

// RunFigures returns the figures of what [Run] finds, to the last bit, at less
// cost: nothing else is booked ([clock.NewBrief]). Lines, a timeline, the POP metrics
// and clocks of cfg are left out.
func RunFigures(ctx context.Context, cfg Config, src call.Source) (*Figures, error) {
	cfg.Lines, cfg.Timeline, cfg.POP, cfg.NewClocks, cfg.figuresOnly = false, false, false, clock.NewBrief, true
	r, err := Run(ctx, cfg, src)
	if err != nil {
		return nil, err
	}
	return r.figures()
}

// figures returns the figures of a result that has not been integrated. They are those
// that [Result.integrate] gives, which it is left to when they are beyond the range of
// numbers.
func (r *Result) figures() (*Figures, error) {
	sum, member := r.booked(r.tree.root)
	f := &Figures{Warnings: r.Warnings}
	n := int64(0)
	for i := range sum {
		if member[i] {
			f.ExecutionTime = max(f.ExecutionTime, sum[i].Execution())
			n += r.books.Class(i)
		}
	}
	var productive units.Seconds
	for i := range sum {
		if member[i] {
			c := &sum[i]
			own := c[interval.BookedCPU] - c[interval.BookedInsuffUSR] + (c[interval.BookedSYS] - c[interval.BookedInsuffSYS]) + c[interval.BookedIO]
			productive += scaled(own, float64(r.books.Class(i)))
		}
	}
	f.Efficiency = efficiency(productive, scaled(f.ExecutionTime, float64(n)))
	if x := float64(f.ExecutionTime); math.IsNaN(x) || math.IsInf(x, 0) {
		r.integrate()
		return f, r.check()
	}
	return f, nil
}

// booked returns what was booked to an interval and those in it, by classes, and which
// classes are members.
func (r *Result) booked(n *node) ([]clock.Counters, []bool) {
	sum := make([]clock.Counters, r.books.Classes())
	member := make([]bool, len(sum))
	for i := range sum {
		c, in := r.books.Counters(n.account, i)
		sum[i], member[i] = *c, in
	}
	for _, kid := range n.kids {
		below, in := r.booked(kid)
		for i := range below {
			sum[i].Add(&below[i])
			member[i] = member[i] || in[i]
		}
	}
	return sum, member
}
