package call

import (
	"bytes"
	"strings"

	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/ndjson"
)

// keys are the names of parameters that no row of the table lists. set is the
// number of the object that is being read, from which a name that comes twice
// is told.
type keys struct {
	known map[string]*key
	set   uint64
}

type key struct {
	name string
	set  uint64
}

// maxKeys bounds the memory for names; traces have few different ones.
const maxKeys = 1 << 14

// begin starts an object.
func (k *keys) begin() {
	if k.known == nil || len(k.known) > maxKeys {
		k.known = map[string]*key{}
	}
	k.set++
}

// get returns the name b and whether it is the first of its object.
func (k *keys) get(b []byte) (string, bool) {
	e := k.known[string(b)]
	if e == nil {
		e = &key{name: string(b)}
		k.known[e.name] = e
	}
	first := e.set != k.set
	e.set = k.set
	return e.name, first
}

// params reads the parameters of one half of c into dst; row are those that
// the table lists.
func (d *Reader) params(c *Call, row []libdvm.Param, dst *Params) bool {
	s := d.in.Scanner()
	if !s.Object() {
		return false
	}
	d.keys.begin()
	var seen uint64
	next := 0
	for {
		i, name, first := next, "", true
		if i >= len(row) || !s.KeyIs(row[i].Key) {
			k, more := s.KeyBytes()
			if !more {
				return s.Err() == nil
			}
			if i = find(row, k, next); i < 0 {
				name, first = d.keys.get(k)
			}
		}
		if i >= 0 {
			name, first = row[i].Key, seen&(1<<i) == 0
			seen |= 1 << i
			next = i + 1
		}
		switch {
		case !first:
			return s.Fail("call/duplicate", "%s: found a second parameter %s, expected it once", c.Func, name)
		case i >= 0 && !d.listed(c, &row[i], dst), i < 0 && !d.guessed(c, name, dst):
			return false
		}
	}
}

// listed reads the value of a parameter of the table.
func (d *Reader) listed(c *Call, p *libdvm.Param, dst *Params) bool {
	s := d.in.Scanner()
	if p.Shape == libdvm.Scalar {
		v, ok := d.value(c, p.Key, p.Kind)
		dst.Add(p.Key, p.Kind, v)
		return ok
	}
	if s.Peek() != '[' {
		return d.contradiction(c, p.Key, "an array")
	}
	s.Array()
	dst.AddArray(p.Key, p.Kind, p.Shape)
	q := dst.At(dst.Len() - 1)
	if p.Shape != libdvm.Matrix {
		return d.elems(c, dst, q)
	}
	for s.Elem() {
		if s.Peek() != '[' {
			return d.contradiction(c, p.Key, "an array of arrays")
		}
		s.Array()
		dst.AddRow(q)
		if !d.elems(c, dst, q) {
			return false
		}
	}
	return s.Err() == nil
}

// elems reads the elements of the array that was entered into q.
func (d *Reader) elems(c *Call, dst *Params, q *Param) bool {
	s := d.in.Scanner()
	for s.Elem() {
		v, ok := d.value(c, q.Key, q.Kind)
		if !ok {
			return false
		}
		dst.AddElem(q, v)
	}
	return s.Err() == nil
}

// value reads a scalar of the given kind.
func (d *Reader) value(c *Call, key string, kind libdvm.Kind) ([]byte, bool) {
	s := d.in.Scanner()
	t := s.Peek()
	switch kind {
	case libdvm.Decimal:
		if t != '0' {
			break
		}
		mark := s.Mark()
		lit, ok := s.Number()
		if !ok {
			return nil, false
		}
		if len(lit) <= 18 && IsDecimal(lit) {
			return lit, true
		}
		n := len(d.buf)
		if d.buf, ok = ndjson.AppendInteger(d.buf, lit); ok && fits(d.buf[n:]) {
			return d.buf[n:len(d.buf):len(d.buf)], true
		}
		s.Seek(mark)
	case libdvm.Real:
		if t != '0' {
			break
		}
		lit, ok := s.Number()
		return d.real(lit), ok
	case libdvm.Handle, libdvm.Pointer:
		if t != '"' {
			break
		}
		mark := s.Mark()
		v, ok := s.Bytes()
		if !ok || IsHandle(v) {
			return v, ok
		}
		s.Seek(mark)
	default:
		if t == '"' {
			return s.Bytes()
		}
	}
	return nil, d.contradiction(c, key, wanted(kind))
}

// real returns a JSON number as traces spell it: with a small e.
func (d *Reader) real(lit []byte) []byte {
	i := bytes.IndexByte(lit, 'E')
	if i < 0 {
		return lit
	}
	n := len(d.buf)
	d.buf = append(d.buf, lit...)
	d.buf[n+i] = 'e'
	return d.buf[n:len(d.buf):len(d.buf)]
}

// contradiction complains of the value that comes next.
func (d *Reader) contradiction(c *Call, key, want string) bool {
	s := d.in.Scanner()
	found := s.Found()
	return s.Fail("call/value", "%s: found %s for the parameter %s, expected %s", c.Func, found, key, want)
}

// guessed reads the value of a parameter that no row of the table lists. Its
// kind comes from its name and value, that of an array from all elements.
func (d *Reader) guessed(c *Call, name string, dst *Params) bool {
	s := d.in.Scanner()
	if s.Peek() != '[' {
		kind, v, ok := d.guess(c, name)
		dst.Add(name, kind, v)
		return ok
	}
	s.Array()
	dst.AddArray(name, libdvm.Decimal, libdvm.Vector)
	q := dst.At(dst.Len() - 1)
	for first := true; s.Elem(); first = false {
		if first && s.Peek() == '[' {
			q.Shape = libdvm.Matrix
		}
		if q.Shape != libdvm.Matrix {
			if !d.guessElem(c, dst, q) {
				return false
			}
			continue
		}
		if s.Peek() != '[' {
			return d.contradiction(c, name, "an array, as the elements before it")
		}
		s.Array()
		dst.AddRow(q)
		for s.Elem() {
			if !d.guessElem(c, dst, q) {
				return false
			}
		}
		if s.Err() != nil {
			return false
		}
	}
	return s.Err() == nil
}

// guessElem reads an element of q. An array has the most special kind that
// all its elements have: one real among decimals makes it real.
func (d *Reader) guessElem(c *Call, dst *Params, q *Param) bool {
	kind, v, ok := d.guess(c, q.Key)
	if !ok {
		return false
	}
	switch {
	case q.Len() == 0 || kind == q.Kind:
		q.Kind = kind
	case isNumber(kind) && isNumber(q.Kind):
		q.Kind = libdvm.Real
	case !isNumber(kind) && !isNumber(q.Kind):
		q.Kind = libdvm.Word
	default:
		return d.in.Scanner().Fail("call/value", "%s: found numbers and strings in the parameter %s, expected one of them", c.Func, q.Key)
	}
	dst.AddElem(q, v)
	return true
}

func isNumber(k libdvm.Kind) bool { return k == libdvm.Decimal || k == libdvm.Real }

// guess reads a scalar whose kind is not known.
func (d *Reader) guess(c *Call, name string) (libdvm.Kind, []byte, bool) {
	s := d.in.Scanner()
	switch s.Peek() {
	case '"':
		v, ok := s.Bytes()
		kind := libdvm.GuessKind(strings.TrimSuffix(name, "[]"))
		if kind != libdvm.Word && !IsHandle(v) {
			kind = libdvm.Word
		}
		return kind, v, ok
	case '0':
		lit, ok := s.Number()
		if !ok || IsDecimal(lit) {
			return libdvm.Decimal, lit, ok
		}
		return libdvm.Real, d.real(lit), true
	}
	return libdvm.Word, nil, d.contradiction(c, name, "a number, a string, or an array of them")
}
