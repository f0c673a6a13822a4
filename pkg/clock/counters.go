package clock

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Counters are what one processor booked in one interval, by
// [interval.Counter] (docs/model.md#2-accounting).
type Counters [interval.NumCounters]units.Seconds

// Execution is the sum of the parts of a processor's time (law L2).
func (c *Counters) Execution() units.Seconds {
	return c[interval.BookedCPU] + c[interval.BookedSYS] + c[interval.BookedIO] + c[interval.BookedCommunication]
}

// Add adds d to c.
func (c *Counters) Add(d *Counters) {
	for i := range c {
		c[i] += d[i]
	}
}

// Work books a on a processor of the given power and returns how long it
// takes.
func (c *Counters) Work(a Amount, power float64) units.Seconds {
	w := a.on(power)
	c.spend(&w)
	return w.took
}

// add adds what b states to a; the parts that are redundant must be equal.
func (a *Amount) add(b *Amount) {
	a.User += b.User
	a.System += b.System
	a.IO += b.IO
}

// worked is what an [Amount] takes on a processor of some power.
type worked struct {
	cpu, redundantCPU, sys, redundantSYS, io units.Seconds
	took                                     units.Seconds // all of it
}

// on returns what a takes on a processor of the given power.
func (a *Amount) on(power float64) worked {
	w := worked{cpu: a.User, sys: a.System, io: a.IO}
	if p := units.Seconds(power); p != 1 {
		w.cpu, w.sys = w.cpu/p, w.sys/p
	}
	w.redundantCPU = scaled(w.cpu, a.UserRedundant)
	w.redundantSYS = scaled(w.sys, a.SystemRedundant)
	w.took = w.cpu + w.sys + w.io
	return w
}

// spend books w. Adding nothing leaves a counter as it is, to the last bit.
func (c *Counters) spend(w *worked) {
	c[interval.BookedCPU] += w.cpu
	c[interval.BookedInsuffUSR] += w.redundantCPU
	c[interval.BookedSYS] += w.sys
	c[interval.BookedInsuffSYS] += w.redundantSYS
	c[interval.BookedIO] += w.io
}

// Create books t before the program begins: the run-time system's time, and
// wholly insufficient parallelism, as nothing of it is the program's work.
func (c *Counters) Create(t units.Seconds) {
	c[interval.BookedSYS] += t
	c[interval.BookedInsuffSYS] += t
}

// Wait books w of real waiting for others to start an operation.
func (c *Counters) Wait(k interval.Kind, w units.Seconds) {
	c.Transfer(k, w)
	c.Late(k, w)
	c.realSynch(k, w)
}

// Transfer books d in an exchange.
func (c *Counters) Transfer(k interval.Kind, d units.Seconds) {
	c[interval.BookedCommunication] += d
	c[interval.KindCommunication.Of(k)] += d
}

// Late books what a processor could have waited for others.
func (c *Counters) Late(k interval.Kind, w units.Seconds) {
	c[interval.BookedSynch] += w
	c[interval.KindSynch.Of(k)] += w
}

// realSynch books w as waiting that took time.
func (c *Counters) realSynch(k interval.Kind, w units.Seconds) {
	c[interval.BookedRealSynch] += w
	c[interval.KindRealSynch.Of(k)] += w
}

// overlap books what an exchange passed beside work.
func (c *Counters) overlap(k interval.Kind, d units.Seconds) {
	c[interval.KindOverlap.Of(k)] += d
}

// Spread books v by which others finished an operation later.
func (c *Counters) Spread(k interval.Kind, v units.Seconds) {
	c[interval.BookedVariation] += v
	c[interval.KindVariation.Of(k)] += v
}

// Await books what a processor whose clock stands at t does until an exchange
// from start to end is over, and returns its clock then: what passed beside
// the exchange is overlap, what is left of it is communication.
func (c *Counters) Await(k interval.Kind, t, start, end units.Seconds) units.Seconds {
	if t < start {
		c.Wait(k, start-t)
		t = start
	}
	if over := min(t, end) - start; over > 0 {
		c.overlap(k, over)
	}
	if t < end {
		c.Transfer(k, end-t)
		t = end
	}
	return t
}

// AwaitFree is Await for an exchange whose processors were not pulled
// together. Of the waiting, real synchronization is what others caused that
// came later by up to late, and all that lies before the exchange has begun. By
// late the processor could have been held up anyway, which [Counters.Late] has
// booked; the rest of what lies before the exchange is synchronization besides.
func (c *Counters) AwaitFree(k interval.Kind, t, start, end, late units.Seconds) units.Seconds {
	if over := min(t, end) - start; over > 0 {
		c.overlap(k, over)
	}
	if t >= end {
		return t
	}
	c.Transfer(k, end-t)
	before := max(0, start-t)
	if before > late {
		c.Late(k, before-late)
	}
	c.realSynch(k, max(before, min(end-t, late)))
	return end
}

// Stage books what a stage of a pipeline does beside its work.
func (c *Counters) Stage(p *Outcome) {
	if p.Transfer != 0 {
		c.Transfer(interval.Shadow, p.Transfer)
	}
	if p.Wait != 0 {
		c.Wait(interval.Shadow, p.Wait)
	}
	c.overlap(interval.Shadow, p.Overlap)
}
