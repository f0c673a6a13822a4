package object_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dvmtools/pkg/object"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/stream"
)

const traces = "../../testdata/traces"

// wholeTraces lists the one-process traces that are not damaged.
func wholeTraces(t *testing.T) []string {
	t.Helper()
	skip := regexp.MustCompile(`_v(8|9|10|11)_|/damaged/|/large/|/parallel/|_p2/`)
	var paths []string
	err := filepath.WalkDir(traces, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(p, ".ptr") && !skip.MatchString(p) {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d traces found, error %v", len(paths), err)
	}
	return paths
}

// follow feeds a trace to a table.
func follow(t *testing.T, path string, grid []int) *object.Table {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := stream.NewReader(f, path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r, err := ptr.NewReader(path, z, ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tb := object.New(object.Config{Grid: grid, Traced: r.Header().Runtime.Root()})
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return tb
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Outside {
			continue
		}
		if err := tb.Follow(c); err != nil {
			t.Fatalf("grid %v: %v", grid, err)
		}
	}
}

// Every object that a real program names is known, on every grid.
func TestEveryTraceIsFollowed(t *testing.T) {
	for _, path := range wholeTraces(t) {
		for _, grid := range [][]int{{1}, {3}, {2, 2}, {3, 5}, {2, 2, 2}, {64}} {
			tb := follow(t, path, grid)
			if tb.Depth() != 0 {
				t.Errorf("%s on %v: %d tasks are still entered", path, grid, tb.Depth())
			}
			if tb.Loop() != nil {
				t.Errorf("%s on %v: a loop is still open", path, grid)
			}
		}
	}
}
