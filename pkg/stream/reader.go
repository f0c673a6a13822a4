package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dvmtools/pkg/diag"
)

// DefaultMaxWindow is the largest zstd window that a [Reader] accepts, the
// limit of the zstd program itself (window log 27). It bounds the memory that
// a hostile input can ask for.
const DefaultMaxWindow = 128 << 20

// A Compression is how an input is compressed.
type Compression uint8

// The compressions that a [Reader] recognises by content.
const (
	Plain Compression = iota
	Zstd
	Gzip
)

// String returns "plain", "zstd" or "gzip".
func (c Compression) String() string {
	switch c {
	case Zstd:
		return "zstd"
	case Gzip:
		return "gzip"
	}
	return "plain"
}

// A ReaderOption changes a default of [NewReader].
type ReaderOption func(*readerConfig)

type readerConfig struct {
	threads   int
	maxWindow uint64
}

// Threads sets how many goroutines may decompress: 1 means only that of the
// caller, 0 (the default) a few. The content does not depend on it.
func Threads(n int) ReaderOption {
	return func(c *readerConfig) { c.threads = min(max(n, 0), 4) }
}

// A Reader decompresses an input. Several compressed frames in a row are read as
// one. Only Close may be called while another goroutine uses the reader: a
// command that ends early closes inputs that are still read ahead.
type Reader struct {
	name  string
	kind  Compression
	src   *source
	dec   io.Reader // src itself, or a decoder on top of it
	close func()
	head  []byte // read ahead by Peek, not yet returned by Read
	n     int64  // bytes of content taken from dec
	err   error  // sticky, returned once head is empty

	reading sync.Mutex // held while dec is read or released
	closed  atomic.Bool
}

// NewReader reads the first bytes of src and returns a reader of its content.
// name is used in messages. It fails with an [IOError] when src cannot be
// read and with a [diag.Error] when a compressed stream is cut inside its
// first bytes or its header asks for too much memory. It does not close src.
func NewReader(src io.Reader, name string, opts ...ReaderOption) (*Reader, error) {
	cfg := readerConfig{maxWindow: DefaultMaxWindow}
	for _, o := range opts {
		o(&cfg)
	}
	s := &source{r: src}
	r := &Reader{name: name, src: s, close: func() {}}
	magic := s.sniff()
	if err := s.failure(); err != nil {
		return nil, ioError("read", name, err)
	}
	kind, whole := compression(magic)
	if !whole {
		return nil, diag.Truncated(diag.Pos{File: name}, "stream/truncated",
			"%v data end after %d bytes, inside their first frame; the file or the pipe was cut: make it again", kind, len(magic))
	}
	r.kind = kind
	var err error
	switch kind {
	case Plain:
		r.dec = s
	case Zstd:
		var d *zstd.Decoder
		d, err = zstd.NewReader(s, zstd.WithDecoderConcurrency(cfg.threads),
			zstd.WithDecoderMaxWindow(cfg.maxWindow), zstd.WithDecoderLowmem(true))
		if err == nil {
			r.dec, r.close = d, d.Close
		}
	case Gzip:
		var d *gzip.Reader
		d, err = gzip.NewReader(s)
		if err == nil {
			r.dec = d
		}
	}
	if err != nil {
		return nil, r.explain(err, cfg.maxWindow)
	}
	return r, nil
}

// compression finds out from the first four bytes of an input how it is
// compressed. whole is false when there are fewer, but at least two, and they
// begin like a compressed stream: no text begins with these two.
func compression(b []byte) (kind Compression, whole bool) {
	const zstdMagic, gzipMagic = "\x28\xb5\x2f\xfd", "\x1f\x8b"
	switch {
	case len(b) < 2:
		return Plain, true
	case string(b[:2]) == gzipMagic:
		return Gzip, len(b) >= 4
	case string(b[:2]) == zstdMagic[:2] && bytes.HasPrefix([]byte(zstdMagic), b):
		return Zstd, len(b) >= 4
	case len(b) == 4 && b[0]&0xf0 == 0x50 && string(b[1:]) == "\x2a\x4d\x18":
		return Zstd, true // a skippable frame, as pzstd writes first
	}
	return Plain, true
}

// Name returns the name given to [NewReader].
func (r *Reader) Name() string { return r.name }

// Compression returns how the input is compressed.
func (r *Reader) Compression() Compression { return r.kind }

// Read returns content. Its error is io.EOF at the end, an [IOError] when the
// input cannot be read, and a [diag.Error] for damaged compressed data, which
// wraps [diag.ErrTruncated] when they end too early. All content before the
// damage is returned first. Errors are sticky.
func (r *Reader) Read(p []byte) (int, error) {
	if len(r.head) > 0 && !r.closed.Load() {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	return r.fill(p)
}

// fill reads from the decoder and translates its errors ([Reader.explain]).
func (r *Reader) fill(p []byte) (int, error) {
	r.reading.Lock()
	n, err := r.decode(p)
	r.reading.Unlock()
	if r.closed.Load() {
		r.Close() // it came while this was reading
	}
	return n, err
}

func (r *Reader) decode(p []byte) (int, error) {
	if r.closed.Load() {
		return 0, errClosed
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.dec.Read(p)
	r.n += int64(n)
	if err != nil {
		r.err = r.explain(err, 0)
	}
	return n, r.err
}

// explain turns an error of a decoder or of the source into one that
// [Reader.Read] returns. window is the limit of the zstd window, 0 when unknown.
func (r *Reader) explain(err error, window uint64) error {
	if cause := r.src.failure(); cause != nil {
		return ioError("read", r.name, cause)
	}
	pos := diag.Pos{File: r.name}
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return diag.Truncated(pos, "stream/truncated",
			"%v data end inside a frame, after %d bytes of content; the file or the pipe was cut: make it again", r.kind, r.n)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		e := diag.New(pos, "stream/window",
			"zstd frame asks for more memory than is allowed%s; compress it again with a smaller window (without --long)", limitText(window))
		e.Err = err
		return e
	case errors.Is(err, zstd.ErrMagicMismatch), errors.Is(err, gzip.ErrHeader):
		e := diag.New(pos, "stream/corrupt",
			"found bytes that begin no %v frame after %d bytes of content, expected another frame or the end; remove them", r.kind, r.n)
		e.Err = err
		return e
	}
	e := diag.New(pos, "stream/corrupt",
		"%v data are damaged after %d bytes of content (%v); make them again", r.kind, r.n, err)
	e.Err = err
	return e
}

func limitText(window uint64) string {
	if window == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d MiB)", window>>20)
}

// Close releases the decoder and its goroutines; it does not close the
// source. Reading afterwards fails. While another goroutine reads, Close does not
// wait for it, because a read from a pipe may never return; the decoder is then
// released when that read ends.
func (r *Reader) Close() error {
	r.closed.Store(true)
	if !r.reading.TryLock() {
		return nil
	}
	defer r.reading.Unlock()
	if r.close != nil {
		r.close()
		r.close = nil
	}
	r.dec = nil // whoever keeps a closed reader does not keep its buffers
	return nil
}

var errClosed = errors.New("stream: read or write after Close")

// source is the raw input. It returns its first bytes once more after sniff. It
// remembers why reading failed, because decoders do not always distinguish that
// from damaged data. Decoders may read it from a goroutine of their own.
type source struct {
	r     io.Reader
	head  []byte
	cause atomic.Pointer[error]
}

// errSource replaces the error that source remembers: decoders would treat some
// errors, such as io.ErrUnexpectedEOF, as the end of the input.
var errSource = errors.New("stream: input cannot be read")

// sniff returns up to four first bytes, fewer only at the end.
func (s *source) sniff() []byte {
	b := make([]byte, 4)
	n := 0
	for idle := 0; n < len(b); {
		m, err := s.r.Read(b[n:])
		n += m
		if idle++; m > 0 {
			idle = 0
		}
		if err == nil && idle == emptyReads {
			err = io.ErrNoProgress
		}
		if err != nil && err != io.EOF {
			s.cause.Store(&err)
		}
		if err != nil {
			break
		}
	}
	s.head = b[:n:n]
	return s.head
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.cause.Store(&err)
		return n, errSource
	}
	return n, err
}

// failure returns the error that ended the source early, or nil.
func (s *source) failure() error {
	if p := s.cause.Load(); p != nil {
		return *p
	}
	return nil
}
