package report

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/interval"
)

// family is a metric of the OpenMetrics text.
type family struct {
	name, unit, help string
	// kinds says that there is a sample for each kind of operation.
	kinds  bool
	values [interval.NumKinds]func(*interval.Interval) Value
}

// families returns the metrics: one for each figure; those of the kinds of
// operations are one metric with a label.
func families() []family {
	list := []family{
		{name: "dvm_interval_entries", help: "how often the interval was entered",
			values: [interval.NumKinds]func(*interval.Interval) Value{func(iv *interval.Interval) Value { return countValue(iv.Count) }}},
		{name: "dvm_interval_processors", help: "how many processors executed the interval",
			values: [interval.NumKinds]func(*interval.Interval) Value{func(iv *interval.Interval) Value { return countValue(iv.Processors) }}},
	}
	for _, f := range Figures() {
		if f.OfKind && f.Kind > 0 {
			i := slices.IndexFunc(list, func(x family) bool { return x.help == f.Definition })
			list[i].values[f.Kind] = f.Value
			continue
		}
		name := strings.TrimSuffix(f.Name(), "_time")
		if f.OfKind {
			name = "operation_" + strings.TrimPrefix(name, f.Kind.String()+".")
		}
		x := family{name: "dvm_" + name, help: f.Definition, kinds: f.OfKind}
		switch f.Unit {
		case unitSeconds:
			x.unit = "seconds"
			x.name += "_seconds"
		case unitOps:
			x.name = "dvm_operation_starts"
		}
		x.values[0] = f.Value
		list = append(list, x)
	}
	return list
}

// writeProm writes OpenMetrics text. Every sample has the labels program,
// grid, interval (its number), type and place, and expr where the interval has an
// expression; samples of lines have others.
func writeProm(w io.Writer, t *Tree, _ Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	labels := make([]string, len(t.Nodes))
	common := promCommon(t) + `",interval="`
	for i, n := range t.Nodes {
		labels[i] = common + strconv.Itoa(n.ID) + `",type="` + promText(typeWords(n.Type)) + `",place="` + promText(placeWords(&n.Interval)) + `"`
		if n.Expr != nil {
			labels[i] += `,expr="` + exprWords(&n.Interval) + `"`
		}
	}
	for _, f := range families() {
		promHead(b, f.name, f.unit, f.help)
		for i, n := range t.Nodes {
			for k, value := range f.values {
				if value == nil {
					continue
				}
				b.WriteString(f.name + labels[i])
				if f.kinds {
					b.WriteString(`,kind="` + interval.Kind(k).String() + `"`)
				}
				b.WriteString("} " + value(&n.Interval).Exact() + "\n")
			}
		}
	}
	writePromPOP(b, t, labels)
	writePromLines(b, t)
	writePromExchanges(b, t)
	b.WriteString("# EOF\n")
	return b.Flush()
}

// promHead begins a family of gauges.
func promHead(b *bufio.Writer, name, unit, help string) {
	b.WriteString("# TYPE " + name + " gauge\n")
	if unit != "" {
		b.WriteString("# UNIT " + name + " " + unit + "\n")
	}
	b.WriteString("# HELP " + name + " " + promText(help) + "\n")
}

// writePromPOP writes the POP metrics of the intervals that have them.
func writePromPOP(b *bufio.Writer, t *Tree, labels []string) {
	if t.Root.POP == nil {
		return
	}
	for i := range popFigures {
		f := &popFigures[i]
		name, unit := "dvm_pop_"+f.Name, ""
		if f.Unit == unitSeconds {
			name, unit = "dvm_pop_"+strings.TrimSuffix(f.Name, "_time")+"_seconds", "seconds"
		}
		promHead(b, name, unit, f.Definition)
		for k, n := range t.Nodes {
			if n.POP != nil {
				b.WriteString(name + labels[k] + "} " + f.value(&n.Interval).Exact() + "\n")
			}
		}
	}
}

// writePromLines writes what is lost and spent at each line of the program, with
// the labels program, grid, file, line and from_line.
func writePromLines(b *bufio.Writer, t *Tree) {
	program := SourceLines(t)
	if len(program) == 0 {
		return
	}
	common := promCommon(t) + `",file="`
	for _, f := range []struct {
		name, unit, help string
		of               func(*interval.Line) Value
	}{
		{"dvm_line_lost_seconds", "seconds", "insufficient parallelism and communication at the line", func(l *interval.Line) Value { return Value{real: float64(l.Lost())} }},
		{"dvm_line_spent_seconds", "seconds", "the time that all processors spend at the line", func(l *interval.Line) Value { return Value{real: float64(l.Spent())} }},
		{"dvm_line_calls", "", "calls of the run-time system at the line", func(l *interval.Line) Value { return countValue(callsAt(l)) }},
	} {
		promHead(b, f.name, f.unit, f.help)
		for i := range program {
			l := &program[i]
			b.WriteString(f.name + common + promText(Clean(l.File)) + `",line="` + strconv.Itoa(l.Line) + `",from_line="` + strconv.Itoa(l.FromLine) + `"} ` + f.of(l).Exact() + "\n")
		}
	}
}

// promCommon begins the labels of every sample: program and grid, the last one
// not yet closed.
func promCommon(t *Tree) string {
	return `{program="` + promText(program(t)) + `",grid="` + strings.ReplaceAll(gridWords(t.Header.Grid), " × ", "x")
}

// promText escapes the text of a label or a help line.
func promText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
