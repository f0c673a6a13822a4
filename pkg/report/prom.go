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
// expression.
func writeProm(w io.Writer, t *Tree, _ Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	labels := make([]string, len(t.Nodes))
	common := `{program="` + promText(program(t)) + `",grid="` + strings.ReplaceAll(gridWords(t.Header.Grid), " × ", "x") + `",interval="`
	for i, n := range t.Nodes {
		labels[i] = common + strconv.Itoa(n.ID) + `",type="` + promText(typeWords(n.Type)) + `",place="` + promText(placeWords(&n.Interval)) + `"`
		if n.Expr != nil {
			labels[i] += `,expr="` + exprWords(&n.Interval) + `"`
		}
	}
	for _, f := range families() {
		b.WriteString("# TYPE " + f.name + " gauge\n")
		if f.unit != "" {
			b.WriteString("# UNIT " + f.name + " " + f.unit + "\n")
		}
		b.WriteString("# HELP " + f.name + " " + promText(f.help) + "\n")
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
	b.WriteString("# EOF\n")
	return b.Flush()
}

// promText escapes the text of a label or a help line.
func promText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
