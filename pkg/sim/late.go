package sim

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/units"
)

// The clock of a process begins when it leaves its initialisation, and traces
// do not say when that was. In a reduction all wait for the last to come and leave
// together. When the clock of one process shows less there than that of another, it
// began later, by the difference (docs/model.md#unequal-starts).

const (
	// maxBeforeStart is how many calls are looked through for such a place, and
	// maxTimesAhead how many own times they have at most, 8 MB: those of a thousand
	// calls of 500 processes.
	maxBeforeStart = 1 << 13
	maxTimesAhead  = 1 << 20
	// leastWait and timesLonger say what is waiting for sure: that long, and that
	// many times the time of the one who came last.
	leastWait   = units.Seconds(20e-6)
	timesLonger = 4
)

// ahead is a source of which some calls have been read already.
type ahead struct {
	call.Source
	read  []call.Call
	taken int   // how many of them
	err   error // behind them
	// behind says that the last of them is behind the program's end, drained
	// that what comes behind them has been asked for.
	behind, drained bool
}

func (a *ahead) Next() (*call.Call, error) {
	if a.taken > 0 {
		a.read[a.taken-1] = call.Call{} // its times may be many
	}
	if a.taken < len(a.read) {
		a.taken++
		return &a.read[a.taken-1], nil
	}
	a.read, a.taken, a.drained = nil, 0, true
	if a.err != nil {
		return nil, a.err
	}
	return a.Source.Next()
}

// Exit is found once the calls before it have been taken.
func (a *ahead) Exit() *call.Exit {
	if a.taken < len(a.read) || !a.drained && !a.behind {
		return &call.Exit{}
	}
	return a.Source.Exit()
}

// startsOf looks ahead in src for when the processes started and returns it:
// by how much each was later than the first, nil when that cannot be told. The
// source that it returns yields all of src.
func startsOf(src call.Source, processes int) ([]units.Seconds, call.Source) {
	a := &ahead{Source: src}
	clocks := make([]units.Seconds, processes)
	known := false // own times have been met
	for times := 0; len(a.read) < maxBeforeStart && times < maxTimesAhead; {
		c, err := src.Next()
		if err != nil {
			a.err = err
			return nil, a
		}
		a.read = append(a.read, c.Clone())
		times += len(c.Own.Call) + len(c.Own.Ret)
		if a.behind = src.Exit().Found; a.behind || c.CheckOwn(processes) != nil {
			return nil, a
		}
		if c.Outside {
			continue
		}
		o := &c.Own
		if o.Empty() {
			if !known {
				return nil, a // the trace keeps none
			}
			continue
		}
		known = true
		for p := range clocks {
			for _, times := range [...][]units.Seconds{o.Call, o.Ret} {
				if len(times) > 0 {
					clocks[p] += max(times[p], 0)
				}
			}
		}
		if !leaveTogether(c, processes) {
			continue
		}
		most := slices.Max(clocks)
		for p := range clocks {
			clocks[p] = most - clocks[p]
		}
		return clocks, a
	}
	return nil, a
}

// leaveTogether reports whether all processes leave a call together, since some
// waited in it for the last to come.
func leaveTogether(c *call.Call, processes int) bool {
	switch kindOf(c.Class()) {
	case interval.Reduction:
	case interval.Shadow:
		if c.Class() != libdvm.WaitShadow || processes > 2 {
			return false // who has other neighbours does not wait for the last
		}
	default:
		return false
	}
	if c.Row == nil || c.Row.RetTime != libdvm.TimeWait || len(c.Own.Ret) == 0 {
		return false
	}
	least, most := slices.Min(c.Own.Ret), slices.Max(c.Own.Ret)
	return least != call.Absent && most >= leastWait && most > timesLonger*least
}

// lookAhead finds out when the processes started, where own times are used.
func (s *Sim) lookAhead(src call.Source) call.Source {
	rt := &s.header.Runtime
	if !s.cfg.OwnTimes || s.measured != nil || rt.Processors < 2 || !sameShape(s.cfg.Grid, rt.Root()) || size(s.cfg.Grid) != rt.Processors {
		return src
	}
	s.own.late, src = startsOf(src, rt.Processors)
	if s.ideal != nil {
		s.ideal.own.late = s.own.late
	}
	return src
}
