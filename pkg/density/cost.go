package density

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// Traced is the loop cost that stands for the times of the processes that were
// traced.
const Traced = "traced"

// maxIndex is the highest index that an expression may name.
const maxIndex = 64

// Cost is what the iterations of a loop cost relative to each other, as a user
// says it: FILE:LINE=EXPR, an expression in the loop's indices I1, I2, ..., or a
// product of expressions in one index each.
type Cost struct {
	// Text is what the user wrote.
	Text string
	// File and Line are those of the loop.
	File string
	Line int
	// Rank is the highest index that the expression names, 0 for none.
	Rank int

	// constant are the factors without an index, of[d] those in index d+1.
	constant []*expr.Expr
	of       [][]*expr.Expr
	scope    *scope
	known    map[alongKey]along
	values   int64 // how many known is about

	evaluator *expr.Evaluator
}

// Costs are the loop costs of a simulation.
type Costs struct {
	Given  []*Cost
	Traced bool
}

// ParseCosts reads a list of loop costs, each FILE:LINE=EXPR or [Traced].
func ParseCosts(texts []string) (Costs, error) {
	var cs Costs
	for _, text := range texts {
		if text == Traced {
			cs.Traced = true
			continue
		}
		c, err := ParseCost(text)
		if err != nil {
			return Costs{}, err
		}
		for _, d := range cs.Given {
			if d.File == c.File && d.Line == c.Line {
				return Costs{}, fmt.Errorf("found %q and %q, expected one cost for a loop", d.Text, c.Text)
			}
		}
		cs.Given = append(cs.Given, c)
	}
	return cs, nil
}

// ParseCost reads FILE:LINE=EXPR.
func ParseCost(text string) (*Cost, error) {
	place, formula, ok := strings.Cut(text, "=")
	colon := strings.LastIndexByte(place, ':')
	if !ok || colon < 1 {
		return nil, fmt.Errorf("found %q, expected %s, or FILE:LINE=EXPR such as 'lu.fdv:16=I1'", text, Traced)
	}
	line, err := strconv.Atoi(place[colon+1:])
	if err != nil || line < 1 {
		return nil, fmt.Errorf("found %q, expected the number of a line behind %s, such as '%s16=I1'", text, place[:colon+1], place[:colon+1])
	}
	c := &Cost{Text: text, File: place[:colon], Line: line, scope: &scope{}, known: map[alongKey]along{}}
	x, diags := expr.Parse(expr.Text{S: formula, Pos: diag.Pos{Line: 1, Col: 1}}, checkIndex)
	if x == nil {
		e := diags[len(diags)-1]
		return nil, fmt.Errorf("found %q: at character %d of the expression: %s", text, e.Pos.Col, e.Msg)
	}
	return c, c.split(x)
}

// checkIndex is what is wrong with a reference: only indices are known.
func checkIndex(r *expr.Ref) *expr.Problem {
	if _, ok := indexOf(r); ok {
		return nil
	}
	return &expr.Problem{Off: r.Parts[0].Off, Code: "cost/index", Msg: fmt.Sprintf("found %s, expected an index I1, I2, ... of the loop, the outermost first", r)}
}

// indexOf returns which index r names, from 0 on.
func indexOf(r *expr.Ref) (int, bool) {
	digits, ok := strings.CutPrefix(r.Parts[0].Word, "I")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > maxIndex || digits[0] == '0' || len(r.Parts) > 1 || len(r.Parts[0].Args) > 0 {
		return 0, false
	}
	return n - 1, true
}

// split assigns the factors of x to the indices.
func (c *Cost) split(x *expr.Expr) error {
	factors := []*expr.Expr{x}
	if len(indices(x)) > 1 {
		factors = x.Factors()
	}
	for _, f := range factors {
		in := indices(f)
		switch {
		case len(in) == 0:
			c.constant = append(c.constant, f)
			continue
		case len(in) > 1:
			return fmt.Errorf("found %q, a factor of which has the indices I%d and I%d, expected an expression in one index, or a product of such, as I1*(I2+1): the costs of a block are added up one index at a time", c.Text, in[0]+1, in[1]+1)
		}
		d := in[0]
		for len(c.of) <= d {
			c.of = append(c.of, nil)
		}
		c.of[d] = append(c.of[d], f)
	}
	c.Rank = len(c.of)
	return nil
}

// indices lists the indices that x names, in the order of the text.
func indices(x *expr.Expr) []int {
	var in []int
	seen := [maxIndex]bool{}
	for _, r := range x.Refs() {
		if d, _ := indexOf(r); !seen[d] {
			seen[d] = true
			in = append(in, d)
		}
	}
	return in
}

// Names reports whether c is for the loop at a line of a file. A file without a
// directory is one of that name in any.
func (c *Cost) Names(file string, line int) bool {
	return c.Line == line && (c.File == file || c.File == path.Base(file))
}

// scope is the values of the indices.
type scope struct{ values [maxIndex]*expr.Variable }

func (s *scope) Variable(r *expr.Ref) (*expr.Variable, error) {
	d, ok := indexOf(r)
	if !ok {
		return nil, fmt.Errorf("found %s, expected an index", r)
	}
	if s.values[d] == nil {
		s.values[d] = &expr.Variable{Name: r.String()}
	}
	return s.values[d], nil
}
