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
	if s.inIO {
		return s.stepIO(c)
	}
	inBody := s.loop.portion != nil
	s.noteKind(c, inBody)
	if inBody {
		s.passInBody(s.before(c), spent{})
	} else {
		s.user(s.before(c))
	}
	e, err := s.handle(c)
	if err != nil {
		return err
	}
	switch {
	case s.passMeasured(c):
	case e.booked || s.within(c).none():
	case e.inside != nil && !s.knowsShortest(c):
		e.inside(c.RetTime) // copies wait
	case s.loop.portion != nil && inBody && !e.byAll && handlers[c.Class()].does == computes:
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
	return s.unmet(c)
}

// unmet returns the error of what the network could not do for a call.
func (s *Sim) unmet(c *call.Call) error {
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
	s.base("user time before the call", t, userAmount)
}

// system passes t of the run-time system's time on the processors of the
// current system.
func (s *Sim) system(t spent) {
	s.base("time inside the call", t, systemAmount)
}

// Work of the current system's processors has both shares, whichever of the
// times it has, so that clocks can put off several amounts in a row and add them.
func userAmount(t units.Seconds, redundant float64) clock.Amount {
	return clock.Amount{User: t, UserRedundant: redundant, SystemRedundant: redundant}
}

func systemAmount(t units.Seconds, redundant float64) clock.Amount {
	return clock.Amount{System: t, UserRedundant: redundant, SystemRedundant: redundant}
}

// base passes time that the processors of the current system spend alike, or
// each its own.
func (s *Sim) base(what string, t spent, amount func(t units.Seconds, redundant float64) clock.Amount) {
	if t.none() {
		return
	}
	sys := s.objects.Current()
	same, alike := t.merged, t.own == nil
	if !alike {
		same, alike = t.alike(sys)
	}
	redundant := redundantOf(sys)
	switch {
	case !alike:
		s.sayOwn(what, t)
		s.passOwn(sys, t, nil, func(t units.Seconds, _ []int64) clock.Amount { return amount(t, redundant) })
	case same != 0:
		s.sayBase(what, same, sys)
		s.clocks.AddAll(sys, amount(same, redundant))
	}
}

func redundantOf(sys *procs.System) float64 { return redundantShare(int64(sys.Size())) }

// redundantShare is the share of work that n processors do alike which one of
// them would have done alone: (n-1)/n.
func redundantShare(n int64) float64 {
	if n <= 1 {
		return 0
	}
	return float64(n-1) / float64(n)
}
