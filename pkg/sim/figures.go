package sim

import (
	"context"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
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
	cfg.Lines, cfg.Timeline, cfg.POP, cfg.NewClocks = false, false, false, clock.NewBrief
	r, err := Run(ctx, cfg, src)
	if err != nil {
		return nil, err
	}
	return r.figures(), nil
}

func (r *Result) figures() *Figures {
	return &Figures{r.ExecutionTime(), r.nodes[0].Efficiency, r.Warnings}
}
