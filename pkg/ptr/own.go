package ptr

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/units"
)

// takeOwn takes in a line that holds the times of each process, which stands
// first in its block (docs/trace-format.md#own-times). One that cannot be read
// stays a line of text, for checkOwn.
func (b *block) takeOwn(l []byte, r *lineReader) bool {
	if r.lines > 0 || len(b.own) > 0 || !call.IsOwnLine(l) {
		return false
	}
	own, ok := call.ScanOwnLine(b.own, l, readTime)
	if ok {
		b.own = own
	}
	return ok
}

// readTime reads a time as in event lines.
func readTime(b []byte) (units.Seconds, bool) {
	picos, _, used := parseTime(b)
	return seconds(picos), used > 0 && used == len(b)
}

// checkOwn is about lines of own times that could not be read.
func (r *Reader) checkOwn(c *call.Call) error {
	for _, text := range [...][][]byte{c.Text, c.RetText} {
		if len(text) > 0 && call.IsOwnLine(text[0]) {
			e := diag.New(c.Pos, "ptr/own", "bad line of own times behind %s, expected a time in seconds, or -, for each process, or *N behind one for N of them; merge the traces again with --call-times own", c.Where())
			e.Source = string(text[0])
			return r.passOver(e)
		}
	}
	return nil
}

// own appends the line of the times of each process, where they are kept.
func (w *Writer) own(times []units.Seconds) {
	if len(times) > 0 {
		w.buf = append(call.AppendOwnLine(w.buf, times, w.appendTime), '\n')
	}
}
