package report

import (
	"encoding/json"

	"dvmtools/pkg/interval"
)

// maxDrawn is how many classes of processors of one interval the page contains; a
// picture has no room for more.
const maxDrawn = 4096

// pageFigure is what the script knows about a figure.
type pageFigure struct {
	Anchor     string `json:"anchor"`
	Label      string `json:"label"`
	Unit       string `json:"unit"`
	Definition string `json:"definition"`
	Formula    string `json:"formula"`
	Def        string `json:"def"`
	Depth      int    `json:"depth"`
	Part       bool   `json:"part"`
	Inner      bool   `json:"inner"`
	Kind       *int   `json:"kind,omitempty"`
}

// dataPart says how the script computes a part of Total time: one figure minus
// another.
type dataPart struct {
	Key        string `json:"key"`
	Label      string `json:"label"`
	Productive bool   `json:"productive"`
	Figure     string `json:"figure"`
	Less       string `json:"less,omitempty"`
}

// dataHead is the data without the intervals.
type dataHead struct {
	Figures []pageFigure `json:"figures"`
	Kinds   []string     `json:"kinds"`
	Parts   []dataPart   `json:"parts"`
	Columns []string     `json:"columns"`
	Grid    []int        `json:"grid"`
	Words   []string     `json:"words"`
	POP     []pageFigure `json:"pop"`
}

// partFigures are the figures of which the parts of Total time are made.
var partFigures = map[string][2]string{
	"cpu": {"ptimec"}, "sys": {"ptimes"}, "io": {"ptimei"}, "iusr": {"iuser"}, "isys": {"isyst"},
	"wait": {"csyn"}, "comm": {"comm", "csyn"}, "idle": {"idle"},
}

// writeData writes the intervals as the script reads them: one JSON document
// in an element that browsers do not run. "words" are the texts that repeat;
// an interval is [id, parent, level, type, file, line, expr, count,
// processors, [figures], [classes], [POP metrics]], the last two where there are
// any; a class [n, boxes, rank, [columns]], in
// the order of "figures" and "columns". [markup.lines] says what lines are.
func writeData(p *pageWriter, t *Tree, program []interval.Line) {
	p.write(markup(`<script type="application/json" id="data">`))
	writeIntervals(p, t, program)
	p.write(markup("\n</script>\n"))
}

// writeIntervals writes the document.
func writeIntervals(p *pageWriter, t *Tree, program []interval.Line) {
	words := map[string]int{}
	head := dataHead{Grid: append([]int{}, t.Header.Grid...), Words: []string{}}
	word := func(s string) {
		if _, ok := words[s]; !ok {
			words[s] = len(head.Words)
			head.Words = append(head.Words, s)
		}
	}
	for _, n := range t.Nodes {
		word(typeWords(n.Type))
		word(fileWords(&n.Interval))
	}
	lines := pageLines(t, program)
	for i := range lines {
		word(Clean(lines[i].File))
		for _, f := range lines[i].Functions {
			word(Clean(f.Func))
		}
	}
	figures := Figures()
	for i := range figures {
		f := &figures[i]
		x := pageFigure{Anchor: f.Anchor, Label: f.Label, Unit: f.Unit, Definition: f.Definition, Formula: f.Formula, Def: f.Def, Depth: f.Depth, Part: f.PartOfTotal, Inner: f.inner}
		if f.OfKind {
			k := int(f.Kind)
			x.Kind = &k
		}
		head.Figures = append(head.Figures, x)
	}
	for i := range popFigures {
		f := &popFigures[i]
		head.POP = append(head.POP, pageFigure{Anchor: f.Anchor, Label: f.Label, Unit: f.Unit, Definition: f.Definition, Def: f.Anchor, Depth: f.Depth})
	}
	for k := range interval.NumKinds {
		head.Kinds = append(head.Kinds, kindLabel(k))
	}
	for _, s := range Split(&interval.Times{}) {
		from := partFigures[s.Key]
		head.Parts = append(head.Parts, dataPart{Key: s.Key, Label: s.Label, Productive: s.Productive, Figure: from[0], Less: from[1]})
	}
	columns := processorFigures()
	for _, c := range columns {
		head.Columns = append(head.Columns, c.Anchor)
	}
	// Marshal escapes what could end the element.
	text, err := json.Marshal(head)
	if err != nil {
		panic("report: internal error: " + err.Error())
	}
	// The figures of classes are the larger part of a large page. There nine digits
	// are enough.
	exact := len(t.Nodes) <= maxStatic
	var m markup
	m = append(m, text[:len(text)-1]...)
	m.raw(",\n\"intervals\":[")
	p.write(m)
	p.each(len(t.Nodes), func(m *markup, i int) {
		n := t.Nodes[i]
		if i > 0 {
			m.raw(",")
		}
		m.raw("\n[")
		m.int(int64(n.ID))
		m.raw(",")
		if n.Up == nil {
			m.raw("0")
		} else {
			m.int(int64(n.Up.ID))
		}
		m.raw(",")
		m.int(int64(n.Level))
		m.raw(",")
		m.int(int64(words[typeWords(n.Type)]))
		m.raw(",")
		m.int(int64(words[fileWords(&n.Interval)]))
		m.raw(",")
		m.int(int64(n.Line))
		if n.Expr == nil {
			m.raw(",null,")
		} else {
			// A string: numbers of scripts are exact up to 2^53 only.
			m.raw(`,"`)
			m.int(*n.Expr)
			m.raw(`",`)
		}
		m.datum(countValue(n.Count))
		m.raw(",")
		m.datum(countValue(n.Processors))
		m.raw(",[")
		for j := range figures {
			m.datum(figures[j].Value(&n.Interval))
			*m = append(*m, ',')
		}
		(*m)[len(*m)-1] = ']'
		if len(n.Classes) > 0 || n.POP != nil {
			m.classes(n.Classes, columns, exact)
		}
		if n.POP != nil {
			m.raw(",[")
			for j := range popFigures {
				if j > 0 {
					m.raw(",")
				}
				m.exact(popFigures[j].value(&n.Interval))
			}
			m.raw("]")
		}
		m.raw("]")
	})
	m = append(m[:0], "\n],\n\"lines\":["...)
	m.lines(lines, words, figures)
	m.raw("\n]}")
	p.write(m)
}

// datum appends a number for the script, of which whole numbers are exact up to
// 2^53 only: larger counts are strings.
func (m *markup) datum(v Value) {
	if v.isCount && (v.count > 1<<53 || v.count < -1<<53) {
		m.quoted(v.Exact())
		return
	}
	m.exact(v)
}

// classes appends the classes of processors of an interval, their figures exactly
// or with nine digits.
func (m *markup) classes(classes []interval.Processor, columns []Figure, exact bool) {
	m.raw(",[")
	for i := range classes[:min(len(classes), maxDrawn)] {
		c := &classes[i]
		if i > 0 {
			m.raw(",")
		}
		m.raw("[")
		m.int(c.N)
		m.raw(",[")
		for j, box := range c.Boxes {
			if j > 0 {
				m.raw(",")
			}
			m.raw("[")
			for k, set := range box {
				if k > 0 {
					m.raw(",")
				}
				m.quoted(Clean(set))
			}
			m.raw("]")
		}
		m.raw("],")
		if c.Rank == nil {
			m.raw("null")
		} else {
			m.int(*c.Rank)
		}
		m.raw(",[")
		for j := range columns {
			m.number(columns[j].times(&c.Times), exact)
			*m = append(*m, ',')
		}
		(*m)[len(*m)-1] = ']'
		*m = append(*m, ']')
	}
	m.raw("]")
}
