package sim

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

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
	tables   timetables
}

// timetables are those of a recording, for machines that differ in which of their
// processors have equal powers.
type timetables struct {
	sync.Mutex
	// asked is how many replays there were.
	asked int
	list  []*clock.Timetable // at most maxTimetables
	none  bool               // there can be none
}

// maxTimetables bounds how many timetables of a recording are kept.
const maxTimetables = 2

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
func (r *Recorded) On(m *machine.Machine) (*Result, error) {
	cfg, err := r.config(m)
	if err != nil {
		return nil, err
	}
	books := clock.New(cfg)
	res, err := r.with(cfg, books, r.schedule.Replay(books))
	if err != nil {
		return nil, err
	}
	res.integrate()
	return res, res.check()
}

// FiguresOn is On for what [RunFigures] gives, at less cost: from the second time on
// by a [clock.Timetable], where there can be one. It costs least on machines with powers
// that were met before.
func (r *Recorded) FiguresOn(m *machine.Machine) (*Figures, error) {
	cfg, err := r.config(m)
	if err != nil {
		return nil, err
	}
	var books clock.Books
	if t := r.timetable(cfg); t != nil {
		books, err = t.Run(cfg)
	} else {
		c := clock.NewBrief(cfg)
		books, err = c, r.schedule.Replay(c)
	}
	res, err := r.with(cfg, books, err)
	if err != nil {
		return nil, err
	}
	return res.figures()
}

// timetable returns a timetable for a machine, nil when there is none. To make one
// takes the time of two replays, which the first replay may not be followed by.
func (r *Recorded) timetable(cfg clock.Config) *clock.Timetable {
	if l := cfg.Machine.Network; l != nil && l.Creation != 0 {
		return nil
	}
	t := &r.tables
	t.Lock()
	defer t.Unlock()
	if t.asked++; t.asked == 1 || t.none {
		return nil
	}
	for _, x := range t.list {
		if x.Suits(cfg.Machine, cfg.Grid) {
			return x
		}
	}
	if len(t.list) == maxTimetables {
		return nil
	}
	x := clock.NewTimetable(cfg, r.schedule.Replay)
	if t.none = x == nil; !t.none {
		t.list = append(t.list, x)
	}
	return x
}

// config returns what clocks are made for on another machine.
func (r *Recorded) config(m *machine.Machine) (clock.Config, error) {
	was := r.Result
	if err := CheckGrid(m, was.Grid); err != nil {
		return clock.Config{}, err
	}
	p := int64(size(was.Grid))
	if was.Options.Balance == options.Power && !slices.Equal(m.PowerRuns(p), was.Machine.PowerRuns(p)) {
		return clock.Config{}, ErrPowers
	}
	return clock.Config{Machine: m, Grid: was.Grid, Options: was.Options.Model}, nil
}

// with returns the result on another machine, not yet integrated, when clocks have
// been asked; err is their error.
func (r *Recorded) with(cfg clock.Config, books clock.Books, err error) (*Result, error) {
	was := r.Result
	if err != nil {
		return nil, diag.Impossible(diag.Pos{File: was.tree.root.file, Line: was.tree.root.line}, "model/no-path", "%v", err)
	}
	res := *was
	res.Machine, res.books, res.nodes, res.classes, res.lines, res.explanation = cfg.Machine, books, nil, nil, nil, nil
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
