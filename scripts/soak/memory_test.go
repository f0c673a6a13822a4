package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dvmtools/pkg/call"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/ptr/merge"
)

// TestPrograms: the traces of the long run are valid with any number of rounds
// of the loop, and have the size that is asked for, by and large.
func TestPrograms(t *testing.T) {
	t.Chdir("../..")
	runs, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range runs {
		before := 0
		for _, size := range []int64{60_000, 300_000} {
			var b bytes.Buffer
			if err := p.write(&b, p.rounds(size)); err != nil {
				t.Fatal(err)
			}
			if n := int64(b.Len()); n > size || n < size-int64(len(p.body)) {
				t.Errorf("process %d: %d bytes, want %d or a round less", i, n, size)
			}
			r, err := ptr.NewReader("x", &b, ptr.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := call.Record(r)
			if err != nil {
				t.Fatal(err)
			}
			if rec.Len() <= before {
				t.Errorf("process %d: %d calls in %d bytes, %d in fewer", i, rec.Len(), size, before)
			}
			before = rec.Len()
		}
	}
}

func TestCutLoopNeedsRounds(t *testing.T) {
	text := strings.Repeat(loopCall+" TIME=0.1 "+loopLine+"\n", 2)
	if p, err := cutLoop([]byte(text)); err == nil {
		t.Errorf("two rounds were cut to %q", p.body)
	}
}

// TestManyTraces: all traces say how many there are.
func TestManyTraces(t *testing.T) {
	t.Chdir("../..")
	runs, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	size, err := manyTraces(runs[0], dir, 7, 50_000)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, name := range []string{"heat0_0.ptr", "heat6_6.ptr"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := ptr.NewReader(name, f, ptr.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Header().Runtime.Processors; got != 7 {
			t.Errorf("%s: %d processes, want 7", name, got)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	if sum*7 < size*2-100 || sum*7 > size*2+100 {
		t.Errorf("two of seven traces have %d bytes, all %d", sum, size)
	}
	// They are traces of one run.
	var list []merge.Source
	for i := range 7 {
		name := filepath.Join(dir, fmt.Sprintf("heat%d_%d.ptr", i, i))
		list = append(list, merge.Source{Name: name, Process: i, Open: func() (io.ReadCloser, error) { return os.Open(name) }})
	}
	if err := merge.Merge(t.Context(), io.Discard, list, merge.Options{KeepOwn: true}); err != nil {
		t.Error(err)
	}
}

func TestMemoryTable(t *testing.T) {
	table, ok := memoryTable([]used{{"`a`", 10e9, 41.6, 99.4, 100}, {"`b`", 46e6, 0.2, 200, 200}})
	const want = "| process | traces | for | most memory | limit | kept |\n| --- | ---: | ---: | ---: | ---: | --- |\n" +
		"| `a` | 10 GB | 42s | 99 MB | 100 MB | yes |\n| `b` | 46 MB | 0s | 200 MB | 200 MB | NO |\n"
	if string(table) != want || ok {
		t.Errorf("got %v\n%swant false\n%s", ok, table, want)
	}
	if _, ok := memoryTable([]used{{"`a`", 10e9, 41.6, 99.4, 100}}); !ok {
		t.Error("99 MB are said to be too much")
	}
}
