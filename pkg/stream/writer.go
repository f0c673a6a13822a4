package stream

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Levels of zstd that a [Writer] takes, the numbers of the zstd program. They
// are mapped to the nearest of the four that the encoder has.
const (
	MinLevel = 1
	MaxLevel = 22
)

const writeBuffer = 64 << 10

// WriterOptions are the choices of [NewWriter]; the zero value means no
// compression.
type WriterOptions struct {
	// Name is the name of the output in messages.
	Name string
	// Zstd asks for compression.
	Zstd bool
	// Level is from MinLevel to MaxLevel; 0 means the fastest.
	Level int
	// Threads is how many goroutines may compress: 1 means only that of the
	// caller, 0 as many as there are processors. The bytes written do not
	// depend on it.
	Threads int
}

// A Writer buffers and, on request, compresses. It remembers its first error;
// Close reports it. The bytes that reach the destination depend only on the
// bytes written and on the calls of Flush, not on their division into writes.
// It is not safe for concurrent use.
type Writer struct {
	buf  *bufio.Writer
	enc  *zstd.Encoder
	sink *sink
	err  error
	done bool
}

// NewWriter returns a writer to dst. It fails only on a level out of range.
func NewWriter(dst io.Writer, opt WriterOptions) (*Writer, error) {
	w := &Writer{sink: &sink{w: dst, name: opt.Name}}
	if !opt.Zstd {
		w.buf = bufio.NewWriterSize(w.sink, writeBuffer)
		return w, nil
	}
	level := opt.Level
	if level == 0 {
		level = MinLevel
	}
	if level < MinLevel || level > MaxLevel {
		return nil, fmt.Errorf("zstd level %d is not from %d to %d", level, MinLevel, MaxLevel)
	}
	enc, err := zstd.NewWriter(w.sink, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(max(opt.Threads, 0)), zstd.WithZeroFrames(true))
	if err != nil {
		return nil, fmt.Errorf("stream: zstd encoder: %w", err)
	}
	w.enc = enc
	w.buf = bufio.NewWriterSize(enc, writeBuffer)
	return w, nil
}

// Write writes p or returns the first error, an [IOError].
func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.buf.Write(p)
	return n, w.note(err)
}

// WriteString is Write for a string.
func (w *Writer) WriteString(s string) (int, error) {
	n, err := w.buf.WriteString(s)
	return n, w.note(err)
}

// WriteByte is Write for one byte.
func (w *Writer) WriteByte(c byte) error { return w.note(w.buf.WriteByte(c)) }

// AvailableBuffer returns an empty slice to append to and pass to the next
// Write, which then copies nothing when the result fits.
func (w *Writer) AvailableBuffer() []byte { return w.buf.AvailableBuffer() }

// Flush writes everything so far to the destination; a compressed stream begins
// a new block there.
func (w *Writer) Flush() error {
	err := w.note(w.buf.Flush())
	if err == nil && w.enc != nil {
		err = w.note(w.enc.Flush())
	}
	return err
}

// Err returns the first error so far. An error of compressed output can come
// later than the write that caused it.
func (w *Writer) Err() error { return w.err }

// Close writes what is buffered, ends the compressed stream, and returns the
// first error of the writer's life. It does not close the destination.
// Closing again returns the same.
func (w *Writer) Close() error {
	if w.done {
		if w.err == errClosed {
			return nil
		}
		return w.err
	}
	w.done = true
	w.note(w.buf.Flush())
	if w.enc != nil {
		// The encoder is closed even after an error: it ends its goroutines.
		w.note(w.enc.Close())
	}
	err := w.err
	if err == nil {
		w.err = errClosed
		w.buf.Reset(closedSink{})
	}
	return err
}

// note keeps the first error; of the error of the destination and that of the
// encoder it prefers the first.
func (w *Writer) note(err error) error {
	if err != nil && w.err == nil {
		if e, ok := errors.AsType[*IOError](err); ok {
			err = e
		}
		w.err = err
	}
	if err != nil {
		return w.err
	}
	return nil
}

// sink turns errors of the destination into [IOError]s.
type sink struct {
	w    io.Writer
	name string
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return n, ioError("write", s.name, err)
	}
	return n, nil
}

// closedSink stands for the destination after Close.
type closedSink struct{}

func (closedSink) Write([]byte) (int, error) { return 0, errClosed }
