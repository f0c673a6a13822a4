package report

import (
	"html/template"
	"strconv"
	"strings"

	"dvmtools/pkg/interval"
)

// The pieces of which a page has very many are written here and not by the
// template, which would take ten times as long. Only numbers and words of
// this package may pass: whatever comes from a trace goes through the
// template and its escaping.

// valueHTML returns a number and its unit. The space between them does not
// break.
func valueHTML(v Value, unit string) template.HTML {
	return template.HTML(appendValue(nil, v, unit))
}

func appendValue(b []byte, v Value, unit string) []byte {
	number, unit := v.display(unit)
	return appendNumber(b, number, unit)
}

func appendNumber(b []byte, number, unit string) []byte {
	b = append(b, strings.ReplaceAll(number, "<", "&lt;")...)
	b = append(b, "\u00a0<i>"...)
	b = append(b, unit...)
	return append(b, "</i>"...)
}

// appendCell appends a cell of a table with a number that is exact in its
// data-value and, for people, in its tooltip, before what title says of it.
// Attributes, if any, begin with a blank.
func appendCell(b []byte, v Value, unit, attributes, title string) []byte {
	exact := v.Exact()
	b = append(b, "<td"...)
	b = append(b, attributes...)
	b = append(b, ` data-value="`...)
	b = append(b, exact...)
	if exact != "0" || title != "" {
		b = append(b, `" title="`...)
		b = append(b, exact...)
		if unit == unitSeconds {
			b = append(b, " s"...)
		}
		if title != "" {
			b = append(b, ": "...)
			b = append(b, template.HTMLEscapeString(title)...)
		}
	}
	b = append(b, `">`...)
	b = appendValue(b, v, unit)
	return append(b, "</td>"...)
}

// secondsHTML returns the cell of a time that is no figure of its own.
func secondsHTML(x float64) template.HTML {
	return template.HTML(appendCell(nil, Value{real: x}, unitSeconds, "", ""))
}

// appendFigure appends the cell of figure f of an interval. It has the
// figure's anchor and, when titled, its definition.
func appendFigure(b []byte, f *Figure, iv *interval.Interval, titled bool) []byte {
	attributes := ` id="i` + strconv.Itoa(iv.ID) + `-` + f.Anchor + `" data-name="` + f.Anchor + `"`
	title := ""
	if titled {
		title = f.Title()
	}
	return appendCell(b, f.Value(iv), f.Unit, attributes, title)
}

// barHTML draws the parts of Total time of an interval. What the colours mean
// is also said in words, to those who point at a part and to those who do not
// see it.
func barHTML(t *interval.Times) template.HTML {
	list := strokes(Split(t))
	label := "Total time by use:"
	if len(list) == 0 {
		label = "No time was spent"
	}
	var rects []byte
	for _, s := range list {
		words := template.HTMLEscapeString(s.Label + " " + percent(s.Share))
		label += " " + words + ";"
		rects = append(rects, `<rect class="p-`+s.Key+`" x="`+s.X+`" width="`+s.Width+`" height="20"><title>`+words+`</title></rect>`...)
	}
	return template.HTML(`<svg class="bar" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="` + label + `">` +
		string(rects) + `</svg>`)
}
