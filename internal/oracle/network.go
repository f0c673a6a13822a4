package oracle

import (
	"cmp"
	"slices"

	"dvmtools/pkg/machine"
)

// messages are the bytes that each processor (the first of a pair) sends to each
// other in an exchange (docs/model.md#messages).
type messages map[[2]int]int64

func (m messages) add(from, to int, bytes int64) {
	if from != to && bytes > 0 {
		m[[2]int{from, to}] += bytes
	}
}

// A medium is one instance of a node of the machine; first is its first
// processor.
type medium struct {
	node  *machine.Node
	first int64
}

// An occupation is the time that a message occupies a channel, and the processors of
// the system whose exchange it belongs to.
type occupation struct {
	start, end float64
	sys        set
}

// network knows when the channels of the media are busy.
type network struct {
	m        *machine.Machine
	places   []int // of the processors of the grid, in the machine
	grid     []int
	channels map[medium][][]occupation
	// Of a machine of links: when each link is busy, the routes found so far,
	// and the processors of the root system.
	linkBusy  map[int][]occupation
	routesTo  map[any][]*route
	rootProcs []int
}

// link returns the medium of a message from p to q.
func (n *network) link(p, q int) medium {
	node, first, _ := n.m.Lowest(int64(n.places[p]), int64(n.places[q]))
	return medium{node, first}
}

// coords returns the coordinates of number i in a grid; the last one varies
// fastest.
func coords(grid []int, i int) []int {
	c := make([]int, len(grid))
	for d := len(grid) - 1; d >= 0; d-- {
		c[d] = i % grid[d]
		i /= grid[d]
	}
	return c
}

// hops returns the distance of two processors in a grid.
func hops(grid []int, p, q int) int {
	sum := 0
	a, b := coords(grid, p), coords(grid, q)
	for d := range a {
		sum += max(a[d]-b[d], b[d]-a[d])
	}
	return sum
}

// exchange places messages that are ready at start and returns when the last
// one ends.
func (n *network) exchange(start float64, sys set, ms messages, why purpose) float64 {
	if n.m.Network != nil {
		return n.overLinks(start, sys, ms, why)
	}
	byMedium := map[medium][][2]int{}
	for pair := range ms {
		m := n.link(pair[0], pair[1])
		byMedium[m] = append(byMedium[m], pair)
	}
	end := start
	for m, pairs := range byMedium {
		if m.node.Medium.Kind == machine.Transputer {
			end = max(end, start+n.transputer(m, pairs, ms))
			continue
		}
		// The longest first. Messages of equal length take the same times in
		// any order.
		slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Compare(ms[b], ms[a]) })
		for _, p := range pairs {
			length := float64(m.node.Medium.TStart) + float64(float64(ms[p])*float64(m.node.Medium.TByte))
			end = max(end, n.place(m, start, length, sys))
		}
	}
	return end
}

// place puts one message on the channel where it can begin first and returns
// its end.
func (n *network) place(m medium, ready, length float64, sys set) float64 {
	if n.channels[m] == nil {
		n.channels[m] = make([][]occupation, max(1, m.node.Medium.Channels))
	}
	chans := n.channels[m]
	best, at := 0, 0.0
	for c, busy := range chans {
		if t := earliest(busy, ready, length, sys); c == 0 || t < at {
			best, at = c, t
		}
	}
	chans[best] = append(chans[best], occupation{at, at + length, sys})
	slices.SortStableFunc(chans[best], func(a, b occupation) int { return cmp.Compare(a.start, b.start) })
	return at + length
}

// earliest returns when a message can begin on a channel: after all messages of
// its own system and of systems that share a processor with it, in the first gap
// between the others that is long enough.
func earliest(busy []occupation, ready, length float64, sys set) float64 {
	t := ready
	for _, s := range busy {
		if s.sys&sys != 0 {
			t = max(t, s.end)
		}
	}
	for _, s := range busy {
		if s.end <= t || s.sys&sys != 0 {
			continue
		}
		if s.start-t >= float64(length*(1-1e-9)) {
			break
		}
		t = max(t, s.end)
	}
	return t
}

// transputer returns the time of messages on a grid of links, for which the
// longest message at each distance counts.
func (n *network) transputer(m medium, pairs [][2]int, ms messages) float64 {
	longest := map[int]int64{}
	for _, p := range pairs {
		l := hops(n.grid, p[0], p[1])
		longest[l] = max(longest[l], ms[p])
	}
	t := 0.0
	for l, bytes := range longest {
		t = max(t, portions(l, bytes, float64(m.node.Medium.TStart), float64(m.node.Medium.TByte)))
	}
	return t
}

// portions returns the least time of a message of bytes over l links when it is cut
// into any number of portions.
func portions(l int, bytes int64, tstart, tbyte float64) float64 {
	if l == 0 {
		return 0
	}
	best := float64(l) * (tstart + float64(tbyte*float64(bytes)))
	for n := int64(2); n <= bytes && l > 1; n++ {
		size := (bytes + n - 1) / n
		best = min(best, float64(int64(l)-1+n)*(tstart+float64(tbyte*float64(size))))
	}
	return best
}

// flat returns the medium of all messages between the processors of sys, when
// there is one.
func (n *network) flat(sys []int) (medium, bool) {
	if len(sys) < 2 {
		return medium{}, false
	}
	first := n.link(sys[0], sys[1])
	for _, p := range sys {
		for _, q := range sys {
			if p != q && n.link(p, q) != first {
				return medium{}, false
			}
		}
	}
	return first, true
}

// broadcast returns the messages from r to all other processors of sys.
func broadcast(r int, sys []int, bytes int64) messages {
	ms := messages{}
	for _, p := range sys {
		ms.add(r, p, bytes)
	}
	return ms
}

// rounds is the least r with 2^r >= n.
func rounds(n int) int {
	r := 0
	for size := 1; size < n; size *= 2 {
		r++
	}
	return r
}

// slowest is the longest time of a message of bytes between two processors of
// sys, over one link.
func (n *network) slowest(sys []int, bytes int64) float64 {
	if n.m.Network != nil {
		return n.slowestLink(sys, bytes)
	}
	t := 0.0
	for _, p := range sys {
		for _, q := range sys {
			if p != q {
				m := n.link(p, q).node.Medium
				t = max(t, float64(m.TStart)+float64(float64(m.TByte)*float64(bytes)))
			}
		}
	}
	return t
}
