package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// A Varier makes machines that differ from that of a search in one parameter.
type Varier interface {
	// Variables returns the parameters, and groups of them, that there are.
	Variables() ([]machine.Variable, error)
	// Make returns the machine with changes made.
	Make(changes ...machine.Change) (*machine.Machine, []machine.Changed, error)
}

// The steps of central differences, as shares of the parameter, and the share by
// which derivatives of both steps may differ where the time is smooth.
const (
	step      = 0.01
	checkStep = 0.0025
	agreement = 0.01
)

// vary writes what was asked for about other values of the parameters. When its time
// ends early, the rest is left out and the search is partial.
func (s *state) vary(ctx context.Context) error {
	if s.cfg.Vary == nil || s.end.Partial {
		return nil
	}
	own := ctx
	if s.cfg.Limit != nil {
		var cancel context.CancelFunc
		own, cancel = s.cfg.Limit(ctx)
		defer cancel()
	}
	err := s.varied(own)
	if ctx.Err() == nil && own.Err() != nil && errors.Is(err, own.Err()) {
		s.end.Partial, err = true, nil
	}
	return err
}

// varied is vary within its time.
func (s *state) varied(ctx context.Context) error {
	parameters, err := s.cfg.Vary.Variables()
	if err != nil {
		return err
	}
	if s.cfg.Sensitivity {
		for _, p := range parameters {
			if p.Whole() {
				continue // has no per cents
			}
			if err := s.derivative(ctx, p); err != nil {
				return err
			}
		}
	}
	for _, name := range s.cfg.BreakEven {
		p := machine.Variable{Name: name}
		for _, q := range parameters {
			if q.Name == name {
				p = q
			}
		}
		if err := s.breakEven(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// scaled returns the machine with a parameter multiplied, and the parameter's new
// value, "" when it stands for several.
func (s *state) scaled(p machine.Variable, factor float64) (*machine.Machine, string, error) {
	c, err := machine.ParseScale(fmt.Sprintf("%s=%v", p.Name, factor))
	if err != nil {
		return nil, "", err
	}
	m, changed, err := s.cfg.Vary.Make(c)
	if err != nil || len(changed) != 1 {
		return m, "", err
	}
	return m, changed[0].New, nil
}

// on returns the outcome of a grid on another machine.
func (s *state) on(ctx context.Context, m *machine.Machine, g *grid) *outcome {
	st := *s
	st.cfg.Machine, st.cfg.Known = m, nil
	return st.simulate(ctx, g.extents, 0)
}

// derivative writes the derivative of the time of the best grid by a parameter.
func (s *state) derivative(ctx context.Context, p machine.Variable) error {
	central := func(h float64) (units.Seconds, error) {
		var t [2]units.Seconds
		for i, factor := range []float64{1 - h, 1 + h} {
			m, _, err := s.scaled(p, factor)
			if err != nil {
				return 0, err
			}
			o := s.on(ctx, m, s.best)
			if o.err != nil {
				return 0, o.err
			}
			t[i] = o.time
		}
		return (t[1] - t[0]) / units.Seconds(200*h), nil
	}
	wide, err := central(step)
	if err != nil {
		return err
	}
	narrow, err := central(checkStep)
	if err != nil {
		return err
	}
	percent := s.best.out.time / 100
	d := Derivative{Record: "sensitivity", Parameter: p.Name, Value: p.Value, SecondsPerPercent: wide, Check: narrow, Smooth: agree(wide, narrow, percent)}
	if percent > 0 {
		d.Share = float64(wide / percent)
	}
	return s.enc.Encode(d)
}

// agree reports whether two derivatives are the same, but for what rounding makes of
// a time of so many seconds per cent.
func agree(a, b, percent units.Seconds) bool {
	d := math.Abs(float64(a - b))
	return d <= agreement*max(math.Abs(float64(a)), math.Abs(float64(b))) || d <= 1e-9*float64(percent)
}
