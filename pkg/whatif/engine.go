// Package whatif simulates one program again and again, with other parameters of
// the machine, other grids and other options: what stands behind the controls of
// a report that can be changed (docs/report.md#what-if).
//
//  1. A [Base] says what was predicted: the machine, the options, and how the
//     intervals were written. With the calls of the program it makes an [Engine].
//  2. A [Setting] is what a reader of the report may change. [Engine.Simulate]
//     gives what dvmsim gives with the options of [Engine.Command], to the last
//     bit.
//  3. [Engine.Controls] lists what can be changed.
//  4. [Engine.Answer] takes requests and gives answers in JSON, for the worker of
//     the report.
//
// A simulation of a grid with options is recorded; another machine replays the
// recording ([sim.Recorded]).
package whatif

import (
	"context"
	"errors"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/program"
	"dvmtools/pkg/sim"
)

// Base is what the intervals of a report were predicted with.
type Base struct {
	// Machine is the machine before any change.
	Machine Machine `json:"machine"`
	// Setting is the one that gave the intervals.
	Setting Setting `json:"setting"`
	// Calls names the calls in commands.
	Calls string `json:"calls"`
	// Sections are those of processor systems and LoopCost the costs of loops that
	// the user stated, Level is the depth down to which dvmsim kept intervals, -1 for all.
	Sections string   `json:"sections,omitempty"`
	LoopCost []string `json:"loop_cost,omitempty"`
	Level    int      `json:"level"`
	// Shown is the depth down to which the report shows intervals, -1 for all.
	Shown int `json:"shown"`
	// Detail is how processors are listed: "classes", "none" or "each".
	Detail string `json:"detail"`
	// Lines and POP say that the intervals have lines of the source and POP
	// metrics, Lenient that handles that name nothing were taken for warnings.
	Lines   bool `json:"lines,omitempty"`
	POP     bool `json:"pop,omitempty"`
	Lenient bool `json:"lenient,omitempty"`
	// Warnings is how many warnings the trace itself gave.
	Warnings int64 `json:"warnings,omitempty"`
}

// Setting is what can be changed.
type Setting struct {
	// Set and Scale are changes of the machine as users state them
	// ([machine.ParseSet], [machine.ParseScale]); those of Set are made first.
	Set   []string `json:"set"`
	Scale []string `json:"scale"`
	// Grid is the processor grid.
	Grid []int `json:"grid"`
	// Options are those of the model.
	Options options.Model `json:"options"`
	// Order is the order in which the grid takes the processors of the machine, ""
	// for that of its description.
	Order machine.Order `json:"order,omitempty"`
	// TracedOn is the processor type that has power 1 on a machine of Parasol I,
	// as the option --traced-on of dvmsim, "" for its default.
	TracedOn string `json:"traced_on,omitempty"`
}

// details are the values of [Base].Detail.
var details = map[string]sim.Detail{"classes": sim.Classes, "none": sim.None, "each": sim.Each}

// recordings is how many recorded simulations an engine keeps.
const recordings = 3

// An Engine simulates one program. It is not safe for concurrent use.
type Engine struct {
	base  Base
	calls *program.Program
	own   bool // whether calls have the times of each process
	// kept are the grids with options that were simulated, the one used last at
	// the end.
	kept []kept
}

// kept is a grid with options, and its recorded simulation: nil as long as it was
// asked for only once, as recording costs more than simulating.
type kept struct {
	grid    []int
	options options.Model
	*sim.Recorded
}

// Of returns an engine for calls in memory.
func Of(r *call.Recording) *Engine {
	e := &Engine{calls: program.New(r), own: len(r.Exit().Own) > 0}
	for i := 0; i < r.Len() && !e.own; i++ {
		e.own = !r.Call(i).Own.Empty()
	}
	return e
}

// Begin says what was predicted; it is called before any simulation.
func (e *Engine) Begin(b Base) { e.base, e.kept = b, nil }

// Simulate simulates the program with a setting. Errors say what the machine or
// the program does not allow; nothing is remembered of a setting that fails.
func (e *Engine) Simulate(ctx context.Context, s Setting) (*sim.Result, error) {
	cfg, err := e.config(s)
	if err != nil {
		return nil, err
	}
	if cfg.POP {
		return sim.Run(ctx, cfg, e.calls.Source())
	}
	first := len(e.kept) == 0 // what a page begins with is going to be changed
	k, again := e.take(cfg)
	if k.Recorded != nil {
		if r, err := k.On(cfg.Machine); !errors.Is(err, sim.ErrPowers) {
			e.keep(k)
			return r, err
		}
	}
	if !first && !again {
		r, err := sim.Run(ctx, cfg, e.calls.Source())
		if err == nil {
			e.keep(k)
		}
		return r, err
	}
	if k.Recorded, err = sim.Record(ctx, cfg, e.calls.Source()); err != nil {
		return nil, err
	}
	e.keep(k)
	return k.Result, nil
}

// Figures returns the execution time and the efficiency of what [Engine.Simulate]
// gives, at less cost.
func (e *Engine) Figures(ctx context.Context, s Setting) (*sim.Figures, error) {
	cfg, err := e.config(s)
	if err != nil {
		return nil, err
	}
	k, again := e.take(cfg)
	if !again {
		return sim.RunFigures(ctx, cfg, e.calls.Source())
	}
	if k.Recorded != nil {
		if f, err := k.FiguresOn(cfg.Machine); !errors.Is(err, sim.ErrPowers) {
			e.keep(k)
			return f, err
		}
	}
	// Other machines on the grid that a page shows: one of many, perhaps.
	if k.Recorded, err = sim.Record(ctx, cfg, e.calls.Source()); err != nil {
		return nil, err
	}
	e.keep(k)
	return k.FiguresOn(cfg.Machine)
}

// config returns what is simulated with a setting.
func (e *Engine) config(s Setting) (cfg sim.Config, err error) {
	m, err := e.base.Machine.target(s)
	if err != nil {
		return cfg, err
	}
	o := interval.Options{Model: options.Defaults(), Sections: e.base.Sections, LoopCost: e.base.LoopCost, Level: e.base.Level}
	for _, c := range options.Choices() {
		if v := c.Get(&s.Options); v != "" {
			if err := c.Set(&o.Model, v); err != nil {
				return cfg, because(c.Name, diag.New(diag.Pos{File: c.Name}, "whatif/option", "%v", err))
			}
		}
	}
	if err := sim.CheckGrid(m, s.Grid); err != nil {
		return cfg, because("grid", err)
	}
	return sim.Config{
		Machine: m, Grid: slices.Clone(s.Grid), Options: o,
		// A program without times of each process may pass its time steps in blocks.
		Lenient: e.base.Lenient, OwnTimes: e.own, Lines: e.base.Lines, POP: e.base.POP,
	}, nil
}

// take takes out what is kept of a grid with options, and says whether there is
// any.
func (e *Engine) take(cfg sim.Config) (k kept, found bool) {
	i := slices.IndexFunc(e.kept, func(k kept) bool { return slices.Equal(k.grid, cfg.Grid) && k.options == cfg.Options.Model })
	if i < 0 {
		return kept{grid: cfg.Grid, options: cfg.Options.Model}, false
	}
	k = e.kept[i]
	e.kept = slices.Delete(e.kept, i, i+1)
	return k, true
}

// keep keeps k as what was used last.
func (e *Engine) keep(k kept) {
	if len(e.kept) == recordings {
		e.kept = slices.Delete(e.kept, 0, 1)
	}
	e.kept = append(e.kept, k)
}

// Write writes the intervals of a result as dvmsim does.
func (e *Engine) Write(w *interval.Writer, r *sim.Result) error {
	if err := r.Write(w, details[e.base.Detail]); err != nil {
		return err
	}
	return w.End(e.base.Warnings + int64(len(r.Warnings)))
}
