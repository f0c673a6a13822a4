package comm

import (
	"cmp"
	"maps"
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
	// length is how long the exchange lasts when nothing else is on the
	// media, queued whether it may have to wait for others.
	length units.Seconds
	queued bool
}

// part is what an exchange puts on one instance of a medium; queued says that
// it may have to wait for others there.
type part struct {
	at     machine.Instance
	demand demand
	length units.Seconds
	queued bool
}

// Load returns what t puts on the media of the network (docs/model.md#media):
// a message uses the medium of the lowest node that contains both processors,
// and every instance of a node has its own.
func (n *Network) Load(t Traffic) *Load {
	l := &Load{network: n}
	if n.isFlat {
		l.load.add(n, n.flat, n.medium(n.flat).demand(t))
		return l
	}
	tallies := map[machine.Instance]tally{}
	t.Each(func(m Message) bool {
		at := n.Between(m.From, m.To)
		k := tallies[at]
		if k == nil {
			k = n.medium(at).tally(n.grid)
			tallies[at] = k
		}
		k.add(m)
		return true
	})
	for _, at := range slices.SortedFunc(maps.Keys(tallies), before) {
		l.load.add(n, at, tallies[at].demand())
	}
	return l
}

// before orders instances: the root first, then by processors.
func before(a, b machine.Instance) int {
	return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.First, b.First))
}

// add puts d, unless it is empty, on an instance behind those that there are.
func (l *load) add(n *Network, at machine.Instance, d demand) {
	if d.empty() {
		return
	}
	p := part{at: at, demand: d, length: d.alone(), queued: n.medium(at).queues()}
	l.parts = append(l.parts, p)
	l.length = max(l.length, p.length)
	l.queued = l.queued || p.queued
}

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
			p.Steps = append(p.Steps, k.step(n, name, ready, end))
		} else if free {
			break
		}
	}
	if !l.queued {
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
			if k.queued {
				n.ledger(k.at)
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
	if !k.queued {
		return ready + k.length
	}
	return n.ledger(k.at).book(ready, s, k.demand, &n.sets)
}

// ledger is the schedule of an instance; the first booked of the network's
// pending exchanges are on it.
type ledger struct {
	schedule
	booked int
}

// ledger returns the schedule of an instance after all exchanges so far.
func (n *Network) ledger(at machine.Instance) *ledger {
	m := n.media[at]
	if m == nil {
		m = &ledger{schedule: n.medium(at).schedule()}
		n.media[at] = m
	}
	for ; m.booked < len(n.pending); m.booked++ {
		b := &n.pending[m.booked]
		if i, found := slices.BinarySearchFunc(b.load.parts, at, func(p part, at machine.Instance) int { return before(p.at, at) }); found {
			m.book(b.ready, b.set, b.load.parts[i].demand, &n.sets)
		}
	}
	m.forget(n.horizon)
	return m
}
