package merge_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/ptr/merge"
)

// disk is a file system in memory; files with equal text are one file.
type disk struct{ fstest.MapFS }

func (d disk) Stat(name string) (fs.FileInfo, error) { return d.MapFS.Stat(filepath.Clean(name)) }

func (d disk) Same(a, b fs.FileInfo) bool {
	link := func(i fs.FileInfo) any { return i.Sys() }
	return a.Name() == b.Name() || link(a) != nil && link(a) == link(b)
}

func (d disk) List(dir string) ([]string, error) {
	list, err := d.MapFS.ReadDir(filepath.Clean(dir))
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

func (d disk) Open(name string) (io.ReadCloser, error) { return d.MapFS.Open(name) }

// newDisk makes files that hold the trace of one of n processes.
func newDisk(n int, names ...string) disk {
	d := disk{fstest.MapFS{}}
	for _, name := range names {
		name, link, _ := strings.Cut(name, "->")
		f := &fstest.MapFile{Data: trace(n, "")}
		if link != "" {
			f.Sys = link
		}
		d.MapFS[name] = f
	}
	return d
}

// TestFind: which traces operands name.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		operands string
		n        int
		files    string
		want     string // name:process
	}{
		{"", 1, "", "<stdin>:-1"},
		{"-", 1, "-", "<stdin>:-1"},
		{"jac", 2, "jac.ptr jac0_0.ptr jac1_1.ptr", "jac.ptr:-1"},
		{"jac", 2, "jac.ptr.gz jac0_0.ptr jac1_1.ptr", "jac.ptr.gz:-1"},
		{"jac", 2, "jac0_0.ptr jac1_1.ptr jac2_2.ptr", "jac0_0.ptr:0 jac1_1.ptr:1"},
		{"jac", 3, "jac jac0_0.ptr.zst jac1_1.ptr.gz jac1_1.ptr jac2_2.ptr.gz", "jac0_0.ptr.zst:0 jac1_1.ptr:1 jac2_2.ptr.gz:2"},
		{"jac1", 1, "jac10_0.ptr", "jac10_0.ptr:0"},
		{"d/jac", 2, "d/jac0_0.ptr d/jac1_1.ptr", "d/jac0_0.ptr:0 d/jac1_1.ptr:1"},
		{"jac", 1, "jac", "jac:-1"},
		{"jac0_0.ptr", 2, "jac0_0.ptr jac1_1.ptr", "jac0_0.ptr:0"},
		{"jac1_1.ptr jac0_0.ptr", 2, "jac0_0.ptr jac1_1.ptr", "jac1_1.ptr:1 jac0_0.ptr:0"},
		{"a b", 2, "a b", "a:-1 b:-1"},
		{"jac@", 3, "jac.ptr jac.html jac0_0.ptr jac1_1.ptr.gz jac1_1.ptr jac10_10.ptr sor0_0.ptr", "jac0_0.ptr:0 jac1_1.ptr:1 jac10_10.ptr:10"},
		{"d/@_@.ptr", 2, "d/jac0_0.ptr d/jac1_1.ptr jac2_2.ptr", "d/jac0_0.ptr:0 d/jac1_1.ptr:1"},
		{"@c1_@", 2, "jac0_0.ptr jac1_1.ptr", "jac1_1.ptr:1"},
		{"jac@", 2, "jac0_1.ptr jac1_0.ptr jac.ptr", "jac0_1.ptr:-1 jac1_0.ptr:-1"},
		{"x@", 2, "xa.ptr xb.ptr y.ptr", "xa.ptr:-1 xb.ptr:-1"},
		{"x@y", 2, "xy.ptr xay.ptr xyz.ptr xayay.ptr", "xay.ptr:-1 xayay.ptr:-1 xy.ptr:-1"},
		{"a@b.ptr", 2, "a@b.ptr axb.ptr", "a@b.ptr:-1"},
		{"run@2 run1", 2, "run1 run12_3.ptr runs2.ptr.zst", "runs2.ptr.zst:-1 run1:-1"},
	} {
		t.Run(c.operands+" in "+c.files, func(t *testing.T) {
			list, err := merge.Find(newDisk(c.n, strings.Fields(c.files)...), strings.Fields(c.operands))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range list {
				got = append(got, fmt.Sprint(s.Name, ":", s.Process))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFindErrors: operands that name no traces, and what was looked for.
func TestFindErrors(t *testing.T) {
	for _, c := range []struct {
		operands string
		n        int
		files    string
		missing  bool // the error is that a file does not exist
		want     string
	}{
		{"jac", 1, "sor.ptr", true, "jac: no trace found: jac, jac.ptr and jac0_0.ptr were looked for, the last two also with .zst or .gz"},
		{"jac", 4, "jac0_0.ptr jac1_1.ptr.gz jac3_3.ptr", true, "jac2_2.ptr: no such file, also not with .zst or .gz; the header of jac0_0.ptr says that there were 4 processes, expected a trace of each"},
		{"jac@", 1, "sor.ptr jac.html", true, `jac@: no trace found: of 2 files in . none fits "jac@" with .ptr, .ptr.zst or .ptr.gz behind it; "@" stands for any string`},
		{"d", 1, "d/jac.ptr", false, `d: this is a directory, expected the name of traces; all of its traces are "d/@"`},
		{"d a", 1, "d/jac.ptr a", false, `d: this is a directory, expected the name of traces; all of its traces are "d/@"`},
		{"a b", 1, "a", true, "open b: file does not exist"},
		{"a.ptr a.ptr", 1, "a.ptr", false, "a.ptr: this is the same file as a.ptr; give the trace of each process once"},
		{"a.ptr b.ptr", 1, "a.ptr->1 b.ptr->1", false, "b.ptr: this is the same file as a.ptr; give the trace of each process once"},
		{"- -", 1, "", false, "<stdin>: this is the same file as <stdin>; give the trace of each process once"},
		{"no/x@", 1, "", true, "open no: file does not exist"},
	} {
		t.Run(c.operands, func(t *testing.T) {
			_, err := merge.Find(newDisk(c.n, strings.Fields(c.files)...), strings.Fields(c.operands))
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if errors.Is(err, fs.ErrNotExist) != c.missing {
				t.Errorf("that a file does not exist is %t in %v, want %t", !c.missing, err, c.missing)
			}
		})
	}
}

// TestFindOpens: a source found opens its file.
func TestFindOpens(t *testing.T) {
	list, err := merge.Find(newDisk(2, "jac0_0.ptr", "jac1_1.ptr"), []string{"jac"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		r, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if want := string(trace(2, "")); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v; want %q", s.Name, b, err, want)
		}
	}
}
