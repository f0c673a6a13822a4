package parasol

import (
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// A File is a machine file that was read without an error: every statement
// and comment where it stood, and the machine that they describe. Only [File.Set] and [File.Scale]
// change it. It is for one goroutine.
type File struct {
	// Name is the name of the file in messages.
	Name string
	// Warnings are what is doubtful in the text, Notes what is in order but
	// read in a way that the report does not state, both in the text's order.
	Warnings, Notes []*diag.Error

	text  string
	root  *section // of kind secFile
	model *Machine // nil after a change
}

// itemKind says what an item of a section is.
type itemKind uint8

const (
	itemField itemKind = iota
	itemSection
	itemComment // a comment on a line of its own
	itemBlank   // an empty line, or several
)

// A place is a position in the text: where its line begins, and line and
// column counted from 1.
type place struct {
	line, col int32
	start     int32 // offset of the beginning of the line
}

// An item is a part of a section: a field with its value, a section, a
// comment or an empty line.
type item struct {
	place
	kind  itemKind
	known bool // the deviation of a timing is stated
	hex   bool // the integer is written in hexadecimal
	field int16
	// comment stands behind a field, or is the comment itself, without the
	// blanks around it.
	comment string
	// number is the value of an integer, and the type of p[index].
	number, index int64
	// average and deviation are the value of a timing or factor.
	average, deviation float64
	// detail is a string, *expr.Expr, []int64 (ends) or *section.
	detail any
}

// section is "begin X" to "end X" with all that is between.
type section struct {
	place
	kind                       sectionKind
	items                      []item
	beginComment, closeComment string
}

func (it *item) expr() *expr.Expr {
	x, _ := it.detail.(*expr.Expr)
	return x
}

func (it *item) timing() Timing {
	return Timing{Average: it.average, Deviation: it.deviation, Known: it.known}
}

// pos returns a place as the position of a message.
func (f *File) pos(p place) diag.Pos {
	return diag.Pos{File: f.Name, Line: int(p.line), Col: int(p.col)}
}

// maxSource is the largest length of a line that a message shows; of longer
// ones it shows nothing.
const maxSource = 200

// source returns the line of a place for messages.
func (f *File) source(p place) string {
	rest := f.text[p.start:]
	line, _, _ := strings.Cut(rest[:min(len(rest), maxSource+1)], "\n")
	if len(line) > maxSource {
		return ""
	}
	return strings.TrimRight(line, "\r")
}
