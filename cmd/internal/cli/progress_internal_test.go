package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		read, total int64
		after       time.Duration
		want        string
	}{
		{0, -1, time.Second, "0 B read, 0 B/s"},
		{1500, -1, time.Second, "1.5 kB read, 1.5 kB/s"},
		{12_345_678, 0, 2 * time.Second, "12.3 MB read, 6.2 MB/s"},
		{25_000_000, 100_000_000, time.Second, "25.0 MB of 100.0 MB (25 %), 25.0 MB/s, 0:03 left"},
		{1_000_000, 3_601_000_000, time.Second, "1.0 MB of 3.6 GB (0 %), 1.0 MB/s, 1:00:00 left"},
		{0, 100, time.Second, "0 B of 100 B (0 %), 0 B/s, -:-- left"},
		{1, 1 << 60, time.Second, "1 B of 1152921.5 TB (0 %), 1 B/s, -:-- left"},
		{200, 100, time.Second, "200 B read, 200 B/s"},
		{999_999, -1, 0, "1.0 MB read, 1000.0 TB/s"},
	} {
		if got := progressLine(c.read, c.total, c.after); got != c.want {
			t.Errorf("%d of %d after %v: %q, want %q", c.read, c.total, c.after, got, c.want)
		}
	}
}

// Drawing is rare, begins late, and leaves nothing.
func TestProgressDraws(t *testing.T) {
	var w bytes.Buffer
	begun := time.Unix(1000, 0)
	p := newProgress(&talker{name: "tool", w: &w}, true, false)
	p.begun = begun
	p.total = 4000
	io.Copy(io.Discard, p.count(strings.NewReader(strings.Repeat("x", 1000))))
	for ms := 0; ms <= 2000; ms += 10 {
		p.tick(begun.Add(time.Duration(ms) * time.Millisecond))
	}
	draws := strings.Count(w.String(), "\r")
	if draws < 5 || draws > 16 {
		t.Errorf("%d lines in the 1.5 s after the first half second, want at most 10 a second", draws)
	}
	if first, _, _ := strings.Cut(w.String(), "\x1b"); first != "\rtool: 1.0 kB of 4.0 kB (25 %), 2.0 kB/s, 0:02 left" {
		t.Errorf("first line %q", first)
	}
	w.Reset()
	p.talk.say("message")
	if got := w.String(); got != "\r\x1b[Ktool: message\n" {
		t.Errorf("a message does not erase the line first: %q", got)
	}
	w.Reset()
	p.stop()
	if w.Len() > 0 {
		t.Errorf("erased twice: %q", w.String())
	}
	p.tick(begun.Add(time.Minute))
	p.stop()
	if !strings.HasSuffix(w.String(), "\r\x1b[K") {
		t.Errorf("the line stays: %q", w.String())
	}
}

func TestProgressTotal(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for path, n := range map[string]int{a: 100, b: 1000} {
		if err := os.WriteFile(path, make([]byte, n), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	type input struct {
		name string
		size int64
	}
	for _, c := range []struct {
		operands []string
		opened   []input
		want     int64
	}{
		{[]string{a, b}, []input{{a, 100}}, 1100},
		{[]string{a, b}, []input{{a, 100}, {b, 1000}}, 1100},
		{[]string{a}, []input{{"machine.par", 10}, {a, 100}}, 110},
		{nil, []input{{"-", -1}}, -1},
		{[]string{a}, []input{{"machine.par", -1}, {a, 100}}, -1},
		{[]string{"NAME"}, []input{{a, 100}, {b, 1000}}, 1100},
	} {
		p := newProgress(&talker{w: io.Discard}, true, false)
		for _, in := range c.opened {
			p.add(in.name, in.size, c.operands)
		}
		if p.total != c.want {
			t.Errorf("%+v: total %d, want %d", c.opened, p.total, c.want)
		}
		p.stop()
	}
}

func TestModuleVersion(t *testing.T) {
	for in, want := range map[string]string{
		"": release, "(devel)": release, "v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3-rc.1",
		"v0.0.0-20260101000000-0123456789ab": release, "v1.2.4-0.20260101000000-0123456789ab": release,
		"v1.2.3+dirty": release,
	} {
		if got := moduleVersion(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
