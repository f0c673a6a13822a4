package oracle

import (
	"cmp"
	"math/big"
	"slices"

	"dvmtools/pkg/machine"
)

// A purpose is what messages are part of (docs/model.md#overheads).
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

// A route is a way over links, by their places in the network, and the exact
// sum of the times there.
type route struct {
	sum  *big.Float
	over []int
}

// better says whether a message takes a in place of b: the least sum, the
// fewest links, the smaller ids from the sender on.
func (a *route) better(b *route) bool {
	if b == nil {
		return true
	}
	return cmp.Or(a.sum.Cmp(b.sum), cmp.Compare(len(a.over), len(b.over)), slices.Compare(a.over, b.over)) < 0
}

// routes are the ways of messages of some size from p to all: every link is
// tried from every processor until nothing gets better.
func (n *network) routes(p int, bytes int64) []*route {
	type key struct {
		p     int
		bytes int64
	}
	if n.known == nil {
		n.known = map[any][]*route{}
	}
	if r, ok := n.known[key{p, bytes}]; ok {
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
	n.known[key{p, bytes}] = all
	return all
}

// overhead is what a function of the programming model takes, 0 when it is not
// defined.
func (n *network) overhead(function string) float64 {
	t, _ := n.m.Network.Overhead(function)
	return float64(t)
}

func (n *network) defined(function string) bool {
	_, ok := n.m.Network.Overhead(function)
	return ok
}

// overheads are what a message costs before its first link and behind its
// last. Packing is by bytes: machines of tests have elements that cost as much
// as their bytes.
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

// overLinks places messages on links, the k-th of every way before any k+1-st.
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
		before, after := n.overheads(why, sys.size() == len(n.everyone), bytes)
		all = append(all, &moving{pair, bytes, start + before, after, n.routes(pair[0], bytes)[pair[1]].over})
	}
	slices.SortFunc(all, func(a, b *moving) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.pair[0], b.pair[0]), cmp.Compare(a.pair[1], b.pair[1]))
	})
	end := start
	if n.busy == nil {
		n.busy = map[int][]span{}
	}
	for k := 0; k < len(n.m.Network.Links); k++ {
		for _, m := range all {
			if k >= len(m.over) {
				continue
			}
			link := m.over[k]
			length := linkTime(&n.m.Network.Links[link], m.bytes)
			begin := earliest(n.busy[link], m.at, length, sys)
			m.at = begin + length
			n.busy[link] = append(n.busy[link], span{begin, m.at, sys})
			slices.SortStableFunc(n.busy[link], func(a, b span) int { return cmp.Compare(a.start, b.start) })
		}
	}
	for _, m := range all {
		end = max(end, m.at+m.after)
	}
	return end
}

// slowestLink is a message over the slowest link between processors of sys, or
// of all when no link is between them.
func (n *network) slowestLink(sys []int, bytes int64) float64 {
	inside, anywhere := -1.0, -1.0
	for i := range n.m.Network.Links {
		l := &n.m.Network.Links[i]
		ends := 0
		for _, e := range l.Ends {
			if slices.Contains(sys, int(e)) {
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

// A crossing is something that messages of a pipeline share: a medium, or one
// link, with its channels and its times.
type crossing struct {
	on              medium
	channels        int
	tstart, perByte float64
}

// crossings are what the messages of a pipeline from p to q pass, bytes in all,
// and what they take for all of them together, without the bytes and for each.
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
	for _, i := range n.routes(p, bytes)[q].over {
		l := &n.m.Network.Links[i]
		over = append(over, crossing{medium{n.m.Root, l.ID}, 1, float64(l.Latency), float64(l.Speed)})
		tstart += float64(l.Latency)
		perByte += float64(l.Speed)
	}
	return over, tstart, perByte
}
