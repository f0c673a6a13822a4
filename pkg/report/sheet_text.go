package report

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"
)

// writeSheetText writes a sheet for a terminal; charts are left out.
func writeSheetText(w io.Writer, s *Sheet, o Options) error {
	b := bufio.NewWriter(w)
	paint := painter(o.Colour)
	line := func(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }
	line(paint(bold, s.Title))
	line("")
	for _, sentence := range s.Sentences {
		for _, l := range wrap(sentence, textWidth) {
			line(l)
		}
	}
	if len(s.Facts) > 0 {
		line("")
		var rows [][]string
		for _, f := range s.Facts {
			rows = append(rows, f[:])
		}
		for _, l := range align(rows, "ll") {
			line(l)
		}
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		line("")
		line(paint(bold, t.title))
		if t.note != "" {
			for _, l := range wrap(t.note, textWidth) {
				line(l)
			}
		}
		rows, sides := t.shown(o.Exact)
		for _, l := range align(rows, sides) {
			line(l)
		}
	}
	return b.Flush()
}

// shown returns the rows of a table for people, the head first, and how its
// columns are aligned.
func (t *table) shown(exact bool) (rows [][]string, sides string) {
	var head []string
	for _, c := range t.columns {
		head = append(head, c.label)
		if c.text {
			sides += "l"
		} else {
			sides += "d"
		}
	}
	rows = append(rows, head)
	for _, r := range t.rows {
		var cells []string
		for i := range r {
			cells = append(cells, strings.Repeat("  ", min(r[i].depth, maxIndent))+r[i].shown(exact))
		}
		rows = append(rows, cells)
	}
	return rows, sides
}

// writeSheetMarkdown writes a sheet as Markdown, the first rows of each table.
func writeSheetMarkdown(w io.Writer, s *Sheet, o Options) error {
	b := bufio.NewWriter(w)
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	line("## ", markdownText(s.Title))
	line()
	for _, sentence := range s.Sentences {
		line(markdownText(sentence))
	}
	for _, f := range s.Facts {
		line("* ", markdownText(f[0]), ": ", markdownText(f[1]))
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		rows, sides := t.shown(o.Exact)
		line()
		line("### ", markdownText(t.title))
		line()
		for j, r := range rows[:min(len(rows), 1+2*markdownRows)] {
			for k, c := range r {
				line0 := "| "
				if k > 0 {
					line0 = " | "
				}
				b.WriteString(line0 + markdownText(strings.TrimSpace(c)))
			}
			line(" |")
			if j == 0 {
				line(strings.NewReplacer("l", "| :-- ", "d", "| --: ").Replace(sides), "|")
			}
		}
	}
	return b.Flush()
}

// sheetColumns are the columns of the CSV of a sheet.
var sheetColumns = []string{"table", "row", "name", "metric", "value", "unit"}

// writeSheetCSV writes a line for each number of each table: the table, the
// number of the row, its words, the column, the exact value, the unit.
func writeSheetCSV(w io.Writer, s *Sheet, _ Options) error {
	b := bufio.NewWriter(w)
	out := csv.NewWriter(b)
	out.Write(sheetColumns)
	for i := range s.Tables {
		t := &s.Tables[i]
		for j, r := range t.rows {
			var name []string
			for k := range r {
				if r[k].unit == "" && r[k].parts == nil && r[k].text != "" {
					name = append(name, r[k].text)
				}
			}
			for k := range r {
				if r[k].unit == "" {
					continue
				}
				unit := r[k].unit
				if unit == unitSeconds {
					unit = "seconds"
				}
				out.Write([]string{t.name, countValue(int64(j + 1)).Exact(), strings.Join(name, ", "), t.columns[k].label, r[k].value.Exact(), unit})
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return b.Flush()
}

// SheetDocument is the JSON document of a [Sheet]; its form is
// schema/report.schema.json.
type SheetDocument struct {
	// Report is "dvmreport" and the kind of the sheet.
	Report    string       `json:"report"`
	Version   int          `json:"version"`
	Title     string       `json:"title"`
	Sentences []string     `json:"sentences"`
	Facts     [][2]string  `json:"facts"`
	Tables    []SheetTable `json:"tables"`
}

// SheetTable is a table of it: numbers are exact, times in seconds, ratios of 1;
// bars are null.
type SheetTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// writeSheetJSON writes a sheet as one document.
func writeSheetJSON(w io.Writer, s *Sheet, _ Options) error {
	doc := SheetDocument{Report: "dvmreport " + s.Kind, Version: DocumentVersion, Title: s.Title, Sentences: append([]string{}, s.Sentences...),
		Facts: append([][2]string{}, s.Facts...), Tables: []SheetTable{}}
	for i := range s.Tables {
		t := &s.Tables[i]
		x := SheetTable{Name: t.name, Columns: []string{}, Rows: [][]any{}}
		for _, c := range t.columns {
			x.Columns = append(x.Columns, c.label)
		}
		for _, r := range t.rows {
			cells := []any{}
			for k := range r {
				f := &r[k]
				switch {
				case f.parts != nil:
					cells = append(cells, nil)
				case f.unit == "":
					cells = append(cells, f.text)
				case f.value.isCount:
					cells = append(cells, f.value.count)
				default:
					cells = append(cells, f.value.real)
				}
			}
			x.Rows = append(x.Rows, cells)
		}
		doc.Tables = append(doc.Tables, x)
	}
	text, err := marshal(doc)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
