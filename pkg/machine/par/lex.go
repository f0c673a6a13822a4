package par

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"dvmtools/pkg/diag"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokWord
	tokNumber
	tokPunct
	// tokBad was reported by the lexer; the parser does not report it again.
	tokBad
)

// token is the text from off to end of its file. first says that it is the
// first token of its line.
type token struct {
	kind     tokenKind
	first    bool
	off, end int
}

// file is one input: its text without a byte order mark, where its lines
// begin, and its tokens, the last of which is tokEOF.
type file struct {
	name  string
	text  string
	lines []int
	toks  []token
}

// place is a position in one of several files.
type place struct {
	f   *file
	off int
}

func (p place) pos() diag.Pos {
	i := sort.SearchInts(p.f.lines, p.off+1) - 1
	return diag.Pos{File: p.f.name, Line: i + 1, Col: p.off - p.f.lines[i] + 1}
}

// maxSource is the length up to which a source line is shown whole.
const maxSource = 200

// source returns the line of p, to be printed above a caret. Control characters
// and bytes that are not UTF-8 are replaced byte for byte, so that columns stay
// the same. A long line is cut; the result is empty when the caret would be
// beyond the cut.
func (p place) source() string {
	pos := p.pos()
	start := p.f.lines[pos.Line-1]
	line := p.f.text[start:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimSuffix(line, "\r")
	if len(line) > maxSource {
		if pos.Col > maxSource {
			return ""
		}
		line = line[:maxSource] + "..."
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < ' ' && r != '\t', r == 0x7f:
			b.WriteByte('?')
		default:
			b.WriteString(line[i : i+size])
		}
		i += size
	}
	return b.String()
}

func (f *file) str(t token) string { return f.text[t.off:t.end] }

// describe returns a token as it is shown in messages.
func (f *file) describe(t token) string {
	if t.kind == tokEOF {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", f.str(t))
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordLen returns the length of the word at the start of s, 0 if there is
// none.
func wordLen(s string) int {
	if s == "" || !isLetter(s[0]) {
		return 0
	}
	i := 1
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
		i++
	}
	return i
}

// numberLen returns the length of the number at the start of s, 0 if there is
// none.
func numberLen(s string) int {
	digits := func(i int) int {
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i
	}
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	whole := digits(i)
	n := whole - i
	i = whole
	if i < len(s) && s[i] == '.' {
		fraction := digits(i + 1)
		n += fraction - i - 1
		if n > 0 {
			i = fraction
		}
	}
	if n == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k := digits(j); k > j {
			i = k
		}
	}
	return i
}

// lex splits f into tokens.
func (p *parser) lex(f *file) {
	s := f.text
	f.lines = []int{0}
	first := true
	add := func(kind tokenKind, off, end int) {
		f.toks = append(f.toks, token{kind: kind, first: first, off: off, end: end})
		first = false
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\n':
			i++
			f.lines = append(f.lines, i)
			first = true
		case isSpace(c):
			i++
		case strings.HasPrefix(s[i:], "//"):
			if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(s)
			}
		case strings.IndexByte("={}(),.;", c) >= 0 && numberLen(s[i:]) == 0:
			add(tokPunct, i, i+1)
			i++
		case isLetter(c):
			n := wordLen(s[i:])
			kind := tokWord
			if n > MaxName {
				p.errorf(place{f, i}, "par/limit", "found a word of %d characters, expected at most %d in a name", n, MaxName)
				kind = tokBad
			}
			add(kind, i, i+n)
			i += n
		case numberLen(s[i:]) > 0:
			n := numberLen(s[i:])
			kind := tokNumber
			if n > MaxNumber {
				p.errorf(place{f, i}, "par/limit", "found a number of %d characters, expected at most %d", n, MaxNumber)
				kind = tokBad
			}
			add(kind, i, i+n)
			i += n
		default:
			n := strangeLen(s[i:])
			p.errorf(place{f, i}, "par/character", "found %s, expected a name, a number or punctuation%s", shown(s[i:i+n]), strangeHint(s[i:i+n]))
			add(tokBad, i, i+n)
			i += n
		}
	}
	add(tokEOF, len(s), len(s))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// strangeLen returns the length of the run of bytes at the start of s with which
// no token begins.
func strangeLen(s string) int {
	i := 0
	for i < len(s) {
		c := s[i]
		if c == '\n' || isSpace(c) || isLetter(c) || isDigit(c) || strings.IndexByte("={}(),.;", c) >= 0 ||
			i > 0 && strings.HasPrefix(s[i:], "//") {
			break
		}
		i++
	}
	return max(i, 1)
}

// shown quotes s for a message, and cuts it when it is long.
func shown(s string) string {
	const most = 20
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%q...", s[:cut])
}

// strangeHint returns a hint for characters with which no token begins.
func strangeHint(s string) string {
	switch c := s[0]; {
	case c == '#' || c == '/' || c == '!':
		return `; a comment begins with "//"`
	case strings.HasPrefix(s, "\u0445"), strings.HasPrefix(s, "\u0425"), strings.HasPrefix(s, "\u00d7"), c == '*', c == 0xf5, c == 0xd5:
		return `; the sign between a count and a name is the Latin letter x: {2 x name}`
	case c == '"' || c == '\'':
		return "; names stand without quotes"
	case c >= 0x80:
		return "; names are made of the letters a to z, digits and _"
	case c == '+' || c == '-':
		return "; a sign stands directly before the digits of a number, and in no name"
	}
	return ""
}
