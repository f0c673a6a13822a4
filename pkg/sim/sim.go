// Package sim simulates a program on a machine from the calls of its trace
// (model sections 1 to 9).
//
// For every call, in order:
//
//  1. the user's time before it passes on the processor system that is
//     current then;
//  2. the function does what it does: objects are created and mapped, clocks
//     are pulled together, exchanges are placed on the network;
//  3. the time inside it passes on the system that is current now.
//
// One handler per class of functions (package libdvm) says which of this
// differs from the ordinary. Handlers know neither the number of clocks nor
// the functions' names.
package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"dvmtools/pkg/call"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
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
	// NewClocks makes the clocks, nil for the usual ones.
	NewClocks func(grid []int, power []machine.PowerRun) Clocks
}

// Defaults returns the options that hold unless others are asked for
// (pipeline, dvmsim).
func Defaults() interval.Options {
	return interval.Options{Collectives: "flat", Across: "formula", Balance: "none", Async: "synced", Level: -1}
}

// Sim is a simulation in progress.
type Sim struct {
	cfg     Config
	objects *object.Table
	clocks  Clocks
	tree    *tree
	header  *call.Header

	warned  []*diag.Error
	unknown []*unknownFunc
	byName  map[string]*unknownFunc

	origin  origin // the first event of the trace
	flights []flight
	// idleLoads are loads of remote access buffers that had nothing to do
	// and await their wait.
	idleLoads []any
	// edges are the exchanges tied to the open loop's boundary iterations,
	// loopParts its time so far; keepBack says that it is passed at endpl_.
	edges     []boundary
	loopParts []loopPart
	keepBack  bool
	pipe      *pipe

	net   *comm.Network
	root  *traffic.Root
	known map[string]*comm.Load // by what groups' messages depend on
	key   []byte
	// spreads are partial results by the layout of what they belong to.
	spreads map[any][]partial

	explained   *explanation
	explanation []string

	io    bool   // between biof_ and eiof_
	after func() // what the handler does behind the call's own times
	// passRet, when a handler set it, passes the time inside the call.
	passRet func(units.Seconds)
}

// unknownFunc counts the calls of a function outside the table.
type unknownFunc struct {
	name  string
	taken string // what it is simulated as
	first diag.Pos
	count int64
}

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
	power := cfg.Machine.PowerRuns(p)
	s := &Sim{cfg: cfg, header: h, byName: map[string]*unknownFunc{}}
	oc := object.Config{Grid: cfg.Grid, Traced: h.Runtime.Root()}
	if cfg.Options.Balance == "power" {
		each := expand(power)
		oc.Power = func(sys *procs.System, k int) []float64 { return balance(each, sys, k) }
	}
	s.objects = object.New(oc)
	var co comm.Options
	if cfg.Options.Collectives == "tree" {
		co.Collectives = comm.Tree
	}
	s.net = comm.NewNetwork(cfg.Machine, cfg.Grid, co)
	s.root = traffic.NewRoot(cfg.Grid)
	newClocks := cfg.NewClocks
	if newClocks == nil {
		newClocks = NewClasses
	}
	s.clocks = newClocks(cfg.Grid, power)
	return s, nil
}

// expand returns the power of every processor.
func expand(runs []machine.PowerRun) []float64 {
	last := runs[len(runs)-1]
	power := make([]float64, 0, last.First+last.N)
	for _, r := range runs {
		for range r.N {
			power = append(power, r.Power)
		}
	}
	return power
}

// balance returns the load weights of the coordinates of dimension k of sys
// that follow the processors' powers: their mean over the other dimensions,
// divided by the largest (model section 4).
func balance(power []float64, sys *procs.System, k int) []float64 {
	w := make([]float64, sys.Grid[k])
	coords := make([]int, len(sys.Grid))
	n := sys.Size()
	for i := range n {
		sys.Coords(i, coords)
		w[coords[k]] += power[sys.Rank(i)]
	}
	most := 0.0
	for c := range w {
		w[c] /= float64(n / sys.Grid[k])
		most = max(most, w[c])
	}
	for c := range w {
		w[c] /= most
	}
	return w
}

// Run simulates all calls of src and returns the result. The error is a
// *diag.Error when the calls are at fault; it wraps [diag.ErrImpossible] when
// they cannot be simulated on this grid.
func Run(ctx context.Context, cfg Config, src call.Source) (*Result, error) {
	s, err := New(cfg, src.Header())
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if s.origin.file == "" {
			s.origin = originOf(c)
		}
		if c.Outside || src.Exit().Found {
			continue
		}
		if err := s.Step(c); err != nil {
			return nil, err
		}
	}
	return s.Finish(src.Exit())
}

// Step simulates one call.
func (s *Sim) Step(c *call.Call) error {
	if s.tree == nil {
		s.begins(originOf(c))
	}
	if !c.Listed() {
		s.noteUnknown(c)
	}
	if err := s.explain(c); err != nil {
		return err
	}
	defer s.endExplain()
	h := &handlers[c.Class()]
	s.after, s.passRet = nil, nil
	if s.io {
		return s.stepIO(c, h)
	}
	if !h.ownCall && c.CallTime != 0 {
		s.user(s.objects.Current(), c.CallTime)
	}
	if h.run != nil {
		ordinary, err := s.handle(c, h)
		if err != nil {
			return err
		}
		if ordinary {
			if h.ownCall && c.CallTime != 0 {
				s.user(s.objects.Current(), c.CallTime)
			}
			h = &handlers[libdvm.Ordinary]
			s.after, s.passRet = nil, nil
		}
	}
	switch {
	case h.ownRet || c.RetTime == 0:
	case s.passRet != nil:
		s.passRet(c.RetTime)
	default:
		s.system(s.objects.Current(), c.RetTime)
	}
	if s.after != nil {
		s.after()
	}
	return nil
}

// begins opens the main interval, at the first event of the trace or, when
// that was not seen, at the given place.
func (s *Sim) begins(at origin) {
	if s.origin.file != "" {
		at = s.origin
	}
	s.tree = newTree(at.file, at.line, -1)
	s.enter(s.tree.root)
}

// handle runs a handler; with Lenient a handle that names nothing only warns,
// and the call is an ordinary one.
func (s *Sim) handle(c *call.Call, h *handler) (ordinary bool, err error) {
	err = h.run(s, c)
	if err == nil || !s.cfg.Lenient {
		return false, err
	}
	if !object.IsHandleError(err) {
		return false, err
	}
	e, _ := errors.AsType[*diag.Error](err)
	w := *e
	w.Severity = diag.SeverityWarning
	w.Msg += "; simulated as an ordinary function"
	s.warned = append(s.warned, &w)
	return true, nil
}

// user passes t of user time on the processors of sys alike: every one does
// the same, all but one of them in vain (model section 2, base).
func (s *Sim) user(sys *procs.System, t units.Seconds) {
	s.sayBase("user time before the call", t, sys)
	s.clocks.AddAll(sys, Amount{User: t, UserTwice: inVain(int64(sys.Size()))})
}

// system passes t of the run-time system's time on the processors of sys.
func (s *Sim) system(sys *procs.System, t units.Seconds) {
	s.sayBase("time inside the call", t, sys)
	s.clocks.AddAll(sys, Amount{System: t, SystemTwice: inVain(int64(sys.Size()))})
}

// inVain is the share of work that n processors do alike which one of them
// would have done alone: (n-1)/n.
func inVain(n int64) float64 {
	if n <= 1 {
		return 0
	}
	return float64(n-1) / float64(n)
}

func (s *Sim) noteUnknown(c *call.Call) {
	u := s.byName[c.Func]
	if u == nil {
		u = &unknownFunc{name: c.Func, taken: c.TakenFor(), first: c.Pos}
		s.byName[c.Func] = u
		s.unknown = append(s.unknown, u)
	}
	u.count++
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
		s.begins(origin{file: e.File, line: e.Line})
	}
	if e.Time != 0 {
		s.user(s.objects.Current(), e.Time)
	}
	for i := range s.edges {
		if b := &s.edges[i]; b.first {
			s.warned = append(s.warned, diag.Warn(b.call.Pos, "model/no-wait", "%s: its loop did not end; the exchange is left out", originOf(&b.call)))
		}
	}
	s.landAll()
	r := &Result{Grid: s.cfg.Grid, Options: s.cfg.Options, Machine: s.cfg.Machine, Source: s.header.Source, tree: s.tree, clocks: s.clocks, explanation: s.explanation}
	r.Warnings = append(r.Warnings, s.objects.Warnings()...)
	r.Warnings = append(r.Warnings, s.warned...)
	for _, u := range s.unknown {
		r.Warnings = append(r.Warnings, diag.Warn(u.first, "model/unknown", "unknown function %s%s; simulated as %s, %d times in all", u.name, diag.DidYouMean(u.name, libdvm.Names()), u.taken, u.count))
	}
	if s.cfg.Strict && len(r.Warnings) > 0 {
		return nil, StrictError(r.Warnings[0])
	}
	r.integrate()
	for _, n := range r.nodes {
		if x := float64(n.ExecutionTime); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, diag.New(diag.Pos{File: n.File, Line: n.Line}, "model/overflow", "the times of this interval add up beyond the range of numbers")
		}
	}
	return r, nil
}
