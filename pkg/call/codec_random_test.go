package call_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/units"
)

// randomCall returns a call of a function of the table, or of none, with
// values of all kinds.
func randomCall(rng *rand.Rand, seq int64, depth int) call.Call {
	f := &libdvm.Functions()[rng.IntN(len(libdvm.Functions()))]
	c := call.Call{Seq: seq, Func: f.Name, Row: f, Line: rng.IntN(2000), File: randomText(rng), Only: call.Half(rng.IntN(3)), Outside: rng.IntN(3) == 0,
		CallTime: units.Seconds(float64(rng.Int64N(1e12)) / 1e8), RetTime: units.Seconds(rng.ExpFloat64())}
	if rng.IntN(3) == 0 {
		c.RetLine, c.RetFile = rng.IntN(2000), randomText(rng)
	}
	for _, h := range []struct {
		row []libdvm.Param
		dst *call.Params
	}{{f.Args, &c.Args}, {f.Ret, &c.Ret}} {
		for _, p := range h.row {
			addRandom(rng, h.dst, p)
		}
		addRandom(rng, h.dst, libdvm.Param{Key: "Unknown", Kind: libdvm.Decimal, Shape: libdvm.Shape(rng.IntN(2))})
		addRandom(rng, h.dst, libdvm.Param{Key: "Un\xffknown\"Ref", Kind: libdvm.Handle})
	}
	for range rng.IntN(3) {
		c.Text = append(c.Text, []byte(randomText(rng)))
	}
	for range rng.IntN(2) {
		c.RetText = append(c.RetText, []byte(randomText(rng)))
	}
	for range max(rng.IntN(3)-depth, 0) {
		c.Nested = append(c.Nested, randomCall(rng, rng.Int64N(2), depth+1))
	}
	return c
}

func addRandom(rng *rand.Rand, dst *call.Params, p libdvm.Param) {
	if rng.IntN(5) == 0 || dst.Get(p.Key) != nil {
		return
	}
	if p.Shape == libdvm.Scalar {
		dst.Add(p.Key, p.Kind, randomValue(rng, p.Kind))
		return
	}
	dst.AddArray(p.Key, p.Kind, p.Shape)
	q := dst.At(dst.Len() - 1)
	for range rng.IntN(4) {
		if p.Shape == libdvm.Matrix {
			dst.AddRow(q)
			if rng.IntN(3) == 0 {
				continue
			}
		}
		dst.AddElem(q, randomValue(rng, p.Kind))
		if p.Shape == libdvm.Matrix && rng.IntN(2) == 0 {
			dst.AddElem(q, randomValue(rng, p.Kind))
		}
	}
}

func randomValue(rng *rand.Rand, kind libdvm.Kind) []byte {
	switch kind {
	case libdvm.Decimal:
		return strconv.AppendInt(nil, int64(rng.Uint64())>>rng.IntN(64), 10)
	case libdvm.Real:
		return strconv.AppendFloat(nil, rng.NormFloat64(), 'f', rng.IntN(9), 64)
	case libdvm.Handle, libdvm.Pointer:
		return strconv.AppendUint(nil, rng.Uint64()>>rng.IntN(64), 16)
	}
	return []byte(randomText(rng))
}

func randomText(rng *rand.Rand) string {
	parts := []string{"jac.fdv", "\n", "\"", "\\", "\x00", "\xe0\xff", "фу", "\uf741", "\u2028", "<&>", " ", "12345678901234567890", "\U0001F600"}
	var b strings.Builder
	for range rng.IntN(5) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	return b.String()
}

func TestRandomCallsSurvive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := contents{Header: call.Header{Source: []string{"\xff"}, Runtime: call.Runtime{Processors: 4, Grid: []int{2, 2}, VirtualGrid: []int{4}}}}
	for i := range 2000 {
		want.Calls = append(want.Calls, randomCall(rng, int64(i+1), 0))
	}
	want.Exit = call.Exit{Time: 0.1, RC: -1, Line: 3, File: "x\xff", Found: true}
	text := write(t, &want)
	got, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "random calls", &want, &got)

	// To encoding/json the parameters mean the same.
	lines := bytes.Split(text, []byte("\n"))
	for i := range want.Calls {
		var m struct {
			Seq        int64
			Func, Only string
			CallTime   float64 `json:"call_time"`
			RetTime    float64 `json:"ret_time"`
			Args, Ret  map[string]any
			Text       []string
			RetText    []string `json:"ret_text"`
			Nested     []any
			Outside    bool
		}
		d := json.NewDecoder(bytes.NewReader(lines[i+1]))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatalf("%s: %v", lines[i+1], err)
		}
		c := &want.Calls[i]
		if m.Seq != c.Seq || m.Func != c.Func || m.Only != c.Only.String() || m.CallTime != float64(c.CallTime) || m.RetTime != float64(c.RetTime) ||
			m.Outside != c.Outside || len(m.Text) != len(c.Text) || len(m.RetText) != len(c.RetText) || len(m.Nested) != len(c.Nested) {
			t.Fatalf("%+v became %s", c, lines[i+1])
		}
		if d := cmp.Diff(generic(&c.Args), m.Args) + cmp.Diff(generic(&c.Ret), m.Ret); d != "" {
			t.Fatalf("%s (-want +got)\n%s", c.Where(), d)
		}
	}
}

// generic returns the parameters as encoding/json reads them.
func generic(p *call.Params) map[string]any {
	m := map[string]any{}
	for i := range p.Len() {
		q := p.At(i)
		var list []any
		for _, e := range p.Elems(q) {
			list = append(list, scalar(q.Kind, e))
		}
		var v any
		switch q.Shape {
		case libdvm.Scalar:
			v = scalar(q.Kind, q.Val)
		case libdvm.Matrix:
			rows, from := []any{}, int32(0)
			for _, to := range p.Rows(q) {
				rows = append(rows, append([]any{}, list[from:to]...))
				from = to
			}
			v = rows
		default:
			v = append([]any{}, list...)
		}
		m[mapped(q.Key)] = v
	}
	return m
}

func scalar(kind libdvm.Kind, val []byte) any {
	if kind == libdvm.Decimal || kind == libdvm.Real {
		return json.Number(val)
	}
	return mapped(string(val))
}

// mapped replaces bytes that are no UTF-8, and characters that stand for
// bytes, as schema/README.md says.
func mapped(s string) string {
	var b strings.Builder
	for i, r := range s {
		one := string(r)
		if r == 0xfffd && s[i] != 0xef {
			one = s[i : i+1]
		}
		if one != string(r) || r >= 0xf700 && r <= 0xf7ff {
			for _, c := range []byte(one) {
				b.WriteRune(0xf700 + rune(c))
			}
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
