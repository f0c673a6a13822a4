package ndjson

import (
	"errors"
	"fmt"
	"io"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/stream"
)

// A Stream is a kind of stream.
type Stream struct {
	// Header is the value of "record" in the first record.
	Header string
	// Version is the highest version that can be read.
	Version int64
	// Content and Tool say what the stream holds and which command writes it.
	Content string
	Tool    string
}

// streams are the streams of the project, for messages about a stream of the
// wrong kind.
var streams = []Stream{
	{Header: "trace", Content: "the calls of a trace", Tool: "dvmtrace-parse"},
	{Header: "simulation", Content: "the intervals of a simulated program", Tool: "dvmsim"},
	{Header: "search", Content: "the results of a search", Tool: "dvmsearch"},
}

// Reader reads a stream record by record. The first is the header, the last has
// the kind "end".
//
// Errors in the stream are [diag.Error]s. A stream that ends before the line feed
// of its end record gives one that wraps [diag.ErrTruncated], after all records
// that are complete. The first error is final.
type Reader struct {
	scan   Scanner
	lines  *stream.Lines
	want   Stream
	kind   []byte
	begun  bool
	ended  bool
	failed error
}

// NewReader returns a reader of the stream r of the kind want; name is used
// in messages.
func NewReader(name string, r io.Reader, want Stream) *Reader {
	return &Reader{lines: stream.NewLines(r, name), want: want}
}

// Next goes to the next record and returns the value of its "record", valid
// until Next is called again. [Reader.Scanner] then stands before the record's
// object. The caller reads or skips the object and calls Done. After the end
// record, when nothing follows it, Next returns io.EOF.
func (r *Reader) Next() ([]byte, error) {
	if r.failed != nil {
		return nil, r.failed
	}
	line, err := r.lines.Next()
	if err != nil {
		return nil, r.eof(err)
	}
	r.scan.Reset(line, r.lines.Pos(0))
	if r.ended {
		return nil, r.stop(diag.New(r.lines.Pos(1), "ndjson/after-end",
			"found a line after the end record, expected the end of the input; are these two streams? read one at a time"))
	}
	if r.scan.blank(); r.scan.pos == len(line) {
		return nil, r.stop(diag.New(r.lines.Pos(1), "ndjson/blank", "found a blank line, expected a record"))
	}
	kind, ok := r.quickKind()
	if !ok || !r.begun {
		if kind, ok = r.probe(); !ok {
			return nil, r.Stop()
		}
	}
	r.scan.pos, r.scan.depth, r.scan.fresh = 0, 0, false
	r.kind = append(r.kind[:0], kind...)
	r.ended = string(kind) == "end"
	return r.kind, nil
}

// Done ends the reading of a record; ok says that it had no error. Done checks
// that nothing follows the record and that its line is complete.
func (r *Reader) Done(ok bool) error {
	if !ok || !r.scan.End() {
		return r.Stop()
	}
	if !r.lines.Terminated() {
		return r.stop(diag.Truncated(r.lines.Pos(len(r.scan.data)+1), "ndjson/truncated",
			"found the end of the input, expected a line feed behind the record; was the stream cut?"))
	}
	return nil
}

// Stop makes the scanner's error the final one of the reader and returns it. A
// record that is incomplete at the end of the input is truncation.
func (r *Reader) Stop() error {
	if r.scan.err == nil {
		panic("ndjson: internal error: a record was refused without a complaint")
	}
	err := r.scan.err
	if r.scan.short {
		_, next := r.lines.Next()
		if !r.lines.Terminated() || next == io.EOF {
			err = diag.Truncated(err.Pos, "ndjson/truncated",
				"%s; the input ends in the middle of a record: the stream was cut or the command that wrote it failed", err.Msg)
		}
	}
	return r.stop(err)
}

func (r *Reader) stop(err error) error {
	r.failed = err
	return err
}

// eof returns the error for the end of the input.
func (r *Reader) eof(err error) error {
	if err == io.EOF && !r.ended {
		if !r.begun {
			return r.stop(diag.Truncated(r.lines.Pos(0), "ndjson/truncated",
				"found nothing, expected %s as %s writes them; did that command fail?", r.want.Content, r.want.Tool))
		}
		return r.stop(diag.Truncated(r.lines.Pos(0), "ndjson/truncated",
			"the input ends after this line, expected an end record; the stream was cut or the command that wrote it failed"))
	}
	// Compressed input that was truncated has its own error, which says so.
	return r.stop(err)
}

// quickKind returns the kind of a record that begins like all records that
// the project writes.
func (r *Reader) quickKind() ([]byte, bool) {
	const head = `{"record":"`
	d := r.scan.data
	if len(d) < len(head) || string(d[:len(head)]) != head {
		return nil, false
	}
	d = d[len(head):]
	for i, c := range d {
		if c == '"' {
			return d[:i], true
		}
		if c < 'a' || c > 'z' {
			break
		}
	}
	return nil, false
}

// probe returns the kind of any record and, before anything else of the
// stream is read, checks that the first is the header.
func (r *Reader) probe() (kind []byte, ok bool) {
	names := []string{"record", "version"}
	var version int64
	var at diag.Pos
	seen, ok := r.scan.Members(names, func(i int) (ok bool) {
		if i == 0 {
			kind, ok = r.scan.Text()
			return ok
		}
		if r.begun || r.scan.Peek() != '0' {
			return r.scan.Skip() // another record's own business
		}
		version, ok = r.scan.Int()
		at = r.scan.Pos()
		return ok
	})
	if !ok || !r.scan.Require(r.scan.posAt(0), "an object", names, 1, seen) || r.begun {
		return kind, r.scan.err == nil
	}
	r.begun = true
	if string(kind) != r.want.Header {
		return nil, r.foreign(string(kind))
	}
	if version < 1 {
		return nil, r.scan.failAt(0, "ndjson/version", fmt.Sprintf("found the header %q without a version number, expected \"version\":%d", kind, r.want.Version))
	}
	if version > r.want.Version {
		return nil, r.scan.failAt(at.Col-1, "ndjson/version",
			fmt.Sprintf("found version %d of the stream, expected at most %d; it comes from a newer %s: use that release's commands throughout", version, r.want.Version, r.want.Tool))
	}
	return kind, true
}

// foreign reports a first record that is not the header.
func (r *Reader) foreign(kind string) bool {
	for _, s := range streams {
		if s.Header == kind {
			return r.scan.failAt(0, "ndjson/header", fmt.Sprintf("found %s, as %s writes them; expected %s, as %s writes them",
				s.Content, s.Tool, r.want.Content, r.want.Tool))
		}
	}
	return r.scan.failAt(0, "ndjson/header", fmt.Sprintf("found the record %q first, expected the header %q; did a filter remove it?", kind, r.want.Header))
}

// Line returns the text of the current record, valid until Next is called
// again.
func (r *Reader) Line() []byte { return r.scan.data }

// Scanner returns the scanner of the current record.
func (r *Reader) Scanner() *Scanner { return &r.scan }

// Refuse makes an error about the record that was just read the final one of the
// reader. Its position is the beginning of the record.
func (r *Reader) Refuse(code, format string, args ...any) error {
	return r.stop(diag.New(r.Pos(), code, format, args...))
}

// Finish returns io.EOF when nothing follows the end record, which was just
// read.
func (r *Reader) Finish() error {
	_, err := r.Next()
	if err == nil {
		err = errors.New("ndjson: internal error: a record after the end")
	}
	return err
}

// Pos returns the position of the current record.
func (r *Reader) Pos() diag.Pos { return r.lines.Pos(1) }
