package program

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/units"
)

// A State is what is known of a program when all calls have been simulated that were
// read so far.
type State interface {
	// Between reports whether a time step may begin: nothing is under way.
	Between() bool
	// Names reports whether value names an object.
	Names(value uint64) bool
}

// Stream is a source that says of each call whether it repeats another one, and finds
// that out as it reads: two time steps that were the same, handles included, are
// expected to come again. The calls of a step are read ahead and handed out as
// [Second] or [Again] when it is all there, else as they are.
//
// A step changes only what it creates itself, and what it creates has the same names
// each time. So what there is after a step is the same whether it was simulated or
// not, and the last one of a stretch needs not be simulated in full.
type Stream struct {
	call.Source
	state   State
	shapes  shapes
	history history
	// credit is how many calls may be compared, notBefore where a step may begin.
	credit, notBefore int64
	bound             map[uint64]int

	// step is the time step that repeats, nil when none does. Of its calls read are
	// there, with times and what they have of their own, and at of them were handed
	// out.
	step     []*shape
	times    []units.Seconds
	own      []own
	read, at int
	turn     Turn
	over     bool // the step at hand is not all there
	// held is the call behind those that are there, err what comes behind.
	held  *call.Call
	err   error
	place Place
}

const (
	// maxStreamPeriod bounds the calls of a time step of a stream.
	maxStreamPeriod = 1 << 12
	// streamEffort is how many calls are compared, per call of the stream, at most
	// maxCredit at once.
	streamEffort = 16
	maxCredit    = 4 * maxStreamPeriod
)

// NewStream returns a stream of the calls of src.
func NewStream(src call.Source, state State) *Stream {
	return &Stream{Source: src, state: state, bound: map[uint64]int{}}
}

// Exit is part of [call.Source].
func (s *Stream) Exit() *call.Exit {
	if s.step != nil {
		return &call.Exit{} // it may have been read ahead
	}
	return s.Source.Exit()
}

// Warnings is part of [call.Source].
func (s *Stream) Warnings() []*diag.Error { return s.Source.Warnings() }

// Place returns the place of the call that Next returned last.
func (s *Stream) Place() Place { return s.place }

// Next is part of [call.Source].
func (s *Stream) Next() (*call.Call, error) {
	if s.step != nil && s.at == s.read && !s.over {
		s.turn = Again
		s.fill(0)
	}
	if s.at < s.read {
		k := s.step[s.at]
		s.place = Place{s.turn, s.at, len(s.step)}
		if s.over {
			s.place = Place{}
			s.history.push(k)
		}
		s.at++
		return k.with(s.times[2*s.at-2:], &s.own[s.at-1]), nil
	}
	s.place, s.step, s.read, s.at, s.over = Place{}, nil, 0, 0, false
	c, err := s.held, s.err
	if s.held = nil; c == nil && err == nil {
		c, err = s.Source.Next()
	}
	if err != nil {
		s.err = err
		return nil, err
	}
	k := s.shapes.of(c)
	if k != nil {
		if p := s.period(k); p > 0 {
			s.begin(p, c)
			return s.Next()
		}
	}
	s.history.push(k)
	return c, nil
}

// begin begins a stretch of the given period with c, which may be the first call of
// the third time step.
func (s *Stream) begin(period int64, c *call.Call) {
	h := &s.history
	s.step, s.own, s.times = s.step[:0], slices.Grow(s.own[:0], int(period))[:period], slices.Grow(s.times[:0], 2*int(period))[:2*period]
	for t := period; t > 0; t-- {
		s.step = append(s.step, h.shapes[(h.n-t)%historySize])
	}
	h.forget()
	s.turn = Second
	s.keep(0, c)
	s.fill(1)
}

// fill reads the next time step, of which some calls are there. It is over when
// another call comes.
func (s *Stream) fill(there int) {
	s.at = 0
	for s.read = there; s.read < len(s.step); s.read++ {
		c, err := s.Source.Next()
		if err != nil {
			s.err, s.over = err, true
			return
		}
		k := s.step[s.read]
		if args, ret, ok := plain(c); !ok || !k.is(c, args, ret) && s.shapes.of(c) != k {
			s.held, s.over = c, true
			return
		}
		s.keep(s.read, c)
	}
}

// keep keeps what c, a call of the step by its place, has of its own.
func (s *Stream) keep(at int, c *call.Call) {
	s.times[2*at], s.times[2*at+1] = c.CallTime, c.RetTime
	s.own[at] = own{c.Seq, c.Pos}
}

// Like reads on in a time step as long as calls repeat earlier ones and known says of
// their place in the period that nothing but their times must be known. It returns
// the times of these calls: before each and inside it, in turns. They are valid until
// something is read.
func (s *Stream) Like(known func(at int) bool) []units.Seconds {
	if s.step == nil || s.over || s.turn != Again || s.at == s.read {
		return nil
	}
	first := s.at
	for s.at < s.read && known(s.at) {
		s.place = Place{Again, s.at, len(s.step)}
		s.at++
	}
	return s.times[2*first : 2*s.at]
}

// TimeStep reads the whole time step that comes next; ok is false when none begins
// with the next call that repeats an earlier one. It is valid until something is read.
func (s *Stream) TimeStep() (t TimeStep, ok bool) {
	if s.step == nil || s.over || s.at < s.read {
		return TimeStep{}, false
	}
	s.turn = Again
	if s.fill(0); s.over {
		return TimeStep{}, false
	}
	s.at = s.read
	s.place = Place{Again, s.at - 1, len(s.step)}
	return TimeStep{s.times, s.own}, true
}

// period returns the number of calls of a time step that was the same twice and may
// begin again with a call of shape k, 0 when there is none.
func (s *Stream) period(k *shape) int64 {
	h := &s.history
	s.credit = min(s.credit+streamEffort, maxCredit)
	if h.n < s.notBefore || s.credit < 0 || k.last < h.from || !s.state.Between() {
		return 0
	}
	at := k.last
	for range guesses {
		p := h.n - at
		if at < h.from || h.n-2*p < h.from || s.credit < 0 {
			return 0
		}
		same, looked := h.equal(p)
		s.credit -= looked
		if same {
			s.credit -= p
			if bad, ok := s.fits(p); !ok {
				s.notBefore = h.n + int64(bad) + 1
				return 0
			}
			return p
		}
		at = h.before[at%historySize]
	}
	return 0
}

// What a name is bound to in a time step: not yet, nothing any more, or the place of
// a call.
const (
	boundLater   = -1
	boundNothing = -2
)

// fits reports whether the last p calls may be a time step that repeats: they refer to
// what they created before, or to what was there before and which they leave as it
// is. Otherwise bad is the call that does not, and no step may begin before it.
func (s *Stream) fits(p int64) (bad int, ok bool) {
	h := &s.history
	clear(s.bound)
	for t := p; t > 0; t-- {
		for _, v := range h.shapes[(h.n-t)%historySize].binds {
			s.bound[v] = boundLater
		}
	}
	first := h.n - p
	for i := range int(p) {
		k := h.shapes[(first+int64(i))%historySize]
		for _, r := range k.refs {
			by, inStep := s.bound[r.value]
			switch {
			case !inStep:
				ok = !r.changes || !s.state.Names(r.value)
			case by >= 0:
				ok = !r.changes || h.shapes[(first+int64(by))%historySize].creates
			default:
				ok = by == boundNothing
			}
			if !ok {
				return i, false
			}
		}
		for _, v := range k.ends {
			s.bound[v] = boundNothing
		}
		for _, v := range k.binds {
			s.bound[v] = i
		}
	}
	return 0, true
}
