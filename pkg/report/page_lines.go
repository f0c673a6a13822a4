package report

import (
	"slices"
	"strconv"

	"dvmtools/pkg/interval"
)

// shownRows is how many lines the table of the page has, which its script
// sorts and filters; the others are shown when they are asked for by their
// anchors.
const shownRows = 150

// maxPageLines is how many lines of intervals the page has as data. When there
// are more, it has only the sums over intervals, the lines that lose most.
const maxPageLines = 5000

// lineAnchor is the id of a line of the program, counted from 0 in the order of
// [SourceLines].
func lineAnchor(i int) string { return "l" + strconv.Itoa(i+1) }

// lineTable returns the lines of the program, those that lose most first.
func lineTable(t *Tree, program []interval.Line) table {
	x := table{name: "lines", title: "Lines that lose most",
		note:      "What is lost and spent at a line is what passed in its calls, and the user's time between the call before, where the lines begin, and them; that of a parallel loop from its head to its end. Sums over all processors and intervals.",
		columns:   []columnOf{{"Lines", true}, {"Lost time", false}, {"Of all Lost time", false}, {"Spent", false}, {"Use", true}, {"Calls", false}, {"Functions", true}},
		rowsShown: shownRows, boxed: true}
	for _, i := range byLost(program) {
		l := &program[i]
		spent := spentAt(l)
		x.rows = append(x.rows, []field{{text: stretchWords(l), anchor: lineAnchor(i)}, secondsField(l.Lost()),
			ratioField(ratio(float64(l.Lost()), float64(t.Root.LostTime))), secondsField(l.Spent()), {parts: &spent},
			countField(callsAt(l), unitCalls), words(functionWords(l.Functions))})
	}
	return x
}

// writeLines writes the table of lines, which needs no script, and the place
// where the script shows the figures of one.
func writeLines(p *pageWriter, program []interval.Line, t *Tree, o Options) {
	if len(program) == 0 {
		return
	}
	x := lineTable(t, program)
	writeTable(p, &x, o)
	p.write(markup(`<div id="line"></div>` + "\n"))
}

// writeStaticLines writes every figure of every line, for people without scripts.
// Kinds of operations that no line has are left out.
func writeStaticLines(p *pageWriter, program []interval.Line) {
	if len(program) == 0 {
		return
	}
	p.write(markup("<noscript>\n"))
	defer p.write(markup("</noscript>\n"))
	var m markup
	if len(program) > maxStatic {
		m.raw("<p>This page shows all figures of its ")
		m.int(int64(len(program)))
		m.raw(" lines with a script only. Without scripts: <code>dvmreport --level N</code> leaves out the lines of intervals deeper than N, and <code>dvmreport --format csv</code> writes every figure as a table.</p>\n")
		p.write(m)
		return
	}
	var used [interval.NumKinds]bool
	figures := Figures()
	for i := range program {
		for j := range figures {
			if f := &figures[j]; f.OfKind && f.inner && f.OfLine(&program[i]).Exact() != "0" {
				used[f.Kind] = true
			}
		}
	}
	figures = slices.DeleteFunc(figures, func(f Figure) bool { return !f.inner || f.OfKind && !used[f.Kind] })
	m.raw("<h3>All figures of the lines</h3>\n" + `<p class="note">By file and line; sums over all processors and intervals. Kinds of operations that no line has are left out.</p>` + "\n" +
		`<div class="wide"><table class="procs"><thead><tr><th scope="col">Lines</th>`)
	for i := range figures {
		f := &figures[i]
		m.raw(`<th scope="col">`)
		if f.OfKind {
			m.raw(kindLabel(f.Kind))
			m.raw(": ")
		}
		m.definition(f)
		m.raw("</th>")
	}
	m.raw("</tr></thead><tbody>\n")
	p.write(m)
	p.each(len(program), func(m *markup, i int) {
		l := &program[i]
		m.raw(`<tr><th scope="row"><a href="#`)
		m.raw(lineAnchor(i))
		m.raw(`">`)
		m.text(stretchWords(l))
		m.raw("</a></th>")
		for j := range figures {
			f := &figures[j]
			m.raw(`<td id="`)
			m.raw(lineAnchor(i))
			m.raw("-")
			m.raw(f.Anchor)
			m.raw(`" data-name="`)
			m.raw(f.Anchor)
			m.raw(`"`)
			m.cellRest(f.OfLine(l), f.Unit)
		}
		m.raw("</tr>\n")
	})
	p.write(markup("</tbody></table></div>\n"))
}

// pageLine is a line as the data of the page has it: number is that of the line
// of the program it is part of, counted from 0.
type pageLine struct {
	interval.Line
	number int
}

// pageLines returns the lines of all intervals or, when they are too many, the
// lines of the program, as if all were those of interval 0.
func pageLines(t *Tree, program []interval.Line) []pageLine {
	var list []pageLine
	all := 0
	for _, n := range t.Nodes {
		all += len(n.Lines)
	}
	if all > maxPageLines {
		for _, i := range byLost(program)[:min(len(program), maxPageLines)] {
			l := pageLine{program[i], i}
			l.Interval = 0
			list = append(list, l)
		}
		return list
	}
	number := make(map[sourcePlace]int, len(program))
	for i := range program {
		number[sourcePlace{program[i].File, program[i].Line}] = i
	}
	for _, n := range t.Nodes {
		for _, l := range n.Lines {
			list = append(list, pageLine{l, number[sourcePlace{l.File, l.Line}]})
		}
	}
	return list
}

// lines appends lines for the script: [interval, number, file, from, line,
// [function, calls, ...], [figures]], of the figures those that add up.
func (m *markup) lines(list []pageLine, words map[string]int, figures []Figure) {
	for i := range list {
		l := &list[i]
		if i > 0 {
			m.raw(",")
		}
		m.raw("\n[")
		for _, x := range []int{l.Interval, l.number + 1, words[Clean(l.File)], l.FromLine, l.Line.Line} {
			m.int(int64(x))
			m.raw(",")
		}
		m.raw("[")
		for j, f := range l.Functions {
			if j > 0 {
				m.raw(",")
			}
			m.int(int64(words[Clean(f.Func)]))
			m.raw(",")
			m.datum(countValue(f.Calls))
		}
		m.raw("],[")
		first := true
		for j := range figures {
			if !figures[j].inner {
				continue
			}
			if !first {
				m.raw(",")
			}
			first = false
			m.datum(figures[j].OfLine(&l.Line))
		}
		m.raw("]]")
	}
}
