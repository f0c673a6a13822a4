package parasol

import (
	"fmt"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// Parse reads a machine file. The file is nil when one of the diagnostics is
// an error; they are sorted by position, at most [MaxReports].
func Parse(name string, src []byte) (*File, diag.List) {
	p := &parser{f: &File{Name: name}, line: 1}
	switch {
	case len(src) > MaxFile:
		p.errorf(place{line: 1, col: 1}, "parasol/limit", "found a file of %d bytes, expected at most %d in a machine file", len(src), MaxFile)
	case strings.HasPrefix(string(src[:min(len(src), 2)]), "\xff\xfe"), strings.HasPrefix(string(src[:min(len(src), 2)]), "\xfe\xff"):
		p.errorf(place{line: 1, col: 1}, "parasol/encoding", "found UTF-16 text, expected ASCII, UTF-8 or another 8-bit encoding; save the file in one of them")
	default:
		p.text = strings.TrimPrefix(string(src), "\ufeff")
		p.f.text = p.text
		p.file()
	}
	if !p.failed {
		p.build()
	}
	p.diags.Sort()
	if p.failed {
		return nil, p.diags
	}
	p.f.Warnings, p.f.Notes = p.diags.Warnings(), p.diags.Notes()
	return p.f, p.diags
}

// parser is a recursive descent parser over the bytes of the text. It recurses as
// deep as sections may be nested by the grammar, whatever the text.
type parser struct {
	f      *File
	text   string
	pos    int
	line   int // of pos, from 1
	start  int // offset where the line begins
	items  int
	open   []sectionKind
	blank  bool // an empty line stands before what comes next
	diags  diag.List
	failed bool
	// extended says that there was a note about a function that the report leaves out.
	extended bool
	// promised is for how many statements room was made in advance.
	promised int
}

func (p *parser) here() place {
	return place{line: int32(p.line), col: int32(p.pos - p.start + 1), start: int32(p.start)}
}

func (p *parser) errorf(at place, code, format string, args ...any) {
	p.failed = true
	if !p.full() {
		p.report(diag.New(p.f.pos(at), code, format, args...), at)
	}
}

func (p *parser) warnf(at place, code, format string, args ...any) {
	if !p.full() {
		p.report(diag.Warn(p.f.pos(at), code, format, args...), at)
	}
}

func (p *parser) notef(at place, code, format string, args ...any) {
	if !p.full() {
		p.report(diag.Note(p.f.pos(at), code, format, args...), at)
	}
}

func (p *parser) report(e *diag.Error, at place) {
	e.Source = p.f.source(at)
	p.diags.Add(e)
}

// full says that further reports are not kept, so that nothing needs to be
// computed for them.
func (p *parser) full() bool { return len(p.diags) >= MaxReports }

// didYouMean is diag.DidYouMean while reports are kept.
func (p *parser) didYouMean(word string, known []string) string {
	if p.full() || len(word) > 64 {
		return ""
	}
	return diag.DidYouMean(word, known)
}

// skip moves over blanks and tabs, and the carriage return of a line's end.
func (p *parser) skip() {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == ' ' || c == '\t':
		case c == '\r' && (p.pos+1 == len(p.text) || p.text[p.pos+1] == '\n'):
		default:
			return
		}
		p.pos++
	}
}

func (p *parser) rest() string { return p.text[p.pos:] }

// peek returns the next byte, 0 at the end of the text.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// ended says that the statement ends here: at an nl, a comment or the end of
// the text.
func (p *parser) ended() bool {
	switch p.peek() {
	case '\n', '\v', ';':
		return true
	case '/':
		return strings.HasPrefix(p.rest(), "//")
	}
	return p.pos == len(p.text)
}

// found describes what stands at the current place.
func (p *parser) found() string {
	r := p.rest()
	switch c := p.peek(); {
	case r == "":
		return "the end of the file"
	case p.ended():
		return "the end of the statement"
	case expr.IsLetter(c):
		return quoted(expr.Word(r))
	case expr.StartsNumber(r):
		_, n, _ := expr.ScanNumber(r)
		return quoted(r[:n])
	}
	for _, c := range r {
		return quoted(string(c))
	}
	return ""
}

// quoted returns s in quotes, cut when it is long.
func quoted(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q...", s[:most])
	}
	return fmt.Sprintf("%q", s)
}

// newline moves over one nl of the text, which may be several bytes long, and
// says whether there was one.
func (p *parser) newline() bool {
	switch p.peek() {
	case '\n':
		p.pos++
		p.line++
		p.start = p.pos
		return true
	case '\v', ';':
		p.pos++
		return true
	}
	return false
}

// comment reads a comment, if there is one, up to the end of its line.
func (p *parser) comment() (text string, ok bool) {
	if !strings.HasPrefix(p.rest(), "//") {
		return "", false
	}
	end := strings.IndexByte(p.rest(), '\n')
	if end < 0 {
		end = len(p.rest())
	}
	text = strings.TrimRight(p.text[p.pos+2:p.pos+end], " \t\r")
	p.pos += end
	return text, true
}

// endStatement reads the comment and the nl that end a statement. The last thing in
// it is named by a format and a word.
func (p *parser) endStatement(after, word string) (comment string, ok bool) {
	p.skip()
	if !p.ended() {
		p.errorf(p.here(), "parasol/syntax", "found %s, expected the end of the line after "+after, p.found(), word)
		p.skipStatement()
		return "", false
	}
	comment, _ = p.comment()
	p.newline()
	return comment, true
}

// skipStatement moves behind the nl that ends the statement, which is none of
// those in a string.
func (p *parser) skipStatement() {
	for !p.ended() {
		if p.peek() == '"' {
			line, _, _ := strings.Cut(p.text[p.pos+1:], "\n")
			if i := strings.IndexByte(line, '"'); i >= 0 {
				p.pos += i + 1
			}
		}
		p.pos++
	}
	p.comment()
	p.newline()
}

// leading reads empty lines and comments before a statement into s.
func (p *parser) leading(s *section) {
	for {
		p.skip()
		at := p.here()
		switch {
		case p.peek() == '\n':
			p.newline()
			p.blank = true
		case p.newline():
		default:
			text, ok := p.comment()
			if !ok {
				return
			}
			if !p.trailing(s, at, text) {
				p.add(s, item{place: at, kind: itemComment, comment: text})
			}
			p.newline()
		}
	}
}

// trailing gives a comment to the field, or to the "begin" of s, that stands
// before it in its line and was ended by ";", and says whether there is one.
func (p *parser) trailing(s *section, at place, text string) bool {
	to, line := &s.beginComment, s.line
	if n := len(s.items); n > 0 {
		last := &s.items[n-1]
		if last.kind != itemField {
			return false
		}
		to, line = &last.comment, last.line
	}
	if s.kind == secFile || line != at.line || *to != "" || p.blank {
		return false
	}
	*to = text
	return true
}

// add appends an item, with an empty line before it if there is one in the
// text.
func (p *parser) add(s *section, it item) {
	if p.items++; p.items > MaxStatements {
		if p.items == MaxStatements+1 {
			p.errorf(it.place, "parasol/limit", "found more than %d statements and comments, expected fewer in a machine file", MaxStatements)
		}
		return
	}
	if p.blank && len(s.items) > 0 {
		s.items = append(s.items, item{place: it.place, kind: itemBlank})
	}
	p.blank = false
	s.items = append(s.items, it)
}

// file reads the whole text.
func (p *parser) file() {
	root := &section{kind: secFile, place: p.here()}
	p.f.root = root
	p.leading(root)
	at := p.here()
	if p.pos == len(p.text) {
		p.errorf(at, "parasol/empty", "found no machine, expected \"begin machine\"")
		return
	}
	if p.word() != "begin" {
		p.errorf(at, "parasol/syntax", "found %s, expected \"begin machine\"%s", p.found(), p.didYouMean(p.word(), []string{"begin"}))
		if !strings.EqualFold(p.word(), "begin") {
			return
		}
	}
	p.pos += len("begin")
	p.skip()
	if p.word() != "machine" {
		p.errorf(p.here(), "parasol/section", "found %s, expected \"machine\" after \"begin\"%s", p.found(), p.didYouMean(p.word(), []string{"machine"}))
		if !strings.EqualFold(p.word(), "machine") {
			return
		}
	}
	p.pos += len("machine")
	p.section(root, secMachine, at)
	p.leading(root)
	if p.pos < len(p.text) && p.items <= MaxStatements {
		p.errorf(p.here(), "parasol/syntax", "found %s, expected only empty lines and comments after \"end machine\"", p.found())
	}
}

func (p *parser) word() string { return expr.Word(p.rest()) }

// section reads a section from behind its "begin X" to behind its "end X" and
// adds it to outer.
func (p *parser) section(outer *section, kind sectionKind, at place) {
	s := &section{kind: kind, place: at}
	switch kind {
	case secLink: // there may be very many
		s.items = make([]item, 0, len(grammar[kind].fields))
	case secProcID:
		s.items = make([]item, 0, p.announced(outer, "processors"))
	case secLinkList:
		s.items = make([]item, 0, p.announced(outer, "links"))
	}
	p.add(outer, item{place: at, kind: itemSection, detail: s})
	s.beginComment, _ = p.endStatement("\"begin %s\"", grammar[kind].name)
	p.open = append(p.open, kind)
	for p.items <= MaxStatements && p.statement(s) {
	}
	p.open = p.open[:len(p.open)-1]
	p.blank = false
}

// announced returns how many processors or links a topology says that it has. All
// topologies together get no more than the text can hold, so that a text cannot ask
// for more memory than it is worth.
func (p *parser) announced(topology *section, field string) int {
	const shortest = len("p[1]=1;")
	for i := range topology.items {
		it := &topology.items[i]
		if it.kind == itemField && grammar[topology.kind].fields[it.field].name == field {
			n := int(min(it.number, int64(len(p.rest())/shortest), int64(len(p.text)/shortest-p.promised)))
			p.promised += n
			return n
		}
	}
	return 0
}

// statement reads a statement of s; false when it was the end of s.
func (p *parser) statement(s *section) bool {
	p.leading(s)
	at := p.here()
	name := grammar[s.kind].name
	if p.pos == len(p.text) {
		p.errorf(at, "parasol/end", "found the end of the file, expected \"end %s\" for the section that begins in line %d", name, s.line)
		return false
	}
	word := p.word()
	switch strings.ToLower(word) {
	case "":
		p.errorf(at, "parasol/syntax", "found %s, expected a field, \"begin\" or \"end %s\"", p.found(), name)
		p.skipStatement()
		return true
	case "begin", "end":
		if word != strings.ToLower(word) {
			p.errorf(at, "parasol/syntax", "found %q, expected %q; words are lower-case", word, strings.ToLower(word))
		}
		p.pos += len(word)
		p.skip()
		if strings.EqualFold(word, "begin") {
			p.begin(s, at)
			return true
		}
		return !p.end(s, at)
	}
	p.field(s, at, word)
	return true
}

// begin reads what follows "begin".
func (p *parser) begin(s *section, at place) {
	word, wordAt := p.word(), p.here()
	for _, k := range grammar[s.kind].sections {
		if grammar[k].name != word {
			continue
		}
		p.pos += len(word)
		p.section(s, k, at)
		return
	}
	expected := "no section within " + grammar[s.kind].name
	if names := p.openNames(s.kind); names != "" {
		expected = "one of " + names + " within " + grammar[s.kind].name
	}
	hint := p.didYouMean(word, s.kind.sectionNames())
	if hint == "" {
		for _, outer := range grammar[1:] {
			for _, k := range outer.sections {
				if grammar[k].name == word {
					hint = fmt.Sprintf("; %s belongs in %s", word, outer.name)
				}
			}
		}
	}
	p.errorf(wordAt, "parasol/section", "found %s after \"begin\", expected %s%s", p.found(), expected, hint)
	for _, k := range grammar[s.kind].sections {
		if strings.EqualFold(grammar[k].name, word) {
			p.pos += len(word)
			p.section(s, k, at)
			return
		}
	}
	p.skipSection()
}

func (p *parser) openNames(k sectionKind) string { return strings.Join(k.sectionNames(), ", ") }

// skipSection moves behind a section of a kind that does not exist: behind the "end" that
// belongs to its "begin", or to the end of the text.
func (p *parser) skipSection() {
	p.skipStatement()
	for depth := 1; depth > 0 && p.pos < len(p.text); {
		p.skip()
		switch p.word() {
		case "begin":
			depth++
		case "end":
			depth--
		}
		p.skipStatement()
	}
}

// end reads what follows "end" and says whether it ends s.
func (p *parser) end(s *section, at place) bool {
	word, name := p.word(), grammar[s.kind].name
	if word != name {
		hint := ""
		if strings.EqualFold(word, name) {
			hint = "; words are lower-case"
		}
		p.errorf(at, "parasol/end", "found \"end %s\", expected \"end %s\" for the section that begins in line %d%s", cut(word), name, s.line, hint)
		for _, k := range p.open[:len(p.open)-1] {
			if grammar[k].name == word {
				// The end of a section around this one, which ends it too.
				p.pos = p.start + int(at.col) - 1
				return true
			}
		}
	}
	p.pos += len(word)
	s.closeComment, _ = p.endStatement("\"end %s\"", name)
	return true
}

func cut(s string) string { return s[:min(len(s), 40)] }
