package stream_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"dvmtools/pkg/stream"
)

func written(t testing.TB, text string, opt stream.WriterOptions, cuts []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := stream.NewWriter(&b, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; len(text) > 0; i++ {
		n := len(text)
		if len(cuts) > 0 {
			n = min(n, 1+int(cuts[i%len(cuts)])*97)
		}
		var err error
		switch {
		case n == 1:
			err = w.WriteByte(text[0])
		case i%3 == 0:
			_, err = w.WriteString(text[:n])
		case i%3 == 1:
			_, err = w.Write(append(w.AvailableBuffer(), text[:n]...))
		default:
			_, err = w.Write([]byte(text[:n]))
		}
		if err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriterRoundTripAndDeterminism(t *testing.T) {
	for _, text := range []string{"", "x", numbered(200), numbered(40_000)} {
		for _, level := range []int{0, 1, 3, 7, 19, 22} {
			if len(text) > 1<<18 && level > 3 {
				continue
			}
			want := written(t, text, stream.WriterOptions{Zstd: true, Level: level, Threads: 1}, nil)
			got, err := readAll(bytes.NewReader(want))
			if err != nil || got != text {
				t.Errorf("level %d: read back %d bytes of %d, %v", level, len(got), len(text), err)
			}
			for _, threads := range []int{1, 4} {
				cut := written(t, text, stream.WriterOptions{Zstd: true, Level: level, Threads: threads}, []byte{3, 0, 255, 17})
				if !bytes.Equal(cut, want) {
					t.Errorf("level %d, %d threads, %d bytes: the output depends on how it was written", level, threads, len(text))
				}
			}
		}
		if got := written(t, text, stream.WriterOptions{}, []byte{1, 200, 0}); string(got) != text {
			t.Errorf("plain output of %d bytes differs", len(text))
		}
	}
}

func FuzzWriter(f *testing.F) {
	f.Add("some text, some text", []byte{1, 2, 3}, uint8(0))
	f.Add(strings.Repeat("0123456789abcdef\n", 9000), []byte{255, 0}, uint8(3))
	f.Fuzz(func(t *testing.T, text string, cuts []byte, level uint8) {
		opt := stream.WriterOptions{Zstd: true, Level: int(level % 4), Threads: 1}
		whole := written(t, text, opt, nil)
		if !bytes.Equal(whole, written(t, text, opt, cuts)) {
			t.Errorf("the output depends on how it was written")
		}
		if got, err := readAll(bytes.NewReader(whole)); err != nil || got != text {
			t.Errorf("read back %d bytes of %d, %v", len(got), len(text), err)
		}
	})
}

func TestWriterLevelOutOfRange(t *testing.T) {
	for _, level := range []int{-1, 23} {
		if _, err := stream.NewWriter(io.Discard, stream.WriterOptions{Zstd: true, Level: level}); err == nil {
			t.Errorf("level %d was accepted", level)
		}
	}
}

// full takes n bytes and then fails with another error every time.
type full struct{ n, calls int }

func (f *full) Write(p []byte) (int, error) {
	f.calls++
	if len(p) <= f.n {
		f.n -= len(p)
		return len(p), nil
	}
	if f.calls > 1 && f.n == 0 {
		return 0, errors.New("another error")
	}
	n := f.n
	f.n = 0
	return n, errDisk
}

var errDisk = errors.New("no space left on device")

func TestWriterReportsItsFirstError(t *testing.T) {
	for _, opt := range []stream.WriterOptions{
		{Name: "out"}, {Name: "out", Zstd: true, Threads: 1}, {Name: "out", Zstd: true, Threads: 3},
	} {
		w, err := stream.NewWriter(&full{n: 10}, opt)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, numbered(100_000)) // the error is Close's to report
		err = w.Close()
		if _, ok := errors.AsType[*stream.IOError](err); !ok || !errors.Is(err, errDisk) || err.Error() != "write out: no space left on device" {
			t.Errorf("%+v: got %v", opt, err)
		}
		if again := w.Close(); again != err {
			t.Errorf("%+v: closing again gives %v", opt, again)
		}
		if _, werr := w.WriteString("x"); werr != err {
			t.Errorf("%+v: writing afterwards gives %v", opt, werr)
		}
		if w.Err() != err {
			t.Errorf("%+v: Err() = %v", opt, w.Err())
		}
	}
	w, _ := stream.NewWriter(short{}, stream.WriterOptions{Name: "out"})
	w.WriteString("abc")
	if err := w.Flush(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("short write: %v", err)
	}
}

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

func TestWriterFlush(t *testing.T) {
	for _, zstd := range []bool{false, true} {
		var b bytes.Buffer
		w, err := stream.NewWriter(&b, stream.WriterOptions{Zstd: zstd})
		if err != nil {
			t.Fatal(err)
		}
		w.WriteString("complete record\n")
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got, _ := readAll(bytes.NewReader(b.Bytes())); got != "complete record\n" {
			t.Errorf("zstd %v: after Flush the reader sees %q", zstd, got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Errorf("closing again: %v", err)
		}
		if _, err := w.WriteString(strings.Repeat("x", 1<<20)); err == nil {
			t.Errorf("zstd %v: writing after Close succeeds", zstd)
		}
	}
}
