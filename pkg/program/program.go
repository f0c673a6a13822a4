// Package program keeps the calls of a program to be simulated many times, and
// knows what its calls refer to and which of them it makes over and over.
//
// A time step of a program is the same calls each time: the same functions with the
// same parameters, on objects that are the same or were created in the step by
// the same call. Only their times differ. Whoever simulates such a step needs to
// find its objects, layouts and messages only once.
package program

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/units"
)

// Program is a recorded program. It is not changed, so that several simulations
// may read it at once.
type Program struct {
	*call.Recording
	// times are those of the user before each call and inside it, in turns.
	times   []units.Seconds
	own     []own
	repeats []Repeat
}

// own is what a call has of its own, beside times, when it repeats another one.
type own struct {
	seq int64
	pos diag.Pos
}

// Repeat is a stretch of a program: Count times Period calls that are the same but
// for their times, beginning with the call First, counted from 0.
type Repeat struct{ First, Period, Count int }

// end returns the first call behind the stretch.
func (r *Repeat) end() int { return r.First + r.Period*r.Count }

// New finds out what is repeated in a recording. That never fails: of a program
// that refers to objects that are not there, less is known to be repeated.
func New(rec *call.Recording) *Program {
	p := &Program{Recording: rec, times: make([]units.Seconds, 0, 2*rec.Len()), own: make([]own, rec.Len()), repeats: find(rec)}
	for i := range p.own {
		c := rec.Call(i)
		p.times = append(p.times, c.CallTime, c.RetTime)
		p.own[i] = own{c.Seq, c.Pos}
	}
	return p
}

// Repeats returns the stretches of the program that repeat, in order. Each has at
// least [LeastCount] repetitions.
func (p *Program) Repeats() []Repeat { return p.repeats }

// Source returns a source that reads the program from its beginning. Calls that
// are in their places [Again] have their own times and numbers, and otherwise what
// those in the places [Second] have: handles are those of that time.
func (p *Program) Source() *Source {
	s := &Source{program: p, next: -1}
	s.stretch()
	return s
}

// Turn says what a call is in a stretch that repeats.
type Turn uint8

const (
	// Once is a call that is not repeated, or of the first or last time.
	Once Turn = iota
	// Second is a call of the second time, which all that follow are like: what was
	// there before the first, such as what was exchanged last, does not matter any
	// more.
	Second
	// Again is a call of a later time.
	Again
)

// Place is the place of a call in a stretch that repeats.
type Place struct {
	Turn Turn
	// At counts the calls of the period from 0, of which there are Period.
	At, Period int
}
