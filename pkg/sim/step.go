package sim

import (
	"errors"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Step simulates one call.
func (s *Sim) Step(c *call.Call) error {
	if s.tree == nil {
		s.begins(callSite(c))
		s.startup = c.CallTime
	}
	if !c.Listed() {
		s.notes.unlisted(c)
	}
	if err := s.explain(c); err != nil {
		return err
	}
	defer s.endExplain()
	if err := s.takeOwn(c); err != nil {
		return err
	}
	if err := s.costs.takeTraced(c, &s.header.Runtime); err != nil {
		return err
	}
	s.atLine(c)
	if s.timeline != nil {
		s.timeline.At(c.Seq)
	}
	if s.inIO {
		s.block.asksElse()
		return s.stepIO(c)
	}
	inBody := s.loop.portion != nil
	s.noteKind(c, inBody)
	if s.block != nil {
		s.block.asksBefore(s.before(c), c.Listed(), inBody)
	}
	if inBody {
		s.passInBody(s.before(c), spent{})
	} else {
		s.user(s.before(c))
	}
	e, err := s.handle(c)
	if err != nil {
		return err
	}
	computing := handlers[c.Class()].does == computes
	if s.block != nil {
		s.block.asksWithin(s.within(c), &e, inBody && computing)
	}
	switch {
	case s.passMeasured(c):
	case e.booked || s.within(c).none():
	case e.inside != nil && !s.knowsShortest(c):
		e.inside(c.RetTime) // copies wait
	case s.loop.portion != nil && inBody && !e.byAll && computing:
		s.passInBody(spent{}, s.within(c))
	default:
		s.system(s.within(c))
	}
	if inBody && handlers[c.Class()].does == exchanges {
		s.notes.inBody(c)
	}
	if e.then != nil {
		e.then()
	}
	s.block.done()
	return s.unmet(c)
}

// unmet returns the error of what the network could not do for a call, or of a
// limit that was exceeded.
func (s *Sim) unmet(c *call.Call) error {
	if s.over {
		return ErrAbandoned
	}
	if err := s.clocks.Err(); err != nil {
		return diag.Impossible(c.Pos, "model/no-path", "%s: %v", c.Where(), err)
	}
	return nil
}

// handle runs the handler of a call; with Lenient a handle that names nothing
// only warns, and the call is an ordinary one.
func (s *Sim) handle(c *call.Call) (effect, error) {
	if err := s.followCosts(c); err != nil {
		return effect{}, err
	}
	e, err := s.findAndDo(c)
	if err == nil || !s.cfg.Lenient {
		return e, err
	}
	s.repeats.use = false // so that it warns each time
	if !object.IsHandleError(err) {
		return e, err
	}
	fault, _ := errors.AsType[*diag.Error](err)
	w := *fault
	w.Severity = diag.SeverityWarning
	w.Msg += "; simulated as an ordinary function"
	s.notes.add(&w)
	return effect{}, nil
}

// user passes t of user time on the processors of the current system alike:
// every one does the same, all but one of them redundantly
// (docs/model.md#2-accounting).
func (s *Sim) user(t spent) {
	if t.own != nil {
		s.each("user time before the call", t, userAmount)
	} else if t.merged != 0 {
		s.alike("user time before the call", t.merged, userAmount)
	}
}

// system passes t of the run-time system's time on the processors of the
// current system.
func (s *Sim) system(t spent) {
	if t.own != nil {
		s.each("time inside the call", t, systemAmount)
	} else if t.merged != 0 {
		s.alike("time inside the call", t.merged, systemAmount)
	}
}

// amount is work of processors of which each does the share redundant redundantly.
type amount func(t units.Seconds, redundant float64) clock.Amount

// Work of the current system's processors has both shares, whichever of the
// times it has, so that clocks can put off several amounts in a row and add them.
func userAmount(t units.Seconds, redundant float64) clock.Amount {
	return clock.Amount{User: t, UserRedundant: redundant, SystemRedundant: redundant}
}

func systemAmount(t units.Seconds, redundant float64) clock.Amount {
	return clock.Amount{System: t, UserRedundant: redundant, SystemRedundant: redundant}
}

// alike passes time that all processors of the current system spend.
func (s *Sim) alike(what string, t units.Seconds, of amount) {
	sys := s.objects.Current()
	s.sayBase(what, t, sys)
	s.clocks.AddAll(sys, of(t, s.redundantOf(sys)))
}

// each passes time of which the processors of the current system spend each its
// own.
func (s *Sim) each(what string, t spent, of amount) {
	sys := s.objects.Current()
	if same, alike := t.alike(sys); !alike {
		redundant := s.redundantOf(sys)
		s.sayOwn(what, t)
		s.passOwn(sys, t, nil, func(t units.Seconds, _ []int64) clock.Amount { return of(t, redundant) })
	} else if same != 0 {
		s.alike(what, same, of)
	}
}

// redundantOf returns the share of work of all processors of sys that one of them
// would have done alone.
func (s *Sim) redundantOf(sys *procs.System) float64 {
	if s.shared.sys != sys {
		s.shared.sys, s.shared.redundant = sys, redundantShare(int64(sys.Size()))
	}
	return s.shared.redundant
}

// redundantShare is the share of work that n processors do alike which one of
// them would have done alone: (n-1)/n.
func redundantShare(n int64) float64 {
	if n <= 1 {
		return 0
	}
	return float64(n-1) / float64(n)
}
