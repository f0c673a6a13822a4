// Package oracle is a slow, plain simulation. Tests compare pkg/sim with it; only
// tests import it.
//
// It is written from the model alone and shares no code with the simulation:
// nothing of pkg/layout, pkg/object, pkg/traffic, pkg/comm or pkg/sim. Every
// processor has its own clock and counters; every element of an array has the
// set of its owners; an exchange is a list of messages, each of which is placed on
// a channel; a pipeline is computed quantum by quantum. There are no closed
// forms, so that each paragraph of the model can be found here as it stands.
// Programs must be small: at most 64 processors.
package oracle

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
)

// MaxProcessors is the most processors that a grid may have.
const MaxProcessors = 64

// ErrImpossible is the error of a valid program that cannot run on this grid,
// because a shadow edge is wider than a block.
var ErrImpossible = errors.New("the program cannot run on this grid")

// ErrNotTraced is the error of a program that cannot have run on the grid that it
// says it was traced on.
var ErrNotTraced = errors.New("the program cannot have run on the grid that was traced")

// Result is the result of Run. Processors[i][p] are the characteristics of
// processor p in Intervals[i]; In[i][p] is whether p belongs to that interval.
type Result struct {
	Intervals  []interval.Interval
	Processors [][]interval.Times
	In         [][]bool
}

// A set is a set of processors by their numbers in the root system.
type set uint64

func (s set) has(p int) bool { return s>>uint(p)&1 != 0 }
func (s set) size() int      { return bits.OnesCount64(uint64(s)) }
func only(p int) set         { return 1 << uint(p) }

// each lists the members in ascending order.
func (s set) each() []int {
	var all []int
	for p := range MaxProcessors {
		if s.has(p) {
			all = append(all, p)
		}
	}
	return all
}

// engine is a simulation in progress.
type engine struct {
	m     *machine.Machine
	grid  []int
	opts  interval.Options
	power []float64

	clock   []float64
	network network
	objects map[uint64]any
	headers map[uint64]any
	copies  map[uint64]*exchange
	open    []*exchange // started and not yet waited for
	root    *system
	rootAM  *abstractMachine
	stack   []*abstractMachine
	main    *node
	at      *node
	// collectives counts the collective operations that started or ended so far.
	collectives int
	loop        *loop // the open loop
	lastLoop    *loop // the last one that was mapped
	inIO        bool
	own         bool     // the own times of the trace hold
	within      duration // the time inside the call at hand
	shortest    bool     // it is the shortest of all processes
	costs       Costs
	traced      *engine // on the grid that was traced, nil when that is not needed
	bare        bool    // no edges are exchanged
	longSize    int
	// stated are the sections that the option --sections states for the crtps_
	// of a line, the next one first.
	stated map[int][]bounds
}

// Run simulates all calls of src on a grid over the first processors of m in its
// order.
// An error says what is wrong with the program; it wraps ErrImpossible when
// the program could run on other grids. opts.Level must keep all intervals;
// quanta are always chosen by the formula.
func Run(m *machine.Machine, grid []int, opts interval.Options, src call.Source) (*Result, error) {
	return RunCosts(m, grid, opts, Costs{}, src)
}

// RunCosts is Run with iterations that do not cost the same.
func RunCosts(m *machine.Machine, grid []int, opts interval.Options, costs Costs, src call.Source) (*Result, error) {
	e, err := newEngine(m, grid, opts, src.Header())
	if err != nil {
		return nil, err
	}
	e.costs = costs
	calls, err := all(src)
	if err != nil {
		return nil, err
	}
	e.own = sameShape(grid, src.Header().Runtime.Root())
	if costs.Traced && !e.own {
		if e.traced, err = onTracedGrid(opts, src.Header()); err != nil {
			return nil, err
		}
	}
	return e.run(calls)
}

// newEngine returns a simulation of which no call has been taken.
func newEngine(m *machine.Machine, grid []int, opts interval.Options, h *call.Header) (*engine, error) {
	n := 1
	for _, x := range grid {
		n *= x
	}
	if n > MaxProcessors || int64(n) > m.Processors() {
		return nil, fmt.Errorf("found %d processors, expected at most %d and what the machine has", n, MaxProcessors)
	}
	e := &engine{
		m: m, grid: grid, opts: opts, clock: make([]float64, n),
		objects: map[uint64]any{}, headers: map[uint64]any{}, copies: map[uint64]*exchange{}, longSize: 4,
	}
	place := places(m, m.Order())
	m, err := m.Ordered(machine.InFile)
	if err != nil {
		return nil, err
	}
	e.m = m
	for p := range n {
		e.power = append(e.power, m.Power(int64(place[p])))
	}
	if e.stated, err = readSections(opts.Sections); err != nil {
		return nil, err
	}
	e.network = network{m: m, places: place, grid: grid, channels: map[medium][][]occupation{}}
	e.root = &system{shape: grid, traced: h.Runtime.Root()}
	for p := range n {
		e.root.procs = append(e.root.procs, p)
	}
	e.rootAM = &abstractMachine{sys: e.root}
	e.stack = []*abstractMachine{e.rootAM}
	e.main = newNode(nil, n)
	e.main.typ = interval.Main
	e.main.count = 1
	e.main.members = e.root.set()
	e.at = e.main
	e.network.rootProcs = e.root.procs
	if l := m.Network; l != nil {
		for p := range n {
			e.clock[p] = float64(l.Creation)
			e.main.own[p].sys, e.main.own[p].insuffSys = float64(l.Creation), float64(l.Creation)
		}
	}
	return e, nil
}

// run simulates all calls.
func (e *engine) run(calls *known) (*Result, error) {
	first := true
	var late []float64
	if e.own {
		late = calls.lateStarts(len(e.clock))
	}
	for {
		c, err := calls.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if first {
			e.main.file, e.main.line, first = c.File, c.Line, false
		}
		if c.Outside || c.Class().String() == "initialise" || c.Class().String() == "runtime" {
			continue
		}
		if late != nil && !c.Own.Empty() {
			e.sys(duration{each: late})
			late = nil
		}
		if err := e.step(c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Where(), err)
		}
	}
	if e.loop != nil { // the program ends inside of it
		e.spendKept(e.loop)
	}
	switch x := calls.Exit(); {
	case x.Found && e.own && len(x.Own) > 0:
		e.user(seconds(x.Own))
	case x.Found:
		e.user(alike(x.Time))
	}
	// An exchange that was never waited for ends with the program, for the
	// processors of its system. One of exfrst_ whose loop did not end never
	// began.
	for _, x := range slices.Clone(e.open) {
		if x.fixed {
			e.stack = []*abstractMachine{{sys: x.sys}}
			e.await(x, nil)
		}
	}
	return e.result(), nil
}

// current is the processor system of the task that runs.
func (e *engine) current() *system { return e.stack[len(e.stack)-1].sys }

// step simulates one call: the user's time before it, its effect, and the time
// inside it (docs/model.md#2-accounting). Inside the body of a parallel loop both
// times are loop time, except the time inside an operation.
func (e *engine) step(c *call.Call) error {
	if e.traced != nil {
		if err := e.traced.step(c); err != nil {
			return fmt.Errorf("%w: %w", ErrNotTraced, err)
		}
	}
	h := handlerOf(c.Func)
	if h.times&ownCall == 0 {
		e.before(e.beforeCall(c))
	}
	e.within, e.shortest = e.withinCall(c)
	wasIO := e.inIO
	if h.do != nil {
		if err := h.do(e, c); err != nil {
			return err
		}
	}
	switch t := e.within; {
	case h.times&ownRet != 0: // the handler booked it
	case wasIO != e.inIO:
		e.sys(t)
	case h.times&operation != 0 && !e.inIO:
		e.sys(t)
	default:
		e.inside(t)
	}
	return nil
}

// before books t seconds of the user before a call.
func (e *engine) before(t duration) {
	switch {
	case e.inIO:
		e.io(t)
	case e.inBody():
		e.work(t, false)
	default:
		e.user(t)
	}
}

// inside books t seconds inside a call that is no operation.
func (e *engine) inside(t duration) {
	switch {
	case e.inIO:
		e.io(t)
	case e.inBody():
		e.work(t, true)
	default:
		e.sys(t)
	}
}
