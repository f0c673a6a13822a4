// Package ptr reads and writes .ptr traces, the text that the run-time
// system of DVM programs writes for performance prediction
// (docs/trace-format.md).
//
// Reading goes in two steps, the first of them in several places at once if
// asked for:
//
//  1. the text is cut into pieces that begin with an event line, and each piece
//     is taken apart: an event line begins a half of a call, closes one, or ends
//     the program; every other line belongs to the event before it, and
//     parameters of the table become parameters of the call, all else is kept
//     as text;
//  2. the entries are put together to calls in the order of the trace. Lines
//     before the first event are the preamble; it describes the run. A call is
//     complete when the next event line is there, so that a cut trace yields no
//     call with half a parameter.
package ptr

import (
	"context"
	"errors"
	"io"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
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
	// Remember bounds the text of blocks that is remembered so as to read
	// others like them faster, in bytes: 0 means a bound that suits a few
	// traces, a negative number that none is remembered. Each thread has its
	// own. What is read does not depend on it.
	Remember int
	// Buffer bounds the buffers for reading a long trace, in bytes: 0 means a
	// bound that suits a few traces.
	Buffer int
	// Like is the reader of a trace of the same run, or nil: what it remembers
	// serves both. They must be used by one goroutine, without
	// [Reader.ReadAhead].
	Like *Reader

	longTrace int // size from which blocks are remembered; 0 means longTrace
}

// Reader reads the calls of a trace; it is a [call.Source].
type Reader struct {
	name string
	feed *feed
	opts Options

	header call.Header
	exit   call.Exit
	warned []*diag.Error

	own   call.Call // what Next returns
	open  bool      // own is being read
	stack []frame
	piece *piece
	at    int // the entry of piece that is to be looked at next
	bad   int // the bad line of piece that is to be looked at next
	line  int // of the trace, that is being looked at
	eof   bool
	err   error

	seq      int64
	phase    phase
	exitPart *block
	exitDone bool
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
	indent int32
	nested int64 // time of nested events in units of 1e-12 s
	call   int64 // the call_ time in the same units
}

// NewReader reads the preamble of the trace r and returns a reader of its
// calls. name is for messages. The error is a *diag.Error for input that is
// no trace and wraps [diag.ErrTruncated] for one that ends too early.
func NewReader(name string, r io.Reader, opts Options) (*Reader, error) {
	rd := &Reader{name: name, feed: newFeed(name, r, opts), opts: opts, unknown: map[string]bool{}}
	rd.header.Source = []string{name}
	if err := rd.readPreamble(); err != nil {
		return nil, err
	}
	return rd, nil
}

// ReadAhead lets goroutines read the rest of the trace before it is asked for,
// until ctx ends: as many as leave one of the threads to the caller of Next.
// What is read does not depend on it. Call it at most once.
func (r *Reader) ReadAhead(ctx context.Context, threads int) {
	if threads > 1 && r.piece.Err == nil {
		r.feed.start(ctx, min(threads-1, maxScanners))
	}
}

// Header returns what the preamble says.
func (r *Reader) Header() *call.Header { return &r.header }

// Exit returns the program's end; Found says whether it was reached.
func (r *Reader) Exit() *call.Exit { return &r.exit }

// Warnings returns the warnings so far, in order.
func (r *Reader) Warnings() []*diag.Error { return r.warned }

func (r *Reader) pos(col int) diag.Pos {
	return diag.Pos{File: r.name, Line: r.line, Col: col}
}

func (r *Reader) readPreamble() error {
	size := 0
	for r.piece == nil || len(r.piece.entries) == 0 {
		r.piece = r.feed.next()
		for _, l := range r.piece.lead {
			r.line++
			if l.bad != nil {
				if err := r.passOver(l.bad); err != nil {
					return err
				}
			}
			if size += len(l.text) + 1; size > maxPreamble {
				return diag.New(r.pos(0), "ptr/no-trace", "no event line in the first %d bytes, expected a .ptr trace", maxPreamble)
			}
			r.header.Preamble = append(r.header.Preamble, string(l.text))
		}
		switch {
		case len(r.piece.entries) > 0 || r.piece.Err == nil:
		case !errors.Is(r.piece.Err, io.EOF):
			return r.piece.Err
		case r.line == 0:
			return diag.Truncated(r.pos(0), "ptr/empty", "the input is empty, expected a .ptr trace")
		default:
			return diag.Truncated(r.pos(0), "ptr/no-events", "the input ends without an event line, expected a .ptr trace (lines like %q)", "call_crtda_ TIME=0.00000095 LINE=7 FILE=adi.fdv")
		}
	}
	rt, ok := parseRuntime(r.header.Preamble)
	rt.TimeDigits = int(r.piece.entries[0].digits)
	r.header.Runtime = rt
	if !ok {
		e := diag.New(diag.Pos{File: r.name, Line: 1}, "ptr/no-header", "the trace has no header before its first event, expected RTS VERSION and ProcCount; its beginning was probably overwritten (TraceFileOverflowReg=0): raise MaxTraceFileSize and trace again")
		if err := r.passOver(e); err != nil {
			return err
		}
		r.phase = inProgram
	}
	return nil
}

// passOver deals with a bad record: it is passed over when the reader keeps
// going.
func (r *Reader) passOver(e *diag.Error) error {
	if r.opts.KeepGoing != nil {
		r.opts.KeepGoing(e)
		return nil
	}
	return e
}

func (r *Reader) warn(e *diag.Error) error {
	if r.opts.Strict {
		e.Severity = diag.SeverityError
		return r.passOver(e)
	}
	r.warned = append(r.warned, e)
	return nil
}

// Next returns the next call, valid until the following Next. After the last
// one it returns io.EOF when the program's end was found, and otherwise an
// error that wraps [diag.ErrTruncated].
func (r *Reader) Next() (*call.Call, error) {
	if r.err != nil {
		return nil, r.err
	}
	c, err := r.next()
	if err != nil {
		r.err = err
		return nil, err
	}
	return c, nil
}

func (r *Reader) next() (*call.Call, error) {
	r.own = call.Call{Nested: r.own.Nested[:0]}
	r.open = false
	r.stack = r.stack[:0]
	r.feed.release()
	for {
		for r.at < len(r.piece.entries) {
			p := &r.piece.entries[r.at]
			r.line = r.piece.Line + int(p.line)
			if r.exit.Found && !r.exitDone {
				if err := r.finishExit(); err != nil {
					return nil, err
				}
			}
			taken, err := r.event(p)
			if err != nil {
				return nil, err
			}
			if !taken {
				if r.open && len(r.stack) == 0 {
					return r.deliver()
				}
				continue
			}
			for r.bad < len(r.piece.bad) && r.piece.bad[r.bad].entry == r.at {
				r.bad++
				if err := r.passOver(r.piece.bad[r.bad-1].err); err != nil {
					return nil, err
				}
			}
			r.at++
		}
		if r.eof {
			return nil, io.EOF
		}
		switch err := r.piece.Err; {
		case err == nil:
		case errors.Is(err, io.EOF):
			return r.atEOF()
		default:
			return nil, err
		}
		r.piece, r.at, r.bad = r.feed.next(), 0, 0
	}
}

// event takes p in. When it does not, because a call must be closed before,
// that has been done; if it was the outermost one, p belongs to the next.
func (r *Reader) event(p *entry) (taken bool, err error) {
	if !r.open {
		switch p.head.half {
		case callEvent:
			r.begin(&r.own, p, call.Both)
			r.stack = append(r.stack, frame{c: &r.own, indent: p.head.indent, call: p.time})
		case retEvent:
			r.begin(&r.own, p, call.OnlyRet)
		default:
			return true, r.beginExit(p)
		}
		r.open = true
		return true, nil
	}
	if len(r.stack) == 0 {
		return false, nil
	}
	top := &r.stack[len(r.stack)-1]
	switch p.head.half {
	case callEvent:
		if p.head.indent > top.indent || top.c.Class() == libdvm.Initialise {
			c := new(call.Call)
			r.begin(c, p, call.Both)
			r.stack = append(r.stack, frame{c: c, indent: p.head.indent, call: p.time})
			return true, nil
		}
	case retEvent:
		for i := len(r.stack) - 1; i >= 0; i-- {
			if r.stack[i].c.Func != p.head.fn.name {
				continue
			}
			for len(r.stack) > i+1 {
				if err := r.closeHalf(); err != nil {
					return false, err
				}
			}
			r.closeCall(p)
			return true, nil
		}
		if p.head.indent > top.indent {
			c := new(call.Call)
			r.begin(c, p, call.OnlyRet)
			top.nested += p.time
			top.c.Nested = append(top.c.Nested, *c)
			return true, nil
		}
	}
	// The innermost call ends without a ret_ line.
	return false, r.closeHalf()
}

// begin fills c from p, its first half or its only one.
func (r *Reader) begin(c *call.Call, p *entry, only call.Half) {
	c.Func, c.Row = p.head.fn.name, p.head.fn.row
	c.Line, c.File = p.tail.line, p.tail.file
	c.Only = only
	c.Pos = r.pos(0)
	if only == call.OnlyRet {
		c.RetTime = seconds(p.time)
		c.Ret, c.RetText, c.Own.Ret = p.block.params, p.block.text, p.block.own
		return
	}
	c.CallTime, c.Own.Call = seconds(p.time), p.block.own
	c.Args, c.Text = p.block.params, p.block.text
	c.NoParams = p.block.lines == 0
}

// closeCall closes the innermost call with its ret_ line.
func (r *Reader) closeCall(p *entry) {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	c := f.c
	ret := p.time + f.nested
	c.RetTime = seconds(ret)
	if p.tail.line != c.Line || p.tail.file != c.File {
		c.RetLine, c.RetFile = p.tail.line, p.tail.file
	}
	c.Ret, c.RetText, c.Own.Ret = p.block.params, p.block.text, p.block.own
	if len(r.stack) > 0 {
		outer := &r.stack[len(r.stack)-1]
		outer.nested += f.call + ret
		outer.c.Nested = append(outer.c.Nested, *c)
	}
}

// closeHalf closes the innermost call, which has no ret_ line.
func (r *Reader) closeHalf() error {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	c := f.c
	c.Only, c.NoParams = call.OnlyCall, false
	c.RetTime = seconds(f.nested)
	if len(r.stack) > 0 {
		outer := &r.stack[len(r.stack)-1]
		outer.nested += f.call + f.nested
		outer.c.Nested = append(outer.c.Nested, *c)
	}
	if c.Row != nil && c.Row.NoReturn || r.phase != inProgram {
		return nil
	}
	return r.warn(diag.Warn(c.Pos, "ptr/no-ret", "call_%s at %s:%d has no ret_%s line; the program probably ended inside it", c.Func, c.File, c.Line, c.Func))
}

// deliver returns the call that is complete.
func (r *Reader) deliver() (*call.Call, error) {
	c := &r.own
	c.Outside = r.phase != inProgram
	if c.Class() == libdvm.Initialise && r.phase == beforeInit && c.Only != call.OnlyCall {
		r.phase = inProgram
	}
	r.seq++
	c.Seq = r.seq
	if err := r.checkOwn(c); err != nil {
		return nil, err
	}
	if !c.Outside {
		if c.NoParams && c.Row != nil && !c.Row.Open && len(c.Row.Args) > 0 && len(c.Nested) == 0 {
			e := diag.New(c.Pos, "ptr/no-parameters", "call_%s has no parameters; the trace was made with FullTrace=0: set FullTrace=1 and trace again", c.Func)
			if err := r.passOver(e); err != nil {
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

// beginExit reads an event line that ends the program.
func (r *Reader) beginExit(p *entry) error {
	if p.head.fn.row == nil || p.head.fn.row.Class != libdvm.Finish || r.exit.Found {
		return nil
	}
	if r.phase == beforeInit {
		return diag.New(r.pos(1), "ptr/no-init", "the program ends here, but there was no ret_dvm_Init before; expected the trace of a whole run")
	}
	r.exit = call.Exit{Time: seconds(p.time), Line: p.tail.line, File: p.tail.file, Found: true, Seq: r.seq, Own: slices.Clone(p.block.own)}
	r.exitPart = p.block
	return nil
}

// finishExit reads the block of the program's end.
func (r *Reader) finishExit() error {
	c := call.Call{Args: r.exitPart.params, Pos: r.pos(0)}
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
	r.line = r.piece.Line + r.piece.Lines
	last := r.pos(0)
	if r.exit.Found && !r.exitDone {
		if !r.exitPart.rc {
			r.exit.Found = false
		} else if err := r.finishExit(); err != nil {
			return nil, err
		}
	}
	if !r.exit.Found {
		what := "between two calls"
		if r.open {
			what = "inside or right behind " + r.own.Func
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
