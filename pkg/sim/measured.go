package sim

import (
	"context"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// maxLinesMeasured is how many processes a run has at most whose lines are
// accounted: each process has counters of its own, some 300 bytes, at each line of
// each interval.
const maxLinesMeasured = 256

// Measure accounts the run that was traced as it passed
// (docs/model.md#measured-runs): src are its calls with the times of each
// process, or those of a run of one process. Nothing is predicted: processes
// spend what they spent, in functions that wait for others as well. The header
// of the result says that it was measured. Errors are those of [Run], and a
// [diag.Error] when a trace of several processes keeps no times of each.
func Measure(ctx context.Context, src call.Source) (*Result, error) {
	h := src.Header()
	grid := slices.Clone(h.Runtime.Root())
	if h.Runtime.Processors == 1 {
		grid = []int{1} // a virtual grid may be larger
	}
	at := diag.Pos{}
	if len(h.Source) > 0 {
		at.File = h.Source[0]
	}
	if size(grid) < 1 {
		return nil, diag.New(at, "model/grid", "the header says that the program ran on the grid %s, expected extents of at least 1", gridText(grid))
	}
	m, err := nameless(size(grid))
	if err != nil {
		return nil, err
	}
	var book *measured
	cfg := Config{Machine: m, Grid: grid, Options: Defaults(), OwnTimes: true, Lines: size(grid) <= maxLinesMeasured, NewClocks: func(c clock.Config) clock.Clocks {
		book = newMeasured(c)
		return book
	}}
	s, err := New(cfg, h)
	if err != nil {
		return nil, err
	}
	s.measured = book
	r, err := s.run(ctx, src)
	if err != nil {
		return nil, err
	}
	if s.own.apart == nil && h.Runtime.Processors > 1 && r.ExecutionTime() > 0 {
		return nil, diag.New(at, "model/own-times", "the trace of %d processes does not keep the times of each, expected their own traces, or one that was merged with --call-times own: averages are not what the run took", h.Runtime.Processors)
	}
	r.measured = true
	r.exchanges = nil // the trace does not say what was sent, nor which exchange a wait belongs to
	return r, nil
}

// nameless returns the machine of a run of which nothing is known but the
// number of its processors.
func nameless(processors int) (*machine.Machine, error) {
	node := machine.NewProcessor("processor", 1)
	if processors > 1 {
		node = machine.NewCluster("measured", machine.Medium{Kind: machine.Ethernet, Channels: 1}, machine.Group{Count: int64(processors), Node: node})
	}
	return machine.New(node)
}

// size returns the number of processors of a grid.
func size(grid []int) int {
	n := 1
	for _, x := range grid {
		n *= x
	}
	return n
}

// kindOf returns the kind of operation that the functions of a class belong to
// that wait for others. A barrier is a reduction of nothing.
func kindOf(c libdvm.Class) interval.Kind {
	switch c {
	case libdvm.StartShadow, libdvm.WaitShadow, libdvm.SendShadow, libdvm.ReceiveShadow, libdvm.Across, libdvm.DoLoop, libdvm.EndLoopNest:
		return interval.Shadow
	case libdvm.Redistribute, libdvm.Realign:
		return interval.Redistribution
	case libdvm.CopyArray, libdvm.StartCopy, libdvm.WaitCopy, libdvm.LoadBuffer, libdvm.WaitBuffer, libdvm.LoadBufferGroup, libdvm.WaitBufferGroup:
		return interval.Remote
	case libdvm.SendMemory, libdvm.IO, libdvm.ArrayIO:
		return interval.IO
	}
	return interval.Reduction
}

// passMeasured books the time inside a function that waits; false when the
// run is not measured or the function does not wait.
func (s *Sim) passMeasured(c *call.Call) bool {
	if s.measured == nil || s.own.waits == no || len(c.Own.Ret) == 0 {
		return false
	}
	s.measured.wait(kindOf(c.Class()), c.Own.Ret, s.own.waits == together)
	return true
}

// measured are the counters of the processes of a run. They keep no clocks:
// operations take what they took.
type measured struct {
	*clock.Network
	*clock.Ledger
	at clock.Account
}

func newMeasured(cfg clock.Config) *measured {
	return &measured{Network: clock.NewNetwork(cfg), Ledger: clock.NewLedger(cfg.Grid)}
}

// on returns what a process books to in an account, as a member.
func (m *measured) on(a clock.Account, rank int) *clock.Counters {
	m.Admit(a, rank)
	return m.Of(a, rank)
}

// wait books times in a function that waits. Where all wait for the last to
// come, the shortest is not waiting, and what the others have more is.
func (m *measured) wait(k interval.Kind, times []units.Seconds, all bool) {
	least := slices.Min(times)
	if !all || least == call.Absent {
		least = 0
	}
	for rank, t := range times {
		switch {
		case t == call.Absent:
		case all && least > 0:
			m.on(m.at, rank).Transfer(k, least)
			m.on(m.at, rank).Wait(k, t-least)
		default:
			m.on(m.at, rank).Transfer(k, t)
		}
	}
}

// besides books what the processes but one did in input and output: before a
// call they computed, inside they waited for the one.
func (m *measured) besides(but int, t spent, before bool) {
	for rank := range t.own {
		switch x := t.of(rank); {
		case rank == but || x == 0:
		case before:
			m.AddOne(rank, clock.Amount{User: x})
		default:
			m.on(m.at, rank).Transfer(interval.IO, x)
		}
	}
}

func (m *measured) Enter(a clock.Account) {
	m.at = a
	m.Open(a)
}

func (m *measured) Join(s *procs.System) {
	for i := range s.Size() {
		m.on(m.at, s.Rank(i))
	}
}

func (m *measured) AddOne(rank int, w clock.Amount) { m.on(m.at, rank).Work(w, 1) }

func (m *measured) AddAll(s *procs.System, w clock.Amount) {
	for i := range s.Size() {
		m.AddOne(s.Rank(i), w)
	}
}

func (m *measured) AddParts(s *procs.System, p *clock.Parts, user, system units.Seconds) {
	m.AddBy(s, p.Labels, func(l []int64) clock.Amount { return p.Work(l, user, system) })
}

func (m *measured) AddBy(s *procs.System, labels [][]int64, work func([]int64) clock.Amount) {
	coords, l := make([]int, len(s.Grid)), make([]int64, len(s.Grid))
	for i := range s.Size() {
		s.Coords(i, coords)
		for k, c := range coords {
			l[k] = labels[k][c]
		}
		m.AddOne(s.Rank(i), work(l))
	}
}

// Pipeline books the work of the stages; what they waited for each other is in
// the time inside dopl_.
func (m *measured) Pipeline(p *clock.Pipeline) {
	for i := range p.System.Size() {
		coords := make([]int, len(p.System.Grid))
		p.System.Coords(i, coords)
		if _, ok := p.Stage(coords); !ok {
			continue
		}
		for _, w := range p.Work {
			m.on(w.Account, p.System.Rank(i)).Work(w.Of(coords), 1)
		}
	}
}

// What operations cost, and when, is in the times of the trace.

func (m *measured) Sync(*procs.System, interval.Kind) clock.Instant { return clock.Instant{} }
func (m *measured) Late(*procs.System, interval.Kind) (clock.Instant, clock.Snapshot) {
	return clock.Instant{}, 0
}
func (m *measured) Remember(*procs.System) clock.Snapshot { return 0 }
func (m *measured) Release(clock.Snapshot)                {}
func (m *measured) AfterLongest(clock.Instant, *procs.System, [][]int64, func([]int64) units.Seconds) clock.Instant {
	return clock.Instant{}
}
func (m *measured) Exchange(*procs.System, clock.Instant, ...clock.Demand) clock.Instant {
	return clock.Instant{}
}
func (m *measured) Delay(*procs.System, interval.Kind, clock.Instant, clock.Instant) {}
func (m *measured) Await(*procs.System, interval.Kind, clock.Instant, clock.Instant, clock.Snapshot) {
}
func (m *measured) Variation(*procs.System, interval.Kind) {}
func (m *measured) Latest(*procs.System) units.Seconds     { return 0 }
