// Package search finds the best processor grid for a program by simulating it on
// many grids (docs/model.md#11-search).
package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/program"
	"dvmtools/pkg/units"
)

// The modes of a search (docs/model.md#11-search; R 5).
const (
	// Heuristic tries few grids.
	Heuristic = 1
	// NotBad tries every grid that is not bad, by growing numbers of
	// processors, until no larger number can be better.
	NotBad = 2
	// All tries every grid.
	All = 3
	// Compare searches as Heuristic and as NotBad.
	Compare = 5
)

// MaxProcessors bounds the number of processors of a search.
const MaxProcessors = 1_000_000

// DefaultThreshold is the default of [Config.Threshold] (R 5).
const DefaultThreshold = 0.0025

// Config says how to search.
type Config struct {
	Machine *machine.Machine
	Options interval.Options
	// Lenient makes handles that name nothing warnings, Strict makes the
	// first warning of a simulation an error that ends the search.
	Lenient, Strict bool
	// Warn, when set, gets every different warning of the simulations once.
	Warn func(*diag.Error)
	// Mode is [Heuristic], [NotBad], [All] or [Compare].
	Mode int
	// Max is the largest number of processors tried, at most the machine's.
	Max int
	// Rank is the rank of the grids, 0 for the highest possible, that of the
	// program's distributions.
	Rank int
	// Threads is how many simulations run at once; results do not depend on
	// it.
	Threads int
	// Objective is the quantity by which grids are compared, "" for [Time].
	// WholeNodes makes [Cost] count all processors of each node that is used.
	Objective  Objective
	WholeNodes bool
	// Limits are conditions on the best grid.
	Limits Limits
	// Threshold is the share by which a grid must be worse than the best of its
	// row for [Heuristic] to exclude the grids beyond it.
	Threshold float64
	// Explain adds explanations to the stream.
	Explain bool
	// Vary, when set, makes machines for Sensitivity and BreakEven. Sensitivity asks
	// how the time of the best grid depends on each parameter; BreakEven names
	// parameters of which the values are asked for at which another grid becomes
	// the best.
	Vary        Varier
	Sensitivity bool
	BreakEven   []string
	// Known, when set, holds the outcomes of all grids that are tried; those on other
	// machines are simulated.
	Known *Known
	// Limit, when set, derives the context of each search from that of Run;
	// [Compare] makes two searches. A search whose context ends early is
	// partial.
	Limit func(context.Context) (context.Context, context.CancelFunc)
	// Progress, when set, is called after every step with the number of grids
	// tried, the greatest number that may be tried, and the best so far.
	Progress func(tried, most int, best *Best)
}

// ErrNoGrid is the error of a search in which no grid could be simulated, or none
// is within the limits.
var ErrNoGrid = errors.New("no grid was found")

// Run searches and writes the stream to w. It returns the best grid.
func Run(ctx context.Context, cfg Config, prog *call.Recording, w io.Writer) (*Best, error) {
	s, err := begin(&cfg, prog, w)
	if err != nil {
		return nil, err
	}
	if err := s.enc.Encode(s.cfg.header(&s.shape, prog.Header().Source)); err != nil {
		return nil, err
	}
	if s.cfg.Vary != nil {
		s.recorder = newRecorder(s.prog)
	}
	best, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.vary(ctx); err != nil {
		return nil, err
	}
	return best, s.enc.Encode(s.end)
}

// begin checks a configuration and reads the program.
func begin(cfg *Config, prog *call.Recording, w io.Writer) (*state, error) {
	if cfg.Objective == "" {
		cfg.Objective = Time
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	shape, err := Read(prog, cfg.Options.Sections, cfg.Lenient)
	if err != nil {
		return nil, err
	}
	highest := len(shape.Extents)
	if cfg.Rank < 0 || cfg.Rank > highest {
		return nil, fmt.Errorf("the rank of the grids is %d, the program distributes along %d dimensions, expected 1 to %d", cfg.Rank, highest, highest)
	}
	if cfg.Rank > 0 {
		shape.Extents = shape.Extents[:cfg.Rank]
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &state{cfg: *cfg, shape: shape, prog: program.New(prog), enc: enc}, nil
}

func (c *Config) header(s *Shape, source []string) *Header {
	h := &Header{Record: "search", Version: Version, Machine: c.Machine.Description(), Mode: c.Mode, Objective: c.Objective,
		Rank: len(s.Extents), Extents: s.Extents, Source: source, Max: c.Max, Options: c.Options, WholeNodes: c.WholeNodes}
	if c.Mode == Heuristic || c.Mode == Compare {
		h.Threshold = &c.Threshold
	}
	if c.Limits.Efficiency > 0 {
		h.MinEfficiency = &c.Limits.Efficiency
	}
	if c.Limits.Deadline > 0 {
		h.Deadline = &c.Limits.Deadline
	}
	return h
}

// state is a whole search in progress.
type state struct {
	cfg   Config
	shape Shape
	prog  *program.Program
	enc   *json.Encoder
	tried []*grid // in the order of their first trial
	best  *grid   // of all
	end   End
	// point is the number of the machine in a sweep, 0 without one.
	point int
	// collect, when set, gets every outcome when it is taken.
	collect func(*grid, *outcome) error
	// recorder simulates when grids are tried on several machines, else nil.
	recorder *recorder
	failed   error           // why one of the grids could not be simulated
	warned   map[string]bool // texts of warnings that were given
}

// grid is a grid that may be tried.
type grid struct {
	extents []int
	n       int
	mark    float64
	// Set when it was tried.
	out   *outcome
	score score
}

// outcome is the result of the simulation of a grid.
type outcome struct {
	time       units.Seconds
	efficiency float64
	main       interval.Times // of the whole program, only for explanations
	warnings   []*diag.Error
	err        error
	// abandonedAt, when it is not 0, is the limit that the execution time exceeds;
	// nothing else is known then.
	abandonedAt units.Seconds
}

// known reports whether the simulation came to its end.
func (o *outcome) known() bool { return o.err == nil && o.abandonedAt == 0 }

// better reports whether g is better than h, which may be nil. Of equally good
// grids the first in the order of [Grids] is better.
func (g *grid) better(h *grid) bool {
	if h == nil {
		return true
	}
	if c := g.score.compare(h.score); c != 0 {
		return c < 0
	}
	return g.before(h)
}

// feasible reports whether g can be the best.
func (g *grid) feasible() bool { return g != nil && g.score.over == 0 }

func (g *grid) name() string { return fmt.Sprint(g.extents) }

// run searches in the mode of the configuration and writes the results, but not the
// end record.
func (s *state) run(ctx context.Context) (*Best, error) {
	s.end = End{Record: "end", Counts: Counts{Possible: countGrids(s.cfg.Max, len(s.shape.Extents))}}
	list := s.list()
	if s.cfg.Objective == Efficiency {
		s.end.Possible--
	}
	for _, g := range list {
		if g.mark > 0 {
			s.end.NotBad++
		}
	}
	modes := []int{s.cfg.Mode}
	if s.cfg.Mode == Compare {
		modes = []int{Heuristic, NotBad}
	}
	var passes []*pass
	for _, mode := range modes {
		p := &pass{state: s, mode: mode, list: list}
		if err := p.run(ctx); err != nil {
			return nil, err
		}
		passes = append(passes, p)
		s.end.Evaluated += p.evaluated
		s.end.Partial = s.end.Partial || p.partial
	}
	if !s.best.feasible() {
		return nil, s.nothing()
	}
	return s.write(passes)
}

// nothing returns the error of a search that found no grid.
func (s *state) nothing() error {
	switch {
	case s.best != nil && s.best.out.err == nil:
		return fmt.Errorf("%w: none that was tried keeps to the limits; the closest is %s with an execution time of %g s and an efficiency of %.4g", ErrNoGrid, GridText(s.best.extents), float64(s.best.out.time), s.best.out.efficiency)
	case s.failed != nil:
		return fmt.Errorf("%w: %w", ErrNoGrid, s.failed)
	case s.end.Partial:
		return fmt.Errorf("%w before the search was ended", ErrNoGrid)
	}
	return ErrNoGrid
}

// bestRecord returns the record of the best grid.
func (s *state) bestRecord() *Best {
	g := s.best
	return &Best{"best", s.point, g.extents, g.n, g.out.time, g.out.efficiency, s.costOf(g), s.cfg.Machine.Order()}
}

// costOf returns the cost of a grid, nil for other objectives.
func (s *state) costOf(g *grid) *float64 {
	if s.cfg.Objective != Cost {
		return nil
	}
	c := s.cfg.cost(g.out.time, g.n)
	return &c
}

// write writes the records after those of the candidates.
func (s *state) write(passes []*pass) (*Best, error) {
	if len(passes) > 1 {
		for _, p := range passes {
			if !p.best.feasible() {
				continue
			}
			g := p.best
			c := Comparison{"comparison", s.point, p.mode, g.extents, g.n, g.out.time, g.out.efficiency, behind(g.score, s.best.score), p.evaluated, p.partial}
			if err := s.enc.Encode(c); err != nil {
				return nil, err
			}
		}
	}
	for _, g := range s.front() {
		if err := s.enc.Encode(Point{"pareto", s.point, g.extents, g.n, g.out.time}); err != nil {
			return nil, err
		}
	}
	best := s.bestRecord()
	if err := s.enc.Encode(best); err != nil {
		return nil, err
	}
	if s.cfg.Explain {
		for _, e := range s.explain(passes) {
			if err := s.enc.Encode(e); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// behind returns by what share a is worse than b, which is at least as good.
func behind(a, b score) float64 {
	if a.value == b.value || b.value == 0 {
		return 0
	}
	return math.Max(0, (a.value-b.value)/b.value)
}
