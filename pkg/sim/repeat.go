package sim

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/object"
	"dvmtools/pkg/program"
	"dvmtools/pkg/units"
)

// found is what a call is about: the objects that it names, and what follows from
// them and from its parameters. Times are no part of it, so that it holds for all
// repetitions of a call. A class of functions uses some of the fields.
type found struct {
	loop      *object.Loop
	portion   *portion // nil when dopl_ hands out nothing
	shadow    *object.ShadowGroup
	reduction *object.ReductionGroup
	demands   []clock.Demand
	bytes     units.Bytes
	first     bool // the interval is the run-time system's own root
	// onlyTimes says that the call does nothing but take time on all processors.
	onlyTimes bool
	expr      *int64
}

// repeats are what was found for the calls of a time step the second time, for
// the times that follow (package program).
type repeats struct {
	place program.Place // of the call at hand
	found []found       // by the place in the step
	// use says that what was found holds for the times that follow.
	use bool
	// open are the operations that were under way before the second time.
	open []flightKey
}

// known returns what was found for the call at hand, nil when that is to be done.
func (r *repeats) known() *found {
	if r.place.Turn == program.Again && r.use {
		return &r.found[r.place.At]
	}
	return nil
}

// note keeps what was found for the call at hand when it comes again.
func (r *repeats) note(f *found) {
	if r.place.Turn == program.Second {
		r.found[r.place.At] = *f
	}
}

// at says where the next call stands.
func (s *Sim) at(p program.Place) {
	r := &s.repeats
	r.place = p
	if p.Turn == program.Once || p.At > 0 {
		return
	}
	if p.Turn == program.Second {
		if cap(r.found) < p.Period {
			r.found = make([]found, p.Period)
		}
		r.found = r.found[:p.Period]
		clear(r.found)
		r.open = s.flights.keys(r.open[:0])
		r.use = len(s.flights.halves) == 0
		return
	}
	// An operation that a step leaves under way, on an object of its own, is one for
	// each step.
	r.use = r.use && len(s.flights.halves) == 0 && slices.Equal(r.open, s.flights.keys(nil))
}

// keys appends what names the operations that are under way.
func (f *flights) keys(dst []flightKey) []flightKey {
	for i := range f.open {
		dst = append(dst, f.open[i].key)
	}
	return append(dst, f.noopLoads...)
}

// repeating is a source that knows which calls repeat others: a program, or a stream.
type repeating interface {
	call.Source
	Place() program.Place
	Like(known func(at int) bool) []units.Seconds
	TimeStep() (t program.TimeStep, ok bool)
}

// source returns the source that is read for src. When repetitions need not be
// looked at in full, again is the same; it is nil when somebody wants to see every
// call as it is.
func (s *Sim) source(src call.Source) (read call.Source, again repeating) {
	p, whole := src.(*program.Source)
	all := s.cfg.Explain != nil || s.measured != nil || s.costs != nil && s.costs.Traced
	switch {
	case whole && (all || s.cfg.OwnTimes):
		return s.lookAhead(p.Full()), nil
	case whole:
		return p, p
	case all:
		return s.lookAhead(src), nil
	}
	stream := program.NewStream(s.lookAhead(src), progress{s})
	return stream, stream
}

// progress is what a stream asks about the simulation that reads it.
type progress struct{ sim *Sim }

// Between is part of [program.State].
func (p progress) Between() bool { return p.sim.betweenSteps() }

// Names is part of [program.State].
func (p progress) Names(value uint64) bool { return p.sim.objects.Names(value) }

// noteKind notes whether a call that will come again does nothing that depends on
// more than its times, outside of the bodies of loops.
func (s *Sim) noteKind(c *call.Call, inBody bool) {
	if r := &s.repeats; r.place.Turn == program.Second {
		row := &handlers[c.Class()]
		r.found[r.place.At].onlyTimes = row.do == nil && row.run == nil && c.Listed() && !inBody && s.lines == nil && s.ideal == nil && s.timeline == nil
	}
}

// passLike passes the times of the calls that come next and of which nothing else
// must be known.
func (s *Sim) passLike(src repeating) {
	r := &s.repeats
	if !r.use || r.place.Turn != program.Again || s.inIO || s.loop.portion != nil {
		return
	}
	sys := s.objects.Current()
	redundant := s.redundantOf(sys)
	times := src.Like(func(at int) bool { return at > 0 && r.found[at].onlyTimes })
	clock.AddTimes(s.clocks, sys, redundant, times, false)
}
