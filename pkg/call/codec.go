package call

import (
	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// The records of a stream of calls (schema/README.md): the header "trace",
// "call" for each call, "exit" for the program's end, "end". [Writer] writes
// and [Reader] reads them.
//
// A parameter is written by its kind: Decimal and Real as the number that the
// trace has, digit for digit; Handle and Pointer as strings of hexadecimal
// digits, NULL as "0"; Word, Text, TextSemicolon and Note as strings; Vector
// and Runs as arrays, Matrix as an array of arrays. Texts may hold any bytes
// (package ndjson, Bytes in strings). Nested calls are objects with the
// fields of a call but "record".
const (
	recTrace = "trace"
	recCall  = "call"
	recExit  = "exit"
	recEnd   = "end"
)

// maxNesting is how deep calls may be nested in a record; MaxTraceLevel, which
// causes the nesting, has values of one digit.
const maxNesting = 100

var streamOfCalls = ndjson.Stream{Header: recTrace, Version: Version, Content: "the calls of a trace", Tool: "dvmtrace-parse"}

// The fields of a call, in the order in which they are written.
const (
	fRecord = iota
	fSeq
	fFunc
	fLine
	fFile
	fCallTime
	fRetTime
	fOnly
	fRetLine
	fRetFile
	fOutside
	fArgs
	fRet
	fText
	fRetText
	fNested
	fOwn
)

var callFields = []string{
	fRecord: "record", fSeq: "seq", fFunc: "func", fLine: "line", fFile: "file",
	fCallTime: "call_time", fRetTime: "ret_time",
	fOnly: "only", fRetLine: "ret_line", fRetFile: "ret_file", fOutside: "outside",
	fArgs: "args", fRet: "ret", fText: "text", fRetText: "ret_text", fNested: "nested", fOwn: "own",
}

// nestedRequired and required are the fields that a nested call and a call
// must have.
const (
	nestedRequired = 1<<fFunc | 1<<fLine | 1<<fFile | 1<<fCallTime | 1<<fRetTime | 1<<fArgs | 1<<fRet
	required       = nestedRequired | 1<<fSeq
)

// header is the header record with its version.
type header struct {
	version int64
	*Header
}

var headerRecord = ndjson.NewRecord("a header",
	ndjson.Int("version", func(h *header) *int64 { return &h.version }),
	ndjson.Strings("source", func(h *header) *[]string { return &h.Source }),
	ndjson.Nested("runtime", runtimeRecord, func(h *header) *Runtime { return &h.Runtime }),
	ndjson.Strings("preamble", func(h *header) *[]string { return &h.Preamble }).
		OmitIf(func(h *header) bool { return len(h.Preamble) == 0 }),
).KeepOthers(func(h *header) *[]byte { return &h.Others.Others })

var runtimeRecord = ndjson.NewRecord("a runtime",
	ndjson.Int("rts_version", func(r *Runtime) *int { return &r.RTSVersion }).Optional(),
	ndjson.Int("processors", func(r *Runtime) *int { return &r.Processors }),
	ndjson.Ints("grid", func(r *Runtime) *[]int { return &r.Grid }),
	ndjson.Ints("virtual_grid", func(r *Runtime) *[]int { return &r.VirtualGrid }).
		OmitIf(func(r *Runtime) bool { return len(r.VirtualGrid) == 0 }),
	ndjson.Int("io_processor", func(r *Runtime) *int { return &r.IOProcessor }).Optional(),
	ndjson.Int("time_digits", func(r *Runtime) *int { return &r.TimeDigits }).Optional(),
).KeepOthers(func(r *Runtime) *[]byte { return &r.Others.Others })

var exitRecord = ndjson.NewRecord("an exit",
	ndjson.Float("time", func(e *Exit) *units.Seconds { return &e.Time }),
	ndjson.Int("rc", func(e *Exit) *int { return &e.RC }),
	ndjson.Int("line", func(e *Exit) *int { return &e.Line }).Optional(),
	ndjson.String("file", func(e *Exit) *string { return &e.File }).Optional(),
	ownTimes("own", func(e *Exit) *[]units.Seconds { return &e.Own }),
).KeepOthers(func(e *Exit) *[]byte { return &e.Others.Others })
