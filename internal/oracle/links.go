package oracle

import (
	"cmp"
	"math/big"
	"slices"

	"dvmtools/pkg/machine"
)

// A purpose is the operation that messages are part of
// (docs/model.md#overheads).
type purpose string

const (
	plainMessages purpose = ""
	shadowEdges   purpose = "edges"
	gathering     purpose = "gather"
	resultToAll   purpose = "result"
	informing     purpose = "broadcast"
)

// linkTime is how long a message occupies a link.
func linkTime(l *machine.Link, bytes int64) float64 {
	return float64(l.Latency) + float64(float64(bytes)*float64(l.Speed))
}

// A route is a sequence of links, as indices into the network's links, and the
// exact sum of their times.
type route struct {
	sum  *big.Float
	over []int
}

// better says whether a message takes a instead of b: the least sum, then the
// fewest links, then the smaller indices from the sender on.
func (a *route) better(b *route) bool {
	if b == nil {
		return true
	}
	return cmp.Or(a.sum.Cmp(b.sum), cmp.Compare(len(a.over), len(b.over)), slices.Compare(a.over, b.over)) < 0
}

// route returns the route of messages of some size from p to q.
func (n *network) route(p, q int, bytes int64) *route {
	return n.routes(n.places[p], bytes)[n.places[q]]
}

// routes returns the routes of messages of some size from p to every processor, by
// their numbers in the machine.
// It tries every link from every processor until no route gets better.
func (n *network) routes(p int, bytes int64) []*route {
	type key struct {
		p     int
		bytes int64
	}
	if n.routesTo == nil {
		n.routesTo = map[any][]*route{}
	}
	if r, ok := n.routesTo[key{p, bytes}]; ok {
		return r
	}
	all := make([]*route, n.m.Processors())
	all[p] = &route{sum: new(big.Float).SetPrec(2000)}
	for again := true; again; {
		again = false
		for i := range n.m.Network.Links {
			l := &n.m.Network.Links[i]
			t := big.NewFloat(linkTime(l, bytes))
			for _, from := range l.Ends {
				if all[from] == nil {
					continue
				}
				r := &route{new(big.Float).SetPrec(2000).Add(all[from].sum, t), append(slices.Clone(all[from].over), i)}
				for _, to := range l.Ends {
					if r.better(all[to]) {
						all[to], again = r, true
					}
				}
			}
		}
	}
	n.routesTo[key{p, bytes}] = all
	return all
}

// overhead returns the time of a function of the programming model, 0 when the
// machine does not define it.
func (n *network) overhead(function string) float64 {
	t, _ := n.m.Network.Overhead(function)
	return float64(t)
}

func (n *network) defined(function string) bool {
	_, ok := n.m.Network.Overhead(function)
	return ok
}

// overheads returns what a message costs before its first link and after its
// last. Packing costs by bytes: on the machines of the tests packing an element
// costs as much as packing its bytes.
func (n *network) overheads(why purpose, everybody bool, bytes int64) (before, after float64) {
	before, after = n.overhead("send"), n.overhead("receive")
	only := func(function string) { before, after = n.overhead(function), 0 }
	if n.m.Network.Model == "express" {
		switch {
		case why == shadowEdges && n.defined("exchange"):
			only("exchange")
		case why == gathering && n.defined("combine"):
			only("combine")
		case why == resultToAll && n.defined("combine"):
			return 0, 0
		case (why == resultToAll || why == informing) && n.defined("broadcast"):
			only("broadcast")
		}
	}
	if n.m.Network.Model == "pvm" {
		if why == resultToAll || why == informing {
			first, second := "multicast", "broadcast"
			if why == informing && everybody {
				first, second = second, first
			}
			switch {
			case n.defined(first):
				only(first)
			case n.defined(second):
				only(second)
			}
		}
		before += n.overhead("packbyte") * float64(bytes)
		after += n.overhead("unpackbyte") * float64(bytes)
	}
	return before, after
}

// overLinks places messages on links and returns when the last one ends. It
// places all messages on the k-th links of their routes before any on link k+1.
func (n *network) overLinks(start float64, sys set, ms messages, why purpose) float64 {
	type moving struct {
		pair  [2]int
		bytes int64
		at    float64
		after float64
		over  []int
	}
	var all []*moving
	for pair, bytes := range ms {
		before, after := n.overheads(why, sys.size() == len(n.rootProcs), bytes)
		all = append(all, &moving{pair, bytes, start + before, after, n.route(pair[0], pair[1], bytes).over})
	}
	slices.SortFunc(all, func(a, b *moving) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.pair[0], b.pair[0]), cmp.Compare(a.pair[1], b.pair[1]))
	})
	end := start
	if n.linkBusy == nil {
		n.linkBusy = map[int][]occupation{}
	}
	for k := 0; k < len(n.m.Network.Links); k++ {
		for _, m := range all {
			if k >= len(m.over) {
				continue
			}
			link := m.over[k]
			length := linkTime(&n.m.Network.Links[link], m.bytes)
			begin := earliest(n.linkBusy[link], m.at, length, sys)
			m.at = begin + length
			n.linkBusy[link] = append(n.linkBusy[link], occupation{begin, m.at, sys})
			slices.SortStableFunc(n.linkBusy[link], func(a, b occupation) int { return cmp.Compare(a.start, b.start) })
		}
	}
	for _, m := range all {
		end = max(end, m.at+m.after)
	}
	return end
}

// slowestLink returns the time of a message over the slowest link between
// processors of sys, or over the slowest of all links when none is between them.
func (n *network) slowestLink(sys []int, bytes int64) float64 {
	inside, anywhere := -1.0, -1.0
	for i := range n.m.Network.Links {
		l := &n.m.Network.Links[i]
		ends := 0
		for _, e := range l.Ends {
			if slices.ContainsFunc(sys, func(p int) bool { return n.places[p] == int(e) }) {
				ends++
			}
		}
		t := linkTime(l, bytes)
		anywhere = max(anywhere, t)
		if ends > 1 {
			inside = max(inside, t)
		}
	}
	if inside < 0 {
		inside = anywhere
	}
	before, after := n.overheads(plainMessages, false, bytes)
	return before + max(0, inside) + after
}

// A crossing is a medium or a link that messages of a pipeline pass, with its
// channels and its times.
type crossing struct {
	on              medium
	channels        int
	tstart, perByte float64
}

// crossings returns what the messages of a pipeline from p to q pass, and the
// time of a message over all of it: tstart and the time per byte. bytes is the
// size of all messages together.
func (n *network) crossings(p, q int, bytes int64) (over []crossing, tstart, perByte float64) {
	if n.m.Network == nil {
		on := n.link(p, q)
		md := on.node.Medium
		if md.Kind != machine.Transputer {
			over = []crossing{{on, md.Channels, float64(md.TStart), float64(md.TByte)}}
		}
		return over, float64(md.TStart), float64(md.TByte)
	}
	before, after := n.overheads(plainMessages, false, 0)
	tstart = before + after
	if n.m.Network.Model == "pvm" {
		perByte = n.overhead("packbyte") + n.overhead("unpackbyte")
	}
	for _, i := range n.route(p, q, bytes).over {
		l := &n.m.Network.Links[i]
		over = append(over, crossing{medium{n.m.Root, l.ID}, 1, float64(l.Latency), float64(l.Speed)})
		tstart += float64(l.Latency)
		perByte += float64(l.Speed)
	}
	return over, tstart, perByte
}
