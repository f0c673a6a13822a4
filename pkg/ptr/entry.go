package ptr

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/stream"
	"dvmtools/pkg/units"
)

// piece is a piece of a trace and the entries that it consists of.
type piece struct {
	stream.Piece
	entries []entry
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

// entry is an event line and the block of lines behind it.
type entry struct {
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

// badLine is a bad line in the block of an entry.
type badLine struct {
	entry int
	err   *diag.Error
}

// next returns the place behind the last entry.
func (p *piece) next() *entry {
	n := len(p.entries)
	if n == cap(p.entries) {
		p.entries = slices.Grow(p.entries, 1)
	}
	return &p.entries[:n+1][n]
}

// reset empties p and keeps its memory.
func (p *piece) reset() {
	p.entries, p.lead, p.bad = p.entries[:0], p.lead[:0], p.bad[:0]
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
