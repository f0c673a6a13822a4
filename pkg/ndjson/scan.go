package ndjson

import (
	"bytes"
	"fmt"

	"dvmtools/pkg/diag"
)

// MaxDepth is how deep values may be nested in one line.
const MaxDepth = 1000

// Scanner reads the JSON of one line, value after value. A method that reads
// a value needs the position to be where a value begins: after [Scanner.Reset],
// after [Scanner.Key] or [Scanner.Elem] returned true. Each value must be read
// or skipped.
//
// The first error is kept ([Scanner.Err]); all methods then return false.
// Byte slices returned point into the line or into the scanner and are valid
// until Reset.
type Scanner struct {
	data   []byte
	pos    int
	start  int // where the token read last begins
	depth  int
	fresh  bool // an object or array was entered and nothing read of it
	short  bool // err is that the line ended
	buf    []byte
	at     diag.Pos
	err    *diag.Error
	intern map[string]string
	last   string // interned last
}

// Reset begins a new line. at gives the file and line of messages.
func (s *Scanner) Reset(line []byte, at diag.Pos) {
	s.data, s.pos, s.start, s.depth = line, 0, 0, 0
	s.fresh, s.short = false, false
	s.buf = s.buf[:0]
	s.at, s.err = at, nil
}

// Err returns the first error, a [diag.Error], or nil.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Short reports whether the error is that the line ends in the middle of a value.
func (s *Scanner) Short() bool { return s.short }

// Pos returns the position of the token that was read last.
func (s *Scanner) Pos() diag.Pos { return s.posAt(s.start) }

// Here returns the position of the next value, which counts as the token that was
// read last; the value is not consumed.
func (s *Scanner) Here() diag.Pos {
	s.blank()
	s.start = s.pos
	return s.Pos()
}

func (s *Scanner) posAt(i int) diag.Pos {
	at := s.at
	at.Col = i + 1
	return at
}

// Fail reports an error at the token that was read last, unless there is an error
// already, and returns false.
func (s *Scanner) Fail(code, format string, args ...any) bool {
	return s.failAt(s.start, code, fmt.Sprintf(format, args...))
}

func (s *Scanner) failAt(i int, code, msg string) bool {
	if s.err == nil {
		s.err = diag.New(s.posAt(i), code, "%s", msg)
	}
	s.pos = len(s.data)
	s.fresh = false
	return false
}

// unexpected reports the byte at i as an error.
func (s *Scanner) unexpected(i int, want string) bool {
	if s.err != nil {
		return false
	}
	if i >= len(s.data) {
		s.short = true
		return s.failAt(len(s.data), "ndjson/syntax", "found the end of the line, expected "+want)
	}
	return s.failAt(i, "ndjson/syntax", fmt.Sprintf("found %s, expected %s", describe(s.data[i:]), want))
}

// describe returns the beginning of b for a message.
func describe(b []byte) string {
	switch c := b[0]; {
	case c == '"':
		return "a string"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case bytes.HasPrefix(b, []byte("true")), bytes.HasPrefix(b, []byte("false")):
		return "a boolean"
	case bytes.HasPrefix(b, []byte("null")):
		return "null"
	case c > ' ' && c < 0x7f:
		return fmt.Sprintf("%q", c)
	default:
		return fmt.Sprintf("the byte 0x%02x", c)
	}
}

// blank skips white space and returns the next byte, 0 at the end of the
// line.
func (s *Scanner) blank() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// Peek returns the first byte of the value that comes next, '0' for every
// number, 0 at the end of the line.
func (s *Scanner) Peek() byte {
	c := s.blank()
	if c == '-' || c >= '1' && c <= '9' {
		return '0'
	}
	return c
}

// Found describes the next value for a message: "the string \"x\"", "the number
// 1.5", "an array". The value counts as the token that was read last and is not
// consumed. The end of the line or a malformed value is an error.
func (s *Scanner) Found() string {
	mark := s.Mark()
	defer s.Seek(mark)
	switch s.Peek() {
	case '"':
		if b, ok := s.Bytes(); ok {
			const most = 40
			if len(b) > most {
				return fmt.Sprintf("the string %q...", b[:most])
			}
			return fmt.Sprintf("the string %q", b)
		}
	case '0':
		if b, ok := s.Number(); ok {
			return "the number " + string(b)
		}
	}
	if s.err != nil || s.pos == len(s.data) {
		s.unexpected(s.pos, "a value")
		return "nothing"
	}
	s.start = s.pos
	return describe(s.data[s.pos:])
}

// Object enters the object that comes next; [Scanner.Key] reads it.
func (s *Scanner) Object() bool { return s.enter('{', "an object") }

// Array enters the array that comes next; [Scanner.Elem] goes through it.
func (s *Scanner) Array() bool { return s.enter('[', "an array") }

func (s *Scanner) enter(open byte, want string) bool {
	if s.blank() != open {
		return s.unexpected(s.pos, want)
	}
	s.start = s.pos
	if s.depth++; s.depth > MaxDepth {
		return s.Fail("ndjson/depth", "found more than %d values inside each other, expected fewer", MaxDepth)
	}
	s.pos++
	s.fresh = true
	return true
}

// Key reads the key of the next member of the object. At the object's end,
// which it consumes, and after an error it returns false.
func (s *Scanner) Key() ([]byte, bool) { return s.key(false) }

// KeyBytes is [Scanner.Key] for keys written by [AppendString] of any bytes.
func (s *Scanner) KeyBytes() ([]byte, bool) { return s.key(true) }

func (s *Scanner) key(mapped bool) ([]byte, bool) {
	c := s.blank()
	if c == '}' {
		s.leave()
		return nil, false
	}
	if !s.fresh {
		if c != ',' {
			return nil, s.unexpected(s.pos, `"," or "}"`)
		}
		s.pos++
		c = s.blank()
	}
	s.fresh = false
	if c != '"' {
		return nil, s.unexpected(s.pos, "a key in double quotes")
	}
	k, ok := s.str(mapped)
	if !ok {
		return nil, false
	}
	if s.blank() != ':' {
		return nil, s.unexpected(s.pos, `":"`)
	}
	s.pos++
	return k, true
}

// KeyIs consumes the key of the next member if it is name, written as this
// package writes it, without blanks. It is a faster test to try before
// [Scanner.Key], for names of plain ASCII.
func (s *Scanner) KeyIs(name string) bool {
	d, i, n := s.data, s.pos, len(name)
	if !s.fresh {
		if i >= len(d) || d[i] != ',' {
			return false
		}
		i++
	}
	if len(d)-i < n+3 || d[i] != '"' || d[i+n+1] != '"' || d[i+n+2] != ':' || string(d[i+1:i+1+n]) != name {
		return false
	}
	s.start, s.pos, s.fresh = i, i+n+3, false
	return true
}

// Elem goes to the next element of the array. At the array's end, which it
// consumes, and after an error it returns false.
func (s *Scanner) Elem() bool {
	c := s.blank()
	switch {
	case c == ']':
		s.leave()
		return false
	case s.fresh:
		s.fresh = false
	case c == ',':
		s.pos++
		if c = s.blank(); c == ']' {
			return s.unexpected(s.pos, "a value")
		}
	default:
		return s.unexpected(s.pos, `"," or "]"`)
	}
	if s.pos == len(s.data) {
		return s.unexpected(s.pos, "a value")
	}
	return true
}

func (s *Scanner) leave() {
	s.pos++
	s.depth--
	s.fresh = false
}

// Bool reads true or false.
func (s *Scanner) Bool() (bool, bool) {
	switch s.blank() {
	case 't':
		return true, s.literal("true")
	case 'f':
		return false, s.literal("false")
	}
	return false, s.unexpected(s.pos, "true or false")
}

// Null consumes null, if that comes next.
func (s *Scanner) Null() bool { return s.blank() == 'n' && s.literal("null") }

func (s *Scanner) literal(word string) bool {
	s.start = s.pos
	rest := s.data[s.pos:]
	if len(rest) >= len(word) && string(rest[:len(word)]) == word {
		s.pos += len(word)
		return true
	}
	i := 0
	for i < len(rest) && rest[i] == word[i] {
		i++
	}
	return s.unexpected(s.pos+i, word)
}

// Skip reads any value.
func (s *Scanner) Skip() bool {
	ok := false
	switch s.Peek() {
	case '{':
		ok = s.Object()
		for ok {
			if _, ok = s.Key(); ok {
				ok = s.Skip()
			}
		}
		return s.err == nil
	case '[':
		ok = s.Array()
		for ok && s.Elem() {
			ok = s.Skip()
		}
		return s.err == nil
	case '"':
		_, ok = s.str(false)
	case '0':
		_, ok = s.Number()
	case 't', 'f':
		_, ok = s.Bool()
	case 'n':
		ok = s.Null()
	default:
		return s.unexpected(s.pos, "a value")
	}
	return ok
}

// Raw reads any value and returns its JSON.
func (s *Scanner) Raw() ([]byte, bool) {
	s.blank()
	from := s.pos
	if !s.Skip() {
		return nil, false
	}
	s.start = from
	return s.data[from:s.pos:s.pos], true
}

// End returns true when nothing but blanks follows.
func (s *Scanner) End() bool {
	if s.blank(); s.err == nil && s.pos == len(s.data) {
		return true
	}
	return s.unexpected(s.pos, "the end of the line")
}

// A Mark is a place in a line where a value begins.
type Mark struct{ pos, depth int }

// Mark returns the current place.
func (s *Scanner) Mark() Mark { return Mark{s.pos, s.depth} }

// Seek goes back to a place of the same line. After an error it does nothing.
func (s *Scanner) Seek(m Mark) {
	if s.err == nil {
		s.pos, s.depth, s.fresh = m.pos, m.depth, false
	}
}
