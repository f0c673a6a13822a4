package whatif

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/report"
	"dvmtools/pkg/sim"
)

// A Request is what a page asks for: one of its fields.
type Request struct {
	// Begin says what was predicted; the answer has the controls.
	Begin *Base `json:"begin,omitempty"`
	// Page, Time and Records ask for a simulation: for all that a page shows, for
	// the execution time and efficiency alone, or for the interval stream.
	Page    *Setting `json:"page,omitempty"`
	Time    *Setting `json:"time,omitempty"`
	Records *Setting `json:"records,omitempty"`
}

// An Answer is the answer to a [Request].
type Answer struct {
	// Error says why there is nothing else; Cause, what is to blame where that is
	// known ([CauseError]); Stopped, that the answer was not waited for.
	Error   string `json:"error,omitempty"`
	Cause   string `json:"cause,omitempty"`
	Stopped bool   `json:"stopped,omitempty"`
	// Controls are what can be changed; Unlisted says that there is more.
	Controls []Control `json:"controls,omitempty"`
	Unlisted bool      `json:"unlisted,omitempty"`
	// Choices are the options of the model, Orders and TracedOn the values that
	// the fields of [Setting] may have.
	Choices  []Choice        `json:"choices,omitempty"`
	Orders   []machine.Order `json:"orders,omitempty"`
	TracedOn []string        `json:"traced_on,omitempty"`
	// Time and Efficiency are those of the whole program; Time is in seconds.
	Time       float64 `json:"time"`
	Efficiency float64 `json:"efficiency"`
	// Command is the command line that gives the same.
	Command string `json:"command,omitempty"`
	// Update is what [report.WriteUpdate] writes.
	Update json.RawMessage `json:"update,omitempty"`
	// Records is the interval stream.
	Records string `json:"records,omitempty"`
}

// A Choice is an option of the model.
type Choice struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc"`
	Values []string `json:"values"`
}

// Answer answers a request in JSON with an [Answer] in JSON.
func (e *Engine) Answer(ctx context.Context, request []byte) []byte {
	var q Request
	var a Answer
	err := json.Unmarshal(request, &q)
	if err == nil {
		err = e.answer(ctx, &q, &a)
	}
	if err != nil {
		return failure(err)
	}
	// Marshal would look through all of Update once more.
	update := a.Update
	a.Update = nil
	out, err := json.Marshal(a)
	if err != nil {
		return failure(err)
	}
	if update != nil {
		out = append(append(append(out[:len(out)-1], `,"update":`...), update...), '}')
	}
	return out
}

// failure returns the answer of a request that failed.
func failure(err error) []byte {
	out, _ := json.Marshal(Answer{Error: Words(err), Cause: causeOf(err), Stopped: errors.Is(err, context.Canceled)})
	return out
}

// Words says in one line what is wrong, and where when that is in a file with a
// name.
func Words(err error) string {
	d, ok := errors.AsType[*diag.Error](err)
	switch {
	case !ok:
		return err.Error()
	case d.Pos.File == "":
		return d.Msg
	}
	return fmt.Sprintf("%s: %s", d.Pos, d.Msg)
}

// answer does what a request asks for.
func (e *Engine) answer(ctx context.Context, q *Request, a *Answer) error {
	var s *Setting
	switch {
	case q.Begin != nil:
		e.Begin(*q.Begin)
		controls, all, err := e.Controls()
		a.Controls = controls
		a.Unlisted = !all
		for _, c := range options.Choices() {
			a.Choices = append(a.Choices, Choice{c.Name, c.Doc, c.Values})
		}
		a.Orders = machine.Orders()
		a.TracedOn = e.base.Machine.tracedTypes()
		return err
	case q.Time != nil:
		f, err := e.Figures(ctx, *q.Time)
		if err != nil {
			return err
		}
		a.Time, a.Efficiency, a.Command = float64(f.ExecutionTime), f.Efficiency, e.Command(*q.Time)
		return nil
	case q.Page != nil:
		s = q.Page
	case q.Records != nil:
		s = q.Records
	default:
		return errors.New("found a request for nothing, expected one of begin, page, time, records")
	}
	r, err := e.Simulate(ctx, *s)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	top := &r.Intervals()[0]
	a.Time, a.Efficiency, a.Command = float64(top.ExecutionTime), top.Efficiency, e.Command(*s)
	var b bytes.Buffer
	if q.Page == nil {
		if err := e.Write(interval.NewWriter(&b), r); err != nil {
			return err
		}
		a.Records = b.String()
		return nil
	}
	t, err := e.Tree(r)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = report.WriteUpdate(&b, t)
	}
	a.Update = b.Bytes()
	return err
}

// Tree returns a result as the intervals of a report.
func (e *Engine) Tree(r *sim.Result) (*report.Tree, error) {
	b := report.NewBuilder(*r.Header(), e.base.Shown)
	at := diag.Pos{}
	for i := range r.Intervals() {
		if err := b.Interval(at, &r.Intervals()[i]); err != nil {
			return nil, err
		}
		if err := r.Processors(i, details[e.base.Detail], func(p *interval.Processor) error { return b.Processor(at, p) }); err != nil {
			return nil, err
		}
		for _, l := range r.Lines(i) {
			if err := b.Line(at, &l); err != nil {
				return nil, err
			}
		}
	}
	for _, x := range r.Exchanges() {
		b.Exchange(&x)
	}
	t, err := b.Tree(at)
	if err != nil {
		return nil, err
	}
	t.Warnings = e.base.Warnings + int64(len(r.Warnings))
	return t, nil
}
