package merge

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// A system lets a process have some hundreds or thousands of files open, and
// each open trace costs the buffers of its decoder. Runs of few processes have
// all traces open and read them as they come, as named pipes need it. Of runs
// with more, those that are small are read whole and closed at once.
const (
	keptOpen  = 64
	heldTrace = 256 << 10
	heldAll   = 64 << 20
)

// holder reads small traces into memory.
type holder struct {
	left    int    // of heldAll
	scratch []byte // a trace of unknown length
}

// hold returns src, or its content when it is small and there is memory left
// for it; then src is closed. An error of reading comes where it came before.
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

// fill reads until b is full or src ends or breaks; the error is nil in the
// first case only.
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

// broken is the rest of an input that cannot be read.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
