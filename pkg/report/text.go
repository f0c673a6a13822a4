package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
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
	if o := optionWords(&h.Options); o != "" {
		facts = append(facts, []string{"options", o})
	}
	if o := warningWords(t.Warnings); o != "" {
		facts = append(facts, []string{"warnings", o})
	}
	facts = append(facts,
		[]string{"execution time", timeWords(float64(root.ExecutionTime))},
		[]string{"efficiency", percent(root.Efficiency)},
		[]string{"total time", timeWords(float64(root.TotalTime))})
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
		parts = append(parts, []string{"  " + p.Label, timeWords(p.Seconds), percent(p.Share), gauge([]Part{p}, 20)})
	}
	for _, row := range align(parts, "lrrl") {
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

	line("")
	rows := [][]string{{"interval", "place", "expr", "count", "processors", "execution", "efficiency", "lost", "use"}}
	for _, n := range t.Nodes {
		rows = append(rows, []string{
			// The indent is bounded, or a deep tree would be quadratic text.
			strings.Repeat("  ", min(n.Level, maxIndent)) + typeWords(n.Type),
			placeWords(&n.Interval), exprWords(&n.Interval),
			Value{count: n.Count, isCount: true}.String(),
			Value{count: n.Processors, isCount: true}.String(),
			timeWords(float64(n.ExecutionTime)),
			percent(n.Efficiency),
			timeWords(float64(n.LostTime)),
			gauge(Split(&n.Times), 16),
		})
	}
	for i, row := range align(rows, "llrrrrrrl") {
		switch {
		case i == 0:
			row = paint(bold, row)
		case len(t.Nodes) > 1:
			row = paint(heat(t.Nodes[i-1], root), row)
		}
		line(row)
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

// maxPad is the width to which a column is padded at most, so that one long
// file name does not blow up every line.
const maxPad = 60

// align pads the columns of rows to their greatest width, at most [maxPad];
// sides holds l or r for each column. Columns are two blanks apart.
func align(rows [][]string, sides string) []string {
	widths := make([]int, len(sides))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], min(maxPad, utf8.RuneCountInString(c)))
		}
	}
	var out []string
	for _, r := range rows {
		var b strings.Builder
		for i, c := range r {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c)))
			if sides[i] == 'r' {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
		}
		out = append(out, b.String())
	}
	return out
}
