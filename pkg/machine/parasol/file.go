package parasol

import (
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// A File is a machine file that was read without an error: every statement and
// comment in its place, and the machine that they describe. Only [File.Apply]
// changes it. It is not safe for concurrent use.
type File struct {
	// Name is the name of the file in messages.
	Name string
	// Warnings are about doubtful statements, Notes about valid ones whose
	// meaning the report does not state, both in the order of the text.
	Warnings, Notes []*diag.Error

	text  string
	root  *section // of kind secFile
	model *Machine // nil after a change
}

// itemKind is the kind of an item.
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

// An item is what a section contains: a field with its value, a section, a
// comment or an empty line.
type item struct {
	place
	kind  itemKind
	known bool // the deviation of a timing is stated
	hex   bool // the integer is written in hexadecimal
	field int16
	// comment is the comment after a field, or the comment that the item is,
	// without the blanks around it.
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

// maxSource is the length of the longest line that a message shows; longer lines
// are not shown.
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
