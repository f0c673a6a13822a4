package ptr

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/stream"
	"dvmtools/pkg/units"
)

// piece is a piece of a trace and the parts that it consists of.
type piece struct {
	stream.Piece
	parts []part
	// lead are the lines before the first event line; only the first piece
	// of a trace has any.
	lead []leadLine
	// bad are the lines that look like event lines and are none.
	bad []badLine
	// done, when it is there, tells that the piece is taken apart.
	done chan struct{}
	// blocks are the blocks of this piece that are not remembered.
	blocks blocks
}

// part is an event line and the block of lines behind it.
type part struct {
	head  *head
	tail  *tail
	block *block
	time  int64 // in units of 1e-12 s
	line  int32 // of the event line, in the piece from 1
	// digits is how many the time has after the point.
	digits uint8
}

// function is a name in event lines.
type function struct {
	name string
	row  *libdvm.Func // what libdvm.RowOf returns for it
	id   uint64       // counts the names of a scanner from 1
}

// block is what the lines behind an event line say. It is not changed once it
// has been read.
type block struct {
	params call.Params
	text   [][]byte // lines that hold no parameters of the table
	lines  int      // that are not blank
	rc     bool     // the exit code is there, and its line was not cut
	// own are the times of each process, where the trace keeps them.
	own []units.Seconds
}

// noLines is the block of an event line without any lines behind it.
var noLines block

type leadLine struct {
	text []byte
	bad  *diag.Error // what is wrong if it looks like an event line
}

// badLine is a bad line in the block of a part.
type badLine struct {
	part int
	err  *diag.Error
}

// next returns the place behind the last part.
func (p *piece) next() *part {
	n := len(p.parts)
	if n == cap(p.parts) {
		p.parts = slices.Grow(p.parts, 1)
	}
	return &p.parts[:n+1][n]
}

// reset empties p and keeps its memory.
func (p *piece) reset() {
	p.parts, p.lead, p.bad = p.parts[:0], p.lead[:0], p.bad[:0]
	p.blocks.used = 0
}

// blocks is memory for blocks that keeps its place as it grows.
type blocks struct {
	groups [][]block
	used   int
}

const groupOfBlocks = 16

// next returns an empty block.
func (b *blocks) next() *block {
	g, i := b.used/groupOfBlocks, b.used%groupOfBlocks
	if g == len(b.groups) {
		b.groups = append(b.groups, make([]block, groupOfBlocks))
	}
	b.used++
	k := &b.groups[g][i]
	k.params.Reset()
	k.text, k.own, k.lines, k.rc = k.text[:0], k.own[:0], 0, false
	return k
}
