package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"dvmtools/pkg/ptr/merge"
)

// repeated reads a trace in which body is repeated n times, without keeping it in
// memory.
func repeated(head, body, tail []byte, n int) io.Reader {
	return io.MultiReader(bytes.NewReader(head), &cycle{body: body, n: n}, bytes.NewReader(tail))
}

// cycle reads body n times.
type cycle struct {
	body []byte
	n    int
	at   int
}

func (c *cycle) Read(p []byte) (int, error) {
	if c.n == 0 {
		return 0, io.EOF
	}
	k := copy(p, c.body[c.at:])
	if c.at += k; c.at == len(c.body) {
		c.at = 0
		c.n--
	}
	return k, nil
}

// longRun makes sources of a run of two processes with n rounds, each with
// joint calls, calls of one process, and a task in which process 1 makes an
// object.
func longRun(n int) ([]merge.Source, int64) {
	bodies := []string{
		fmt.Sprintf(group, "e0") + at(6, 7) + task(false, "a1", 8, ""),
		fmt.Sprintf(group, "f0") + at(5, 6, 7) + task(true, "b1", 8, fmt.Sprintf(group, "f7")),
	}
	list := sources(nil, nil)
	size := 0
	for i, m := range []string{machines("a0", "a1", "a2", 5), machines("b0", "b1", "b2", 5)} {
		text := trace(2, m+"MARK\n"+bodies[i]+"MARK\n"+at(9))
		parts := bytes.Split(text, []byte("MARK\n"))
		size += n * len(parts[1])
		list[i].Open = func() (io.ReadCloser, error) {
			return io.NopCloser(repeated(parts[0], parts[1], parts[2], n)), nil
		}
	}
	return list, int64(size)
}

// watch counts the calls that are written, and measures the memory in use after
// every so many.
type watch struct {
	calls int
	every int
	heap  []uint64
	tail  []byte // the end of the last write, in which a word may begin
}

func (w *watch) Write(p []byte) (int, error) {
	before := w.calls / w.every
	text := append(w.tail, p...)
	w.calls += bytes.Count(text, []byte("call_"))
	w.tail = bytes.Clone(text[len(text)-min(len(text), len("call_")-1):])
	if w.calls/w.every != before {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		w.heap = append(w.heap, m.HeapAlloc)
	}
	return len(p), nil
}

// TestMemory: memory in use does not grow with the traces.
func TestMemory(t *testing.T) {
	const rounds = 20000
	list, _ := longRun(rounds)
	w := &watch{every: rounds}
	if err := merge.Merge(t.Context(), w, list, merge.Options{}); err != nil {
		t.Fatal(err)
	}
	// A round is 2 joint calls of tstio_ and one of process 1, 2 of crtrg_,
	// runam_ and stopam_.
	if want := 7*rounds + 4; w.calls != want {
		t.Errorf("%d calls, want %d", w.calls, want)
	}
	first, last := w.heap[0], w.heap[len(w.heap)-1]
	if last > first+1<<20 {
		t.Errorf("memory in use grows from %d to %d bytes (%v)", first, last, w.heap)
	}
}

// BenchmarkMerge merges two traces of one run; bytes are those of both.
func BenchmarkMerge(b *testing.B) {
	for b.Loop() {
		list, size := longRun(5000)
		b.SetBytes(size)
		if err := merge.Merge(b.Context(), io.Discard, list, merge.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// counted is a source that counts how many of its kind are open.
type counted struct {
	io.Reader
	open *int
}

func (c *counted) Close() error {
	*c.open--
	return nil
}

// manySources makes sources of texts and counts those that are open.
func manySources(texts [][]byte) (list []merge.Source, open, most *int) {
	list, open, most = sources(texts...), new(int), new(int)
	for i := range list {
		list[i].Open = func() (io.ReadCloser, error) {
			*open++
			*most = max(*most, *open)
			return &counted{bytes.NewReader(texts[i]), open}, nil
		}
	}
	return list, open, most
}

// TestManyProcesses: a run may have a thousand small traces, of which only one is
// open at a time. Long ones stay open until the end.
func TestManyProcesses(t *testing.T) {
	for _, c := range []struct {
		name         string
		n, long, pad int
		most         int
	}{
		{name: "small", n: 1000, most: 1},
		{name: "some long", n: 100, long: 3, pad: 256 << 10, most: 4},
		{name: "just small enough", n: 100, long: 3, pad: 250 << 10, most: 1},
		{name: "few", n: 64, most: 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			texts := make([][]byte, c.n)
			for i := range texts {
				lines := []int{5, 7}
				if i == c.n-1 {
					lines = []int{5, 6, 7}
				}
				body := at(lines...)
				if i < c.long {
					body += "note=" + strings.Repeat("x", c.pad) + "\n"
				}
				texts[i] = trace(c.n, body)
			}
			list, open, most := manySources(texts)
			var out bytes.Buffer
			if err := merge.Merge(t.Context(), &out, list, merge.Options{}); err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(linesOf(t, out.Bytes()), " "), "5 6 7"; got != want {
				t.Errorf("calls at lines %v, want %s", got, want)
			}
			if *most != c.most || *open != 0 {
				t.Errorf("%d sources were open at a time and %d are, want %d and 0", *most, *open, c.most)
			}
		})
	}
}

// TestManyBroken: an error in reading a source is returned when the calls read
// before it are merged.
func TestManyBroken(t *testing.T) {
	const n = 70
	texts := make([][]byte, n)
	for i := range texts {
		texts[i] = trace(n, at(5, 7))
	}
	list, open, _ := manySources(texts)
	bad := errors.New("cannot read on")
	list[60].Open = func() (io.ReadCloser, error) {
		*open++
		cut := bytes.Index(texts[60], []byte("Event_"))
		return &counted{io.MultiReader(bytes.NewReader(texts[60][:cut]), iotest.ErrReader(bad)), open}, nil
	}
	var out bytes.Buffer
	err := merge.Merge(t.Context(), &out, list, merge.Options{})
	if !errors.Is(err, bad) {
		t.Errorf("error %v, want %v", err, bad)
	}
	if n := bytes.Count(out.Bytes(), []byte("call_")); n == 0 {
		t.Error("nothing was merged before the error")
	}
	if *open != 0 {
		t.Errorf("%d sources are still open", *open)
	}
}
