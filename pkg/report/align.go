package report

import (
	"strings"
	"unicode/utf8"
)

// maxPad is the greatest width to which a column is padded, so that one long file
// name does not make every line long.
const maxPad = 60

// align pads the columns of rows; sides holds for each column l (left), r
// (right) or d: numbers with their units, aligned by the decimal point and by
// the unit, below a heading without digits at the right. Columns are two
// blanks apart and at most [maxPad] wide.
//
//	execution
//	  497.2 ms
//	    3.634 ms
//	   12     s
func align(rows [][]string, sides string) []string {
	cells := make([][]string, len(rows))
	for i, r := range rows {
		cells[i] = append([]string(nil), r...)
	}
	for k := range sides {
		if sides[k] == 'd' {
			alignPoints(cells, k)
		}
	}
	widths := make([]int, len(sides))
	for _, r := range cells {
		for k, c := range r {
			widths[k] = max(widths[k], min(maxPad, utf8.RuneCountInString(c)))
		}
	}
	var out []string
	for _, r := range cells {
		var b strings.Builder
		for k, c := range r {
			if k > 0 {
				b.WriteString("  ")
			}
			if sides[k] == 'l' {
				b.WriteString(c + blanks(widths[k]-utf8.RuneCountInString(c)))
			} else {
				b.WriteString(blanks(widths[k]-utf8.RuneCountInString(c)) + c)
			}
		}
		out = append(out, b.String())
	}
	return out
}

// point is a number with its unit in parts: the digits before the decimal point,
// the point and the digits after it, and the unit with the blank before it.
type point struct{ whole, fraction, unit string }

// cutPoint returns the parts of a cell, ok false when it is no number.
func cutPoint(cell string) (p point, ok bool) {
	number, unit, hasUnit := strings.Cut(cell, " ")
	if !strings.ContainsAny(number, "0123456789") {
		return p, false
	}
	if hasUnit {
		p.unit = " " + unit
	}
	p.whole = number
	// An exponent belongs to the fraction, so that the digits before it stay in line.
	if i := strings.IndexAny(number, ".e"); i >= 0 {
		p.whole, p.fraction = number[:i], number[i:]
	}
	return p, true
}

// alignPoints gives the numbers of column k the same width, with their decimal
// points and units aligned.
func alignPoints(rows [][]string, k int) {
	var whole, fraction, unit int
	for _, r := range rows {
		if p, ok := cutPoint(r[k]); ok {
			whole, fraction, unit = max(whole, len(p.whole)), max(fraction, len(p.fraction)), max(unit, len(p.unit))
		}
	}
	for _, r := range rows {
		if p, ok := cutPoint(r[k]); ok {
			r[k] = blanks(whole-len(p.whole)) + p.whole + p.fraction + blanks(fraction-len(p.fraction)) + p.unit + blanks(unit-len(p.unit))
		}
	}
}

func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }
