package parasol

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/expr"
)

// String returns the file in canonical form: one statement on a line, sections
// indented, at most one empty line in a row, names and numbers in one spelling,
// blanks around the operators of expressions. Comments stay in their places; a
// factor that [File.Apply] gave an expression is written before it. Parsing the
// text gives the same machine, whose canonical form is the same text.
func (f *File) String() string {
	var b strings.Builder
	b.Grow(len(f.text))
	w := printer{&b}
	w.items(f.root, 0)
	return b.String()
}

type printer struct{ *strings.Builder }

const indentation = "    "

func (w printer) items(s *section, depth int) {
	for i := range s.items {
		it := &s.items[i]
		if it.kind == itemBlank {
			w.WriteByte('\n')
			continue
		}
		w.indent(depth)
		switch it.kind {
		case itemSection:
			w.section(it.detail.(*section), depth)
		case itemComment:
			w.WriteString("//" + it.comment + "\n")
		case itemField:
			w.field(it, grammar[s.kind].fields[it.field])
			w.endLine(it.comment)
		}
	}
}

func (w printer) indent(depth int) {
	for range depth {
		w.WriteString(indentation)
	}
}

func (w printer) section(s *section, depth int) {
	name := grammar[s.kind].name
	w.WriteString("begin " + name)
	w.endLine(s.beginComment)
	w.items(s, depth+1)
	w.indent(depth)
	w.WriteString("end " + name)
	w.endLine(s.closeComment)
}

func (w printer) endLine(comment string) {
	if comment != "" {
		w.WriteString(" //" + comment)
	}
	w.WriteByte('\n')
}

func (w printer) field(it *item, rule fieldRule) {
	w.WriteString(rule.name)
	if rule.kind == kindProcessor {
		w.WriteString("[" + strconv.FormatInt(it.index, 10) + "]")
	}
	w.WriteString(" = ")
	w.WriteString(it.value(rule.kind))
}

// value returns the value of a field as it is written.
func (it *item) value(kind fieldKind) string {
	switch kind {
	case kindString:
		s, _ := it.detail.(string)
		return `"` + s + `"`
	case kindTiming, kindFactor:
		return it.timing().String()
	case kindExpression:
		return it.expr().String()
	case kindEnds:
		var b strings.Builder
		ends, _ := it.detail.([]int64)
		b.WriteString(strconv.Itoa(len(ends)))
		for _, e := range ends {
			b.WriteByte(' ')
			b.WriteString(strconv.FormatInt(e, 10))
		}
		return b.String()
	}
	if it.hex {
		return fmt.Sprintf("0x%X", it.number)
	}
	return expr.Int(it.number).String()
}

// Comments returns how many comments the file has.
func (f *File) Comments() int { return f.root.comments() }

func (s *section) comments() int {
	n := 0
	for _, c := range []string{s.beginComment, s.closeComment} {
		if c != "" {
			n++
		}
	}
	for i := range s.items {
		it := &s.items[i]
		if sub, ok := it.detail.(*section); ok {
			n += sub.comments()
		} else if it.kind == itemComment || it.comment != "" {
			n++
		}
	}
	return n
}
