package stream_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/stream"
)

func zstdOf(t testing.TB, text string) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	return enc.EncodeAll([]byte(text), nil)
}

func gzipOf(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// numbered returns text that does not compress well.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %x\n", i, i*i*7919)
	}
	return b.String()
}

func TestReaderRecognisesContent(t *testing.T) {
	text := numbered(20_000)
	skippable := []byte("\x53\x2a\x4d\x18\x03\x00\x00\x00abc")
	for _, c := range []struct {
		name string
		in   []byte
		want string
		kind stream.Compression
	}{
		{"empty", nil, "", stream.Plain},
		{"one byte", []byte("("), "(", stream.Plain},
		{"three bytes", []byte("abc"), "abc", stream.Plain},
		{"plain", []byte(text), text, stream.Plain},
		{"zstd", zstdOf(t, text), text, stream.Zstd},
		{"zstd of nothing", zstdOf(t, ""), "", stream.Zstd},
		{"zstd frames", concat(zstdOf(t, "a\n"), zstdOf(t, ""), zstdOf(t, text)), "a\n" + text, stream.Zstd},
		{"skippable frame first", concat(skippable, zstdOf(t, text)), text, stream.Zstd},
		{"gzip", gzipOf(t, text), text, stream.Gzip},
		{"gzip of nothing", gzipOf(t, ""), "", stream.Gzip},
		{"gzip members", concat(gzipOf(t, "a\n"), gzipOf(t, text)), "a\n" + text, stream.Gzip},
		{"zstd in zstd", zstdOf(t, string(zstdOf(t, "x"))), string(zstdOf(t, "x")), stream.Zstd},
	} {
		for how, src := range map[string]io.Reader{
			"whole": bytes.NewReader(c.in),
			"bytes": iotest.OneByteReader(bytes.NewReader(c.in)),
		} {
			for _, threads := range []int{0, 1} {
				r, err := stream.NewReader(src, "f", stream.Threads(threads))
				if err != nil {
					t.Errorf("%s, %s: %v", c.name, how, err)
					continue
				}
				got, err := io.ReadAll(r)
				if err != nil || string(got) != c.want {
					t.Errorf("%s, %s: %d bytes and error %v, want %d", c.name, how, len(got), err, len(c.want))
				}
				if r.Compression() != c.kind {
					t.Errorf("%s, %s: recognised %v, want %v", c.name, how, r.Compression(), c.kind)
				}
				r.Close()
				src = bytes.NewReader(c.in)
			}
		}
	}
}

// Compressed data that ends early is reported as truncated, except between
// frames, where that cannot be seen. The content before the end is returned
// first.
func TestReaderTruncatedAtEveryByte(t *testing.T) {
	text := numbered(300)
	two := func(f func(testing.TB, string) []byte) ([]byte, int) {
		first := f(t, "first\n")
		return concat(first, f(t, text)), len(first)
	}
	for name, f := range map[string]func(testing.TB, string) []byte{"zstd": zstdOf, "gzip": gzipOf} {
		data, border := two(f)
		for n := 2; n < len(data); n++ {
			if n == border {
				continue
			}
			for _, threads := range []int{1, 2} {
				got, err := readAll(bytes.NewReader(data[:n]), stream.Threads(threads))
				if !errors.Is(err, diag.ErrTruncated) {
					t.Fatalf("%s cut at %d of %d: error %v, want truncation", name, n, len(data), err)
				}
				if !strings.HasPrefix("first\n"+text, got) || n > border && !strings.HasPrefix(got, "first\n") {
					t.Fatalf("%s cut at %d: read %.40q", name, n, got)
				}
			}
		}
	}
}

func readAll(src io.Reader, opts ...stream.ReaderOption) (string, error) {
	r, err := stream.NewReader(src, "f", opts...)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if _, again := r.Read(make([]byte, 1)); err != nil && again != err {
		return "", fmt.Errorf("error %v is not sticky: then %v", err, again)
	}
	return string(b), err
}

func TestReaderDamage(t *testing.T) {
	text := numbered(5000)
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0x41
		return b
	}
	z, g := zstdOf(t, text), gzipOf(t, text)
	huge := concat([]byte("\x28\xb5\x2f\xfd\x00\xa8"), z[6:]) // window log 31
	for _, c := range []struct {
		name, code, text string
		in               []byte
	}{
		{"zstd middle", "stream/corrupt", "zstd data are damaged", flip(z, len(z)/2)},
		{"zstd checksum", "stream/corrupt", "zstd data are damaged", flip(z, len(z)-1)},
		{"gzip middle", "stream/corrupt", "gzip data are damaged", flip(g, len(g)/2)},
		{"gzip checksum", "stream/corrupt", "gzip data are damaged", flip(g, len(g)-6)},
		{"text after zstd", "stream/corrupt", "begin no zstd frame", concat(z, []byte("more text"))},
		{"text after gzip", "stream/corrupt", "begin no gzip frame", concat(g, []byte("more text after it"))},
		{"zstd window", "stream/window", "more memory than is allowed", huge},
	} {
		_, err := readAll(bytes.NewReader(c.in))
		e, ok := errors.AsType[*diag.Error](err)
		if !ok || e.Code != c.code || !strings.Contains(e.Msg, c.text) || e.Pos.File != "f" {
			t.Errorf("%s: got %v, want code %s and %q", c.name, err, c.code, c.text)
		}
		if errors.Is(err, diag.ErrTruncated) {
			t.Errorf("%s: damage is called truncation: %v", c.name, err)
		}
	}
	if _, err := readAll(bytes.NewReader(z), stream.MaxWindow(1024)); err == nil {
		t.Errorf("a window above the limit was accepted")
	}
}

// An input that cannot be read is an IOError whatever it is compressed with,
// also when its error looks like an end.
func TestReaderReadErrors(t *testing.T) {
	text := numbered(5000)
	for _, cause := range []error{
		io.ErrUnexpectedEOF,
		&fs.PathError{Op: "read", Path: "/dev/stdin", Err: errors.New("input/output error")},
	} {
		for name, data := range map[string][]byte{
			"nothing": nil, "two": []byte("ab"), "plain": []byte(text), "zstd": zstdOf(t, text), "gzip": gzipOf(t, text),
		} {
			half := data[:len(data)/2]
			if name == "two" {
				half = data
			}
			got, err := readAll(io.MultiReader(bytes.NewReader(half), iotest.ErrReader(cause)))
			e, ok := errors.AsType[*stream.IOError](err)
			if !ok || e.Name != "f" || !errors.Is(err, cause) && !strings.HasSuffix(err.Error(), "read f: input/output error") {
				t.Errorf("%s, %v: got %v after %d bytes", name, cause, err, len(got))
			}
		}
	}
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err := stream.NewReader(dir, "d"); err == nil || err.Error() != "read d: is a directory" {
		t.Errorf("reading a directory: %v", err)
	}
}

func TestReaderCloseEndsGoroutines(t *testing.T) {
	data := zstdOf(t, numbered(100_000))
	before := runtime.NumGoroutine()
	for range 50 {
		r, err := stream.NewReader(bytes.NewReader(data), "f")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		r.Close()
		if _, err := r.Read(make([]byte, 1)); err == nil || err == io.EOF {
			t.Fatalf("reading after Close: %v", err)
		}
	}
	if after := runtime.NumGoroutine(); after > before+10 {
		t.Errorf("%d goroutines before, %d after 50 readers", before, after)
	}
}

func TestSniff(t *testing.T) {
	header := `{"record":"trace","version":1}` + "\n"
	for _, c := range []struct {
		in   string
		want stream.Content
	}{
		{"", stream.Content{}},
		{" \n\r\n\t", stream.Content{}},
		{"\n\nRTS VERSION = 2889\n", stream.Content{Format: stream.FormatText}},
		{header, stream.Content{Format: stream.FormatJSON, Record: "trace"}},
		{"\n  " + header, stream.Content{Format: stream.FormatJSON, Record: "trace"}},
		{"{ \"version\" : 1 ,\n \"record\" : \"search\" }", stream.Content{Format: stream.FormatJSON, Record: "search"}},
		{`{"machine":{"record":"x","l":[1,{"a":"}"}]},"s":"\"},{","n":-1e5,"record":"simulation"}`,
			stream.Content{Format: stream.FormatJSON, Record: "simulation"}},
		{`{"a":1}` + "\n" + header, stream.Content{Format: stream.FormatJSON}},
		{`{}`, stream.Content{Format: stream.FormatJSON}},
		{`{"record":7}`, stream.Content{Format: stream.FormatJSON}},
		{`{"record":"tra`, stream.Content{Format: stream.FormatJSON}},
		{`{"pad":"` + strings.Repeat("p", 100_000) + `","record":"trace"}`, stream.Content{Format: stream.FormatJSON, Record: "trace"}},
		{`{"pad":"` + strings.Repeat("p", 2<<20) + `","record":"trace"}`, stream.Content{Format: stream.FormatJSON}},
	} {
		for name, data := range map[string][]byte{"plain": []byte(c.in), "zstd": zstdOf(t, c.in)} {
			r, err := stream.NewReader(iotest.HalfReader(bytes.NewReader(data)), "f")
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Sniff()
			if err != nil || got != c.want {
				t.Errorf("%s %.60q: got %+v, %v, want %+v", name, c.in, got, err, c.want)
			}
			if all, err := io.ReadAll(r); err != nil || string(all) != c.in {
				t.Errorf("%s %.60q: %d bytes left after a look, want %d (%v)", name, c.in, len(all), len(c.in), err)
			}
			r.Close()
		}
	}
}

// Sniff must not wait for more than it needs: the producer may be slow.
func TestSniffDoesNotWait(t *testing.T) {
	pr, pw := io.Pipe()
	go pw.Write([]byte(`{"record":"trace","source":`))
	r, err := stream.NewReader(pr, "f")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := r.Sniff(); err != nil || c.Record != "trace" {
		t.Errorf("got %+v, %v", c, err)
	}
	pw.Close()
}

func TestSniffError(t *testing.T) {
	cause := errors.New("disk on fire")
	r, err := stream.NewReader(io.MultiReader(strings.NewReader(`{"recor`), iotest.ErrReader(cause)), "f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Sniff(); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestPeek(t *testing.T) {
	r, err := stream.NewReader(strings.NewReader("abcdefgh"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Peek(6); string(b) != "abcdef" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	if b, err := r.Peek(9); string(b) != "abcdefgh" || err != io.EOF {
		t.Errorf("got %q, %v", b, err)
	}
	if b, err := io.ReadAll(r); string(b) != "abcdefgh" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
}

// A command that ends early closes its inputs while they are still read ahead:
// Close does not wait, and the reader ends with an error or the content.
func TestCloseWhileReading(t *testing.T) {
	text := strings.Repeat("some text that is long enough\n", 20000)
	for name, data := range map[string][]byte{"plain": []byte(text), "zstd": zstdOf(t, text), "gzip": gzipOf(t, text)} {
		for range 30 {
			r, err := stream.NewReader(bytes.NewReader(data), name)
			if err != nil {
				t.Fatal(err)
			}
			begun, done := make(chan struct{}), make(chan error)
			go func() {
				p := make([]byte, 512)
				_, err := r.Read(p)
				close(begun)
				for err == nil {
					_, err = r.Read(p)
				}
				done <- err
			}()
			<-begun
			r.Close()
			if err := <-done; err == io.EOF {
				t.Logf("%s: all was read before the end", name)
			}
			if _, err := r.Read(make([]byte, 1)); err == nil || err == io.EOF {
				t.Errorf("%s: a closed reader gives %v, expected an error", name, err)
			}
		}
	}

	pr, pw := io.Pipe()
	defer pw.Close()
	r, err := stream.NewReader(io.MultiReader(strings.NewReader("begin"), pr), "pipe")
	if err != nil {
		t.Fatal(err)
	}
	blocked := make(chan error)
	go func() {
		_, err := io.ReadAll(r)
		blocked <- err
	}()
	pw.Write([]byte("more"))    // the reader is behind the beginning now
	r.Close()                   // returns though nothing more comes
	go pw.Write([]byte("last")) // for a read that was under way
	if err := <-blocked; err == nil {
		t.Error("reading went on behind Close")
	}
}
