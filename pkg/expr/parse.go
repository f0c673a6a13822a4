package expr

import (
	"fmt"
	"strings"

	"dvmtools/pkg/diag"
)

// A Text is an expression in its surroundings: S is the text, Pos where it
// begins and Line the line of the input that holds it, which messages show.
type Text struct {
	S    string
	Pos  diag.Pos
	Line string
}

// A Part is one step of a reference: a word and the integers in parentheses
// behind it. Off is the offset of the word in the text.
type Part struct {
	Word string
	Args []int64
	Off  int
}

// A Ref is a reference as it is written: tl(1)(2).connect(0) has two parts.
type Ref struct {
	Parts []Part
}

// String returns the reference in canonical form, without blanks.
func (r *Ref) String() string {
	var b strings.Builder
	for i, p := range r.Parts {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p.Word)
		for _, a := range p.Args {
			fmt.Fprintf(&b, "(%d)", a)
		}
	}
	return b.String()
}

// A Problem is what is wrong with a reference. Off is an offset in the text.
// A Warning is remarked on and does not stop the reading.
type Problem struct {
	Off       int
	Code, Msg string
	Warning   bool
}

// opcode says what a node does.
type opcode uint8

const (
	opLiteral opcode = iota // push literals[arg]
	opRef                   // push the value of refs[arg]
	opUnary                 // unaries[arg]
	opBinary                // binaries[arg]
	opCall                  // functions[arg]
	opAnd                   // when the top is 0: go to arg with it as truth; else drop it
	opOr                    // when the top is not 0: likewise
)

// node is an element of the tree, in postfix order.
type node struct {
	op  opcode
	at  int32 // offset of the operator or operand in the text
	arg int32
}

// An Expr is an expression that was read. It never changes.
type Expr struct {
	text     Text
	nodes    []node
	literals []Value
	refs     []*Ref
	canon    string
	depth    int // values on the stack at most
	// scaled says that the text is a float, "*" and one pair of parentheses
	// around all the rest, and inner is the canonical text of the rest.
	scaled bool
	inner  string
}

// String returns the expression with canonical blanks; the parentheses and
// the integers are those that were written. Parsing it again gives the same
// tree and the same text.
func (x *Expr) String() string { return x.canon }

// Pos returns where the expression begins.
func (x *Expr) Pos() diag.Pos { return x.text.Pos }

// Refs returns the references of the expression in the order of the text.
// They are not to be changed.
func (x *Expr) Refs() []*Ref { return x.refs }

// errorAt makes an error at an offset in the text.
func (t *Text) errorAt(off int, code, msg string) *diag.Error {
	e := &diag.Error{Pos: t.Pos, Code: code, Msg: msg, Source: t.Line}
	if e.Pos.Col > 0 {
		e.Pos.Col += off
	}
	return e
}

// MaxText is the largest length of an expression in bytes.
const MaxText = 1 << 28

// Parse reads an expression, which must fill the text. check is asked about
// each reference and returns what is wrong with it, or nil; it may bring the
// reference into canonical form. A nil check accepts every reference. The
// expression is nil when one of the diagnostics is an error; Parse stops at
// the first.
func Parse(t Text, check func(*Ref) *Problem) (*Expr, diag.List) {
	p := &parser{Text: t, check: check, x: &Expr{text: t}}
	if len(t.S) > MaxText {
		p.fail(0, "expr/limit", "found an expression of %d bytes, expected at most %d", len(t.S), MaxText)
		return nil, p.diags
	}
	p.skip()
	p.parse()
	if p.failed {
		return nil, p.diags
	}
	x := p.x
	x.canon = p.out.String()
	if p.firstClose == len(x.canon)-1 && p.scaledFrom > 0 {
		x.scaled = true
		x.inner = x.canon[p.scaledFrom : len(x.canon)-1]
	}
	return x, p.diags
}

// pending is an operator or parenthesis whose right side is not read yet.
type pending struct {
	op    opcode // opLiteral for a parenthesis alone
	paren bool   // a parenthesis, that of a function when op is opCall
	prec  int8
	arg   int32
	at    int32
	test  int32 // the node of the test of && and ||
}

// parser is an operator-precedence parser with its own stack.
type parser struct {
	Text
	check  func(*Ref) *Problem
	x      *Expr
	pos    int
	stack  []pending
	height int // values on the stack now
	out    strings.Builder
	diags  diag.List
	failed bool
	tokens int

	// scaledFrom is where the text behind "FLOAT * (" begins in out, 0 when
	// the text does not begin so; firstClose is where its parenthesis closes.
	scaledFrom, firstClose int
	floatFirst             bool // so far there is a float, or a float and "*"
}

func (p *parser) fail(off int, code, format string, args ...any) {
	if !p.failed {
		p.diags.Add(p.errorAt(off, code, fmt.Sprintf(format, args...)))
	}
	p.failed = true
}

// remark adds a warning.
func (p *parser) remark(off int, msg string) {
	e := p.errorAt(off, "expr/misprint", msg)
	e.Severity = diag.SeverityWarning
	p.diags.Add(e)
}

func (p *parser) skip() {
	for p.pos < len(p.S) && (p.S[p.pos] == ' ' || p.S[p.pos] == '\t') {
		p.pos++
	}
}

func (p *parser) rest() string { return p.S[p.pos:] }

// found describes what stands at the current place.
func (p *parser) found() string {
	r := p.rest()
	switch {
	case r == "":
		return "the end of the expression"
	case IsLetter(r[0]):
		return quote(Word(r))
	}
	for _, c := range r {
		return quote(string(c))
	}
	return ""
}

// parse reads the whole text: operands and operators by turns.
func (p *parser) parse() {
	for !p.failed {
		for !p.failed && p.prefix() {
		}
		p.operand()
		for !p.failed && p.closing() {
		}
		if p.failed || p.pos == len(p.S) {
			break
		}
		p.binary()
	}
	for !p.failed && len(p.stack) > 0 {
		if top := p.stack[len(p.stack)-1]; top.paren {
			p.fail(len(p.S), "expr/syntax", "found the end of the expression, expected \")\" for the \"(\" at column %d; an expression ends with its line", p.Pos.Col+int(top.at))
			return
		}
		p.pop()
	}
}

// prefix reads a unary operator, "(" or a function with its "(".
func (p *parser) prefix() bool {
	r := p.rest()
	if r == "" {
		return false
	}
	switch c := r[0]; {
	case c == '(':
		if p.floatFirst && p.tokens == 2 {
			p.scaledFrom = p.out.Len() + 1
		}
		p.push(pending{paren: true, at: int32(p.pos)}, "(", 1)
		return true
	case c == '-' || c == '!' || c == '~' || c == '^':
		if c == '^' {
			p.remark(p.pos, "found \"^\" before an operand, a misprint of the report, read as ~")
			c = '~'
		}
		i := strings.IndexByte("-!~", c)
		p.push(pending{op: opUnary, prec: precUnary, arg: int32(i), at: int32(p.pos)}, string(c), 1)
		return true
	case IsLetter(c):
		word := Word(r)
		i := functionIndex(word)
		if i < 0 {
			return false
		}
		at := p.pos
		p.pos += len(word)
		p.skip()
		if !strings.HasPrefix(p.rest(), "(") {
			p.fail(p.pos, "expr/syntax", "found %s, expected \"(\" after the function %s", p.found(), word)
			return false
		}
		p.push(pending{op: opCall, paren: true, arg: int32(i), at: int32(at)}, word+"(", 1)
		return true
	}
	return false
}

func (p *parser) push(e pending, text string, width int) {
	p.stack = append(p.stack, e)
	p.token(text)
	p.pos += width
	p.skip()
}

func (p *parser) token(text string) {
	p.out.WriteString(text)
	p.tokens++
}

// operand reads a number or a reference.
func (p *parser) operand() {
	if p.failed {
		return
	}
	r := p.rest()
	switch {
	case StartsNumber(r):
		n, width, problem := ScanNumber(r)
		if problem != "" {
			p.fail(p.pos, "expr/number", "%s", problem)
			return
		}
		p.floatFirst = p.tokens == 0 && !n.IsInt()
		p.emit(opLiteral, len(p.x.literals), p.pos)
		p.x.literals = append(p.x.literals, n.Value)
		p.token(n.String())
		p.pos += width
		p.skip()
	case r != "" && IsLetter(r[0]):
		p.reference()
	default:
		p.fail(p.pos, "expr/syntax", "found %s, expected a number, a reference, a function or \"(\"", p.found())
	}
}

// reference reads part { "." part }.
func (p *parser) reference() {
	at := p.pos
	ref := &Ref{}
	for {
		word := Word(p.rest())
		if word == "" {
			p.fail(p.pos, "expr/syntax", "found %s, expected the name of a field after \".\"", p.found())
			return
		}
		part := Part{Word: word, Off: p.pos}
		p.pos += len(word)
		p.skip()
		for strings.HasPrefix(p.rest(), "(") {
			a, ok := p.index(word)
			if !ok {
				return
			}
			part.Args = append(part.Args, a)
		}
		ref.Parts = append(ref.Parts, part)
		if p.comma(ref) {
			p.remark(p.pos, fmt.Sprintf("found \",\" after %s, a misprint of the report, read as \".\"", word))
		} else if !strings.HasPrefix(p.rest(), ".") {
			break
		}
		p.pos++
		p.skip()
	}
	if p.check != nil {
		if pr := p.check(ref); pr != nil {
			e := p.errorAt(pr.Off, pr.Code, pr.Msg)
			if pr.Warning {
				e.Severity = diag.SeverityWarning
			} else {
				p.failed = true
			}
			p.diags.Add(e)
		}
	}
	p.emit(opRef, len(p.x.refs), at)
	p.x.refs = append(p.x.refs, ref)
	p.token(ref.String())
}

// comma reports whether a comma stands where the report prints one for a dot: in
// pv,send.
func (p *parser) comma(ref *Ref) bool {
	r := p.rest()
	if len(ref.Parts) != 1 || len(ref.Parts[0].Args) != 0 || !strings.HasPrefix(r, ",") {
		return false
	}
	r = strings.TrimLeft(r[1:], " \t")
	return r != "" && IsLetter(r[0])
}

// index reads "(" integer ")" behind a word of a reference.
func (p *parser) index(word string) (int64, bool) {
	p.pos++
	p.skip()
	if !StartsNumber(p.rest()) {
		p.fail(p.pos, "expr/syntax", "found %s, expected an integer; references take no expressions, and %s is no function", p.found(), word)
		return 0, false
	}
	n, width, problem := ScanNumber(p.rest())
	if problem == "" && !n.IsInt() {
		problem = fmt.Sprintf("found %s, expected an integer", quote(p.S[p.pos:p.pos+width]))
	}
	if problem != "" {
		p.fail(p.pos, "expr/number", "%s", problem)
		return 0, false
	}
	p.pos += width
	p.skip()
	if !strings.HasPrefix(p.rest(), ")") {
		p.fail(p.pos, "expr/syntax", "found %s, expected \")\"; references take one integer, no expressions", p.found())
		return 0, false
	}
	p.pos++
	p.skip()
	return n.i, true
}

// closing reads ")" behind an operand.
func (p *parser) closing() bool {
	if !strings.HasPrefix(p.rest(), ")") {
		return false
	}
	for len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		if !top.paren {
			p.pop()
			continue
		}
		p.stack = p.stack[:len(p.stack)-1]
		if top.op == opCall {
			p.emit(opCall, int(top.arg), int(top.at))
		}
		if len(p.stack) == 1 && p.firstClose == 0 {
			p.firstClose = p.out.Len()
		}
		p.token(")")
		p.pos++
		p.skip()
		return true
	}
	p.fail(p.pos, "expr/syntax", "found \")\", expected an operator or the end; there is no \"(\" before it")
	return false
}

// binary reads a binary operator. The table lists longer operators before
// those that begin them.
func (p *parser) binary() {
	r := p.rest()
	for i := range binaries {
		op := &binaries[i]
		if !strings.HasPrefix(r, op.text) || op.text == "&" && strings.HasPrefix(r, "&&") || op.text == "|" && strings.HasPrefix(r, "||") {
			continue
		}
		p.floatFirst = p.floatFirst && p.tokens == 1 && op.text == "*"
		for len(p.stack) > 0 {
			top := p.stack[len(p.stack)-1]
			if top.paren || int(top.prec) < op.prec || int(top.prec) == op.prec && op.right {
				break
			}
			p.pop()
		}
		e := pending{op: opBinary, prec: int8(op.prec), arg: int32(i), at: int32(p.pos)}
		switch op.prec {
		case precAnd:
			e.test = int32(p.emit(opAnd, 0, p.pos))
		case precOr:
			e.test = int32(p.emit(opOr, 0, p.pos))
		}
		p.push(e, " "+op.text+" ", len(op.text))
		return
	}
	hint := ""
	if r[0] == '=' {
		hint = "; equality is written =="
	}
	p.fail(p.pos, "expr/syntax", "found %s, expected an operator, \")\" or the end of the line%s", p.found(), hint)
}

// pop moves the operator on top of the stack behind its operands.
func (p *parser) pop() {
	top := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	p.emit(top.op, int(top.arg), int(top.at))
	if top.op == opBinary && (int(top.prec) == precAnd || int(top.prec) == precOr) {
		p.x.nodes[top.test].arg = int32(len(p.x.nodes))
	}
}

// emit appends a node, returns its place and follows the height of the stack.
func (p *parser) emit(op opcode, arg, at int) int {
	switch op {
	case opLiteral, opRef:
		p.height++
		p.x.depth = max(p.x.depth, p.height)
	case opBinary:
		p.height--
	}
	p.x.nodes = append(p.x.nodes, node{op: op, arg: int32(arg), at: int32(at)})
	return len(p.x.nodes) - 1
}

// Scaled returns the expression factor * (x). An expression that has this
// form already, with a float for the factor, gets the product of the factors.
// The factor must be finite and not negative, and so must the product.
func (x *Expr) Scaled(factor float64) *Expr {
	s := &Expr{text: x.text, refs: x.refs, depth: x.depth, scaled: true, inner: x.canon}
	if x.scaled {
		s.literals = append([]Value{}, x.literals...)
		s.literals[0] = Double(factor * x.literals[0].f)
		s.nodes, s.inner = x.nodes, x.inner
	} else {
		s.literals = append(append(s.literals, Double(factor)), x.literals...)
		s.nodes = append(s.nodes, node{op: opLiteral})
		for _, n := range x.nodes {
			switch n.op {
			case opLiteral, opAnd, opOr:
				n.arg++
			}
			s.nodes = append(s.nodes, n)
		}
		for i := range binaries {
			if binaries[i].text == "*" {
				s.nodes = append(s.nodes, node{op: opBinary, arg: int32(i)})
			}
		}
		s.depth++
	}
	s.canon = FormatFloat(s.literals[0].f) + " * (" + s.inner + ")"
	return s
}

// Factor returns the factor of an expression of the form FLOAT * (...), else
// 1.
func (x *Expr) Factor() float64 {
	if x.scaled {
		return x.literals[0].f
	}
	return 1
}
