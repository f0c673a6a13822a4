package stream_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"dvmtools/pkg/stream"
)

func mustWrite(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func create(t *testing.T, path, text string) *stream.AtomicFile {
	t.Helper()
	a, err := stream.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAtomicFileNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	a := create(t, path, "new")
	names := entries(t, dir)
	if len(names) != 1 || names[0] == "out" {
		t.Fatalf("before Commit the directory holds %v", names)
	}
	if fi, err := os.Stat(filepath.Join(dir, names[0])); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the temporary file is not private: %v, %v", fi.Mode(), err)
	}
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "new" {
		t.Errorf("content %q", got)
	}
	mustTouch := filepath.Join(dir, "reference")
	f, err := os.OpenFile(mustTouch, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	want, _ := os.Stat(mustTouch)
	if fi, _ := os.Stat(path); fi.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v as of any new file", fi.Mode(), want.Mode())
	}
	a.Abort()
	if names := entries(t, dir); len(names) != 2 {
		t.Errorf("after Commit and Abort the directory holds %v", names)
	}
	if err := a.Commit(); err == nil {
		t.Error("committing twice succeeds")
	}
}

func TestAtomicFileReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	mustWrite(t, path, "old", 0o640)
	a := create(t, path, "half")
	a.Abort()
	a.Abort()
	if err := a.Commit(); err == nil {
		t.Error("Commit after Abort succeeds")
	}
	if got := content(t, path); got != "old" || len(entries(t, dir)) != 1 {
		t.Errorf("after Abort: content %q, files %v", got, entries(t, dir))
	}
	a = create(t, path, "new")
	if got := content(t, path); got != "old" {
		t.Errorf("before Commit: content %q", got)
	}
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "new" || len(entries(t, dir)) != 1 {
		t.Errorf("after Commit: content %q, files %v", got, entries(t, dir))
	}
	if fi, _ := os.Stat(path); fi.Mode().Perm() != 0o640 {
		t.Errorf("the permissions of the old file are lost: %v", fi.Mode())
	}
}

func TestAtomicFileKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "d", "real")
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join("d", "real"), link); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"through a dangling link", "through a link"} {
		if err := create(t, link, text).Commit(); err != nil {
			t.Fatal(err)
		}
		if got := content(t, real); got != text {
			t.Errorf("%s: content %q", text, got)
		}
		if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s: the link is gone", text)
		}
	}
}

func TestAtomicFileLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if err := create(t, path, "x").Commit(); err != nil {
		t.Fatal(err)
	}
}

func TestAtomicFileDirect(t *testing.T) {
	a := create(t, os.DevNull, "gone")
	if !a.Direct() {
		t.Error("the null device is replaced, not written")
	}
	if err := a.Commit(); err != nil {
		t.Error(err)
	}
	if fi, err := os.Stat(os.DevNull); err != nil || fi.Mode().IsRegular() {
		t.Fatalf("the null device is now %v, %v", fi, err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	a, err := stream.Create("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write([]byte("x")); !errors.Is(err, syscall.ENOSPC) || err.Error() != "write /dev/full: no space left on device" {
		t.Errorf("writing to a full device: %v", err)
	}
	a.Abort()
}

func TestAtomicFileCannotCreate(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]error{
		filepath.Join(dir, "missing", "out"): fs.ErrNotExist,
		dir:                                  syscall.EISDIR,
		filepath.Join(dir, "new") + string(filepath.Separator): syscall.EISDIR,
		"": fs.ErrNotExist,
	} {
		a, err := stream.Create(path)
		if err == nil {
			a.Abort()
		}
		p, ok := errors.AsType[*fs.PathError](err)
		if !ok || !errors.Is(err, want) || p.Path != path {
			t.Errorf("%q: got %v, want %v", path, err, want)
		}
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

// A Commit that fails leaves no file behind.
func TestAtomicFileCommitFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	a := create(t, path, "x")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	err := a.Commit()
	if _, ok := errors.AsType[*stream.IOError](err); !ok || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("got %v, want an error that names only the output", err)
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}
