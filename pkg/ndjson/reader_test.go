package ndjson_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ndjson"
)

var callStream = ndjson.Stream{Header: "trace", Version: 2, Content: "the calls of a trace", Tool: "dvmtrace-parse"}

// kinds reads a stream and returns the kinds of its complete records.
func kinds(text string) ([]string, error) {
	r := ndjson.NewReader("x", strings.NewReader(text), callStream)
	var all []string
	for {
		kind, err := r.Next()
		if err != nil {
			return all, err
		}
		name := string(kind)
		if err := r.Done(r.Scanner().Skip()); err != nil {
			if _, again := r.Next(); again != err {
				return all, fmt.Errorf("the error %w is followed by %w", err, again)
			}
			return all, err
		}
		all = append(all, name)
	}
}

const small = `{"record":"trace","version":1}
{"record":"call","n":[1,"\ud83d\ude00 ` + "ф" + `"]}
{"n":-1.5e+3,"record":"call","x":null}
{"record":"end","calls":2}
`

func TestReader(t *testing.T) {
	got, err := kinds(small)
	if err != io.EOF || fmt.Sprint(got) != "[trace call call end]" {
		t.Errorf("%v, %v", got, err)
	}
	got, err = kinds(strings.ReplaceAll(small, "\n", " \r\n"))
	if err != io.EOF || len(got) != 4 {
		t.Errorf("with blanks and CR LF: %v, %v", got, err)
	}
}

func TestReaderTellsEveryCut(t *testing.T) {
	for i := range len(small) {
		got, err := kinds(small[:i])
		if !errors.Is(err, diag.ErrTruncated) {
			t.Errorf("cut at %d: %v", i, err)
		}
		e, ok := errors.AsType[*diag.Error](err)
		if lines := strings.Count(small[:i], "\n"); len(got) != lines || !ok || e.Pos.Line < lines {
			t.Errorf("cut at %d: %d records of %d, %v", i, len(got), lines, err)
		}
	}
}

func TestReaderComplains(t *testing.T) {
	const head = `{"record":"trace","version":1}` + "\n"
	for _, c := range []struct{ text, want string }{
		{"", `x: found nothing, expected the calls of a trace as dvmtrace-parse writes them; did that command fail?`},
		{head, `x:1: the input ends after this line, expected an end record; the stream was cut or the command that wrote it failed`},
		{head + "\n", `x:2:1: found a blank line, expected a record`},
		{head + "  ", `x:2:1: found a blank line, expected a record`},
		{small + "\n", `x:5:1: found a line after the end record, expected the end of the input; are these two streams? read one at a time`},
		{small + head, `x:5:1: found a line after the end record, expected the end of the input; are these two streams? read one at a time`},
		{small[:len(small)-1], `x:4:27: found the end of the input, expected a line feed behind the record; was the stream cut?`},
		{head + "[1]\n", `x:2:1: found an array, expected an object`},
		{head + "{}\n", `x:2:1: found an object without "record", expected one with it; did a filter remove it?`},
		{head + `{"record":7}` + "\n", `x:2:11: found a number, expected a string`},
		{head + `{"record":"call"} x` + "\n", `x:2:19: found 'x', expected the end of the line`},
		{head + `{"n":1,"n":2,"record":"a","record":"b"}` + "\n", `x:2:27: found a second "record", expected it once`},
		{head + `{"record":"call"` + "\n", `x:2:17: found the end of the line, expected "," or "}"; the input ends in the middle of a record: the stream was cut or the command that wrote it failed`},
		{head + `{"record":"call"` + "\n" + head, `x:2:17: found the end of the line, expected "," or "}"`},
		{"call_crtda_  TIME=0.1\n", `x:1:1: found 'c', expected an object`},
		{`{"record":"trace"}`, `x:1:1: found the header "trace" without a version number, expected "version":2`},
		{`{"record":"trace","version":"1"}`, `x:1:1: found the header "trace" without a version number, expected "version":2`},
		{`{"record":"trace","version":3}`, `x:1:29: found version 3 of the stream, expected at most 2; it comes from a newer dvmtrace-parse: use that release's commands throughout`},
		{`{"version":1.5,"record":"trace"}`, `x:1:12: found 1.5, expected an integer of 64 bits`},
		{`{"record":"simulation","version":9}`, `x:1:1: found the intervals of a simulated program, as dvmsim writes them; expected the calls of a trace, as dvmtrace-parse writes them`},
		{`{"record":"call"}`, `x:1:1: found the record "call" first, expected the header "trace"; did a filter remove it?`},
	} {
		if _, err := kinds(c.text); fmt.Sprint(err) != c.want {
			t.Errorf("%.50q:\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken pipe")
	r := ndjson.NewReader("x", io.MultiReader(strings.NewReader(small[:40]), failing{broken}), callStream)
	_, err := r.Next()
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// inner and outer are a record with every type of field.
type inner struct{ X float64 }

type outer struct {
	N     int
	Big   int64
	Opt   *int64
	Name  string
	List  []int
	Names []string
	In    inner
	inner
}

var innerTable = ndjson.NewRecord("an inner", ndjson.Float("x", func(v *inner) *float64 { return &v.X }))

var outerTable = ndjson.NewRecord("an outer", append([]ndjson.Field[outer]{
	ndjson.Int("n", func(v *outer) *int { return &v.N }),
	ndjson.Int("big", func(v *outer) *int64 { return &v.Big }).Optional(),
	ndjson.IntOrNull("opt", func(v *outer) **int64 { return &v.Opt }),
	ndjson.String("name", func(v *outer) *string { return &v.Name }),
	ndjson.Ints("list", func(v *outer) *[]int { return &v.List }),
	ndjson.Strings("names", func(v *outer) *[]string { return &v.Names }).OmitIf(func(v *outer) bool { return v.Names == nil }),
	ndjson.Nested("in", innerTable, func(v *outer) *inner { return &v.In }),
}, ndjson.Embed(innerTable, func(v *outer) *inner { return &v.inner })...)...)

func TestRecord(t *testing.T) {
	v := outer{N: -3, Big: math.MaxInt64, Opt: new(int64(5)), Name: "a\xff", List: []int{1, 2}, Names: []string{"", "\n"}, In: inner{0.5}, inner: inner{1e-7}}
	const want = `{"record":"outer","n":-3,"big":9223372036854775807,"opt":5,"name":"a` + "\uf7ff" + `","list":[1,2],"names":["","\n"],"in":{"x":0.5},"x":1e-07}` + "\n"
	b, err := outerTable.AppendRecord(nil, "outer", &v)
	if err != nil || string(b) != want {
		t.Errorf("%v\ngot  %swant %s", err, b, want)
	}
	var got outer
	var s ndjson.Scanner
	s.Reset(b, diag.Pos{})
	if !outerTable.Scan(&s, &got) || !s.End() {
		t.Fatal(s.Err())
	}
	if *got.Opt != 5 || got.X != 1e-7 || got.Name != "a\xff" || len(got.Names) != 2 || got.List[1] != 2 || got.Big != v.Big {
		t.Errorf("read %+v", got)
	}

	v.Names, v.Opt = nil, nil
	if b, _ = outerTable.Append(nil, &v); strings.Contains(string(b), "names") || !strings.Contains(string(b), `"opt":null`) {
		t.Errorf("%s", b)
	}
	v.In.X = math.NaN()
	if _, err = outerTable.Append(nil, &v); err == nil || err.Error() != "in: x: NaN is no value that a record can hold" {
		t.Errorf("NaN: %v", err)
	}
}

func TestRecordComplains(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"n":1,"opt":null,"name":"","list":[],"in":{},"x":0}`, `f:2:44: found an inner without "x", expected one with it; did a filter remove it?`},
		{`{"n":1,"opt":null,"list":[],"in":{"x":0},"x":0}`, `f:2:1: found an outer without "name", expected one with it; did a filter remove it?`},
		{`{"n":1,"opt":"1"}`, `f:2:14: found a string, expected an integer`},
		{`{"list":[1,"2"]}`, `f:2:12: found a string, expected an integer`},
		{`{"names":[1]}`, `f:2:11: found a number, expected a string`},
		{`{"n":1,"n":1}`, `f:2:8: found a second "n", expected it once`},
		{`{"other":[],"n":{}}`, `f:2:17: found an object, expected an integer`},
	} {
		var s ndjson.Scanner
		s.Reset([]byte(c.text), diag.Pos{File: "f", Line: 2})
		var v outer
		if ok := outerTable.Scan(&s, &v); ok || fmt.Sprint(s.Err()) != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.text, s.Err(), c.want)
		}
	}
}
