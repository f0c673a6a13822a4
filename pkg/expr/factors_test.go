package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// numbers are variables with values of their own: a = 2, b = 3, ...
type numbers struct{ all [26]expr.Variable }

func (n *numbers) Variable(r *expr.Ref) (*expr.Variable, error) {
	v := &n.all[r.Parts[0].Word[0]-'a']
	v.Value = expr.Int(int64(r.Parts[0].Word[0]-'a') + 2)
	return v, nil
}

// The factors of an expression, as what they refer to and their values.
func TestFactors(t *testing.T) {
	for text, want := range map[string]string{
		"7":                           "=7",
		"a":                           "a=2",
		"a*b":                         "a=2 b=3",
		"a*b*c":                       "a=2 b=3 c=4",
		"a*(b*(c*d))":                 "a=2 b=3 c=4 d=5",
		"(2*a)*(b+1)":                 "=2 a=2 b=4",
		"-a*b":                        "a=-2 b=3",
		"-(a*b)":                      "ab=-6",
		"a*b+c":                       "abc=10",
		"a*b/c":                       "abc=1",
		"a/2*b":                       "a=1 b=3",
		"(a>1 && b>1)*c":              "ab=1 c=4",
		"c*(a>1 && b>1)":              "c=4 ab=1",
		"a*(0 && c)*(b || d)":         "a=2 c=0 bd=1",
		"sqrt(double(a*2))*abs(b-20)": "a=2.0 b=17",
	} {
		x, diags := expr.Parse(expr.Text{S: text, Pos: diag.Pos{Line: 1, Col: 1}}, nil)
		if x == nil {
			t.Fatal(diags)
		}
		var got []string
		for _, f := range x.Factors() {
			var s strings.Builder
			for _, r := range f.Refs() {
				s.WriteString(r.String())
			}
			v, err := expr.NewEvaluator(&numbers{}, false).Eval(f)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			got = append(got, fmt.Sprintf("%s=%v", s.String(), v.Value))
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: factors %s, want %s", text, g, want)
		}
	}
}
