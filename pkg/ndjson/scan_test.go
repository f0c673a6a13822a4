package ndjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ndjson"
)

// value reads any value as encoding/json does with UseNumber.
func value(s *ndjson.Scanner) any {
	switch s.Peek() {
	case '{':
		m := map[string]any{}
		for s.Object(); ; {
			k, ok := s.Key()
			if !ok {
				return m
			}
			m[string(k)] = value(s)
		}
	case '[':
		list := []any{}
		for s.Array(); s.Elem(); {
			list = append(list, value(s))
		}
		return list
	case '"':
		b, _ := s.Text()
		return string(b)
	case 't', 'f':
		b, _ := s.Bool()
		return b
	case 'n':
		s.Null()
		return nil
	}
	n, _ := s.Number()
	return json.Number(n)
}

// reference decodes one JSON value by encoding/json.
func reference(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more behind the value")
	}
	return v, nil
}

var jsonSeeds = []string{
	`{}`, `[]`, ` { "a" : [ 1 , 2.5e-3 , -0 , true , false , null , "x" ] } `,
	`{"record":"call","seq":1,"args":{"SizeArray":[8,8],"W":[[1],[]]}}`,
	`"\u0041\ud83d\ude00\/\b\f\n\r\t\"\\"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud800\u0041"`, `"` + "\xff" + `"`, `"` + "\x01" + `"`,
	`01`, `1.`, `.5`, `1e`, `1e+`, `-`, `+1`, `1E5`, `0e0`, `nul`, `nulls`, `tru`, `[1,]`, `{"a":1,}`, `{,}`, `[,]`, `{"a"}`, `{1:2}`, `[1 2]`,
	`1 2`, `{"a":1}x`, ``, ` `, `"`, `"abc`, `"\`, `"\u`, `"\u12`, `[[[[]]]]`, `{"a":{"b":{}}}`, `"12345678"`, `"1234567\n"`, "\ufeff1", "1\n",
	`{"a":1,"a":2}`, `{"record":1,"a":2,"":3,"args":4,"W":5,"args":6}`, `{"record":1,"args":4,"a":2,"args":6}`, `{"record":1"a":2}`, `{"record":1,,"a":2}`, `[`, `{"a":`, "\x00", `"ф"`, `"\uF741"`, `nan`, `Infinity`, `'a'`,
}

// FuzzScanner tests the package comment: what the scanner accepts is valid JSON
// with the same meaning as in encoding/json; what it refuses is invalid, or one
// of the cases listed there.
func FuzzScanner(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	var s ndjson.Scanner
	f.Fuzz(func(t *testing.T, text []byte) {
		s.Reset(text, diag.Pos{File: "f", Line: 3})
		got := value(&s)
		ok := s.End()
		if (s.Err() == nil) != ok {
			t.Fatalf("%q: End says %v, Err %v", text, ok, s.Err())
		}
		s.Reset(text, diag.Pos{})
		if s.Skip(); s.End() != ok {
			t.Fatalf("%q: reading says %v, skipping not", text, ok)
		}
		checkMembers(t, text, ok)
		want, err := reference(text)
		if !ok {
			if err == nil && !refusable(text) {
				t.Fatalf("%q: refused (%v), encoding/json accepts", text, s.Err())
			}
			e, isDiag := errors.AsType[*diag.Error](s.Err())
			if !isDiag || e.Pos.Col < 1 || e.Pos.Col > len(text)+1 {
				t.Fatalf("%q: the complaint %v is not in the text", text, s.Err())
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: accepted, encoding/json says %v", text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: read as %#v, by encoding/json as %#v", text, got, want)
		}
		checkNumber(t, &s, text, want)
	})
}

// checkMembers tests that Members, with its shortcut for names in order, accepts
// what Skip accepts, other than duplicates of its names.
func checkMembers(t *testing.T, text []byte, ok bool) {
	var s ndjson.Scanner
	s.Reset(text, diag.Pos{})
	if s.Peek() != '{' {
		return
	}
	names := []string{"record", "a", "", "args", "W"}
	seen, got := s.Members(names, func(int) bool { return s.Skip() })
	if got = got && s.End(); got == ok {
		var m map[string]any
		if ok && json.Unmarshal(text, &m) == nil {
			for i, n := range names {
				if _, there := m[n]; there != (seen>>i&1 == 1) {
					t.Fatalf("%q: %q seen %b", text, n, seen)
				}
			}
		}
		return
	}
	if e, isDiag := errors.AsType[*diag.Error](s.Err()); got || !isDiag || e.Code != "ndjson/duplicate" {
		t.Fatalf("%q: Members says %v, %v, Skip %v", text, got, s.Err(), ok)
	}
}

// refusable reports whether text has something that encoding/json accepts and
// the scanner may refuse.
func refusable(text []byte) bool {
	return !json.Valid(text) || !bytes.Equal(bytes.ToValidUTF8(text, nil), text) || bytes.Count(text, []byte(`[`))+bytes.Count(text, []byte(`{`)) > ndjson.MaxDepth ||
		bytes.Contains(bytes.ToLower(text), []byte(`\ud`))
}

// checkNumber compares Int and Float with package strconv.
func checkNumber(t *testing.T, s *ndjson.Scanner, text []byte, v any) {
	n, ok := v.(json.Number)
	if !ok {
		return
	}
	want, err := strconv.ParseFloat(string(n), 64)
	s.Reset(text, diag.Pos{})
	got, ok := s.Float()
	if ok != (err == nil) || ok && math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s: read as %v, %v, by strconv as %v, %v", n, got, ok, want, err)
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	s.Reset(text, diag.Pos{})
	if got, ok := s.Int(); err == nil && (!ok || got != i) {
		t.Fatalf("%s: read as %d, %v", n, got, ok)
	} else if ok && err != nil && float64(got) != want {
		t.Fatalf("%s: read as %d, it is %v", n, got, want)
	}
}

func TestScannerComplains(t *testing.T) {
	for _, c := range []struct {
		text, want string
		short      bool
	}{
		{`{"a":1`, `f:3:7: found the end of the line, expected "," or "}"`, true},
		{`{"a":"b`, `f:3:8: found the end of the line, expected the rest of a string`, true},
		{`{"a":tru`, `f:3:9: found the end of the line, expected true`, true},
		{`{"a":trux`, `f:3:9: found 'x', expected true`, false},
		{`{"a" 1}`, `f:3:6: found a number, expected ":"`, false},
		{`{a:1}`, `f:3:2: found 'a', expected a key in double quotes`, false},
		{`[1,]`, `f:3:4: found ']', expected a value`, false},
		{`[1;2]`, `f:3:3: found ';', expected "," or "]"`, false},
		{`01`, `f:3:2: found a number, expected the end of the line`, false},
		{`-x`, `f:3:2: found 'x', expected a digit`, false},
		{`1.`, `f:3:3: found the end of the line, expected a digit`, true},
		{`"\x"`, `f:3:2: found the escape sequence "\\x", expected one of JSON`, false},
		{`"\ud800x"`, `f:3:2: found \ud800, half of a surrogate pair, expected both halves`, false},
		{`"\ud800\u0041"`, `f:3:2: found \ud800, half of a surrogate pair, expected both halves`, false},
		{`"\ud800`, `f:3:8: found the end of the line, expected the second half of a surrogate pair`, true},
		{`"\ud800\`, `f:3:9: found the end of the line, expected the second half of a surrogate pair`, true},
		{"\"a\xff\"", `f:3:3: found the byte 0xff, which is no UTF-8, in a string; expected UTF-8`, false},
		{"\"a\xd1", `f:3:4: found the end of the line, expected the rest of a string`, true},
		{"\"a\x01\"", `f:3:3: found the control character 0x01 in a string, expected it escaped`, false},
		{"\x00", `f:3:1: found the byte 0x00, expected a value`, false},
		{strings.Repeat("[", 1001), `f:3:1001: found more than 1000 values inside each other, expected fewer`, false},
	} {
		var s ndjson.Scanner
		s.Reset([]byte(c.text), diag.Pos{File: "f", Line: 3})
		s.Skip()
		s.End()
		if got := fmt.Sprint(s.Err()); got != c.want {
			t.Errorf("%.40q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
		if s.Short() != c.short {
			t.Errorf("%.40q: Short is %v", c.text, s.Short())
		}
	}
}

func TestScannerTypes(t *testing.T) {
	for _, c := range []struct {
		text string
		read func(s *ndjson.Scanner) bool
		want string
	}{
		{`"7"`, func(s *ndjson.Scanner) bool { _, ok := s.Int(); return ok }, `found a string, expected an integer`},
		{`7.5`, func(s *ndjson.Scanner) bool { _, ok := s.Int(); return ok }, `found 7.5, expected an integer of 64 bits`},
		{`9223372036854775808`, func(s *ndjson.Scanner) bool { _, ok := s.Int(); return ok }, `found 9223372036854775808, expected an integer of 64 bits`},
		{`1e999`, func(s *ndjson.Scanner) bool { _, ok := s.Float(); return ok }, `found 1e999, expected a number of at most 1.8e308`},
		{`null`, func(s *ndjson.Scanner) bool { _, ok := s.Float(); return ok }, `found null, expected a number`},
		{`7`, func(s *ndjson.Scanner) bool { _, ok := s.Text(); return ok }, `found a number, expected a string`},
		{`[]`, func(s *ndjson.Scanner) bool { return s.Object() }, `found an array, expected an object`},
		{`{}`, func(s *ndjson.Scanner) bool { return s.Array() }, `found an object, expected an array`},
		{`0`, func(s *ndjson.Scanner) bool { _, ok := s.Bool(); return ok }, `found a number, expected true or false`},
		{`false`, func(s *ndjson.Scanner) bool { _, ok := s.Number(); return ok }, `found a boolean, expected a number`},
	} {
		var s ndjson.Scanner
		s.Reset([]byte(c.text), diag.Pos{File: "f", Line: 3})
		if c.read(&s) {
			t.Errorf("%s was accepted", c.text)
		}
		if got, want := fmt.Sprint(s.Err()), "f:3:1: "+c.want; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.text, got, want)
		}
		// An error is final: nothing can be read after it.
		if s.Skip() || s.Elem() || s.Object() || s.End() {
			t.Errorf("%s: something was read after the complaint", c.text)
		}
		if _, ok := s.Key(); ok {
			t.Errorf("%s: a key was read after the complaint", c.text)
		}
	}
}

func TestBytesRestoresAndTextDoesNot(t *testing.T) {
	const text = `{"a\uf7ff":"` + "\uf7c0" + `\uf741x"}`
	var s ndjson.Scanner
	s.Reset([]byte(text), diag.Pos{})
	s.Object()
	k, _ := s.KeyBytes()
	mark := s.Mark()
	b, _ := s.Bytes()
	if string(k) != "a\xff" || string(b) != "\xc0Ax" {
		t.Errorf("got %q: %q", k, b)
	}
	s.Seek(mark)
	if b, _ = s.Text(); string(b) != "\uf7c0\uf741x" {
		t.Errorf("got %q", b)
	}
	if _, more := s.Key(); more || !s.End() {
		t.Error(s.Err())
	}
}

func TestScannerDoesNotAllocate(t *testing.T) {
	text := []byte(`{"record":"call","file":"a\n` + "\uf7c0" + `","n":[1,2.5e-7,0.1234567890123456789],"x":{"y":null,"z":true}}`)
	var s ndjson.Scanner
	n := testing.AllocsPerRun(100, func() {
		s.Reset(text, diag.Pos{File: "f", Line: 1})
		if !s.Skip() || !s.End() {
			t.Fatal(s.Err())
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
