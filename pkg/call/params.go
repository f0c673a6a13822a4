package call

import (
	"bytes"
	"slices"
	"strconv"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
)

// Param is one parameter with its value as the trace spells it.
type Param struct {
	Key   string
	Kind  libdvm.Kind
	Shape libdvm.Shape
	// Val is the value of a scalar: digits of a decimal or real, lower-case
	// hexadecimal digits of a handle or pointer ("0" for NULL), the bytes of
	// a text.
	Val []byte
	// first, last delimit the elements of an array in Params.elems, row0,
	// row1 the ends of a matrix's rows in Params.rows.
	first, last int32
	row0, row1  int32
}

// Params are the parameters of one half of a call, in the order of the
// trace. The zero value is empty.
type Params struct {
	list  []Param
	elems [][]byte
	rows  []int32
	fixed *fixed // nil unless Fix was called
}

// fixed is what a record says of parameters that are not changed any more, and
// of the lines that stand beside them.
type fixed struct {
	params    string
	lines     [][]byte
	linesText string
}

// Fix says that the parameters that p holds and the lines beside them, the text
// of the same half of a call, are not going to be changed. So copies of p may
// share its memory, and what a record says of them is worked out at once. row
// are the parameters that the table lists for the half. [Params.Reset] and a
// [Params.Clone] begin anew.
func (p *Params) Fix(row []libdvm.Param, lines [][]byte) {
	p.list, p.elems, p.rows = slices.Clip(p.list), slices.Clip(p.elems), slices.Clip(p.rows)
	if b, bad, _ := p.appendJSON(nil, row); bad == nil {
		p.fixed = &fixed{params: string(b), lines: lines, linesText: string(appendLines(nil, lines))}
	}
}

// Reset removes all parameters and keeps the buffers, unless they are shared.
func (p *Params) Reset() {
	if p.fixed != nil {
		*p = Params{}
	}
	p.list = p.list[:0]
	p.elems = p.elems[:0]
	p.rows = p.rows[:0]
}

// Len returns the number of parameters.
func (p *Params) Len() int { return len(p.list) }

// At returns parameter i.
func (p *Params) At(i int) *Param { return &p.list[i] }

// Elems returns the elements of an array parameter, of a matrix row after row.
func (p *Params) Elems(q *Param) [][]byte { return p.elems[q.first:q.last:q.last] }

// Rows returns the ends of the rows of a matrix, counted in elements from its
// first.
func (p *Params) Rows(q *Param) []int32 { return p.rows[q.row0:q.row1:q.row1] }

// Get returns the parameter key, or nil.
func (p *Params) Get(key string) *Param {
	for i := range p.list {
		if p.list[i].Key == key {
			return &p.list[i]
		}
	}
	return nil
}

// Add appends a scalar. val must stay unchanged as long as p is used.
func (p *Params) Add(key string, kind libdvm.Kind, val []byte) {
	p.fixed = nil
	p.list = append(p.list, Param{Key: key, Kind: kind, Val: val})
}

// AddArray appends an empty array, to which [Params.AddElem] adds.
func (p *Params) AddArray(key string, kind libdvm.Kind, shape libdvm.Shape) {
	p.fixed = nil
	n, r := int32(len(p.elems)), int32(len(p.rows))
	p.list = append(p.list, Param{Key: key, Kind: kind, Shape: shape, first: n, last: n, row0: r, row1: r})
}

// AddElem appends an element to the array q, which need not be the last one
// that was added to.
func (p *Params) AddElem(q *Param, val []byte) {
	p.fixed = nil
	if int(q.last) != len(p.elems) {
		first := int32(len(p.elems))
		p.elems = append(p.elems, p.elems[q.first:q.last]...)
		q.first, q.last = first, int32(len(p.elems))
	}
	p.elems = append(p.elems, val)
	q.last++
	if q.Shape == libdvm.Matrix && q.row1 > q.row0 {
		p.rows[q.row1-1] = q.last - q.first
	}
}

// AddRow begins a new row of the matrix q.
func (p *Params) AddRow(q *Param) {
	p.fixed = nil
	if int(q.row1) != len(p.rows) {
		row0 := int32(len(p.rows))
		p.rows = append(p.rows, p.rows[q.row0:q.row1]...)
		q.row0, q.row1 = row0, int32(len(p.rows))
	}
	p.rows = append(p.rows, q.last-q.first)
	q.row1++
}

// Len returns how many elements an array parameter has.
func (q *Param) Len() int { return int(q.last - q.first) }

// missing is the error of a parameter that a function needs and a call lacks.
func (c *Call) missing(key string) error {
	return diag.New(c.Pos, "call/missing", "%s has no parameter %s, which its simulation needs; was the trace made with FullTrace=1?", c.Where(), key)
}

func (c *Call) badValue(key string, val []byte, want string) error {
	return diag.New(c.Pos, "call/value", "%s: %s=%q is not %s", c.Where(), key, val, want)
}

// Int returns the decimal argument key.
func (c *Call) Int(key string) (int64, error) { return c.intOf(&c.Args, key) }

// RetInt returns the decimal result key.
func (c *Call) RetInt(key string) (int64, error) { return c.intOf(&c.Ret, key) }

func (c *Call) intOf(p *Params, key string) (int64, error) {
	q := p.Get(key)
	if q == nil || q.Shape != libdvm.Scalar {
		return 0, c.missing(key)
	}
	n, ok := parseInt(q.Val)
	if !ok {
		return 0, c.badValue(key, q.Val, "an integer of 64 bits")
	}
	return n, nil
}

// IntOr returns the decimal argument key, or def when there is none.
func (c *Call) IntOr(key string, def int64) (int64, error) {
	if c.Args.Get(key) == nil {
		return def, nil
	}
	return c.Int(key)
}

// RetIntOr returns the decimal result key, or def when there is none.
func (c *Call) RetIntOr(key string, def int64) (int64, error) {
	if c.Ret.Get(key) == nil {
		return def, nil
	}
	return c.RetInt(key)
}

// Ints appends the elements of the array argument key to dst.
func (c *Call) Ints(dst []int64, key string) ([]int64, error) {
	q := c.Args.Get(key)
	if q == nil || q.Shape == libdvm.Scalar {
		return dst, c.missing(key)
	}
	for _, e := range c.Args.Elems(q) {
		n, ok := parseInt(e)
		if !ok {
			return dst, c.badValue(key, e, "an integer of 64 bits")
		}
		dst = append(dst, n)
	}
	return dst, nil
}

// Reals appends the elements of the array argument key to dst.
func (c *Call) Reals(dst []float64, key string) ([]float64, error) {
	q := c.Args.Get(key)
	if q == nil || q.Shape == libdvm.Scalar {
		return dst, c.missing(key)
	}
	for _, e := range c.Args.Elems(q) {
		x, err := strconv.ParseFloat(string(e), 64)
		if err != nil {
			return dst, c.badValue(key, e, "a number")
		}
		dst = append(dst, x)
	}
	return dst, nil
}

// Real returns the real argument key.
func (c *Call) Real(key string) (float64, error) {
	q := c.Args.Get(key)
	if q == nil || q.Shape != libdvm.Scalar {
		return 0, c.missing(key)
	}
	x, err := strconv.ParseFloat(string(q.Val), 64)
	if err != nil {
		return 0, c.badValue(key, q.Val, "a number")
	}
	return x, nil
}

// Handle returns the handle argument key and whether the call has one; NULL
// is 0.
func (c *Call) Handle(key string) (uint64, bool) { return handleOf(&c.Args, key) }

// RetHandle returns the handle result key and whether the call has one.
func (c *Call) RetHandle(key string) (uint64, bool) { return handleOf(&c.Ret, key) }

func handleOf(p *Params, key string) (uint64, bool) {
	q := p.Get(key)
	if q == nil || q.Shape != libdvm.Scalar {
		return 0, false
	}
	return parseHex(q.Val)
}

// Handles appends the elements of the array of handles key to dst.
func (c *Call) Handles(dst []uint64, key string) []uint64 {
	q := c.Args.Get(key)
	if q == nil || q.Shape == libdvm.Scalar {
		return dst
	}
	for _, e := range c.Args.Elems(q) {
		if h, ok := parseHex(e); ok {
			dst = append(dst, h)
		}
	}
	return dst
}

// Is reports whether the word or note argument key has the value want.
func (c *Call) Is(key, want string) bool {
	q := c.Args.Get(key)
	return q != nil && bytes.Equal(q.Val, []byte(want))
}

func parseInt(b []byte) (int64, bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		n, err := strconv.ParseInt(string(b), 10, 64)
		if neg {
			n = -n
		}
		return n, err == nil
	}
	var n int64
	for _, d := range b {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

func parseHex(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	var n uint64
	for _, d := range b {
		switch {
		case d >= '0' && d <= '9':
			d -= '0'
		case d >= 'a' && d <= 'f':
			d -= 'a' - 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(d)
	}
	return n, true
}

// IsDecimal reports whether b is an integer as traces and JSON both spell it:
// no plus sign, no leading zeros.
func IsDecimal(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 1 && b[0] == '0' {
		return false
	}
	for _, d := range b {
		if d < '0' || d > '9' {
			return false
		}
	}
	return true
}

// IsInteger reports whether b is a decimal (see [IsDecimal]) of at most 64
// bits.
func IsInteger(b []byte) bool {
	if !IsDecimal(b) {
		return false
	}
	if len(b) <= 18 {
		return true
	}
	_, ok := parseInt(b)
	return ok
}

// IsReal reports whether b is a decimal fraction as traces and JSON both
// spell it: an integer, or digits on both sides of a point, with an exponent
// or without.
func IsReal(b []byte) bool {
	mant, exp, hasExp := bytes.Cut(b, []byte("e"))
	if hasExp {
		if len(exp) > 0 && (exp[0] == '+' || exp[0] == '-') {
			exp = exp[1:]
		}
		if len(exp) == 0 || !digits(exp) {
			return false
		}
	}
	whole, frac, hasFrac := bytes.Cut(mant, []byte("."))
	return IsDecimal(whole) && (!hasFrac || len(frac) > 0 && digits(frac))
}

// IsHandle reports whether b is a reference as traces print it: 1 to 16
// lower-case hexadecimal digits without leading zeros.
func IsHandle(b []byte) bool {
	_, ok := parseHex(b)
	return ok && (len(b) == 1 || b[0] != '0')
}

func digits(b []byte) bool {
	for _, d := range b {
		if d < '0' || d > '9' {
			return false
		}
	}
	return true
}

// Clone returns a copy of p that shares no memory with it.
func (p *Params) Clone() *Params {
	q := &Params{list: slices.Clone(p.list), rows: slices.Clone(p.rows), elems: make([][]byte, len(p.elems))}
	for i := range q.list {
		q.list[i].Val = bytes.Clone(q.list[i].Val)
	}
	for i, e := range p.elems {
		q.elems[i] = bytes.Clone(e)
	}
	return q
}

// Equal reports whether p and q hold the same parameters in the same order.
func (p *Params) Equal(q *Params) bool {
	if len(p.list) != len(q.list) {
		return false
	}
	for i := range p.list {
		a, b := &p.list[i], &q.list[i]
		if a.Key != b.Key || a.Kind != b.Kind || a.Shape != b.Shape || !bytes.Equal(a.Val, b.Val) {
			return false
		}
		if !slices.EqualFunc(p.Elems(a), q.Elems(b), bytes.Equal) || !slices.Equal(p.Rows(a), q.Rows(b)) {
			return false
		}
	}
	return true
}
