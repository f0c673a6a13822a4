package report

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// csvColumns are the columns of the table: which processors, of which
// interval, what, how much; then where the interval is or, in rows of lines, the
// line.
var csvColumns = []string{"interval", "processors", "metric", "value", "unit", "parent", "level", "type", "file", "line", "expr", "from_line"}

// allProcessors stands in the column of processors of the sums over an
// interval's processors.
const allProcessors = "all"

// atPlace stands in the column of processors of what exchanges cost by the places
// where they are started; the interval is the whole program.
const atPlace = "exchange"

// atLine stands in the column of processors of what passed at a line.
const atLine = "line"

// writeCSV writes one line for each figure. Values are exact, in seconds.
// Processors are "all", or the coordinates of a class ("0-1;0 2;0-2", boxes
// between blanks, dimensions between semicolons) or a processor's number; the
// metric "processors" says how many they are. The figures of lines that are 0 are
// left out.
func writeCSV(w io.Writer, t *Tree, _ Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	out := csv.NewWriter(b)
	out.Write(csvColumns)
	figures := Figures()
	for _, n := range t.Nodes {
		row := []string{strconv.Itoa(n.ID), allProcessors, "", "", "",
			strconv.Itoa(n.Parent), strconv.Itoa(n.Level), Clean(string(n.Type)), Clean(n.File), strconv.Itoa(n.Line), exprWords(&n.Interval), ""}
		put := func(metric string, v Value, unit string) {
			row[2], row[3], row[4] = metric, v.Exact(), unit
			out.Write(row)
		}
		put("count", countValue(n.Count), "entries")
		put("processors", countValue(n.Processors), "processors")
		for i := range figures {
			f := &figures[i]
			put(f.Name(), f.Value(&n.Interval), f.exactUnit())
		}
		if n.POP != nil {
			for i := range popFigures {
				f := &popFigures[i]
				put("pop."+f.Name, f.value(&n.Interval), exactUnit(f.Unit))
			}
		}
		for c := range n.Classes {
			class := &n.Classes[c]
			row[1] = classKey(class.Rank, class.Boxes)
			put("processors", countValue(class.N), "processors")
			for i := range figures {
				if f := &figures[i]; f.OfProcessors() {
					put(f.Name(), f.OfTimes(&class.Times), f.exactUnit())
				}
			}
		}
		row[1] = atLine
		for l := range n.Lines {
			x := &n.Lines[l]
			row[8], row[9], row[11] = Clean(x.File), strconv.Itoa(x.Line), strconv.Itoa(x.FromLine)
			for _, f := range x.Functions {
				put("calls."+Clean(f.Func), countValue(f.Calls), unitCalls)
			}
			for i := range figures {
				if f := &figures[i]; f.inner {
					if v := f.OfLine(x); v.real != 0 || v.count != 0 {
						put(f.Name(), v, f.exactUnit())
					}
				}
			}
		}
	}
	for i := range t.Exchanges {
		x := &t.Exchanges[i]
		for _, f := range exchangeMetrics {
			out.Write([]string{strconv.Itoa(t.Root.ID), atPlace, x.Kind.String() + "." + f.name, f.of(x).Exact(), f.unit,
				"0", "0", Clean(x.Func), Clean(x.File), strconv.Itoa(x.Line), "", ""})
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return b.Flush()
}

// countValue returns a count as a value.
func countValue(n int64) Value { return Value{count: n, isCount: true} }

// classKey names the processors of a class for programs.
func classKey(rank *int64, boxes [][]string) string {
	if rank != nil {
		return strconv.FormatInt(*rank, 10)
	}
	var list []string
	for _, box := range boxes {
		list = append(list, Clean(strings.Join(box, ";")))
	}
	return strings.Join(list, " ")
}
