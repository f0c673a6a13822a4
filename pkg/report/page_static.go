package report

import (
	"strconv"

	"dvmtools/pkg/interval"
)

// maxClasses is how many classes of processors of one interval are listed.
// Minimum, mean and maximum are always those of all.
const maxClasses = 256

// writeStatic writes every interval as it is shown without scripts: the list,
// and a section for each.
func writeStatic(p *pageWriter, t *Tree) {
	s := newStatic()
	var m markup
	m.raw(`<div class="wide">` + "\n")
	m.listHead()
	for _, n := range t.Nodes {
		m.listRow(n)
	}
	m.raw("</tbody></table></div>\n")
	p.write(m)
	p.each(len(t.Nodes), func(m *markup, i int) { s.section(m, t.Nodes[i]) })
}

// listHead begins the table of intervals.
func (m *markup) listHead() {
	m.raw(`<table class="list"><thead><tr><th scope="col">Interval</th><th scope="col">Execution time</th><th scope="col">Efficiency</th><th scope="col">Lost time</th><th scope="col">Total time by use</th><th scope="col">Count</th><th scope="col">Processors</th></tr></thead><tbody>` + "\n")
}

// listRow appends the row of an interval in the table of intervals.
func (m *markup) listRow(n *Node) {
	m.raw(`<tr><th scope="row" class="d`)
	m.int(int64(min(n.Level, maxIndent)))
	m.raw(`"><a href="#i`)
	m.int(int64(n.ID))
	m.raw(`">`)
	m.text(typeWords(n.Type))
	m.raw(`</a> <span class="place">`)
	m.text(placeWords(&n.Interval))
	if n.Expr != nil {
		m.raw(" expression ")
		m.int(*n.Expr)
	}
	m.raw("</span></th>")
	m.cell(Value{real: float64(n.ExecutionTime)}, unitSeconds)
	m.cell(Value{real: n.Efficiency}, unitRatio)
	m.cell(Value{real: float64(n.LostTime)}, unitSeconds)
	m.raw(`<td class="use">`)
	m.bar(&n.Times)
	m.raw("</td><td>")
	m.int(n.Count)
	m.raw("</td><td>")
	m.int(n.Processors)
	m.raw("</td></tr>\n")
}

// static holds the tables of figures by which sections are made, and what is the
// same in all of them.
type static struct {
	main, columns []Figure
	kinds         [interval.NumKinds][]Figure
	// rows begin the rows of main, kindHead is the head of the table of kinds,
	// classHead that of processors.
	rows                []markup
	kindHead, classHead markup
}

func newStatic() *static {
	s := &static{main: mainFigures(), columns: processorFigures()}
	for k := range s.kinds {
		s.kinds[k] = kindFigures(interval.Kind(k))
	}
	for i := range s.main {
		f := &s.main[i]
		var m markup
		m.raw(`<tr><th scope="row" class="d`)
		m.int(int64(f.Depth))
		m.raw(`">`)
		m.definition(f)
		m.raw("</th>")
		s.rows = append(s.rows, m)
	}
	m := &s.kindHead
	m.raw(`<table class="kinds"><caption>Communication operations</caption><thead><tr><th scope="col">Kind</th>`)
	for i := range s.kinds[0] {
		m.raw(`<th scope="col">`)
		m.definition(&s.kinds[0][i])
		m.raw("</th>")
	}
	m.raw("</tr></thead><tbody>\n")
	m = &s.classHead
	m.raw(`<div class="wide"><table class="procs"><thead><tr><th scope="col">Coordinates</th><th scope="col">Processors</th>`)
	for i := range s.columns {
		m.raw(`<th scope="col">`)
		m.text(columnLabel(&s.columns[i]))
		m.raw("</th>")
	}
	m.raw("</tr></thead><tbody>\n")
	return s
}

// section appends the paragraph of one interval.
func (s *static) section(m *markup, n *Node) {
	id := strconv.Itoa(n.ID)
	m.raw(`<section id="i`)
	m.raw(id)
	m.raw(`" class="interval" data-interval="`)
	m.raw(id)
	m.raw("\">\n<h3>")
	m.text(nameWords(n))
	m.raw("</h3>\n<nav aria-label=\"Interval ")
	m.raw(id)
	m.raw(`">`)
	m.link("UP", n.Up)
	m.link("PRED", n.Pred)
	m.link("NEXT", n.Next)
	m.raw("<a href=\"#top\">HOME</a> <a href=\"#definitions\">DEFINITIONS</a></nav>\n<p class=\"note\">Interval ")
	m.raw(id)
	m.raw(", level ")
	m.int(int64(n.Level))
	m.raw(", entered ")
	m.raw(count(n.Count, "time", "times"))
	m.raw(", ")
	m.raw(count(n.Processors, "processor", "processors"))
	m.raw("</p>\n")
	m.bar(&n.Times)
	m.raw(`<div class="cols"><table class="main"><caption>Main characteristics</caption><thead><tr><th scope="col">Characteristic</th><th scope="col">Value</th><th scope="col">Of Total time</th></tr></thead><tbody>` + "\n")
	for i := range s.main {
		f := &s.main[i]
		*m = append(*m, s.rows[i]...)
		m.figure(f, n)
		m.raw("<td>")
		if f.PartOfTotal {
			m.percent(ratio(f.times(&n.Times), float64(n.TotalTime)))
		}
		m.raw("</td></tr>\n")
	}
	m.raw(`</tbody></table><div class="wide">`)
	*m = append(*m, s.kindHead...)
	for k := range s.kinds {
		m.raw(`<tr><th scope="row">`)
		m.raw(kindLabel(interval.Kind(k)))
		m.raw("</th>")
		for i := range s.kinds[k] {
			m.figure(&s.kinds[k][i], n)
		}
		m.raw("</tr>\n")
	}
	m.raw("</tbody></table>\n")
	if n.POP != nil {
		s.pop(m, n)
	}
	m.raw("</div></div>\n")
	if len(n.Classes) > 0 {
		s.processors(m, n.Classes)
	}
	m.raw("</section>\n")
}

// pop appends the POP metrics of an interval.
func (s *static) pop(m *markup, n *Node) {
	m.raw(`<table class="pop"><caption>POP metrics</caption><thead><tr><th scope="col">Metric</th><th scope="col">Value</th></tr></thead><tbody>` + "\n")
	for i := range popFigures {
		f := &popFigures[i]
		m.raw(`<tr><th scope="row" class="d`)
		m.int(int64(f.Depth))
		m.raw(`"><span class="def" title="`)
		m.text(f.Definition)
		m.raw(`">`)
		m.text(f.Label)
		m.raw(`</span></th><td id="i`)
		m.int(int64(n.ID))
		m.raw("-" + f.Anchor + `" data-name="` + f.Anchor + `"`)
		m.cellRest(f.value(&n.Interval), f.Unit)
		m.raw("</tr>\n")
	}
	m.raw("</tbody></table>\n")
}

// link appends a link of the navigation, or its name when it leads nowhere.
func (m *markup) link(word string, n *Node) {
	if n == nil {
		m.raw(`<span class="off">` + word + "</span> ")
		return
	}
	m.raw(`<a href="#i`)
	m.int(int64(n.ID))
	m.raw(`">` + word + "</a> ")
}

// definition appends the name of a figure with its definition as a tooltip,
// a link to the table of definitions.
func (m *markup) definition(f *Figure) {
	m.raw(`<a class="def" href="#def-` + f.Def + `" title="`)
	m.text(f.Title())
	m.raw(`">`)
	m.text(f.Label)
	m.raw("</a>")
}

// figure appends the cell of a figure of an interval, with the figure's
// anchor.
func (m *markup) figure(f *Figure, n *Node) {
	m.raw(`<td id="i`)
	m.int(int64(n.ID))
	m.raw("-")
	m.raw(f.Anchor)
	m.raw(`" data-name="`)
	m.raw(f.Anchor)
	m.raw(`"`)
	m.cellRest(f.Value(&n.Interval), f.Unit)
}

// processors appends the table of the processors of an interval.
func (s *static) processors(m *markup, classes []interval.Processor) {
	var n int64
	for i := range classes {
		n += classes[i].N
	}
	m.raw("<h4>Processors</h4>\n<p class=\"note\">" + count(n, "processor", "processors") + " in " +
		count(int64(len(classes)), "class of equal values", "classes of equal values") + "</p>\n")
	*m = append(*m, s.classHead...)
	for i := range classes[:min(len(classes), maxClasses)] {
		c := &classes[i]
		m.raw(`<tr><th scope="row">`)
		m.text(classWords(c))
		m.raw("</th><td>")
		m.int(c.N)
		m.raw("</td>")
		for j := range s.columns {
			m.cell(s.columns[j].OfTimes(&c.Times), unitSeconds)
		}
		m.raw("</tr>\n")
	}
	m.raw(`</tbody><tbody class="stats">` + "\n")
	const usual = 2048
	rows := [3]markup{make(markup, 0, usual), make(markup, 0, usual), make(markup, 0, usual)}
	for j := range s.columns {
		for i, x := range statistics(classes, s.columns[j].times) {
			rows[i].cell(Value{real: x}, unitSeconds)
		}
	}
	for i, label := range []string{"minimum", "mean", "maximum"} {
		m.raw(`<tr><th scope="row">`)
		m.raw(label)
		m.raw("</th><td></td>")
		*m = append(*m, rows[i]...)
		m.raw("</tr>\n")
	}
	m.raw("</tbody></table></div>\n")
	if k := len(classes) - maxClasses; k > 0 {
		m.raw(`<p class="note">` + count(int64(k), "more class is", "more classes are") + " not listed; minimum, mean and maximum are those of all.</p>\n")
	}
}

// columnLabel names a column of the table of processors.
func columnLabel(f *Figure) string {
	if f.Anchor == "iuser" || f.Anchor == "isyst" {
		return "Insufficient parallelism " + f.Label
	}
	return f.Label
}

// statistics returns the minimum, mean and maximum over the processors of all
// classes, of which there is at least one.
func statistics(classes []interval.Processor, get func(*interval.Times) float64) [3]float64 {
	least, most := get(&classes[0].Times), get(&classes[0].Times)
	sum, n := 0.0, 0.0
	for i := range classes {
		x := get(&classes[i].Times)
		least, most = min(least, x), max(most, x)
		sum += float64(x * float64(classes[i].N))
		n += float64(classes[i].N)
	}
	return [3]float64{least, sum / n, most}
}

// percent appends a share, without a line break before the sign.
func (m *markup) percent(share float64) {
	m.shown(Value{real: share}, unitRatio)
	m.raw("\u00a0%")
}

// bar draws the parts of Total time of an interval. Tooltips and a text for screen
// readers say in words what the colours mean.
func (m *markup) bar(t *interval.Times) {
	list := strokes(Split(t))
	m.raw(`<svg class="bar" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="`)
	if len(list) == 0 {
		m.raw("No time was spent")
	} else {
		m.raw("Total time by use:")
	}
	for i := range list {
		m.raw(" ")
		m.raw(list[i].Label)
		m.raw(" ")
		m.percent(list[i].Share)
		m.raw(";")
	}
	m.raw(`">`)
	for _, s := range list {
		m.raw(`<rect class="p-`)
		m.raw(s.Key)
		m.raw(`" x="`)
		m.tenths(s.X)
		m.raw(`" width="`)
		m.tenths(s.Width)
		m.raw(`" height="20"><title>`)
		m.raw(s.Label)
		m.raw(" ")
		m.percent(s.Share)
		m.raw(`</title></rect>`)
	}
	m.raw("</svg>")
}
