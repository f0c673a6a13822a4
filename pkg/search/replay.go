package search

import (
	"context"
	"errors"
	"sync"

	"dvmtools/pkg/program"
	"dvmtools/pkg/sim"
)

// mostSteps bounds how many steps of recorded simulations are kept for other
// machines, some hundred megabytes with timetables.
const mostSteps = 2_000_000

// A recorder simulates grids on several machines. It keeps what it simulated,
// as far as there is room, and replays it on the next machine, which gives the same
// bits (package schedule). It is safe for concurrent use.
type recorder struct {
	prog *program.Program

	mu    sync.Mutex
	by    map[string]*recording
	steps int
}

// recording is a grid that was simulated, or is being simulated.
type recording struct {
	once sync.Once
	was  *sim.Recorded // nil when it cannot be replayed
}

func newRecorder(prog *program.Program) *recorder {
	return &recorder{prog: prog, by: map[string]*recording{}}
}

// outcome simulates a grid, or replays what was recorded of it. main asks for the
// characteristics of the whole program.
func (r *recorder) outcome(ctx context.Context, cfg sim.Config, main bool) (*outcome, error) {
	was, first := r.recorded(ctx, cfg)
	switch {
	case first:
		return resultOutcome(was.Result), nil
	case was == nil:
	case main:
		if res, err := was.On(cfg.Machine); err == nil {
			return resultOutcome(res), nil
		} else if !errors.Is(err, sim.ErrPowers) {
			return nil, err
		}
	default:
		if f, err := was.FiguresOn(cfg.Machine); err == nil {
			return figuresOutcome(f), nil
		} else if !errors.Is(err, sim.ErrPowers) {
			return nil, err
		}
	}
	return simulate(ctx, cfg, r.prog, main)
}

// recorded returns the recording of a grid, nil when there is none, and whether it was
// made now, on the machine of cfg.
func (r *recorder) recorded(ctx context.Context, cfg sim.Config) (was *sim.Recorded, now bool) {
	r.mu.Lock()
	name := GridText(cfg.Grid)
	k := r.by[name]
	if k == nil {
		k = &recording{}
		r.by[name] = k
	}
	full := r.steps >= mostSteps
	r.mu.Unlock()
	if !full {
		k.once.Do(func() {
			was, err := sim.Record(ctx, cfg, r.prog.Source())
			if err != nil {
				return // on another machine it may be possible
			}
			r.mu.Lock()
			r.steps += was.Steps()
			r.mu.Unlock()
			k.was, now = was, true
		})
	}
	return k.was, now
}

// simulate simulates a grid. main asks for the characteristics of the whole program.
func simulate(ctx context.Context, cfg sim.Config, prog *program.Program, main bool) (*outcome, error) {
	if main {
		r, err := sim.Run(ctx, cfg, prog.Source())
		if err != nil {
			return nil, err
		}
		return resultOutcome(r), nil
	}
	f, err := sim.RunFigures(ctx, cfg, prog.Source())
	if err != nil {
		return nil, err
	}
	return figuresOutcome(f), nil
}

func resultOutcome(r *sim.Result) *outcome {
	main := &r.Intervals()[0]
	return &outcome{time: r.ExecutionTime(), efficiency: main.Efficiency, main: main.Times, warnings: r.Warnings}
}

func figuresOutcome(f *sim.Figures) *outcome {
	return &outcome{time: f.ExecutionTime, efficiency: f.Efficiency, warnings: f.Warnings}
}
