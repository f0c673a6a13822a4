package call

import (
	"bytes"
	"errors"
	"io"

	"dvmtools/pkg/diag"
)

// Recording is a stream of calls kept in memory, so that it can be read many
// times, by several readers at once. It must not be changed. Calls with the same
// parameters share them.
type Recording struct {
	header   Header
	calls    []Call
	blocks   [][2]int32 // of each call, see Blocks
	exit     Exit
	warnings []*diag.Error
}

// Record reads src to its end and keeps all but what lies behind the end of
// the program. A source with a method Len is known to have at most so many calls.
func Record(src Source) (*Recording, error) {
	r := &Recording{header: *src.Header()}
	if s, ok := src.(interface{ Len() int }); ok {
		r.calls, r.blocks = make([]Call, 0, s.Len()), make([][2]int32, 0, s.Len())
	}
	var known blocks
	for {
		c, err := src.Next()
		if errors.Is(err, io.EOF) {
			r.exit = *src.Exit()
			r.warnings = src.Warnings()
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		if !src.Exit().Found {
			kept, numbers := known.keep(c)
			r.calls, r.blocks = append(r.calls, kept), append(r.blocks, numbers)
		}
	}
}

// Len returns the number of calls.
func (r *Recording) Len() int { return len(r.calls) }

// Call returns call i, counted from 0.
func (r *Recording) Call(i int) *Call { return &r.calls[i] }

// Blocks returns the numbers of the parameters, and of the lines beside them,
// of both halves of call i. Halves have the same number when all of that is equal,
// in any two calls.
func (r *Recording) Blocks(i int) (args, ret int) {
	return int(r.blocks[i][0]), int(r.blocks[i][1])
}

// Warnings returns what was noticed while the calls were read.
func (r *Recording) Warnings() []*diag.Error { return r.warnings }

// Header returns the header of the stream.
func (r *Recording) Header() *Header { return &r.header }

// Exit returns the program's end.
func (r *Recording) Exit() *Exit { return &r.exit }

// Source returns a source that reads the recording from its beginning.
func (r *Recording) Source() Source { return &replay{r: r} }

// replay reads a recording.
type replay struct {
	r    *Recording
	at   int
	exit Exit // empty before the end
}

func (p *replay) Header() *Header { return &p.r.header }

// Exit is the end of the program; it is found when Next has returned io.EOF.
func (p *replay) Exit() *Exit { return &p.exit }

func (p *replay) Warnings() []*diag.Error { return nil }

func (p *replay) Next() (*Call, error) {
	if p.at == len(p.r.calls) {
		p.exit = p.r.exit
		return nil, io.EOF
	}
	p.at++
	return &p.r.calls[p.at-1], nil
}

// Clone returns a copy of c that shares no memory with its reader.
func (c *Call) Clone() Call {
	d := *c
	d.Args, d.Ret = *c.Args.Clone(), *c.Ret.Clone()
	d.Text, d.RetText = cloneLines(c.Text), cloneLines(c.RetText)
	d.Before, d.Others = bytes.Clone(c.Before), Others{bytes.Clone(c.Others.Others)}
	d.Own = c.Own.Clone()
	d.Nested = nil
	for i := range c.Nested {
		d.Nested = append(d.Nested, c.Nested[i].Clone())
	}
	return d
}

func cloneLines(lines [][]byte) [][]byte {
	var out [][]byte
	for _, l := range lines {
		out = append(out, bytes.Clone(l))
	}
	return out
}
