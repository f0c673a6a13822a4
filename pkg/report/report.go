// Package report turns an interval stream into something to read.
//
//  1. A [Builder] takes the records of a stream in their order and makes a
//     [Tree]: every [Node] knows the interval around it, its neighbours and
//     the intervals inside it. [Read] does so from a reader.
//  2. [Figures] is the table of the numbers that a report shows of an interval: the name of
//     its anchor (R appendix 2), label, unit, definition,
//     formula and how to get it from a record. Every format and the tests
//     are driven by this one table.
//  3. [Findings] says what costs time and could be changed, by one table of
//     rules; [Diagnosis] sums it up in a few sentences.
//  4. [Write] writes a tree in a [Format]. HTML is one file that loads nothing:
//     its style sheet and its script are named by their hashes in its content
//     security policy. The script shows the intervals from data in the file;
//     without scripts the page shows them as plain tables.
//
// The same tree gives the same bytes. Text that comes from a trace is shown
// as text, whatever it holds ([Clean]).
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
)

// Format names a form of the report.
type Format string

// The formats that exist.
const (
	// HTML is one self-contained page.
	HTML Format = "html"
	// Text is an aligned tree for a terminal.
	Text Format = "text"
	// CSV has one line for each figure of each interval and class of
	// processors: interval, processors, metric, value, unit and where it is.
	CSV Format = "csv"
	// JSON is one document.
	JSON Format = "json"
	// Folded is a line for each interval with the names of those around it
	// and its own part of a metric: what flame graphs are drawn from.
	Folded Format = "folded"
	// Prom is OpenMetrics text, also what the textfile collector of
	// Prometheus reads.
	Prom Format = "prom"
	// Markdown is a summary to paste into an issue or a merge request.
	Markdown Format = "md"
	// Perfetto is the timeline in the Trace Event Format.
	Perfetto Format = "perfetto"
)

// Options are what a caller may choose.
type Options struct {
	// Metric is the metric of the folded format, "" for total_time.
	Metric string
	// Exact shows the numbers of the text and of the summary in full, times
	// in seconds. The page has them as tooltips, the other formats anyway.
	Exact bool
	// Sources are files of the program that the page shows, in any order.
	Sources []Source
	// Threads is how many goroutines may make parts of a page at once, 1 when
	// it is 0; the page does not depend on it.
	Threads int
	// WhatIf makes the page one that can be changed, nil for none.
	WhatIf *WhatIf
	// Colour allows the text to hold the escape sequences of terminals.
	Colour bool
}

// writers are the formats, the default first.
var writers = []struct {
	format Format
	write  func(io.Writer, *Tree, Options) error
}{
	{HTML, writeHTML},
	{Text, writeText},
	{CSV, writeCSV},
	{JSON, writeJSON},
	{Folded, writeFolded},
	{Prom, writeProm},
	{Markdown, writeMarkdown},
	{Perfetto, writePerfetto},
}

// Formats returns the formats that [Write] knows, the default first.
func Formats() []Format {
	var list []Format
	for _, f := range writers {
		list = append(list, f.format)
	}
	return list
}

// ParseFormat returns the format of that name, or an error that lists those
// that exist.
func ParseFormat(name string) (Format, error) {
	if slices.Contains(Formats(), Format(name)) {
		return Format(name), nil
	}
	var list []string
	for _, f := range Formats() {
		list = append(list, string(f))
	}
	return "", fmt.Errorf("found format %q, expected %s%s", name, alternatives(list), diag.DidYouMean(name, list))
}

// alternatives returns "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Write writes t in format f. Its errors are those of w, and that of
// [CheckMetric].
func Write(w io.Writer, t *Tree, f Format, o Options) error {
	for _, x := range writers {
		if x.format == f {
			return x.write(w, t, o)
		}
	}
	panic("report: internal error: no format " + string(f))
}
