package merge

import (
	"math"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// clock computes the times of a joint call from those of the processes
// (docs/trace-format.md#merged-times):
//
//	call_ of what     the sum, divided by the number of processors that
//	ends a portion    execute each iteration of the loop; the mean where that
//	of a loop, call_  is not known or no process executes any
//	and ret_ in its
//	body
//	other call_       the mean; after biof_ up to call_eiof_ the maximum, as
//	                  only the I/O process works
//	other ret_        the mean, the maximum or one microsecond, by the row of
//	                  the table of functions, in bodies too
//	ret_dopl_         the mean, of a loop with across_ one microsecond
//	Event_dvm_exit    the mean
//
// Sums and quotients are of whole picoseconds, the finest time that a trace
// can state, rounded half up, and so do not depend on the order of processes.
type clock struct {
	// sum adds up all call_ times without dividing them, as the Predictor of
	// 2010 did.
	sum     bool
	objects *object.Table
	// lost is set when the objects can no longer be followed, which warn
	// reports.
	lost bool
	warn func(*diag.Error)

	io     bool // between biof_ and eiof_
	loop   bool // between crtpl_ and endpl_
	mapped bool // the loop was mapped
	across bool // the loop is a pipeline
	body   bool // inside a portion of the loop
}

const (
	picos = 1_000_000_000_000
	// wait is the time of operations that wait, whose length the simulation
	// predicts: a microsecond.
	wait = units.Seconds(0.000001)
	// limit is the longest time that can be read back from a trace.
	limit = 1_000_000 * picos
)

// tally collects the times of a joint call in picoseconds.
type tally struct {
	sum, max, n int64
	over        bool // too long for a trace
}

func (t *tally) add(s units.Seconds) {
	t.n++
	if s >= limit/picos || t.sum >= limit*8 {
		t.over = true // the sum would not fit into 64 bits
		return
	}
	p := int64(math.Round(float64(s) * picos))
	t.max = max(t.max, p)
	t.sum += p
}

func (t *tally) total() units.Seconds   { return t.per(t.sum, 1) }
func (t *tally) mean() units.Seconds    { return t.per(t.sum, t.n) }
func (t *tally) longest() units.Seconds { return t.per(t.max, 1) }

// per returns p/n picoseconds as seconds.
func (t *tally) per(p, n int64) units.Seconds {
	q := (p + n/2) / n
	if q >= limit {
		t.over = true
	}
	return units.Seconds(float64(q) / picos)
}

// times returns the times of the joint call.
func (k *clock) times(calls []*call.Call) (before, inside units.Seconds, err error) {
	c := calls[0]
	var call, ret tally
	for _, o := range calls {
		call.add(o.CallTime)
		ret.add(o.RetTime)
	}
	class := c.Class()
	share := int64(len(calls))
	if k.body {
		share = k.replicas(share)
	}
	switch {
	case k.sum:
		before = call.total()
	case k.io:
		before = call.longest()
	default:
		before = call.per(call.sum, share)
	}
	rule := libdvm.TimeMean
	if c.Row != nil {
		rule = c.Row.RetTime
	}
	if class == libdvm.DoLoop && k.across {
		rule = libdvm.TimeWait
	}
	switch {
	case rule == libdvm.TimeWait:
		inside = wait
	case rule == libdvm.TimeMax:
		inside = ret.longest()
	case k.sum || class == libdvm.DoLoop:
		inside = ret.mean()
	default:
		inside = ret.per(ret.sum, share)
	}
	if call.over || ret.over {
		return 0, 0, diag.New(c.Pos, "merge/time", "%s: the times of %d processes add up to 1000000 s or more, expected less, as a trace cannot hold it", c.Where(), len(calls))
	}
	return before, inside, nil
}

// replicas returns the divisor of the sum of the times of n processes in the body
// of the current loop: the number of processors that execute each iteration, or n
// where that is not known or no process executes any.
func (k *clock) replicas(n int64) int64 {
	if !k.mapped {
		return n
	}
	l := k.objects.Loop()
	switch {
	case l == nil || l.Share == nil:
		return 1
	case l.Share.Total == 0:
		return n
	}
	return max(1, l.Share.Same)
}

// follow updates the state of the clock by a call of the merged trace.
func (k *clock) follow(c *call.Call) {
	switch c.Class() {
	case libdvm.BeginIO:
		k.io = true
	case libdvm.EndIO:
		k.io = false
	case libdvm.CreateLoop:
		k.loop, k.mapped, k.across, k.body = true, false, false, false
	case libdvm.MapLoop:
		k.mapped = true
	case libdvm.Across:
		k.across = k.loop
	case libdvm.DoLoop:
		more, err := c.RetInt("DoPL")
		k.body = k.loop && err == nil && more != 0
	case libdvm.EndLoopNest:
		k.loop, k.mapped, k.across, k.body = false, false, false, false
	}
	for i := range c.Nested {
		k.object(&c.Nested[i])
	}
	k.object(c)
}

// object keeps the objects up to date. When that fails, the mapping of loops is no
// longer known; a simulation of the trace will report the error.
func (k *clock) object(c *call.Call) {
	err := k.objects.Follow(c)
	if err == nil || k.lost {
		return
	}
	k.lost = true
	k.warn(diag.Warn(c.Pos, "merge/objects", "the objects of the run cannot be followed, so that loops which several processes execute alike are counted in full: %v", err))
}
