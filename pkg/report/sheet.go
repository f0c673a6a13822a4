package report

import (
	"io"
	"strconv"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// A Sheet is a report on several programs or on a search: sentences, facts, charts
// and tables. All its formats are written from this one form.
type Sheet struct {
	// Kind names what it is in JSON, one of [SheetKinds].
	Kind      string
	Title     string
	Tiles     []tile
	Sentences []string
	Facts     [][2]string
	Charts    []chart
	Maps      []gridMap
	Tables    []table
}

// SheetKinds returns the kinds of sheets.
func SheetKinds() []string { return []string{"comparison", "scaling", "search", "sweep"} }

// tile is a figure of the first screen.
type tile struct{ label, text string }

// table is a table of a sheet.
type table struct {
	// name is its name in JSON and CSV, title its heading.
	name, title string
	// note explains how to read it; none is said instead when it has no rows.
	note    string
	none    string
	columns []columnOf
	rows    [][]field
	// rowsShown is how many rows a page has, 0 for [maxSheetRows].
	rowsShown int
	// boxed says that a page shows it in a box of its own height.
	boxed bool
}

// columnOf is a column of a table.
type columnOf struct {
	label string
	// text says that it holds words, which begin at the left.
	text bool
}

// unitTimes is the unit of speed-ups.
const unitTimes = "times"

// unitBytes is the unit of sizes.
const unitBytes = "B"

// field is a cell of a table: words, a number with its unit, or the parts of
// Total time.
type field struct {
	text   string
	value  Value
	unit   string // "" of words
	signed bool   // a difference
	depth  int
	parts  *interval.Times
	// anchor, in the first field of a row, is the id of the row and where its
	// head leads to.
	anchor string
	// code says that the text is for a shell.
	code bool
}

// words is a field that holds text.
func words(s string) field { return field{text: s} }

// seconds is a field that holds a time.
func secondsField(t units.Seconds) field {
	return field{value: Value{real: float64(t)}, unit: unitSeconds}
}

// ratioField is a field that holds a share.
func ratioField(x float64) field { return field{value: Value{real: x}, unit: unitRatio} }

// countField is a field that holds a count.
func countField(n int64, unit string) field { return field{value: countValue(n), unit: unit} }

// difference marks a field as a difference, which has a sign.
func (f field) difference() field {
	f.signed = true
	return f
}

// shown returns the field for people.
func (f *field) shown(exact bool) string {
	var s string
	switch {
	case f.parts != nil:
		return gauge(Split(f.parts), 16)
	case f.unit == "":
		return f.text
	case f.value.isCount && f.unit == unitBytes && !exact:
		return units.Bytes(f.value.count).Short()
	case f.value.isCount:
		return f.value.Exact()
	case f.unit == unitTimes:
		return plain2(f.value.real)
	default:
		o := Options{Exact: exact}
		if s = o.time(f.value.real); f.unit == unitRatio {
			s = o.percent(f.value.real)
		}
	}
	if f.signed && f.value.real > 0 {
		if s[0] == '<' {
			return s
		}
		return "+" + s
	}
	return s
}

// sheetWriters are the formats that sheets have.
var sheetWriters = []struct {
	format Format
	write  func(io.Writer, *Sheet, Options) error
}{
	{HTML, writeSheetHTML},
	{Text, writeSheetText},
	{CSV, writeSheetCSV},
	{JSON, writeSheetJSON},
	{Markdown, writeSheetMarkdown},
}

// SheetFormats returns the formats that [WriteSheet] knows.
func SheetFormats() []Format {
	var list []Format
	for _, f := range sheetWriters {
		list = append(list, f.format)
	}
	return list
}

// WriteSheet writes s in format f, one of [SheetFormats]. Its errors are those
// of w.
func WriteSheet(w io.Writer, s *Sheet, f Format, o Options) error {
	for _, x := range sheetWriters {
		if x.format == f {
			return x.write(w, s, o)
		}
	}
	panic("report: internal error: no format " + string(f) + " of sheets")
}

// gridName returns "4x4", as grids are given on the command line.
func gridName(grid []int) string {
	if len(grid) == 0 {
		return "1"
	}
	s := ""
	for i, n := range grid {
		if i > 0 {
			s += "x"
		}
		s += strconv.Itoa(n)
	}
	return s
}
