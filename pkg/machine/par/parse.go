package par

import (
	"math"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
)

// Source is a text with its name for messages.
type Source struct {
	Name string
	Text []byte
}

// Parse returns the machine that src describes, in the 2010 or the 2000 form,
// and every diagnostic, sorted by position (at most [MaxReports]). The machine is
// nil when one of them is an error. Otherwise the list has only warnings, which
// are also in Machine.Warnings, and notes.
func Parse(name string, src []byte) (*machine.Machine, diag.List) {
	return ParseAll(Source{Name: name, Text: src})
}

// ParseAll reads several files as one description. They may be libraries of
// clusters; one file names the cluster to simulate. Several files must all be in
// the 2010 form. ParseAll warns of unused clusters only in the file that names
// the simulated one. Otherwise it is like [Parse].
func ParseAll(sources ...Source) (*machine.Machine, diag.List) {
	p := &parser{names: map[string]*entity{}}
	for _, s := range sources {
		p.open(s)
	}
	var old *file
	for _, f := range p.files {
		if f.is2000() {
			old = f
		}
	}
	var m *machine.Machine
	switch {
	case len(sources) == 0:
		p.failed = true
		p.diags.Add(diag.New(diag.Pos{}, "par/empty", "found no machine description, expected at least one"))
	case len(p.files) < len(sources):
		// A file could not be read: names may be missing because of that.
	case old == nil:
		for _, f := range p.files {
			c := &cursor{parser: p, f: f}
			c.statements(c.statement2010)
		}
		m = p.resolve()
	case len(p.files) > 1:
		p.errorf(place{old, old.toks[0].off}, "par/form", "found a description in the 2000 form beside other files, expected the 2010 form; a network of the 2000 form stands alone")
	default:
		m = p.parse2000(old)
	}
	return p.finish(m)
}

// parser reads all files of one description.
type parser struct {
	files  []*file
	diags  diag.List
	failed bool

	// names holds every name that a statement is about; order lists them in the
	// order of their first statements.
	names map[string]*entity
	order []*entity
	// cluster and search are the statements of these names.
	cluster, search setting
	clusterTried    bool // a statement begins with "cluster" but cannot be read
	simulated       ref  // the name that the cluster statement gives
	searchMode      int
	compared        int // pairs of letters, for suggestions
}

// ref is the use of a name.
type ref struct {
	name string
	at   place
}

// setting is a statement that may occur once.
type setting struct {
	at place
	// set says that the statement was found, ok that its value can be used.
	set, ok bool
}

func (p *parser) errorf(at place, code, format string, args ...any) {
	p.failed = true
	p.report(at, diag.New(at.pos(), code, format, args...))
}

func (p *parser) warnf(at place, code, format string, args ...any) {
	p.report(at, diag.Warn(at.pos(), code, format, args...))
}

func (p *parser) notef(at place, code, format string, args ...any) {
	p.report(at, diag.Note(at.pos(), code, format, args...))
}

func (p *parser) report(at place, e *diag.Error) {
	if len(p.diags) < MaxReports {
		e.Source = at.source()
		p.diags.Add(e)
	}
}

// full reports that further diagnostics are not kept, and need not be computed.
func (p *parser) full() bool { return len(p.diags) >= MaxReports }

// finish sorts the diagnostics and returns the machine when none is an error.
func (p *parser) finish(m *machine.Machine) (*machine.Machine, diag.List) {
	p.diags.Sort()
	if p.failed || m == nil {
		return nil, p.diags
	}
	m.Warnings = p.diags.Warnings()
	return m, p.diags
}

// open splits s into tokens, unless it is too long, UTF-16 or empty.
func (p *parser) open(s Source) {
	f := &file{name: s.Name, lines: []int{0}}
	at := place{f, 0}
	text := string(s.Text[:min(len(s.Text), MaxFile+1)])
	switch {
	case len(s.Text) > MaxFile:
		p.errorf(at, "par/limit", "found a file of %d bytes, expected at most %d in a machine description", len(s.Text), MaxFile)
		return
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		p.errorf(at, "par/encoding", "found UTF-16 text, expected ASCII, UTF-8 or another 8-bit encoding; save the file in one of them")
		return
	}
	f.text = strings.TrimPrefix(text, "\ufeff")
	p.lex(f)
	if len(f.toks) == 1 {
		p.errorf(at, "par/empty", "found no statement, expected at least \"cluster = NAME;\" (2010 form) or \"type = network;\" (2000 form)")
		return
	}
	p.files = append(p.files, f)
}

// is2000 reports whether f looks like the 2000 form. "cluster =" occurs only in
// the 2010 form. Without it, the typical words of both forms are counted, because
// a processor of the 2010 form may be called power.
func (f *file) is2000() bool {
	old, young := 0, 0
	for i, t := range f.toks[:len(f.toks)-1] {
		word, next := strings.ToLower(f.str(t)), strings.ToLower(f.str(f.toks[i+1]))
		switch {
		case t.kind == tokWord && word == "cluster" && next == "=":
			return false
		case t.kind == tokWord && next == ".", word == "{" && f.toks[i+1].kind == tokWord:
			young++
		case (word == "type" || word == "power" || word == "topology") && next == "=",
			word == "start" && next == "time", word == "send" && next == "byte":
			old++
		}
	}
	return old > young
}

// cursor reads the tokens of one file.
type cursor struct {
	*parser
	f *file
	i int
}

func (c *cursor) tok() token           { return c.f.toks[c.i] }
func (c *cursor) at(t token) place     { return place{c.f, t.off} }
func (c *cursor) here() place          { return c.at(c.tok()) }
func (c *cursor) text() string         { return c.f.str(c.tok()) }
func (c *cursor) is(punct string) bool { return c.tok().kind == tokPunct && c.text() == punct }

// next returns the current token and moves past it, but never past the end of
// the file.
func (c *cursor) next() token {
	t := c.tok()
	if t.kind != tokEOF {
		c.i++
	}
	return t
}

// accept moves past punct if it is the current token.
func (c *cursor) accept(punct string) bool {
	if c.is(punct) {
		c.i++
		return true
	}
	return false
}

// fail reports what was found and what was expected, unless the lexer reported
// the token already, and returns false.
func (c *cursor) fail(expected string, args ...any) bool {
	if t := c.tok(); t.kind != tokBad {
		c.errorf(c.at(t), "par/syntax", "found %s, expected "+expected, append([]any{c.f.describe(t)}, args...)...)
	}
	return false
}

// statements reads the whole file; one reads a statement up to its ";" and
// returns false when it could not.
func (c *cursor) statements(one func() bool) {
	for c.tok().kind != tokEOF {
		if c.accept(";") {
			continue
		}
		begin := c.i
		if !one() || !c.semicolon() {
			c.recover(begin)
		}
	}
}

// semicolon reads the end of a statement. A missing ";" at the end of a line is
// reported there, and reading goes on as if it were present.
func (c *cursor) semicolon() bool {
	if c.accept(";") {
		return true
	}
	last := c.f.toks[c.i-1]
	t := c.tok()
	switch {
	case t.kind == tokEOF:
		c.errorf(place{c.f, last.end}, "par/semicolon", "found the end of the file after %q, expected \";\"; put one there", c.f.str(last))
	case t.first && t.kind != tokPunct && t.kind != tokBad:
		c.errorf(place{c.f, last.end}, "par/semicolon", "found the end of the line after %q, expected \";\"; put one there", c.f.str(last))
	default:
		return c.fail("\";\" after %q", c.f.str(last))
	}
	return true
}

// recover moves from inside the statement that began with token begin to where
// the next one seems to begin: after a ";", or at a line that begins like a
// statement.
func (c *cursor) recover(begin int) {
	for ; c.tok().kind != tokEOF; c.i++ {
		if c.accept(";") {
			return
		}
		if c.i > begin && c.tok().first && c.tok().kind == tokWord {
			next := c.f.toks[c.i+1]
			if s := c.f.str(next); next.kind == tokPunct && (s == "=" || s == ".") {
				return
			}
		}
	}
}

// equals reads the "=" of a statement.
func (c *cursor) equals() bool {
	if c.accept("=") {
		return true
	}
	return c.fail("\"=\"")
}

// name reads a name; what is what messages say was expected.
func (c *cursor) name(what string) (ref, bool) {
	if c.tok().kind != tokWord {
		return ref{}, c.fail("%s", what)
	}
	t := c.next()
	return ref{name: c.f.str(t), at: c.at(t)}, true
}

// float reads a number and returns it times 10^shift. A number that valid refuses
// is reported, and its value is NaN; the rest of the statement can still be read.
// limits says for messages what valid accepts, in the unit of the text.
func (c *cursor) float(what string, shift int, valid func(float64) bool, limits string) (float64, bool) {
	if c.tok().kind != tokNumber {
		return 0, c.fail("a number for %s", what)
	}
	x := parseShifted(c.text(), shift)
	if !valid(x) {
		c.errorf(c.here(), "par/range", "found %s %s, expected %s", what, c.text(), limits)
		x = math.NaN()
	}
	c.i++
	return x, true
}

// integer reads a whole number from least to most. Any other number is reported,
// and its value is 0; the rest of the statement can still be read.
func (c *cursor) integer(what string, least, most int64) (int64, bool) {
	if c.tok().kind != tokNumber {
		return 0, c.fail("a whole number for %s", what)
	}
	text := c.text()
	digits := strings.TrimPrefix(text, "+")
	if strings.Trim(strings.TrimPrefix(digits, "-"), "0123456789") != "" {
		c.errorf(c.here(), "par/range", "found %s %s, expected a whole number", what, text)
		c.i++
		return 0, true
	}
	n := int64(0)
	for _, d := range strings.TrimPrefix(digits, "-") {
		// most is so small that one more digit cannot overflow.
		n = min(n*10+int64(d-'0'), most+1)
	}
	if digits[0] == '-' {
		n = -n
	}
	if n < least || n > most {
		c.errorf(c.here(), "par/range", "found %s %s, expected %d to %d", what, text, least, most)
		c.i++
		return 0, true
	}
	c.i++
	return n, true
}
