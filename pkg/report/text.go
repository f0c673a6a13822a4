package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// writeText writes what was simulated, the diagnosis, where the time goes, what
// could be changed, and the aligned tree.
func writeText(w io.Writer, t *Tree, o Options) error {
	b := bufio.NewWriter(w)
	paint := painter(o.Colour)
	line := func(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }

	h, root := &t.Header, t.Root
	summary, nodes := machineWords(&h.Machine)
	facts := [][]string{
		{"program", program(t)},
		{"trace", trace(h)},
		{"machine", summary},
	}
	for _, n := range nodes {
		facts = append(facts, []string{"", n})
	}
	facts = append(facts,
		[]string{"grid", gridWords(h.Grid) + " = " + count(h.Processors, "processor", "processors")})
	if words := optionWords(h); words != "" {
		facts = append(facts, []string{"options", words})
	}
	if words := warningWords(t.Warnings); words != "" {
		facts = append(facts, []string{"warnings", words})
	}
	facts = append(facts,
		[]string{"execution time", o.time(float64(root.ExecutionTime))},
		[]string{"efficiency", o.percent(root.Efficiency)})
	if p := root.POP; p != nil {
		facts = append(facts, []string{"POP", o.popWords(p)})
	}
	facts = append(facts,
		[]string{"total time", o.time(float64(root.TotalTime))})
	for _, row := range align(facts, "ll") {
		line(row)
	}

	findings := Findings(t)
	line("")
	for _, s := range Diagnosis(t, findings) {
		for _, l := range wrap(s, textWidth) {
			line(paint(bold, l))
		}
	}

	line("")
	var parts [][]string
	for _, p := range Split(&root.Times) {
		parts = append(parts, []string{"  " + p.Label, o.time(p.Seconds), o.percent(p.Share), gauge([]Part{p}, 20)})
	}
	for _, row := range align(parts, "lddl") {
		line(row)
	}

	if len(findings) > 0 {
		line("")
		line(paint(bold, "what could be changed, and what it would save at best"))
		for _, f := range findings {
			head := fmt.Sprintf("%8s  ", savingWords(&f))
			for _, l := range wrap(f.Text+" "+f.Advice, textWidth-len(head)) {
				line(head + l)
				head = strings.Repeat(" ", len(head))
			}
		}
	}

	if worst := worstLines(t, shownLines); len(worst) > 0 {
		line("")
		line(paint(bold, "the lines that lose most"))
		rows := [][]string{{"lines", "lost", "of all", "spent", "functions"}}
		for _, l := range worst {
			rows = append(rows, []string{stretchWords(&l), o.time(float64(l.Lost())), o.percent(ratio(float64(l.Lost()), float64(root.LostTime))),
				o.time(float64(l.Spent())), functionWords(l.Functions)})
		}
		for i, row := range align(rows, "ldddl") {
			if i == 0 {
				row = paint(bold, row)
			}
			line(row)
		}
	}

	if list := costliest(t); len(list) > 0 {
		line("")
		line(paint(bold, "the exchanges that cost most, by where they are started"))
		rows := [][]string{{"exchange", "count", "messages", "bytes", "time", "of all lost", "waiting"}}
		for i := range list[:min(len(list), shownExchanges)] {
			x := &list[i]
			size := x.Bytes.Short()
			if o.Exact {
				size = strconv.FormatInt(int64(x.Bytes), 10) + " B"
			}
			rows = append(rows, []string{exchangeWords(x), countValue(x.Count).Exact(), countValue(x.Messages).Exact(), size,
				o.time(float64(x.Communication)), o.percent(ratio(float64(x.Communication), float64(root.LostTime))), o.time(float64(x.RealSynch))})
		}
		for i, row := range align(rows, "lrrdddd") {
			if i == 0 {
				row = paint(bold, row)
			}
			line(row)
		}
		line("The first is explained by " + explainCommand(t, &list[0]))
	}

	line("")
	rows := [][]string{{"interval", "place", "expr", "count", "processors", "execution", "efficiency", "lost", "use"}}
	for _, n := range t.Nodes {
		rows = append(rows, []string{
			// Without a bound the text of a deep tree would grow with the square
			// of its depth.
			strings.Repeat("  ", min(n.Level, maxIndent)) + typeWords(n.Type),
			placeWords(&n.Interval), exprWords(&n.Interval),
			countValue(n.Count).Exact(),
			countValue(n.Processors).Exact(),
			o.time(float64(n.ExecutionTime)),
			o.percent(n.Efficiency),
			o.time(float64(n.LostTime)),
			gauge(Split(&n.Times), 16),
		})
	}
	for i, row := range align(rows, "llrrrdddl") {
		switch {
		case i == 0:
			row = paint(bold, row)
		case len(t.Nodes) > 1:
			row = paint(heat(t.Nodes[i-1], root), row)
		}
		line(row)
	}
	if s := loneWords(t); s != "" {
		line("")
		for _, l := range wrap(s, textWidth) {
			line(l)
		}
	}
	line("")
	line(useLegend)
	if t.Dropped > 0 {
		line("")
		line(droppedWords(t.Dropped))
	}
	return b.Flush()
}

// maxIndent is the level beyond which intervals are not indented further.
const maxIndent = 12

// droppedWords says how many intervals were left out.
func droppedWords(n int) string {
	return count(int64(n), "deeper interval is", "deeper intervals are") + " not shown; their times are part of those around them"
}
