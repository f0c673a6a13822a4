package expr_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// scope is a set of variables for tests.
type scope map[string]*expr.Variable

func (s scope) Variable(r *expr.Ref) (*expr.Variable, error) {
	if v := s[r.String()]; v != nil {
		return v, nil
	}
	return nil, errors.New("found no " + r.String() + ", expected a definition")
}

// define adds a variable with an expression.
func (s scope) define(t *testing.T, name, text string) {
	t.Helper()
	s[name] = &expr.Variable{Name: name, Pos: diag.Pos{File: "t", Line: len(s) + 1, Col: 1}, Expr: parse(t, text)}
}

func parse(t testing.TB, text string) *expr.Expr {
	t.Helper()
	x, list := expr.Parse(at(text), nil)
	if err := list.Err(); err != nil || x == nil {
		t.Fatalf("%.200q: %v", text, err)
	}
	return x
}

func at(text string) expr.Text {
	return expr.Text{S: text, Pos: diag.Pos{File: "t", Line: 1, Col: 1}, Line: text}
}

// value evaluates a text to its value or its error without position.
func value(t testing.TB, s expr.Scope, text string) string {
	t.Helper()
	x, list := expr.Parse(at(text), nil)
	if x == nil {
		return list[0].Msg
	}
	r, err := expr.NewEvaluator(s, false).Eval(x)
	if err != nil {
		return err.Msg
	}
	return r.String()
}

func TestValues(t *testing.T) {
	s := scope{}
	s.define(t, "pt(1).ila", "2.5")
	s.define(t, "a", "7")
	s.define(t, "tl(1)(2).connect(0)", "3")
	for _, c := range []struct{ text, want string }{
		// Precedence, one pair of neighbours after the other.
		{"-2**2", "-4"}, {"2**3**2", "512"}, {"2**-1", "0.5"}, {"2**-1*4", "2.0"}, {"2**-2**2", "0.0625"},
		{"-3%2", "-1"}, {"~1*2", "-4"}, {"!0+1", "2"}, {"2+3*4", "14"}, {"2*3+4", "10"}, {"7/2*2", "6"}, {"7*2/4", "3"}, {"9%5%3", "1"},
		{"1-2-3", "-4"}, {"1<<2+1", "8"}, {"16>>1<<2", "32"}, {"1<<1<3", "1"}, {"3>2>1", "0"}, {"1<2==1", "1"}, {"2==2<3", "0"},
		{"2&2==2", "0"}, {"6&3^1", "3"}, {"1^3|4", "6"}, {"4|1&&0", "0"}, {"1||0&&0", "1"}, {"0&&0||1", "1"}, {"1||1/0", "1"}, {"0&&1/0", "0"},
		{"(1+2)*3", "9"}, {"- -3", "3"}, {"--3", "3"}, {"!!5", "1"}, {"~~5", "5"}, {"a -1.0", "6.0"}, {"-2.0**2", "-4.0"}, {"2-1", "1"}, {"2 -1", "1"},
		// Types.
		{"7/2", "3"}, {"-7/2", "-3"}, {"-7%2", "-1"}, {"7%-2", "1"}, {"7/2.0", "3.5"}, {"1/2 + 0.5", "0.5"}, {"1==1.0", "1"}, {"2.5>2", "1"},
		{"sgn(-2.5)", "-1"}, {"sgn(0)", "0"}, {"sgn(3)", "1"}, {"int(-2.7)", "-2"}, {"round(2.5)", "3"}, {"round(-2.5)", "-3"}, {"round(0.49999999999999994)", "0"},
		{"floor(-2.5)", "-3.0"}, {"floor(3)", "3.0"}, {"abs(-3)", "3"}, {"abs(-3.5)", "3.5"}, {"double(7)/2", "3.5"}, {"int(7)", "7"}, {"round(7)", "7"},
		{"sqrt(4)", "2.0"}, {"log(1)", "0.0"}, {"log10(1000)", "3.0"}, {"exp(0)", "1.0"}, {"atan(0)", "0.0"}, {"cosh(0)", "1.0"}, {"tanh(0)", "0.0"}, {"acos(1)", "0.0"},
		{"2**10", "1024"}, {"0**0", "1"}, {"(-1)**3", "-1"}, {"(-1)**4", "1"}, {"(-2)**63", "-9223372036854775808"}, {"4**0.5", "2.0"}, {"2.0**3", "8.0"},
		{"1 && 2.5", "1"}, {"0.0 || 0", "0"}, {"!0.0", "1"}, {"!0.5", "0"}, {"-8>>1", "-4"}, {"-1<<63", "-9223372036854775808"}, {"5^3", "6"},
		{"0x1F", "31"}, {"0xff", "255"}, {"1.", "1.0"}, {".5", "0.5"}, {"1e-6", "1.0e-6"}, {"1.5E+3", "1500.0"}, {"9223372036854775807", "9223372036854775807"},
		// Blanks and references.
		{" pt ( 1 ) . ila\t* 4", "10.0"}, {"pt(0x1).ila", "2.5"}, {"tl(1)(2).connect(0)", "3"},
		// What has no value.
		{"1/0", "found 1 / 0, expected a divisor that is not zero"}, {"1.0/0", "found 1.0 / 0, expected a divisor that is not zero"},
		{"1%0", "found 1 % 0, expected a divisor that is not zero"}, {"0**-1", "found 0 ** -1, expected a divisor that is not zero"},
		{"9223372036854775807+1", "found 9223372036854775807 + 1, expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"-9223372036854775807-2", "found -9223372036854775807 - 2, expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"4294967296*2147483648", "found 4294967296 * 2147483648, expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"-(-1<<63)", "found - of -9223372036854775808, an integer, expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"(-1<<63)/-1", "found -9223372036854775808 / -1, expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"abs(-1<<63)", "found abs(-9223372036854775808), expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"2**63", "found 2 ** 63, expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"1<<63", "found 1 << 63, expected a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"},
		{"1<<64", "found 1 << 64, expected a shift count from 0 to 63"}, {"1>>-1", "found 1 >> -1, expected a shift count from 0 to 63"},
		{"5%2.0", "found 5 % 2.0, an integer and a double, expected integers; use int(...)"}, {"1.5|1", "found 1.5 | 1, a double and an integer, expected integers; use int(...)"},
		{"~1.0", "found ~ of 1.0, a double, expected integers; use int(...)"}, {"log(0)", "found log(0), expected arguments for which the result is defined"},
		{"sqrt(-1)", "found sqrt(-1), expected arguments for which the result is defined"}, {"acos(2)", "found acos(2), expected arguments for which the result is defined"},
		{"(-8)**(1/3.0)", "found -8 ** 0.3333333333333333, expected arguments for which the result is defined"},
		{"exp(1000)", "found exp(1000), expected a finite result"}, {"1e308*10", "found 1.0e308 * 10, expected a finite result"},
		{"int(1e30)", "found int(1.0e30), expected a number within -2^63..2^63-1"}, {"b+1", "found no b, expected a definition"},
		// What is no expression.
		{"", `found the end of the expression, expected a number, a reference, a function or "("`},
		{"1+", `found the end of the expression, expected a number, a reference, a function or "("`},
		{"(1", `found the end of the expression, expected ")" for the "(" at column 1; an expression ends with its line`},
		{"1)", `found ")", expected an operator or the end; there is no "(" before it`},
		{"1 2", `found "2", expected an operator, ")" or the end of the line`},
		{"1=2", `found "=", expected an operator, ")" or the end of the line; equality is written ==`},
		{"a,", `found ",", expected an operator, ")" or the end of the line`}, {"pt(1),ila", `found ",", expected an operator, ")" or the end of the line`},
		{"sin 1", `found "1", expected "(" after the function sin`},
		{"pt(1.5).ila", `found "1.5", expected an integer`}, {"pt(1+1).ila", `found "+", expected ")"; references take one integer, no expressions`},
		{"pt(1).", `found the end of the expression, expected the name of a field after "."`},
		{"pt(-1).ila", `found "-", expected an integer; references take no expressions, and pt is no function`},
		{"9223372036854775808", `found "9223372036854775808", expected an integer up to 9223372036854775807`},
		{"0x8000000000000000", `found "0x8000000000000000", expected at most 0x7FFFFFFFFFFFFFFF`},
		{"0x", `found "0x", expected 0x and hexadecimal digits`}, {"0X1", `found "0X1", expected 0x and hexadecimal digits`}, {"0x1G", `found "0x1G", expected 0x and hexadecimal digits`},
		{"1e", `found "1e", expected a number; put a blank or an operator behind "1"`}, {"1.5.5", `found "1.5.5", expected a number; put a blank or an operator behind "1.5"`},
		{"1e999", `found "1e999", expected a number below 1.8e308`}, {"1e-999", `found "1e-999", expected 0 or a number from 5e-324`},
		{"1 $", `found "$", expected an operator, ")" or the end of the line`}, {"é", `found "é", expected a number, a reference, a function or "("`},
	} {
		if got := value(t, s, c.text); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// Misprints of the report's appendix are read as what the text of its sections has,
// with a warning, and printed so.
func TestMisprints(t *testing.T) {
	for _, c := range []struct{ text, canonical, remark string }{
		{"^1", "~1", `1: found "^" before an operand, a misprint of the report, read as ~`},
		{"2 ^ ^1", "2 ^ ~1", `5: found "^" before an operand`},
		{"pv,send", "pv.send", `3: found "," after pv, a misprint of the report, read as "."`},
		{"1+pv , send*2", "1 + pv.send * 2", `6: found "," after pv`},
	} {
		x, list := expr.Parse(at(c.text), nil)
		if list.Err() != nil || x.String() != c.canonical || len(list) != 1 || !strings.HasPrefix(fmt.Sprintf("%d: %s", list[0].Pos.Col, list[0].Msg), c.remark) {
			t.Errorf("%s: %v, %v", c.text, x, list)
		}
	}
}

// TestPositions has errors at the operator or operand, not at the start.
func TestPositions(t *testing.T) {
	for text, col := range map[string]int{
		"1 + (2 / 0)": 8, "1 + b": 5, "2 + sqrt(-1)": 5, "1 + 1e999": 5, "(1 + 2": 7, "1 2": 3, "3 % 2.0": 3, "1 + ~2.0": 5,
	} {
		x, list := expr.Parse(at(text), nil)
		var got *diag.Error
		if x == nil {
			got = list[0]
		} else {
			_, got = expr.NewEvaluator(scope{}, false).Eval(x)
		}
		if got == nil || got.Pos.Col != col || got.Pos.Line != 1 || got.Source != text {
			t.Errorf("%s: %v, want column %d", text, got, col)
		}
	}
}

// TestCanonical prints expressions: blanks are canonical, parentheses and
// hexadecimal integers are kept.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"(4*pt( 1).ila+2 *pt(1) .ils)/pr(1).s": "(4 * pt(1).ila + 2 * pt(1).ils) / pr(1).s",
		"- 2 ** - 1":                           "-2 ** -1",
		"1- -1":                                "1 - -1",
		"abs ( - x )":                          "abs(-x)",
		"0xfF+.5e1":                            "0xFF + 5.0",
		"!a&&~b||c":                            "!a && ~b || c",
		"((1))":                                "((1))",
	} {
		got := parse(t, text).String()
		if got != want {
			t.Errorf("%q is printed %q, want %q", text, got, want)
		}
		if again := parse(t, got).String(); again != got {
			t.Errorf("%q is printed %q", got, again)
		}
	}
}

// TestLazyAndRemembered: what && and || decide is not looked up, and a chain
// in which each variable uses the one before twice is computed once for each.
func TestLazyAndRemembered(t *testing.T) {
	s := scope{}
	s.define(t, "self", "self + 1")
	s.define(t, "broken", "1 / 0")
	for text, want := range map[string]string{"0 && missing": "0", "1 || self": "1", "0 && broken": "0"} {
		if got := value(t, s, text); got != want {
			t.Errorf("%s = %s, want %s", text, got, want)
		}
	}
	s.define(t, "v0", "1.0")
	for i := 1; i <= 60; i++ {
		s.define(t, fmt.Sprintf("v%d", i), fmt.Sprintf("v%d + v%d", i-1, i-1))
	}
	if got, want := value(t, s, "v60"), expr.FormatFloat(1<<60); got != want {
		t.Errorf("v60 = %s, want %s", got, want)
	}
}

func TestCycle(t *testing.T) {
	s := scope{}
	s.define(t, "a", "1 + b")
	s.define(t, "b", "c * 2")
	s.define(t, "c", "0 || a")
	s.define(t, "d", "a")
	want := "found a value that depends on itself, expected references without a circle: a (line 1) -> b (line 2) -> c (line 3) -> a"
	if got := value(t, s, "1 + d"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Every member and d have no value now, with the same error.
	ev := expr.NewEvaluator(s, false)
	_, first := ev.Variable(s["a"])
	for _, name := range []string{"b", "c", "d"} {
		_, err := ev.Variable(s[name])
		if (name == "d") != (err == first) && first == nil || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostile has texts that would fill the stack of a parser or evaluator
// that recurses.
func TestHostile(t *testing.T) {
	const n, million = 200_000, 1_000_000
	for name, c := range map[string]struct{ text, want string }{
		"parentheses": {strings.Repeat("(", million) + "7" + strings.Repeat(")", million), "7"},
		"unclosed":    {strings.Repeat("(", million), `found the end of the expression, expected a number, a reference, a function or "("`},
		"minus":       {strings.Repeat("-", n) + "7", "7"},
		"not":         {strings.Repeat("!", n) + "7", "1"},
		"functions":   {strings.Repeat("abs(", n) + "7" + strings.Repeat(")", n), "7"},
		"sum":         {strings.Repeat("1+", n) + "7", "200007"},
		"power":       {strings.Repeat("1**", n) + "7", "1"},
		"and":         {strings.Repeat("1&&", n) + "7", "1"},
		"or":          {strings.Repeat("0||(", n) + "7" + strings.Repeat(")", n), "1"},
	} {
		if got := value(t, scope{}, c.text); got != c.want {
			t.Errorf("%s: %.200s, want %s", name, got, c.want)
		}
	}
	// A chain of references and a circle of them.
	s := scope{}
	for i := range 100_000 {
		s.define(t, fmt.Sprintf("v%d", i), fmt.Sprintf("v%d + 1", i+1))
	}
	if got := value(t, s, "v0"); !strings.Contains(got, "found no v100000") {
		t.Errorf("chain: %.200s", got)
	}
	s.define(t, "v100000", "5")
	if got := value(t, s, "v0"); got != "100005" {
		t.Errorf("chain: %.200s", got)
	}
	s.define(t, "v100000", "v0")
	got := value(t, s, "v0")
	if !strings.Contains(got, "v1 (line 2) -> ") || !strings.Contains(got, "99981 more") || len(got) > 1000 {
		t.Errorf("circle: %.2000s", got)
	}
}

// timing is a measured variable.
func timing(name string, average, sigma float64) *expr.Variable {
	return &expr.Variable{Name: name, Value: expr.Double(average), Measured: true, Deviation: sigma, Known: sigma >= 0}
}

// TestDeviation has results worked by hand: to the first order the variance
// is the sum over the variables of (derivative x deviation) squared.
func TestDeviation(t *testing.T) {
	s := scope{"a": timing("a", 3, 0.3), "b": timing("b", 4, 0.4), "c": timing("c", 5, -1), "z": timing("z", 0, 0.1), "k": {Name: "k", Value: expr.Double(2)}}
	s.define(t, "ab", "a + b")
	for _, c := range []struct {
		text  string
		sigma float64
	}{
		{"a", 0.3}, {"2", 0}, {"k", 0}, {"-a", 0.3}, {"a + 1", 0.3}, {"3 * a", 0.9},
		{"a + a", 0.6}, // not 0.3 x sqrt 2
		{"a - a", 0},   //
		{"a + b", 0.5}, // sqrt(0.09 + 0.16)
		{"ab + a", math.Sqrt(0.36 + 0.16)},
		{"a * b", math.Sqrt(1.44 + 1.44)},       // (4 x 0.3)^2 + (3 x 0.4)^2
		{"a / b", math.Sqrt(0.075 * 0.075 * 2)}, // 0.3/4 and 3 x 0.4 / 16
		{"a ** 2", 1.8}, {"2 ** a", 8 * math.Ln2 * 0.3}, {"sqrt(b)", 0.1}, {"exp(a)", math.Exp(3) * 0.3}, {"log(a)", 0.1},
		{"log10(a)", 0.1 / math.Ln10}, {"sin(a)", math.Abs(math.Cos(3)) * 0.3}, {"cos(a)", math.Sin(3) * 0.3}, {"tan(a)", 0.3 / math.Cos(3) / math.Cos(3)},
		{"asin(a/5)", 0.075}, {"acos(a/5)", 0.075}, {"atan(a)", 0.03}, {"sinh(a)", math.Cosh(3) * 0.3}, {"cosh(a)", math.Sinh(3) * 0.3}, {"tanh(a)", 0.3 / math.Cosh(3) / math.Cosh(3)},
		{"abs(-a)", 0.3}, {"double(a)", 0.3},
		{"int(a) + floor(a) + round(a) + sgn(a) + (a < b) + !a + (a && b)", 0},
		{"floor(c) + a", 0.3}, {"c - c + a", 0.3}, // an unknown deviation that counts nothing
		{"z * a", 0.3}, {"z ** 2", 0}, {"1e-200 * a", 3e-201},
	} {
		ev := expr.NewEvaluator(s, true)
		r, err := ev.Eval(parse(t, c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		d := ev.Deviation(r)
		if math.Abs(d.Sigma-c.sigma) > 1e-14*c.sigma || len(d.Unknown) > 0 || d.Singular {
			t.Errorf("deviation of %s: %+v, want %v", c.text, d, c.sigma)
		}
	}
	for text, want := range map[string]string{"a + c": "c", "c*c": "c", "sqrt(z)": "singular"} {
		ev := expr.NewEvaluator(s, true)
		r, err := ev.Eval(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		d := ev.Deviation(r)
		if want == "singular" && !d.Singular || want == "c" && (len(d.Unknown) != 1 || d.Unknown[0] != s["c"]) {
			t.Errorf("deviation of %s: %+v, want %s", text, d, want)
		}
	}
}

// TestScaled multiplies expressions: factors of an expression that has one
// are multiplied, integers keep their division, and the text reads the same.
func TestScaled(t *testing.T) {
	s := scope{"a": timing("a", 3, 0.3)}
	for _, c := range []struct{ text, want, value string }{
		{"7 / 2", "0.5 * (7 / 2)", "1.5"},
		{"2.0 * (7 / 2)", "1.0 * (7 / 2)", "3.0"},
		{"2 * (7 / 2)", "0.5 * (2 * (7 / 2))", "3.0"},
		{"2.0 * (1) * (3)", "0.5 * (2.0 * (1) * (3))", "3.0"},
		{"2.0 ** (3)", "0.5 * (2.0 ** (3))", "4.0"},
		{"2.0 * (0 && (1 / 0) || 3)", "1.0 * (0 && (1 / 0) || 3)", "1.0"},
		{"0 || a", "0.5 * (0 || a)", "0.5"},
		{"2.0 * ((1) + (a))", "1.0 * ((1) + (a))", "4.0"},
		{"-2.0 * (a)", "0.5 * (-2.0 * (a))", "-3.0"},
	} {
		x := parse(t, c.text).Scaled(0.5)
		if x.String() != c.want {
			t.Errorf("half of %s is %s, want %s", c.text, x, c.want)
		}
		r, err := expr.NewEvaluator(s, false).Eval(x)
		if err != nil || r.String() != c.value {
			t.Errorf("half of %s is %v, %v, want %s", c.text, r, err, c.value)
		}
		if again := value(t, s, x.String()); again != c.value {
			t.Errorf("%s, read again, is %s, want %s", x, again, c.value)
		}
		if y := x.Scaled(4); y.String() != "2.0"+c.want[3:] && y.String() != "4.0"+c.want[3:] {
			t.Errorf("%s times 4 is %s", x, y)
		}
	}
}

// FuzzParse has the properties: no panic; an expression or an error; the text
// of an expression reads as the same text and has the same value or error.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"(4*pt(1).ila + 2*pt(1).ils + pt(1).goto) / pr(1).smallloopspeedup", "1||2&&!3", "-2**-1**~0x1f", "1e5%.5", "2.0*(a)", "tl(1)(2).connect(0)<<1>>2", "(((", "a.b(1)(2).c", "^1^^2", "a , b"} {
		f.Add(s)
	}
	s := scope{"a": timing("a", 3, 0.3), "pt(1).ila": timing("ila", 2, -1)}
	f.Fuzz(func(t *testing.T, text string) {
		x, list := expr.Parse(at(text), nil)
		if (x == nil) != (list.Err() != nil) {
			t.Fatalf("expression %v, error %v", x, list.Err())
		}
		if x == nil {
			if p := list[0].Pos; p.Line != 1 || p.Col < 1 || p.Col > len(text)+1 {
				t.Errorf("the error is at %v", p)
			}
			return
		}
		again := parse(t, x.String())
		if again.String() != x.String() {
			t.Fatalf("%q is printed %q and then %q", text, x, again)
		}
		ev := expr.NewEvaluator(s, true)
		v, err := ev.Eval(x)
		w, errAgain := expr.NewEvaluator(s, true).Eval(again)
		if (err == nil) != (errAgain == nil) || err == nil && v.Value != w.Value || err != nil && err.Msg != errAgain.Msg {
			t.Fatalf("%q has the value %v, %v; printed %q: %v, %v", text, v, err, x, w, errAgain)
		}
		if err != nil {
			return
		}
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			t.Errorf("%q has the value %v", text, f)
		}
		if d := ev.Deviation(v); !d.Singular && (d.Sigma < 0 || math.IsNaN(d.Sigma)) {
			t.Errorf("%q has the deviation %+v", text, d)
		}
		half := x.Scaled(0.5)
		if parse(t, half.String()).String() != half.String() {
			t.Errorf("half of %q is printed %q", text, half)
		}
	})
}
