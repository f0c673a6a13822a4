package program

import (
	"io"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/units"
)

// Source is a [call.Source] that says of each call whether it repeats another one.
type Source struct {
	program *Program
	exit    call.Exit
	read    int // how many calls were read
	// next is the stretch that is not over yet. Its second time begins with the call
	// second, those that follow with again, the last with last; at counts the calls
	// of the period.
	next, period, second, again, last int
	at                                int
	calls                             []call.Call // of the second time, then of those that follow
}

// stretch goes on to the next stretch.
func (s *Source) stretch() {
	s.next++
	if s.next == len(s.program.repeats) {
		n := s.program.Len() + 1
		s.period, s.second, s.again, s.last = 0, n, n, n
		return
	}
	r := &s.program.repeats[s.next]
	s.period, s.second, s.again, s.last = r.Period, r.First+r.Period, r.First+2*r.Period, r.end()-r.Period
	s.at = 0
}

// Header is part of [call.Source].
func (s *Source) Header() *call.Header { return s.program.Header() }

// Warnings is part of [call.Source]: those of reading are [call.Recording.Warnings].
func (s *Source) Warnings() []*diag.Error { return nil }

// Exit is part of [call.Source].
func (s *Source) Exit() *call.Exit { return &s.exit }

// Next is part of [call.Source].
func (s *Source) Next() (*call.Call, error) {
	if s.read == s.program.Len() {
		s.exit = *s.program.Exit()
		return nil, io.EOF
	}
	s.step()
	i := s.read - 1
	if i < s.second {
		return s.program.Call(i), nil
	}
	if i < s.again {
		if s.at == 0 && cap(s.calls) < s.period {
			s.calls = make([]call.Call, 0, s.period)
		}
		s.calls = append(s.calls[:s.at], *s.program.Call(i))
		return &s.calls[s.at], nil
	}
	// The calls of a step are few, so that they stay in the caches of the machine.
	c, o := &s.calls[s.at], &s.program.own[i]
	c.CallTime, c.RetTime, c.Seq, c.Pos = s.program.times[2*i], s.program.times[2*i+1], o.seq, o.pos
	return c, nil
}

// step goes on to the next call.
func (s *Source) step() {
	if s.read > s.second {
		if s.at++; s.at == s.period {
			s.at = 0
		}
	}
	s.read++
	if s.read > s.last {
		s.stretch()
	}
}

// Place returns the place of the call that Next returned last.
func (s *Source) Place() Place {
	switch i := s.read - 1; {
	case i < s.second:
		return Place{}
	case i < s.again:
		return Place{Second, s.at, s.period}
	}
	return Place{Again, s.at, s.period}
}

// Like reads on as long as calls repeat earlier ones and known says of their place
// in the period that nothing but their times must be known. It returns the times of
// these calls: before each and inside it, in turns.
func (s *Source) Like(known func(at int) bool) []units.Seconds {
	first := s.read
	for s.read >= s.again && s.read < s.last {
		at := s.at + 1
		if at == s.period {
			at = 0
		}
		if !known(at) {
			break
		}
		s.step()
	}
	return s.program.times[2*first : 2*s.read]
}

// A TimeStep is a time step that repeats an earlier one, as what it has of its own.
type TimeStep struct {
	// Times are those of its calls, before each and inside it, in turns.
	Times []units.Seconds
	own   []own
}

// Seq returns the number of a call by its place in the period.
func (t *TimeStep) Seq(at int) int64 { return t.own[at].seq }

// TimeStep reads the whole time step that comes next; ok is false when none begins
// with the next call that repeats an earlier one.
func (s *Source) TimeStep() (t TimeStep, ok bool) {
	if s.read < s.again || s.read >= s.last || s.at+1 != s.period {
		return TimeStep{}, false
	}
	first := s.read
	s.read += s.period
	return TimeStep{s.program.times[2*first : 2*s.read], s.program.own[first:s.read]}, true
}

// Full returns a source that reads the program from its beginning with every call as
// it is.
func (s *Source) Full() call.Source { return s.program.Recording.Source() }
