package report

import (
	"bufio"
	_ "embed"
	"io"
	"slices"
	"strconv"

	"dvmtools/pkg/interval"
)

//go:embed assets/tables.js
var scriptTables string

// maxSheetRows is how many rows of a table a page has.
const maxSheetRows = 1000

// sheetPage is the data of the template of a sheet.
type sheetPage struct {
	frame
	Heading   string
	Tiles     []pageTile
	Sentences []string
	Facts     [][2]string
	Charts    []pageChart
	Split     []pagePart
}

type pageTile struct{ Label, Text string }

// pageChart is a chart with its legend.
type pageChart struct {
	Title  string
	SVG    safeHTML
	Series []pageSeries
}

type pageSeries struct{ Class, Label string }

// writeSheetHTML writes the page of a sheet. Everything is there without
// scripts; with them tables sort and filter.
func writeSheetHTML(w io.Writer, s *Sheet, o Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	p := newPageWriter(b, o)
	page := &sheetPage{frame: newFrame(s.Title, scriptDOM, scriptTables), Heading: s.Title, Sentences: s.Sentences, Facts: s.Facts}
	for _, t := range s.Tiles {
		page.Tiles = append(page.Tiles, pageTile{t.label, t.text})
	}
	for i := range s.Charts {
		c := &s.Charts[i]
		x := pageChart{Title: c.title, SVG: c.svg()}
		// What is drawn last, over the others, is named first.
		for _, y := range slices.Backward(c.series) {
			if y.label != "" {
				x.Series = append(x.Series, pageSeries{y.class, y.label})
			}
		}
		if x.SVG != "" {
			page.Charts = append(page.Charts, x)
		}
	}
	for i := range s.Tables {
		if page.Split == nil && s.Tables[i].hasParts() {
			for _, x := range Split(&interval.Times{}) {
				page.Split = append(page.Split, pagePart{Key: x.Key, Label: x.Label})
			}
		}
	}
	for i := range s.Maps {
		page.Charts = append(page.Charts, pageChart{Title: s.Maps[i].title, SVG: s.Maps[i].svg()})
	}
	p.template("begin", page)
	p.template("sheet", page)
	for i := range s.Tables {
		writeTable(p, &s.Tables[i], o)
	}
	p.write(markup("</main>\n"))
	p.template("end", page)
	if p.err != nil {
		return p.err
	}
	return b.Flush()
}

// hasParts tells whether a table has bars.
func (t *table) hasParts() bool {
	for _, row := range t.rows {
		for i := range row {
			if row[i].parts != nil {
				return true
			}
		}
	}
	return false
}

// writeTable writes a table of a sheet.
func writeTable(p *pageWriter, t *table, o Options) {
	var m markup
	m.raw(`<section id="` + t.name + `"><h2>`)
	m.text(t.title)
	m.raw("</h2>\n")
	note := t.note
	if len(t.rows) == 0 && t.none != "" {
		note = t.none
	}
	if note != "" {
		m.raw(`<p class="note">`)
		m.text(note)
		m.raw("</p>\n")
	}
	shown := t.rowsShown
	if shown == 0 {
		shown = maxSheetRows
	}
	if len(t.rows) > shown {
		m.raw(`<p class="note">The first ` + strconv.Itoa(shown) + " of " + strconv.Itoa(len(t.rows)) + " rows; <code>--format csv</code> has all.</p>\n")
	}
	class := "wide"
	if t.boxed {
		class += " rows"
	}
	m.raw(`<div class="` + class + `" tabindex="0" role="region" aria-label="`)
	m.text(t.title)
	m.raw(`"><table class="sheet"><thead><tr>`)
	for _, c := range t.columns {
		m.raw(`<th scope="col"`)
		if c.text {
			m.raw(` class="l"`)
		}
		m.raw(">")
		m.text(c.label)
		m.raw("</th>")
	}
	m.raw("</tr></thead><tbody>\n")
	for _, row := range t.rows[:min(len(t.rows), shown)] {
		m.raw("<tr")
		if row[0].anchor != "" {
			m.raw(` id="` + row[0].anchor + `"`)
		}
		m.raw(">")
		for i := range row {
			m.sheetCell(&row[i], i == 0, o)
		}
		m.raw("</tr>\n")
		if len(m) > 1<<16 {
			p.write(m)
			m = m[:0]
		}
	}
	m.raw("</tbody></table></div></section>\n")
	p.write(m)
}

// sheetCell appends a cell; the first of a row is its head.
func (m *markup) sheetCell(f *field, first bool, o Options) {
	switch {
	case first:
		m.raw(`<th scope="row" class="l">`)
		if f.anchor != "" {
			m.raw(`<a href="#` + f.anchor + `">`)
		}
		m.text(f.text)
		if f.anchor != "" {
			m.raw("</a>")
		}
		m.raw("</th>")
	case f.parts != nil:
		m.raw(`<td class="use">`)
		m.bar(f.parts)
		m.raw("</td>")
	case f.unit == "":
		m.raw(`<td class="l">`)
		if f.code {
			m.raw("<code>")
		}
		m.text(f.text)
		if f.code {
			m.raw("</code>")
		}
		m.raw("</td>")
	default:
		m.raw(`<td data-value="`)
		m.exact(f.value)
		m.raw(`" title="`)
		m.exact(f.value)
		switch f.unit {
		case unitSeconds:
			m.raw(" s")
		case unitBytes:
			m.raw(" B")
		}
		m.raw(`">`)
		m.text(f.shown(o.Exact))
		m.raw("</td>")
	}
}
