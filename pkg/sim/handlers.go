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
	// booked says that the handler has booked the time inside the call.
	booked bool
	// then happens behind both times of the call; nil for nothing.
	then func()
}

// handlers has an entry for every class whose functions take part in more
// than objects. Classes without one are followed by the table of objects.
var handlers = [libdvm.NumClasses]handler{
	libdvm.BeginUser:       beginInterval(interval.User),
	libdvm.BeginSequential: beginInterval(interval.Sequential),
	libdvm.BeginParallel:   beginInterval(interval.Parallel),
	libdvm.EndUser:         endInterval(isUser, "a user interval"),
	libdvm.EndLoop:         endInterval(isLoop, "a loop"),

	libdvm.RunMachine:   runMachine,
	libdvm.Redistribute: redistribute,
	libdvm.Realign:      realign,

	libdvm.IO:        ioCall,
	libdvm.ArrayIO:   arrayIO,
	libdvm.BeginIO:   beginIO,
	libdvm.SendStore: sendStore,

	libdvm.StartShadow:   startShadow,
	libdvm.SendShadow:    sendShadow,
	libdvm.ReceiveShadow: sendShadow,
	libdvm.WaitShadow:    waitShadow,
	libdvm.ExportFirst:   exportFirst,
	libdvm.ImportLast:    importLast,

	libdvm.StartReduction: startReduction,
	libdvm.WaitReduction:  waitReduction,

	libdvm.CopyArray: copyArray,
	libdvm.StartCopy: startCopy,
	libdvm.WaitCopy:  waitCopy,

	libdvm.LoadBuffer:      loadBuffer,
	libdvm.WaitBuffer:      waitBuffer,
	libdvm.LoadBufferGroup: loadGroup,
	libdvm.WaitBufferGroup: waitGroup,

	libdvm.DoLoop:      doLoop,
	libdvm.EndLoopNest: endLoop,
	libdvm.Across:      across,
}

// follow lets the table of objects follow a call of a class without a handler.
func follow(s *Sim, c *call.Call) (effect, error) { return effect{}, s.objects.Follow(c) }

// handlerOf returns the handler of a class, nil for ordinary functions.
func handlerOf(k libdvm.Class) handler {
	if h := handlers[k]; h != nil || !object.Follows(k) {
		return h
	}
	return follow
}
