package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// PlanVersion is the version of the records of plans and parts.
const PlanVersion = 1

// A Plan is the header of a plan: a search that is done in parts.
type Plan struct {
	Record  string `json:"record"`
	Version int    `json:"version"`
	// Arguments are the command line of the search.
	Arguments []string `json:"arguments"`
	// Inputs are the files that it reads.
	Inputs []PlanInput `json:"inputs"`
	// Search is the header of its stream, as text.
	Search string `json:"search"`
	Cases  int    `json:"cases"`
}

// PlanInput is a file with the hash of its bytes, in hexadecimal digits.
type PlanInput struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// A Case is work that can be done by itself: in mode 3 a grid on a machine, in the
// other modes a search on a machine. Point is the machine of a sweep.
type Case struct {
	Record string `json:"record"`
	Case   int    `json:"case"`
	Point  int    `json:"point,omitempty"`
	Mode   int    `json:"mode"`
	Grid   []int  `json:"grid,omitempty"`
}

// PartHeader is the first record of a part: what was evaluated of which plan.
type PartHeader struct {
	Record  string `json:"record"`
	Version int    `json:"version"`
	Part    int    `json:"part"`
	Parts   int    `json:"parts"`
	Plan    Plan   `json:"plan"`
}

// PartOutcome is what the simulation of a grid gave.
type PartOutcome struct {
	Record        string         `json:"record"`
	Case          int            `json:"case"`
	Point         int            `json:"point,omitempty"`
	Grid          []int          `json:"grid"`
	ExecutionTime *units.Seconds `json:"execution_time,omitempty"`
	Efficiency    *float64       `json:"efficiency,omitempty"`
	// AbandonedAt is the time beyond which the simulation was given up.
	AbandonedAt *units.Seconds `json:"abandoned_at,omitempty"`
	// Error says why the grid is not possible.
	Error string `json:"error,omitempty"`
	// Main are the characteristics of the whole program, where they are to be
	// explained.
	Main     *interval.Times `json:"main,omitempty"`
	Warnings []PartWarning   `json:"warnings,omitempty"`
}

// PartWarning is a warning of a simulation.
type PartWarning struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// PartEnd is the last record of a plan or a part: how many cases it has, how many
// outcomes a part has, and the hash of the lines before it.
type PartEnd struct {
	Record   string `json:"record"`
	Cases    int    `json:"cases"`
	Outcomes int    `json:"outcomes,omitempty"`
	SHA256   string `json:"sha256"`
}

// A Job is a search, or a sweep of searches when Sweep is set, that may be done in
// parts.
type Job struct {
	Config Config
	Sweep  *Sweep
}

// Run is [Run] or [Sweep.Run]. best is nil for a sweep.
func (j *Job) Run(ctx context.Context, prog *call.Recording, w io.Writer) (best *Best, err error) {
	if j.Sweep != nil {
		return nil, j.Sweep.Run(ctx, j.Config, prog, w)
	}
	return Run(ctx, j.Config, prog, w)
}

// header returns the header of the search's stream, and the number of machines.
func (j *Job) header(st *state, source []string) (h *Header, points int, err error) {
	h = st.cfg.header(&st.shape, source)
	if j.Sweep == nil {
		return h, 1, nil
	}
	if points, err = j.Sweep.Points(); err != nil {
		return nil, 0, err
	}
	h.Points, h.Sweep = points, j.Sweep.Axes
	return h, points, nil
}

// Plan returns the plan of a job and its cases. Its arguments and inputs are left to
// the caller.
func (j *Job) Plan(prog *call.Recording) (*Plan, []Case, error) {
	st, err := begin(&j.Config, prog, io.Discard)
	if err != nil {
		return nil, nil, err
	}
	h, points, err := j.header(st, prog.Header().Source)
	if err != nil {
		return nil, nil, err
	}
	text, err := compact(h)
	if err != nil {
		return nil, nil, err
	}
	var cases []Case
	for p := range points {
		c := Case{Record: "case", Mode: j.Config.Mode}
		if j.Sweep != nil {
			c.Point = p + 1
		}
		list := []*grid{nil}
		if c.Mode == All {
			list = st.list()
		}
		for _, g := range list {
			if g != nil {
				c.Grid = g.extents
			}
			c.Case = len(cases) + 1
			cases = append(cases, c)
		}
	}
	return &Plan{Record: "plan", Version: PlanVersion, Search: string(text), Cases: len(cases)}, cases, nil
}

// list returns the grids that may be tried.
func (s *state) list() []*grid {
	list := grids(s.cfg.Max, s.shape.Extents, s.cfg.Mode == All)
	if s.cfg.Objective == Efficiency {
		list = list[1:]
	}
	return list
}

// Share returns the cases of part i of n, from 1: every n-th one.
func Share(cases []Case, i, n int) []Case {
	var own []Case
	for k := i - 1; k < len(cases); k += n {
		own = append(own, cases[k])
	}
	return own
}

// Evaluate evaluates some cases of the job's plan, and calls put with every outcome,
// in the order of the cases.
func (j *Job) Evaluate(ctx context.Context, prog *call.Recording, cases []Case, put func(*PartOutcome) error) error {
	st, err := begin(&j.Config, prog, io.Discard)
	if err != nil {
		return err
	}
	st.cfg.Limit, st.cfg.Progress = nil, nil
	if j.Sweep != nil {
		st.recorder = newRecorder(st.prog)
	}
	for len(cases) > 0 {
		n := 1 // the cases on this machine
		for n < len(cases) && cases[n].Point == cases[0].Point {
			n++
		}
		at := *st
		at.point = cases[0].Point
		if j.Sweep != nil {
			if at.cfg.Machine, _, err = j.Sweep.machine(at.point - 1); err != nil {
				return err
			}
		}
		if cases[0].Grid == nil {
			at.collect = func(g *grid, o *outcome) error { return put(at.record(cases[0].Case, g.extents, o)) }
			if _, err := at.run(ctx); err != nil && !errors.Is(err, ErrNoGrid) {
				return err
			}
		} else if err := at.evaluate(ctx, cases[:n], put); err != nil {
			return err
		}
		st.warned = at.warned
		cases = cases[n:]
	}
	return nil
}

// evaluate simulates the grids of cases on one machine.
func (s *state) evaluate(ctx context.Context, cases []Case, put func(*PartOutcome) error) error {
	batch := max(least, 4*s.cfg.Threads)
	for len(cases) > 0 {
		own := cases[:min(batch, len(cases))]
		cases = cases[len(own):]
		outcomes := make([]*outcome, len(own))
		var wg sync.WaitGroup
		next := make(chan int)
		for range max(1, min(s.cfg.Threads, len(own))) {
			wg.Go(func() {
				for i := range next {
					outcomes[i] = s.simulate(ctx, own[i].Grid, 0)
				}
			})
		}
		for i := range own {
			next <- i
		}
		close(next)
		wg.Wait()
		for i, o := range outcomes {
			if o.err != nil && !errors.Is(o.err, diag.ErrImpossible) {
				return o.err
			}
			if err := s.warn(o.warnings); err != nil {
				return err
			}
			if err := put(s.record(own[i].Case, own[i].Grid, o)); err != nil {
				return err
			}
		}
	}
	return nil
}

// record returns the record of an outcome.
func (s *state) record(number int, extents []int, o *outcome) *PartOutcome {
	r := &PartOutcome{Record: "outcome", Case: number, Point: s.point, Grid: extents}
	if o.err != nil {
		r.Error = o.err.Error()
		return r
	}
	if o.abandonedAt > 0 {
		r.AbandonedAt = &o.abandonedAt
		return r
	}
	r.ExecutionTime, r.Efficiency = &o.time, &o.efficiency
	if s.cfg.Explain {
		r.Main = &o.main
	}
	for _, w := range o.warnings {
		r.Warnings = append(r.Warnings, PartWarning{w.Pos.File, w.Pos.Line, w.Pos.Col, w.Code, w.Msg})
	}
	return r
}

// Known are outcomes that were evaluated before.
type Known struct{ by map[string]*PartOutcome }

// Add adds an outcome.
func (k *Known) Add(o *PartOutcome) {
	if k.by == nil {
		k.by = map[string]*PartOutcome{}
	}
	k.by[knownKey(o.Point, o.Grid)] = o
}

func knownKey(point int, extents []int) string { return fmt.Sprint(point, GridText(extents)) }

// outcome returns the outcome of a grid; its error tells that it is not known.
func (k *Known) outcome(point int, extents []int) *outcome {
	r := k.by[knownKey(point, extents)]
	if r == nil {
		return &outcome{err: fmt.Errorf("the parts hold no outcome of grid %s of machine %d, expected one; were they made by another version?", GridText(extents), max(1, point))}
	}
	if r.Error != "" {
		return &outcome{err: &impossible{r.Error}}
	}
	if r.AbandonedAt != nil {
		return &outcome{abandonedAt: *r.AbandonedAt}
	}
	if r.ExecutionTime == nil || r.Efficiency == nil {
		return &outcome{err: fmt.Errorf("the parts hold an outcome of grid %s without a time, expected both time and efficiency", GridText(extents))}
	}
	o := &outcome{time: *r.ExecutionTime, efficiency: *r.Efficiency}
	if r.Main != nil {
		o.main = *r.Main
	}
	for _, w := range r.Warnings {
		o.warnings = append(o.warnings, diag.Warn(diag.Pos{File: w.File, Line: w.Line, Col: w.Col}, w.Code, "%s", w.Message))
	}
	return o
}

// impossible is the error of a grid that was found not to be possible.
type impossible struct{ text string }

func (e *impossible) Error() string { return e.text }

// Is makes it an error as simulations return it.
func (e *impossible) Is(target error) bool { return target == diag.ErrImpossible }
