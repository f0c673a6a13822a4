package comm

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Load is a [Traffic] split over the media of one network. It holds no start
// time, so that an exchange that is repeated can use it again: on a tree of
// clusters making it looks at every message, using it does not.
type Load struct {
	network *Network
	load    load
	traffic Traffic
	// messages and bytes are what the traffic has, once it was counted.
	messages int64
	bytes    units.Bytes
	counted  bool
}

// Volume returns how many messages a load has and how many bytes they carry in
// all, at most math.MaxInt64.
func (l *Load) Volume() (messages int64, b units.Bytes) {
	if !l.counted {
		l.counted = true
		for _, s := range l.traffic.Sizes() {
			l.messages += s.Count
			all, ok := units.MulBytes(s.Bytes, units.Bytes(s.Count))
			if !ok {
				all = math.MaxInt64
			}
			l.bytes += min(all, math.MaxInt64-l.bytes)
		}
		l.traffic = nil
	}
	return l.messages, l.bytes
}

// load is the messages of an exchange on all media.
type load struct {
	instances []instanceLoad // by depth, then by first processor
	// length is the duration of the exchange when no medium is busy; queued
	// says that it may have to wait for other exchanges.
	length units.Seconds
	queued bool
}

// instanceLoad is the messages of an exchange on one instance of a medium; its
// length and queued are those of load, for this instance alone.
type instanceLoad struct {
	at     machine.Instance
	demand demand
	length units.Seconds
	queued bool
}

// Load splits t over the media of the network (docs/model.md#media): a message
// uses the medium of the lowest node that contains both processors,
// and every instance of a node has its own. Where that takes a pass over the
// messages, the loads of a [Keyed] traffic are remembered, and equal messages get
// the same load.
func (n *Network) Load(t Traffic) *Load {
	if n.isFlat && n.links == nil {
		return n.split(t)
	}
	k, ok := t.(Keyed)
	if !ok {
		return n.split(t)
	}
	return n.loads.of(k, func() *Load { return n.split(t) })
}

func (n *Network) split(t Traffic) *Load {
	l := &Load{network: n, traffic: t}
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

// add appends the demand d on an instance, unless it is empty. Instances must be
// added in the order of [before].
func (l *load) add(n *Network, at machine.Instance, d demand) {
	if d.empty() {
		return
	}
	p := instanceLoad{at: at, demand: d, length: d.alone(), queued: n.medium(at).queues()}
	l.instances = append(l.instances, p)
	l.length = max(l.length, p.length)
	l.queued = l.queued || p.queued
}

// Exchange places the messages of t, an exchange of the system s, on the
// media from start on and keeps their channels busy (docs/model.md#media): on
// a medium with channels the longest first, each on the channel that is free
// first; the exchange ends when its last message ends. On a channel, exchanges
// of systems that have processors in common follow each other in the order of
// the calls; between those of disjoint systems a message takes the earliest gap
// that is long enough.
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
	for i := range l.instances {
		k := &l.instances[i]
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

// postpone keeps an exchange that did not wait for any other, to be booked when
// a later one may have to wait for it.
func (n *Network) postpone(b booking) {
	if len(n.pending) == maxPending {
		n.settle()
	}
	n.pending = append(n.pending, b)
}

// settle books the pending exchanges on all media that they use.
func (n *Network) settle() {
	for i := range n.pending {
		for _, k := range n.pending[i].load.instances {
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

// queue books the messages of an exchange on an instance that may be busy and
// returns the end of the last one.
func (n *Network) queue(ready units.Seconds, s *set, k *instanceLoad) units.Seconds {
	if !k.queued {
		return ready + k.length
	}
	return n.ledger(k.at).book(ready, s, k.demand, &n.sets)
}

// ledger is the schedule of an instance. booked is how many of the network's
// pending exchanges, from the first on, it contains.
type ledger struct {
	schedule
	booked int
}

// ledger returns the schedule of an instance with all exchanges so far.
func (n *Network) ledger(at machine.Instance) *ledger {
	m := n.media[at]
	if m == nil {
		m = &ledger{schedule: n.medium(at).schedule()}
		n.media[at] = m
	}
	for ; m.booked < len(n.pending); m.booked++ {
		b := &n.pending[m.booked]
		if i, found := slices.BinarySearchFunc(b.load.instances, at, func(p instanceLoad, at machine.Instance) int { return before(p.at, at) }); found {
			m.book(b.ready, b.set, b.load.instances[i].demand, &n.sets)
		}
	}
	m.forget(n.horizon)
	return m
}
