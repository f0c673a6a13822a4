package merge

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// Operating systems limit the number of open files, and each open trace has a
// decoder with its buffers. In runs of at most keptOpen processes all traces stay
// open and are read as they arrive, as named pipes need. In larger runs small
// traces are read into memory and closed at once, and the buffers of the others are
// smaller.
const (
	keptOpen  = 64
	heldTrace = 256 << 10
	heldAll   = 64 << 20

	// A trace that stays open has three buffers or four.
	allBuffers = 8 << 20
)

// holder reads small traces into memory.
type holder struct {
	left    int    // bytes left of heldAll
	scratch []byte // a trace of unknown length
}

// hold returns src, or its content when it is small and there is memory left
// for it; then src is closed. The result fails at the same byte as src.
func (h *holder) hold(src io.ReadCloser) (io.ReadCloser, error) {
	most := min(heldTrace, h.left)
	if most == 0 {
		return src, nil
	}
	if h.scratch == nil {
		h.scratch = make([]byte, heldTrace+1)
	}
	n, err := fill(src, h.scratch[:most+1])
	text := slices.Clone(h.scratch[:n])
	h.left -= min(n, h.left)
	switch {
	case errors.Is(err, io.EOF):
		return io.NopCloser(bytes.NewReader(text)), src.Close()
	case err != nil:
		return &reading{io.MultiReader(bytes.NewReader(text), broken{err}), src}, nil
	}
	return &reading{io.MultiReader(bytes.NewReader(text), src), src}, nil
}

// fill reads until b is full or src ends or fails. The error is nil only when b is
// full.
func fill(src io.Reader, b []byte) (n int, err error) {
	for idle := 0; n < len(b) && err == nil; {
		var m int
		m, err = src.Read(b[n:])
		n += m
		if idle++; m > 0 {
			idle = 0
		}
		if err == nil && idle == 100 {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// reading is a source that was read in part.
type reading struct {
	io.Reader
	src io.Closer
}

func (r *reading) Close() error { return r.src.Close() }

// broken stands for the rest of an input that cannot be read.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
