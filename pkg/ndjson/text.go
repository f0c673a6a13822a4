package ndjson

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// maxInterned bounds the number of interned strings: a stream has few different
// names, and interning is of no use for one that has many.
const maxInterned = 1 << 14

// Text reads a string and returns its characters in UTF-8.
func (s *Scanner) Text() ([]byte, bool) {
	if s.blank() != '"' {
		return nil, s.unexpected(s.pos, "a string")
	}
	return s.str(false)
}

// Bytes reads a string and returns the bytes that [AppendString] wrote.
func (s *Scanner) Bytes() ([]byte, bool) {
	if s.blank() != '"' {
		return nil, s.unexpected(s.pos, "a string")
	}
	return s.str(true)
}

// Intern returns b as a string; equal strings usually share their memory.
func (s *Scanner) Intern(b []byte) string {
	if string(b) == s.last {
		return s.last // names of files come in long runs
	}
	s.last = s.interned(b)
	return s.last
}

func (s *Scanner) interned(b []byte) string {
	if t, ok := s.intern[string(b)]; ok {
		return t
	}
	if s.intern == nil || len(s.intern) >= maxInterned {
		s.intern = map[string]string{}
	}
	t := string(b)
	s.intern[t] = t
	return t
}

// str reads the string that begins at pos.
func (s *Scanner) str(mapped bool) ([]byte, bool) {
	d, from := s.data, s.pos+1
	s.start = s.pos
	i := from
	for i+8 <= len(d) {
		m := special(binary.LittleEndian.Uint64(d[i:]))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if d[i] == '"' {
			s.pos = i + 1
			return d[from:i:i], true
		}
		return s.decode(from, i, mapped)
	}
	i += plain(d[i:])
	if i < len(d) && d[i] == '"' {
		s.pos = i + 1
		return d[from:i:i], true
	}
	return s.decode(from, i, mapped)
}

// decode reads a string whose first character is at from. The bytes up to i are
// ASCII without escapes.
func (s *Scanner) decode(from, i int, mapped bool) ([]byte, bool) {
	d, was := s.data, len(s.buf)
	s.buf = append(s.buf, d[from:i]...)
	for i < len(d) {
		r, n := rune(0), 0
		switch c := d[i]; {
		case c == '"':
			s.pos = i + 1
			return s.buf[was:len(s.buf):len(s.buf)], true
		case c < ' ':
			return nil, s.failAt(i, "ndjson/syntax", fmt.Sprintf("found the control character 0x%02x in a string, expected it escaped", c))
		case c == '\\':
			var ok bool
			if r, n, ok = s.escape(i); !ok {
				return nil, false
			}
		case c < utf8.RuneSelf:
			n = plain(d[i:])
			s.buf = append(s.buf, d[i:i+n]...)
			i += n
			continue
		default:
			if r, n = utf8.DecodeRune(d[i:]); r == utf8.RuneError && n == 1 {
				if !utf8.FullRune(d[i:]) {
					return nil, s.unexpected(len(d), "the rest of a string")
				}
				return nil, s.failAt(i, "ndjson/syntax", fmt.Sprintf("found the byte 0x%02x, which is no UTF-8, in a string; expected UTF-8", c))
			}
		}
		i += n
		if mapped && r >= byteBase && r <= byteLast {
			s.buf = append(s.buf, byte(r-byteBase))
		} else {
			s.buf = utf8.AppendRune(s.buf, r)
		}
	}
	return nil, s.unexpected(len(d), "the rest of a string")
}

// escape returns the character that the escape sequence at i stands for and
// the length of the sequence.
func (s *Scanner) escape(i int) (rune, int, bool) {
	d := s.data
	if i+1 >= len(d) {
		return 0, 0, s.unexpected(len(d), "the rest of an escape sequence")
	}
	switch c := d[i+1]; c {
	case '"', '\\', '/':
		return rune(c), 2, true
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'u':
		r, ok := s.hex4(i + 2)
		if !ok || !utf16.IsSurrogate(r) {
			return r, 6, ok
		}
		if i+6 >= len(d) || i+7 == len(d) && d[i+6] == '\\' {
			return 0, 0, s.unexpected(len(d), "the second half of a surrogate pair")
		}
		if d[i+6] == '\\' && d[i+7] == 'u' {
			low, ok := s.hex4(i + 8)
			if !ok {
				return 0, 0, false
			}
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12, true
			}
		}
		return 0, 0, s.failAt(i, "ndjson/syntax", fmt.Sprintf("found %s, half of a surrogate pair, expected both halves", d[i:i+6]))
	}
	return 0, 0, s.failAt(i, "ndjson/syntax", fmt.Sprintf("found the escape sequence %q, expected one of JSON", d[i:i+2]))
}

// hex4 returns the value of the four hexadecimal digits at i.
func (s *Scanner) hex4(i int) (rune, bool) {
	var r rune
	for j := i; j < i+4; j++ {
		if j >= len(s.data) {
			return 0, s.unexpected(j, "a hexadecimal digit")
		}
		c := s.data[j]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, s.unexpected(j, "a hexadecimal digit")
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
