package oracle

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// insertShadow puts edges of an array into a group: inssh_, incsh_, insshd_,
// incshd_.
func (e *engine) insertShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	a, err := findArray(e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	x := edge{a: a, low: numbers(c, "LowShdWidthArray"), high: numbers(c, "HiShdWidthArray"), sign: numbers(c, "ShdSignArray"), outside: 1}
	for j := range a.size {
		if x.low[j] == -1 {
			x.low[j] = a.low[j]
		}
		if x.high[j] == -1 {
			x.high[j] = a.high[j]
		}
		if x.sign == nil || len(x.sign) <= j {
			x.sign = append(x.sign, 7)
		}
	}
	if number(c, "FullShdSign") == 1 {
		x.outside = len(a.size)
	}
	x.outside = max(x.outside, number(c, "MaxShdCount"))
	g.edges = append(g.edges, x)
	return nil
}

func (e *engine) startShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	return e.startEdges(g)
}

// startEdges starts an exchange of the edges of g.
func (e *engine) startEdges(g *shadowGroup) error {
	ms, _, err := e.edges(g)
	if err != nil {
		return err
	}
	x := e.begin(interval.Shadow)
	x.end, x.fixed = e.network.exchange(x.start, e.current().set(), ms, shadowEdges), true
	g.started = x
	return nil
}

// exfrst begins an exchange whose start is known only at the end of the loop.
func (e *engine) exfrst(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	// An edge that is too wide is one also when the loop does not end.
	if _, _, err := e.edges(g); err != nil {
		return err
	}
	g.started = e.begin(interval.Shadow)
	g.first = l
	l.first = append(l.first, g)
	return nil
}

func (e *engine) imlast(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	l.last = append(l.last, g)
	return nil
}
