package whatif_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/call"
	"dvmtools/pkg/stream"
	"dvmtools/pkg/units"
	"dvmtools/pkg/whatif"
)

// records returns calls as records without what packing leaves out.
func records(t testing.TB, r *call.Recording) string {
	t.Helper()
	var b bytes.Buffer
	w := call.NewWriter(&b)
	h := *r.Header()
	h.Others, h.Runtime.Others = call.Others{}, call.Others{}
	err := w.Header(&h)
	for i := range r.Len() {
		c := *r.Call(i)
		c.Before, c.Others = nil, call.Others{}
		err = errors.Join(err, w.Call(&c))
	}
	e := *r.Exit()
	e.Others = call.Others{}
	if err := errors.Join(err, w.Exit(&e), w.End(nil)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// recorded returns the calls of a text, which is a trace.
func recorded(t testing.TB, name string, text []byte) *call.Recording {
	t.Helper()
	r, err := call.Record(testtraces.Source(t, name, text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is unpacked has the records of what was packed: of real programs, of runs
// with the times of each process, and of random programs.
func TestPacked(t *testing.T) {
	programs := map[string]*call.Recording{}
	for _, name := range testtraces.Sample(t) {
		programs[name] = testtraces.Calls(t, name)
	}
	for _, run := range testtraces.SampleRuns(t) {
		programs[run.Name] = recorded(t, run.Name, testtraces.MergedOwn(t, run))
	}
	for seed := range uint64(effort.Of(60, 2000)) {
		p := tracegen.Generate(tracegen.Options{Seed: seed + 1, Grid: []int{2, 2}, Repeat: int(seed % 7)})
		programs[fmt.Sprint("seed ", seed)] = recorded(t, "random", p.Text())
	}
	own, nested := 0, 0
	for name, r := range programs {
		packed, err := whatif.Pack(r)
		if err != nil {
			t.Fatal(name, err)
		}
		back, err := whatif.Unpack(packed)
		if err != nil {
			t.Fatal(name, err)
		}
		if got, want := records(t, back), records(t, r); got != want {
			t.Errorf("%s: unpacked is\n%.600s\nexpected\n%.600s", name, got, want)
		}
		for i := range r.Len() {
			if !r.Call(i).Own.Empty() {
				own++
			}
			nested += len(r.Call(i).Nested)
		}
		if len(packed) > 0 {
			for _, cut := range []int{0, 1, len(packed) / 2, len(packed) - 1} {
				if _, err := whatif.Unpack(packed[:cut]); err == nil {
					t.Errorf("%s: %d of %d bytes are taken for calls", name, cut, len(packed))
				}
			}
		}
	}
	if own == 0 || nested == 0 {
		t.Errorf("%d calls have times of each process, %d are nested", own, nested)
	}
}

// Times keep their bits, whether they are round or not.
func TestPackedTimes(t *testing.T) {
	r := recorded(t, "random", tracegen.Generate(tracegen.Options{Seed: 1}).Text())
	times := []units.Seconds{0, 1e-8, 0.3, 0.1 + 0.2, 1.0 / 3, 12345.67890123, 5e-324, 1e300, 9007199254740993, 0.07}
	for i := range r.Len() {
		r.Call(i).CallTime, r.Call(i).RetTime = times[i%len(times)], times[(i+3)%len(times)]
	}
	packed, err := whatif.Pack(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := whatif.Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Len() {
		if a, b := r.Call(i), back.Call(i); a.CallTime != b.CallTime || a.RetTime != b.RetTime {
			t.Fatalf("call %d: %v and %v, expected %v and %v", i+1, b.CallTime, b.RetTime, a.CallTime, a.RetTime)
		}
	}
}

// mostAbove is how much larger than the compressed trace a page may be.
const mostAbove = 5_000_000

// besides is how large all else in a page may be: the simulator (scripts/engine), and
// the page as it is without it.
const besides = 3_500_000 + 500_000

// A page is at most five megabytes larger than its compressed trace, however
// long that is: calls take less room than in the trace, base64 included.
func TestPackedSize(t *testing.T) {
	long := tracegen.Generate(tracegen.Options{Seed: 5, Grid: []int{2, 2}, Steps: 12, Repeat: effort.Of(1000, 18000)})
	for name, text := range map[string][]byte{
		"large/f11_big.ptr.zst": testtraces.Text(t, "large/f11_big.ptr.zst"),
		"random.ptr":            long.Text(),
	} {
		r := recorded(t, name, text)
		packed, err := whatif.Pack(r)
		if err != nil {
			t.Fatal(err)
		}
		var z, zst bytes.Buffer
		g, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Write(packed)
		if err := errors.Join(err, g.Close()); err != nil {
			t.Fatal(err)
		}
		w, err := stream.NewWriter(&zst, stream.WriterOptions{Zstd: true, Level: stream.MaxLevel})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Write(text)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		calls := base64.StdEncoding.EncodedLen(z.Len())
		t.Logf("%s: %d calls, %d bytes, %d with zstd, %d in the page", name, r.Len(), len(text), zst.Len(), calls)
		if most := zst.Len() + mostAbove - besides; calls > most {
			t.Errorf("%s: the calls take %d bytes of a page, expected at most %d", name, calls, most)
		}
	}
}

// FuzzUnpack: no bytes end the simulator, and what is unpacked can be packed.
func FuzzUnpack(f *testing.F) {
	for _, name := range []string{"single/c13_copy.ptr.zst", "compute/jac.ptr.zst"} {
		b, err := whatif.Pack(testtraces.Calls(f, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := whatif.Unpack(b)
		if err != nil {
			return
		}
		again, err := whatif.Pack(r)
		if err != nil {
			return // times that no trace has
		}
		back, err := whatif.Unpack(again)
		if err != nil || records(t, back) != records(t, r) {
			t.Errorf("packed again it differs, error %v", err)
		}
	})
}
