package ptr

import (
	"io"
	"math"
	"strconv"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/units"
)

// Writer writes calls as a .ptr trace. Reading the text again gives the same
// calls; every `key=value` of the trace that the calls were read from is
// there again.
type Writer struct {
	w      io.Writer
	digits int
	buf    []byte
}

// NewWriter returns a writer that writes to w, a block of text for each call.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Header writes the preamble.
func (w *Writer) Header(h *call.Header) error {
	w.digits = h.Runtime.TimeDigits
	w.buf = w.buf[:0]
	for _, l := range h.Preamble {
		w.buf = append(append(w.buf, l...), '\n')
	}
	return w.flush()
}

// Call writes a call with everything that it holds.
func (w *Writer) Call(c *call.Call) error {
	w.buf = w.buf[:0]
	w.call(c, 0)
	return w.flush()
}

// Exit writes the program's end; calls written after it are the epilogue.
func (w *Writer) Exit(e *call.Exit) error {
	w.buf = w.event(w.buf[:0], 0, "Event_", libdvm.NameOf(libdvm.Finish), e.Time, e.Line, e.File)
	w.own(e.Own)
	w.buf = append(w.buf, "rc="...)
	w.buf = strconv.AppendInt(w.buf, int64(e.RC), 10)
	w.buf = append(w.buf, ";\n"...)
	return w.flush()
}

func (w *Writer) flush() error {
	_, err := w.w.Write(w.buf)
	return err
}

// call writes c and what is nested in it, depth levels deep.
func (w *Writer) call(c *call.Call, depth int) {
	if c.Only != call.OnlyRet {
		w.buf = w.event(w.buf, depth, "call_", c.Func, c.CallTime, c.Line, c.File)
		w.own(c.Own.Call)
		w.block(&c.Args, c.Text)
	}
	own := c.RetTime
	for i := range c.Nested {
		n := &c.Nested[i]
		own -= n.CallTime + n.RetTime
		w.call(n, depth+1)
	}
	if c.Only == call.OnlyCall {
		return
	}
	line, file := c.Line, c.File
	if c.RetLine != 0 || c.RetFile != "" {
		line, file = c.RetLine, c.RetFile
	}
	w.buf = w.event(w.buf, depth, "ret_", c.Func, max(own, 0), line, file)
	w.own(c.Own.Ret)
	w.block(&c.Ret, c.RetText)
}

const nestedBlanks = "     "

// event appends an event line: the name padded to 26 characters, TIME, LINE
// padded to 6, FILE (docs/trace-format.md#event-lines).
func (w *Writer) event(dst []byte, depth int, prefix, name string, t units.Seconds, line int, file string) []byte {
	for range depth {
		dst = append(dst, nestedBlanks...)
	}
	start := len(dst)
	dst = append(append(dst, prefix...), name...)
	for len(dst) < start+26 {
		dst = append(dst, ' ')
	}
	dst = append(dst, " TIME="...)
	dst = w.appendTime(dst, t)
	dst = append(dst, " LINE="...)
	at := len(dst)
	if line != 0 {
		dst = strconv.AppendInt(dst, int64(line), 10)
	}
	for len(dst) < at+6 {
		dst = append(dst, ' ')
	}
	dst = append(dst, " FILE="...)
	return append(append(dst, file...), '\n')
}

// appendTime appends t in fixed point with the trace's number of digits, or
// as many as t needs when that is more, as in the mean of several times.
func (w *Writer) appendTime(dst []byte, t units.Seconds) []byte {
	x := float64(t)
	if w.digits > 0 {
		scaled := x * float64(pow10[w.digits])
		if r := math.Round(scaled); r < 1<<53 && r/float64(pow10[w.digits]) == x {
			return appendFixed(dst, int64(r), w.digits)
		}
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if _, frac, ok := strings.Cut(s, "."); ok && len(frac) > 12 {
		s = strconv.FormatFloat(x, 'f', 12, 64)
	}
	return append(dst, s...)
}

// appendFixed appends n / 10^digits with all digits.
func appendFixed(dst []byte, n int64, digits int) []byte {
	dst = strconv.AppendInt(dst, n/pow10[digits], 10)
	dst = append(dst, '.')
	n %= pow10[digits]
	for d := digits - 1; d >= 0; d-- {
		dst = append(dst, byte('0'+n/pow10[d]%10))
	}
	return dst
}

// block appends the parameter lines of one half of a call: scalars on one
// line, each array on its own, then the text lines, last a parameter that
// runs to the end of the block.
func (w *Writer) block(p *call.Params, text [][]byte) {
	var toEnd *call.Param
	line := false
	for i := range p.Len() {
		q := p.At(i)
		switch {
		case q.Kind == libdvm.Text || q.Kind == libdvm.TextSemicolon:
			toEnd = q
		case q.Kind == libdvm.Note:
		case q.Shape == libdvm.Scalar:
			w.buf = append(append(w.buf, q.Key...), '=')
			w.value(q.Kind, q.Val)
			if i+1 < p.Len() && p.At(i+1).Kind == libdvm.Note {
				w.buf = append(append(append(w.buf, " ("...), p.At(i+1).Val...), ')')
			}
			w.buf = append(w.buf, "; "...)
			line = true
		case q.Shape == libdvm.Runs && i > 0 && runsFit(p, p.At(i-1), q):
		default:
			if line {
				w.buf = append(w.buf, '\n')
				line = false
			}
			if i+1 < p.Len() && p.At(i+1).Shape == libdvm.Runs && runsFit(p, q, p.At(i+1)) {
				w.runs(p, q, p.At(i+1))
				continue
			}
			w.array(p, q)
		}
	}
	if line {
		w.buf = append(w.buf, '\n')
	}
	for _, l := range text {
		w.buf = append(append(w.buf, l...), '\n')
	}
	switch {
	case toEnd != nil:
		w.buf = append(append(w.buf, toEnd.Key...), '=')
		w.buf = append(w.buf, toEnd.Val...)
		if toEnd.Kind == libdvm.TextSemicolon {
			w.buf = append(w.buf, ';')
		}
		w.buf = append(w.buf, '\n')
	case p.Len() == 0 && len(text) == 0:
		w.buf = append(w.buf, " \n"...)
	}
}

var null = []byte("NULL")

func (w *Writer) value(kind libdvm.Kind, val []byte) {
	if kind == libdvm.Pointer && len(val) == 1 && val[0] == '0' {
		val = null
	}
	w.buf = append(w.buf, val...)
}

// traceName is the name in the trace of the array with the given key.
func traceName(key string) string { return strings.TrimSuffix(key, "[]") }

func (w *Writer) array(p *call.Params, q *call.Param) {
	elems := p.Elems(q)
	if q.Shape == libdvm.Matrix {
		first := 0
		for r, end := range p.Rows(q) {
			for j := first; j < int(end); j++ {
				w.elem(q, elems[j], r, j-first)
			}
			w.buf = append(w.buf, '\n')
			first = int(end)
		}
		return
	}
	for i, e := range elems {
		w.elem(q, e, i, -1)
	}
	w.buf = append(w.buf, '\n')
}

func (w *Writer) elem(q *call.Param, val []byte, i, j int) {
	w.buf = append(append(w.buf, traceName(q.Key)...), '[')
	w.buf = append(strconv.AppendInt(w.buf, int64(i), 10), ']')
	if j >= 0 {
		w.buf = append(w.buf, '[')
		w.buf = append(strconv.AppendInt(w.buf, int64(j), 10), ']')
	}
	w.buf = append(w.buf, '=')
	w.value(q.Kind, val)
	w.buf = append(w.buf, "; "...)
}

// runsFit reports whether the elements of lengths are the lengths of the runs
// of q.
func runsFit(p *call.Params, lengths, q *call.Param) bool {
	if lengths.Shape != libdvm.Vector || lengths.Kind != libdvm.Decimal {
		return false
	}
	sum := 0
	for _, e := range p.Elems(lengths) {
		n, err := strconv.Atoi(string(e))
		if err != nil || n < 1 {
			return false
		}
		sum += n
	}
	return sum == q.Len()
}

// runs appends each length with its run behind it.
func (w *Writer) runs(p *call.Params, lengths, q *call.Param) {
	elems := p.Elems(q)
	for i, e := range p.Elems(lengths) {
		w.elem(lengths, e, i, -1)
		w.buf = append(w.buf, '\n')
		n, _ := strconv.Atoi(string(e))
		for j := range n {
			w.elem(q, elems[j], j, -1)
		}
		elems = elems[n:]
		w.buf = append(w.buf, '\n')
	}
}
