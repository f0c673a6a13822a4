package expr_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dvmtools/internal/leftout"
	"dvmtools/pkg/expr"
)

// TestAgainstC compares thousands of generated expressions with a C compiler:
// precedence, associativity, types and values. Powers and overflow, which C
// lacks or leaves open, are not among them, nor functions whose last bit
// differs between libraries.
func TestAgainstC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		leftout.Skip(t, "expressions against a C compiler: needs the program gcc")
		return
	}
	const wanted = 3000
	g := generator{rand.New(rand.NewPCG(1994, 3))}
	var texts, values []string
	var program strings.Builder
	program.WriteString(prelude)
	for tried := 0; len(texts) < wanted; tried++ {
		if tried > 20*wanted {
			t.Fatalf("only %d of %d generated expressions have a value", len(texts), tried)
		}
		e := g.expr(1 + g.IntN(6))
		x, list := expr.Parse(at(e.text), nil)
		if x == nil {
			t.Fatalf("generated %s: %v", e.text, list)
		}
		r, errEval := expr.NewEvaluator(scope{}, false).Eval(x)
		if errEval != nil || e.invalid {
			continue
		}
		texts = append(texts, e.text)
		values = append(values, inC(r.Value))
		// A function for each expression keeps the compiler quick.
		fmt.Fprintf(&program, "static void f%d(void) { P(%s); }\n", len(texts)-1, e.c)
	}
	program.WriteString("int main(void) {\n")
	for i := range texts {
		fmt.Fprintf(&program, "f%d();\n", i)
	}
	program.WriteString("return 0; }\n")
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "e.c"), filepath.Join(dir, "e")
	if err := os.WriteFile(source, []byte(program.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), gcc, "-std=c11", "-w", "-O0", "-ffp-contract=off", "-o", binary, source, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%.2000s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary).Output()
	if err != nil {
		t.Fatalf("the program of %d expressions: %v", len(texts), err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(texts) {
		t.Fatalf("%d results for %d expressions", len(lines), len(texts))
	}
	differ := 0
	for i, text := range texts {
		if lines[i] != values[i] {
			if differ++; differ < 10 {
				t.Errorf("%s\n C has %s, we have %s", text, lines[i], values[i])
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d expressions differ", differ, len(texts))
	}
}

// prelude prints an integer in decimal after "i", a double by its bits after
// "d", so that the type is compared too and -0 is not 0.
const prelude = `#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void pi(int64_t v) { printf("i%" PRId64 "\n", v); }
static void pd(double v) { uint64_t b; memcpy(&b, &v, 8); printf("d%" PRIx64 "\n", b); }
#define P(e) _Generic((e), double: pd, default: pi)(e)
#define sgn(v) ((int64_t)(((v) > 0) - ((v) < 0)))
#define toabs(v) _Generic((v), double: fabs, default: llabs)(v)
`

func inC(v expr.Value) string {
	if i, ok := v.Int(); ok {
		return "i" + strconv.FormatInt(i, 10)
	}
	return "d" + strconv.FormatUint(math.Float64bits(v.Float()), 16)
}

// generated is an expression in both languages. narrow says that C computes
// it as an int of 32 bits: a comparison, which may be no operand of an
// operator that could then overflow. A C compiler refuses a wrong type also
// where nothing is evaluated, so types are followed.
type generated struct {
	text, c string
	prec    int
	narrow  bool
	double  bool
	invalid bool // an operator for integers has a double operand
}

type generator struct{ *rand.Rand }

// cOps are the operators that both languages have, with the precedences of C
// as its grammar states them; 12 is a unary expression, 13 a primary one.
var cOps = []struct {
	text string
	prec int
}{
	{"*", 11}, {"/", 11}, {"%", 11}, {"+", 10}, {"-", 10}, {"<<", 9}, {">>", 9}, {"<", 8}, {"<=", 8}, {">", 8}, {">=", 8},
	{"==", 7}, {"!=", 7}, {"&", 6}, {"^", 5}, {"|", 4}, {"&&", 3}, {"||", 2},
}

// cFunctions are functions whose results are the same to the last bit.
var cFunctions = [][2]string{
	{"abs", "toabs"}, {"sqrt", "sqrt"}, {"floor", "floor"}, {"int", "(int64_t)"}, {"double", "(double)"}, {"round", "(int64_t)llround"}, {"sgn", "sgn"},
}

func (g generator) expr(depth int) generated {
	if depth == 0 {
		return g.leaf()
	}
	switch g.IntN(8) {
	case 0:
		op, a := "-!~"[g.IntN(3)], g.expr(depth-1)
		a = g.enclose(a, a.prec < 12)
		return generated{string(op) + a.text, string(op) + " " + a.c, 12, a.narrow || op == '!', a.double && op != '!', a.invalid || op == '~' && a.double}
	case 1:
		f, a := cFunctions[g.IntN(len(cFunctions))], g.expr(depth-1)
		return generated{f[0] + "(" + a.text + ")", f[1] + "(" + a.c + ")", 13, false, strings.Contains("sqrt floor double", f[0]) || f[0] == "abs" && a.double, a.invalid}
	}
	op := cOps[g.IntN(len(cOps))]
	a, b := g.expr(depth-1), g.expr(g.IntN(depth))
	if op.prec >= 9 && a.narrow && b.narrow || op.prec == 9 && a.narrow {
		a = g.leaf()
	}
	if op.prec == 9 && g.IntN(8) > 0 { // a count that is likely to be in range
		n := strconv.Itoa(g.IntN(20))
		b = generated{text: n, c: n + "LL", prec: 13}
	}
	// Parentheses where the tree needs them, and sometimes where it does not.
	a = g.enclose(a, a.prec < op.prec)
	b = g.enclose(b, b.prec <= op.prec)
	return generated{a.text + op.text + b.text, a.c + " " + op.text + " " + b.c, op.prec,
		op.prec < 9 && (op.prec >= 7 || op.prec <= 3 || a.narrow && b.narrow),
		op.prec >= 10 && (a.double || b.double), a.invalid || b.invalid || (a.double || b.double) && slices.Contains([]string{"%", "<<", ">>", "&", "^", "|"}, op.text)}
}

func (g generator) enclose(e generated, needed bool) generated {
	if !needed && g.IntN(10) > 0 {
		return e
	}
	e.text, e.c, e.prec = "("+e.text+")", "("+e.c+")", 13
	return e
}

func (g generator) leaf() generated {
	switch g.IntN(6) {
	case 0:
		s := []string{"0.5", "2.", "1.5e3", "0.1", ".25", "1e2", "3.0"}[g.IntN(7)]
		return generated{text: s, c: s, prec: 13, double: true}
	case 1:
		s := "0x" + strconv.FormatInt(g.Int64N(1<<20), 16)
		return generated{text: s, c: s + "LL", prec: 13}
	}
	s := strconv.Itoa(g.IntN(12))
	if g.IntN(10) == 0 {
		s = strconv.FormatInt(g.Int64N(1<<40), 10)
	}
	return generated{text: s, c: s + "LL", prec: 13}
}
