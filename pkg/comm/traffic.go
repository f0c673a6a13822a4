package comm

import (
	"cmp"
	"math"
	"slices"

	"dvmtools/pkg/units"
)

// Message is what one processor sends to another in an exchange. Processors
// are numbered as in the root grid: row-major, last coordinate fastest.
type Message struct {
	From, To int
	Bytes    units.Bytes
}

// Size says that Count messages of Bytes bytes are sent. Equal messages are
// interchangeable on a medium with channels (docs/model.md#messages).
type Size struct {
	Bytes units.Bytes `json:"size_b"`
	Count int64       `json:"count"`
}

// Distance says that the longest message over a distance of Hops has Bytes
// bytes. The distance of two processors is the sum of the differences of their
// coordinates in the root grid ([Hops]). A transputer medium needs to know no
// more (docs/model.md#messages).
type Distance struct {
	Hops  int         `json:"hops"`
	Bytes units.Bytes `json:"size_b"`
}

// Traffic is a sparse set of messages: from and to differ, bytes are
// positive, and there is at most one message from one processor to another
// (docs/model.md#messages). The three methods show the same set. A Traffic never
// changes.
type Traffic interface {
	// Sizes returns each size once with the number of messages that have it,
	// the longest first: all that a single medium with channels needs.
	Sizes() []Size
	// Distances returns the longest message at every distance that occurs,
	// the nearest first: all that a single transputer needs.
	Distances() []Distance
	// Each calls yield with every message, in an order that is always the
	// same, until yield returns false. Only trees of clusters and machines of
	// links need it.
	Each(yield func(Message) bool)
}

// Keyed is a [Traffic] that can spell what its messages depend on. Networks whose
// cost is found message by message remember the loads of such a traffic
// ([Network.Load]).
type Keyed interface {
	Traffic
	// AppendKey appends a key to dst: sets of messages with equal keys are
	// equal, on the same root grid. It reports false when there is no key.
	AppendKey(dst []byte) ([]byte, bool)
}

// list is the plain Traffic: messages by sender and receiver.
type list struct {
	grid []int
	ms   []Message
}

// Messages returns the set of messages ms between processors of a root grid
// (docs/model.md#messages): several entries between one pair become one
// message; entries without bytes or from a processor to itself are dropped. A
// sum too large for 64 bits becomes math.MaxInt64. ms is not changed.
func Messages(grid []int, ms []Message) Traffic {
	l := &list{grid: slices.Clone(grid)}
	for _, m := range ms {
		if m.From != m.To && m.Bytes > 0 {
			l.ms = append(l.ms, m)
		}
	}
	slices.SortFunc(l.ms, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	kept := l.ms[:0]
	for _, m := range l.ms {
		if k := len(kept) - 1; k >= 0 && kept[k].From == m.From && kept[k].To == m.To {
			kept[k].Bytes += min(m.Bytes, math.MaxInt64-kept[k].Bytes)
			continue
		}
		kept = append(kept, m)
	}
	l.ms = kept
	return l
}

func (l *list) Sizes() []Size {
	var h SizeCounts
	for _, m := range l.ms {
		h.Add(m.Bytes, 1)
	}
	return h.Sizes()
}

func (l *list) Distances() []Distance {
	var f LongestAt
	for _, m := range l.ms {
		f.Add(Hops(l.grid, m.From, m.To), m.Bytes)
	}
	return f.Distances()
}

func (l *list) Each(yield func(Message) bool) {
	for _, m := range l.ms {
		if !yield(m) {
			return
		}
	}
}

// Hops returns the distance of processors p and q in a grid: the sum of the
// differences of their coordinates (docs/model.md#transputer).
func Hops(grid []int, p, q int) int {
	hops := 0
	for k := len(grid) - 1; k >= 0; k-- {
		d := p%grid[k] - q%grid[k]
		hops += max(d, -d)
		p /= grid[k]
		q /= grid[k]
	}
	return hops
}
