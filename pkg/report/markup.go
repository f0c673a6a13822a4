package report

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// markup is a buffer of HTML or JSON. A page has very many pieces of the same few
// forms; templates would take ten times as long to write them.
// All text goes through [markup.text] or [markup.quoted], which a fuzz
// target compares with the escaping of html/template and encoding/json.
type markup []byte

// raw appends markup of this package.
func (m *markup) raw(s string) { *m = append(*m, s...) }

// int appends a whole number.
func (m *markup) int(n int64) { *m = strconv.AppendInt(*m, n, 10) }

// exact appends the shortest decimal that reads back as the same number.
func (m *markup) exact(v Value) {
	if v.isCount {
		*m = strconv.AppendInt(*m, v.count, 10)
		return
	}
	m.number(v.real, -1)
}

// number appends a number with the given digits or, for -1, with as many as
// read back as the same number.
func (m *markup) number(x float64, digits int) {
	if x == 0 {
		*m = append(*m, '0')
		return
	}
	if digits == manyDigits && m.nine(x) {
		return
	}
	*m = strconv.AppendFloat(*m, x, 'g', digits, 64)
}

// powers are 10^0 to 10^22, which are exact.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// nine appends a positive number with nine digits, as a whole number and a power of
// ten, several times faster than strconv; the last digit may be one off. It appends
// nothing, and returns false, for numbers out of its range, 1e-13 to 1e8.
func (m *markup) nine(x float64) bool {
	if !(x >= 1e-13 && x < 1e8) {
		return false
	}
	// The power of ten by which x has nine digits before its point follows from its
	// power of two: 1233/4096 is just above log10(2). It may be one too large.
	two := int(math.Float64bits(x)>>52) - 1023
	shift := 8 - (two*1233)>>12
	n := int64(float64(x*powers[shift]) + 0.5)
	if n >= 1e9 {
		shift--
		n = int64(float64(x*powers[shift]) + 0.5)
	}
	for n%10 == 0 {
		n /= 10
		shift--
	}
	b := strconv.AppendInt(*m, n, 10)
	if shift != 0 {
		b = strconv.AppendInt(append(b, 'e'), int64(-shift), 10)
	}
	*m = b
	return true
}

// text appends text for a place between tags or in a quoted attribute.
func (m *markup) text(s string) {
	b := *m
	last := 0
	for i := range len(s) {
		var e string
		switch s[i] {
		case '&':
			e = "&amp;"
		case '<':
			e = "&lt;"
		case '>':
			e = "&gt;"
		case '"':
			e = "&#34;"
		case '\'':
			e = "&#39;"
		case 0:
			e = "\ufffd"
		default:
			continue
		}
		b = append(b, s[last:i]...)
		b = append(b, e...)
		last = i + 1
	}
	*m = append(b, s[last:]...)
}

// quoted appends a JSON string that may stand inside of a script element:
// nothing in it ends the element or begins a comment.
func (m *markup) quoted(s string) {
	const hex = "0123456789abcdef"
	b := append(*m, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				b = append(b, '\\', c)
			case c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x7f:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				b = append(b, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, `\ufffd`...)
		case r == '\u2028' || r == '\u2029':
			b = append(b, `\u202`...)
			b = append(b, hex[r&15])
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	*m = append(b, '"')
}

// value appends a number and its unit. The space between them does not break.
func (m *markup) value(v Value, unit string) {
	number, shown := v.display(unit)
	m.text(number)
	m.raw("\u00a0<i>")
	m.raw(shown)
	m.raw("</i>")
}

// cell appends a cell of a table with a number that is exact in its data-value
// and, for people, in its tooltip.
func (m *markup) cell(v Value, unit string) {
	m.raw("<td")
	m.cellRest(v, unit)
}

// cellRest appends the rest of a cell after its first attributes.
func (m *markup) cellRest(v Value, unit string) {
	m.raw(` data-value="`)
	from := len(*m)
	m.exact(v)
	to := len(*m)
	if to-from > 1 || (*m)[from] != '0' {
		m.raw(`" title="`)
		*m = append(*m, (*m)[from:to]...)
		if unit == unitSeconds {
			m.raw(" s")
		}
	}
	m.raw(`">`)
	number, shown := v.display(unit)
	m.text(number)
	m.raw("\u00a0<i")
	if gap := gapBehind(number, unit); gap != "" {
		m.raw(` class="`)
		m.raw(gap)
		m.raw(`"`)
	}
	m.raw(">")
	m.raw(shown)
	m.raw("</i></td>")
}

// gapBehind returns the CSS class of the unit after a time in a column. It leaves
// room for the decimals that the number has less than three, so that decimal points
// are aligned: gap1, gap2, gap3, gap4 also for the point itself, or "" for none.
func gapBehind(number, unit string) string {
	if unit != unitSeconds {
		return ""
	}
	point := strings.IndexByte(number, '.')
	if point < 0 {
		return "gap4"
	}
	if missing := 3 - (len(number) - point - 1); missing > 0 {
		return "gap" + strconv.Itoa(missing)
	}
	return ""
}
