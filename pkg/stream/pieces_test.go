package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/stream"
)

// slowly gives a text in portions of random sizes, and then err.
type slowly struct {
	text []byte
	most int
	rnd  *rand.Rand
	err  error
}

func (s *slowly) Read(b []byte) (int, error) {
	if len(s.text) == 0 {
		return 0, s.err
	}
	n := copy(b[:min(len(b), 1+s.rnd.IntN(s.most))], s.text)
	if s.text = s.text[n:]; len(s.text) == 0 && s.rnd.IntN(2) == 0 {
		return n, s.err
	}
	return n, nil
}

func beginsWithC(line []byte) bool { return len(line) > 0 && line[0] == 'c' }

// Pieces hold the text as it is, begin where they may, know their lines, and
// end with the error that Lines gives.
func TestPieces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	for range 3000 {
		var text []byte
		for range rnd.IntN(40) {
			text = append(text, "cx\r"[rnd.IntN(3)])
			text = append(text, bytes.Repeat([]byte("y"), rnd.IntN(1+rnd.IntN(400)))...)
			text = append(text, "\r\n"[rnd.IntN(2):]...)
		}
		text = text[:len(text)-min(len(text), rnd.IntN(3))]
		end := []error{io.EOF, errors.New("broken"), diag.Truncated(diag.Pos{File: "x"}, "x/cut", "cut")}[rnd.IntN(3)]
		most := 1 + rnd.IntN(5000)
		lines := stream.NewLines(&slowly{text, most, rnd, end}, "x")
		var want error
		whole := 0
		for want == nil {
			var l []byte
			if l, want = lines.Next(); want == nil {
				whole = int(lines.Offset()) + len(l)
			}
		}
		in := stream.NewPieces(&slowly{text, most, rnd, end}, "x", 1000, beginsWithC)
		var got []byte
		line := 0
		pool := make([]stream.Piece, 1+rnd.IntN(3))
		for n := 0; ; n++ {
			p := &pool[n%len(pool)]
			in.Next(p)
			if p.Line != line {
				t.Fatalf("%q: piece %d begins behind line %d, want %d", text, n, p.Line, line)
			}
			count := bytes.Count(p.Text, []byte("\n"))
			if p.Open {
				count++
			}
			if line += p.Lines; p.Lines != count || p.Open != (len(p.Text) > 0 && p.Text[len(p.Text)-1] != '\n') {
				t.Fatalf("%q: %d lines, open %v in %q", text, p.Lines, p.Open, p.Text)
			}
			if n > 0 && len(p.Text) > 0 && !beginsWithC(p.Text) && bytes.Contains(text[:len(got)], []byte("\nc")) {
				t.Fatalf("%q: piece %d is %q", text, n, p.Text)
			}
			got = append(got, p.Text...)
			if p.Err == nil {
				continue
			}
			if fmt.Sprint(p.Err) != fmt.Sprint(want) || line != lines.Line() {
				t.Fatalf("%q: ends with %v after %d lines, want %v after %d", text, p.Err, line, want, lines.Line())
			}
			break
		}
		if !bytes.HasPrefix(text, got) || len(got) < whole {
			t.Fatalf("%q: got %q", text, got)
		}
	}
}

// Lines of which none begins a piece do not fill the memory, nor does a line
// without an end.
func TestPiecesWithoutBeginning(t *testing.T) {
	endless := io.MultiReader(bytes.NewReader([]byte("a\nb\n")), forever("x\n"))
	in := stream.NewPieces(endless, "x", 1000, beginsWithC)
	var p stream.Piece
	in.Next(&p)
	if len(p.Text) < 1000 || len(p.Text) > 1<<17 || p.Err != nil {
		t.Errorf("%d bytes, error %v", len(p.Text), p.Err)
	}
	in = stream.NewPieces(io.MultiReader(bytes.NewReader([]byte("a\nc\n")), forever("x")), "x", 1000, beginsWithC)
	in.Next(&p)
	if string(p.Text) != "a\n" || p.Err != nil {
		t.Errorf("%d bytes, error %v", len(p.Text), p.Err)
	}
	in.Next(&p)
	e, ok := errors.AsType[*diag.Error](p.Err)
	if string(p.Text) != "c\n" || !ok || e.Code != "stream/line-too-long" || e.Pos.Line != 3 {
		t.Errorf("%d bytes, error %v", len(p.Text), p.Err)
	}
}

// forever repeats itself.
type forever string

func (f forever) Read(b []byte) (int, error) {
	n := 0
	for n+len(f) <= len(b) {
		n += copy(b[n:], f)
	}
	return n, nil
}
