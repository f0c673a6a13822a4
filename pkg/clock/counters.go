package clock

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Counters are the additive characteristics of one processor in one interval
// (docs/model.md#2-accounting).
type Counters struct {
	User, System, IO      units.Seconds
	Communication         units.Seconds
	InsuffUser, InsuffSys units.Seconds
	Synchronization       units.Seconds
	RealSynch             units.Seconds
	Variation             units.Seconds
	Kinds                 [interval.NumKinds]interval.KindTimes
}

// Execution is the sum of the parts of a processor's time (law L2).
func (c *Counters) Execution() units.Seconds { return c.User + c.System + c.IO + c.Communication }

// Add adds d to c.
func (c *Counters) Add(d *Counters) {
	c.User += d.User
	c.System += d.System
	c.IO += d.IO
	c.Communication += d.Communication
	c.InsuffUser += d.InsuffUser
	c.InsuffSys += d.InsuffSys
	c.Synchronization += d.Synchronization
	c.RealSynch += d.RealSynch
	c.Variation += d.Variation
	for k := range c.Kinds {
		a, b := &c.Kinds[k], &d.Kinds[k]
		a.Communication += b.Communication
		a.RealSynch += b.RealSynch
		a.Synch += b.Synch
		a.Variation += b.Variation
		a.Overlap += b.Overlap
	}
}

// Work books a on a processor of the given power and returns how long it
// takes.
func (c *Counters) Work(a Amount, power float64) units.Seconds {
	p := units.Seconds(power)
	var took units.Seconds
	if a.User != 0 {
		t := a.User / p
		c.User += t
		c.InsuffUser += units.Seconds(float64(t) * a.UserRedundant)
		took = t
	}
	if a.System != 0 {
		t := a.System / p
		c.System += t
		c.InsuffSys += units.Seconds(float64(t) * a.SystemRedundant)
		took += t
	}
	if a.IO != 0 {
		c.IO += a.IO
		took += a.IO
	}
	return took
}

// Wait books w of real waiting for others to start an operation.
func (c *Counters) Wait(k interval.Kind, w units.Seconds) {
	c.Communication += w
	c.Synchronization += w
	c.RealSynch += w
	t := &c.Kinds[k]
	t.Communication += w
	t.Synch += w
	t.RealSynch += w
}

// Transfer books d in an exchange.
func (c *Counters) Transfer(k interval.Kind, d units.Seconds) {
	c.Communication += d
	c.Kinds[k].Communication += d
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
		c.Kinds[k].Overlap += over
	}
	if t < end {
		c.Transfer(k, end-t)
		t = end
	}
	return t
}

// Late books what a processor could have waited for others.
func (c *Counters) Late(k interval.Kind, w units.Seconds) {
	c.Synchronization += w
	c.Kinds[k].Synch += w
}

// AwaitFree is Await for an exchange whose processors were not pulled
// together: the part of the waiting that is due to others that came
// later by up to late is real synchronization.
func (c *Counters) AwaitFree(k interval.Kind, t, start, end, late units.Seconds) units.Seconds {
	if over := min(t, end) - start; over > 0 {
		c.Kinds[k].Overlap += over
	}
	if t >= end {
		return t
	}
	c.Transfer(k, end-t)
	real := min(end-t, late)
	c.RealSynch += real
	c.Kinds[k].RealSynch += real
	return end
}

// Spread books v by which others finished an operation later.
func (c *Counters) Spread(k interval.Kind, v units.Seconds) {
	c.Variation += v
	c.Kinds[k].Variation += v
}

// Stage books what a stage of a pipeline does beside its work.
func (c *Counters) Stage(p *Part) {
	if p.Transfer != 0 {
		c.Transfer(interval.Shadow, p.Transfer)
	}
	if p.Wait != 0 {
		c.Wait(interval.Shadow, p.Wait)
	}
	c.Kinds[interval.Shadow].Overlap += p.Overlap
}
