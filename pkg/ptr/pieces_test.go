package ptr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/ptr"
)

// portions reads a text in portions of random sizes, and then fails with err.
type portions struct {
	text []byte
	most int
	rnd  *rand.Rand
	err  error
}

func (p *portions) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, p.err
	}
	n := copy(b[:min(len(b), 1+p.rnd.IntN(p.most))], p.text)
	p.text = p.text[n:]
	return n, nil
}

// told writes down everything that a reader says: the records of the stream,
// with each warning, passed over record and error at its place.
func told(t *testing.T, in io.Reader, threads int, opts ptr.Options, keepGoing bool) string {
	t.Helper()
	var out strings.Builder
	if keepGoing {
		opts.KeepGoing = func(e *diag.Error) { fmt.Fprintf(&out, "passed over: %v %q\n", e, e.Source) }
	}
	opts.WarnUnknown = true
	r, err := ptr.NewReader("x.ptr", in, opts)
	if err != nil {
		fmt.Fprintf(&out, "%v\n", err)
		return out.String()
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	src := call.Ahead(ctx, r, threads)
	w := call.NewWriter(&out)
	must := func(err error) {
		if err != nil {
			fmt.Fprintf(&out, "not written: %v\n", err)
		}
	}
	must(w.Header(src.Header()))
	warned, exited := 0, false
	for {
		c, err := src.Next()
		for ; warned < len(src.Warnings()); warned++ {
			fmt.Fprintf(&out, "%v\n", src.Warnings()[warned])
		}
		if src.Exit().Found && !exited {
			exited = true
			must(w.Exit(src.Exit()))
		}
		if err != nil {
			fmt.Fprintf(&out, "%v %v\n", err, errors.Is(err, diag.ErrTruncated))
			return out.String()
		}
		must(w.Call(c))
		fmt.Fprintf(&out, "%v %v %v\n", c.Pos, c.NoParams, c.Row == nil)
	}
}

// sameTold requires that text is read in the same way however it comes, with
// however many threads, and whatever is remembered.
func sameTold(t *testing.T, name string, text []byte, rnd *rand.Rand, broken error) {
	t.Helper()
	keepGoing := rnd.IntN(2) == 0
	whole := func() io.Reader {
		if broken != io.EOF {
			return io.MultiReader(bytes.NewReader(text), &portions{err: broken})
		}
		return bytes.NewReader(text)
	}
	want := told(t, whole(), 1, ptr.Options{Remember: -1}, keepGoing)
	for _, c := range []struct {
		most, threads, remember, from int
	}{
		{1 << 20, 1, 0, 1},
		{1 << 20, 2 + rnd.IntN(4), 0, 1},
		{1 + rnd.IntN(1000), 1 + rnd.IntN(4), 0, 1 + rnd.IntN(5000)},
		{1 + rnd.IntN(9000), 1 + rnd.IntN(4), 100 + rnd.IntN(2000), 1},
	} {
		// Goroutines that read ahead may still do so when the next begins.
		own := rand.New(rand.NewPCG(rnd.Uint64(), 0))
		in := &portions{text: text, most: c.most, rnd: own, err: broken}
		got := told(t, in, c.threads, ptr.Options{Remember: c.remember}.RememberFrom(c.from), keepGoing)
		if got != want {
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			i := 0
			for i < len(g) && i < len(w) && g[i] == w[i] {
				i++
			}
			t.Fatalf("%s, in portions of up to %d bytes, %d threads, %d bytes remembered from byte %d on: line %d of what is told is\n%s\nwant\n%s",
				name, c.most, c.threads, c.remember, c.from, i+1, g[min(i, len(g)-1)], w[min(i, len(w)-1)])
		}
	}
}

var damagedTraces = []string{
	"variants/f05_remote_v8_notfull.ptr.zst", "variants/f05_remote_v9_cycle.ptr.zst",
	"variants/f05_remote_v10_stop.ptr.zst", "variants/f05_remote_v11_err.ptr.zst",
	"damaged/killed_run_f01_big.ptr.zst", "damaged/rts_error_exit.ptr.zst",
}

// Every trace, whole, cut, broken off and with bytes exchanged, is read as it
// is in one piece.
func TestAnyPiecesAnyThreads(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 7))
	broken := errors.New("the input cannot be read")
	for i, name := range append(damagedTraces, testtraces.Whole(t)...) {
		if every := effort.Of(3, 1); i%every != 0 || effort.Race && i%9 != 0 {
			continue
		}
		text := testtraces.Text(t, name)
		if len(text) > 1<<18 {
			text = text[:1<<18]
		}
		sameTold(t, name, text, rnd, io.EOF)
		// The rest on a part of the trace, for the sake of time.
		text = text[:min(len(text), 20_000)]
		sameTold(t, name+" cut", text[:rnd.IntN(len(text)+1)], rnd, io.EOF)
		sameTold(t, name+" broken off", text[:rnd.IntN(len(text)+1)], rnd, broken)
		sameTold(t, name+" damaged", damage(text, rnd), rnd, io.EOF)
	}
}

// damage exchanges, removes and doubles some bytes and lines, those of event
// lines most of all.
func damage(text []byte, rnd *rand.Rand) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	var out []byte
	for _, l := range lines {
		k := rnd.IntN(60)
		if !eventLine.Match(bytes.TrimRight(l, "\n")) {
			k += rnd.IntN(2) * 100
		}
		switch at := rnd.IntN(len(l) + 1); k {
		case 0: // the line is not there
		case 1:
			out = append(append(out, l...), l...)
		case 2:
			out = append(append(append(out, l[:at]...), "cr =[];1 \r\nE\xff"[rnd.IntN(13)]), l[min(at+1, len(l)):]...)
		case 3:
			out = append(append(out, l[:at]...), l[min(at+1, len(l)):]...)
		case 4:
			out = append(bytes.Replace(l, []byte("TIME="), []byte("TIME=-"), 1), out...)
			out = append(out, bytes.Replace(l, []byte("LINE="), []byte("LINE=x"), 1)...)
		case 5:
			out = append(out, bytes.TrimSuffix(l, []byte("\n"))...)
			out = append(out, "\r\n"...)
		case 6:
			out = append(append(out, "NAME="...), l...)
		case 7:
			out = append(append(out, "  "...), l...)
		case 8:
			out = append(append(out, bytes.Repeat([]byte("-"), 25)...), '\n')
			out = append(out, l...)
		default:
			out = append(out, l...)
		}
	}
	return out
}

func FuzzPieces(f *testing.F) {
	f.Add([]byte("ProcCount=1\nret_dvm_Init TIME=1 LINE= FILE=\ncall_foo_ TIME=1.5 LINE=3 FILE=x\nA=1; A=2; B[0]=3; B[1]=f\nret_foo_ TIME=0 LINE=3 FILE=y\nEvent_dvm_exit TIME=0.1 LINE=1 FILE=\nrc=3;\n"), uint64(1))
	f.Add(testtraces.Text(f, "damaged/rts_error_exit.ptr.zst")[:3000], uint64(2))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		sameTold(t, "x", append(bytes.Clone(text), text...), rnd, io.EOF)
	})
}
