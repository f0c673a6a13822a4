package stream

import (
	"bytes"
	"io"

	"dvmtools/pkg/diag"
)

const (
	// DefaultMaxLine is the longest line that [Lines] accepts by default, in
	// bytes without the line end.
	DefaultMaxLine = 64 << 20

	// The buffer is small at first, because a thousand inputs may be open. It is
	// doubled, up to the larger size, whenever more than growth times its
	// length has been read. For longer lines it becomes as long as they are.
	firstBuffer = 4 << 10
	lineBuffer  = 128 << 10
	growth      = 16
	emptyReads  = 100 // reads of nothing in a row, as in package bufio
)

// Lines splits an input into lines without copying them. It is not safe for
// concurrent use.
type Lines struct {
	r          io.Reader
	name       string
	buf        []byte
	start, end int // buf[start:end] is read and not yet returned
	max        int
	line       int
	off        int64 // of the line last returned
	next       int64 // of the line after it
	cut        bool
	err        error // what ends the input; sticky
}

// NewLines returns a reader of the lines of r; name is used in messages.
func NewLines(r io.Reader, name string) *Lines {
	return &Lines{r: r, name: name, max: DefaultMaxLine}
}

// Next returns the next line without its LF and without one CR before that.
// The line is valid until the next call. After the last line the error is
// io.EOF; a last line without LF is returned like any other, with its CR if
// it ends in one, and [Lines.Terminated] then is false. A line longer than
// the maximum is a [diag.Error] with its position. An error of the input is
// returned after all complete lines before it; a [diag.Error] without a line
// number gets that of the line at which the input ended. Errors are sticky.
func (l *Lines) Next() ([]byte, error) {
	if i := bytes.IndexByte(l.buf[l.start:l.end], '\n'); i >= 0 {
		return l.take(i)
	}
	return l.refill()
}

// take returns the line of i bytes that an LF follows.
func (l *Lines) take(i int) ([]byte, error) {
	line := l.buf[l.start : l.start+i : l.start+i]
	l.start += i + 1
	l.line++
	l.off = l.next
	l.next += int64(i) + 1
	if i > 0 && line[i-1] == '\r' {
		line = line[:i-1]
	}
	if len(line) > l.max {
		return nil, l.tooLong()
	}
	return line, nil
}

// refill reads until the buffer holds a line end or the input ends.
func (l *Lines) refill() ([]byte, error) {
	for l.err == nil {
		have := l.end - l.start
		// One byte more than the maximum may still be the CR of the end.
		if have > l.max && (have > l.max+1 || l.buf[l.end-1] != '\r') {
			l.line++
			l.off = l.next
			return nil, l.tooLong()
		}
		l.makeRoom()
		n, err := readSome(l.r, l.name, l.buf[l.end:])
		searched := l.end
		l.end += n
		if i := bytes.IndexByte(l.buf[searched:l.end], '\n'); i >= 0 {
			l.err = err
			return l.take(searched + i - l.start)
		}
		if err != nil {
			l.err = err
		}
	}
	return l.last()
}

// readSome reads at least one byte or returns an error, also when the reader
// returns nothing again and again.
func readSome(r io.Reader, name string, into []byte) (int, error) {
	for range emptyReads {
		n, err := r.Read(into)
		if n < 0 || n > len(into) {
			panic("stream: internal error: reader returned an impossible count")
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, ioError("read", name, io.ErrNoProgress)
}

// makeRoom moves the unread bytes to the front. It doubles the buffer when there
// is still no room, up to the longest line with its end, or when the input is
// long.
func (l *Lines) makeRoom() {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	long := len(l.buf) < lineBuffer && l.next >= growth*int64(len(l.buf))
	if l.end < len(l.buf) && !long {
		return
	}
	size := max(2*len(l.buf), firstBuffer)
	if most := l.max + 3; size > most && most > l.end {
		size = max(most, firstBuffer)
	}
	grown := make([]byte, size)
	copy(grown, l.buf[:l.end])
	l.buf = grown
}

// last returns the end of the input: a last line without LF, or the error.
func (l *Lines) last() ([]byte, error) {
	have := l.end - l.start
	if l.err == io.EOF && have > 0 {
		line := l.buf[l.start:l.end:l.end]
		l.start = l.end
		l.line++
		l.off = l.next
		l.next += int64(have)
		l.cut = true
		if len(line) > l.max {
			return nil, l.tooLong()
		}
		return line, nil
	}
	l.err = brokenOff(l.err, l.line+1, have+1)
	return nil, l.err
}

// tooLong ends the input with an error about the length of the current line.
func (l *Lines) tooLong() error {
	l.start, l.end = 0, 0
	l.err = lineTooLong(l.name, l.line, l.max)
	return l.err
}

// Line returns the number, from 1, of the line that Next returned last; 0
// before the first.
func (l *Lines) Line() int { return l.line }

// Offset returns where the line that Next returned last begins, in bytes of
// content from the beginning of the input.
func (l *Lines) Offset() int64 { return l.off }

// Pos returns the position of column col, in bytes from 1, of the line that
// Next returned last; col 0 means the whole line.
func (l *Lines) Pos(col int) diag.Pos { return diag.Pos{File: l.name, Line: l.line, Col: col} }

// Name returns the name given to [NewLines].
func (l *Lines) Name() string { return l.name }

// Terminated reports whether the line that Next returned last ended with LF. It
// is false only for the last line of an input that may have been truncated.
func (l *Lines) Terminated() bool { return !l.cut }
