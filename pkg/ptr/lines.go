package ptr

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// lineReader collects the parameter lines of one half of a call.
type lineReader struct {
	row    *libdvm.Func
	params []libdvm.Param // the row's parameters of this half
	dst    *call.Params
	text   *[][]byte
	known  bool // the row lists all parameters
	hint   int  // where in params the next key is expected
	toEnd  int  // index in dst of the text that runs to the end, or -1
	lines  int  // parameter lines seen
	// array is the parameter that the last element went to, arrayAt its
	// place in dst: elements come one after the other.
	array   *libdvm.Param
	arrayAt int
	keys    *interner
	tokens  []token
}

// token is one `key=value` of a parameter line.
type token struct {
	raw   []byte // from the key to the value's end, without the semicolon
	key   []byte
	dims  int // indices behind the key
	i, j  int
	val   []byte
	note  []byte // word in parentheses behind the value
	param *libdvm.Param
	used  bool
}

// begin starts a block.
func (b *lineReader) begin(row *libdvm.Func, params []libdvm.Param, dst *call.Params, text *[][]byte) {
	b.row, b.params, b.dst, b.text = row, params, dst, text
	b.known = row != nil && !row.Open
	b.hint, b.toEnd, b.lines, b.array = 0, -1, 0, nil
}

// line adds a line to the block. l must stay unchanged as long as the call is
// used.
func (b *lineReader) line(l []byte) {
	if b.toEnd >= 0 {
		q := b.dst.At(b.toEnd)
		q.Val = append(append(q.Val, '\n'), l...)
		return
	}
	i := skipBlanks(l, 0)
	if i == len(l) {
		return
	}
	b.lines++
	if !b.scan(l, i) {
		*b.text = append(*b.text, l)
		return
	}
	left := 0
	for k := range b.tokens {
		if !b.place(&b.tokens[k]) {
			left++
		}
	}
	switch {
	case left == 0:
	case left == len(b.tokens):
		*b.text = append(*b.text, l)
	default:
		var rest []byte
		for _, t := range b.tokens {
			if !t.used {
				if len(rest) > 0 {
					rest = append(rest, ' ')
				}
				rest = append(append(rest, t.raw...), ';')
			}
		}
		*b.text = append(*b.text, rest)
	}
}

// end finishes the block: a text that runs to the end loses what is not part
// of its value.
func (b *lineReader) end() {
	if b.toEnd < 0 {
		return
	}
	q := b.dst.At(b.toEnd)
	v := q.Val
	// PostUnderLine=1 puts a line of one blank behind the block.
	if n := len(v); n >= 2 && v[n-2] == '\n' && v[n-1] == ' ' {
		v = v[:n-2]
	}
	if q.Kind == libdvm.TextSemicolon {
		if n := len(v); n > 0 && v[n-1] == ';' {
			v = v[:n-1]
		}
	}
	q.Val = v
	b.toEnd = -1
}

// scan splits l from i on into tokens; false when it is not a line of
// parameters.
func (b *lineReader) scan(l []byte, i int) bool {
	b.tokens = b.tokens[:0]
	for i < len(l) {
		start := i
		if !isAlpha(l[i]) {
			return false
		}
		for i < len(l) && isWordByte(l[i]) {
			i++
		}
		t := token{key: l[start:i]}
		for i < len(l) && l[i] == '[' {
			n, next := index(l, i)
			if next < 0 || t.dims == 2 {
				return false
			}
			if t.dims == 0 {
				t.i = n
			} else {
				t.j = n
			}
			t.dims++
			i = next
		}
		i = skipBlanks(l, i)
		if i == len(l) || l[i] != '=' {
			return false
		}
		i++
		t.param = b.find(t.key, t.dims)
		if p := t.param; p != nil && (p.Kind == libdvm.Text || p.Kind == libdvm.TextSemicolon) && t.dims == 0 {
			// The capacity is cut so that further lines go to memory of
			// their own.
			t.val, t.raw = l[i:len(l):len(l)], l[start:]
			b.tokens = append(b.tokens, t)
			return true
		}
		i = skipBlanks(l, i)
		valAt := i
		if t.param != nil && t.param.Kind == libdvm.Word {
			for i < len(l) && l[i] != ';' {
				i++
			}
		} else {
			for i < len(l) && l[i] != ';' && l[i] != ' ' {
				i++
			}
		}
		t.val = l[valAt:i]
		end := i
		i = skipBlanks(l, i)
		if i < len(l) && l[i] == '(' {
			noteAt := i + 1
			for i < len(l) && l[i] != ')' {
				i++
			}
			if i == len(l) {
				return false
			}
			t.note = l[noteAt:i]
			i++
			end = i
		}
		t.raw = l[start:end]
		i = skipBlanks(l, i)
		if i < len(l) && l[i] == ';' {
			i = skipBlanks(l, i+1)
		}
		b.tokens = append(b.tokens, t)
	}
	return len(b.tokens) > 0
}

// find returns the row's parameter that a trace names key, an array when dims
// is not 0.
func (b *lineReader) find(key []byte, dims int) *libdvm.Param {
	n := len(b.params)
	for k := range n {
		i := b.hint + k
		if i >= n {
			i -= n
		}
		p := &b.params[i]
		if p.Name == string(key) && (dims > 0) == (p.Shape != libdvm.Scalar) && p.Kind != libdvm.Note {
			b.hint = i
			return p
		}
	}
	return nil
}

// place stores t as a parameter; false when it is none, or could not be
// written back from the record as it was.
func (b *lineReader) place(t *token) bool {
	p := t.param
	if p == nil {
		if b.known {
			return false
		}
		return b.placeUnknown(t)
	}
	if !valid(p.Kind, t.val) {
		return false
	}
	if t.dims == 0 {
		if b.dst.Get(p.Key) != nil {
			return false
		}
		var note *libdvm.Param
		if t.note != nil {
			if i := paramIndex(b.params, p) + 1; i < len(b.params) && b.params[i].Kind == libdvm.Note {
				note = &b.params[i]
			} else {
				return false
			}
		}
		b.dst.Add(p.Key, p.Kind, stored(p.Kind, t.val))
		if p.Kind == libdvm.Text || p.Kind == libdvm.TextSemicolon {
			b.toEnd = b.dst.Len() - 1
		}
		if note != nil {
			b.dst.Add(note.Key, libdvm.Note, t.note)
		}
		t.used = true
		return true
	}
	if t.note != nil {
		return false
	}
	if b.array == p && p.Shape == libdvm.Vector && t.dims == 1 {
		if q := b.dst.At(b.arrayAt); t.i == q.Len() {
			b.dst.AddElem(q, stored(p.Kind, t.val))
			t.used = true
			return true
		}
		return false
	}
	if t.used = b.placeElem(t, p.Key, p.Kind, p.Shape); t.used && b.dst.At(b.dst.Len()-1).Key == p.Key {
		b.array, b.arrayAt = p, b.dst.Len()-1
	}
	return t.used
}

// placeUnknown stores a parameter that no row lists under its own name.
func (b *lineReader) placeUnknown(t *token) bool {
	if t.note != nil {
		return false
	}
	key := b.keys.get(t.key)
	kind := libdvm.GuessKind(key)
	if kind == libdvm.Word || !valid(kind, t.val) {
		switch {
		case call.IsInteger(t.val):
			kind = libdvm.Decimal
		case call.IsReal(t.val):
			kind = libdvm.Real
		default:
			kind = libdvm.Word
		}
	}
	if kind == libdvm.Word && (len(t.val) == 0 || t.val[0] == '(') {
		return false
	}
	if t.dims == 0 {
		if b.dst.Get(key) != nil {
			return false
		}
		b.dst.Add(key, kind, stored(kind, t.val))
		t.used = true
		return true
	}
	shape := libdvm.Vector
	if t.dims == 2 {
		shape = libdvm.Matrix
	}
	if q := b.dst.Get(key); q != nil && q.Shape == libdvm.Scalar {
		key += "[]"
	}
	t.used = b.placeElem(t, key, kind, shape)
	return t.used
}

// placeElem appends an element to the array key; its index must be the next.
func (b *lineReader) placeElem(t *token, key string, kind libdvm.Kind, shape libdvm.Shape) bool {
	if (shape == libdvm.Matrix) != (t.dims == 2) {
		return false
	}
	q := b.dst.Get(key)
	if q == nil {
		if t.i != 0 || t.j != 0 {
			return false
		}
		b.dst.AddArray(key, kind, shape)
		q = b.dst.At(b.dst.Len() - 1)
	} else if q.Shape != shape || q.Kind != kind {
		return false
	}
	n := q.Len()
	switch shape {
	case libdvm.Vector:
		if t.i != n {
			return false
		}
	case libdvm.Runs:
		// A run begins at 0 again; its own index is not kept, the lengths
		// of the runs are a parameter of their own.
		if t.i != 0 && t.i > n {
			return false
		}
	case libdvm.Matrix:
		rows := b.dst.Rows(q)
		switch {
		case t.i == len(rows) && t.j == 0:
			b.dst.AddRow(q)
		case t.i == len(rows)-1 && t.j == n-rowStart(rows):
		default:
			return false
		}
	}
	b.dst.AddElem(q, stored(kind, t.val))
	return true
}

// rowStart returns where the last row begins.
func rowStart(rows []int32) int {
	if len(rows) < 2 {
		return 0
	}
	return int(rows[len(rows)-2])
}

func paramIndex(ps []libdvm.Param, p *libdvm.Param) int {
	for i := range ps {
		if &ps[i] == p {
			return i
		}
	}
	return len(ps)
}

// valid reports whether val, read as kind, is written back as it was.
func valid(kind libdvm.Kind, val []byte) bool {
	switch kind {
	case libdvm.Decimal:
		return call.IsInteger(val)
	case libdvm.Real:
		return call.IsReal(val)
	case libdvm.Handle:
		return call.IsHandle(val)
	case libdvm.Pointer:
		return string(val) == "NULL" || call.IsHandle(val) && val[0] != '0'
	}
	return true
}

var zero = []byte("0")

// stored returns val as a record holds it: NULL is "0".
func stored(kind libdvm.Kind, val []byte) []byte {
	if kind == libdvm.Pointer && string(val) == "NULL" {
		return zero
	}
	return val
}

func skipBlanks(l []byte, i int) int {
	for i < len(l) && (l[i] == ' ' || l[i] == '\t') {
		i++
	}
	return i
}

// index reads [digits] at l[i] and returns the number and where it ends, or
// -1.
func index(l []byte, i int) (int, int) {
	n, d := 0, 0
	for i++; i < len(l) && l[i] >= '0' && l[i] <= '9'; i++ {
		if d++; d > 9 {
			return 0, -1
		}
		n = n*10 + int(l[i]-'0')
	}
	if d == 0 || d > 1 && l[i-d] == '0' || i == len(l) || l[i] != ']' {
		return 0, -1
	}
	return n, i + 1
}

func isAlpha(c byte) bool { return wordBytes[c] == 2 }

func isWordByte(c byte) bool { return wordBytes[c] != 0 }

// wordBytes marks the bytes of parameter names: 2 for letters and the
// underline, 1 for digits.
var wordBytes = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
			t[c] = 2
		case c >= '0' && c <= '9':
			t[c] = 1
		}
	}
	return t
}()
