package oracle

import (
	"errors"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
)

// A redGroup is made by crtrg_. from says whose values are combined.
type redGroup struct {
	bytes   int64
	from    *spread
	started *exchange
}

// A redVar is made by crtred_.
type redVar struct{ bytes int64 }

// A spread is the distribution of the loop or template that a reduction belongs
// to, for each dimension of its system. Nil means all processors.
type spread struct {
	sys  *system
	dims []along
}

// along is a distribution along one dimension of a system.
type along struct {
	distributed bool
	at          []int // the coordinates with iterations or elements
}

func (e *engine) crtred(c *call.Call) error {
	size := e.typeSize(number(c, "RedArrayType")) + int64(number(c, "LocElmLength"))
	return e.make(c, "RedRef", &redVar{size * int64(number(c, "RedArrayLength"))})
}

func (e *engine) insred(c *call.Call) error {
	g, err := find[*redGroup](e, c, "RedGroupRef")
	if err != nil {
		return err
	}
	v, err := find[*redVar](e, c, "RedRef")
	if err != nil {
		return err
	}
	g.bytes += v.bytes
	switch {
	case !null(c, "LoopRef"):
		l, err := find[*loop](e, c, "LoopRef")
		if err != nil {
			return err
		}
		g.from = l.spread()
	case !null(c, "AMViewRef"):
		t, err := find[*template](e, c, "AMViewRef")
		if err != nil {
			return err
		}
		g.from = t.spread()
	case c.Args.Get("PSSpaceRef") != nil:
		g.from = nil
	default:
		if e.lastLoop != nil {
			g.from = e.lastLoop.spread()
		}
	}
	return nil
}

// coordinates returns the coordinates in dimension k of s whose processors own
// anything, in ascending order.
func coordinates(s *system, k int, owner []set) []int {
	var at []int
	for i, p := range s.procs {
		c := coords(s.shape, i)[k]
		if !slices.Contains(at, c) && slices.ContainsFunc(owner, func(o set) bool { return o.has(p) }) {
			at = append(at, c)
		}
	}
	slices.Sort(at)
	return at
}

// spread returns the distribution of a template, nil when it is not distributed.
func (t *template) spread() *spread {
	if t.sys == nil {
		return nil
	}
	s := &spread{sys: t.sys}
	for k, d := range t.dims {
		s.dims = append(s.dims, along{d.axis >= 0, coordinates(t.sys, k, t.owner)})
	}
	return s
}

// strtrd starts a reduction (docs/model.md#reductions).
func (e *engine) strtrd(c *call.Call) error {
	g, err := find[*redGroup](e, c, "RedGroupRef")
	if err != nil {
		return err
	}
	x := e.begin(interval.Reduction)
	x.end, x.fixed = e.reduction(x.start, g), true
	g.started = x
	return nil
}

// reduction places the messages of a reduction that begins at start, and returns
// when it ends.
func (e *engine) reduction(start float64, g *redGroup) float64 {
	cur := e.current()
	root := cur.procs[0]
	from := g.from
	if from == nil {
		from = &spread{sys: cur}
		for _, n := range cur.shape {
			a := along{distributed: true}
			for c := range n {
				a.at = append(a.at, c)
			}
			from.dims = append(from.dims, a)
		}
	}
	everywhere := true
	for k, d := range from.dims {
		n := from.sys.shape[k]
		everywhere = everywhere && (n == 1 || !d.distributed && len(d.at) == n)
	}
	if everywhere && g.from != nil || g.bytes == 0 {
		return start
	}
	// The senders are the processors with iterations; of replicas, those with
	// the same coordinates as the root.
	home := make([]int, len(from.dims))
	if i := from.sys.index(root); i >= 0 {
		home = coords(from.sys.shape, i)
	}
	ranges := make([][]int, len(from.dims))
	distance, corner := 0, 0
	for k, d := range from.dims {
		switch n := from.sys.shape[k]; {
		case d.distributed:
			ranges[k] = d.at
			distance += n / 2
		case len(d.at) < n: // a constant coordinate, or replicas on a part
			ranges[k] = []int{min(max(home[k], d.at[0]), d.at[len(d.at)-1])}
			corner += max(d.at[0], n-1-d.at[0])
		default:
			ranges[k] = home[k : k+1]
		}
	}
	var senders []int
	for _, at := range choices(ranges) {
		senders = append(senders, from.sys.procs[linear(from.sys.shape, at)])
	}
	n := len(senders)
	if !slices.Contains(senders, root) {
		n++
	}
	if e.opts.Collectives == options.Tree {
		return start + float64(float64(rounds(n)+rounds(len(cur.procs)))*e.network.slowest(cur.procs, g.bytes))
	}
	if m, ok := e.network.flat(cur.procs); ok && m.node.Medium.Kind.String() == "transputer" {
		b := m.node.Medium
		return start + float64((float64(b.TStart)+float64(float64(b.TByte)*float64(g.bytes)))*float64(2*distance+corner))
	}
	gather := messages{}
	for _, p := range senders {
		gather.add(p, root, g.bytes)
	}
	end := e.network.exchange(start, cur.set(), gather, gathering)
	return e.network.exchange(end, cur.set(), broadcast(root, cur.procs, g.bytes), resultToAll)
}

func (e *engine) waitrd(c *call.Call) error {
	g, err := find[*redGroup](e, c, "RedGroupRef")
	if err != nil {
		return err
	}
	if g.started == nil {
		return errors.New("found a wait without a start")
	}
	e.await(g.started, nil)
	g.started = nil
	return nil
}
