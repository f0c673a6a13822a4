package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/units"
)

// A handler does what a function of a class does beside the ordinary, between
// the two times of a call. Those of classes whose calls may repeat others (package
// program) have two halves: a finder finds what a call is about, the same each
// time, and a doer does it.
type (
	handler func(*Sim, *call.Call) (effect, error)
	finder  func(*Sim, *call.Call, *found) error
	doer    func(*Sim, *call.Call, *found) (effect, error)
)

// effect is what a handler leaves to be done for its call.
type effect struct {
	// inside books the time inside the call; nil books it as that of an
	// ordinary function.
	inside func(units.Seconds)
	// byAll says that all processors spend the time inside the call, in the
	// body of a loop too.
	byAll bool
	// booked says that the handler has booked the time inside the call.
	booked bool
	// then happens behind both times of the call; nil for nothing.
	then func()
}

// nature says whether a function only computes: it decides what the time inside
// it is in the body of a loop (docs/model.md#8-parallel-loops).
type nature uint8

const (
	computes nature = iota
	exchanges
	inputOutput
)

// handlers has an entry for every class whose functions take part in more
// than objects. Classes without one are followed by the table of objects.
var handlers = [libdvm.NumClasses]struct {
	find finder
	do   doer
	run  handler
	does nature
}{
	libdvm.BeginUser:       {find: findInterval, do: beginInterval(interval.User), does: computes},
	libdvm.BeginSequential: {find: findInterval, do: beginInterval(interval.Sequential), does: computes},
	libdvm.BeginParallel:   {find: findInterval, do: beginInterval(interval.Parallel), does: computes},
	libdvm.EndUser:         {do: endInterval(isUser, "a user interval"), does: computes},
	libdvm.EndLoop:         {do: endInterval(isLoop, "a loop"), does: computes},

	libdvm.RunMachine:   {run: runMachine, does: computes},
	libdvm.Redistribute: {run: redistribute, does: exchanges},
	libdvm.Realign:      {run: realign, does: exchanges},

	libdvm.IO:         {find: findResult, do: ioCall, does: inputOutput},
	libdvm.ArrayIO:    {run: arrayIO, does: inputOutput},
	libdvm.BeginIO:    {do: beginIO, does: inputOutput},
	libdvm.SendMemory: {run: sendMemory, does: exchanges},

	libdvm.StartShadow:   {find: findEdges, do: startShadow, does: exchanges},
	libdvm.SendShadow:    {find: findShadow, do: sendShadow, does: exchanges},
	libdvm.ReceiveShadow: {find: findShadow, do: receiveShadow, does: exchanges},
	libdvm.WaitShadow:    {find: findShadow, do: waitShadow, does: exchanges},
	libdvm.ExportFirst:   {find: findEdges, do: exportFirst, does: exchanges},
	libdvm.ImportLast:    {find: findShadow, do: importLast, does: exchanges},

	libdvm.StartReduction: {find: findReduction, do: startReduction, does: exchanges},
	libdvm.WaitReduction:  {find: findReductionGroup, do: waitReduction, does: exchanges},

	libdvm.CopyArray: {run: copyArray, does: exchanges},
	libdvm.StartCopy: {run: startCopy, does: exchanges},
	libdvm.WaitCopy:  {run: waitCopy, does: exchanges},

	libdvm.LoadBuffer:      {run: loadBuffer, does: exchanges},
	libdvm.WaitBuffer:      {run: waitBuffer, does: exchanges},
	libdvm.LoadBufferGroup: {run: loadGroup, does: exchanges},
	libdvm.WaitBufferGroup: {run: waitGroup, does: exchanges},

	libdvm.DoLoop:      {find: findPortion, do: doLoop, does: computes},
	libdvm.EndLoopNest: {find: findEndOfLoop, do: endLoop, does: computes},
	libdvm.Across:      {find: findAcross, do: across, does: computes},
}

// findAndDo does what a call does beside the ordinary. What is known of a call that
// repeats another one is not looked for again.
func (s *Sim) findAndDo(c *call.Call) (effect, error) {
	row := &handlers[c.Class()]
	if f := s.repeats.known(); f != nil {
		if row.do == nil {
			return effect{}, nil // objects only
		}
		return row.do(s, c, f)
	}
	switch {
	case row.do != nil:
		s.found = found{}
		if row.find != nil {
			if err := row.find(s, c, &s.found); err != nil {
				return effect{}, err
			}
		}
		s.repeats.note(&s.found)
		return row.do(s, c, &s.found)
	case row.run != nil:
		return row.run(s, c)
	}
	return effect{}, s.objects.Follow(c)
}
