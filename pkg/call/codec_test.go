package call_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/units"
)

const small = `{"record":"trace","version":1,"source":["jac.ptr"],"runtime":{"rts_version":2889,"processors":1,"grid":[1,1],"io_processor":0,"time_digits":8},"preamble":[" RTS VERSION = 2889"]}
{"record":"call","seq":1,"func":"dvm_Init","line":0,"file":"","call_time":0,"ret_time":0.25,"only":"ret","outside":true,"args":{},"ret":{}}
{"record":"call","seq":2,"func":"crtda_","line":4,"file":"jac.fdv","call_time":9.5e-07,"ret_time":1e-06,"args":{"ArrayHeader":"564d0a","BasePtr":"0","Rank":2,"SizeArray":[8,-8]},"ret":{"ArrayHandlePtr":"564d0b"},"text":["*** x ***","` + "\uf7e0" + `"],"ret_text":["y"]}
{"record":"call","seq":3,"func":"genblk_","line":5,"file":"jac.fdv","call_time":0.5,"ret_time":0,"ret_line":6,"ret_file":"a b.fdv","args":{"AxisWeightAddr":[[1,2],[],[3]]},"ret":{},"nested":[{"func":"new_","line":9,"file":"rts.c","call_time":0,"ret_time":0.125,"args":{"W":0.5,"Key":"say \"no\"","HeaderRef":"ab"},"ret":{"List[]":[1,0.5]}}]}
{"record":"exit","time":0.75,"rc":0,"line":12,"file":"jac.fdv"}
{"record":"end","calls":3,"warnings":0}
`

// The records are those that schema/README.md promises, field for field.
func TestWriterWritesEveryField(t *testing.T) {
	all, err := read([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(small, string(write(t, &all))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestReader(t *testing.T) {
	r, err := call.NewReader("x", strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	want := call.Header{Source: []string{"jac.ptr"}, Preamble: []string{" RTS VERSION = 2889"},
		Runtime: call.Runtime{RTSVersion: 2889, Processors: 1, Grid: []int{1, 1}, TimeDigits: 8}}
	if d := cmp.Diff(want, *r.Header()); d != "" {
		t.Errorf("header (-want +got)\n%s", d)
	}
	c, err := r.Next()
	if err != nil || c.Only != call.OnlyRet || !c.Outside || c.RetTime != 0.25 || c.Row == nil || c.Pos != (diag.Pos{File: "x", Line: 2, Col: 1}) {
		t.Errorf("%v: %+v", err, c)
	}
	c, err = r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if h, ok := c.Handle("ArrayHeader"); !ok || h != 0x564d0a {
		t.Errorf("ArrayHeader is %x, %v", h, ok)
	}
	if n, err := c.Ints(nil, "SizeArray"); err != nil || fmt.Sprint(n) != "[8 -8]" {
		t.Errorf("SizeArray is %v, %v", n, err)
	}
	if string(c.Text[1]) != "\xe0" {
		t.Errorf("the byte is not restored: %q", c.Text[1])
	}
	c, err = r.Next()
	if err != nil {
		t.Fatal(err)
	}
	q := c.Args.Get("AxisWeightAddr")
	if q.Shape != libdvm.Matrix || q.Kind != libdvm.Real || fmt.Sprint(c.Args.Rows(q)) != "[2 2 3]" {
		t.Errorf("%+v, rows %v", q, c.Args.Rows(q))
	}
	n := &c.Nested[0]
	for key, kind := range map[string]libdvm.Kind{"W": libdvm.Real, "Key": libdvm.Word, "HeaderRef": libdvm.Handle} {
		if q := n.Args.Get(key); q == nil || q.Kind != kind {
			t.Errorf("%s: %+v, want a %v", key, q, kind)
		}
	}
	if q := n.Ret.At(0); q.Kind != libdvm.Real || q.Shape != libdvm.Vector || n.Pos.Line != 4 || n.Pos.Col < 150 {
		t.Errorf("%+v at %v", q, n.Pos)
	}
	if r.Exit().Found {
		t.Error("the exit is there before its record")
	}
	if _, err = r.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if d := cmp.Diff(call.Exit{Time: 0.75, Line: 12, File: "jac.fdv", Found: true, Seq: 3}, *r.Exit()); d != "" {
		t.Errorf("exit (-want +got)\n%s", d)
	}
	if _, err = r.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

func TestEveryCutIsTold(t *testing.T) {
	for i := range len(small) {
		got, err := read([]byte(small[:i]))
		if !errors.Is(err, diag.ErrTruncated) {
			t.Fatalf("cut at %d: %v", i, err)
		}
		lines := strings.Count(small[:i], "\n")
		if len(got.Calls) != min(max(lines-1, 0), 3) || got.Exit.Found != (lines > 4) {
			t.Fatalf("cut at %d: %d calls of %d complete lines were read", i, len(got.Calls), lines)
		}
	}
}

// A filter may sort fields, add some, and spell numbers in its own way.
func TestFilteredStreamIsTheSame(t *testing.T) {
	want, err := read([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	var sorted bytes.Buffer
	for line := range strings.Lines(small) {
		m := map[string]any{"zz": []any{map[string]any{"y": nil}}, "comment": "by a filter"}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&sorted).Encode(m); err != nil {
			t.Fatal(err)
		}
		sorted.WriteString(`{"note":"a record of the future","record":"hint"}` + "\n")
	}
	text := strings.TrimSuffix(sorted.String(), `{"note":"a record of the future","record":"hint"}`+"\n")
	got, err := read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	// The order of parameters is the filter's.
	for i := range want.Calls {
		a, b := &want.Calls[i], &got.Calls[i]
		for _, p := range []*call.Params{&a.Args, &a.Ret} {
			other := &b.Args
			if p == &a.Ret {
				other = &b.Ret
			}
			for j := range p.Len() {
				q := other.Get(p.At(j).Key)
				if q == nil || q.Kind != p.At(j).Kind || q.Shape != p.At(j).Shape || !bytes.Equal(q.Val, p.At(j).Val) {
					t.Errorf("%s: %+v became %+v", a.Where(), p.At(j), q)
				}
			}
		}
	}

	spelt := strings.NewReplacer(`"line":4`, `"line":4.0`, `"Rank":2`, `"Rank":0.2E+1`, `[8,-8]`, `[80e-1,-8.0]`, `1e-06`, `1E-6`, `"W":0.5`, `"W":5E-1`, `"rc":0`, `"rc":-0.0`, `,`, " ,\t", `\"no\"`, `\u0022n\u006f"`)
	got, err = read([]byte(strings.ReplaceAll(spelt.Replace(small), `\u006f"`, `\u006f\"`)))
	if err != nil {
		t.Fatal(err)
	}
	if q := got.Calls[2].Nested[0].Args.Get("W"); string(q.Val) != "5e-1" || q.Kind != libdvm.Real {
		t.Errorf("W is %q", q.Val)
	}
	want.Calls[2].Nested[0].Args.Get("W").Val = []byte("5e-1")
	compare(t, "respelt", &want, &got)
}

func TestReaderComplains(t *testing.T) {
	lines := strings.SplitAfter(small, "\n")
	for _, c := range []struct {
		line     int
		old, new string
		want     string
	}{
		{3, `"Rank":2`, `"Rank":"2"`, `: crtda_: found the string "2" for the parameter Rank, expected an integer of 64 bits`},
		{3, `"Rank":2`, `"Rank":2.5`, `: crtda_: found the number 2.5 for the parameter Rank, expected an integer of 64 bits`},
		{3, `"Rank":2`, `"Rank":1e20`, `: crtda_: found the number 1e20 for the parameter Rank, expected an integer of 64 bits`},
		{3, `"Rank":2`, `"Rank":36893488147419103232`, `: crtda_: found the number 36893488147419103232 for the parameter Rank, expected an integer of 64 bits`},
		{3, `"Rank":2`, `"Rank":null`, `: crtda_: found null for the parameter Rank, expected an integer of 64 bits`},
		{3, `"Rank":2`, `"Rank":[2]`, `: crtda_: found an array for the parameter Rank, expected an integer of 64 bits`},
		{3, `"Rank":2`, `"Rank":2,"Rank":3`, `: crtda_: found a second parameter Rank, expected it once`},
		{3, `"Rank":2,`, `"Rank":2,"SizeArray":[1],"ReDistrSign":0,`, `: crtda_: found a second parameter SizeArray, expected it once`},
		{3, `"Rank":2`, `"Other":2,"Other":3`, `: crtda_: found a second parameter Other, expected it once`},
		{3, `"Rank":2`, `"Other":true`, `: crtda_: found a boolean for the parameter Other, expected a number, a string, or an array of them`},
		{3, `"Rank":2`, `"Other":{}`, `: crtda_: found an object for the parameter Other, expected a number, a string, or an array of them`},
		{3, `"Rank":2`, `"Other":[1,"x"]`, `: crtda_: found numbers and strings in the parameter Other, expected one of them`},
		{3, `"Rank":2`, `"Other":[[1],2]`, `: crtda_: found the number 2 for the parameter Other, expected an array, as the elements before it`},
		{3, `"Rank":2`, `"Other":[1,[2]]`, `: crtda_: found an array for the parameter Other, expected a number, a string, or an array of them`},
		{3, `"564d0a"`, `17`, `: crtda_: found the number 17 for the parameter ArrayHeader, expected a string of 1 to 16 lower-case hexadecimal digits`},
		{3, `"564d0a"`, `"0x17"`, `: crtda_: found the string "0x17" for the parameter ArrayHeader, expected a string of 1 to 16 lower-case hexadecimal digits`},
		{3, `"564d0a"`, `"NULL"`, `: crtda_: found the string "NULL" for the parameter ArrayHeader, expected a string of 1 to 16 lower-case hexadecimal digits`},
		{3, `[8,-8]`, `8`, `: crtda_: found the number 8 for the parameter SizeArray, expected an array`},
		{3, `[8,-8]`, `[8,"8"]`, `: crtda_: found the string "8" for the parameter SizeArray, expected an integer of 64 bits`},
		{3, `"args":{`, `"args":[`, `found an array, expected an object`},
		{3, `"seq":2`, `"seq":1`, `x:3:1: found call 1 after call 1, expected numbers that count up; was the stream sorted or joined from two?`},
		{3, `"seq":2,`, ``, `x:3:1: found a call without "seq", expected one with it; did a filter remove it?`},
		{3, `"seq":2`, `"seq":-2`, `x:3:24: found call -2, expected numbers from 1`},
		{3, `"call_time":9.5e-07`, `"call_time":-1e-9`, `found the time -1e-09, expected a finite number of seconds that is not negative`},
		{3, `"call_time":9.5e-07`, `"call_time":1e999`, `found 1e999, expected a number of at most 1.8e308`},
		{3, `"call_time":9.5e-07`, `"calltime":9.5e-07`, `x:3:1: found a call without "call_time", expected one with it; did a filter remove it?`},
		{3, `"line":4`, `"line":-4`, `found line -4, expected one from 0`},
		{3, `"func":"crtda_"`, `"func":""`, `found an empty name, expected the name of a function`},
		{3, `"line":4`, `"line":4,"line":4`, `found a second "line", expected it once`},
		{3, `"ret":{`, `"ret":{},"ret":{`, `found a second "ret", expected it once`},
		{3, `"text":[`, `"text":[7,`, `found a number, expected a string`},
		{2, `"only":"ret"`, `"only":"both"`, `found "both", expected "call" or "ret"`},
		{2, `"outside":true`, `"outside":1`, `found a number, expected true or false`},
		{4, `[[1,2],[],[3]]`, `[1,2]`, `: genblk_: found the number 1 for the parameter AxisWeightAddr, expected an array of arrays`},
		{4, `{"func":"new_"`, `{"record":"exit","func":"new_"`, `found a record "exit" inside a call, expected calls`},
		{4, `,"ret":{"List[]":[1,0.5]}`, ``, `found a call without "ret", expected one with it; did a filter remove it?`},
		{4, `"nested":[`, `"nested":[7,`, `found a number, expected an object`},
		{4, `[1,0.5]`, `[1,0.5,true]`, `: new_: found a boolean for the parameter List[], expected a number, a string, or an array of them`},
		{5, `"time":0.75`, `"time":-1`, `found the time -1, expected a finite number of seconds that is not negative`},
		{5, `"rc":0,`, ``, `x:5:1: found an exit without "rc", expected one with it; did a filter remove it?`},
		{4, lines[3], lines[4], `x:5:1: found a second exit record, expected one; are these two streams? read one at a time`},
		{4, lines[3], lines[0], `x:4:1: found a second header, expected calls; are these two streams? read one at a time`},
		{6, `3`, `4`, `x:6:1: found 3 calls before the end record, expected 4 as it says; part of the stream is missing or was put in twice`},
		{6, `3`, `2`, `x:6:1: found 3 calls before the end record, expected 2 as it says; part of the stream is missing or was put in twice`},
		{6, `"calls":3,`, ``, `x:6:1: found an end without "calls", expected one with it; did a filter remove it?`},
		{1, `"version":1`, `"version":2`, `x:1:29: found version 2 of the stream, expected at most 1; it comes from a newer dvmtrace-parse: use that release's commands throughout`},
		{1, `"grid":[1,1],`, ``, `found a runtime without "grid", expected one with it; did a filter remove it?`},
		{1, `"trace"`, `"simulation"`, `x:1:1: found the intervals of a simulated program, as dvmsim writes them; expected the calls of a trace, as dvmtrace-parse writes them`},
	} {
		changed := append([]string(nil), lines...)
		changed[c.line-1] = strings.Replace(changed[c.line-1], c.old, c.new, 1)
		if changed[c.line-1] == lines[c.line-1] {
			t.Errorf("%q is not in %s", c.old, lines[c.line-1])
		}
		_, err := read([]byte(strings.Join(changed, "")))
		e, ok := errors.AsType[*diag.Error](err)
		if !ok || e.Pos.Col == 0 || !strings.HasPrefix(err.Error(), "x:") || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%.40q:\ngot  %v\nwant %s", c.new, err, c.want)
		}
	}
}

func TestNestingIsLimited(t *testing.T) {
	const one = `{"record":"call","seq":1,"func":"f","line":1,"file":"","call_time":0,"ret_time":0,"args":{},"ret":{},"nested":[`
	lines := strings.SplitAfter(small, "\n")
	deep := func(n int) string {
		return lines[0] + strings.Repeat(one, n) + strings.Repeat("]}", n) + "\n" + `{"record":"end","calls":1}` + "\n"
	}
	if _, err := read([]byte(deep(100))); err != nil {
		t.Error(err)
	}
	if _, err := read([]byte(deep(102))); err == nil || !strings.HasSuffix(err.Error(), "found calls nested more than 100 deep, expected fewer") {
		t.Error(err)
	}
	if _, err := read([]byte(deep(100000))); err == nil {
		t.Error("accepted")
	}
}

// A stream out of which a filter took calls is read; one with a hole that no
// filter leaves is not (TestReaderComplains).
func TestGapsComeFromFilters(t *testing.T) {
	lines := strings.SplitAfter(small, "\n")
	all, err := read([]byte(lines[0] + lines[1] + lines[3] + lines[4] + lines[5]))
	if err != nil || len(all.Calls) != 2 || all.Calls[1].Seq != 3 || all.Exit.Seq != 3 {
		t.Errorf("%d calls, %v", len(all.Calls), err)
	}
}

// The exit stands where the program ends, or behind the calls after it.
func TestExitCountsTheCallsOfTheProgram(t *testing.T) {
	lines := strings.SplitAfter(small, "\n")
	after := strings.Replace(lines[1], `"seq":1`, `"seq":4`, 1)
	end := strings.Replace(lines[5], "3", "4", 1)
	head := strings.Join(lines[:4], "")
	for _, text := range []string{head + lines[4] + after + end, head + after + lines[4] + end} {
		all, err := read([]byte(text))
		if err != nil || all.Exit.Seq != 3 {
			t.Errorf("the program ends after call %d, %v", all.Exit.Seq, err)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	at := diag.Pos{File: "a.ptr", Line: 9}
	for _, c := range []struct {
		change func(c *call.Call)
		want   string
	}{
		{func(c *call.Call) { c.Seq = 0 }, `a.ptr:9: found crtda_ (call 0, a.fdv:4) after call 0, expected numbers that count up`},
		{func(c *call.Call) { c.CallTime = units.Seconds(math.NaN()) }, `a.ptr:9: crtda_ (call 1, a.fdv:4): call_time is NaN, expected a finite number of seconds that is not negative`},
		{func(c *call.Call) { c.RetTime = units.Seconds(math.Inf(1)) }, `a.ptr:9: crtda_ (call 1, a.fdv:4): ret_time is +Inf, expected a finite number of seconds that is not negative`},
		{func(c *call.Call) { c.RetTime = -1 }, `a.ptr:9: crtda_ (call 1, a.fdv:4): ret_time is -1, expected a finite number of seconds that is not negative`},
		{func(c *call.Call) { c.Args.Add("Rank", libdvm.Decimal, []byte("02")) }, `a.ptr:9: crtda_ (call 1, a.fdv:4): Rank="02" is not an integer of 64 bits`},
		{func(c *call.Call) { c.Args.Add("Rank", libdvm.Decimal, []byte("99999999999999999999")) }, `a.ptr:9: crtda_ (call 1, a.fdv:4): Rank="99999999999999999999" is not an integer of 64 bits`},
		{func(c *call.Call) { c.Ret.Add("X", libdvm.Real, []byte("1.")) }, `a.ptr:9: crtda_ (call 1, a.fdv:4): X="1." is not a number`},
		{func(c *call.Call) { c.Ret.Add("X", libdvm.Handle, []byte("AB")) }, `a.ptr:9: crtda_ (call 1, a.fdv:4): X="AB" is not a string of 1 to 16 lower-case hexadecimal digits`},
		{func(c *call.Call) {
			c.Args.AddArray("M", libdvm.Pointer, libdvm.Matrix)
			q := c.Args.At(0)
			c.Args.AddRow(q)
			c.Args.AddElem(q, []byte("a"))
			c.Args.AddRow(q)
			c.Args.AddElem(q, []byte(`"`))
		}, `a.ptr:9: crtda_ (call 1, a.fdv:4): M="\"" is not a string of 1 to 16 lower-case hexadecimal digits`},
		{func(c *call.Call) { c.Nested = []call.Call{{Func: "f", CallTime: -1}} }, `<input>: f (call 0, :0): call_time is -1, expected a finite number of seconds that is not negative`},
	} {
		var b bytes.Buffer
		w := call.NewWriter(&b)
		bad := call.Call{Seq: 1, Func: "crtda_", Row: libdvm.Lookup("crtda_"), File: "a.fdv", Line: 4, Pos: at}
		c.change(&bad)
		if err := w.Call(&bad); fmt.Sprint(err) != c.want || b.Len() > 0 {
			t.Errorf("wrote %q\ngot  %v\nwant %s", b.Bytes(), err, c.want)
		}
		// The stream can go on, and counts what was written.
		good := call.Call{Seq: 1, Func: "f"}
		if err := errors.Join(w.Call(&good), w.End([]*diag.Error{{Pos: diag.Pos{File: "a.ptr", Line: 3}, Code: "ptr/x", Msg: "odd"}})); err != nil || !strings.HasSuffix(b.String(), `{"record":"end","calls":1,"warnings":1,"noticed":[{"file":"a.ptr","line":3,"col":0,"code":"ptr/x","message":"odd"}]}`+"\n") {
			t.Errorf("after a refused call: %v\n%s", err, b.Bytes())
		}
	}
	var b bytes.Buffer
	w := call.NewWriter(&b)
	if err := w.Exit(&call.Exit{Found: true, Time: -1, File: "a.fdv", Line: 3}); err == nil || err.Error() != "a.fdv:3: the program's end: time is -1, expected a finite number of seconds that is not negative" {
		t.Error(err)
	}
	if err := w.Exit(&call.Exit{}); err != nil || b.Len() > 0 {
		t.Errorf("an exit that was not found: %v, %q", err, b.Bytes())
	}
}

func TestWriterKeepsTheFirstError(t *testing.T) {
	full := errors.New("disk full")
	w := call.NewWriter(failing{full})
	if w.Header(&call.Header{}) != full || w.Call(&call.Call{Seq: 1}) != full || w.Exit(&call.Exit{Found: true}) != full || w.End(nil) != full {
		t.Error("the first error is not kept")
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestReaderDoesNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all contents
	for i := range 3000 {
		c := randomCall(rng, int64(i+1), 0)
		c.File, c.RetFile = "jac.fdv", "rts.c"
		for j := range c.Nested {
			c.Nested[j].File = "rts.c"
			c.Nested[j].Nested = nil
		}
		all.Calls = append(all.Calls, c)
	}
	all.Header.Runtime.Grid = []int{1}
	r, err := call.NewReader("x", bytes.NewReader(write(t, &all)))
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 { // the buffers grow
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(900, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	w := call.NewWriter(io.Discard)
	seq := int64(0)
	writeOne := func() {
		c := &all.Calls[seq%2000]
		seq++
		c.Seq = seq
		if err := w.Call(c); err != nil {
			t.Fatal(err)
		}
	}
	for range 2000 {
		writeOne()
	}
	if n := testing.AllocsPerRun(900, writeOne); n != 0 {
		t.Errorf("%v allocations a call written", n)
	}
}

// Rows have at most 64 parameters a half: the reader keeps a set in a word.
func TestRowsFitTheReader(t *testing.T) {
	for _, f := range libdvm.Functions() {
		if len(f.Args) > 64 || len(f.Ret) > 64 {
			t.Errorf("%s has %d and %d parameters", f.Name, len(f.Args), len(f.Ret))
		}
	}
}

func FuzzCallReader(f *testing.F) {
	f.Add([]byte(small))
	lines := strings.SplitAfter(small, "\n")
	for _, l := range lines[1:5] {
		f.Add([]byte(lines[0] + l + `{"record":"end","calls":1}` + "\n"))
	}
	const call0 = `{"ret":{"A":[[]],"B":[],"C":[1,2.5,3E1],"DRef[]":["1","x"],"EPtr":"0"},"args":{"Rank":1e1,"BufferHeader[]":["1"],"F":-0},"record":"call","seq":3,"func":`
	for _, name := range []string{"crtda_", "insrb_", "no"} {
		f.Add([]byte(`{"version":1,"runtime":{"grid":[],"processors":1.0e0},"source":["\uf7ff"],"record":"trace"}` + "\n" + `{"x":1,"record":"y"}` + "\r\n" +
			call0 + `"` + name + `","line":0,"file":"","call_time":0.1e-3,"ret_time":-0}` + "\n" + `{"record":"end","calls":8}` + "\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := read(text)
		if err != nil {
			if _, ok := errors.AsType[*diag.Error](err); !ok {
				t.Fatalf("%v has no position", err)
			}
			return
		}
		first := write(t, &got)
		again, err := read(first)
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		compare(t, "fuzz", &got, &again)
		if second := write(t, &again); !bytes.Equal(first, second) {
			t.Fatalf("(-written +written again)\n%s", cmp.Diff(string(first), string(second)))
		}
	})
}
