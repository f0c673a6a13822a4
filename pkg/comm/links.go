package comm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// topology is the medium of machines of links (docs/model.md#links). A message
// is sent over the links of its route one after the other, store and forward,
// and occupies each for latency + bytes x speed; a link carries one message at a
// time.
//
// Which of two messages of an exchange a link carries first does not depend on
// when they arrive. First come those for which it is an earlier step of their
// route, then the longer ones, then the order is that of senders and of
// receivers. Each waits for the one before it, and so nothing ends later when a
// link or a processor becomes faster and routes stay the same.
type topology struct {
	*machine.Network
	overheads overheads
	routes    *routes
	size      int // processors of the root grid
	bus       bool
	// stars are the loads of equal messages from or to a processor that are
	// remembered.
	stars map[starKey]*load
	// free and used are scratch space of [travels.alone]: the time from which
	// each link is free, and the links with such a time.
	free []units.Seconds
	used []int32
	// pathless is the first message without a route.
	pathless *Pathless
}

// Pathless is the error of a message between processors that no links connect.
type Pathless struct {
	From, To int // numbers in the root grid
	Topology int64
	places   [2]int64 // their numbers in the description, from 0
}

// Error names both processors and says what can be done.
func (e *Pathless) Error() string {
	return fmt.Sprintf("a message from processor %d to processor %d, p[%d] and p[%d] of topology %d, finds no path of links between them; connect them in the machine file or choose another topology or a smaller grid",
		e.From, e.To, e.places[0]+1, e.places[1]+1, e.Topology)
}

func newTopology(m *machine.Machine, size int) *topology {
	all := int(m.Processors())
	n := numbered(m)
	return &topology{
		Network: n, overheads: newOverheads(n), routes: newRoutes(n, all), size: size,
		bus:   len(n.Links) == 1 && len(n.Links[0].Ends) == all,
		stars: map[starKey]*load{}, free: make([]units.Seconds, len(n.Links)),
	}
}

// numbered returns the network of a machine with the ends of its links as the
// machine numbers its processors.
func numbered(m *machine.Machine) *machine.Network {
	if !m.Scattered() {
		return m.Network
	}
	number := make([]int32, m.Processors())
	for p := range number {
		number[m.Place(int64(p))] = int32(p)
	}
	out := *m.Network
	out.Links = slices.Clone(out.Links)
	for i := range out.Links {
		l := &out.Links[i]
		ends := make([]int32, len(l.Ends))
		for k, p := range l.Ends {
			ends[k] = number[p]
		}
		l.Ends = ends
	}
	return &out
}

// Err returns the first message so far for which there is no route, as a
// [*Pathless], nil when there was none. Such a message costs nothing.
func (n *Network) Err() error {
	if n.links == nil || n.links.pathless == nil {
		return nil
	}
	p := n.links.pathless
	p.places = [2]int64{n.machine.Place(int64(p.From)), n.machine.Place(int64(p.To))}
	return p
}

func (t *topology) String() string { return fmt.Sprintf("topology %d", t.ID) }

// travels is messages with their routes, in the order in which a link carries
// those for which it is the same step of the route.
type travels struct {
	topology *topology
	list     []travel
}

// travel is a message with its route, as indices of links, and the software
// overheads before the first link and after the last.
type travel struct {
	Message
	before, after units.Seconds
	path          []int32
}

func (t *topology) demand(x Traffic) demand {
	k := &gatherer{topology: t, use: useOf(x)}
	x.Each(func(m Message) bool {
		k.add(m)
		return true
	})
	return k.demand()
}

func (t *topology) tally([]int) tally { return &gatherer{topology: t} }

// gatherer collects messages whose routes are found together.
type gatherer struct {
	topology *topology
	use      Use
	list     []Message
}

func (g *gatherer) add(m Message) { g.list = append(g.list, m) }

func (g *gatherer) demand() demand {
	t := g.topology
	p := ordinary
	if g.use.Edges {
		p = edges
	}
	slices.SortFunc(g.list, func(a, b Message) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	d := &travels{topology: t, list: make([]travel, 0, len(g.list))}
	var others []int
	for i := 0; i < len(g.list); {
		m := g.list[i]
		others = others[:0]
		for ; i < len(g.list) && g.list[i].Bytes == m.Bytes && g.list[i].From == m.From; i++ {
			others = append(others, g.list[i].To)
		}
		d.add(m.From, others, false, m.Bytes, p, g.use.Element)
	}
	return d
}

// add adds equal messages between root and others, in the order of others: from
// root or, inward, to it.
func (d *travels) add(root int, others []int, inward bool, b units.Bytes, p purpose, element units.Bytes) {
	t := d.topology
	before, after := t.overheads.of(p, b, element)
	t.routes.size(b)
	lost := t.routes.star(root, others, inward, func(q int, path []int32) {
		m := Message{From: root, To: q, Bytes: b}
		if inward {
			m.From, m.To = q, root
		}
		d.list = append(d.list, travel{m, before, after, path})
	})
	if lost >= 0 && t.pathless == nil {
		t.pathless = &Pathless{From: root, To: lost, Topology: t.ID}
		if inward {
			t.pathless.From, t.pathless.To = lost, root
		}
	}
}

func (d *travels) empty() bool { return len(d.list) == 0 }

// bytes returns about how much memory the messages take.
func (d *travels) bytes() int {
	const message, link = 80, 4
	n := message * len(d.list)
	for i := range d.list {
		n += link * len(d.list[i].path)
	}
	return n
}

func (d *travels) alone() units.Seconds {
	t := d.topology
	end := d.run(0, func(link int32, at, length units.Seconds) units.Seconds {
		if t.free[link] == 0 {
			t.used = append(t.used, link)
		}
		t.free[link] = max(at, t.free[link]) + length
		return t.free[link]
	})
	for _, link := range t.used {
		t.free[link] = 0
	}
	t.used = t.used[:0]
	return end
}

// run sends all messages, which can start at ready, step by step along their
// routes and returns when the last one has arrived. carry places a message that
// reaches a link at some time on that link, and returns when it leaves it.
func (d *travels) run(ready units.Seconds, carry func(link int32, at, length units.Seconds) units.Seconds) units.Seconds {
	end := ready
	under := make([]int32, len(d.list)) // messages that are under way
	at := make([]units.Seconds, len(d.list))
	for i := range d.list {
		under[i], at[i] = int32(i), ready+d.list[i].before
	}
	for step := 0; len(under) > 0; step++ {
		left := under[:0]
		for _, i := range under {
			m := &d.list[i]
			l := &d.topology.Links[m.path[step]]
			at[i] = carry(m.path[step], at[i], units.Transfer(l.Latency, l.Speed, m.Bytes))
			if step+1 < len(m.path) {
				left = append(left, i)
			} else {
				end = max(end, at[i]+m.after)
			}
		}
		under = left
	}
	return end
}

// explained is the largest number of messages that an explanation lists.
const explained = 32

func (d *travels) explain(b *strings.Builder) {
	for i := range d.list {
		if i == explained {
			fmt.Fprintf(b, "; and %d messages more", len(d.list)-i)
			break
		}
		m := &d.list[i]
		fmt.Fprintf(b, "%s%d to %d", separator(i), m.From, m.To)
		if m.before != 0 {
			fmt.Fprintf(b, ", overhead %s", micro(m.before))
		}
		for _, k := range m.path {
			l := &d.topology.Links[k]
			fmt.Fprintf(b, ", link %d (%s + %s x %d)", l.ID, micro(l.Latency), micro(units.Seconds(l.Speed)), m.Bytes)
		}
		if m.after != 0 {
			fmt.Fprintf(b, ", overhead %s", micro(m.after))
		}
	}
}

func (t *topology) star(*star) demand { panic("comm: internal error: links have stars of their own") }

// starKey is what a remembered star depends on. Its processors are those of a
// set, or those that a [Reduction.Who] identifies.
type starKey struct {
	set     *set
	who     any
	root    int
	purpose purpose
	bytes   units.Bytes
}

// maxStars bounds how many stars are remembered.
const maxStars = 256

// linkStar returns the load of messages of b bytes between root and members: to
// root for a gather, from it otherwise. all, when it is not nil, is the set with
// exactly these members; who, when it is not nil, identifies them
// ([Reduction.Who]).
func (n *Network) linkStar(all *set, who any, root int, members func(func(int) bool), p purpose, b units.Bytes) *load {
	t := n.links
	if p == inform && all != nil && all.whole {
		p = informAll
	}
	key := starKey{all, who, root, p, b}
	if known := t.stars[key]; known != nil {
		return known
	}
	var others []int
	without(members, root)(func(q int) bool {
		others = append(others, q)
		return true
	})
	slices.Sort(others)
	d := &travels{topology: t}
	d.add(root, others, p == gather, b, p, 0)
	l := &load{}
	l.add(n, n.flat, d)
	if all != nil || who != nil {
		if len(t.stars) >= maxStars {
			clear(t.stars)
		}
		t.stars[key] = l
	}
	return l
}

func (*topology) reduction(*Reduction) (int64, bool) { return 0, false }

// round returns what a message costs on the slowest link of the topology.
func (t *topology) round(b units.Bytes) (units.Seconds, string) { return t.slowest(t.Links, b) }

// slowest returns what a message costs on the slowest of some links, with its
// overheads.
func (t *topology) slowest(links []machine.Link, b units.Bytes) (units.Seconds, string) {
	before, after := t.overheads.of(ordinary, b, 0)
	slow := machine.Link{}
	longest := units.Seconds(-1)
	for i := range links {
		if d := units.Transfer(links[i].Latency, links[i].Speed, b); d > longest {
			slow, longest = links[i], d
		}
	}
	if longest < 0 {
		return 0, "no link"
	}
	formula := timed{machine.Medium{TStart: slow.Latency, TByte: slow.Speed}}
	return before + longest + after, fmt.Sprintf("overheads %s + %s", micro(before+after), formula.formula(b))
}

// within returns the links that connect processors of s with each other, one for
// each pair of latency and speed; all links when there are none.
func (t *topology) within(s *set) []machine.Link {
	if s.links == nil {
		type times struct {
			latency units.Seconds
			speed   units.SecPerByte
		}
		known := map[times]bool{}
		for i := range t.Links {
			l := &t.Links[i]
			ends := 0
			for _, p := range l.Ends {
				if s.has(int(p)) {
					ends++
				}
			}
			if k := (times{l.Latency, l.Speed}); ends > 1 && !known[k] {
				known[k] = true
				s.links = append(s.links, *l)
			}
		}
		if s.links == nil {
			s.links = t.Links
		}
	}
	return s.links
}

// link returns the route of the messages of a pipeline as one link, whose times
// are the sums of those of the links on the route.
func (t *topology) link(at machine.Instance, p, q int, b, element units.Bytes) Link {
	l := Link{At: at}
	t.routes.size(b)
	lost := t.routes.star(p, []int{q}, false, func(_ int, path []int32) {
		before, after := t.overheads.of(ordinary, 0, element)
		l.TStart = before + after
		l.TByte = t.overheads.perByte(element)
		for _, k := range path {
			x := &t.Links[k]
			l.TStart += x.Latency
			l.TByte += x.Speed
			l.Over = append(l.Over, Crossing{ID: x.ID, TStart: x.Latency, TByte: x.Speed})
		}
	})
	if lost >= 0 && t.pathless == nil {
		t.pathless = &Pathless{From: p, To: q, Topology: t.ID}
	}
	return l
}

func (t *topology) sameLinks() bool { return t.bus }

func (*topology) queues() bool { return true }

func (*topology) schedule() schedule {
	return &linkSchedule{links: map[int32]*channelSchedule{}, horizon: units.Seconds(math.Inf(-1))}
}

// linkSchedule is the schedules of the links that have carried a message.
type linkSchedule struct {
	links   map[int32]*channelSchedule
	horizon units.Seconds
}

func (k *linkSchedule) book(ready units.Seconds, s *set, d demand, all *sets) units.Seconds {
	return d.(*travels).run(ready, func(link int32, at, length units.Seconds) units.Seconds {
		c := k.links[link]
		if c == nil {
			c = &newChannelGroup(1).runs[0].channelSchedule
			k.links[link] = c
		}
		start, _ := c.free(at, length, s, all)
		c.book(start, start+length, s)
		return start + length
	})
}

func (k *linkSchedule) forget(t units.Seconds) {
	if t <= k.horizon {
		return
	}
	k.horizon = t
	for _, c := range k.links {
		c.forget(t)
	}
}
