package report

import (
	"slices"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
)

// AllLevels as the level of a [Builder] keeps every interval.
const AllLevels = -1

// Tree is the intervals of one simulated program.
type Tree struct {
	Header interval.Header
	// Root is the main interval.
	Root *Node
	// Nodes are the intervals in the order of reading: an interval, then
	// what is inside it, neighbours in the order of the stream. Nodes[0] is
	// Root.
	Nodes []*Node
	// Exchanges are what exchanges cost by the places where they are started, in
	// the order of the stream.
	Exchanges []interval.Exchange
	// Timeline is nil when the stream has no spans.
	Timeline *Timeline
	// Dropped is how many intervals were left out because they lie deeper
	// than the level asked for. Their times are part of those around them.
	Dropped int
	// Warnings is how many warnings the simulation gave.
	Warnings int64
}

// Node is an interval in its place.
type Node struct {
	interval.Interval
	// Up is the interval around this one, nil for the main interval.
	Up *Node
	// Pred and Next are the neighbours inside Up, nil at the ends.
	Pred, Next *Node
	// Inner are the intervals directly inside this one.
	Inner []*Node
	// Classes are the processors of the interval in the order of the stream,
	// empty when the stream holds none.
	Classes []interval.Processor
	// Lines are the figures of the source lines in the interval, without those
	// of the intervals inside it, by file and line; empty when the stream has none.
	// Those of intervals that were dropped are part of them.
	Lines []interval.Line
}

// Builder makes a [Tree] of the records of a stream.
type Builder struct {
	level int
	tree  Tree
	// seen holds every interval of the stream by ID.
	seen map[int]place
}

// place remembers an interval: its level and its node or, when it was dropped,
// that of the interval around it which was kept.
type place struct {
	node    *Node
	level   int
	dropped bool
}

// NewBuilder returns a builder that keeps the intervals down to level (the
// main interval is 0), or all of them with [AllLevels].
func NewBuilder(h interval.Header, level int) *Builder {
	return &Builder{level: level, tree: Tree{Header: h}, seen: map[int]place{}}
}

// Interval adds an interval that was read at pos. The error, a [diag.Error],
// says when it has no place in the tree: its ID was used before, its parent
// did not come before it, its level is not one more than its parent's, or it
// is a second main interval.
func (b *Builder) Interval(pos diag.Pos, iv *interval.Interval) error {
	if iv.ID < 1 {
		return diag.New(pos, "report/id", "found interval id %d, expected a number from 1", iv.ID)
	}
	if _, ok := b.seen[iv.ID]; ok {
		return diag.New(pos, "report/id", "interval %d comes a second time, expected each interval once", iv.ID)
	}
	n := &Node{Interval: *iv}
	if iv.Parent == 0 {
		if b.tree.Root != nil {
			return diag.New(pos, "report/parent", "interval %d has no parent, expected one: interval %d is the main interval already",
				iv.ID, b.tree.Root.ID)
		}
		if iv.Level != 0 {
			return diag.New(pos, "report/level", "the main interval has level %d, expected 0", iv.Level)
		}
		b.tree.Root = n
		b.seen[iv.ID] = place{node: n}
		return nil
	}
	up, ok := b.seen[iv.Parent]
	if !ok {
		return diag.New(pos, "report/parent", "interval %d has the parent %d, which does not come before it; do not filter the intervals around it",
			iv.ID, iv.Parent)
	}
	if iv.Level != up.level+1 {
		return diag.New(pos, "report/level", "interval %d has level %d, expected %d, one more than interval %d around it",
			iv.ID, iv.Level, up.level+1, iv.Parent)
	}
	if b.level >= 0 && iv.Level > b.level {
		b.seen[iv.ID] = place{node: up.node, level: iv.Level, dropped: true}
		b.tree.Dropped++
		return nil
	}
	n.Up = up.node
	if k := len(n.Up.Inner); k > 0 {
		n.Pred = n.Up.Inner[k-1]
		n.Pred.Next = n
	}
	n.Up.Inner = append(n.Up.Inner, n)
	b.seen[iv.ID] = place{node: n, level: iv.Level}
	return nil
}

// Processor adds a class of processors that was read at pos. The error, a
// [diag.Error], says when its interval did not come before it or it has no
// processors or more than any machine. The builder keeps nothing of p, which
// a reader may use again.
func (b *Builder) Processor(pos diag.Pos, p *interval.Processor) error {
	at, ok := b.seen[p.Interval]
	if !ok {
		return diag.New(pos, "report/parent", "processors of interval %d, which does not come before them", p.Interval)
	}
	if p.N < 1 || p.N > machine.MaxProcessors {
		return diag.New(pos, "report/processors", "found a class of %d processors, expected 1 to %d", p.N, int64(machine.MaxProcessors))
	}
	if !at.dropped {
		c := *p
		c.Boxes = nil
		for _, box := range p.Boxes {
			c.Boxes = append(c.Boxes, slices.Clone(box))
		}
		at.node.Classes = append(at.node.Classes, c)
	}
	return nil
}

// Line adds a line of the source that was read at pos. The error, a
// [diag.Error], says when its interval did not come before it. The builder
// keeps nothing of l, which a reader may use again.
func (b *Builder) Line(pos diag.Pos, l *interval.Line) error {
	at, ok := b.seen[l.Interval]
	if !ok {
		return diag.New(pos, "report/parent", "a line of interval %d, which does not come before it", l.Interval)
	}
	own := *l
	own.Functions = slices.Clone(l.Functions)
	own.Interval = at.node.ID
	at.node.Lines = append(at.node.Lines, own)
	return nil
}

// Exchange adds what exchanges that are started at a place cost.
func (b *Builder) Exchange(x *interval.Exchange) { b.tree.Exchanges = append(b.tree.Exchanges, *x) }

// Tree returns the tree. The error, at pos, the end of the stream, says when
// there is no main interval. The builder must not be used afterwards.
func (b *Builder) Tree(pos diag.Pos) (*Tree, error) {
	if b.tree.Root == nil {
		return nil, diag.New(pos, "report/main", "found no main interval, expected one; was the stream filtered?")
	}
	// A stack instead of recursion: intervals may be nested as deep as the
	// stream is long.
	stack := []*Node{b.tree.Root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		b.tree.Nodes = append(b.tree.Nodes, n)
		n.Lines = mergeLines(n.Lines)
		for i := len(n.Inner) - 1; i >= 0; i-- {
			stack = append(stack, n.Inner[i])
		}
	}
	return &b.tree, nil
}
