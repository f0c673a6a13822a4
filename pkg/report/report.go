// Package report turns an interval stream into something to read.
//
//  1. A [Builder] takes the records of a stream in their order and makes a
//     [Tree]: every [Node] knows the interval around it, its neighbours and
//     the intervals inside it. [Read] does so from a reader.
//  2. [Figures] is the table of what is known about an interval: the name of
//     its anchor (design of 2010, appendix 2), label, unit, definition,
//     formula and how to get it from a record. Every format and the tests
//     are driven by this one table.
//  3. [Write] writes a tree in a [Format]. HTML is one file that loads
//     nothing, needs no script and says so in its content security policy.
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
	// Text is an aligned tree for a terminal, without colours.
	Text Format = "text"
)

// Formats returns the formats that [Write] knows, the default first.
func Formats() []Format { return []Format{HTML, Text} }

// ParseFormat returns the format of that name, or an error that lists those
// that exist.
func ParseFormat(name string) (Format, error) {
	if slices.Contains(Formats(), Format(name)) {
		return Format(name), nil
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("found format %q, expected %s%s", name, strings.Join(names, " or "), diag.DidYouMean(name, names))
}

// Write writes t in format f. Its errors are those of w.
func Write(w io.Writer, t *Tree, f Format) error {
	switch f {
	case HTML:
		return writeHTML(w, t)
	case Text:
		return writeText(w, t)
	}
	panic("report: internal error: no format " + string(f))
}
