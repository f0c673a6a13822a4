package sim

import (
	"math"
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// The lists that integration follows.
var (
	characteristics     = interval.Characteristics()
	kindCharacteristics = interval.KindCharacteristics()
)

// scaled returns t*f, rounded before it is added to anything.
func scaled(t units.Seconds, f float64) units.Seconds { return units.Seconds(float64(t) * f) }

// Result is what a simulation found.
type Result struct {
	Machine  *machine.Machine
	Grid     []int
	Options  interval.Options
	Source   []string
	Warnings []*diag.Error

	measured    bool          // not predicted
	startup     units.Seconds // on a processor of power 1
	explanation []string
	tree        *tree
	books       clock.Books
	nodes       []interval.Interval // in the order of the stream, parents first
	classes     [][]class           // of every interval of nodes
	withLines   bool
	lines       [][]interval.Line // of every interval of nodes, nil without
	exchanges   []interval.Exchange
	timeline    *clock.Timeline
	// ids are the intervals of accounts, as far as a timeline needs them.
	ids map[clock.Account]int
}

// class is a class of processors that has been given its characteristics in
// an interval.
type class struct {
	id    int // of the clocks
	n     int64
	times interval.Times
}

// Intervals returns the intervals with all characteristics, parents first.
func (r *Result) Intervals() []interval.Interval { return r.nodes }

// ExecutionTime returns the predicted time of the whole program.
func (r *Result) ExecutionTime() units.Seconds { return r.nodes[0].ExecutionTime }

// integrate computes the characteristics of every interval from what was
// booked: sums include nested intervals, processor by processor (laws L2 to
// L5, docs/model.md#3-intervals).
func (r *Result) integrate() {
	r.walk(r.tree.root, 0, r.tree.root.level)
	r.cut(r.Options.Level)
	r.settleLines()
	r.addExchanges()
}

// cut removes the intervals below the given level, whose figures are part of
// those around them; -1 keeps all. They are removed only now, so that what is
// left has the same figures to the last bit whatever is kept.
func (r *Result) cut(level int) {
	if level < 0 {
		return
	}
	renamed := make(map[int]int, len(r.nodes))
	n := 0
	for i, iv := range r.nodes {
		if iv.Level > level {
			renamed[iv.ID] = n
			// The last interval that was kept is the one around it.
			if r.withLines {
				r.lines[n-1] = append(r.lines[n-1], r.lines[i]...)
			}
			continue
		}
		renamed[iv.ID] = n + 1
		iv.ID, iv.Parent = n+1, renamed[iv.Parent]
		r.nodes[n], r.classes[n] = iv, r.classes[i]
		if r.withLines {
			r.lines[n] = r.lines[i]
		}
		n++
	}
	r.nodes, r.classes = r.nodes[:n], r.classes[:n]
	for a, id := range r.ids {
		r.ids[a] = renamed[id]
	}
	if r.withLines {
		r.lines = r.lines[:n]
	}
}

// walk appends n and what is below it to the intervals and returns the
// inclusive counters of every class, and which classes are members.
func (r *Result) walk(n *node, parent, level int) ([]clock.Counters, []bool) {
	at := len(r.nodes)
	r.nodes = append(r.nodes, interval.Interval{
		ID: at + 1, Parent: parent, Level: level, Type: n.typ, File: n.file, Line: n.line,
		Expr: n.expr, Count: n.count, Operations: n.ops,
	})
	r.classes = append(r.classes, nil)
	if r.timeline != nil {
		r.note(n, at+1)
	}
	sum := make([]clock.Counters, r.books.Classes())
	member := make([]bool, len(sum))
	for i := range sum {
		c, in := r.books.Counters(n.account, i)
		sum[i], member[i] = *c, in
	}
	if r.withLines {
		r.lines = append(r.lines, nil)
		r.addLines(n, at)
	}
	for _, kid := range n.kids {
		below, in := r.walk(kid, at+1, level+1)
		for i := range below {
			sum[i].Add(&below[i])
			member[i] = member[i] || in[i]
		}
	}
	r.classes[at] = r.evaluate(&r.nodes[at], sum, member)
	return sum, member
}

// evaluate fills the characteristics of an interval and of its classes of
// processors.
func (r *Result) evaluate(iv *interval.Interval, sum []clock.Counters, member []bool) []class {
	var out []class
	var most, busy units.Seconds
	for i := range sum {
		if member[i] {
			most = max(most, sum[i].Execution())
			busy = max(busy, cpuAndSys(&sum[i]))
			iv.Processors += r.books.Class(i)
		}
	}
	t := &iv.Times
	for i := range sum {
		if !member[i] {
			continue
		}
		c := class{id: i, n: r.books.Class(i), times: timesOf(&sum[i], most, busy)}
		addTimes(t, &c.times, float64(c.n))
		out = append(out, c)
	}
	t.ExecutionTime = most
	t.TotalTime = scaled(most, float64(iv.Processors))
	t.Efficiency = efficiency(t.ProductiveTime, t.TotalTime)
	return out
}

// cpuAndSys is the CPU time of a processor, the program's and the run-time
// system's.
func cpuAndSys(c *clock.Counters) units.Seconds {
	return c[interval.BookedCPU] + c[interval.BookedSYS]
}

// timesOf returns the characteristics of one processor; most and busy are the
// longest execution time and the longest CPU+SYS time of the interval.
func timesOf(c *clock.Counters, most, busy units.Seconds) interval.Times {
	var t interval.Times
	for i := range characteristics {
		if x := &characteristics[i]; x.Counter != interval.NoCounter {
			*x.At(&t) = c[x.Counter]
		}
	}
	for k := range interval.NumKinds {
		for i := range kindCharacteristics {
			x := &kindCharacteristics[i]
			*x.AtKind(t.Kind(k)) = c[x.Counter.Of(k)]
		}
		t.Overlap += t.Kind(k).Overlap
	}
	t.ExecutionTime = c.Execution()
	t.TotalTime = most
	t.ProductiveCPUTime = t.CPUTime - t.InsuffParallelismUSR
	t.ProductiveSYSTime = t.SYSTime - t.InsuffParallelismSYS
	t.ProductiveTime = t.ProductiveCPUTime + t.ProductiveSYSTime + t.IOTime
	t.InsuffParallelism = t.InsuffParallelismUSR + t.InsuffParallelismSYS
	t.Idle = most - t.ExecutionTime
	t.LoadImbalance = busy - cpuAndSys(c)
	t.LostTime = t.InsuffParallelism + t.Communication + t.Idle
	t.Efficiency = efficiency(t.ProductiveTime, t.TotalTime)
	return t
}

// efficiency is productive over total time, 1 when both are 0.
func efficiency(productive, total units.Seconds) float64 {
	if total == 0 {
		return 1
	}
	return float64(productive / total)
}

// addTimes adds n times those characteristics of c to t that are sums over
// processors.
func addTimes(t, c *interval.Times, n float64) {
	for i := range characteristics {
		if x := &characteristics[i]; x.Over == interval.SumOver {
			*x.At(t) += scaled(*x.At(c), n)
		}
	}
	for k := range interval.NumKinds {
		for i := range kindCharacteristics {
			x := &kindCharacteristics[i]
			*x.AtKind(t.Kind(k)) += scaled(*x.AtKind(c.Kind(k)), n)
		}
	}
}

// Header returns the header of the interval stream.
func (r *Result) Header() *interval.Header {
	p := int64(1)
	for _, n := range r.Grid {
		p *= int64(n)
	}
	power := math.Inf(1)
	for _, run := range r.Machine.PowerRuns(p) {
		power = min(power, run.Power)
	}
	return &interval.Header{Machine: r.Machine.Description(), Grid: r.Grid, Processors: p, Source: r.Source,
		Startup: r.startup / units.Seconds(power), Options: r.Options, Measured: r.measured}
}

// Detail says which processor records are written.
type Detail uint8

const (
	// Classes writes one record per class of processors with equal values.
	Classes Detail = iota
	// None writes none.
	None
	// Each writes one record per processor.
	Each
)

// Processors calls yield for every processor record of interval i (counted
// from 0) until it returns an error.
func (r *Result) Processors(i int, d Detail, yield func(*interval.Processor) error) error {
	id := r.nodes[i].ID
	switch d {
	case None:
		return nil
	case Each:
		return r.eachProcessor(i, id, yield)
	}
	// Classes of the clocks whose values happen to be equal are one.
	type group struct {
		ids   []int
		n     int64
		times interval.Times
	}
	var groups []group
	byTimes := map[interval.Times]int{}
	for _, c := range r.classes[i] {
		g, ok := byTimes[c.times]
		if !ok {
			g = len(groups)
			groups = append(groups, group{times: c.times})
			byTimes[c.times] = g
		}
		groups[g].ids = append(groups[g].ids, c.id)
		groups[g].n += c.n
	}
	for _, g := range groups {
		p := interval.Processor{Interval: id, Boxes: r.books.Boxes(g.ids), N: g.n, Times: g.times}
		if err := yield(&p); err != nil {
			return err
		}
	}
	return nil
}

func (r *Result) eachProcessor(i, id int, yield func(*interval.Processor) error) error {
	type one struct {
		rank  int
		class int
	}
	var all []one
	for k, c := range r.classes[i] {
		for _, rank := range r.books.Ranks(c.id) {
			all = append(all, one{rank, k})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return a.rank - b.rank })
	for _, o := range all {
		rank := int64(o.rank)
		p := interval.Processor{Interval: id, Rank: &rank, N: 1, Times: r.classes[i][o.class].times}
		if err := yield(&p); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the header, the intervals and their processor records; the end
// record is the caller's.
func (r *Result) Write(w *interval.Writer, d Detail) error {
	if r.timeline != nil {
		if _, ok := r.timeline.Pieces(); !ok {
			return ErrTimeline
		}
	}
	if err := w.Header(r.Header()); err != nil {
		return err
	}
	for i := range r.nodes {
		if err := w.Interval(&r.nodes[i]); err != nil {
			return err
		}
		if err := r.Processors(i, d, w.Processor); err != nil {
			return err
		}
		for _, l := range r.Lines(i) {
			if err := w.Line(&l); err != nil {
				return err
			}
		}
	}
	for i := range r.exchanges {
		if err := w.Exchange(&r.exchanges[i]); err != nil {
			return err
		}
	}
	return r.Spans(w.Span)
}
