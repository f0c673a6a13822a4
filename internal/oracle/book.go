package oracle

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
)

// counters are the additive characteristics of a processor in an interval
// (docs/model.md#2-accounting).
type counters struct {
	usr, sys, io         float64
	insuffUsr, insuffSys float64
	kinds                [interval.NumKinds]kind
}

// kind are those of one kind of operation.
type kind struct {
	comm, real, synch, variation, overlap float64
}

func (c *counters) add(d *counters) {
	c.usr += d.usr
	c.sys += d.sys
	c.io += d.io
	c.insuffUsr += d.insuffUsr
	c.insuffSys += d.insuffSys
	for k := range c.kinds {
		a, b := &c.kinds[k], &d.kinds[k]
		a.comm += b.comm
		a.real += b.real
		a.synch += b.synch
		a.variation += b.variation
		a.overlap += b.overlap
	}
}

func (c *counters) total(of func(kind) float64) float64 {
	sum := 0.0
	for _, k := range c.kinds {
		sum += of(k)
	}
	return sum
}

// execution is the sum of the parts (law L2).
func (c *counters) execution() float64 {
	return c.usr + c.sys + c.io + c.total(func(k kind) float64 { return k.comm })
}

// A node is an interval (docs/model.md#3-intervals).
type node struct {
	parent   *node
	children []*node
	typ      interval.Type
	file     string
	line     int
	expr     *int64
	count    int64
	level    int
	members  set
	own      []counters
	ops      [interval.NumKinds]int64
}

func newNode(parent *node, processors int) *node {
	n := &node{parent: parent, own: make([]counters, processors)}
	if parent != nil {
		n.level = parent.level + 1
	}
	return n
}

// user is the first half of base(): every processor of the current system
// does the same for t seconds of the traced machine.
func (e *engine) user(t float64) {
	s := e.current()
	n := float64(len(s.procs))
	for _, p := range s.procs {
		d := t / e.power[p]
		e.clock[p] += d
		e.at.own[p].usr += d
		e.at.own[p].insuffUsr += float64(d*(n-1)) / n
	}
}

// sys is the second half.
func (e *engine) sys(t float64) {
	s := e.current()
	n := float64(len(s.procs))
	for _, p := range s.procs {
		d := t / e.power[p]
		e.clock[p] += d
		e.at.own[p].sys += d
		e.at.own[p].insuffSys += float64(d*(n-1)) / n
	}
}

// ioProcessor is processor 0, or the first of a system that lacks it.
func (e *engine) ioProcessor() int {
	if s := e.current(); !slices.Contains(s.procs, 0) {
		return s.procs[0]
	}
	return 0
}

// io books time of the I/O processor (docs/model.md#5-input-and-output). It is not computation,
// so no power divides it.
func (e *engine) io(t float64) {
	p := e.ioProcessor()
	e.clock[p] += t
	e.at.own[p].io += t
}

func (e *engine) latest() float64 {
	m := 0.0
	for _, p := range e.current().procs {
		m = max(m, e.clock[p])
	}
	return m
}

// sync(K): all wait for the latest.
func (e *engine) sync(k interval.Kind) float64 {
	e.together++
	m := e.latest()
	for _, p := range e.current().procs {
		w := m - e.clock[p]
		e.clock[p] = m
		b := &e.at.own[p].kinds[k]
		b.comm += w
		b.real += w
		b.synch += w
	}
	return m
}

// comm(K, d): an exchange of all.
func (e *engine) comm(k interval.Kind, d float64) {
	for _, p := range e.current().procs {
		e.clock[p] += d
		e.at.own[p].kinds[k].comm += d
	}
}

// finishAmong ends a collective operation of the given processors.
func (e *engine) finishAmong(k interval.Kind, procs []int) {
	last := 0.0
	for _, p := range procs {
		last = max(last, e.clock[p])
	}
	for _, p := range procs {
		e.at.own[p].kinds[k].variation += last - e.clock[p]
	}
}

// finish ends a collective operation: ends[i] is when processor i of the
// current system completed it.
func (e *engine) finish(k interval.Kind, ends []float64) {
	m := slices.Max(ends)
	for i, p := range e.current().procs {
		e.at.own[p].kinds[k].variation += m - ends[i]
	}
}

func (e *engine) count(k interval.Kind) { e.at.ops[k]++ }

// An exchange is an asynchronous operation that was started (docs/model.md#asynchronous-operations).
type exchange struct {
	kind       interval.Kind
	sys        *system
	start, end float64
	// late is how much later than each processor the exchange was called for
	// by the last one, with --async free.
	late map[int]float64
	// fixed is whether start and end are known; those of exfrst_ are not
	// before the loop's end.
	fixed bool
	// idle is a load of what is loaded already: no operation at all.
	idle bool
}

// begin starts an asynchronous operation: it pulls the clocks together, or
// with --async free only notes how far apart they are.
func (e *engine) begin(k interval.Kind) *exchange {
	e.count(k)
	e.together++
	x := &exchange{kind: k, sys: e.current()}
	e.open = append(e.open, x)
	if e.opts.Async == options.Free {
		x.start = e.latest()
		x.late = map[int]float64{}
		for _, p := range e.current().procs {
			x.late[p] = x.start - e.clock[p]
			e.at.own[p].kinds[k].synch += x.late[p]
		}
		return x
	}
	x.start = e.sync(k)
	return x
}

// await ends x for all processors of the current system, of which processor p
// stands at clock[p] - back[p] when it comes to wait: back is work that is
// done behind the wait but already on the clock.
func (e *engine) await(x *exchange, back map[int]float64) {
	if x.idle {
		return
	}
	e.together++
	var ends []float64
	for _, p := range e.current().procs {
		t := e.clock[p] - back[p]
		b := &e.at.own[p].kinds[x.kind]
		b.overlap += max(0, min(t, x.end)-x.start)
		if t < x.end {
			b.comm += x.end - t
			e.clock[p] += x.end - t
		}
		// Waiting before the start is real. What is due to a late starter is
		// too, with --async free: it was potential already.
		before, late := max(0, x.start-t), x.late[p]
		b.synch += max(0, before-late)
		b.real += max(before, min(max(0, x.end-t), late))
		ends = append(ends, max(t, x.end))
	}
	e.finish(x.kind, ends)
	e.open = slices.DeleteFunc(e.open, func(o *exchange) bool { return o == x })
}

// synchronous is an operation that is waited for at once.
func (e *engine) synchronous(k interval.Kind, ms messages) {
	e.count(k)
	start := e.sync(k)
	e.comm(k, e.network.exchange(start, e.current().set(), ms, plainMessages)-start)
}

// result closes all intervals and computes what follows from the counters.
func (e *engine) result() *Result {
	r := &Result{}
	var visit func(n *node, parent int)
	visit = func(n *node, parent int) {
		v, ps, in := e.figures(n)
		v.ID, v.Parent = len(r.Intervals)+1, parent
		r.Intervals = append(r.Intervals, v)
		r.Processors = append(r.Processors, ps)
		r.In = append(r.In, in)
		for _, c := range n.children {
			visit(c, v.ID)
		}
	}
	visit(e.main, 0)
	return r
}

// inclusive are the counters of n with those of the intervals inside it.
func (n *node) inclusive() ([]counters, [interval.NumKinds]int64) {
	all, ops := slices.Clone(n.own), n.ops
	for _, c := range n.children {
		sub, o := c.inclusive()
		for p := range all {
			all[p].add(&sub[p])
		}
		for k := range ops {
			ops[k] += o[k]
		}
	}
	return all, ops
}

// put stores v in a field of some type of seconds.
func put[T ~float64](dst *T, v float64) { *dst = T(v) }

// figures are the characteristics of an interval and of its processors.
func (e *engine) figures(n *node) (interval.Interval, []interval.Times, []bool) {
	all, ops := n.inclusive()
	v := interval.Interval{
		Level: n.level, Type: n.typ, File: n.file, Line: n.line, Expr: n.expr, Count: n.count, Processors: int64(n.members.size()),
		Operations: interval.Operations{IO: ops[interval.IO], Reduction: ops[interval.Reduction], Shadow: ops[interval.Shadow], Remote: ops[interval.Remote], Redistribution: ops[interval.Redistribution]},
	}
	longest, busiest := 0.0, 0.0
	for _, p := range n.members.each() {
		longest = max(longest, all[p].execution())
		busiest = max(busiest, all[p].usr+all[p].sys)
	}
	ps, in := make([]interval.Times, len(all)), make([]bool, len(all))
	var sum counters
	idle, imbalance := 0.0, 0.0
	for _, p := range n.members.each() {
		in[p] = true
		c := &all[p]
		sum.add(c)
		i, l := longest-c.execution(), busiest-(c.usr+c.sys)
		idle += i
		imbalance += l
		ps[p] = times(c, c.execution(), longest, i, l)
	}
	v.Times = times(&sum, longest, float64(longest*float64(n.members.size())), idle, imbalance)
	return v, ps, in
}

func times(c *counters, execution, total, idle, imbalance float64) interval.Times {
	var t interval.Times
	comm := c.total(func(k kind) float64 { return k.comm })
	cpu, sys := c.usr-c.insuffUsr, c.sys-c.insuffSys
	productive := cpu + sys + c.io
	t.Efficiency = 1
	if total != 0 {
		t.Efficiency = productive / total
	}
	put(&t.ExecutionTime, execution)
	put(&t.TotalTime, total)
	put(&t.ProductiveTime, productive)
	put(&t.ProductiveCPUTime, cpu)
	put(&t.ProductiveSYSTime, sys)
	put(&t.IOTime, c.io)
	put(&t.LostTime, c.insuffUsr+c.insuffSys+comm+idle)
	put(&t.InsuffParallelism, c.insuffUsr+c.insuffSys)
	put(&t.InsuffParallelismUSR, c.insuffUsr)
	put(&t.InsuffParallelismSYS, c.insuffSys)
	put(&t.Communication, comm)
	put(&t.CommunicationSynch, c.total(func(k kind) float64 { return k.real }))
	put(&t.Idle, idle)
	put(&t.LoadImbalance, imbalance)
	put(&t.Synchronization, c.total(func(k kind) float64 { return k.synch }))
	put(&t.TimeVariation, c.total(func(k kind) float64 { return k.variation }))
	put(&t.Overlap, c.total(func(k kind) float64 { return k.overlap }))
	put(&t.CPUTime, c.usr)
	put(&t.SYSTime, c.sys)
	for k := range interval.NumKinds {
		from, to := c.kinds[k], t.Kind(k)
		put(&to.Communication, from.comm)
		put(&to.RealSynch, from.real)
		put(&to.Synch, from.synch)
		put(&to.Variation, from.variation)
		put(&to.Overlap, from.overlap)
	}
	return t
}
