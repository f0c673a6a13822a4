package interval_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// contents is an interval stream: records in order, the end last.
type contents struct {
	Header  interval.Header
	Records []any
	End     interval.End
}

func write(t testing.TB, all *contents) []byte {
	t.Helper()
	var b bytes.Buffer
	w := interval.NewWriter(&b)
	err := w.Header(&all.Header)
	for _, r := range all.Records {
		if err == nil {
			err = writeRecord(w, r)
		}
	}
	if err == nil {
		err = w.End(all.End.Warnings)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeRecord(w *interval.Writer, r any) error {
	switch r := r.(type) {
	case interval.Interval:
		return w.Interval(&r)
	case interval.Processor:
		return w.Processor(&r)
	case interval.Line:
		return w.Line(&r)
	case interval.Exchange:
		return w.Exchange(&r)
	case interval.Span:
		return w.Span(&r)
	}
	panic(fmt.Sprintf("%T", r))
}

// read returns the contents of a stream, or what came before the error.
func read(text []byte) (all contents, err error) {
	r, err := interval.NewReader("x", bytes.NewReader(text))
	if err != nil {
		return all, err
	}
	all.Header = *r.Header()
	for {
		rec, err := r.Next()
		switch {
		case err == io.EOF:
			all.End = *r.End()
			return all, nil
		case err != nil:
			if _, again := r.Next(); again != err {
				return all, fmt.Errorf("%w is followed by %w", err, again)
			}
			return all, err
		case rec.Interval != nil:
			all.Records = append(all.Records, *rec.Interval)
		case rec.Processor != nil:
			p := *rec.Processor
			p.Boxes = nil
			for _, b := range rec.Processor.Boxes {
				p.Boxes = append(p.Boxes, append([]string(nil), b...))
			}
			all.Records = append(all.Records, p)
		case rec.Line != nil:
			l := *rec.Line
			l.Functions = append([]interval.Function(nil), l.Functions...)
			all.Records = append(all.Records, l)
		case rec.Exchange != nil:
			all.Records = append(all.Records, *rec.Exchange)
		default:
			all.Records = append(all.Records, *rec.Span)
		}
	}
}

// fill sets every number in v to a value that no other field has, some of
// them of full precision.
func fill(v reflect.Value, rng *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), rng)
		}
	case reflect.Float64:
		v.SetFloat([]float64{float64(rng.Int64N(1e10)) / 1e8, rng.NormFloat64(), math.Ldexp(rng.Float64(), rng.IntN(60)-30)}[rng.IntN(3)])
	case reflect.Int, reflect.Int64:
		v.SetInt(rng.Int64N(1 << 40))
	}
}

func sample(rng *rand.Rand) *contents {
	all := &contents{
		Header: interval.Header{
			Machine: machine.Description{Name: "cluster", Processors: 16, Nodes: []machine.NodeDescription{{Name: "cluster", Processors: 16,
				Medium:   &machine.MediumDescription{CommType: machine.Myrinet, Channels: 2, TStart: 75e-6, TByte: 2e-7},
				Children: []machine.GroupDescription{{Count: 16, Node: "cpu"}}}, {Name: "cpu", Processors: 1, Power: 1.5}}},
			Grid: []int{4, 4}, Processors: 16, Source: []string{"jac.ptr", "<\xff>"},
			Options: interval.Options{Model: options.Defaults(), Level: -1},
		},
		End: interval.End{Intervals: 3, Warnings: 2},
	}
	for id, typ := range []interval.Type{interval.Main, interval.User, interval.Parallel} {
		var v interval.Interval
		fill(reflect.ValueOf(&v).Elem(), rng)
		v.ID, v.Parent, v.Type, v.File = id+1, id, typ, "jac\t\xe4.fdv"
		if id == 1 {
			v.Expr = new(rng.Int64() - math.MaxInt64/2)
		}
		if id == 2 {
			v.POP = &interval.POP{}
			fill(reflect.ValueOf(v.POP).Elem(), rng)
		}
		all.Records = append(all.Records, v)
		var p interval.Processor
		fill(reflect.ValueOf(&p).Elem(), rng)
		p.Interval = id + 1
		if id < 2 {
			p.Boxes = [][]string{{"0,2-3", "1"}, {"1", "0-3"}}[:id+1]
		} else {
			p.Rank = new(int64(15))
		}
		all.Records = append(all.Records, p)
		all.Records = append(all.Records, interval.Span{Processors: "0-3", Start: 0.5, End: 0.75, Kind: interval.SpanCommunication,
			Op: []string{"", "reduction"}[id&1], Interval: id + 1, Seq: 41})
	}
	for id := range 3 {
		var l interval.Line
		fill(reflect.ValueOf(&l).Elem(), rng)
		l.Interval, l.File, l.FromLine, l.Line = id+1, "jac\t\xe4.fdv", 3, 3+id
		l.Functions = []interval.Function{{Func: "dopl_", Calls: 2}, {Func: "endpl_", Calls: 1}}[:id]
		if id == 0 {
			l.Functions = nil
		}
		for _, c := range interval.Characteristics() {
			if at := c.At(&l.Times); at != nil && !c.Inner {
				*at = 0
			}
		}
		l.Efficiency = 0
		all.Records = append(all.Records, l)
	}
	for k := range interval.NumKinds {
		x := interval.Exchange{Kind: k, Func: "strtsh_", File: "jac\t\xe4.fdv", Line: 21, Seq: 41, Count: 60, Messages: 480, Bytes: 1 << 60}
		fill(reflect.ValueOf(&x.KindTimes).Elem(), rng)
		all.Records = append(all.Records, x)
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		want := sample(rng)
		got, err := read(write(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(*want, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("(-written +read)\n%s", d)
		}
	}
}

// What we write means to encoding/json what encoding/json writes: the names
// in the tables are those in the types, and no field is left out.
func TestSameAsEncodingJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		all := sample(rng)
		all.Header.Source[1] = "valid"
		values := append(append([]any{all.Header}, all.Records...), all.End)
		for i, line := range bytes.Split(bytes.TrimSuffix(write(t, all), []byte("\n")), []byte("\n")) {
			var got map[string]any
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			v := values[i]
			if x, ok := v.(interval.Interval); ok {
				x.File = "valid"
				got["file"] = x.File
				v = x
			}
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			kind := map[string]string{"Header": "simulation", "Interval": "interval", "Processor": "processor", "Span": "span", "Line": "line", "Exchange": "exchange", "End": "end"}[reflect.TypeOf(v).Name()]
			if got["record"] != kind {
				t.Errorf("record %d is %v, want %s", i, got["record"], kind)
			}
			delete(got, "record")
			delete(got, "version")
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-encoding/json +ours)\n%s", kind, d)
			}
		}
	}
}

func TestAnyOrderAndUnknownFields(t *testing.T) {
	want := sample(rand.New(rand.NewPCG(7, 8)))
	var text bytes.Buffer
	for line := range bytes.Lines(write(t, want)) {
		m := map[string]any{}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		m["a_new_field"] = []any{nil, map[string]any{"x": true}}
		if err := json.NewEncoder(&text).Encode(m); err != nil { // sorted by name
			t.Fatal(err)
		}
		if m["record"] == "span" {
			text.WriteString("{\"future\":1,\"record\":\"hint\"}\n")
		}
	}
	got, err := read(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(*want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("(-written +read)\n%s", d)
	}
}

func TestEveryCutIsTold(t *testing.T) {
	all := sample(rand.New(rand.NewPCG(9, 10)))
	all.Records = all.Records[:3] // one of each kind
	text := write(t, all)
	for i := range len(text) {
		got, err := read(text[:i])
		if !errors.Is(err, diag.ErrTruncated) {
			t.Fatalf("cut at %d: %v", i, err)
		}
		if lines := bytes.Count(text[:i], []byte("\n")); len(got.Records) != max(lines-1, 0) {
			t.Fatalf("cut at %d: %d records of %d complete lines were read", i, len(got.Records), lines)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	nan, inf := units.Seconds(math.NaN()), units.Seconds(math.Inf(1))
	good := interval.Interval{ID: 2, Parent: 1, Type: interval.User, File: "a.fdv", Line: 7}
	for _, c := range []struct {
		record func() any
		want   string
	}{
		{func() any { v := good; v.Idle = nan; return v }, "interval 2 (a.fdv:7): idle: NaN is no value that a record can hold"},
		{func() any { v := good; v.Shadow.RealSynch = inf; return v }, "interval 2 (a.fdv:7): shadow: real_synch: +Inf is no value that a record can hold"},
		{func() any { v := good; v.Parent = 2; return v }, "interval 2 (a.fdv:7): found parent 2 of interval 2, expected 0 or an interval before it"},
		{func() any { v := good; v.ID = 0; return v }, "interval 0 (a.fdv:7): found interval 0 after interval 0, expected numbers that count up from 1"},
		{func() any { v := good; v.Count = -1; return v }, "interval 2 (a.fdv:7): found level 0, line 7, count -1, processors 0, expected none below 0"},
		{func() any { v := good; v.Type = "loop"; return v }, `interval 2 (a.fdv:7): found the type "loop", expected "main", "user", "seq" or "par"`},
		{func() any { return interval.Processor{Interval: 3, N: 0} }, "processors of interval 3: found 0 processors of interval 3, expected numbers from 1"},
		{func() any { return interval.Processor{Interval: 3, N: 1, Times: interval.Times{CPUTime: -inf}} }, "processors of interval 3: cpu_time: -Inf is no value that a record can hold"},
		{func() any { return interval.Span{Seq: 4, Kind: interval.SpanCPU, Start: nan} }, "span of call 4: start: NaN is no value that a record can hold"},
		{func() any { return interval.Span{Seq: 4, Kind: interval.SpanCPU, Start: 2, End: 1} }, "span of call 4: found a span from 2 to 1, expected one that ends after its start, from 0"},
		{func() any { return interval.Exchange{Func: "f", File: "a.fdv", Line: 7, Seq: 1} }, "exchanges by f at a.fdv:7: found line 7, seq 1, count 0, messages 0, size_b 0, expected seq and count from 1, the others from 0"},
		{func() any { return interval.Span{Seq: 4, Kind: "sleep"} }, `span of call 4: found a span of the kind "sleep", expected "cpu", "sys", "io", "wait" or "communication"`},
	} {
		var b bytes.Buffer
		w := interval.NewWriter(&b)
		if err := writeRecord(w, c.record()); fmt.Sprint(err) != c.want || b.Len() > 0 {
			t.Errorf("wrote %q\ngot  %v\nwant %s", b.Bytes(), err, c.want)
		}
		// The stream can go on, and counts what was written.
		if err := errors.Join(w.Interval(&good), w.End(0)); err != nil || !strings.HasSuffix(b.String(), `{"record":"end","intervals":1,"warnings":0}`+"\n") {
			t.Errorf("after a refused record: %v\n%s", err, b.Bytes())
		}
	}
}

func TestWriterKeepsTheFirstError(t *testing.T) {
	full := errors.New("disk full")
	w := interval.NewWriter(failing{full})
	err := w.Header(&interval.Header{})
	if err != full || w.End(0) != full || w.Span(&interval.Span{}) != full || w.Interval(&interval.Interval{ID: 1, Type: interval.Main}) != full {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestReaderComplains(t *testing.T) {
	lines := strings.SplitAfter(string(write(t, sample(rand.New(rand.NewPCG(11, 12))))), "\n")
	for _, c := range []struct {
		line     int
		old, new string
		want     string
	}{
		{1, `"machine":{`, `"machine":{"nodes":7,"x":{`, `x:1:`},
		{1, `"grid":[4,4],`, ``, `x:1:1: found a header without "grid", expected one with it; did a filter remove it?`},
		{1, `"async":"synced",`, ``, `found a set of options without "async", expected one with it; did a filter remove it?`},
		{1, `"async":"synced"`, `"async":"late"`, `async: found "late", expected synced or free; was the stream written by another version?`},
		{2, `"idle"`, `"IDLE"`, `x:2:1: found an interval without "idle", expected one with it; did a filter remove it?`},
		{2, `"real_synch"`, `"realsynch"`, `found a kind of operation without "real_synch", expected one with it; did a filter remove it?`},
		{2, `"type":"main"`, `"type":"loop"`, `x:2:1: found the type "loop", expected "main", "user", "seq" or "par"`},
		{2, `"id":1,`, `"id":"1",`, `x:2:27: found a string, expected an integer`},
		{5, `"id":2,`, `"id":1,`, `x:5:1: found interval 1 after interval 1, expected numbers that count up from 1`},
		{5, `"parent":1,`, `"parent":2,`, `x:5:1: found parent 2 of interval 2, expected 0 or an interval before it`},
		{3, `"interval":1,`, `"interval":0,`, `of interval 0, expected numbers from 1`},
		{3, `[["0,2-3","1"]]`, `["0,2-3","1"]`, `x:3:45: found a string, expected an array`},
		{4, `"kind":"communication"`, `"kind":"talk"`, `x:4:1: found a span of the kind "talk"`},
		{4, `"start":0.5`, `"start":0.8`, `x:4:1: found a span from 0.8 to 0.75, expected one that ends after its start, from 0`},
		{19, `3`, `4`, `x:19:1: found 3 intervals before the end record, expected 4 as it says; part of the stream is missing or was put in twice`},
		{19, `3`, `2`, `x:19:1: found 3 intervals before the end record, expected 2 as it says`},
		{19, `"intervals":3,`, ``, `x:19:1: found an end without "intervals"`},
		{11, `"from_line":3`, `"from_line":4`, `x:11:1: found lines 4 to 3 of interval 1, expected an interval from 1 and lines from 0 in order`},
		{12, `"calls":2`, `"calls":0`, `x:12:1: found 0 calls of dopl_, expected a number from 1`},
		{4, lines[3], lines[0], `x:4:1: found a second header, expected intervals`},
		{4, lines[3], "{\"record\":\"x\",}\n", `x:4:15: found '}', expected a key in double quotes`},
		{1, `"simulation"`, `"trace"`, `found the calls of a trace, as dvmtrace-parse writes them; expected the intervals of a simulated program, as dvmsim writes them`},
	} {
		changed := append([]string(nil), lines...)
		changed[c.line-1] = strings.Replace(changed[c.line-1], c.old, c.new, 1)
		if changed[c.line-1] == lines[c.line-1] {
			t.Errorf("%q is not in %s", c.old, lines[c.line-1])
		}
		_, err := read([]byte(strings.Join(changed, "")))
		e, ok := errors.AsType[*diag.Error](err)
		if !ok || e.Pos.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q:\ngot  %v\nwant %s", c.new, err, c.want)
		}
	}
}

// A stream out of which a filter took intervals is read; one with a hole that
// no filter leaves is not.
func TestFilteredStream(t *testing.T) {
	lines := strings.SplitAfter(string(write(t, sample(rand.New(rand.NewPCG(13, 14))))), "\n")
	all, err := read([]byte(strings.Join(append(lines[:4:4], lines[7:]...), "")))
	if err != nil || len(all.Records) != 14 {
		t.Errorf("%d records, %v", len(all.Records), err)
	}
	if _, err = read([]byte(strings.Join(append(lines[:4:4], lines[10:]...), ""))); err == nil {
		t.Error("the last intervals are missing, and nobody noticed")
	}
}

func FuzzIntervalReader(f *testing.F) {
	f.Add(write(f, sample(rand.New(rand.NewPCG(1, 1)))))
	f.Add([]byte(`{"version":1,"record":"simulation","processors":1,"grid":[],"machine":null}` + "\n" + `{"record":"end","intervals":0}` + "\n"))
	f.Add([]byte(`{"record":"simulation","version":1,"processors":1e1,"grid":[2.0],"machine":{}}` + "\n" +
		`{"record":"span","processors":"\uF7FF","start":0,"end":1E2,"kind":"io","interval":1,"seq":0}` + "\n" + `{"record":"end","intervals":0}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := read(text)
		if err != nil {
			if _, ok := errors.AsType[*diag.Error](err); !ok {
				t.Fatalf("%v has no position", err)
			}
			return
		}
		again, err := read(write(t, &got))
		if err != nil {
			t.Fatal(err)
		}
		got.End.Intervals = again.End.Intervals // a filter may have changed it
		if d := cmp.Diff(got, again, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("(-read +read again)\n%s", d)
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	v := sample(rand.New(rand.NewPCG(15, 16))).Records[0].(interval.Interval)
	n := &count{}
	w := interval.NewWriter(n)
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Interval(&v); err != nil {
			b.Fatal(err)
		}
		v.ID++
	}
	b.SetBytes(n.bytes / n.writes)
}

type count struct{ bytes, writes int64 }

func (c *count) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	c.writes++
	return len(p), nil
}

func BenchmarkReader(b *testing.B) {
	all := sample(rand.New(rand.NewPCG(15, 16)))
	one := all.Records
	for id := 4; id <= 3000; id++ {
		v := one[0].(interval.Interval)
		v.ID = id
		all.Records = append(all.Records, v)
	}
	text := write(b, all)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := interval.NewReader("x", bytes.NewReader(text))
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
