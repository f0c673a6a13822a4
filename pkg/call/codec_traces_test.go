package call_test

import (
	"bytes"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// contents is a stream of calls read to its end.
type contents struct {
	Header call.Header
	Calls  []call.Call
	Exit   call.Exit
}

// readAll reads at most limit calls of a source, or all for 0.
func readAll(src call.Source, limit int) (contents, error) {
	all := contents{Header: *src.Header()}
	for limit == 0 || len(all.Calls) < limit {
		c, err := src.Next()
		if err != nil {
			all.Exit = *src.Exit()
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		all.Calls = append(all.Calls, clone(c))
	}
	return all, nil
}

// clone returns a copy of c that shares no memory with its source.
func clone(c *call.Call) call.Call {
	d := *c
	d.Args, d.Ret = cloneParams(&c.Args), cloneParams(&c.Ret)
	d.Text, d.RetText, d.Nested = nil, nil, nil
	for _, l := range c.Text {
		d.Text = append(d.Text, bytes.Clone(l))
	}
	for _, l := range c.RetText {
		d.RetText = append(d.RetText, bytes.Clone(l))
	}
	for i := range c.Nested {
		d.Nested = append(d.Nested, clone(&c.Nested[i]))
	}
	return d
}

func cloneParams(p *call.Params) (out call.Params) {
	for i := range p.Len() {
		q := p.At(i)
		if q.Shape == libdvm.Scalar {
			out.Add(q.Key, q.Kind, bytes.Clone(q.Val))
			continue
		}
		out.AddArray(q.Key, q.Kind, q.Shape)
		d, elems, from := out.At(i), p.Elems(q), int32(0)
		for _, to := range p.Rows(q) {
			out.AddRow(d)
			for ; from < to; from++ {
				out.AddElem(d, bytes.Clone(elems[from]))
			}
		}
		for _, e := range elems[from:] {
			out.AddElem(d, bytes.Clone(e))
		}
	}
	return out
}

// same returns what differs between two calls as a record holds them, "" when
// nothing does. It is much faster than a general comparison.
func same(a, b *call.Call) string {
	switch {
	case a.Seq != b.Seq, a.Func != b.Func, a.Row != b.Row, a.Line != b.Line, a.File != b.File,
		a.RetLine != b.RetLine, a.RetFile != b.RetFile, a.Only != b.Only, a.Outside != b.Outside:
		return "fields"
	case math.Float64bits(float64(a.CallTime)) != math.Float64bits(float64(b.CallTime)),
		math.Float64bits(float64(a.RetTime)) != math.Float64bits(float64(b.RetTime)):
		return "times"
	case !a.Args.Equal(&b.Args):
		return "args"
	case !a.Ret.Equal(&b.Ret):
		return "ret"
	case !slices.EqualFunc(a.Text, b.Text, bytes.Equal):
		return "text"
	case !slices.EqualFunc(a.RetText, b.RetText, bytes.Equal):
		return "ret_text"
	case len(a.Nested) != len(b.Nested):
		return "number of nested calls"
	}
	for i := range a.Nested {
		if d := same(&a.Nested[i], &b.Nested[i]); d != "" {
			return "nested " + d
		}
	}
	return ""
}

// compare reports the first difference between what was written and read.
func compare(t testing.TB, name string, want, got *contents) {
	t.Helper()
	if d := cmp.Diff(want.Header, got.Header, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s: header (-written +read)\n%s", name, d)
	}
	if d := cmp.Diff(want.Exit, got.Exit, cmpopts.IgnoreFields(call.Exit{}, "Seq")); d != "" {
		t.Errorf("%s: exit (-written +read)\n%s", name, d)
	}
	if len(want.Calls) != len(got.Calls) {
		t.Errorf("%s: %d calls were written, %d read", name, len(want.Calls), len(got.Calls))
		return
	}
	for i := range want.Calls {
		if d := same(&want.Calls[i], &got.Calls[i]); d != "" {
			t.Errorf("%s: %s differ\nwritten %+v\nread    %+v", name, d, want.Calls[i], got.Calls[i])
			return
		}
	}
}

// write returns the stream of all.
func write(t testing.TB, all *contents) []byte {
	t.Helper()
	var b bytes.Buffer
	w := call.NewWriter(&b)
	err := w.Header(&all.Header)
	for i := range all.Calls {
		if err == nil {
			err = w.Call(&all.Calls[i])
		}
	}
	if err == nil {
		err = w.Exit(&all.Exit)
	}
	if err == nil {
		err = w.End(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read returns the contents of a stream.
func read(text []byte) (contents, error) {
	r, err := call.NewReader("x", bytes.NewReader(text))
	if err != nil {
		return contents{}, err
	}
	return readAll(r, 0)
}

// trace reads a .ptr trace.
func trace(t testing.TB, name string, limit int) contents {
	t.Helper()
	all, err := readAll(testtraces.Open(t, name), limit)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRealTracesSurvive(t *testing.T) {
	for _, name := range testtraces.Whole(t) {
		want := trace(t, name, 0)
		got, err := read(write(t, &want))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compare(t, name, &want, &got)
		if got.Exit.Seq != want.Exit.Seq {
			t.Errorf("%s: the program ends after call %d, want %d", name, got.Exit.Seq, want.Exit.Seq)
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	all := trace(b, "large/f11_big.ptr.zst", 5000)
	n := &count{}
	w := call.NewWriter(n)
	for i := range all.Calls {
		if err := w.Call(&all.Calls[i]); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(n.n)
	b.ReportAllocs()
	for b.Loop() {
		w := call.NewWriter(n)
		for i := range all.Calls {
			if err := w.Call(&all.Calls[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

type count struct{ n int64 }

func (c *count) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func BenchmarkReader(b *testing.B) {
	all := trace(b, "large/f11_big.ptr.zst", 5000)
	text := write(b, &all)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := call.NewReader("x.ndjson", bytes.NewReader(text))
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
