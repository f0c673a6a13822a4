package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"iter"
	"strconv"

	"dvmtools/pkg/interval"
)

//go:embed page.html.tmpl
var pageSource string

//go:embed page.css
var styleSheet string

// maxTitled is how many intervals a page may have whose every figure carries
// its definition as a tooltip. In larger ones, where that would double the
// size, the main interval's figures do, and all sections link to the table of
// definitions.
const maxTitled = 500

// maxClasses is how many classes of processors of one interval are listed.
// Minimum, mean and maximum are always those of all.
const maxClasses = 256

// openClasses is how many classes are shown without being asked for, and
// openNodes how many nodes of the machine.
const (
	openClasses = 12
	openNodes   = 6
)

// page is what the template sees.
type page struct {
	CSS          template.CSS
	CSP          template.HTML
	Root         *Node
	Program      string
	Trace        string
	Machine      string
	MachineNodes []string
	MachineOpen  bool
	Grid, Procs  string
	Options      string
	Warnings     string
	Exec, Total  template.HTML
	EfficPercent string
	Diagnosis    []string
	Parts        []part
	Bar          template.HTML
	Dropped      string
	// Kinds are the columns of the tables of operations, Columns those of
	// the tables of processors.
	Kinds, Columns []Figure
	Definitions    []Figure

	tree     *Tree
	main     []Figure
	kinds    [interval.NumKinds][]Figure
	titleAll bool
}

// part is a line of the legend.
type part struct {
	Key, Label, Side, Share string
	Cell                    template.HTML
}

// row is an interval in a list of intervals.
type row struct {
	*Node
	Indent            int
	Type, Place, Expr string
	Cells, Bar        template.HTML
}

// section is the paragraph of one interval.
type section struct {
	row
	Main           []mainRow
	Kinds          []tableRow
	Inner          []row
	ClassCount     string
	ClassesOpen    bool
	Classes        []tableRow
	ClassesLeftOut string
	Stats          []tableRow
}

// mainRow is a figure of the interval as a whole.
type mainRow struct {
	Label, Title, Share string
	Depth               int
	Cell                template.HTML
}

// tableRow is a line of figures.
type tableRow struct {
	Label, N string
	Cells    template.HTML
}

// writeHTML writes the page.
func writeHTML(w io.Writer, t *Tree, _ Options) error {
	tmpl, err := template.New("page").Parse(pageSource)
	if err != nil {
		panic("report: internal error: " + err.Error())
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err := tmpl.Execute(b, newPage(t)); err != nil {
		return err
	}
	return b.Flush()
}

func newPage(t *Tree) *page {
	h, root := &t.Header, t.Root
	p := &page{
		CSS:          template.CSS(styleSheet),
		CSP:          securityPolicy(),
		Root:         root,
		Program:      program(t),
		Trace:        trace(h),
		Grid:         gridWords(h.Grid),
		Procs:        count(h.Processors, "processor", "processors"),
		Options:      optionWords(&h.Options),
		Warnings:     warningWords(t.Warnings),
		Exec:         valueHTML(Value{real: float64(root.ExecutionTime)}, unitSeconds),
		Total:        valueHTML(Value{real: float64(root.TotalTime)}, unitSeconds),
		EfficPercent: percent(root.Efficiency),
		Bar:          barHTML(&root.Times),
		Columns:      processorFigures(),
		Diagnosis:    Diagnosis(t, Findings(t)),
		tree:         t,
		main:         mainFigures(),
		titleAll:     len(t.Nodes) <= maxTitled,
	}
	p.Machine, p.MachineNodes = machineWords(&h.Machine)
	p.MachineOpen = len(p.MachineNodes) <= openNodes
	for _, s := range Split(&root.Times) {
		side := "lost"
		if s.Productive {
			side = "productive"
		}
		p.Parts = append(p.Parts, part{Key: s.Key, Label: s.Label, Side: side, Share: percent(s.Share), Cell: secondsHTML(s.Seconds)})
	}
	if t.Dropped > 0 {
		p.Dropped = droppedWords(t.Dropped)
	}
	for k := range p.kinds {
		p.kinds[k] = kindFigures(interval.Kind(k))
	}
	p.Kinds = p.kinds[0]
	p.Definitions = append(p.Definitions, p.main...)
	p.Definitions = append(p.Definitions, p.Kinds...)
	return p
}

// securityPolicy returns the meta tag that forbids everything but the page's
// own style sheet, named by its hash.
func securityPolicy() template.HTML {
	sum := sha256.Sum256([]byte(styleSheet))
	return template.HTML(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-` +
		base64.StdEncoding.EncodeToString(sum[:]) + `'; base-uri 'none'; form-action 'none'">`)
}

// Rows returns the tree as a list. Rows and sections are made one by one, so
// that a page never is in memory as a whole.
func (p *page) Rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, n := range p.tree.Nodes {
			if !yield(newRow(n, n.Level)) {
				return
			}
		}
	}
}

// Sections returns the paragraphs of the intervals.
func (p *page) Sections() iter.Seq[*section] {
	return func(yield func(*section) bool) {
		for _, n := range p.tree.Nodes {
			if !yield(p.section(n)) {
				return
			}
		}
	}
}

func newRow(n *Node, indent int) row {
	cells := appendCell(nil, Value{real: float64(n.ExecutionTime)}, unitSeconds, "", "")
	cells = appendCell(cells, Value{real: n.Efficiency}, unitRatio, "", "")
	cells = appendCell(cells, Value{real: float64(n.LostTime)}, unitSeconds, "", "")
	return row{
		Node:   n,
		Indent: min(indent, maxIndent),
		Type:   typeWords(n.Type),
		Place:  placeWords(&n.Interval),
		Expr:   exprWords(&n.Interval),
		Cells:  template.HTML(cells),
		Bar:    barHTML(&n.Times),
	}
}

func (p *page) section(n *Node) *section {
	titled := p.titleAll || n.Up == nil
	s := &section{row: newRow(n, 0)}
	for i := range p.main {
		f := &p.main[i]
		r := mainRow{Label: f.Label, Depth: f.Depth, Cell: template.HTML(appendFigure(nil, f, &n.Interval, false))}
		if titled {
			r.Title = f.Title()
		}
		if f.PartOfTotal {
			r.Share = percent(ratio(f.times(&n.Times), float64(n.TotalTime)))
		}
		s.Main = append(s.Main, r)
	}
	for k := range p.kinds {
		var cells []byte
		for i := range p.kinds[k] {
			cells = appendFigure(cells, &p.kinds[k][i], &n.Interval, titled)
		}
		s.Kinds = append(s.Kinds, tableRow{Label: kindLabel(interval.Kind(k)), Cells: template.HTML(cells)})
	}
	for _, in := range n.Inner {
		s.Inner = append(s.Inner, newRow(in, 0))
	}
	if len(n.Classes) > 0 {
		p.processors(s, n.Classes)
	}
	return s
}

// processors fills the table of processors of a section.
func (p *page) processors(s *section, classes []interval.Processor) {
	var n int64
	for i := range classes {
		n += classes[i].N
	}
	s.ClassesOpen = len(classes) <= openClasses
	s.ClassCount = count(n, "processor", "processors") + " in " +
		count(int64(len(classes)), "class of equal values", "classes of equal values")
	if k := len(classes) - maxClasses; k > 0 {
		s.ClassesLeftOut = count(int64(k), "more class is", "more classes are") + " not listed"
	}
	for i := range classes[:min(len(classes), maxClasses)] {
		c := &classes[i]
		var cells []byte
		for j := range p.Columns {
			cells = appendCell(cells, Value{real: p.Columns[j].times(&c.Times)}, unitSeconds, "", "")
		}
		s.Classes = append(s.Classes, tableRow{Label: classWords(c), N: strconv.FormatInt(c.N, 10), Cells: template.HTML(cells)})
	}
	var least, mean, most []byte
	for j := range p.Columns {
		lo, avg, hi := statistics(classes, p.Columns[j].times)
		least = appendCell(least, Value{real: lo}, unitSeconds, "", "")
		mean = appendCell(mean, Value{real: avg}, unitSeconds, "", "")
		most = appendCell(most, Value{real: hi}, unitSeconds, "", "")
	}
	s.Stats = []tableRow{
		{Label: "minimum", Cells: template.HTML(least)},
		{Label: "mean", Cells: template.HTML(mean)},
		{Label: "maximum", Cells: template.HTML(most)},
	}
}

// statistics returns the minimum, mean and maximum over the processors of all
// classes, of which there is at least one.
func statistics(classes []interval.Processor, get func(*interval.Times) float64) (least, mean, most float64) {
	least, most = get(&classes[0].Times), get(&classes[0].Times)
	sum, n := 0.0, 0.0
	for i := range classes {
		x := get(&classes[i].Times)
		least, most = min(least, x), max(most, x)
		sum += float64(x * float64(classes[i].N))
		n += float64(classes[i].N)
	}
	return least, sum / n, most
}
