// Package tracescale multiplies the loop times of a trace and drops its start-up time.
// Loops take a small fraction of the time of small programs, so that only scaled traces
// tell good predictions from bad ones.
package tracescale

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// MaxFactor bounds the factor, so that times stay numbers that a trace can
// hold.
const MaxFactor = 1e9

// startup is the most that an event before the first loop takes without a start-up:
// the clock of traces counts microseconds.
const startup = 1e-6

// Scale copies the text of a trace from r to w. The times of parallel loops are
// multiplied by loops, from 0 to [MaxFactor]: in their bodies, between a dopl_ that
// returned DoPL=1 and the next dopl_ or endpl_, TIME of all events and that of the call_
// that ends the body. With noStartup TIME of all events before the first parallel loop
// is at most a microsecond. Times keep the number of digits that they had, and
// everything else is copied unchanged.
func Scale(w io.Writer, r io.Reader, loops float64, noStartup bool) error {
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	beforeLoops := noStartup
	var at body
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if name, from, to := event(line); from > 0 {
			if bytes.HasPrefix(name, []byte("call_crtpl_")) {
				beforeLoops = false
			}
			factor, most := 1.0, MaxFactor
			if at.event(name) {
				factor = loops
			}
			if beforeLoops {
				most = startup
			}
			if factor != 1 || most != MaxFactor {
				text, terr := scaled(line[from:to], factor, most)
				if terr != nil {
					return fmt.Errorf("line %d: %w", n, terr)
				}
				line = bytes.Join([][]byte{line[:from], text, line[to:]}, nil)
			}
		} else {
			at.parameters(line)
		}
		if _, werr := out.Write(line); werr != nil {
			return werr
		}
		if err != nil {
			return out.Flush()
		}
	}
}

// body follows whether events are inside the body of a parallel loop.
type body struct {
	inside bool
	asked  bool // the event at hand is the return of a dopl_
}

// event follows an event and reports whether its time is that of a loop.
func (b *body) event(name []byte) bool {
	loop := b.inside
	b.asked = bytes.Equal(name, []byte("ret_dopl_"))
	if bytes.Equal(name, []byte("call_dopl_")) || bytes.Equal(name, []byte("call_endpl_")) {
		b.inside = false
	}
	return loop
}

// parameters follows a line that is no event.
func (b *body) parameters(line []byte) {
	if value, found := bytes.CutPrefix(bytes.TrimSpace(line), []byte("DoPL=")); b.asked && found {
		b.inside = !bytes.HasPrefix(value, []byte("0"))
	}
}

// event returns the name of an event line and where the number of its TIME
// stands (docs/trace-format.md#event-lines), or from = 0 for any other line.
func event(line []byte) (name []byte, from, to int) {
	fields := bytes.Fields(line)
	if len(fields) == 0 {
		return nil, 0, 0
	}
	name = bytes.TrimPrefix(fields[0], []byte("NAME="))
	known := false
	for _, p := range []string{"call_", "ret_", "Event_"} {
		known = known || bytes.HasPrefix(name, []byte(p))
	}
	at := bytes.Index(line, []byte(" TIME="))
	if !known || at < 0 || !bytes.Contains(line[at:], []byte(" LINE=")) {
		return nil, 0, 0
	}
	from = at + len(" TIME=")
	for to = from; to < len(line) && (line[to] == '.' || '0' <= line[to] && line[to] <= '9'); to++ {
	}
	return name, from, to
}

// scaled returns the number in text times factor, at most most, with as many
// digits behind the point.
func scaled(text []byte, factor, most float64) ([]byte, error) {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return nil, fmt.Errorf("found TIME=%q, expected a decimal fraction", text)
	}
	digits := 0
	if dot := bytes.IndexByte(text, '.'); dot >= 0 {
		digits = len(text) - dot - 1
	}
	return strconv.AppendFloat(nil, min(v*factor, most), 'f', digits, 64), nil
}
