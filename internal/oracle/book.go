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

// kind holds the characteristics of one kind of operation.
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

// user books t seconds of the traced machine as time of the user, which every
// processor of the current system spends: the first half of base() in
// docs/model.md#2-accounting.
// Own times of a process that is not in the system pass as well.
func (e *engine) user(t duration) { e.base(t, false) }

// sys books t seconds as system time: the second half of base().
func (e *engine) sys(t duration) { e.base(t, true) }

func (e *engine) base(t duration, system bool) {
	s := e.current()
	n := float64(len(s.procs))
	who := s.procs
	if t.each != nil {
		who = e.root.procs
	}
	for _, p := range who {
		e.bookOwn(e.at, p, t.of(p)/e.power[p], n, system)
	}
}

// ioProcessor returns processor 0, or the first of a system without it.
func (e *engine) ioProcessor() int {
	if s := e.current(); !slices.Contains(s.procs, 0) {
		return s.procs[0]
	}
	return 0
}

// io books time of the I/O processor (docs/model.md#5-input-and-output). It is
// not computation, so it is not divided by the power.
func (e *engine) io(t duration) {
	p := e.ioProcessor()
	e.clock[p] += t.of(p)
	e.at.own[p].io += t.of(p)
}

func (e *engine) latest() float64 {
	m := 0.0
	for _, p := range e.current().procs {
		m = max(m, e.clock[p])
	}
	return m
}

// sync is sync(K): all processors of the current system wait for the latest.
func (e *engine) sync(k interval.Kind) float64 {
	e.collectives++
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

// comm is comm(K, d): all processors of the current system communicate for d
// seconds.
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
	// late[p] is how long after processor p the last processor called for the
	// exchange, with --async free.
	late map[int]float64
	// fixed is whether start and end are known. For exfrst_ they are known
	// only at the end of the loop.
	fixed bool
	// noop marks a load of buffers that are loaded already.
	noop bool
}

// begin starts an asynchronous operation. It synchronizes the processors, or
// with --async free only stores how far apart their clocks are.
func (e *engine) begin(k interval.Kind) *exchange {
	e.count(k)
	e.collectives++
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

// await ends x for all processors of the current system. Processor p begins to
// wait at clock[p] - back[p]: back[p] is work that comes after the wait but is
// already on the clock.
func (e *engine) await(x *exchange, back map[int]float64) {
	if x.noop {
		return
	}
	e.collectives++
	var ends []float64
	for _, p := range e.current().procs {
		t := e.clock[p] - back[p]
		b := &e.at.own[p].kinds[x.kind]
		b.overlap += max(0, min(t, x.end)-x.start)
		if t < x.end {
			b.comm += x.end - t
			e.clock[p] += x.end - t
		}
		// Waiting before the start is real synchronization. So is, with
		// --async free, waiting because another processor started late; begin
		// has already booked that as potential synchronization.
		before, late := max(0, x.start-t), x.late[p]
		b.synch += max(0, before-late)
		b.real += max(before, min(max(0, x.end-t), late))
		ends = append(ends, max(t, x.end))
	}
	e.finish(x.kind, ends)
	e.open = slices.DeleteFunc(e.open, func(o *exchange) bool { return o == x })
}

// synchronous executes an operation that every processor waits for at once.
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

// inclusive returns the counters and operations of n and all intervals inside it.
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

// figures returns the characteristics of an interval and of its processors, and
// which processors belong to it.
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
