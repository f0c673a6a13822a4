// Package ptr reads and writes .ptr traces, the text that the run-time
// system of DVM programs writes for performance prediction
// (docs/trace-format.md).
//
// Reading goes line by line:
//
//  1. lines before the first event are the preamble; it describes the run;
//  2. an event line begins a half of a call, closes one, or ends the program;
//  3. every other line belongs to the event before it: parameters of the
//     table become parameters of the call, all else is kept as text;
//  4. a call is complete when the next event line is there, so that a cut
//     trace yields no call with half a parameter.
package ptr

import (
	"errors"
	"io"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/stream"
)

// Options say how a trace is read.
type Options struct {
	// KeepGoing, when set, is told of every bad record, which is then
	// passed over; otherwise the first one ends the reading.
	KeepGoing func(*diag.Error)
	// Strict turns warnings into errors.
	Strict bool
	// WarnUnknown warns of functions that the table does not hold, once for
	// each name.
	WarnUnknown bool
}

// Reader reads the calls of a trace; it is a [call.Source].
type Reader struct {
	name string
	in   *stream.Lines
	opts Options

	header call.Header
	exit   call.Exit
	warned []*diag.Error

	own     call.Call  // what Next returns
	cur     *call.Call // the call that is being read
	batch   bool       // the arena holds earlier calls that are still used
	open    bool       // cur is being read
	stack   []frame
	blk     block
	arena   []byte
	blkLine []byte // the last line that is no event, in arena
	pending bool
	ev      event
	evName  string
	evFile  string
	eof     bool
	err     error

	seq      int64
	phase    phase
	exitArgs call.Params
	exitText [][]byte
	exitRC   bool
	exitDone bool
	names    interner
	files    interner
	keys     interner
	unknown  map[string]bool
}

// phase is the part of the trace that is being read.
type phase uint8

const (
	beforeInit phase = iota
	inProgram
	afterExit
)

// frame is a call whose ret_ line has not come yet.
type frame struct {
	c      *call.Call
	indent int
	nested int64 // time of nested events in units of 1e-12 s
	call   int64 // the call_ time in the same units
}

// NewReader reads the preamble of the trace r and returns a reader of its
// calls. name is for messages. The error is a *diag.Error for input that is
// no trace and wraps [diag.ErrTruncated] for one that ends too early.
func NewReader(name string, r io.Reader, opts Options) (*Reader, error) {
	rd := &Reader{name: name, in: stream.NewLines(r, name), opts: opts, unknown: map[string]bool{}}
	rd.blk.keys, rd.blk.toEnd = &rd.keys, -1
	rd.header.Source = []string{name}
	if err := rd.readPreamble(); err != nil {
		return nil, err
	}
	return rd, nil
}

// Header returns what the preamble says.
func (r *Reader) Header() *call.Header { return &r.header }

// Exit returns the program's end; Found says whether it was reached.
func (r *Reader) Exit() *call.Exit { return &r.exit }

// Warnings returns the warnings so far, in order.
func (r *Reader) Warnings() []*diag.Error { return r.warned }

func (r *Reader) pos(col int) diag.Pos {
	return diag.Pos{File: r.name, Line: r.in.Line(), Col: col}
}

func (r *Reader) readPreamble() error {
	size := 0
	for {
		err := r.readLine()
		if errors.Is(err, io.EOF) {
			if size == 0 && len(r.header.Preamble) == 0 {
				return diag.Truncated(r.pos(0), "ptr/empty", "the input is empty, expected a .ptr trace")
			}
			return diag.Truncated(r.pos(0), "ptr/no-events", "the input ends without an event line, expected a .ptr trace (lines like %q)", "call_crtda_ TIME=0.00000095 LINE=7 FILE=adi.fdv")
		}
		if err != nil {
			return err
		}
		if r.pending {
			break
		}
		l := r.blkLine
		if size += len(l) + 1; size > maxPreamble {
			return diag.New(r.pos(0), "ptr/no-trace", "no event line in the first %d bytes, expected a .ptr trace", maxPreamble)
		}
		r.header.Preamble = append(r.header.Preamble, string(l))
		r.arena = r.arena[:0]
	}
	rt, ok := parseRuntime(r.header.Preamble)
	rt.TimeDigits = r.ev.digits
	r.header.Runtime = rt
	if !ok {
		e := diag.New(diag.Pos{File: r.name, Line: 1}, "ptr/no-header", "the trace has no header before its first event, expected RTS VERSION and ProcCount; its beginning was probably overwritten (TraceFileOverflowReg=0): raise MaxTraceFileSize and trace again")
		if err := r.bad(e); err != nil {
			return err
		}
		r.phase = inProgram
	}
	return nil
}

// bad deals with a bad record: it is passed over when the reader keeps going.
func (r *Reader) bad(e *diag.Error) error {
	if r.opts.KeepGoing != nil {
		r.opts.KeepGoing(e)
		return nil
	}
	return e
}

func (r *Reader) warn(e *diag.Error) error {
	if r.opts.Strict {
		e.Severity = diag.SeverityError
		return r.bad(e)
	}
	r.warned = append(r.warned, e)
	return nil
}

// readLine reads one line. An event line sets pending; any other is copied to
// the arena.
func (r *Reader) readLine() error {
	l, err := r.in.Next()
	if err != nil {
		return err
	}
	if len(l) > 0 && parseEvent(l, &r.ev) {
		if r.ev.bad == "" {
			r.pending = true
			r.evName = r.names.get(r.ev.name)
			r.evFile = r.files.get(r.ev.file)
			return nil
		}
		if r.in.Terminated() {
			e := diag.New(r.pos(r.ev.col), "ptr/event", "bad event line: %s", r.ev.bad)
			e.Source = string(l)
			if err := r.bad(e); err != nil {
				return err
			}
		}
	}
	n := len(r.arena)
	r.arena = append(r.arena, l...)
	r.blkLine = r.arena[n:len(r.arena):len(r.arena)]
	return nil
}

// Next returns the next call, valid until the following Next. After the last
// one it returns io.EOF when the program's end was found, and otherwise an
// error that wraps [diag.ErrTruncated].
func (r *Reader) Next() (*call.Call, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.cur, r.batch = &r.own, false
	c, err := r.next()
	if err != nil {
		r.err = err
		return nil, err
	}
	return c, nil
}

// NextInto is Next for a reader that keeps several calls: it reads into c and
// appends the bytes that c refers to to arena.
func (r *Reader) NextInto(c *call.Call, arena []byte) ([]byte, error) {
	if r.err != nil {
		return arena, r.err
	}
	kept := r.arena
	r.cur, r.batch, r.arena = c, true, arena
	_, err := r.next()
	arena, r.arena = r.arena, kept
	if err != nil {
		r.err = err
	}
	return arena, err
}

func (r *Reader) next() (*call.Call, error) {
	r.cur.Reset()
	if !r.batch {
		r.arena = r.arena[:0]
	}
	r.open = false
	r.stack = r.stack[:0]
	for {
		for !r.pending {
			if r.eof {
				return nil, io.EOF
			}
			err := r.readLine()
			if errors.Is(err, io.EOF) {
				return r.atEOF()
			}
			if err != nil {
				return nil, err
			}
			if !r.pending && (r.open || r.exit.Found && !r.exitDone) && !isRule(r.blkLine) {
				r.blk.line(r.blkLine)
				r.noteRC()
			}
		}
		if r.exit.Found && !r.exitDone {
			if err := r.finishExit(); err != nil {
				return nil, err
			}
		}
		done, err := r.event()
		if err != nil {
			return nil, err
		}
		if done {
			return r.deliver()
		}
	}
}

// event takes the pending event in; done means that the call being read is
// complete and the event, still pending, belongs to the next one.
func (r *Reader) event() (done bool, err error) {
	if !r.open {
		r.pending = false
		switch r.ev.half {
		case callEvent:
			r.begin(r.cur, call.Both)
			r.stack = append(r.stack, frame{c: r.cur, indent: r.ev.indent, call: r.ev.time})
			r.beginBlock(r.cur, false)
		case retEvent:
			r.begin(r.cur, call.OnlyRet)
			r.cur.CallTime, r.cur.RetTime = 0, seconds(r.ev.time)
			r.beginBlock(r.cur, true)
		default:
			return false, r.beginExit()
		}
		r.open = true
		return false, nil
	}
	if len(r.stack) == 0 {
		return true, nil
	}
	top := &r.stack[len(r.stack)-1]
	switch r.ev.half {
	case callEvent:
		if r.ev.indent > top.indent || top.c.Class() == libdvm.Initialise {
			r.pending = false
			c := new(call.Call)
			r.begin(c, call.Both)
			r.stack = append(r.stack, frame{c: c, indent: r.ev.indent, call: r.ev.time})
			r.beginBlock(c, false)
			return false, nil
		}
	case retEvent:
		for i := len(r.stack) - 1; i >= 0; i-- {
			if r.stack[i].c.Func != r.evName {
				continue
			}
			for len(r.stack) > i+1 {
				if err := r.closeHalf(); err != nil {
					return false, err
				}
			}
			r.pending = false
			r.closeCall()
			return false, nil
		}
		if r.ev.indent > top.indent {
			r.pending = false
			c := new(call.Call)
			r.begin(c, call.OnlyRet)
			c.CallTime, c.RetTime = 0, seconds(r.ev.time)
			top.nested += r.ev.time
			top.c.Nested = append(top.c.Nested, *c)
			r.beginBlock(&top.c.Nested[len(top.c.Nested)-1], true)
			return false, nil
		}
	}
	// The innermost call ends without a ret_ line.
	if err := r.closeHalf(); err != nil {
		return false, err
	}
	return false, nil
}

// begin fills c from the pending event.
func (r *Reader) begin(c *call.Call, only call.Half) {
	c.Func, c.Row = r.evName, libdvm.RowOf(r.evName)
	c.Line, c.File = r.ev.line, r.evFile
	c.CallTime = seconds(r.ev.time)
	c.Only = only
	c.Pos = r.pos(0)
}

func (r *Reader) beginBlock(c *call.Call, ret bool) {
	r.blk.end()
	var args, rets []libdvm.Param
	if c.Row != nil {
		args, rets = c.Row.Args, c.Row.Ret
	}
	if ret {
		r.blk.begin(c.Row, rets, &c.Ret, &c.RetText)
	} else {
		r.blk.begin(c.Row, args, &c.Args, &c.Text)
	}
}

// closeCall closes the innermost call with the ret_ line that is at hand.
func (r *Reader) closeCall() {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	c := f.c
	ret := r.ev.time + f.nested
	c.RetTime = seconds(ret)
	if r.ev.line != c.Line || r.evFile != c.File {
		c.RetLine, c.RetFile = r.ev.line, r.evFile
	}
	r.beginBlockCounting(c)
	if len(r.stack) > 0 {
		p := &r.stack[len(r.stack)-1]
		p.nested += f.call + ret
		p.c.Nested = append(p.c.Nested, *c)
		r.beginBlock(&p.c.Nested[len(p.c.Nested)-1], true)
	}
}

func (r *Reader) beginBlockCounting(c *call.Call) {
	if r.blk.dst == &c.Args && r.blk.lines == 0 {
		c.NoParams = true
	}
	r.beginBlock(c, true)
}

// closeHalf closes the innermost call, which has no ret_ line.
func (r *Reader) closeHalf() error {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	c := f.c
	c.Only = call.OnlyCall
	c.RetTime = seconds(f.nested)
	r.blk.end()
	if len(r.stack) > 0 {
		p := &r.stack[len(r.stack)-1]
		p.nested += f.call + f.nested
		p.c.Nested = append(p.c.Nested, *c)
		r.beginBlock(p.c, false)
	}
	if c.Row != nil && c.Row.NoReturn || r.phase != inProgram {
		return nil
	}
	return r.warn(diag.Warn(c.Pos, "ptr/no-ret", "call_%s at %s:%d has no ret_%s line; the program probably ended inside it", c.Func, c.File, c.Line, c.Func))
}

// deliver returns the call that is complete.
func (r *Reader) deliver() (*call.Call, error) {
	r.blk.end()
	c := r.cur
	c.Outside = r.phase != inProgram
	if c.Class() == libdvm.Initialise && r.phase == beforeInit && c.Only != call.OnlyCall {
		r.phase = inProgram
	}
	r.seq++
	c.Seq = r.seq
	if !c.Outside {
		if c.NoParams && c.Row != nil && !c.Row.Open && len(c.Row.Args) > 0 && len(c.Nested) == 0 {
			e := diag.New(c.Pos, "ptr/no-parameters", "call_%s has no parameters; the trace was made with FullTrace=0: set FullTrace=1 and trace again", c.Func)
			if err := r.bad(e); err != nil {
				return nil, err
			}
		}
		if !c.Listed() && r.opts.WarnUnknown && !r.unknown[c.Func] {
			r.unknown[c.Func] = true
			e := diag.Warn(c.Pos, "ptr/unknown-function", "unknown function %s%s; it is kept, and simulated as %s", c.Func, diag.DidYouMean(c.Func, libdvm.Names()), c.TakenFor())
			if err := r.warn(e); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// beginExit takes in a line that ends the program.
func (r *Reader) beginExit() error {
	row := libdvm.Lookup(r.evName)
	if row == nil || row.Class != libdvm.Finish || r.exit.Found {
		return nil
	}
	if r.phase == beforeInit {
		return diag.New(r.pos(1), "ptr/no-init", "the program ends here, but there was no ret_dvm_Init before; expected the trace of a whole run")
	}
	r.exit = call.Exit{Time: seconds(r.ev.time), Line: r.ev.line, File: r.evFile, Found: true, Seq: r.seq}
	r.exitArgs.Reset()
	r.blk.begin(row, row.Args, &r.exitArgs, &r.exitText)
	return nil
}

// noteRC notes that the exit code is there whole: its line was not cut.
func (r *Reader) noteRC() {
	if r.exit.Found && !r.exitRC && r.exitArgs.Get("rc") != nil {
		n := len(r.blkLine)
		r.exitRC = r.in.Terminated() || r.blkLine[n-1] == ';'
	}
}

// finishExit closes the block of the program's end.
func (r *Reader) finishExit() error {
	c := call.Call{Args: r.exitArgs, Pos: r.pos(0)}
	rc, err := c.Int("rc")
	if err != nil {
		return diag.New(r.pos(0), "ptr/exit", "the program's end has no rc=, expected its exit code")
	}
	r.exit.RC = int(rc)
	r.exitDone = true
	r.phase = afterExit
	return nil
}

// atEOF decides what the end of the input means.
func (r *Reader) atEOF() (*call.Call, error) {
	r.eof = true
	last := r.pos(0)
	if r.exit.Found && !r.exitDone {
		if !r.exitRC {
			r.exit.Found = false
		} else if err := r.finishExit(); err != nil {
			return nil, err
		}
	}
	if !r.exit.Found {
		what := "between two calls"
		if r.open {
			what = "inside or right behind " + r.cur.Func
		}
		return nil, diag.Truncated(last, "ptr/truncated", "the trace ends %s, before Event_dvm_exit; %d complete calls were read (was the run killed, or the trace limited by MaxTraceFileSize?)", what, r.seq)
	}
	if !r.open {
		return nil, io.EOF
	}
	for len(r.stack) > 0 {
		if err := r.closeHalf(); err != nil {
			return nil, err
		}
	}
	r.open = false
	return r.deliver()
}
