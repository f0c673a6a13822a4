package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// Version is the version of the search stream's records.
const Version = 1

// The modes of a search (docs/model.md#11-search).
const (
	// NotBad tries every grid that is not bad, by growing numbers of
	// processors.
	NotBad = 2
	// All tries every grid.
	All = 3
)

// MaxProcessors bounds the number of processors of a search.
const MaxProcessors = 1_000_000

// Config says what is searched.
type Config struct {
	Machine *machine.Machine
	Options interval.Options
	// Lenient makes handles that name nothing warnings, Strict makes the
	// first warning of a simulation an error that ends the search.
	Lenient, Strict bool
	// Warn, when set, is told of every different warning of the simulations.
	Warn func(*diag.Error)
	// Mode is [NotBad] or [All].
	Mode int
	// Max is the largest number of processors tried, at most the machine's.
	Max int
	// Threads is how many simulations run at once; results do not depend on
	// it.
	Threads int
}

// Header is the first record of a search stream.
type Header struct {
	Record    string              `json:"record"`
	Version   int                 `json:"version"`
	Machine   machine.Description `json:"machine"`
	Mode      int                 `json:"mode"`
	Objective string              `json:"objective"`
	Rank      int                 `json:"rank"`
	Extents   []int64             `json:"extents"`
	Source    []string            `json:"source"`
}

// Candidate is a grid that was tried.
type Candidate struct {
	Record        string         `json:"record"`
	Grid          []int          `json:"grid"`
	Processors    int            `json:"processors"`
	Mark          float64        `json:"mark"`
	Step          int            `json:"step"`
	ExecutionTime *units.Seconds `json:"execution_time,omitempty"`
	Efficiency    *float64       `json:"efficiency,omitempty"`
	Error         string         `json:"error,omitempty"`
}

// Point is a grid of the Pareto front: no grid with as many processors or
// fewer is faster.
type Point struct {
	Record        string        `json:"record"`
	Grid          []int         `json:"grid"`
	Processors    int           `json:"processors"`
	ExecutionTime units.Seconds `json:"execution_time"`
}

// Best is the grid that the search found.
type Best struct {
	Record        string        `json:"record"`
	Grid          []int         `json:"grid"`
	Processors    int           `json:"processors"`
	ExecutionTime units.Seconds `json:"execution_time"`
	Efficiency    float64       `json:"efficiency"`
}

// End is the last record of a search stream.
type End struct {
	Record    string `json:"record"`
	Evaluated int    `json:"evaluated"`
	NotBad    int    `json:"not_bad"`
	Possible  int64  `json:"possible"`
}

// ErrNoGrid is the error of a search in which no grid could be simulated.
var ErrNoGrid = errors.New("no grid could be simulated")

// Run searches and writes the stream to w. It returns the best grid.
func Run(ctx context.Context, cfg Config, prog *call.Recording, w io.Writer) (*Best, error) {
	shape, err := Read(prog, cfg.Options.Sections, cfg.Lenient)
	if err != nil {
		return nil, err
	}
	if cfg.Max < 1 || cfg.Max > MaxProcessors || int64(cfg.Max) > cfg.Machine.Processors() {
		return nil, fmt.Errorf("a search over up to %d processors is not possible, expected 1 to %d", cfg.Max, min(cfg.Machine.Processors(), MaxProcessors))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	rank := len(shape.Extents)
	if err := enc.Encode(Header{"search", Version, cfg.Machine.Description(), cfg.Mode, "time", rank, shape.Extents, prog.Header().Source}); err != nil {
		return nil, err
	}
	s := &state{cfg: cfg, prog: prog, enc: enc}
	end := End{Record: "end", Possible: countGrids(cfg.Max, rank)}
	// No grid is faster than what every processor does alike, on the
	// fastest processor.
	floor := shape.Alike / units.Seconds(cfg.Machine.MaxPower(int64(cfg.Max)))
	var batch []Candidate
	for n := 1; n <= cfg.Max; n++ {
		Grids(n, rank, func(grid []int) {
			mark := Mark(grid, shape.Extents)
			if mark > 0 {
				end.NotBad++
			}
			if mark > 0 || cfg.Mode == All {
				batch = append(batch, Candidate{Record: "candidate", Grid: slices.Clone(grid), Processors: n, Mark: mark})
			}
		})
		if len(batch) >= 64 || n == cfg.Max {
			if cfg.Mode == All || s.best == nil || s.best.ExecutionTime > floor {
				if err := s.try(ctx, batch); err != nil {
					return nil, err
				}
			}
			batch = batch[:0]
		}
	}
	if s.best == nil {
		if s.failed != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoGrid, s.failed)
		}
		return nil, ErrNoGrid
	}
	for _, p := range s.front {
		if err := enc.Encode(p); err != nil {
			return nil, err
		}
	}
	if err := enc.Encode(s.best); err != nil {
		return nil, err
	}
	end.Evaluated = s.evaluated
	return s.best, enc.Encode(end)
}

// state is a search in progress.
type state struct {
	cfg       Config
	prog      *call.Recording
	enc       *json.Encoder
	best      *Best
	front     []Point
	evaluated int
	step      int
	failed    error
	warned    map[string]bool // texts of warnings that were given
}

// outcome is what the simulation of one candidate gave.
type outcome struct {
	time       units.Seconds
	efficiency float64
	warnings   []*diag.Error
	err        error
}

// try simulates the candidates, at most Threads at once, and takes their
// results in order. Candidates must come by growing numbers of processors.
func (s *state) try(ctx context.Context, cs []Candidate) error {
	outcomes := make([]outcome, len(cs))
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, min(s.cfg.Threads, len(cs))) {
		wg.Go(func() {
			for i := range next {
				outcomes[i] = s.simulate(ctx, cs[i].Grid)
			}
		})
	}
	for i := range cs {
		next <- i
	}
	close(next)
	wg.Wait()
	for i := range cs {
		if err := s.take(&cs[i], outcomes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) simulate(ctx context.Context, grid []int) outcome {
	r, err := sim.Run(ctx, sim.Config{Machine: s.cfg.Machine, Grid: grid, Options: s.cfg.Options, Lenient: s.cfg.Lenient}, s.prog.Source())
	if err != nil {
		return outcome{err: err}
	}
	return outcome{time: r.ExecutionTime(), efficiency: r.Intervals()[0].Efficiency, warnings: r.Warnings}
}

// warn passes on the warnings of a simulation that were not given before.
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

// take records a candidate's outcome. One that cannot be simulated is
// recorded with its error; any other error ends the search.
func (s *state) take(c *Candidate, o outcome) error {
	s.step++
	c.Step = s.step
	s.evaluated++
	if o.err != nil {
		if !errors.Is(o.err, diag.ErrImpossible) {
			return o.err
		}
		s.failed = o.err
		c.Error = o.err.Error()
		return s.enc.Encode(c)
	}
	if err := s.warn(o.warnings); err != nil {
		return err
	}
	c.ExecutionTime, c.Efficiency = &o.time, &o.efficiency
	// Among grids of equal time the one that came first has the fewest
	// processors.
	if s.best == nil || o.time < s.best.ExecutionTime {
		s.best = &Best{"best", c.Grid, c.Processors, o.time, o.efficiency}
		p := Point{"pareto", c.Grid, c.Processors, o.time}
		if n := len(s.front); n > 0 && s.front[n-1].Processors == c.Processors {
			s.front[n-1] = p
		} else {
			s.front = append(s.front, p)
		}
	}
	return s.enc.Encode(c)
}
