package report

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"
)

// markdownRows is how many intervals the summary lists.
const markdownRows = 10

// writeMarkdown writes a summary: the diagnosis, the parts of Total time, what
// could be changed, and the intervals that lose most.
func writeMarkdown(w io.Writer, t *Tree, o Options) error {
	b := bufio.NewWriter(w)
	line := func(parts ...string) { b.WriteString(strings.Join(parts, "") + "\n") }
	root := t.Root
	findings := Findings(t)
	machine, _ := machineWords(&t.Header.Machine)

	line("## ", markdownText(program(t)), " on ", gridWords(t.Header.Grid))
	line()
	line("**", o.time(float64(root.ExecutionTime)), "**, efficiency **", o.percent(root.Efficiency), "**, ",
		count(t.Header.Processors, "processor", "processors"), " of ", markdownText(machine))
	line()
	if root.POP != nil {
		line("POP: ", o.popWords(root.POP))
		line()
	}
	for _, s := range Diagnosis(t, findings) {
		line(markdownText(s))
	}
	line()
	line("| Total time of the processors | | |")
	line("| :-- | --: | --: |")
	for _, p := range Split(&root.Times) {
		line("| ", p.Label, " | ", o.time(p.Seconds), " | ", o.percent(p.Share), " |")
	}
	if len(findings) > 0 {
		line()
		line("| Could save | What | What to do |")
		line("| --: | :-- | :-- |")
		for _, f := range findings {
			line("| ", savingWords(&f), " | ", markdownText(f.Text), " | ", markdownText(f.Advice), " |")
		}
	}
	if worst := worstLines(t, markdownRows); len(worst) > 0 {
		line()
		line("| Lines that lose most | Lost time | Of all | Spent | Functions |")
		line("| :-- | --: | --: | --: | :-- |")
		for i := range worst {
			l := &worst[i]
			line("| ", markdownText(stretchWords(l)), " | ", o.time(float64(l.Lost())), " | ", o.percent(ratio(float64(l.Lost()), float64(root.LostTime))), " | ",
				o.time(float64(l.Spent())), " | ", markdownText(functionWords(l.Functions)), " |")
		}
	}
	if list := costliest(t); len(list) > 0 {
		line()
		line("| Exchanges that cost most | Count | Time | Of all lost | Waiting |")
		line("| :-- | --: | --: | --: | --: |")
		for i := range list[:min(len(list), shownExchanges)] {
			x := &list[i]
			line("| ", markdownText(exchangeWords(x)), " | ", countValue(x.Count).Exact(), " | ", o.time(float64(x.Communication)), " | ",
				o.percent(ratio(float64(x.Communication), float64(root.LostTime))), " | ", o.time(float64(x.RealSynch)), " |")
		}
	}
	if len(t.Nodes) > 1 {
		nodes := slices.Clone(t.Nodes[1:])
		slices.SortStableFunc(nodes, func(a, b *Node) int { return cmp.Compare(b.LostTime, a.LostTime) })
		line()
		line("| Interval | Execution time | Efficiency | Lost time |")
		line("| :-- | --: | --: | --: |")
		for _, n := range nodes[:min(len(nodes), markdownRows)] {
			line("| ", markdownText(nameWords(n)), " | ", o.time(float64(n.ExecutionTime)), " | ", o.percent(n.Efficiency), " | ", o.time(float64(n.LostTime)), " |")
		}
		if k := len(nodes) - markdownRows; k > 0 {
			line()
			line("The intervals that lose most; ", count(int64(k), "more is", "more are"), " not listed.")
		}
	}
	return b.Flush()
}

// nameWords returns "parallel jac.fdv:12 expression 3".
func nameWords(n *Node) string {
	s := typeWords(n.Type) + " " + placeWords(&n.Interval)
	if n.Expr != nil {
		s += " expression " + exprWords(&n.Interval)
	}
	return s
}

// special are the characters with a meaning in Markdown, or in HTML inside it.
const special = "\\`*_{}[]<>|~&!@$"

// markdownText escapes text.
func markdownText(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(special, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
