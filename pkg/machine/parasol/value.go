package parasol

import (
	"fmt"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine"
)

// A Timing is a measured value (2.7): the average of samples and, when Known,
// their standard deviation, in seconds unless the field says otherwise.
type Timing struct {
	Average, Deviation float64
	Known              bool
}

// String returns the timing as it is written in a file.
func (t Timing) String() string {
	if !t.Known {
		return expr.FormatFloat(t.Average)
	}
	return expr.FormatFloat(t.Average) + " " + expr.FormatFloat(t.Deviation)
}

// validTime says whether an average or deviation is within the range of times
// of the model.
func validTime(f float64) bool { return machine.ValidTime(f) }

// field reads a field of s with its value.
func (p *parser) field(s *section, at place, word string) {
	p.pos += len(word)
	i, canonical := s.kind.field(word)
	if i < 0 {
		p.unknownField(s, at, word)
		p.skipStatement()
		return
	}
	rule := grammar[s.kind].fields[i]
	if !canonical {
		p.warnf(at, "parasol/misprint", "found %s, a misprint of the report, read as %s", word, rule.name)
	}
	if s.kind == secTimings && parameters[i].Substitute != "" && !p.extended {
		p.extended = true
		p.notef(at, "parasol/extension", "found %s, which the report has no timing for, read as an extension; without it the timing of %s holds", rule.name, parameters[i].Substitute)
	}
	it := item{place: at, kind: itemField, field: int16(i)}
	p.skip()
	if rule.kind == kindProcessor && !p.processorIndex(&it) {
		return
	}
	if p.peek() != '=' {
		p.errorf(p.here(), "parasol/syntax", "found %s, expected \"=\" after %s", p.found(), rule.name)
		p.skipStatement()
		return
	}
	p.pos++
	p.skip()
	if !p.value(&it, rule) {
		p.skipStatement()
		return
	}
	var ok bool
	if it.comment, ok = p.endStatement("the value of %s", rule.name); ok {
		p.add(s, it)
	}
}

// unknownField says where the field belongs, or which name is near.
func (p *parser) unknownField(s *section, at place, word string) {
	if p.full() {
		p.failed = true
		return
	}
	name := grammar[s.kind].name
	hint := ""
	for k := secMachine; k < secCount && hint == ""; k++ {
		if i, _ := k.field(word); i >= 0 {
			hint = fmt.Sprintf("; %s belongs in %s", word, grammar[k].name)
		}
	}
	if hint == "" {
		hint = p.didYouMean(word, s.kind.fieldNames())
	}
	expected := "one of " + strings.Join(s.kind.fieldNames(), ", ")
	switch {
	case s.kind == secTimings:
		expected = "the name of a timing"
	case len(grammar[s.kind].fields) == 0:
		expected = "no field there"
	}
	code := "parasol/field"
	if s.kind == secTimings {
		code = "parasol/timing"
	}
	p.errorf(at, code, "found %s in %s, expected %s%s", quoted(word), name, expected, hint)
}

// processorIndex reads "[" integer "]".
func (p *parser) processorIndex(it *item) bool {
	ok := p.expect('[', "\"[\" after p, as in p[1] = 1")
	if ok {
		it.index, _, ok = p.integer("the number of a processor")
	}
	if ok {
		p.skip()
		ok = p.expect(']', "\"]\" after the number of a processor")
	}
	if !ok {
		p.skipStatement()
	}
	p.skip()
	return ok
}

func (p *parser) expect(c byte, what string) bool {
	if p.peek() != c {
		p.errorf(p.here(), "parasol/syntax", "found %s, expected %s", p.found(), what)
		return false
	}
	p.pos++
	p.skip()
	return true
}

// value reads the value of a field.
func (p *parser) value(it *item, rule fieldRule) (ok bool) {
	switch rule.kind {
	case kindInteger, kindProcessor:
		it.number, it.hex, ok = p.integer("an integer")
	case kindFlag:
		at := p.here()
		if it.number, it.hex, ok = p.integer("0 or 1"); ok && it.number > 1 {
			p.errorf(at, "parasol/range", "found %s = %d, expected 0 or 1", rule.name, it.number)
			ok = false
		}
	case kindString:
		it.detail, ok = p.quotedString()
	case kindTiming, kindFactor:
		ok = p.timing(it, rule)
	case kindExpression:
		it.detail, ok = p.expression()
	case kindEnds:
		it.detail, ok = p.ends()
	}
	return ok
}

// number reads a number without a sign.
func (p *parser) number(expected string) (expr.Number, bool) {
	if !expr.StartsNumber(p.rest()) {
		p.errorf(p.here(), "parasol/syntax", "found %s, expected %s", p.found(), expected)
		return expr.Number{}, false
	}
	n, width, problem := expr.ScanNumber(p.rest())
	if problem != "" {
		p.errorf(p.here(), "parasol/number", "%s", problem)
		return n, false
	}
	p.pos += width
	return n, true
}

func (p *parser) integer(expected string) (v int64, hex, ok bool) {
	at := p.here()
	n, ok := p.number(expected)
	if !ok {
		return 0, false, false
	}
	v, ok = n.Int()
	if !ok {
		p.errorf(at, "parasol/type", "found %v, expected %s without a fraction", n, expected)
	}
	return v, n.Hex, ok
}

// quotedString reads a string in quotes.
func (p *parser) quotedString() (string, bool) {
	at := p.here()
	if p.peek() != '"' {
		p.errorf(at, "parasol/syntax", "found %s, expected a string in quotes", p.found())
		return "", false
	}
	line, _, _ := strings.Cut(p.text[p.pos+1:], "\n")
	s, _, closed := strings.Cut(line, "\"")
	switch {
	case !closed:
		p.errorf(at, "parasol/syntax", "found no second quote in the line, expected the string to end with one")
		p.pos += len(line) // a ";" in it is part of it
		return "", false
	case s == "":
		p.errorf(at, "parasol/range", "found an empty string, expected at least one character")
		p.pos += 2
		return "", false
	}
	p.pos += len(s) + 2
	return s, true
}

// timing reads an average and perhaps a standard deviation.
func (p *parser) timing(it *item, rule fieldRule) bool {
	var ok bool
	if it.average, ok = p.seconds(rule.name, "a number"); !ok {
		return false
	}
	if rule.kind == kindFactor && it.average == 0 {
		p.errorf(it.place, "parasol/range", "found %s = 0, expected a factor greater than 0", rule.name)
		return false
	}
	end := p.pos
	p.skip()
	if p.ended() {
		return true
	}
	if p.pos == end {
		p.errorf(p.here(), "parasol/syntax", "found %s, expected a blank before the standard deviation, or the end of the line", p.found())
		return false
	}
	it.known = true
	it.deviation, ok = p.seconds("the standard deviation of "+rule.name, "a standard deviation or the end of the line")
	return ok
}

// seconds reads one number of a timing.
func (p *parser) seconds(what, expected string) (float64, bool) {
	at := p.here()
	minus := p.peek() == '-'
	if minus {
		p.pos++
		p.skip()
	}
	n, ok := p.number(expected)
	f := n.Float()
	switch {
	case !ok:
		return 0, false
	case minus:
		p.errorf(at, "parasol/negative", "found -%v for %s, expected a number that is not negative; a time is not negative", n, what)
		return 0, false
	case !validTime(f):
		p.errorf(at, "parasol/range", "found %v for %s, expected 0 or a number from 1e-30 to 1e30", n, what)
		return 0, false
	}
	return f, true
}

// expression reads an expression up to the end of the statement.
func (p *parser) expression() (*expr.Expr, bool) {
	at := p.here()
	begin := p.pos
	for !p.ended() {
		p.pos++
	}
	s := strings.TrimRight(p.text[begin:p.pos], " \t\r")
	x, list := expr.Parse(expr.Text{S: s, Pos: p.f.pos(at), Line: p.f.source(at)}, checkReference)
	for _, e := range list {
		if e.Severity == diag.SeverityError {
			p.failed = true
		}
		if !p.full() {
			p.diags.Add(e)
		}
	}
	return x, x != nil
}

// ends reads a count and as many processors, each at least 1. A count that no
// topology can have is refused before anything is read.
func (p *parser) ends() ([]int64, bool) {
	at := p.here()
	n, _, ok := p.integer("the number of processors that the link connects")
	if !ok {
		return nil, false
	}
	if n < 2 || n > MaxProcessors {
		p.errorf(at, "parasol/range", "found a link that connects %d processors, expected 2 to %d", n, MaxProcessors)
		return nil, false
	}
	ends := make([]int64, 0, min(n, 1024))
	for range n {
		p.skip()
		if p.ended() {
			p.errorf(p.here(), "parasol/count", "found %d processors, expected %d as the first number says", len(ends), n)
			return nil, false
		}
		end, _, ok := p.integer("the number of a processor")
		if !ok {
			return nil, false
		}
		ends = append(ends, end)
	}
	p.skip()
	if !p.ended() {
		p.errorf(p.here(), "parasol/count", "found %s, expected the end of the line after %d processors, as the first number says", p.found(), n)
		return nil, false
	}
	return ends, true
}
