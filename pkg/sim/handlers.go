package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// handler does what a function of a class does beside the ordinary, between
// the two times of a call.
type handler func(*Sim, *call.Call) (effect, error)

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
	run  handler
	does nature
}{
	libdvm.BeginUser:       {beginInterval(interval.User), computes},
	libdvm.BeginSequential: {beginInterval(interval.Sequential), computes},
	libdvm.BeginParallel:   {beginInterval(interval.Parallel), computes},
	libdvm.EndUser:         {endInterval(isUser, "a user interval"), computes},
	libdvm.EndLoop:         {endInterval(isLoop, "a loop"), computes},

	libdvm.RunMachine:   {runMachine, computes},
	libdvm.Redistribute: {redistribute, exchanges},
	libdvm.Realign:      {realign, exchanges},

	libdvm.IO:         {ioCall, inputOutput},
	libdvm.ArrayIO:    {arrayIO, inputOutput},
	libdvm.BeginIO:    {beginIO, inputOutput},
	libdvm.SendMemory: {sendMemory, exchanges},

	libdvm.StartShadow:   {startShadow, exchanges},
	libdvm.SendShadow:    {sendShadow, exchanges},
	libdvm.ReceiveShadow: {receiveShadow, exchanges},
	libdvm.WaitShadow:    {waitShadow, exchanges},
	libdvm.ExportFirst:   {exportFirst, exchanges},
	libdvm.ImportLast:    {importLast, exchanges},

	libdvm.StartReduction: {startReduction, exchanges},
	libdvm.WaitReduction:  {waitReduction, exchanges},

	libdvm.CopyArray: {copyArray, exchanges},
	libdvm.StartCopy: {startCopy, exchanges},
	libdvm.WaitCopy:  {waitCopy, exchanges},

	libdvm.LoadBuffer:      {loadBuffer, exchanges},
	libdvm.WaitBuffer:      {waitBuffer, exchanges},
	libdvm.LoadBufferGroup: {loadGroup, exchanges},
	libdvm.WaitBufferGroup: {waitGroup, exchanges},

	libdvm.DoLoop:      {doLoop, computes},
	libdvm.EndLoopNest: {endLoop, computes},
	libdvm.Across:      {across, computes},
}

// follow lets the table of objects follow a call of a class without a handler.
func follow(s *Sim, c *call.Call) (effect, error) { return effect{}, s.objects.Follow(c) }

// handlerOf returns the handler of a class, nil for ordinary functions.
func handlerOf(k libdvm.Class) handler {
	if h := handlers[k].run; h != nil || !object.Follows(k) {
		return h
	}
	return follow
}
