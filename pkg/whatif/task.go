package whatif

import (
	"context"
	"iter"
)

// A Task answers a request in turns, so that a worker that has one thread only can
// look in between whether the answer is still wanted.
type Task struct {
	next   func() (struct{}, bool)
	stop   func()
	answer []byte
}

// Start returns the task of [Engine.Answer] for a request. A turn ends when over says
// so, which is asked as often as the simulation asks whether it is to go on. The
// engine does nothing else before the task is over.
func (e *Engine) Start(request []byte, over func() bool) *Task {
	t := &Task{}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.answer = e.Answer(&turns{Context: context.Background(), yield: yield, over: over}, request)
	})
	return t
}

// Run goes on for a turn and returns the answer, or nil when there is none yet.
func (t *Task) Run() []byte {
	if _, more := t.next(); more {
		return nil
	}
	return t.answer
}

// Stop ends the task, whose answer says that it was stopped unless it was there
// already.
func (t *Task) Stop() []byte {
	t.stop()
	if t.answer == nil {
		t.answer = failure(context.Canceled) // it had not begun
	}
	return t.answer
}

// turns is the context of a task: whoever asks whether it is cancelled lets others
// have their turn.
type turns struct {
	context.Context
	yield   func(struct{}) bool
	over    func() bool
	stopped bool
}

// Err is part of [context.Context].
func (t *turns) Err() error {
	if !t.stopped && t.over() {
		t.stopped = !t.yield(struct{}{})
	}
	if t.stopped {
		return context.Canceled
	}
	return nil
}
