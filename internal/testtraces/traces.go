// Package testtraces opens the real traces of testdata/traces for tests.
//
// A trace is named by its path below that directory, with slashes, such as
// "single/f01_ivals.ptr.zst". Everything is read, parsed or merged only once in a
// test binary and shared by its tests, which must not change it. All functions end
// the test when something cannot be read.
package testtraces

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/pkg/call"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/ptr/merge"
	"dvmtools/pkg/stream"
)

// Dir returns the absolute path of testdata. A test that changes its working
// directory must have called a function of this package before.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "testdata")
}

// root finds the module's root above the working directory, which Go sets to
// the directory of the package under test.
var root = sync.OnceValues(func() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod in or above %s; call testtraces before changing the working directory", start)
		}
	}
})

// Path returns the absolute path of a trace, for code that opens it itself.
func Path(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(Dir(t), "traces", filepath.FromSlash(name))
}

// damaged matches the traces that cannot be read to the end without an error,
// the large one, and those of several sizes, which are for tests that name them.
// oneOfMany matches the traces of one process of a run of several.
var (
	damaged   = regexp.MustCompile(`_v(8|9|10|11)_|^damaged/|^large/|^sizes/`)
	oneOfMany = regexp.MustCompile(`^parallel/|_p2/`)
)

// Whole returns the sorted names of all undamaged traces except the large one,
// including those of each process of a run of several.
func Whole(t testing.TB) []string {
	t.Helper()
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	err = fs.WalkDir(os.DirFS(filepath.Join(dir, "testdata", "traces")), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(name, ".ptr") && !damaged.MatchString(name) {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 160 {
		t.Fatalf("%d traces found, error %v", len(names), err)
	}
	return names
}

// Programs returns the sorted names of the undamaged traces of runs on one
// processor except the large one. These can be simulated.
func Programs(t testing.TB) []string {
	t.Helper()
	names := slices.DeleteFunc(Whole(t), oneOfMany.MatchString)
	if len(names) < 50 {
		t.Fatalf("%d programs found", len(names))
	}
	return names
}

// Sample returns the programs for tests that simulate each of them many times.
// Runs of the same program with other settings of the run-time system, and runs
// without intervals, make the same calls; they are left out but in a long run of
// tests.
func Sample(t testing.TB) []string {
	t.Helper()
	names := Programs(t)
	if effort.Long() {
		return names
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "variants/") || strings.Contains(name, "_ns.")
	})
	if len(names) < 20 {
		t.Fatalf("%d programs that differ found", len(names))
	}
	return names
}

// SampleRuns returns the runs for tests that simulate each of them many times:
// all of [Runs], under the race detector only the first of each program.
func SampleRuns(t testing.TB) []Run {
	t.Helper()
	runs := Runs(t)
	if !effort.Race || effort.Long() {
		return runs
	}
	program := func(r Run) string { return r.Name[:strings.LastIndex(r.Name, "_p")] }
	return slices.CompactFunc(runs, func(a, b Run) bool { return program(a) == program(b) })
}

// results keeps the results of a function by its argument. Tests may use it at the
// same time; the function runs only once for each argument.
type results[T any] struct{ of sync.Map }

func (r *results[T]) get(name string, f func() (T, error)) (T, error) {
	once, ok := r.of.Load(name)
	if !ok {
		once, _ = r.of.LoadOrStore(name, sync.OnceValues(f))
	}
	return once.(func() (T, error))()
}

// The texts, calls and merged traces so far. kept holds the addresses of the texts.
var (
	texts      results[[]byte]
	recordings results[*call.Recording]
	mergers    results[[]byte]
	kept       sync.Map
)

// Text returns the text of a trace, decompressed. It is shared and must not be
// changed; appending makes a copy.
func Text(t testing.TB, name string) []byte {
	t.Helper()
	path := Path(t, name)
	b, err := texts.get(name, func() ([]byte, error) { return read(path) })
	if err != nil {
		t.Fatal(err)
	}
	kept.Store(&b[0], true)
	return b
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := stream.NewReader(f, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return slices.Clip(b), err
}

// Parse returns a reader of text, which is a trace called name.
func Parse(t testing.TB, name string, text []byte) *ptr.Reader {
	t.Helper()
	r, err := ptr.NewReader(name, bytes.NewReader(text), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Open returns a reader of a trace at its beginning.
func Open(t testing.TB, name string) *ptr.Reader {
	t.Helper()
	return Parse(t, name, Text(t, name))
}

// Calls returns the calls of a trace. They are parsed once and shared.
func Calls(t testing.TB, name string) *call.Recording {
	t.Helper()
	return record(t, name, name, Text(t, name))
}

// record returns the calls of text, which are kept under key.
func record(t testing.TB, name, key string, text []byte) *call.Recording {
	t.Helper()
	rec, err := recordings.get(key, func() (*call.Recording, error) {
		r, err := ptr.NewReader(name, bytes.NewReader(text), ptr.Options{})
		if err != nil {
			return nil, err
		}
		return call.Record(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// A Run is the traces of a run of several processes.
type Run struct {
	Name  string   // the last part of its directory's path, such as "jac_p2"
	Files []string // the names of its traces, process by process
}

// Runs returns all runs of several processes, sorted by directory.
func Runs(t testing.TB) []Run {
	t.Helper()
	var all []Run
	dir := ""
	for _, name := range Whole(t) {
		if !oneOfMany.MatchString(name) {
			continue
		}
		if d := filepath.ToSlash(filepath.Dir(name)); d != dir {
			dir = d
			all = append(all, Run{Name: filepath.Base(d)})
		}
		last := &all[len(all)-1]
		last.Files = append(last.Files, name)
	}
	if len(all) != 38 {
		t.Fatalf("%d runs of several processes found, want 38", len(all))
	}
	return all
}

// MergedRun returns the merged trace of the run with the given name, as [Merged].
func MergedRun(t testing.TB, name string) []byte {
	t.Helper()
	for _, run := range Runs(t) {
		if run.Name == name {
			return Merged(t, run)
		}
	}
	t.Fatalf("there is no run %s", name)
	return nil
}

// Merged returns the merged trace of a run. It is shared and must not be changed.
func Merged(t testing.TB, run Run) []byte {
	t.Helper()
	return merged(t, run, run.Name, merge.Options{})
}

// MergedOwn is [Merged] with the times of each process kept beside the merged
// ones.
func MergedOwn(t testing.TB, run Run) []byte {
	t.Helper()
	return merged(t, run, run.Name+" own", merge.Options{KeepOwn: true})
}

func merged(t testing.TB, run Run, key string, opts merge.Options) []byte {
	t.Helper()
	b, err := mergers.get(key, func() ([]byte, error) {
		var sources []merge.Source
		for i, name := range run.Files {
			text := Text(t, name)
			sources = append(sources, merge.Source{Name: name, Process: i, Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(text)), nil
			}})
		}
		var out bytes.Buffer
		err := merge.Merge(context.Background(), &out, sources, opts)
		return slices.Clip(out.Bytes()), err
	})
	if err != nil {
		t.Fatalf("%s: %v", run.Name, err)
	}
	kept.Store(&b[0], true)
	return b
}

// large is the size in bytes from which the calls of a text are not kept, as they
// take several times the memory of the text.
const large = 8 << 20

// Source returns the calls of text, a trace called name. A text that Text or
// Merged returned is parsed once, under the name that was given first; a large
// one is parsed each time.
func Source(t testing.TB, name string, text []byte) call.Source {
	t.Helper()
	if len(text) == 0 || len(text) > large {
		return Parse(t, name, text)
	}
	if _, ok := kept.Load(&text[0]); !ok {
		return Parse(t, name, text)
	}
	return record(t, name, fmt.Sprintf("%p", text), text).Source()
}

// Longer returns the calls of a trace whose time steps, each of which begins with a
// call of the function begin, are there times as often, but for the first and the
// last.
func Longer(t testing.TB, name, begin string, times int) *call.Recording {
	t.Helper()
	text := Text(t, name)
	mark := []byte("\ncall_" + begin)
	first := bytes.Index(text, mark) + 1
	second := first + bytes.Index(text[first:], mark) + 1
	last := bytes.LastIndex(text, mark) + 1
	if first == 0 || second <= first || last <= second {
		t.Fatalf("%s has no time steps that begin with %s", name, begin)
	}
	long := slices.Concat(text[:second], bytes.Repeat(text[second:last], times), text[last:])
	return record(t, name, fmt.Sprint(name, " ", begin, " ", times), long)
}
