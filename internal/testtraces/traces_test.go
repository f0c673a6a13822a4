package testtraces_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"dvmtools/internal/testtraces"
)

// TestShared: a trace that is used twice is read once, and a reader of the calls
// gets those of the trace.
func TestShared(t *testing.T) {
	const name = "single/f01_ivals.ptr.zst"
	text := testtraces.Text(t, name)
	if again := testtraces.Text(t, name); &text[0] != &again[0] {
		t.Error("the text was read twice")
	}
	if _ = append(text, "x"...); cap(text) != len(text) {
		t.Error("appending to the text would change it for others")
	}
	calls := testtraces.Calls(t, name)
	if testtraces.Calls(t, name) != calls {
		t.Error("the calls were parsed twice")
	}
	if testtraces.Source(t, "other", text).Header() != testtraces.Source(t, name, text).Header() {
		t.Error("the calls of a text that is kept were parsed twice")
	}
	other := slices.Clone(text)
	first, second := testtraces.Source(t, "other", other), testtraces.Source(t, "other", other)
	if first.Header() == second.Header() {
		t.Error("the calls of another text were kept")
	}
	recorded, read := calls.Source(), testtraces.Open(t, name)
	for n := 0; ; n++ {
		want, errWant := read.Next()
		got, errGot := recorded.Next()
		if errors.Is(errGot, io.EOF) {
			if n == 0 || n != calls.Len() {
				t.Fatalf("%d calls of %d", n, calls.Len())
			}
			break
		}
		if errWant != nil || errGot != nil || want.Func != got.Func || want.Pos != got.Pos || want.CallTime != got.CallTime {
			t.Fatalf("call %d: read %v (%v), recorded %v (%v)", n, want, errWant, got, errGot)
		}
	}
}

// TestNames: the lists contain what their functions promise, in order, and every
// file exists.
func TestNames(t *testing.T) {
	whole, programs := testtraces.Whole(t), testtraces.Programs(t)
	if !slices.IsSorted(whole) || !slices.IsSorted(programs) {
		t.Error("a list is not sorted")
	}
	for _, name := range []string{"single/f08_io.ptr.zst", "compute/jac.ptr.zst", "variants/f05_remote_v7_gz.ptr.gz"} {
		if !slices.Contains(programs, name) || !slices.Contains(whole, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"large/f11_big.ptr.zst", "variants/f05_remote_v8_notfull.ptr.zst", "damaged/rts_error_exit.ptr.zst"} {
		if slices.Contains(whole, name) {
			t.Errorf("%s is among the whole traces of ordinary size", name)
		}
		if _, err := os.Stat(testtraces.Path(t, name)); err != nil {
			t.Error(err)
		}
	}
	n := len(programs)
	for _, run := range testtraces.Runs(t) {
		n += len(run.Files)
		if len(run.Files) < 2 || slices.Contains(programs, run.Files[0]) {
			t.Errorf("%s: %q", run.Name, run.Files)
		}
	}
	if n != len(whole) {
		t.Errorf("%d traces of programs and runs, %d in all", n, len(whole))
	}
}

// TestMerged: a merged run is one trace of the calls that all processes make,
// merged once.
func TestMerged(t *testing.T) {
	b := testtraces.MergedRun(t, "jac_p2")
	if again := testtraces.MergedRun(t, "jac_p2"); &b[0] != &again[0] {
		t.Error("the run was merged twice")
	}
	if bytes.Equal(b, testtraces.Text(t, "compute/jac_p2/jac0_0.ptr.zst")) || !bytes.Contains(b, []byte("call_dopl_")) {
		t.Errorf("%d bytes, not a merged trace", len(b))
	}
	if c, err := testtraces.Parse(t, "jac_p2", b).Next(); err != nil {
		t.Errorf("first call %v, %v", c, err)
	}
}
