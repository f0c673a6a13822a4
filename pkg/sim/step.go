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
	if s.inIO {
		return s.stepIO(c)
	}
	inBody := s.loop.portion != nil
	if inBody {
		s.passInBody(c.CallTime, 0)
	} else {
		s.user(c.CallTime)
	}
	e, err := s.handle(c)
	if err != nil {
		return err
	}
	switch {
	case e.booked || c.RetTime == 0:
	case e.inside != nil:
		e.inside(c.RetTime)
	case s.loop.portion != nil && inBody && !e.byAll && handlers[c.Class()].does == computes:
		s.passInBody(0, c.RetTime)
	default:
		s.system(c.RetTime)
	}
	if inBody && handlers[c.Class()].does == exchanges {
		s.notes.inBody(c)
	}
	if e.then != nil {
		e.then()
	}
	return s.unmet(c.Pos, c.Where())
}

// unmet returns the error of what the network could not do.
func (s *Sim) unmet(at diag.Pos, where string) error {
	if err := s.clocks.Err(); err != nil {
		return diag.Impossible(at, "model/no-path", "%s: %v", where, err)
	}
	return nil
}

// handle runs the handler of a call; with Lenient a handle that names nothing
// only warns, and the call is an ordinary one.
func (s *Sim) handle(c *call.Call) (effect, error) {
	h := handlerOf(c.Class())
	if h == nil {
		return effect{}, nil
	}
	e, err := h(s, c)
	if err == nil || !s.cfg.Lenient {
		return e, err
	}
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
func (s *Sim) user(t units.Seconds) {
	if t == 0 {
		return
	}
	sys := s.objects.Current()
	s.sayBase("user time before the call", t, sys)
	s.clocks.AddAll(sys, clock.Amount{User: t, UserRedundant: redundantOf(sys)})
}

// system passes t of the run-time system's time on the processors of the
// current system.
func (s *Sim) system(t units.Seconds) {
	if t == 0 {
		return
	}
	sys := s.objects.Current()
	s.sayBase("time inside the call", t, sys)
	s.clocks.AddAll(sys, clock.Amount{System: t, SystemRedundant: redundantOf(sys)})
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
