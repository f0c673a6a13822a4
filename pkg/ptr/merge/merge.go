package merge

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/units"
)

// Source is the trace of one process.
type Source struct {
	// Name is the file's name, for messages.
	Name string
	// Process is the number of the process, -1 when it is not known.
	Process int
	// Open opens the trace and decompresses it. It is called once; its result
	// is closed before [Merge] returns.
	Open func() (io.ReadCloser, error)
}

// Options say how traces are merged.
type Options struct {
	// SumCallTimes adds up the call_ times of the processes instead of the
	// rules of the page docs/trace-format.md#merged-times, as the Predictor of
	// 2010 did. ret_ times are not affected.
	SumCallTimes bool
	// KeepOwn keeps the times of each process beside the merged ones
	// (docs/trace-format.md#own-times). A single trace is copied as it is;
	// when it is one of several processes without them, a warning says so.
	KeepOwn bool
	// Warn, when set, gets the warnings.
	Warn func(*diag.Error)
}

// Merge writes the traces of the processes of one run to w as one trace. The
// order of sources does not matter when all state their process; otherwise the
// first is process 0. A single trace is copied byte for byte and checked at the
// same time: when it is damaged, all of it is written before the error is returned.
//
// Errors about the traces are *diag.Error with file and line, those of
// opening, reading and writing are returned as they come. What was merged
// before an error is written.
func Merge(ctx context.Context, w io.Writer, sources []Source, opts Options) error {
	sources, err := order(sources)
	if err != nil {
		return err
	}
	if opts.Warn == nil {
		opts.Warn = func(*diag.Error) {}
	}
	if len(sources) == 1 {
		return pass(ctx, w, sources[0], opts)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	m := &merger{ctx: ctx, out: ptr.NewWriter(out), ahead: lookahead(len(sources)), own: opts.KeepOwn, warn: opts.Warn}
	err = m.run(sources, opts)
	if cerr := m.close(); err == nil {
		err = cerr
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	return err
}

// merger is one merge of several traces.
type merger struct {
	ctx   context.Context
	out   *ptr.Writer
	procs []*process
	names names
	clock clock
	ahead int
	own   bool // keep own times
	warn  func(*diag.Error)

	// tasks holds for each task that was entered how many processes are
	// still in it.
	tasks []int
	joint int64 // calls written

	groups  []group
	ended   []*process
	merged  call.Call
	portion [][]byte // the lines of a portion; its memory is reused
	times   call.Own // its memory is reused
	astray  bool     // a warning said that calls are ordered by LINE only
}

func (m *merger) close() error {
	var first error
	for _, p := range m.procs {
		if err := p.src.Close(); first == nil {
			first = err
		}
	}
	return first
}

func (m *merger) run(sources []Source, opts Options) error {
	if err := m.open(sources); err != nil {
		return err
	}
	first := m.procs[0].rd.Header()
	rt := &first.Runtime
	m.clock = clock{sum: opts.SumCallTimes, warn: opts.Warn, objects: object.New(object.Config{Grid: rt.Grid, Traced: rt.Root()})}
	if err := m.out.Header(first); err != nil {
		return err
	}
	if err := m.prelude(); err != nil {
		return err
	}
	if err := m.checkOwners(sources); err != nil {
		return err
	}
	for {
		if m.joint&0xfff == 0 {
			if err := m.ctx.Err(); err != nil {
				return err
			}
		}
		groups, ended, err := m.gather()
		if err != nil {
			return err
		}
		if len(groups) == 0 {
			if len(m.tasks) == 0 {
				return m.finish()
			}
			m.leave(ended)
			continue
		}
		if len(ended) > 0 {
			return early(ended[0], &groups[0])
		}
		g := &groups[0]
		if len(groups) > 1 {
			var found bool
			if g, found = m.choose(groups); !found {
				m.stray(groups)
			}
		}
		if err := m.emit(g); err != nil {
			return err
		}
	}
}

// prelude writes the calls of process 0 up to ret_dvm_Init.
func (m *merger) prelude() error {
	p := m.procs[0]
	for {
		c, err := p.head()
		if err != nil {
			return err
		}
		if c == nil || !c.Outside {
			p.taken = 0
			return nil
		}
		if err := m.out.Call(c); err != nil {
			return err
		}
		p.take()
	}
}

// emit writes the joint call of the group and removes it from the group's
// processes.
func (m *merger) emit(g *group) error {
	c := g.calls[0]
	before, inside, err := m.clock.times(g.calls)
	if err != nil {
		return err
	}
	out := &m.merged
	*out = *c
	out.Nested = m.nested(g.procs, g.calls, inside)
	out.Args = *m.names.rename(g.procs, g.calls, argsOf, false, 0)
	out.Ret = *m.names.rename(g.procs, g.calls, retOf, creates[c.Class()], 1)
	out.Text = m.text(g.calls)
	out.Own = m.ownOf(g)
	out.CallTime = before
	out.RetTime = inside
	if c.Only == call.OnlyCall {
		out.RetTime = sum(out.Nested)
	}
	m.decide(out, g)
	if err := m.out.Call(out); err != nil {
		return err
	}
	m.joint++
	m.clock.follow(out)
	m.tasksAfter(g)
	for _, p := range g.procs {
		p.take()
	}
	return nil
}

// text returns the other lines of the joint call: those of the first process,
// without its portion unless all processes state the same one.
func (m *merger) text(calls []*call.Call) [][]byte {
	c := calls[0]
	if c.Class() != libdvm.DoLoop {
		return c.Text
	}
	portion := m.portion[:0]
	for _, l := range c.Text {
		if call.IsPortion(l) {
			portion = append(portion, l)
		}
	}
	m.portion = portion
	if len(portion) == 0 {
		return c.Text
	}
	for _, o := range calls[1:] {
		n := 0
		for _, l := range o.Text {
			if !call.IsPortion(l) {
				continue
			}
			if n == len(portion) || !bytes.Equal(l, portion[n]) {
				n = -1
				break
			}
			n++
		}
		if n != len(portion) {
			return slices.DeleteFunc(slices.Clone(c.Text), call.IsPortion)
		}
	}
	return c.Text
}

// nested returns what the first process's run-time system called inside the
// call, with times in proportion to the time of the merged call.
func (m *merger) nested(procs []*process, calls []*call.Call, inside units.Seconds) []call.Call {
	c := calls[0]
	if len(c.Nested) == 0 {
		return nil
	}
	scale := 1.0
	if c.RetTime > 0 && c.Only != call.OnlyCall {
		scale = float64(inside) / float64(c.RetTime)
	}
	out := cloneCalls(c.Nested)
	for i := range out {
		n := &out[i]
		group, inner := []*process{procs[0]}, []*call.Call{&c.Nested[i]}
		for k, o := range calls[1:] {
			if len(o.Nested) == len(c.Nested) && o.Nested[i].Func == n.Func {
				group, inner = append(group, procs[k+1]), append(inner, &o.Nested[i])
			}
		}
		n.CallTime = scaled(n.CallTime, scale)
		n.RetTime = scaled(n.RetTime, scale)
		n.Nested = m.nested(group, inner, n.RetTime)
		copyParams(&n.Args, m.names.rename(group, inner, argsOf, false, 0), own)
		copyParams(&n.Ret, m.names.rename(group, inner, retOf, creates[n.Class()], 1), own)
	}
	return out
}

// own returns a copy of a value.
func own(_ *call.Param, b []byte) []byte { return slices.Clone(b) }

// scaled returns s times by, rounded down to whole picoseconds, so that the sum of
// nested times does not exceed the time around them. The addend 1e-3 makes up for
// the rounding of the product.
func scaled(s units.Seconds, by float64) units.Seconds {
	if by == 1 {
		return s
	}
	return units.Seconds(math.Floor(float64(float64(s)*by*picos)+1e-3) / picos)
}

func sum(calls []call.Call) units.Seconds {
	var t units.Seconds
	for i := range calls {
		t += calls[i].CallTime + calls[i].RetTime
	}
	return t
}

// finish writes the program's end and the calls of process 0 after it.
func (m *merger) finish() error {
	first := m.procs[0]
	exit := *first.rd.Exit()
	var t tally
	for _, p := range m.procs {
		e := p.rd.Exit()
		t.add(e.Time)
		exit.RC = max(exit.RC, e.RC)
	}
	exit.Time = t.mean()
	if m.clock.sum {
		exit.Time = t.total()
	}
	if exit.Own = nil; m.own {
		for _, p := range m.procs {
			exit.Own = append(exit.Own, p.rd.Exit().Time)
		}
	}
	if t.over {
		return diag.New(diag.Pos{File: first.name}, "merge/time", "the times before the program's end add up to 1000000 s or more, expected less, as a trace cannot hold it")
	}
	if err := m.out.Exit(&exit); err != nil {
		return err
	}
	for c := first.after; c != nil; {
		if err := m.out.Call(c); err != nil {
			return err
		}
		var err error
		if c, err = first.rd.Next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	for _, p := range m.procs {
		for _, e := range p.rd.Warnings() {
			m.warn(e)
		}
	}
	return nil
}

// early returns the error of a process that ends while others continue.
func early(p *process, g *group) error {
	e, c, q := p.rd.Exit(), g.calls[0], g.procs[0]
	return diag.New(c.Pos, "merge/early", "process %d goes on with %s here, but process %d (%s) has ended the program at %s:%d (calls before: %d); expected traces of one run, in which all processes end together",
		q.index, c.Func, p.index, p.name, e.File, e.Line, p.taken)
}

// stray warns, the first time, that calls could not be matched.
func (m *merger) stray(groups []group) {
	if m.astray {
		return
	}
	m.astray = true
	a, b := &groups[0], &groups[1]
	m.warn(diag.Warn(b.calls[0].Pos, "merge/order", "process %d calls %s (%s:%d) here and process %d calls %s (%s:%d, at %v), and neither comes to the other's within %d calls; such calls are put in the order of their LINE",
		b.procs[0].index, b.calls[0].Func, b.calls[0].File, b.calls[0].Line, a.procs[0].index, a.calls[0].Func, a.calls[0].File, a.calls[0].Line, a.calls[0].Pos, m.ahead))
}
