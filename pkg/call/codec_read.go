package call

import (
	"io"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// Reader reads a stream of calls from newline-delimited JSON. It is a
// [Source]. Everything a call holds is in buffers of the reader and valid
// until Next.
//
// The header comes first, the end record last; the exit, of which there is at
// most one, anywhere between; a stream without one is read with a warning.
// Fields may come in any order; fields and records that are not known are
// kept for who writes the stream again ([Others], [Call.Before], [RestOf]).
// Numbers of calls count up. They may
// have gaps, as a filter leaves them; where they have none, the end record
// must state the number of calls that were read, else part of the stream is
// missing. A stream that breaks off is an error that wraps
// [diag.ErrTruncated], after the calls that are complete.
type Reader struct {
	in     *ndjson.Reader
	header Header
	exit   Exit
	call   Call
	keys   keys
	buf    []byte // numbers in plain form
	calls  int64
	seq    int64
	inside int64 // number of the last call that is not outside
	warned []*diag.Error
	// between are the records of unknown kinds since the last call.
	between []byte
	rest    Rest
}

var _ Source = (*Reader)(nil)

// NewReader returns a reader of the stream r after having read its header;
// name is used in messages.
func NewReader(name string, r io.Reader) (*Reader, error) {
	d := &Reader{in: ndjson.NewReader(name, r, streamOfCalls)}
	if _, err := d.in.Next(); err != nil {
		return nil, err
	}
	s := d.in.Scanner()
	ok := headerRecord.Scan(s, &header{Header: &d.header})
	if err := d.in.Done(ok); err != nil {
		return nil, err
	}
	return d, nil
}

// Header returns the header of the stream.
func (d *Reader) Header() *Header { return &d.header }

// Exit returns the program's end; Found is set once its record was read. Seq
// is the number of the last call before it that is not outside the program.
func (d *Reader) Exit() *Exit { return &d.exit }

// Warnings returns, once Next returned io.EOF, what was noticed when the trace
// was parsed and what the stream itself lacks.
func (d *Reader) Warnings() []*diag.Error { return d.warned }

// Rest returns what [RestOf] does.
func (d *Reader) Rest() Rest { return d.rest }

// Next returns the next call, valid until Next is called again, and io.EOF
// after the end record. Errors are final.
func (d *Reader) Next() (*Call, error) {
	if err := d.next(&d.call); err != nil {
		return nil, err
	}
	return &d.call, nil
}

// NextInto is Next for a reader that keeps several calls: it reads into c and
// appends the bytes that c refers to to arena.
func (d *Reader) NextInto(c *Call, arena []byte) ([]byte, error) {
	if err := d.next(c); err != nil {
		return arena, err
	}
	return c.move(arena), nil
}

// next reads the next call into c.
func (d *Reader) next(c *Call) error {
	for {
		kind, err := d.in.Next()
		if err != nil {
			return err
		}
		switch string(kind) {
		case recCall:
			return d.readCall(c)
		case recExit:
			err = d.readExit()
		case recEnd:
			if err = d.readEnd(); err == nil {
				err = d.in.Finish()
			}
		case recTrace:
			err = d.in.Refuse("call/header", "found a second header, expected calls; are these two streams? read one at a time")
		default:
			if err = d.in.Done(d.in.Scanner().Skip()); err == nil {
				d.between = append(append(d.between, d.in.Line()...), '\n')
			}
		}
		if err != nil {
			return err
		}
	}
}

func (d *Reader) readCall(c *Call) error {
	c.Reset()
	d.buf = d.buf[:0]
	if err := d.in.Done(d.scanCall(c, 0)); err != nil {
		return err
	}
	c.Before = append(c.Before, d.between...)
	d.between = d.between[:0]
	if c.Seq <= d.seq {
		return d.in.Refuse("call/seq", "found call %d after call %d, expected numbers that count up; was the stream sorted or joined from two?", c.Seq, d.seq)
	}
	d.seq = c.Seq
	d.calls++
	if !c.Outside {
		d.inside = c.Seq
	}
	return nil
}

func (d *Reader) readExit() error {
	if d.exit.Found {
		return d.in.Refuse("call/exit", "found a second exit record, expected one; are these two streams? read one at a time")
	}
	s := d.in.Scanner()
	ok := exitRecord.Scan(s, &d.exit)
	if ok && !validTime(d.exit.Time) {
		ok = s.Fail("call/time", "found the time %v, expected %s", float64(d.exit.Time), timeRange)
	}
	if err := d.in.Done(ok); err != nil {
		return err
	}
	d.exit.Found = true
	if d.exit.Seq = d.inside; d.inside == 0 {
		d.exit.Seq = d.seq
	}
	return nil
}

// scanCall reads a call, nested in depth others.
func (d *Reader) scanCall(c *Call, depth int) bool {
	s := d.in.Scanner()
	var place struct {
		at        diag.Pos
		args, ret ndjson.Mark
		later     bool
	}
	place.at = s.Here()
	c.Pos = place.at
	seen, ok := s.MembersAndOthers(callFields, &c.Others.Others, func(i int) bool {
		switch i {
		case fArgs, fRet:
			// The table says the kinds of parameters, so the name comes first.
			if c.Func != "" && !place.later {
				return d.half(c, i)
			}
			if place.later = true; i == fArgs {
				place.args = s.Mark()
			} else {
				place.ret = s.Mark()
			}
			return s.Skip()
		case fOwn:
			return ownRecord.Scan(s, &c.Own)
		case fNested:
			return d.scanNested(c, depth)
		}
		return scanField(s, c, i, depth)
	})
	must := uint64(required)
	if depth > 0 {
		must = nestedRequired
	}
	if !ok || !s.Require(place.at, "a call", callFields, must, seen) {
		return false
	}
	if place.later {
		after := s.Mark()
		for _, h := range [...]struct {
			field int
			mark  ndjson.Mark
		}{{fArgs, place.args}, {fRet, place.ret}} {
			if h.mark == (ndjson.Mark{}) {
				continue
			}
			s.Seek(h.mark)
			if !d.half(c, h.field) {
				return false
			}
		}
		s.Seek(after)
	}
	return true
}

// half reads the parameters of one half of c.
func (d *Reader) half(c *Call, field int) bool {
	args, ret := rowParams(c.Row)
	if field == fArgs {
		return d.params(c, args, &c.Args)
	}
	return d.params(c, ret, &c.Ret)
}

// scanField reads a field of a call that holds no parameters.
func scanField(s *ndjson.Scanner, c *Call, field, depth int) (ok bool) {
	switch field {
	case fRecord:
		if depth == 0 {
			return s.Skip() // it has been read to tell that this is a call
		}
		var kind []byte
		if kind, ok = s.Text(); ok && string(kind) != recCall {
			ok = s.Fail("call/nested", "found a record %q inside a call, expected calls", kind)
		}
	case fSeq:
		if c.Seq, ok = s.Int(); ok && c.Seq < 0 {
			ok = s.Fail("call/seq", "found call %d, expected numbers from 1", c.Seq)
		}
	case fFunc:
		var name []byte
		if name, ok = s.Bytes(); !ok {
			return false
		}
		if len(name) == 0 {
			return s.Fail("call/func", "found an empty name, expected the name of a function")
		}
		if c.Row = libdvm.RowOfBytes(name); c.Listed() {
			c.Func = c.Row.Name
		} else {
			c.Func = s.Intern(name)
		}
	case fLine:
		c.Line, ok = scanLine(s)
	case fRetLine:
		c.RetLine, ok = scanLine(s)
	case fFile:
		c.File, ok = scanName(s)
	case fRetFile:
		c.RetFile, ok = scanName(s)
	case fCallTime:
		c.CallTime, ok = scanTime(s)
	case fRetTime:
		c.RetTime, ok = scanTime(s)
	case fOnly:
		c.Only, ok = scanHalf(s)
	case fOutside:
		c.Outside, ok = s.Bool()
	case fText:
		ok = scanLines(s, &c.Text)
	case fRetText:
		ok = scanLines(s, &c.RetText)
	}
	return ok
}

func scanLine(s *ndjson.Scanner) (int, bool) {
	n, ok := ndjson.ScanInt[int](s)
	if ok && n < 0 {
		ok = s.Fail("call/line", "found line %d, expected one from 0", n)
	}
	return n, ok
}

func scanName(s *ndjson.Scanner) (string, bool) {
	b, ok := s.Bytes()
	return s.Intern(b), ok
}

func scanTime(s *ndjson.Scanner) (units.Seconds, bool) {
	x, ok := s.Float()
	t := units.Seconds(x)
	if ok && !validTime(t) {
		ok = s.Fail("call/time", "found the time %v, expected %s", x, timeRange)
	}
	return t, ok
}

func scanHalf(s *ndjson.Scanner) (Half, bool) {
	b, ok := s.Text()
	if !ok {
		return Both, false
	}
	for _, h := range [...]Half{Both, OnlyCall, OnlyRet} {
		if h.String() == string(b) {
			return h, true
		}
	}
	return Both, s.Fail("call/only", "found %q, expected \"call\" or \"ret\"", b)
}

func scanLines(s *ndjson.Scanner, lines *[][]byte) bool {
	if !s.Array() {
		return false
	}
	for s.Elem() {
		b, ok := s.Bytes()
		if !ok {
			return false
		}
		*lines = append(*lines, b)
	}
	return s.Err() == nil
}

func (d *Reader) scanNested(c *Call, depth int) bool {
	s := d.in.Scanner()
	if !s.Array() {
		return false
	}
	if depth == maxNesting {
		return s.Fail("call/nested", "found calls nested more than %d deep, expected fewer", maxNesting)
	}
	for s.Elem() {
		n := len(c.Nested)
		if n < cap(c.Nested) {
			c.Nested = c.Nested[:n+1]
			c.Nested[n].Reset()
		} else {
			c.Nested = append(c.Nested, Call{})
		}
		if !d.scanCall(&c.Nested[n], depth+1) {
			return false
		}
	}
	return s.Err() == nil
}
