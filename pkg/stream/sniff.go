package stream

import (
	"bytes"
	"io"
)

// A Format is what an input looks like.
type Format uint8

// The formats that [Reader.Sniff] tells apart.
const (
	// FormatBlank is an input without a byte other than blanks.
	FormatBlank Format = iota
	// FormatText is anything that is not NDJSON: a .ptr trace, a machine
	// description.
	FormatText
	// FormatJSON is NDJSON: the first byte after blanks is "{".
	FormatJSON
)

// String returns "blank", "text" or "NDJSON".
func (f Format) String() string {
	switch f {
	case FormatText:
		return "text"
	case FormatJSON:
		return "NDJSON"
	}
	return "blank"
}

// A Content is what [Reader.Sniff] found. Record is the value of "record" of
// the first NDJSON record ("trace", "simulation", "search"), or "" when it
// has none in its first mebibyte.
type Content struct {
	Format Format
	Record string
}

const (
	peekStep = 4 << 10
	peekMax  = 1 << 20
)

// Sniff looks at the beginning of the content without consuming it. It reads no
// more than it needs, so that it does not wait for a slow producer. The error is
// one of Read other than io.EOF; it is returned only when the format is not known
// before it.
func (r *Reader) Sniff() (Content, error) {
	for {
		c, decided := content(r.head)
		if decided || len(r.head) >= peekMax {
			return c, nil
		}
		if err := r.more(); err == io.EOF {
			return c, nil
		} else if err != nil {
			return c, err
		}
	}
}

// Peek returns the next n bytes without consuming them, fewer at the end or
// before an error, which it then returns. The bytes are valid until the next
// call of any method.
func (r *Reader) Peek(n int) ([]byte, error) {
	for len(r.head) < n {
		if err := r.more(); err != nil {
			return r.head, err
		}
	}
	return r.head[:n], nil
}

// more reads once and appends to the bytes read ahead.
func (r *Reader) more() error {
	have := len(r.head)
	b := make([]byte, have, have+max(peekStep, have))
	copy(b, r.head)
	n, err := r.fill(b[have:cap(b)])
	r.head = b[:have+n]
	if n > 0 {
		return nil // an error is sticky and comes again
	}
	return err
}

// content classifies a beginning; decided is false when more bytes could
// change the answer.
func content(b []byte) (c Content, decided bool) {
	b = bytes.TrimLeft(b, " \t\r\n\v\f")
	if len(b) == 0 {
		return Content{}, false
	}
	if b[0] != '{' {
		return Content{Format: FormatText}, true
	}
	record, decided := firstRecord(b)
	return Content{Format: FormatJSON, Record: record}, decided
}

// firstRecord returns the string under the key "record" of the object that b
// begins with, nested objects left out. decided is false when b ends before
// that is known. It is not a JSON parser: it skips strings and brackets and leaves
// errors to the parser that reads the input later.
func firstRecord(b []byte) (record string, decided bool) {
	i := 1
	for {
		i = skip(b, i, " \t\r\n,")
		if i >= len(b) {
			return "", false
		}
		if b[i] != '"' {
			return "", true // the end of the object, or no JSON
		}
		key, next := quoted(b, i)
		if next < 0 {
			return "", false
		}
		i = skip(b, next, " \t\r\n:")
		if i >= len(b) {
			return "", false
		}
		if key == "record" {
			if b[i] != '"' {
				return "", true
			}
			value, next := quoted(b, i)
			return value, next >= 0
		}
		if i = skipValue(b, i); i >= len(b) {
			return "", false
		}
	}
}

// skip returns the index of the first byte of b from i on that is not in set.
func skip(b []byte, i int, set string) int {
	for i < len(b) && bytes.IndexByte([]byte(set), b[i]) >= 0 {
		i++
	}
	return i
}

// quoted returns the text of the string that begins at b[i] == '"', escapes
// as they are, and the index after it, or "", -1 when b ends first.
func quoted(b []byte, i int) (string, int) {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return string(b[i+1 : j]), j + 1
		}
	}
	return "", -1
}

// skipValue returns the index of the comma or bracket that ends the value at
// b[i], or len(b) when b ends first.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			_, next := quoted(b, i)
			if next < 0 {
				return len(b)
			}
			i = next
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}
