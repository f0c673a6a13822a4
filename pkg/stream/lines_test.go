package stream_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/stream"
)

// oneLine is what a reader of lines says about one line.
type oneLine struct {
	Text       string
	Line       int
	Off        int64
	Terminated bool
}

func readLines(l *stream.Lines) ([]oneLine, error) {
	var got []oneLine
	for {
		b, err := l.Next()
		if err != nil {
			if _, again := l.Next(); again != err {
				return got, fmt.Errorf("error %v is not sticky: then %v", err, again)
			}
			return got, err
		}
		got = append(got, oneLine{string(b), l.Line(), l.Offset(), l.Terminated()})
	}
}

// reference cuts text into lines with package bufio.
func reference(text []byte) []oneLine {
	var want []oneLine
	r := bufio.NewReaderSize(bytes.NewReader(text), 16)
	off := int64(0)
	for {
		s, err := r.ReadString('\n')
		if s != "" {
			t := strings.TrimSuffix(s, "\n")
			if t != s {
				t = strings.TrimSuffix(t, "\r")
			}
			want = append(want, oneLine{t, len(want) + 1, off, err == nil})
			off += int64(len(s))
		}
		if err != nil {
			return want
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 700_000)
	for _, text := range []string{
		"", "\n", "\r\n", "\r", "a", "a\n", "a\r\n", "a\r", "a\nb", "\n\n\r\r\n", "a\r\r\nb\r\n\nc",
		long, long + "\n" + long + "\r\nend", strings.Repeat("line of text\r\n", 25_000),
	} {
		want := reference([]byte(text))
		for name, r := range map[string]io.Reader{
			"whole":    strings.NewReader(text),
			"halves":   iotest.HalfReader(strings.NewReader(text)),
			"with EOF": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := readLines(stream.NewLines(r, "f"))
			if err != io.EOF {
				t.Errorf("%.20q, %s: error %v, want EOF", text, name, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%.20q, %s: (-want +got)\n%.500s", text, name, d)
			}
		}
	}
}

func TestLinesMaximum(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string // position of the complaint, "" for none
	}{
		{"abc\nabcd\n", 4, ""},
		{"abcd\r\n", 4, ""},
		{"abcd", 4, ""},
		{"ab\nabcde\nab\n", 4, "f:2:5"},
		{"abcde\r\n", 4, "f:1:5"},
		{"abcde", 4, "f:1:5"},
		{"abcdefgh", 4, "f:1:5"},
		{"\n\nx\n", 0, "f:3:1"},
		{"\n" + strings.Repeat("y", 400_000), 300_000, "f:2:300001"},
		{strings.Repeat("y", 300_000) + "\r\n", 300_000, ""},
		{strings.Repeat("y", 300_001) + "\r\n", 300_000, "f:1:300001"},
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(c.text),
			"bytes": iotest.OneByteReader(strings.NewReader(c.text)),
		} {
			if name == "bytes" && len(c.text) > 1000 {
				continue
			}
			l := stream.NewLines(r, "f")
			l.SetMaxLine(c.max)
			_, err := readLines(l)
			e, complained := errors.AsType[*diag.Error](err)
			switch {
			case c.want == "" && err != io.EOF:
				t.Errorf("%.20q max %d, %s: %v", c.text, c.max, name, err)
			case c.want != "" && (!complained || e.Pos.String() != c.want || e.Code != "stream/line-too-long"):
				t.Errorf("%.20q max %d, %s: got %v, want a complaint at %s", c.text, c.max, name, err, c.want)
			}
		}
	}
}

// An endless line must be refused with memory in proportion to the maximum.
func TestLinesEndlessLine(t *testing.T) {
	l := stream.NewLines(endless{}, "f")
	l.SetMaxLine(1 << 20)
	if _, err := l.Next(); !strings.Contains(fmt.Sprint(err), "longer than 1048576 bytes") {
		t.Fatalf("got %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'z'
	}
	return len(p), nil
}

func TestLinesErrorAfterLines(t *testing.T) {
	cause := errors.New("disk on fire")
	r := io.MultiReader(strings.NewReader("one\ntwo\nthr"), iotest.ErrReader(cause))
	got, err := readLines(stream.NewLines(r, "f"))
	if len(got) != 2 || err != cause {
		t.Errorf("got %d lines and %v, want 2 and %v", len(got), err, cause)
	}
	r = io.MultiReader(strings.NewReader("one\ntwo\nthr"),
		iotest.ErrReader(diag.Truncated(diag.Pos{File: "f"}, "c", "cut")))
	_, err = readLines(stream.NewLines(r, "f"))
	if err.Error() != "f:3:4: cut" || !errors.Is(err, diag.ErrTruncated) {
		t.Errorf("got %v, want the place where the input broke off", err)
	}
}

func TestLinesReaderWithoutProgress(t *testing.T) {
	if _, err := stream.NewLines(stuck{}, "f").Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLinesDoesNotAllocate(t *testing.T) {
	text := bytes.Repeat([]byte("a line of about sixty bytes, as most lines of a trace are.\n"), 50_000)
	src := bytes.NewReader(text)
	l := stream.NewLines(src, "f")
	if _, err := l.Next(); err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(20_000, func() {
		if _, err := l.Next(); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations per line, want none", n)
	}
}

// chunks returns its data in the sizes that the bytes of sizes say.
type chunks struct {
	data, sizes []byte
	i           int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := len(c.data)
	if len(c.sizes) > 0 {
		n = min(n, int(c.sizes[c.i%len(c.sizes)]))
		c.i++
	}
	n = copy(p, c.data[:n])
	c.data = c.data[n:]
	return n, nil
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbc\r\n\r\r\nd"), []byte{1, 3, 0, 2}, uint16(100))
	f.Add([]byte("\n\n\n"), []byte{}, uint16(1))
	f.Add([]byte("abcdefgh\r\nxy"), []byte{4}, uint16(7))
	f.Fuzz(func(t *testing.T, text, sizes []byte, most uint16) {
		if len(bytes.Trim(sizes, "\x00")) == 0 {
			sizes = nil // a reader that never makes progress is another test
		}
		l := stream.NewLines(&chunks{data: text, sizes: sizes}, "f")
		l.SetMaxLine(int(most))
		got, err := readLines(l)
		want, wantLine := reference(text), 0
		for i, w := range want {
			if len(w.Text) > int(most) {
				want, wantLine = want[:i], i+1
				if i == 0 {
					want = nil
				}
				break
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		e, complained := errors.AsType[*diag.Error](err)
		if complained != (wantLine > 0) || complained && e.Pos.Line != wantLine || !complained && err != io.EOF {
			t.Errorf("got %v, want a complaint about line %d (0: none)", err, wantLine)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	text := bytes.Repeat([]byte("call_dopl_                 TIME=0.000001 LINE=12     FILE=j\n"), 1<<20/59*16)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		l := stream.NewLines(bytes.NewReader(text), "f")
		for {
			if _, err := l.Next(); err != nil {
				break
			}
		}
	}
}
