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
	// maxBeforeStart is how many calls are looked through for such a place.
	maxBeforeStart = 1 << 13
	// leastWait and timesLonger say what is waiting for sure: that long, and that
	// many times the time of the one who came last.
	leastWait   = units.Seconds(20e-6)
	timesLonger = 4
)

// ahead is a source of which some calls have been read already.
type ahead struct {
	call.Source
	read []call.Call
	err  error // behind them
	// behind says that the last of them is behind the program's end, drained
	// that what comes behind them has been asked for.
	behind, drained bool
}

func (a *ahead) Next() (*call.Call, error) {
	if len(a.read) > 0 {
		c := &a.read[0]
		a.read = a.read[1:]
		return c, nil
	}
	a.drained = true
	if a.err != nil {
		return nil, a.err
	}
	return a.Source.Next()
}

// Exit is found once the calls before it have been taken.
func (a *ahead) Exit() *call.Exit {
	if len(a.read) > 0 || !a.drained && !a.behind {
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
	for len(a.read) < maxBeforeStart {
		c, err := src.Next()
		if err != nil {
			a.err = err
			return nil, a
		}
		a.read = append(a.read, c.Clone())
		if a.behind = src.Exit().Found; a.behind || c.CheckOwn(processes) != nil {
			return nil, a
		}
		if c.Outside || c.Own.Empty() {
			continue
		}
		o := &c.Own
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
