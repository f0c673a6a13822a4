package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
)

// shownExchanges is how many places of exchanges the text and the summary show.
const shownExchanges = 5

// costliest returns the exchanges of the program that cost time, by the places
// where they are started, those that cost most first.
func costliest(t *Tree) []interval.Exchange {
	list := slices.DeleteFunc(slices.Clone(t.Exchanges), func(x interval.Exchange) bool { return x.Communication <= 0 })
	slices.SortStableFunc(list, func(a, b interval.Exchange) int { return cmp.Compare(b.Communication, a.Communication) })
	return list
}

// exchangeWords names exchanges: "shadow, strtsh_ at jac.fdv:21".
func exchangeWords(x *interval.Exchange) string {
	return fmt.Sprintf("%s, %s at %s:%d", kindLabel(x.Kind), Clean(x.Func), Clean(x.File), x.Line)
}

// explainCommand returns the command that explains the exchange of x that took
// longest. The machine is the reader's to fill in: the stream has its name, not
// its file.
func explainCommand(t *Tree, x *interval.Exchange) string {
	h := &t.Header
	words := []string{"dvmsim -m MACHINE -g", gridName(h.Grid)}
	usual := options.Defaults()
	for _, c := range options.Choices() {
		if value := c.Get(&h.Options.Model); value != "" && value != c.Get(&usual) {
			words = append(words, "--"+c.Name, shellWord(value))
		}
	}
	if h.Options.Sections != "" {
		words = append(words, "--sections", shellWord(h.Options.Sections))
	}
	words = append(words, "--explain", shellWord(x.Func+"@"+strconv.FormatInt(x.Seq, 10)))
	if len(h.Source) == 1 {
		return strings.Join(append(words, shellWord(h.Source[0])), " ")
	}
	return strings.Join(append(words, "TRACE"), " ")
}

// shellWord quotes a word for a shell where that is needed.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
	s = Clean(s)
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// exchangeTable returns the exchanges that cost most; shown is how many rows a
// page has.
func exchangeTable(t *Tree) table {
	x := table{name: "exchanges", title: "Exchanges that cost most", none: "No exchange costs time on this grid.",
		note: "By the places where they are started, wherever they are waited for. Times are sums over all processors; waiting is for other processors to start. The command explains the one that takes longest on the network.",
		columns: []columnOf{{"Exchange", true}, {"Count", false}, {"Messages", false}, {"Bytes", false}, {"Time", false},
			{"Of all Lost time", false}, {"Waiting", false}, {"Overlap", false}, {"Command that explains one", true}},
		rowsShown: shownRows, boxed: true}
	list := costliest(t)
	for i := range list {
		e := &list[i]
		x.rows = append(x.rows, []field{words(exchangeWords(e)), countField(e.Count, "exchanges"), countField(e.Messages, "messages"),
			countField(int64(e.Bytes), unitBytes), secondsField(e.Communication), ratioField(ratio(float64(e.Communication), float64(t.Root.LostTime))),
			secondsField(e.RealSynch), secondsField(e.Overlap), {text: explainCommand(t, e), code: true}})
	}
	return x
}

// exchangeMetrics are the numbers of exchanges in tables for programs.
var exchangeMetrics = []struct {
	name, unit, help string
	of               func(x *interval.Exchange) Value
}{
	{"count", "operations", "exchanges", func(x *interval.Exchange) Value { return countValue(x.Count) }},
	{"messages", "messages", "messages of the exchanges", func(x *interval.Exchange) Value { return countValue(x.Messages) }},
	{"size_b", "bytes", "bytes that the messages carry", func(x *interval.Exchange) Value { return countValue(int64(x.Bytes)) }},
	{"communication", "seconds", "time in the exchanges, waiting included, over all processors", func(x *interval.Exchange) Value { return Value{real: float64(x.Communication)} }},
	{"real_synch", "seconds", "the part of it that was spent waiting for other processors to start", func(x *interval.Exchange) Value { return Value{real: float64(x.RealSynch)} }},
	{"synch", "seconds", "potential loss through starts that were not simultaneous", func(x *interval.Exchange) Value { return Value{real: float64(x.Synch)} }},
	{"variation", "seconds", "loss through the spread of completion times", func(x *interval.Exchange) Value { return Value{real: float64(x.Variation)} }},
	{"overlap", "seconds", "time that the exchanges passed beside computation", func(x *interval.Exchange) Value { return Value{real: float64(x.Overlap)} }},
}

// writePromExchanges writes what exchanges cost by the places where they are
// started, with the labels program, grid, kind, func, file and line.
func writePromExchanges(b *bufio.Writer, t *Tree) {
	if len(t.Exchanges) == 0 {
		return
	}
	for _, f := range exchangeMetrics {
		name, unit := "dvm_exchange_"+f.name, ""
		switch f.unit {
		case "seconds":
			name, unit = name+"_seconds", f.unit
		case "bytes":
			name, unit = "dvm_exchange_bytes", f.unit
		}
		promHead(b, name, unit, f.help)
		for i := range t.Exchanges {
			x := &t.Exchanges[i]
			b.WriteString(name + promCommon(t) + `",kind="` + x.Kind.String() + `",func="` + promText(Clean(x.Func)) + `",file="` + promText(Clean(x.File)) +
				`",line="` + strconv.Itoa(x.Line) + `"} ` + f.of(x).Exact() + "\n")
		}
	}
}
