// Package sim simulates a program on a machine from the calls of its trace
// (docs/model.md).
//
// For every call, in order:
//
//  1. the user's time before it passes on the processor system that is
//     current then;
//  2. the function does what it does: objects are created and mapped, clocks
//     are pulled together, exchanges are placed on the network;
//  3. the time inside it passes on the system that is current now.
//
// In the body of a parallel loop 1 and 3 are the work of its iterations and
// pass on their owners.
//
// One handler per class of functions (package libdvm) does step 2, and returns
// what is to differ from the ordinary in step 3. Handlers know neither the
// functions' names nor the number of clocks nor a time: they ask the clocks
// (package clock).
package sim

import (
	"context"
	"errors"
	"fmt"
	"io"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/object"
	"dvmtools/pkg/options"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/program"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// Config is what a simulation needs beside the calls.
type Config struct {
	Machine *machine.Machine
	// Grid is the processor grid; its product must not exceed the machine.
	Grid []int
	// Options are the choices of the model; the zero value is the default.
	Options interval.Options
	// Strict makes the first warning an error.
	Strict bool
	// Explain names a call whose cost is explained, nil for none.
	Explain *Wanted
	// Lenient makes handles that name nothing warnings.
	Lenient bool
	// OwnTimes gives every processor the times of its process, where the calls
	// keep them and the grid is the one that was traced
	// (docs/model.md#own-times).
	OwnTimes bool
	// Lines books everything to the lines of the source as well
	// (docs/model.md#lines).
	Lines bool
	// POP simulates the calls a second time, on a network on which messages
	// take no time, and gives intervals the POP metrics
	// (docs/model.md#pop-metrics).
	POP bool
	// Timeline takes note of what processors do when ([Result.Spans]).
	Timeline bool
	// Limit, when it is not 0, is the execution time beyond which the simulation is
	// not of interest: it ends with [ErrAbandoned] when an operation of several
	// processors starts later, and the execution time is longer then.
	Limit units.Seconds
	// NewClocks makes the clocks, nil for the usual ones ([clock.New]).
	NewClocks func(clock.Config) clock.Clocks

	// figuresOnly leaves the result to [Result.figures].
	figuresOnly bool
}

// Defaults returns the options that hold unless others are asked for
// (docs/model.md#12-options).
func Defaults() interval.Options {
	return interval.Options{Model: options.Defaults(), Level: -1}
}

// Sim is a simulation in progress.
type Sim struct {
	cfg     Config
	header  *call.Header
	objects *object.Table
	clocks  clock.Clocks
	tree    *tree
	first   site          // the first event of the trace
	startup units.Seconds // before the first call
	notes   notes

	messages messages
	flights  flights
	loop     openLoop
	own      ownTimes
	costs    *loopCosts      // nil when iterations of a loop all cost the same
	measured *measured       // when the run is measured, not predicted
	timeline *clock.Timeline // nil when it is not wanted
	lines    *lineBook       // nil when lines are not wanted
	ideal    *Sim            // on the ideal network, nil when that is not wanted
	inIO     bool            // between biof_ and eiof_
	over     bool            // the limit is exceeded
	repeats  repeats
	block    *block // nil when the time step at hand is simulated call by call
	passed   int64  // time steps that blocks passed
	found    found  // for the call at hand
	// shared is what redundantOf returned last, and for which system.
	shared struct {
		sys       *procs.System
		redundant float64
	}

	explained   *explanation // of the call being simulated
	explanation []string
}

// ErrAbandoned is the error of a simulation whose execution time is longer than
// [Config.Limit].
var ErrAbandoned = errors.New("the execution time is longer than the limit")

// ErrTooSmall is the error of a grid with more processors than the machine.
var ErrTooSmall = errors.New("the machine is too small")

// Bounds of grids. Memory grows with the coordinates of a dimension, not with
// the processors.
const (
	maxProcessors  = 1 << 30
	maxCoordinates = 1 << 22
)

// CheckGrid reports whether grid can be simulated on m; the error says why
// not.
func CheckGrid(m *machine.Machine, grid []int) error {
	if len(grid) == 0 {
		return errors.New("the grid has no dimensions, expected extents like 4x4")
	}
	p := int64(1)
	for _, n := range grid {
		if n < 1 {
			return fmt.Errorf("a grid extent is %d, expected at least 1", n)
		}
		if n > maxCoordinates {
			return fmt.Errorf("a grid extent is %d, expected at most %d in one dimension; use more dimensions", n, maxCoordinates)
		}
		if p *= int64(n); p > maxProcessors {
			return fmt.Errorf("the grid has more than %d processors", maxProcessors)
		}
	}
	if have := m.Processors(); p > have {
		if m.Network != nil {
			return fmt.Errorf("%w: the grid needs %d processors, topology %d of %s has %d", ErrTooSmall, p, m.Network.ID, m.Name, have)
		}
		return fmt.Errorf("%w: the grid needs %d processors, %s has %d", ErrTooSmall, p, m.Name, have)
	}
	return nil
}

// New returns a simulation of a program whose stream of calls has the given
// header.
func New(cfg Config, h *call.Header) (*Sim, error) {
	if err := CheckGrid(cfg.Machine, cfg.Grid); err != nil {
		return nil, err
	}
	p := int64(1)
	for _, n := range cfg.Grid {
		p *= int64(n)
	}
	s := &Sim{cfg: cfg, header: h}
	if cfg.Lines {
		s.lines = &lineBook{}
	}
	oc := object.Config{Grid: cfg.Grid, Traced: h.Runtime.Root()}
	if text := cfg.Options.Sections; text != "" {
		var err error
		if oc.Sections, err = procs.ParseGiven(text); err != nil {
			return nil, fmt.Errorf("sections: %w", err)
		}
	}
	var err error
	if s.costs, err = newLoopCosts(cfg.Options.LoopCost, h, oc.Sections); err != nil {
		return nil, err
	}
	if cfg.Options.Balance == options.Power {
		each := machine.Powers(cfg.Machine.PowerRuns(p))
		oc.Power = func(sys *procs.System, k int) []float64 { return balance(each, sys, k) }
	}
	s.objects = object.New(oc)
	s.messages.root = traffic.NewRoot(cfg.Grid)
	if cfg.Timeline {
		s.timeline = &clock.Timeline{}
	}
	cc := clock.Config{Timeline: s.timeline, Machine: cfg.Machine, Grid: cfg.Grid, Options: cfg.Options.Model}
	if cfg.NewClocks == nil {
		s.clocks = clock.New(cc)
	} else {
		s.clocks = cfg.NewClocks(cc)
	}
	return s, nil
}

// Run simulates all calls of src and returns the result. The error is a
// *diag.Error when the calls are at fault; it wraps [diag.ErrImpossible] when
// they cannot be simulated on this grid.
func Run(ctx context.Context, cfg Config, src call.Source) (*Result, error) {
	s, err := New(cfg, src.Header())
	if err != nil {
		return nil, err
	}
	if cfg.POP {
		if s.ideal, err = newIdeal(cfg, src.Header()); err != nil {
			return nil, err
		}
	}
	s.notes.warnLone(src.Header())
	return s.run(ctx, src)
}

// looks is how many calls are simulated before the context is looked at again.
const looks = 16

// run takes all calls of src.
func (s *Sim) run(ctx context.Context, src call.Source) (*Result, error) {
	src, again := s.source(src)
	for n := 0; ; n++ {
		if n%looks == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if again != nil {
			if err := s.passSteps(ctx, again); err != nil {
				return nil, err
			}
			s.passLike(again)
		}
		c, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if s.first.file == "" {
			s.first = callSite(c)
			if s.ideal != nil {
				s.ideal.first = s.first
			}
		}
		if c.Outside || src.Exit().Found {
			continue
		}
		if again != nil {
			place := again.Place()
			s.at(place)
			if s.ideal != nil {
				s.ideal.at(place)
			}
			if place.Turn == program.Second && place.At == 0 {
				s.openBlock()
			}
		}
		if err := s.Step(c); err != nil {
			return nil, err
		}
		if s.ideal != nil {
			if err := s.ideal.Step(c); err != nil {
				return nil, err
			}
		}
	}
	r, err := s.Finish(src.Exit())
	if err != nil || s.ideal == nil {
		return r, err
	}
	ideal, err := s.ideal.Finish(src.Exit())
	if err != nil {
		return nil, err
	}
	r.addPOP(ideal)
	return r, nil
}

// begins opens the main interval, at the first event of the trace or, when
// that was not seen, at the given place.
func (s *Sim) begins(at site) {
	if s.first.file != "" {
		at = s.first
	}
	s.tree = newTree(at.file, at.line)
	if s.lines != nil {
		// What passes at the begin belongs to the first line.
		s.reach(lineKey{file: at.file, line: at.line})
	}
	s.enter(s.tree.root)
}

// StrictError returns a warning as the error that it is when no warnings are
// wanted; it wraps [diag.ErrImpossible].
func StrictError(w *diag.Error) error {
	e := *w
	e.Severity, e.Err = diag.SeverityError, diag.ErrImpossible
	return &e
}

// Finish ends the program and returns the result.
func (s *Sim) Finish(e *call.Exit) (*Result, error) {
	if s.tree == nil {
		s.begins(site{file: e.File, line: e.Line})
	}
	if s.lines != nil {
		s.reach(lineKey{file: e.File, line: e.Line})
	}
	last, err := s.beforeEnd(e)
	if err != nil {
		return nil, err
	}
	s.user(last)
	if err := s.objects.UnusedSections(); err != nil {
		return nil, err
	}
	if err := s.costs.unusedCosts(); err != nil {
		return nil, err
	}
	s.closeBlock()
	s.abandonLoop()
	s.completeAll()
	if err := s.clocks.Err(); err != nil {
		return nil, diag.Impossible(diag.Pos{File: e.File, Line: e.Line}, "model/no-path", "the end of the program: %v", err)
	}
	r := &Result{Grid: s.cfg.Grid, Options: s.cfg.Options, Machine: s.cfg.Machine, Source: s.header.Source, startup: s.startup, tree: s.tree, books: s.clocks, explanation: s.explanation}
	if s.own.use && s.measured == nil {
		r.Options.OwnTimes = s.header.Runtime.Processors
	}
	r.withLines = s.lines != nil
	r.Warnings = append(r.Warnings, s.objects.Warnings()...)
	r.Warnings = append(r.Warnings, s.notes.all()...)
	if s.cfg.Strict && len(r.Warnings) > 0 {
		return nil, StrictError(r.Warnings[0])
	}
	r.timeline = s.timeline
	if s.cfg.figuresOnly {
		return r, nil
	}
	r.integrate()
	if err := r.check(); err != nil {
		return nil, err
	}
	return r, nil
}
