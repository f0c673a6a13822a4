package search

import (
	"context"
	"errors"
	"fmt"
	"io"

	"dvmtools/pkg/call"
	"dvmtools/pkg/machine"
)

// A Sweep is machines that differ in some parameters. Every one is searched on.
type Sweep struct {
	// Axes say what differs. The machines are all combinations of their values,
	// the last axis varying fastest.
	Axes []Axis
	// Make returns the machine of a combination, and what was changed. changes
	// has an element for each axis.
	Make func(changes []machine.Change) (*machine.Machine, []machine.Changed, error)
}

// MaxPoints is the largest number of machines of a sweep.
const MaxPoints = 1_000_000

// Points returns how many machines there are, or an error that says why they
// cannot be enumerated.
func (s *Sweep) Points() (int, error) {
	n := 1
	for _, a := range s.Axes {
		if len(a.Values) == 0 {
			return 0, fmt.Errorf("found no value for %s, expected at least one", a.Parameter)
		}
		if n *= len(a.Values); n > MaxPoints {
			return 0, fmt.Errorf("found a sweep of more than %d machines, expected at most that many", MaxPoints)
		}
	}
	return n, nil
}

// machine returns machine i, from 0.
func (s *Sweep) machine(i int) (*machine.Machine, []machine.Changed, error) {
	changes := make([]machine.Change, len(s.Axes))
	for k := len(s.Axes) - 1; k >= 0; k-- {
		a := &s.Axes[k]
		text := a.Parameter + "=" + a.Values[i%len(a.Values)]
		i /= len(a.Values)
		read := machine.ParseSet
		if a.Scale {
			read = machine.ParseScale
		}
		var err error
		if changes[k], err = read(text); err != nil {
			return nil, nil, err
		}
	}
	return s.Make(changes)
}

// Run searches on every machine of the sweep and writes the stream to w. cfg.Machine
// is the machine without changes. A machine on which no grid is found is no error,
// but it is one when there is no other.
func (s *Sweep) Run(ctx context.Context, cfg Config, prog *call.Recording, w io.Writer) error {
	all, err := s.begin(&cfg, prog, w)
	if err != nil {
		return err
	}
	found := false
	for i := range all.points {
		// A limit that has passed makes the rest of the points partial ones, as
		// they are not tried: they are left out.
		if all.total.Partial {
			break
		}
		best, err := all.point(ctx, i)
		if err != nil {
			return err
		}
		found = found || best != nil
	}
	if !found {
		return fmt.Errorf("%w on any machine of the sweep", ErrNoGrid)
	}
	return all.state.enc.Encode(all.total)
}

// sweeping is a sweep in progress.
type sweeping struct {
	*Sweep
	state  *state // of no machine in particular
	points int
	total  End
}

// begin writes the header.
func (s *Sweep) begin(cfg *Config, prog *call.Recording, w io.Writer) (*sweeping, error) {
	st, err := begin(cfg, prog, w)
	if err != nil {
		return nil, err
	}
	h, points, err := (&Job{*cfg, s}).header(st, prog.Header().Source)
	if err != nil {
		return nil, err
	}
	st.recorder = newRecorder(st.prog)
	return &sweeping{s, st, points, End{Record: "end"}}, st.enc.Encode(h)
}

// point searches on machine i, from 0, and returns the best grid, nil when there is
// none.
func (s *sweeping) point(ctx context.Context, i int) (*Best, error) {
	m, changed, err := s.machine(i)
	if err != nil {
		return nil, fmt.Errorf("point %d of the sweep: %w", i+1, err)
	}
	st := *s.state
	st.cfg.Machine, st.point = m, i+1
	if m.Processors() < int64(st.cfg.Max) {
		return nil, fmt.Errorf("point %d of the sweep has %d processors, expected at least %d", i+1, m.Processors(), st.cfg.Max)
	}
	if changed == nil {
		changed = []machine.Changed{}
	}
	if err := st.enc.Encode(MachinePoint{"point", i + 1, changed}); err != nil {
		return nil, err
	}
	if show := s.state.cfg.Progress; show != nil {
		// As many grids are expected on the machines to come as on this one.
		done := s.total.Evaluated
		st.cfg.Progress = func(tried, most int, best *Best) { show(done+tried, done+most*(s.points-i), best) }
	}
	best, err := st.run(ctx)
	end := PointEnd{Record: "point_end", Point: i + 1, Counts: st.end.Counts}
	if errors.Is(err, ErrNoGrid) {
		end.Error, best, err = err.Error(), nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.state.warned = st.warned
	s.add(&end)
	return best, st.enc.Encode(end)
}

// add adds the counts of a machine to the totals.
func (s *sweeping) add(e *PointEnd) {
	t := &s.total
	t.Points++
	t.Evaluated += e.Evaluated
	t.NotBad += e.NotBad
	t.Possible += e.Possible
	t.Descent += e.Descent
	t.Improved = t.Improved || e.Improved
	t.Partial = t.Partial || e.Partial
}
