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
)

// Program is a recorded program. It is not changed, so that several simulations
// may read it at once.
type Program struct {
	*call.Recording
	repeats []Repeat
}

// Repeat is a stretch of a program: Count times Period calls that are the same but
// for their times, beginning with the call First, counted from 0.
type Repeat struct{ First, Period, Count int }

// end returns the first call behind the stretch.
func (r *Repeat) end() int { return r.First + r.Period*r.Count }

// New finds out what is repeated in a recording. That never fails: of a program
// that refers to objects that are not there, less is known to be repeated.
func New(rec *call.Recording) *Program {
	return &Program{rec, find(rec)}
}

// Repeats returns the stretches of the program that repeat, in order. Each has at
// least [LeastCount] repetitions.
func (p *Program) Repeats() []Repeat { return p.repeats }

// Source returns a source that reads the program from its beginning.
func (p *Program) Source() *Source {
	return &Source{Source: p.Recording.Source(), program: p}
}

// Source is a [call.Source] that says of each call whether it repeats another one.
type Source struct {
	call.Source
	program *Program
	at      int // how many calls were read
	next    int // the stretch that is not over yet
}

// Next is part of [call.Source].
func (s *Source) Next() (*call.Call, error) {
	s.at++
	return s.Source.Next()
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

// Place returns the place of the call that Next returned last.
func (s *Source) Place() Place {
	i := s.at - 1
	for s.next < len(s.program.repeats) {
		r := &s.program.repeats[s.next]
		if i >= r.end() {
			s.next++
			continue
		}
		if i < r.First {
			break
		}
		times, at := (i-r.First)/r.Period, (i-r.First)%r.Period
		turn := Again
		switch times {
		case 0, r.Count - 1:
			turn = Once
		case 1:
			turn = Second
		}
		return Place{turn, at, r.Period}
	}
	return Place{}
}
