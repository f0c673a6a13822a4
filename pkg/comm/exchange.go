package comm

import (
	"cmp"
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Load is a [Traffic] as the media of one network see it. It depends on no
// time, and an exchange that happens again may use it again: on a tree of
// clusters making it costs as much as there are messages, using it much less.
type Load struct {
	network *Network
	load    load
}

// load is what an exchange puts on the media.
type load struct {
	parts []part // by depth, then by first processor
	// length is how long the exchange lasts when every channel is free, as
	// long as channels says whether any part has some.
	length   units.Seconds
	channels bool
}

// part is what an exchange puts on one instance of a medium: sizes on one
// with channels, distances on a transputer.
type part struct {
	at     machine.Instance
	sizes  []Size
	far    []Distance
	length units.Seconds
}

// Load returns what t puts on the media of the network (docs/model.md#media):
// a message uses the medium of the lowest node that contains both processors,
// and every instance of a node has its own.
func (n *Network) Load(t Traffic) *Load {
	l := &Load{network: n}
	switch {
	case !n.isFlat:
		l.load.parts = n.split(t)
	case n.flat.Node.Medium.Kind == machine.Transputer:
		l.load.parts = []part{{at: n.flat, far: t.Distances()}}
	default:
		l.load.parts = []part{{at: n.flat, sizes: t.Sizes()}}
	}
	l.load.measure()
	return l
}

// split sorts messages by the instance of a medium that they use.
func (n *Network) split(t Traffic) []part {
	type sum struct {
		histogram
		farthest
	}
	sums := map[machine.Instance]*sum{}
	t.Each(func(m Message) bool {
		at := n.Between(m.From, m.To)
		k := sums[at]
		if k == nil {
			k = &sum{}
			sums[at] = k
		}
		if at.Node.Medium.Kind == machine.Transputer {
			k.farthest.add(Hops(n.grid, m.From, m.To), m.Bytes)
		} else {
			k.histogram.add(m.Bytes, 1)
		}
		return true
	})
	parts := make([]part, 0, len(sums))
	for at, k := range sums {
		parts = append(parts, part{at: at, sizes: k.sizes(), far: k.distances()})
	}
	slices.SortFunc(parts, func(a, b part) int { return before(a.at, b.at) })
	return parts
}

// before orders instances: the root first, then by processors.
func before(a, b machine.Instance) int {
	return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.First, b.First))
}

// measure drops parts without messages and finds how long the others last on
// free channels.
func (l *load) measure() {
	l.parts = slices.DeleteFunc(l.parts, func(p part) bool { return len(p.sizes)+len(p.far) == 0 })
	for i := range l.parts {
		p := &l.parts[i]
		md := p.at.Node.Medium
		if md.Kind == machine.Transputer {
			p.length = distant(md, p.far)
		} else {
			l.channels = true
			p.length = alone(md, p.sizes)
		}
		l.length = max(l.length, p.length)
	}
}

// distant returns how long an exchange lasts on a transputer: as long as its
// slowest distance (docs/model.md#transputer).
func distant(md machine.Medium, far []Distance) units.Seconds {
	longest := units.Seconds(0)
	for _, f := range far {
		t, _ := Pipelined(md, f.Hops, f.Bytes)
		longest = max(longest, t)
	}
	return longest
}

// alone returns how long an exchange lasts on a medium whose channels are all
// free. With one channel that is the sum of its messages.
func alone(md machine.Medium, sizes []Size) units.Seconds {
	end := units.Seconds(0)
	if md.Channels <= 1 {
		for _, x := range sizes {
			end += units.Seconds(float64(units.Transfer(md.TStart, md.TByte, x.Bytes)) * float64(x.Count))
		}
		return end
	}
	m := newMedium(int64(md.Channels))
	all := &sets{}
	for _, x := range sizes {
		end = max(end, m.put(0, units.Transfer(md.TStart, md.TByte, x.Bytes), x.Count, everybody, all))
	}
	return end
}

// everybody stands for the whole root where no other system is known.
var everybody = &set{whole: true}

// Exchange places the messages of t, an exchange of the system s, on the
// media from start on and keeps their channels busy (docs/model.md#media): on
// a medium with channels the longest first, each on the channel that is free
// first; the exchange ends when its last message ends. Exchanges of systems
// that have processors in common are placed after each other on a channel;
// between those of disjoint systems a message takes the earliest gap that
// holds it.
func (n *Network) Exchange(start units.Seconds, s Set, t Traffic) Placement {
	return n.Again(start, s, n.Load(t))
}

// Again is [Network.Exchange] with a load that was made before by
// [Network.Load] of the same network.
func (n *Network) Again(start units.Seconds, s Set, l *Load) Placement {
	if l.network != n {
		panic("comm: internal error: the load of another network")
	}
	p := Placement{Start: start, End: start}
	n.place(&p, "exchange", n.sets.of(s), &l.load)
	return p
}

// place puts a load on the media at the end of p and moves that end.
func (n *Network) place(p *Placement, name string, s *set, l *load) {
	ready := p.End
	free := n.latest <= ready
	if free {
		p.End = ready + l.length
	}
	for i := range l.parts {
		k := &l.parts[i]
		end := ready + k.length
		if !free {
			end = n.queue(ready, s, k)
			p.End = max(p.End, end)
		}
		if n.explain {
			p.Steps = append(p.Steps, k.step(name, ready, end))
		} else if free {
			break
		}
	}
	if !l.channels {
		return
	}
	if free {
		n.postpone(booking{load: l, ready: ready, set: s})
	}
	n.latest = max(n.latest, p.End)
}

// postpone remembers an exchange that met no other until it has to be booked.
func (n *Network) postpone(b booking) {
	if len(n.pending) == maxPending {
		n.settle()
	}
	n.pending = append(n.pending, b)
}

// settle books what is pending on all media that it uses.
func (n *Network) settle() {
	for i := range n.pending {
		for _, k := range n.pending[i].load.parts {
			if len(k.sizes) > 0 {
				n.medium(k.at)
			}
		}
	}
	for _, m := range n.media {
		m.booked = 0
	}
	n.pending = n.pending[:0]
}

// queue books a part of an exchange on a medium that may be busy and returns
// its end.
func (n *Network) queue(ready units.Seconds, s *set, k *part) units.Seconds {
	if k.at.Node.Medium.Kind == machine.Transputer {
		return ready + k.length
	}
	return n.medium(k.at).book(ready, s, k, &n.sets)
}

// medium returns the channels of an instance after all exchanges so far.
func (n *Network) medium(at machine.Instance) *medium {
	m := n.media[at]
	if m == nil {
		m = newMedium(int64(at.Node.Medium.Channels))
		n.media[at] = m
	}
	for ; m.booked < len(n.pending); m.booked++ {
		b := &n.pending[m.booked]
		if i, found := slices.BinarySearchFunc(b.load.parts, at, func(p part, at machine.Instance) int { return before(p.at, at) }); found {
			m.book(b.ready, b.set, &b.load.parts[i], &n.sets)
		}
	}
	m.forget(n.horizon)
	return m
}

// book places a part of an exchange, the longest messages first.
func (m *medium) book(ready units.Seconds, s *set, k *part, all *sets) units.Seconds {
	md := k.at.Node.Medium
	end := ready
	for _, x := range k.sizes {
		end = max(end, m.put(ready, units.Transfer(md.TStart, md.TByte, x.Bytes), x.Count, s, all))
	}
	return end
}
