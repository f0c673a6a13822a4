package ndjson_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ndjson"
)

func TestAppendString(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{"jac.fdv", `"jac.fdv"`},
		{"a long name that has more than eight bytes", `"a long name that has more than eight bytes"`},
		{"it=%d\n\t\r", `"it=%d\n\t\r"`},
		{`say "no" \ yes`, `"say \"no\" \\ yes"`},
		{"\x00\x01\x1f\x7f", "\"\\u0000\\u0001\\u001f\x7f\""},
		{"<a href='x'>&</a>", `"<a href='x'>&</a>"`},
		{"\u2028\u2029 файл 程", "\"\u2028\u2029 файл 程\""},
		{"\xef\xe0\xf1", "\"\uf7ef\uf7e0\uf7f1\""},         // cp1251
		{"a\xffb", "\"a\uf7ffb\""},                         // a byte that UTF-8 never has
		{"\u0444\xd1", "\"\u0444\uf7d1\""},                 // cut in the middle of a character
		{"\uf741", "\"\uf7ef\uf79d\uf781\""},               // a character that stands for a byte
		{"\uf6ff\uf800", "\"\uf6ff\uf800\""},               // its neighbours
		{"\xed\xa0\x80", "\"\uf7ed\uf7a0\uf780\""},         // an encoded surrogate is no UTF-8
		{"12345678\"", `"12345678\""`},                     // behind a whole word
		{"12345678\x80", "\"12345678\uf780\""},             //
		{"\ufffd", "\"\ufffd\""},                           // the replacement character is a character
		{"\U0001F600 12345678", "\"\U0001F600 12345678\""}, // four bytes
	} {
		if got := string(ndjson.AppendString([]byte("x"), c.in)); got != "x"+c.want {
			t.Errorf("%q: got %s, want %s", c.in, got[1:], c.want)
		}
		if got := string(ndjson.AppendString(nil, []byte(c.in))); got != c.want {
			t.Errorf("bytes %q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestAppendFloatIsShortest(t *testing.T) {
	check := func(x float64) {
		got, ok := ndjson.AppendFloat([]byte("x"), x)
		if want := string(strconv.AppendFloat([]byte("x"), x, 'g', -1, 64)); !ok || string(got) != want {
			t.Errorf("%b: got %s, %v, want %s", x, got[1:], ok, want[1:])
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 9.5e-07, 1e-8, 9e-9, 1.5e-8, 1e-4, 9.999e-5, 0.00010001, 0.001,
		0.1, 0.30000000000000004, 123456.78901234, 999999.99999999, 1e6, 1e21, 5e-324, math.MaxFloat64, 0.03154087, 2.5} {
		check(x)
	}
	for n := range 2000 {
		check(float64(n) / 1e8) // the shortest times of traces
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		check(float64(rng.Int64N(1e14>>rng.IntN(46))) / 1e8)   // times of traces
		check(math.Float64frombits(rng.Uint64() &^ (1 << 62))) // any below 2
	}
}

func TestAppendFloatRefuses(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got, ok := ndjson.AppendFloat([]byte("x"), x); ok || string(got) != "x" {
			t.Errorf("%v: got %q, %v", x, got, ok)
		}
	}
}

func TestAppendInteger(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.0e9", "0"}, {"7", "7"}, {"-12", "-12"}, {"1e3", "1000"}, {"1E+3", "1000"},
		{"1.0", "1"}, {"-1.50e1", "-15"}, {"1.5", ""}, {"1e-1", ""}, {"100e-2", "1"}, {"0.001e3", "1"}, {"0.0012e4", "12"},
		{"1e19", "10000000000000000000"}, {"1e20", ""}, {"1e999999999999999999999", ""}, {"1e-999999999999999999999", ""},
		{"0e999999999999999999999", "0"}, {"99999999999999999999", "99999999999999999999"}, {"999999999999999999999", ""},
		{"10000000000000000000000000e-20", "100000"},
	} {
		got, ok := ndjson.AppendInteger([]byte("x"), []byte(c.in))
		if string(got) != "x"+c.want || ok != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", c.in, got[1:], ok, c.want)
		}
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\x00", "\xff\xfe", "\uf741", "\uf7ff\uf700", "ф\xd1", "12345678\xf0\x9f\x98", "\xed\xb0\x80"} {
		f.Add([]byte(s))
	}
	var s ndjson.Scanner
	f.Fuzz(func(t *testing.T, b []byte) {
		out := ndjson.AppendString(nil, b)
		s.Reset(out, diag.Pos{})
		got, ok := s.Bytes()
		if !ok || !s.End() || !bytes.Equal(got, b) {
			t.Fatalf("%q was written as %s and read as %q: %v", b, out, got, s.Err())
		}
		var text string
		if err := json.Unmarshal(out, &text); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		s.Reset(out, diag.Pos{})
		if got, ok := s.Text(); !ok || string(got) != text || !utf8.ValidString(text) {
			t.Fatalf("%s: read as %q, by encoding/json as %q", out, got, text)
		}
	})
}
