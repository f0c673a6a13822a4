package merge

import (
	"slices"

	"dvmtools/pkg/call"
)

// ownOf returns the times of each process in a joint call, none unless they are
// to be kept. The result is valid until ownOf is called again.
func (m *merger) ownOf(g *group) call.Own {
	if !m.own {
		return call.Own{}
	}
	o, n := &m.times, len(m.procs)
	o.Call, o.Ret = slices.Grow(o.Call[:0], n)[:n], slices.Grow(o.Ret[:0], n)[:n]
	for i := range n {
		o.Call[i], o.Ret[i] = call.Absent, call.Absent
	}
	for i, p := range g.procs {
		o.Call[p.index], o.Ret[p.index] = g.calls[i].CallTime, g.calls[i].RetTime
	}
	out := *o
	switch g.calls[0].Only {
	case call.OnlyCall:
		out.Ret = nil
	case call.OnlyRet:
		out.Call = nil
	}
	return out
}
