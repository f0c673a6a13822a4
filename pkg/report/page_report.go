package report

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// maxStatic is how many intervals a page shows without scripts, too.
const maxStatic = 1000

// openNodes is how many nodes of the machine are shown before the reader asks for
// more.
const openNodes = 6

// reportPage is the data of the templates of a report.
type reportPage struct {
	frame
	Program, Trace    string
	Machine           string
	MachineNodes      []string
	MachineOpen       bool
	Grid, Procs       string
	GridIs            string // "2 × 2 = ", nothing for one dimension
	Options, Warnings string
	Exec, Lost, Total safeHTML
	Effic             string
	Diagnosis         []string
	Findings          []pageFinding
	Parts             []pagePart
	Bar               safeHTML
	Dropped           string
	Lone              string
	Definitions       []Figure
}

// pagePart is a line of the legend.
type pagePart struct {
	Key, Label, Side, Share string
	Cell                    safeHTML
}

// pageFinding is a line of the findings: the text, in which the place, Before it and
// After it, leads to the Anchor of its line or interval.
type pageFinding struct {
	Finding
	Saving                       string
	Before, Named, After, Anchor string
}

// newPageFinding returns the line of f.
func newPageFinding(f *Finding) pageFinding {
	p := pageFinding{Finding: *f, Saving: savingWords(f), Named: f.Place, Anchor: "i" + strconv.Itoa(f.Interval)}
	if f.Lines != "" {
		p.Named, p.Anchor = f.Lines, lineAnchor(f.line)
	}
	if i := strings.LastIndex(f.Text, p.Named); i >= 0 && p.Named != "" {
		p.Before, p.After = f.Text[:i], f.Text[i+len(p.Named):]
	} else {
		p.Before = f.Text + " "
	}
	return p
}

// writeHTML writes the page: what is known about the program as a whole; the
// intervals for people without scripts, inside noscript; the definitions; the
// intervals as data, and the script that shows them.
func writeHTML(w io.Writer, t *Tree, o Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	p := newPageWriter(b, o)
	page := newReportPage(t)
	lines := SourceLines(t)
	if o.WhatIf == nil {
		page.frame = newFrame(page.title(), reportScripts()...)
	} else {
		page.frame = newWhatIfFrame(page.title())
	}
	p.template("begin", page)
	p.template("top", page)
	writeLines(p, lines, t, o)
	writeStaticLines(p, lines)
	if len(t.Exchanges) > 0 {
		x := exchangeTable(t)
		writeTable(p, &x, o)
	}
	p.template("intervals", page)
	p.write(markup("<noscript>\n"))
	if len(t.Nodes) > maxStatic {
		var m markup
		m.raw("<p>This page shows its ")
		m.int(int64(len(t.Nodes)))
		m.raw(" intervals with a script only. Without scripts: <code>dvmreport --level N</code> leaves out those deeper than N, and <code>dvmreport --format csv</code> writes every figure as a table.</p>\n")
		p.write(m)
	} else {
		writeStatic(p, t)
	}
	p.write(markup("</noscript>\n"))
	writeTimeline(p, t)
	writeSources(p, t, lines, o.Sources)
	p.template("definitions", page)
	writeData(p, t, lines)
	if o.WhatIf != nil {
		writeWhatIf(p, o.WhatIf)
	}
	p.template("end", page)
	if p.err != nil {
		return p.err
	}
	return b.Flush()
}

// reportScripts are the scripts of a report.
func reportScripts() []string {
	return []string{scriptFormat, scriptDOM, scriptModel, scriptCharts, scriptTables, scriptTree, scriptLines, scriptInterval, scriptTimeline, scriptMain}
}

// newReportPage returns the data of a report, without the frame.
func newReportPage(t *Tree) *reportPage {
	h, root := &t.Header, t.Root
	seconds := func(x float64) safeHTML {
		var m markup
		m.value(Value{real: x}, unitSeconds)
		return safeHTML(m)
	}
	var bar markup
	bar.bar(&root.Times)
	findings := Findings(t)
	p := &reportPage{
		Program:   program(t),
		Trace:     trace(h),
		Grid:      gridWords(h.Grid),
		Procs:     count(h.Processors, "processor", "processors"),
		Options:   optionWords(h),
		Warnings:  warningWords(t.Warnings),
		Exec:      seconds(float64(root.ExecutionTime)),
		Lost:      seconds(float64(root.LostTime)),
		Total:     seconds(float64(root.TotalTime)),
		Effic:     percent(root.Efficiency),
		Diagnosis: Diagnosis(t, findings),
		Bar:       safeHTML(bar),
	}
	if len(h.Grid) > 1 {
		p.GridIs = p.Grid + " = "
	}
	p.Machine, p.MachineNodes = machineWords(&h.Machine)
	p.MachineOpen = len(p.MachineNodes) <= openNodes
	for _, f := range findings {
		p.Findings = append(p.Findings, newPageFinding(&f))
	}
	for _, s := range Split(&root.Times) {
		var m markup
		m.cell(Value{real: s.Seconds}, unitSeconds)
		side := "lost"
		if s.Productive {
			side = "productive"
		}
		p.Parts = append(p.Parts, pagePart{Key: s.Key, Label: s.Label, Side: side, Share: percent(s.Share), Cell: safeHTML(m)})
	}
	p.Lone = loneWords(t)
	if t.Dropped > 0 {
		p.Dropped = droppedWords(t.Dropped)
	}
	p.Definitions = append(mainFigures(), kindFigures(0)...)
	return p
}
