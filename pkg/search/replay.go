package search

import (
	"context"
	"errors"
	"sync"

	"dvmtools/pkg/program"
	"dvmtools/pkg/sim"
)

// mostSteps bounds how many steps of recorded simulations are kept for other
// machines, some hundred megabytes.
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

// run returns what [sim.Run] does.
func (r *recorder) run(ctx context.Context, cfg sim.Config) (*sim.Result, error) {
	r.mu.Lock()
	name := GridText(cfg.Grid)
	k := r.by[name]
	if k == nil {
		k = &recording{}
		r.by[name] = k
	}
	full := r.steps >= mostSteps
	r.mu.Unlock()
	var first *sim.Result
	if !full {
		k.once.Do(func() {
			was, err := sim.Record(ctx, cfg, r.prog.Source())
			if err != nil {
				return // on another machine it may be possible
			}
			r.mu.Lock()
			r.steps += was.Steps()
			r.mu.Unlock()
			k.was, first = was, was.Result
		})
	}
	if first != nil {
		return first, nil
	}
	if k.was != nil {
		if res, err := k.was.On(cfg.Machine); !errors.Is(err, sim.ErrPowers) {
			return res, err
		}
	}
	return sim.Run(ctx, cfg, r.prog.Source())
}
