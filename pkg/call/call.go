// Package call holds the calls of a trace: what a program asked of the
// run-time system, in order, with all parameters and the two times of each.
//
// A stream of calls is a header, the calls, the program's end and the end
// record (schema/README.md). Package ptr reads one from a .ptr trace, this
// package reads and writes it as newline-delimited JSON; both are a [Source].
package call

import (
	"strconv"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/units"
)

// Version is the version of the call stream's records.
const Version = 1

// Source yields the calls of a trace in order.
type Source interface {
	// Header returns the header of the stream.
	Header() *Header
	// Next returns the next call, valid until Next is called again, and
	// io.EOF after the last one. A call that is malformed is a
	// *diag.Error; any error is final.
	Next() (*Call, error)
	// Exit returns the program's end; it is complete after Next returned
	// io.EOF.
	Exit() *Exit
	// Warnings returns what was noticed so far.
	Warnings() []*diag.Error
}

// Header is the first record of a stream of calls.
type Header struct {
	Source  []string `json:"source"`
	Runtime Runtime  `json:"runtime"`
	// Preamble holds the lines of the trace before its first event.
	Preamble []string `json:"preamble,omitempty"`
	Others
}

// Others are the fields of a record that are not known, as they were read,
// each with a comma before it. Code that reads records and writes them again
// keeps them; all other code ignores them.
type Others struct {
	Others []byte `json:"-"`
}

// Runtime describes the run that wrote the trace, from the preamble
// (docs/trace-format.md#preamble).
type Runtime struct {
	// RTSVersion is the version of the run-time system, 0 when not stated.
	RTSVersion int `json:"rts_version"`
	// Processors is the number of processes that ran.
	Processors int `json:"processors"`
	// Grid is the processor system of the run (PSSize).
	Grid []int `json:"grid"`
	// VirtualGrid is the virtual processor system (VPSSize), nil without one.
	VirtualGrid []int `json:"virtual_grid,omitempty"`
	// IOProcessor is the number of the I/O processor.
	IOProcessor int `json:"io_processor"`
	// TimeDigits is how many digits TIME has after the point.
	TimeDigits int `json:"time_digits"`
	Others
}

// Root returns the grid that the program saw: the virtual one when there was
// one, else the real one (docs/model.md#systems).
func (r *Runtime) Root() []int {
	if len(r.VirtualGrid) > 0 {
		return r.VirtualGrid
	}
	return r.Grid
}

// Half says which half of a call the trace holds.
type Half uint8

const (
	// Both halves are there: call_ and ret_.
	Both Half = iota
	// OnlyCall has no ret_ line (tron_, troff_, a program that ended inside
	// the call).
	OnlyCall
	// OnlyRet has no call_ line (dvm_Init).
	OnlyRet
)

// String returns "", "call" or "ret", the value of the record's field "only".
func (h Half) String() string { return [...]string{"", "call", "ret"}[h] }

// Call is one call of the run-time system. Byte slices and strings may
// contain any bytes.
type Call struct {
	// Seq counts the calls of the stream from 1.
	Seq int64
	// Func is the name without call_ or ret_; Row is what [libdvm.RowOf]
	// returns for it, nil or Unlisted for a function outside the table.
	Func string
	Row  *libdvm.Func
	// Line and File are the last position that the program reported.
	Line int
	File string
	// RetLine and RetFile are those of the ret_ line where they differ,
	// else 0 and "".
	RetLine int
	RetFile string
	// CallTime is the user's time before the call, RetTime the time inside,
	// that of nested events included.
	CallTime units.Seconds
	RetTime  units.Seconds
	Only     Half
	// Own are the times of each process, where the trace keeps them.
	Own Own
	// Outside marks calls before ret_dvm_Init and after Event_dvm_exit,
	// which are not simulated.
	Outside bool
	Args    Params
	Ret     Params
	// Text and RetText are the lines of the parameter blocks that hold no
	// parameters of the table, verbatim.
	Text    [][]byte
	RetText [][]byte
	// Nested are the calls that the run-time system made inside this one.
	Nested []Call
	// Before holds records of unknown kinds that stand before the call, whole
	// lines.
	Before []byte
	Others
	// NoParams marks a call whose trace has no parameter lines; it is not
	// part of a record.
	NoParams bool
	// Pos is where the call came from.
	Pos diag.Pos
}

// Class returns the class of the call's function; a function outside the
// table is ordinary.
func (c *Call) Class() libdvm.Class {
	if c.Row == nil {
		return libdvm.Ordinary
	}
	return c.Row.Class
}

// Listed reports whether the table has a row of the function's own.
func (c *Call) Listed() bool { return c.Row != nil && !c.Row.Unlisted }

// TakenFor says what a function outside the table is simulated as.
func (c *Call) TakenFor() string {
	if c.Class() == libdvm.IO {
		return "input or output that returns a status of 4 bytes"
	}
	return "an ordinary function"
}

// Where names the call for messages: "crtda_ (call 7, jac.fdv:4)".
func (c *Call) Where() string {
	return c.Func + " (call " + strconv.FormatInt(c.Seq, 10) + ", " + c.File + ":" + strconv.Itoa(c.Line) + ")"
}

// Reset empties c and keeps its buffers.
func (c *Call) Reset() {
	args, ret, text, rtext, nested := c.Args, c.Ret, c.Text[:0], c.RetText[:0], c.Nested[:0]
	args.Reset()
	ret.Reset()
	before, others, own := c.Before[:0], c.Others.Others[:0], Own{c.Own.Call[:0], c.Own.Ret[:0]}
	*c = Call{Args: args, Ret: ret, Text: text, RetText: rtext, Nested: nested, Before: before, Others: Others{others}, Own: own}
}

// Exit is the program's end.
type Exit struct {
	// Time is the user's time before the end.
	Time units.Seconds `json:"time"`
	// RC is the program's exit code.
	RC   int    `json:"rc"`
	Line int    `json:"line"`
	File string `json:"file"`
	// Own are the times before the end of each process, where the trace keeps
	// them ([Own]).
	Own []units.Seconds `json:"own,omitempty"`
	// Found is whether the trace has a program end at all.
	Found bool `json:"-"`
	// Seq is the number of calls before the end.
	Seq int64 `json:"-"`
	Others
}
