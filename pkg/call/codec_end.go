package call

import (
	"dvmtools/pkg/diag"
	"dvmtools/pkg/ndjson"
)

// end is the end record: the number of calls, and what was noticed while the
// trace was read, so that it reaches the reader of the records.
type end struct {
	calls, warnings int64
	noticed         []notice
	Others
}

// notice is a warning in the end record; place is "file:line:col" taken apart.
type notice struct {
	file      string
	line, col int64
	code, msg string
}

var noticeRecord = ndjson.NewRecord("a warning",
	ndjson.String("file", func(n *notice) *string { return &n.file }),
	ndjson.Int("line", func(n *notice) *int64 { return &n.line }),
	ndjson.Int("col", func(n *notice) *int64 { return &n.col }),
	ndjson.String("code", func(n *notice) *string { return &n.code }),
	ndjson.String("message", func(n *notice) *string { return &n.msg }),
)

var endRecord = ndjson.NewRecord("an end",
	ndjson.Int("calls", func(e *end) *int64 { return &e.calls }),
	ndjson.Int("warnings", func(e *end) *int64 { return &e.warnings }).Optional(),
	ndjson.Custom("noticed", appendNoticed, scanNoticed).OmitIf(func(e *end) bool { return len(e.noticed) == 0 }),
).KeepOthers(func(e *end) *[]byte { return &e.Others.Others })

func appendNoticed(dst []byte, e *end) ([]byte, error) {
	dst = append(dst, '[')
	for i := range e.noticed {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = noticeRecord.Append(dst, &e.noticed[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func scanNoticed(s *ndjson.Scanner, e *end) bool {
	if !s.Array() {
		return false
	}
	for s.Elem() {
		e.noticed = append(e.noticed, notice{})
		if !noticeRecord.Scan(s, &e.noticed[len(e.noticed)-1]) {
			return false
		}
	}
	return s.Err() == nil
}

// End writes the end record with the number of calls written and the warnings
// given about the trace.
func (w *Writer) End(warnings []*diag.Error) error {
	e := end{calls: w.calls, warnings: int64(len(warnings)), Others: w.endOthers}
	for _, d := range warnings {
		e.noticed = append(e.noticed, notice{d.Pos.File, int64(d.Pos.Line), int64(d.Pos.Col), d.Code, d.Msg})
	}
	var err error
	w.buf, err = endRecord.AppendRecord(w.buf[:0], recEnd, &e)
	return w.write(w.buf, err)
}

// Rest is what stands behind the last call of a stream and is of no kind that
// is known: whole records, and fields of the end record.
type Rest struct {
	Records []byte
	End     Others
}

// Rest makes the writer write the rest of a stream: its records at once, its
// fields in the end record.
func (w *Writer) Rest(r Rest) error {
	w.endOthers = r.End
	if len(r.Records) == 0 {
		return w.err
	}
	w.buf = append(w.buf[:0], r.Records...)
	return w.write(w.buf, nil)
}

// RestOf returns the rest of a stream of records whose Next returned io.EOF.
func RestOf(src Source) Rest {
	if s, ok := src.(interface{ Rest() Rest }); ok {
		return s.Rest()
	}
	return Rest{}
}

// Codes of warnings about streams of calls.
const (
	codeNoExit = "call/no-exit"
	codeCount  = "call/warnings"
)

// readEnd reads the end record and checks what it says about the stream.
func (d *Reader) readEnd() error {
	var e end
	if err := d.in.Done(endRecord.Scan(d.in.Scanner(), &e)); err != nil {
		return err
	}
	gaps := d.seq > d.calls
	if e.calls < d.calls || e.calls > d.calls && !gaps {
		return d.in.Refuse("call/count", "found %d calls before the end record, expected %d as it says; part of the stream is missing or was put in twice", d.calls, e.calls)
	}
	d.rest = Rest{d.between, e.Others}
	told := false
	for _, n := range e.noticed {
		told = told || n.code == codeNoExit
		d.warned = append(d.warned, diag.Warn(diag.Pos{File: n.file, Line: int(n.line), Col: int(n.col)}, n.code, "%s", n.msg))
	}
	if missing := e.warnings - int64(len(e.noticed)); missing > 0 {
		d.warned = append(d.warned, diag.Warn(d.in.Pos(), codeCount, "the end record counts %d warnings about the trace that it does not hold; parse the trace again to see them", missing))
	}
	if !d.exit.Found && !told {
		d.warned = append(d.warned, diag.Warn(d.in.Pos(), codeNoExit, "the stream has no exit record, so that the time before the program's end and its exit code are not known; did a filter remove it?"))
	}
	return nil
}
