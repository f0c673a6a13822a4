package report

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"dvmtools/pkg/units"
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
	m.number(v.real, true)
}

// number appends a number with nine digits or with as many as read back as the
// same number.
func (m *markup) number(x float64, exact bool) {
	switch {
	case x == 0:
		*m = append(*m, '0')
	case exact:
		*m = units.AppendExact(*m, x)
	default:
		*m = units.AppendNine(*m, x)
	}
}

// tenths appends a number with one digit behind the point.
func (m *markup) tenths(x float64) { *m = units.AppendDecimals(*m, x, 1) }

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

// escapedInJSON are the characters between blank and ~ that a JSON string in a script element
// has another way.
var escapedInJSON = [0x80]bool{'"': true, '\\': true, '<': true, '>': true, '&': true}

// quoted appends a JSON string that may stand inside of a script element:
// nothing in it ends the element or begins a comment.
func (m *markup) quoted(s string) {
	const hex = "0123456789abcdef"
	b := append(*m, '"')
	plain := 0
	for plain < len(s) && s[plain] >= ' ' && s[plain] < 0x7f && !escapedInJSON[s[plain]] {
		plain++
	}
	b = append(b, s[:plain]...)
	for i := plain; i < len(s); {
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
	shown := m.shown(v, unit)
	m.raw("\u00a0<i>")
	m.raw(shown)
	m.raw("</i>")
}

// shown appends the number of a value for people and returns its unit.
func (m *markup) shown(v Value, unit string) string {
	at := len(*m)
	var shown string
	*m, shown = v.appendShown(*m, unit)
	// "<0.1" and ">-0.1" are all that markup could be taken for.
	if c := (*m)[at]; c == '<' || c == '>' {
		rest := string((*m)[at:])
		*m = (*m)[:at]
		m.text(rest)
	}
	return shown
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
	at := len(*m)
	shown := m.shown(v, unit)
	gap := gapBehind((*m)[at:], unit)
	m.raw("\u00a0<i")
	m.raw(gap)
	m.raw(">")
	m.raw(shown)
	m.raw("</i></td>")
}

// gapBehind returns the CSS class of the unit after a time in a column, as an
// attribute. It leaves
// room for the decimals that the number has less than three, so that decimal points
// are aligned: gap1, gap2, gap3, gap4 also for the point itself, or "" for none.
func gapBehind(number []byte, unit string) string {
	if unit != unitSeconds {
		return ""
	}
	point := bytes.IndexByte(number, '.')
	if point < 0 {
		return ` class="gap4"`
	}
	switch missing := 3 - (len(number) - point - 1); missing {
	case 1:
		return ` class="gap1"`
	case 2:
		return ` class="gap2"`
	case 3:
		return ` class="gap3"`
	}
	return ""
}
