package program

import (
	"io"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
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
		s.calls = append(s.calls[:s.at], *s.program.Call(i))
		return &s.calls[s.at], nil
	}
	// The calls of a step are few, so that they stay in the caches of the machine.
	c, o := &s.calls[s.at], &s.program.own[i]
	c.CallTime, c.RetTime, c.Seq, c.Pos = o.Before, o.Inside, o.Seq, o.pos
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
// in the period that nothing but their times must be known, which pass gets.
func (s *Source) Like(known func(at int) bool, pass func(Times)) {
	for s.read >= s.again && s.read < s.last {
		at := s.at + 1
		if s.read == s.again || at == s.period {
			at = 0
		}
		if !known(at) {
			return
		}
		s.step()
		pass(s.program.own[s.read-1].Times)
	}
}

// Full returns a source that reads the program from its beginning with every call as
// it is.
func (s *Source) Full() call.Source { return s.program.Recording.Source() }
