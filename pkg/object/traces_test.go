package object_test

import (
	"errors"
	"io"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/object"
)

// follow feeds a trace to a table.
func follow(t *testing.T, name string, grid []int) *object.Table {
	t.Helper()
	r := testtraces.Calls(t, name).Source()
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
	for _, path := range testtraces.Programs(t) {
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
