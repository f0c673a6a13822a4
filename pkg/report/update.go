package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// update is what the script of a page that can be changed puts in the place of
// the figures at its top. Fields that end in HTML are markup.
type update struct {
	Grid      string          `json:"grid"`
	Procs     string          `json:"procs"`
	ExecHTML  string          `json:"execHTML"`
	LostHTML  string          `json:"lostHTML"`
	TotalHTML string          `json:"totalHTML"`
	Effic     string          `json:"effic"`
	Diagnosis []string        `json:"diagnosis"`
	BarHTML   string          `json:"barHTML"`
	Parts     []updatePart    `json:"parts"`
	Findings  []updateFinding `json:"findings"`
	Machine   string          `json:"machine"`
	Nodes     []string        `json:"nodes"`
	Options   string          `json:"options"`
	Warnings  string          `json:"warnings"`
	Lone      string          `json:"lone"`
	// LinesHTML is the table of lines, "" without one.
	LinesHTML string `json:"linesHTML"`
	// ExchangesHTML is the table of exchanges.
	ExchangesHTML string `json:"exchangesHTML"`
}

// updatePart is a line of the legend.
type updatePart struct {
	CellHTML string `json:"cellHTML"`
	Share    string `json:"share"`
}

// updateFinding is a line of the findings.
type updateFinding struct {
	Saving string `json:"saving"`
	Before string `json:"before"`
	Named  string `json:"named"`
	After  string `json:"after"`
	Anchor string `json:"anchor"`
	Advice string `json:"advice"`
}

// WriteUpdate writes everything that the page of t shows as one JSON document:
// "top", what stands above the intervals, and "data", the intervals as in the
// page. The script of a page that can be changed reads it.
func WriteUpdate(w io.Writer, t *Tree) error {
	page, lines := newReportPage(t), SourceLines(t)
	u := update{
		Grid: page.Grid, Procs: page.Procs, ExecHTML: string(page.Exec), LostHTML: string(page.Lost), TotalHTML: string(page.Total),
		Effic: page.Effic, Diagnosis: page.Diagnosis, BarHTML: string(page.Bar), Machine: page.Machine, Nodes: page.MachineNodes,
		Options: page.Options, Warnings: page.Warnings, Lone: page.Lone,
	}
	for _, x := range page.Parts {
		u.Parts = append(u.Parts, updatePart{string(x.Cell), x.Share})
	}
	for _, f := range page.Findings {
		u.Findings = append(u.Findings, updateFinding{f.Saving, f.Before, f.Named, f.After, f.Anchor, f.Advice})
	}
	var table bytes.Buffer
	writeLines(&pageWriter{w: &table, threads: 1}, lines, t, Options{})
	u.LinesHTML = table.String()
	table.Reset()
	x := exchangeTable(t)
	writeTable(&pageWriter{w: &table, threads: 1}, &x, Options{})
	u.ExchangesHTML = table.String()
	top, err := json.Marshal(u)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	p := &pageWriter{w: b, threads: 1}
	p.write(markup(`{"top":`))
	p.write(top)
	p.write(markup(`,"data":`))
	writeIntervals(p, t, lines)
	p.write(markup("}"))
	if p.err != nil {
		return p.err
	}
	return b.Flush()
}
