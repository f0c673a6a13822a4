package oracle

import (
	"errors"
	"io"
	"slices"

	"dvmtools/pkg/call"
)

// A duration is time of the trace: the same for all processors, or the own time
// of the process that each of them stands for (docs/model.md#own-times).
type duration struct {
	all  float64
	each []float64 // nil for the same
	// processes are the times of the processes that all was made of, where they
	// say what iterations cost; nil otherwise.
	processes []float64
}

func alike[T ~float64](t T) duration { return duration{all: float64(t)} }

// of returns the time of processor p, 0 where its process did not execute the
// call.
func (d duration) of(p int) float64 {
	if d.each == nil {
		return d.all
	}
	return max(d.each[p], 0)
}

func seconds[T ~float64](times []T) duration {
	d := duration{each: make([]float64, len(times))}
	for p, t := range times {
		d.each[p] = float64(t)
	}
	return d
}

// sameShape is whether two grids are equal but for extents of 1 at their ends.
func sameShape(a, b []int) bool {
	n := max(len(a), len(b))
	at := func(g []int, i int) int {
		if i < len(g) {
			return g[i]
		}
		return 1
	}
	for i := range n {
		if at(a, i) != at(b, i) {
			return false
		}
	}
	return true
}

// beforeCall returns the time before a call.
func (e *engine) beforeCall(c *call.Call) duration {
	if e.own && len(c.Own.Call) > 0 {
		return seconds(c.Own.Call)
	}
	return costing(e, alike(c.CallTime), c.Own.Call)
}

// meeting are functions in which all wait for the last to come.
var meeting = []string{
	"redis_", "realn_", "arrcpy_", "aarrcp_", "waitcp_", "across_", "bsynch_", "srmem_",
	"strtrd_", "waitrd_", "waitsh_", "waitrb_", "waitbg_",
}

// withinCall returns the time inside a call that is about to be simulated, and
// whether it is the shortest that all processes spent in it.
func (e *engine) withinCall(c *call.Call) (d duration, shortest bool) {
	if !e.own || len(c.Own.Ret) == 0 {
		return costing(e, alike(c.RetTime), c.Own.Ret), false
	}
	waits := slices.Contains(meeting, c.Func)
	switch {
	case c.Func == "endpl_":
		waits = e.loop != nil && (e.loop.piped || len(e.loop.last) > 0)
	case c.Func == "dopl_" && e.loop != nil && e.loop.piped:
		return e.inPipeline(c), false
	}
	if !waits {
		return seconds(c.Own.Ret), false
	}
	least := slices.Min(c.Own.Ret)
	if least < 0 { // somebody was absent
		return alike(c.RetTime), false
	}
	return alike(least), true
}

// inPipeline returns the time inside a dopl_ of a pipelined loop: processors
// with a predecessor wait there, which is predicted.
func (e *engine) inPipeline(c *call.Call) duration {
	if e.loop.leads == nil {
		return alike(c.RetTime)
	}
	d := duration{each: make([]float64, len(e.clock))}
	for p, t := range c.Own.Ret {
		switch {
		case t < 0:
		case e.loop.leads[p]:
			d.each[p] = float64(t)
		default:
			d.each[p] = float64(c.RetTime)
		}
	}
	return d
}

// findLeads sets which processors have no predecessor in a pipelined loop whose
// first portion begins. Nothing is set for a loop that is no pipeline.
func (e *engine) findLeads(l *loop) error {
	if !e.own || len(l.pipelined()) == 0 {
		return nil
	}
	_, ts, err := e.edges(l.newEdges)
	if err != nil {
		return err
	}
	pieces := l.pieces()
	l.leads = make([]bool, len(e.clock))
	for p := range l.leads {
		l.leads[p] = true
	}
	for _, t := range ts {
		if pieces[t.to] != nil && pieces[t.from] != nil && len(t.dims) == 1 {
			l.leads[t.to] = false
		}
	}
	return nil
}

// A betweenWork is time inside a dopl_ between two portions, which passes in the
// quantum behind it, of processors of a system of n.
type betweenWork struct {
	d  duration
	of *portion
	n  float64
	at *node
}

// ownQuanta returns how long the quanta of each processor of a pipeline are on
// the traced machine, nil when no own times are known.
func (e *engine) ownQuanta(l *loop) [][]float64 {
	order := l.portions[l.run:]
	quanta := make([][]float64, len(order))
	known := false
	for k := range quanta {
		quanta[k] = make([]float64, len(e.clock))
	}
	add := func(of *portion, d duration) {
		if d.each == nil {
			return
		}
		known = true
		k := slices.Index(order, of)
		for p := range quanta[k] {
			quanta[k][p] += d.of(p)
		}
	}
	for _, w := range l.kept {
		add(w.of, w.time)
	}
	for _, w := range l.between {
		add(w.of, w.d)
	}
	if !known {
		return nil
	}
	return quanta
}

// spendBetween books the time between portions.
func (e *engine) spendBetween(l *loop) {
	for _, w := range l.between {
		for p := range e.clock {
			e.bookOwn(w.at, p, w.d.of(p)/e.power[p], w.n, true)
		}
	}
	l.between = nil
}

// bookOwn books t seconds of processor p that n processors spend alike: one would
// have done. A processor that spends time in an interval belongs to it.
func (e *engine) bookOwn(at *node, p int, t, n float64, system bool) {
	if t == 0 {
		return
	}
	for n := at; n != nil; n = n.parent {
		n.members |= only(p)
	}
	e.clock[p] += t
	if c := &at.own[p]; system {
		c.sys += t
		c.insuffSys += float64(t*(n-1)) / n
	} else {
		c.usr += t
		c.insuffUsr += float64(t*(n-1)) / n
	}
}

// shareOwn books own times of loop work.
func (e *engine) shareOwn(d *division, t duration, system bool, at *node) {
	same := 1.0
	for _, n := range d.same {
		same = max(same, float64(n))
	}
	for p := range e.clock {
		e.bookOwn(at, p, t.of(p)/e.power[p], same, system)
	}
}

// known is a source whose calls are known in advance.
type known struct {
	call.Source
	calls []call.Call
}

func (l *known) Next() (*call.Call, error) {
	if len(l.calls) == 0 {
		return nil, io.EOF
	}
	c := &l.calls[0]
	l.calls = l.calls[1:]
	return c, nil
}

// all reads a source to its end.
func all(src call.Source) (*known, error) {
	l := &known{Source: src}
	for {
		c, err := src.Next()
		if errors.Is(err, io.EOF) {
			return l, nil
		}
		if err != nil {
			return nil, err
		}
		l.calls = append(l.calls, c.Clone())
	}
}

// lateStarts returns by how much the processes began later than the first, nil
// when nobody can tell (docs/model.md#unequal-starts).
func (l *known) lateStarts(processes int) []float64 {
	sum := make([]float64, processes)
	known := false
	for i := range l.calls {
		c := &l.calls[i]
		if c.Outside {
			continue
		}
		if known = known || !c.Own.Empty(); !known {
			return nil // the first call decides whether a trace keeps own times
		}
		for p := range sum {
			if len(c.Own.Call) > 0 {
				sum[p] += max(float64(c.Own.Call[p]), 0)
			}
			if len(c.Own.Ret) > 0 {
				sum[p] += max(float64(c.Own.Ret[p]), 0)
			}
		}
		together := slices.Contains([]string{"strtrd_", "waitrd_", "bsynch_"}, c.Func) || c.Func == "waitsh_" && processes <= 2
		if !together || len(c.Own.Ret) == 0 {
			continue
		}
		least, most := float64(slices.Min(c.Own.Ret)), float64(slices.Max(c.Own.Ret))
		if least < 0 || most < 20e-6 || most <= 4*least {
			continue
		}
		last := slices.Max(sum)
		for p := range sum {
			sum[p] = last - sum[p]
		}
		return sum
	}
	return nil
}
