package stream

import (
	"bytes"
	"errors"
	"io"

	"dvmtools/pkg/diag"
)

// A Piece is a run of whole lines of an input. It owns its text; [Pieces.Next]
// overwrites the text of the piece that it is given.
type Piece struct {
	// Text holds the lines with their line ends.
	Text []byte
	// Line is the number of lines of the input before the piece.
	Line int
	// Lines is the number of lines in the piece.
	Lines int
	// Open says that the last line has no LF; that can only be the last line of
	// the input.
	Open bool
	// Err says what follows the piece: nil when there are more pieces, io.EOF
	// after the last one, else an error like those of [Lines.Next].
	Err error

	buf []byte
}

// Pieces splits an input into pieces that can be parsed in parallel. Each but the
// first begins with a line for which the function begins returns true. A piece
// is returned as soon as one is complete in what was read, without waiting for a
// slow producer. Pieces is not safe for concurrent use; other goroutines may use
// the pieces that it has filled.
type Pieces struct {
	r      io.Reader
	name   string
	begins func(line []byte) bool
	max    int    // longest line in bytes
	first  int    // size at which a first piece without a beginning is given up
	rest   []byte // read, not yet part of a piece; in the buffer of the last piece
	looked int    // where the first incomplete line of rest begins
	line   int
	read   int64 // bytes so far
	size   int   // of buffers
	most   int   // size that buffers reach on their own
	err    error
}

// NewPieces returns a reader of the pieces of r. name is used in messages. begins
// gets a whole line without its LF and reports whether a piece may begin with it.
// When more than first bytes of the input have no such line, they become the
// first piece, and the rest is split at any line end.
func NewPieces(r io.Reader, name string, first int, begins func(line []byte) bool) *Pieces {
	return &Pieces{r: r, name: name, begins: begins, max: DefaultMaxLine, first: first, size: firstBuffer, most: lineBuffer}
}

// Bound bounds the buffers that long inputs get, in bytes: they are larger only
// where a piece needs it.
func (s *Pieces) Bound(most int) { s.most = most }

// Next reads the next piece into p, whose memory it uses again. It must not be
// called after a piece with an error.
func (s *Pieces) Next(p *Piece) {
	if 2*s.size <= s.most && s.read >= growth*int64(s.size) {
		s.size *= 2
	}
	rest := s.rest
	if len(p.buf) < s.size || len(p.buf) < len(rest) {
		p.buf = make([]byte, max(s.size, len(rest)))
	}
	end, looked, begun := copy(p.buf, rest), s.looked, s.line > 0
	for {
		if s.err == nil {
			if end == len(p.buf) {
				grown := make([]byte, 2*len(p.buf))
				copy(grown, p.buf)
				p.buf = grown
			}
			var n int
			n, s.err = readSome(s.r, s.name, p.buf[end:])
			s.read += int64(n)
			end += n
		}
		if nl := bytes.LastIndexByte(p.buf[looked:end], '\n'); nl >= 0 {
			lines := p.buf[looked : looked+nl+1]
			if end > s.max && s.tooLong(p, looked, looked+nl+1) {
				return
			}
			at, found := s.lastBeginning(lines)
			at += looked
			looked += nl + 1
			if begun = begun || found; !begun && looked > s.first {
				at, found = looked, true
			}
			if found && at > 0 {
				s.rest, s.looked = p.buf[at:end], looked-at
				s.give(p, at, false, nil)
				return
			}
		}
		if s.err != nil || end-looked > s.max+1 {
			s.last(p, looked, end)
			return
		}
	}
}

// lastBeginning returns the offset of the last line that a piece may begin with,
// and whether there is one.
func (s *Pieces) lastBeginning(lines []byte) (at int, found bool) {
	for end := len(lines) - 1; end >= 0; {
		from := bytes.LastIndexByte(lines[:end], '\n') + 1
		if s.begins(lines[from:end]) {
			return from, true
		}
		end = from - 1
	}
	return 0, false
}

// last makes the rest of the buffer the last piece: the input has ended, or its
// last line is too long.
func (s *Pieces) last(p *Piece, looked, end int) {
	switch {
	case s.tooLong(p, looked, end):
	case s.err == io.EOF:
		s.give(p, end, end > looked, io.EOF)
	default:
		s.give(p, looked, false, nil)
		p.Err = brokenOff(s.err, s.line+1, end-looked+1)
	}
}

// tooLong looks for a line that is too long in the buffer of p. If there is
// one, the lines before it are the last piece.
func (s *Pieces) tooLong(p *Piece, from, end int) bool {
	for from < end {
		n := bytes.IndexByte(p.buf[from:end], '\n')
		next := from + n + 1
		if n < 0 {
			n, next = end-from, end
		} else if n > 0 && p.buf[from+n-1] == '\r' {
			n--
		}
		if n > s.max {
			s.give(p, from, false, nil)
			p.Err = lineTooLong(s.name, s.line+1, s.max)
			return true
		}
		from = next
	}
	return false
}

// give makes p the first n bytes of its buffer.
func (s *Pieces) give(p *Piece, n int, open bool, err error) {
	p.Text, p.Line, p.Open, p.Err = p.buf[:n:n], s.line, open, err
	p.Lines = bytes.Count(p.Text, []byte{'\n'})
	if open {
		p.Lines++
	}
	s.line += p.Lines
}

// brokenOff gives an error of a damaged input the position at which the input
// ended, when the error has no line number of its own.
func brokenOff(err error, line, col int) error {
	if e, ok := errors.AsType[*diag.Error](err); ok && e.Pos.Line == 0 {
		at := *e
		at.Pos.Line, at.Pos.Col = line, col
		return &at
	}
	return err
}

// lineTooLong returns the error about a line of more than most bytes.
func lineTooLong(name string, line, most int) error {
	return diag.New(diag.Pos{File: name, Line: line, Col: most + 1}, "stream/line-too-long",
		"found a line longer than %d bytes, expected line ends more often; is this the right file?", most)
}
