package sim

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// spent is time of the trace on its way to the clocks: one time that is given
// to processors by a rule, or the time of each of them
// (docs/model.md#own-times). The zero value is no time.
type spent struct {
	merged units.Seconds
	// own, when not nil, are the times by the root's numbers of processors,
	// [call.Absent] where nothing was spent; merged is 0 then. It belongs to the
	// call at hand.
	own []units.Seconds
	// traced, when not nil, are the times of the processes of the run that was
	// traced, as own, of which merged was made: they say how merged is spread
	// over the iterations of a loop (docs/model.md#costs-of-iterations).
	traced []units.Seconds
}

// none reports whether no time was spent.
func (t spent) none() bool { return t.merged == 0 && t.own == nil }

// of returns the own time of the processor with the root's number rank.
func (t spent) of(rank int) units.Seconds {
	if rank >= len(t.own) {
		return 0
	}
	return max(t.own[rank], 0) // Absent is negative
}

// ownTimes are the times of each processor that the trace keeps, and how the
// processors of a system are told apart by them.
type ownTimes struct {
	// use says that they hold: the grid is the one that was traced.
	use bool
	// late is by how much later than the first each process started, nil when
	// that is not known.
	late []units.Seconds
	// waits is about the call at hand.
	waits waiting
	// apart holds for systems the labels under which all times so far were
	// equal; they are refined only, as the clocks are.
	apart map[*procs.System][][]int64
}

// maxApart bounds the systems whose labels are remembered.
const maxApart = 64

// sameShape reports whether two grids have the same extents, but for last
// dimensions with one coordinate.
func sameShape(a, b []int) bool {
	trim := func(grid []int) []int {
		for len(grid) > 0 && grid[len(grid)-1] == 1 {
			grid = grid[:len(grid)-1]
		}
		return grid
	}
	return slices.Equal(trim(a), trim(b))
}

// takeOwn looks at the own times of a call that is about to be simulated.
func (s *Sim) takeOwn(c *call.Call) error {
	if !s.cfg.OwnTimes || c.Own.Empty() {
		return nil
	}
	s.own.waits = s.waitsIn(c)
	if err := c.CheckOwn(s.header.Runtime.Processors); err != nil {
		return err
	}
	return s.meetOwn(c.Pos)
}

// meetOwn decides, when the first own times are met, whether they are used. It
// fails when they would be, but are not those of one process for each processor.
func (s *Sim) meetOwn(at diag.Pos) error {
	if s.own.apart != nil {
		return nil
	}
	rt := &s.header.Runtime
	s.own.apart = map[*procs.System][][]int64{}
	if s.own.use = sameShape(s.cfg.Grid, rt.Root()); s.own.use {
		if err := processForEach(at, rt); err != nil {
			return err
		}
	} else {
		with := ""
		if s.costs != nil && s.costs.Traced {
			with = ", in loops with the costs of iterations that they give"
		}
		s.notes.warn(at, "own-times", "the trace keeps the times of each process of the grid %s, and the grid simulated is %s: merged times are used%s", gridText(rt.Root()), gridText(s.cfg.Grid), with)
	}
	if s.own.use && s.own.late != nil {
		// Initialisation is the run-time system's.
		s.system(spent{own: s.own.late})
	}
	return nil
}

// processForEach returns the error of own times, first met at a place, of another
// number of processes than the grid that was traced has processors.
func processForEach(at diag.Pos, rt *call.Runtime) error {
	grid := rt.Root()
	if size(grid) == rt.Processors {
		return nil
	}
	return diag.New(at, "model/own-times", "the trace keeps the times of %d processes, and its header says that the program ran on the grid %s: expected one process for each processor; merge the traces without --call-times own", rt.Processors, gridText(grid))
}

// before returns the user's time before a call.
func (s *Sim) before(c *call.Call) spent {
	if s.own.use && len(c.Own.Call) > 0 {
		return spent{own: c.Own.Call}
	}
	return spent{merged: c.CallTime, traced: s.costs.times(c.Own.Call)}
}

// within returns the time inside a call. Of a function that waits for others
// it is the shortest of all that took part, the same for everybody: the last to
// come did not wait. In dopl_ of a pipeline those wait that have a predecessor.
func (s *Sim) within(c *call.Call) spent {
	if !s.own.use || len(c.Own.Ret) == 0 {
		return spent{merged: c.RetTime, traced: s.costs.times(c.Own.Ret)}
	}
	switch s.own.waits {
	case no:
		return spent{own: c.Own.Ret}
	case predicted:
		return s.loop.pipe.inDoLoop(c)
	}
	if !s.knowsShortest(c) {
		return spent{merged: c.RetTime}
	}
	return spent{merged: slices.Min(c.Own.Ret)}
}

// knowsShortest reports whether all wait for each other in a call, and the
// shortest time that anybody spent in it is known.
func (s *Sim) knowsShortest(c *call.Call) bool {
	return s.own.use && s.own.waits == together && len(c.Own.Ret) > 0 && slices.Min(c.Own.Ret) != call.Absent
}

// waiting says whether the own time inside a call is one of waiting for others.
type waiting uint8

const (
	no waiting = iota
	// together is for what all wait for: the last to come does not.
	together
	// predicted is for the portions of a pipeline, where each waits for another.
	predicted
)

// waitsIn returns what the time inside a call is, which is about to be
// simulated. What starts an exchange copies into buffers and does not wait for
// anybody; a loop ends without waiting, but for that of exchanges that belong
// to it.
func (s *Sim) waitsIn(c *call.Call) waiting {
	switch c.Class() {
	case libdvm.StartShadow, libdvm.SendShadow, libdvm.ReceiveShadow, libdvm.LoadBuffer, libdvm.LoadBufferGroup:
		return no
	case libdvm.DoLoop:
		if s.loop.pipe != nil {
			return predicted
		}
	case libdvm.EndLoopNest:
		if s.loop.deferred() {
			return together
		}
		return no
	}
	if c.Row != nil && c.Row.RetTime == libdvm.TimeWait {
		return together
	}
	return no
}

// beforeEnd returns the user's time before the program's end.
func (s *Sim) beforeEnd(e *call.Exit) (spent, error) {
	if !s.cfg.OwnTimes || len(e.Own) == 0 {
		return spent{merged: e.Time}, nil
	}
	at := diag.Pos{File: e.File, Line: e.Line}
	if err := e.CheckOwn(at, s.header.Runtime.Processors); err != nil {
		return spent{}, err
	}
	if err := s.meetOwn(at); err != nil || !s.own.use {
		return spent{merged: e.Time}, err
	}
	return spent{own: e.Own}, nil
}

// passOwn passes on every processor its own time, as the amount that work
// makes of it and of the labels in more, which may be nil; those of a
// processor outside sys are nil.
func (s *Sim) passOwn(sys *procs.System, t spent, more [][]int64, work func(t units.Seconds, labels []int64) clock.Amount) {
	if t.own == nil {
		return
	}
	t.own = slices.Clone(t.own) // clocks may ask later
	at := s.placesOf(sys, t, more)
	s.clocks.AddBy(sys, at.labels, func(l []int64) clock.Amount { return work(t.of(at.rank(l)), at.more(l)) })
	s.passRest(t, func(rank int) bool {
		_, in := sys.Contains(rank)
		return !in
	}, work)
}

// passRest passes the own times of the processors that are left over.
func (s *Sim) passRest(t spent, left func(rank int) bool, work func(t units.Seconds, labels []int64) clock.Amount) {
	for rank := range t.own {
		if t.of(rank) > 0 && left(rank) {
			s.clocks.AddOne(rank, work(t.of(rank), nil))
		}
	}
}

// places are labels of the coordinates of a system that say where a processor
// is, or another one that has the same times and the same further labels.
type places struct {
	sys     *procs.System
	labels  [][]int64 // the first coordinate that is like each
	further [][]int64
}

// placesOf returns labels that tell apart the processors of sys that differ in
// t or, when it is not nil, in more.
func (s *Sim) placesOf(sys *procs.System, t spent, more [][]int64) places {
	p := places{sys, s.apart(sys, t), more}
	if more == nil {
		return p
	}
	p.labels = slices.Clone(p.labels)
	for k, own := range p.labels {
		first := map[[2]int64]int64{}
		p.labels[k] = make([]int64, len(own))
		for c := range own {
			key := [2]int64{own[c], more[k][c]}
			if _, ok := first[key]; !ok {
				first[key] = int64(c)
			}
			p.labels[k][c] = first[key]
		}
	}
	return p
}

// rank returns the root's number of the processor with the given labels.
func (p *places) rank(labels []int64) int {
	i := 0
	for k, n := range p.sys.Grid {
		i = i*n + int(labels[k])
	}
	return p.sys.Rank(i)
}

// more returns its further labels.
func (p *places) more(labels []int64) []int64 {
	if p.further == nil {
		return nil
	}
	out := make([]int64, len(labels))
	for k, l := range labels {
		out[k] = p.further[k][l]
	}
	return out
}

// apart returns labels of the coordinates of sys under which the times are
// equal: each is the first coordinate that has it.
func (s *Sim) apart(sys *procs.System, t spent) [][]int64 {
	labels, ok := s.own.apart[sys]
	if !ok {
		if len(s.own.apart) == maxApart {
			clear(s.own.apart)
		}
		labels = make([][]int64, len(sys.Grid))
		for k, n := range sys.Grid {
			labels[k] = make([]int64, n)
		}
		s.own.apart[sys] = labels
	}
	for k := range sys.Grid {
		if fresh := refine(sys, labels[k], k, t); fresh != nil {
			labels = slices.Clone(labels) // clocks may still have the others
			labels[k] = fresh
			s.own.apart[sys] = labels
		}
	}
	return labels
}

// refine returns labels of dimension k that tell apart all coordinates that
// labels tell apart and those whose processors differ in t; nil when that is
// nothing more.
func refine(sys *procs.System, labels []int64, k int, t spent) []int64 {
	n := sys.Grid[k]
	inner := 1
	for _, m := range sys.Grid[k+1:] {
		inner *= m
	}
	alike := func(c, d int) bool {
		for base := 0; base < sys.Size(); base += inner * n {
			for i := range inner {
				if t.of(sys.Rank(base+c*inner+i)) != t.of(sys.Rank(base+d*inner+i)) {
					return false
				}
			}
		}
		return true
	}
	var fresh []int64
	for c, l := range labels {
		if int64(c) == l || alike(c, int(l)) {
			continue
		}
		if fresh == nil {
			fresh = slices.Clone(labels)
		}
		fresh[c] = int64(c)
		for d := int(l) + 1; d < c; d++ {
			if labels[d] == l && fresh[d] == int64(d) && alike(c, d) {
				fresh[c] = int64(d)
				break
			}
		}
	}
	return fresh
}

// add adds u to t, which owns its memory.
func (t *spent) add(u spent) {
	t.merged += u.merged
	t.own = addEach(t.own, u.own)
}

// addEach adds the times of processes to dst, which is made when it is nil.
func addEach(dst, times []units.Seconds) []units.Seconds {
	if times != nil && dst == nil {
		dst = make([]units.Seconds, len(times))
	}
	for i, t := range times {
		dst[i] += max(t, 0)
	}
	return dst
}

// passOwnLoop passes own times in the iterations of a loop. Of the time of a
// processor of sys with the given labels, part says which part passes; nil
// stands for all; of a processor outside sys the labels are nil. It reports
// whether that is all there is.
func (s *Sim) passOwnLoop(sys *procs.System, share *layout.Share, user, system spent, labels [][]int64, part func(labels []int64) float64) bool {
	redundant := redundantShare(share.Same)
	of := func(t units.Seconds, l []int64) units.Seconds {
		if part == nil {
			return t
		}
		return scaled(t, part(l))
	}
	if user.own != nil {
		s.sayOwn("loop time", user)
		s.passOwn(sys, user, labels, func(t units.Seconds, l []int64) clock.Amount {
			return clock.Amount{User: of(t, l), UserRedundant: redundant}
		})
	}
	if system.own != nil {
		s.sayOwn("time inside calls in the loop", system)
		s.passOwn(sys, system, labels, func(t units.Seconds, l []int64) clock.Amount {
			return clock.Amount{System: of(t, l), SystemRedundant: redundant}
		})
	}
	return (user.own != nil || system.own != nil) && user.merged == 0 && system.merged == 0
}

// alike returns the time that all processors of sys spend when it is the same
// for all of them and nobody else spends any.
func (t spent) alike(sys *procs.System) (units.Seconds, bool) {
	if sys.Size() != len(t.own) {
		return 0, false
	}
	for i := range t.own {
		if t.of(i) != t.of(0) {
			return 0, false
		}
	}
	return t.of(0), true
}

// timesApart returns labels of the coordinates of sys under which the own times
// of all times are equal, nil when none has any.
func (s *Sim) timesApart(sys *procs.System, times []loopTime) [][]int64 {
	var labels [][]int64
	for i := range times {
		for _, t := range [...]spent{times[i].user, times[i].system} {
			if t.own != nil {
				labels = s.apart(sys, t)
			}
		}
	}
	return labels
}

// afterEdges returns the instant that comes after start by the longest time that
// anybody spends in the iterations at the edges.
func (s *Sim) afterEdges(start clock.Instant, sys *procs.System, e *edgeCounts) clock.Instant {
	var t spent
	s.timesApart(sys, e.times)
	for i := range e.times {
		t.add(spent{own: e.times[i].user.own})
		t.add(spent{own: e.times[i].system.own})
	}
	if t.own == nil {
		return s.clocks.AfterLongest(start, sys, e.labels, func(labels []int64) units.Seconds { return e.time(labels, true) })
	}
	at := s.placesOf(sys, t, e.labels)
	return s.clocks.AfterLongest(start, sys, at.labels, func(l []int64) units.Seconds {
		labels, rank := at.more(l), at.rank(l)
		sum := e.time(labels, true)
		for i := range e.times {
			p := &e.times[i]
			sum += scaled(p.user.of(rank)+p.system.of(rank), e.of[i].part(labels, true))
		}
		return sum
	})
}

// part returns which part of its iterations a processor has at the edges, or
// not at the edges; all of none are not at the edges.
func (p *edgePortion) part(labels []int64, edges bool) float64 {
	var at, inner int64
	if labels != nil { // of a processor that executes the loop
		at, inner = p.count(labels, true), p.count(labels, false)
	}
	n := at + inner
	if p.of.cost != nil && p.of.cost.shares != nil && labels != nil {
		parts := p.of.cost.shares
		if all := p.costsOf(parts, labels, p.n, p.all); all > 0 {
			return p.costs(parts, labels, edges) / all
		}
	}
	switch {
	case n == 0 && edges:
		return 0
	case n == 0:
		return 1
	case edges:
		return float64(at) / float64(n)
	}
	return float64(inner) / float64(n)
}
