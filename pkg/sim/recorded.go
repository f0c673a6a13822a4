package sim

import (
	"context"
	"errors"
	"math"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/schedule"
)

// Recorded is a simulation that can be replayed on other machines.
type Recorded struct {
	// Result is what the simulation found.
	Result   *Result
	schedule *schedule.Schedule
}

// ErrPowers is the error of a replay on processors of other powers when blocks
// follow the powers.
var ErrPowers = errors.New("blocks follow the powers of the processors, which differ from those of the recorded simulation")

// Record is [Run], and keeps what the simulation asked of its clocks. The POP
// metrics, which need a second simulation, and the limit are left out.
func Record(ctx context.Context, cfg Config, src call.Source) (*Recorded, error) {
	var r *schedule.Recorder
	cfg.POP, cfg.Timeline, cfg.Limit = false, false, 0
	cfg.NewClocks = func(c clock.Config) clock.Clocks {
		r = schedule.NewRecorder(c)
		return r
	}
	res, err := Run(ctx, cfg, src)
	if err != nil {
		return nil, err
	}
	return &Recorded{Result: res, schedule: r.Schedule()}, nil
}

// On returns what [Run] gives on another machine with the same grid and
// options, to the last bit, at a small part of the cost. It may be called
// several times at once.
func (r *Recorded) On(m *machine.Machine) (*Result, error) { return r.on(m, clock.New) }

// FiguresOn is On for what [RunFigures] gives, at less cost.
func (r *Recorded) FiguresOn(m *machine.Machine) (*Figures, error) {
	res, err := r.on(m, clock.NewBrief)
	if err != nil {
		return nil, err
	}
	return res.figures(), nil
}

// on replays on another machine, with clocks that are made by clocks.
func (r *Recorded) on(m *machine.Machine, clocks func(clock.Config) clock.Clocks) (*Result, error) {
	was := r.Result
	if err := CheckGrid(m, was.Grid); err != nil {
		return nil, err
	}
	p := int64(1)
	for _, n := range was.Grid {
		p *= int64(n)
	}
	if was.Options.Balance == options.Power && !slices.Equal(m.PowerRuns(p), was.Machine.PowerRuns(p)) {
		return nil, ErrPowers
	}
	books := clocks(clock.Config{Machine: m, Grid: was.Grid, Options: was.Options.Model})
	if err := r.schedule.Replay(books); err != nil {
		return nil, diag.Impossible(diag.Pos{File: was.tree.root.file, Line: was.tree.root.line}, "model/no-path", "%v", err)
	}
	res := *was
	res.Machine, res.books, res.nodes, res.classes, res.lines, res.explanation = m, books, nil, nil, nil, nil
	res.integrate()
	if err := res.check(); err != nil {
		return nil, err
	}
	return &res, nil
}

// check reports times beyond the range of numbers.
func (r *Result) check() error {
	for _, n := range r.nodes {
		if x := float64(n.ExecutionTime); math.IsNaN(x) || math.IsInf(x, 0) {
			return diag.New(diag.Pos{File: n.File, Line: n.Line}, "model/overflow", "the times of this interval add up beyond the range of numbers")
		}
	}
	return nil
}

// Steps returns how many questions to the clocks are replayed.
func (r *Recorded) Steps() int { return r.schedule.Len() }
