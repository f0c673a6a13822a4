package call

import (
	"io"
	"math"
	"strconv"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// Writer writes a stream of calls: Header, then Call for each call, Exit
// where the program ends, then End. Each record is one Write to the
// destination, which should buffer; there is nothing to flush. A destination with
// a method AvailableBuffer as that of [bufio.Writer] gets calls without a copy.
//
// An error of the destination is final. A record that cannot be written, and
// would not be read back, is refused with a [diag.Error]; nothing of it is
// written, and the stream can go on.
type Writer struct {
	w      io.Writer
	within interface{ AvailableBuffer() []byte } // w, if it has a buffer for calls
	buf    []byte
	calls  int64
	seq    int64
	err    error
	digits []byte // of seq
	where  [places]place
	// endOthers are unknown fields for the end record.
	endOthers Others
}

// place is where a call comes from and what its record says of that; few of
// them come again and again.
type place struct {
	fn, file string
	line     int
	json     []byte
}

const places = 1 << 10

// usualSize is the size of buffers in bytes that most records of calls fit in.
const usualSize = 1 << 10

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer {
	out := &Writer{w: w}
	out.within, _ = w.(interface{ AvailableBuffer() []byte })
	return out
}

// Header writes the header.
func (w *Writer) Header(h *Header) error {
	var err error
	w.buf, err = headerRecord.AppendRecord(w.buf[:0], recTrace, &header{Version, h})
	return w.write(w.buf, err)
}

// Exit writes the program's end, or nothing when it was not found.
func (w *Writer) Exit(e *Exit) error {
	if !e.Found {
		return nil
	}
	if !validTime(e.Time) {
		return diag.New(diag.Pos{File: e.File, Line: e.Line}, "call/time", "the program's end: time is %v, expected %s", float64(e.Time), timeRange)
	}
	var err error
	w.buf, err = exitRecord.AppendRecord(w.buf[:0], recExit, e)
	return w.write(w.buf, err)
}

func (w *Writer) write(b []byte, err error) error {
	if w.err != nil {
		return w.err
	}
	if err != nil {
		return err
	}
	_, w.err = w.w.Write(b)
	return w.err
}

// Call writes a call. Its number must be greater than that of the call
// before, its times must not be negative, and its parameters must be of their
// kinds.
func (w *Writer) Call(c *Call) error {
	if w.err != nil {
		return w.err
	}
	if c.Seq <= w.seq {
		return diag.New(c.Pos, "call/seq", "found %s after call %d, expected numbers that count up", c.Where(), w.seq)
	}
	if c.Seq != w.seq+1 || !increment(w.digits) {
		w.digits = strconv.AppendInt(w.digits[:0], c.Seq, 10)
	}
	room, within := w.buf[:0], false
	if w.within != nil {
		if a := w.within.AvailableBuffer(); cap(a) >= usualSize {
			room, within = a, true
		}
	}
	b := append(append(room, c.Before...), `{"record":"call","seq":`...)
	b = append(append(b, w.digits...), ',')
	b, err := appendRest(append(b, w.place(c)...), c)
	b = append(b, '\n')
	if !within {
		w.buf = b
	}
	if err != nil {
		w.digits = w.digits[:0]
		return err
	}
	w.seq = c.Seq
	w.calls++
	return w.write(b, nil)
}

// increment adds 1 to a decimal number, unless it has not enough digits for it.
func increment(digits []byte) bool {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] != '9' {
			digits[i]++
			return true
		}
		digits[i] = '0'
	}
	return false
}

// place returns the fields from "func" to "file".
func (w *Writer) place(c *Call) []byte {
	h := uint32(c.Line)<<8 + uint32(len(c.Func))
	if n := len(c.Func); n > 2 {
		h += uint32(c.Func[0])<<16 + uint32(c.Func[2])<<21 + uint32(c.Func[n/2])<<13 + uint32(c.Func[n-2])<<4
	}
	p := &w.where[h*0x9e3779b1>>(32-10)]
	if p.line != c.Line || p.fn != c.Func || p.file != c.File || p.json == nil {
		p.fn, p.file, p.line = c.Func, c.File, c.Line
		p.json = appendPlace(p.json[:0], c)
	}
	return p.json
}

func appendPlace(b []byte, c *Call) []byte {
	b = append(b, `"func":`...)
	b = ndjson.AppendString(b, c.Func)
	b = append(b, `,"line":`...)
	b = strconv.AppendInt(b, int64(c.Line), 10)
	b = append(b, `,"file":`...)
	return ndjson.AppendString(b, c.File)
}

// appendRest appends the fields behind "file" and the closing brace.
func appendRest(b []byte, c *Call) ([]byte, error) {
	var err error
	if b, err = appendTime(b, `,"call_time":`, c, c.CallTime); err != nil {
		return b, err
	}
	if b, err = appendTime(b, `,"ret_time":`, c, c.RetTime); err != nil {
		return b, err
	}
	if c.Only != Both {
		b = append(b, `,"only":"`...)
		b = append(b, c.Only.String()...)
		b = append(b, '"')
	}
	if c.RetLine != 0 {
		b = append(b, `,"ret_line":`...)
		b = strconv.AppendInt(b, int64(c.RetLine), 10)
	}
	if c.RetFile != "" {
		b = append(b, `,"ret_file":`...)
		b = ndjson.AppendString(b, c.RetFile)
	}
	if c.Outside {
		b = append(b, `,"outside":true`...)
	}
	args, ret := rowParams(c.Row)
	b = append(b, `,"args":`...)
	if b, err = appendParams(b, c, &c.Args, args); err != nil {
		return b, err
	}
	b = append(b, `,"ret":`...)
	if b, err = appendParams(b, c, &c.Ret, ret); err != nil {
		return b, err
	}
	b = appendText(b, `,"text":`, &c.Args, c.Text)
	b = appendText(b, `,"ret_text":`, &c.Ret, c.RetText)
	if len(c.Nested) > 0 {
		if b, err = appendNested(b, c.Nested); err != nil {
			return b, err
		}
	}
	if !c.Own.Empty() {
		if b, err = ownRecord.Append(append(b, `,"own":`...), &c.Own); err != nil {
			return b, err
		}
	}
	b = ndjson.AppendOthers(b, c.Others.Others, true)
	return append(b, '}'), nil
}

// rowParams returns the parameters that the table lists for a function.
func rowParams(f *libdvm.Func) (args, ret []libdvm.Param) {
	if f == nil {
		return nil, nil
	}
	return f.Args, f.Ret
}

func appendNested(b []byte, calls []Call) ([]byte, error) {
	b = append(b, `,"nested":[`...)
	for i := range calls {
		n := &calls[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		if n.Seq != 0 {
			b = append(b, `"seq":`...)
			b = strconv.AppendInt(b, n.Seq, 10)
			b = append(b, ',')
		}
		var err error
		if b, err = appendRest(appendPlace(b, n), n); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// appendText appends the lines that stand beside the parameters p.
func appendText(b []byte, key string, p *Params, lines [][]byte) []byte {
	if len(lines) == 0 {
		return b
	}
	b = append(b, key...)
	if f := p.fixed; f != nil && len(f.lines) == len(lines) && &f.lines[0] == &lines[0] {
		return append(b, f.linesText...)
	}
	return appendLines(b, lines)
}

func appendLines(b []byte, lines [][]byte) []byte {
	b = append(b, '[')
	for i, l := range lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = ndjson.AppendString(b, l)
	}
	return append(b, ']')
}

func appendTime(b []byte, key string, c *Call, t units.Seconds) ([]byte, error) {
	b = append(b, key...)
	if !validTime(t) {
		return b, diag.New(c.Pos, "call/time", "%s: %s is %v, expected %s", c.Where(), key[2:len(key)-2], float64(t), timeRange)
	}
	b, _ = ndjson.AppendFloat(b, t)
	return b, nil
}

const timeRange = "a finite number of seconds that is not negative"

func validTime(t units.Seconds) bool { return t >= 0 && !math.IsInf(float64(t), 1) }

// appendParams appends the parameters of one half; row are those of the
// table.
func appendParams(b []byte, c *Call, p *Params, row []libdvm.Param) ([]byte, error) {
	if p.fixed != nil {
		return append(b, p.fixed.params...), nil
	}
	b, bad, kind := p.appendJSON(b, row)
	if bad != nil {
		return b, c.unwritable(p, bad, kind)
	}
	return b, nil
}

// appendJSON appends p as an object. When a parameter has a value that is not
// of the kind that it is written as, it returns both.
func (p *Params) appendJSON(b []byte, row []libdvm.Param) ([]byte, *Param, libdvm.Kind) {
	b = append(b, '{')
	for i := range p.list {
		q := &p.list[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = ndjson.AppendString(b, q.Key)
		b = append(b, ':')
		kind := q.Kind
		if kind == libdvm.Decimal && find(row, q.Key, i) < 0 {
			// What no row lists is kept whatever its size: as digits.
			kind = libdvm.Real
		}
		ok := true
		switch q.Shape {
		case libdvm.Scalar:
			b, ok = appendValue(b, kind, q.Val)
		case libdvm.Matrix:
			elems, from := p.Elems(q), int32(0)
			b = append(b, '[')
			for j, to := range p.Rows(q) {
				if j > 0 {
					b = append(b, ',')
				}
				if b, ok = appendArray(b, kind, elems[from:to]); !ok {
					break
				}
				from = to
			}
			b = append(b, ']')
		default:
			b, ok = appendArray(b, kind, p.Elems(q))
		}
		if !ok {
			return b, q, kind
		}
	}
	return append(b, '}'), nil, 0
}

func appendArray(b []byte, kind libdvm.Kind, elems [][]byte) ([]byte, bool) {
	b = append(b, '[')
	for i, e := range elems {
		if i > 0 {
			b = append(b, ',')
		}
		var ok bool
		if b, ok = appendValue(b, kind, e); !ok {
			return b, false
		}
	}
	return append(b, ']'), true
}

// appendValue appends a scalar; false when it is not of its kind.
func appendValue(b []byte, kind libdvm.Kind, val []byte) ([]byte, bool) {
	switch kind {
	case libdvm.Decimal:
		return append(b, val...), IsDecimal(val) && fits(val)
	case libdvm.Real:
		return append(b, val...), IsReal(val)
	case libdvm.Handle, libdvm.Pointer:
		b = append(b, '"')
		b = append(b, val...)
		return append(b, '"'), IsHandle(val)
	}
	return ndjson.AppendString(b, val), true
}

// fits reports whether a decimal is an integer of 64 bits, with a sign or
// without.
func fits(val []byte) bool {
	if len(val) <= 18 {
		return true
	}
	if _, err := strconv.ParseInt(string(val), 10, 64); err == nil {
		return true
	}
	_, err := strconv.ParseUint(string(val), 10, 64)
	return err == nil
}

// find returns the index of key in row, where it is expected at i, or -1.
func find[K string | []byte](row []libdvm.Param, key K, i int) int {
	if i < len(row) && row[i].Key == string(key) {
		return i
	}
	for i := range row {
		if row[i].Key == string(key) {
			return i
		}
	}
	return -1
}

// unwritable is the error of a parameter with a value that is not of its kind.
func (c *Call) unwritable(p *Params, q *Param, kind libdvm.Kind) error {
	vals := [][]byte{q.Val}
	if q.Shape != libdvm.Scalar {
		vals = p.Elems(q)
	}
	for _, v := range vals {
		if _, ok := appendValue(nil, kind, v); !ok {
			return c.badValue(q.Key, v, wanted(kind))
		}
	}
	panic("call: internal error: " + q.Key + " of " + c.Where() + " was refused without a reason")
}

// wanted says what values a kind has.
func wanted(kind libdvm.Kind) string {
	switch kind {
	case libdvm.Decimal:
		return "an integer of 64 bits"
	case libdvm.Real:
		return "a number"
	case libdvm.Handle, libdvm.Pointer:
		return "a string of 1 to 16 lower-case hexadecimal digits"
	}
	return "a string"
}
