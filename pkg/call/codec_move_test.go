package call_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
)

// randomStream returns n calls of all kinds and their stream.
func randomStream(t *testing.T, n int) (contents, []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	var all contents
	for i := range n {
		all.Calls = append(all.Calls, randomCall(rng, int64(i+1), 0))
	}
	all.Header.Runtime.Grid = []int{1}
	return all, write(t, &all)
}

// TestNextIntoKeepsCalls: what was read stays while later calls are read.
func TestNextIntoKeepsCalls(t *testing.T) {
	want, text := randomStream(t, 700)
	read, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := call.NewReader("x", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	got := contents{Header: *r.Header(), Calls: make([]call.Call, len(want.Calls))}
	var arena []byte
	for i := range got.Calls {
		if arena, err = r.NextInto(&got.Calls[i], arena); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Next(); err == nil {
		t.Fatal("there is a call too many")
	}
	got.Exit = *r.Exit()
	compare(t, "calls kept", &read, &got)
}

// TestAheadReadsTheSame: a stream that is read ahead has the same calls, the
// same end, and breaks off in the same place with the same error.
func TestAheadReadsTheSame(t *testing.T) {
	_, text := randomStream(t, 1500)
	for _, stream := range [][]byte{text, []byte(small)} {
		for cut := len(stream); cut > len(stream)*9/10; cut -= 1 + len(stream)/97 {
			want, wantErr := read(stream[:cut])
			r, err := call.NewReader("x", bytes.NewReader(stream[:cut]))
			if err != nil {
				t.Fatal(err)
			}
			got, gotErr := readAll(call.Ahead(t.Context(), r, 2), 0)
			if !want.Exit.Found && !got.Exit.Found {
				want.Exit, got.Exit = call.Exit{}, call.Exit{} // means nothing
			}
			compare(t, "read ahead", &want, &got)
			if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
				t.Fatalf("cut at %d of %d: error %v, want %v", cut, len(stream), gotErr, wantErr)
			}
			if cut < len(stream) && !errors.Is(gotErr, diag.ErrTruncated) {
				t.Fatalf("cut at %d of %d: error %v, want truncation", cut, len(stream), gotErr)
			}
		}
	}
}
