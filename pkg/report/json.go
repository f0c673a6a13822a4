package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"dvmtools/pkg/interval"
)

// DocumentVersion is the version of the form of [Document] and [SheetDocument].
const DocumentVersion = 1

// Document is the JSON document of a program without its intervals, which are
// written one by one behind the rest; its form is schema/report.schema.json.
type Document struct {
	Report  string `json:"report"`
	Version int    `json:"version"`
	// Program names the program for people.
	Program string `json:"program"`
	interval.Header
	Warnings int64 `json:"warnings"`
	// Dropped is how many deeper intervals were left out.
	Dropped   int       `json:"dropped_intervals"`
	Diagnosis []string  `json:"diagnosis"`
	Findings  []Finding `json:"findings"`
	// Exchanges are absent when the stream has none.
	Exchanges []interval.Exchange `json:"exchanges,omitempty"`
}

// DocumentInterval is an interval in a [Document]: the fields of its record, its
// classes of processors and its lines.
type DocumentInterval struct {
	interval.Interval
	Classes []interval.Processor `json:"classes,omitempty"`
	Lines   []interval.Line      `json:"lines,omitempty"`
}

// writeJSON writes one document: the fields of the header record, what the
// figures say, and "intervals", each with the fields of its record the
// classes of its processors and its lines.
func writeJSON(w io.Writer, t *Tree, _ Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	findings := Findings(t)
	header := t.Header
	header.Source = append([]string{}, header.Source...)
	head, err := marshal(Document{
		Report: "dvmreport", Version: DocumentVersion, Program: program(t), Header: header,
		Warnings: t.Warnings, Dropped: t.Dropped,
		Diagnosis: Diagnosis(t, findings), Findings: append([]Finding{}, findings...), Exchanges: t.Exchanges,
	})
	if err != nil {
		return err
	}
	b.Write(bytes.TrimSuffix(head, []byte("}")))
	b.WriteString(",\n\"intervals\":[")
	for i, n := range t.Nodes {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := marshal(DocumentInterval{n.Interval, n.Classes, n.Lines})
		if err != nil {
			return err
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}

// marshal returns v as JSON in which <, > and & are not escaped.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
