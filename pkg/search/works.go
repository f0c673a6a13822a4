package search

import (
	"fmt"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// works gathers what a program does in loops and with shadow edges, without the
// order in which it does that.
type works struct {
	loops map[loopKey]*loopWork
	edges map[string]*edgeWork
	// The same in the order of the program.
	loopList []*loopWork
	edgeList []*edgeWork
	last     *object.Loop // the loop that was entered last
	body     *loopWork    // the work of its portion
}

// A spread is how the iterations of a loop, or the elements of an array, lie along
// one dimension of the grid: count of them, at first, first + step and so on of an axis
// that is cut into even blocks. axis is 0 when they are not cut.
type spread struct {
	dim                      int // of the loop or the array
	axis, first, step, count int64
}

// spreads returns the spreads of an index space of the given size that rules place on a
// distributed template.
func spreads(d *layout.Dist, rules []layout.Rule, size []int64) []spread {
	out := make([]spread, len(d.Dims))
	for k := range d.Dims {
		a := d.Dims[k].Axis
		if d.Dims[k].Kind != layout.Cut || a >= len(rules) {
			continue
		}
		if r := rules[a]; r.Kind == layout.Linear && r.Dim < len(size) && r.A != 0 && size[r.Dim] > 0 {
			out[k] = spread{dim: r.Dim, axis: d.Size[a], first: r.B, step: r.A, count: size[r.Dim]}
			if r.A < 0 {
				out[k].first, out[k].step = r.B+r.A*(size[r.Dim]-1), -r.A
			}
		}
	}
	return out
}

// most returns how many of the count lie on the coordinate that has most of them, at
// least 1, when there are n coordinates.
func (s spread) most(n int) int64 {
	if s.axis == 0 || n == 1 {
		return max(1, s.count)
	}
	a, err := layout.NewAxis(s.axis, n, layout.Weights{})
	if err != nil {
		return max(1, s.count)
	}
	top := int64(1)
	for c := range n {
		lo, hi := a.Range(c)
		top = max(top, s.before(hi)-s.before(lo))
	}
	return top
}

// before returns how many of the count lie before place x.
func (s spread) before(x int64) int64 {
	return min(max(layout.CeilDiv(x-s.first, s.step), 0), s.count)
}

// fewest returns how many of the count lie on the coordinate that has fewest, of those
// that have any.
func (s spread) fewest(n int) int64 {
	a, err := layout.NewAxis(s.axis, n, layout.Weights{})
	if err != nil {
		return s.count
	}
	least := s.count
	for c := range n {
		lo, hi := a.Range(c)
		if m := s.before(hi) - s.before(lo); m > 0 {
			least = min(least, m)
		}
	}
	return least
}

// loopWork is the time of all loops whose iterations lie alike.
type loopWork struct {
	spreads []spread // by the dimension of the grid
	counts  []int64  // the iterations of each dimension of the loop
	time    units.Seconds
	times   int // how often such a loop was entered
	// pipe is set for pipelined loops.
	pipe *pipeWork
}

// pipeWork is what is known of pipelined loops.
type pipeWork struct {
	// bytes are what a processor receives along each dimension of the grid when only
	// that one is cut, 0 when the loop is not pipelined along it.
	bytes []float64
	// quanta is what the program asks for, 0 for nothing.
	quanta float64
}

// edgeWork is the exchanges of the shadow edges of an array: along each dimension of
// the grid their width and on how many sides they are, and the bytes of an element
// with all that is not cut.
type edgeWork struct {
	spreads       []spread
	widths, sides []int64
	bytes         float64
	times         int
}

type loopKey struct {
	m             *layout.Mapping
	d             *layout.Dist
	pipe, portion string
}

// enter takes note of the portion of loop l that dopl_ c hands out.
func (w *works) enter(l *object.Loop, c *call.Call) {
	w.body = nil
	if l == nil || l.Map == nil {
		return
	}
	key, its := loopKey{m: l.Map}, l.Iterations
	var pipe *pipeWork
	if l.Template != nil && l.Template.Dist != nil {
		key.d = l.Template.Dist
		if pipe = pipeOf(l.Across, len(key.d.Dims)); pipe != nil {
			key.pipe = fmt.Sprint(*pipe)
		} else if stated, err := c.Portion(); err == nil && len(stated) == l.Rank {
			its = make([]layout.Iterations, len(stated))
			for i, d := range stated {
				its[i] = layout.Iterations{Init: d.Lower, Last: d.Upper, Step: d.Step}
			}
			if !slices.Equal(its, l.Iterations) {
				key.portion = fmt.Sprint(its)
			}
		}
	}
	if w.body = w.loops[key]; w.body == nil {
		w.body = &loopWork{counts: l.Counts, pipe: pipe}
		if key.d != nil {
			if rules, counts, err := layout.LoopRules(l.Rules, its); err == nil {
				w.body.spreads = spreads(key.d, rules, counts)
			}
		}
		w.loops[key] = w.body
		w.loopList = append(w.loopList, w.body)
	}
	if l != w.last {
		w.body.times++
		if l.Across != nil && l.Across.Old != nil {
			w.exchange(l.Across.Old)
		}
	}
	w.last = l
}

// pass adds time to the loop that was entered last.
func (w *works) pass(t units.Seconds) {
	if w.body != nil {
		w.body.time += t
	}
}

// pipeOf returns what is known of a pipelined loop, nil for a loop that is not.
func pipeOf(a *object.Across, rank int) *pipeWork {
	if a == nil || a.New == nil {
		return nil
	}
	p := &pipeWork{bytes: make([]float64, rank), quanta: a.Stages}
	for i := range a.New.Edges {
		e, ok := edgeOf(&a.New.Edges[i])
		if !ok {
			continue
		}
		for k := range min(rank, len(e.widths)) {
			b := e.bytes * float64(e.widths[k])
			for j, s := range e.spreads {
				if j != k && s.axis > 0 {
					b *= float64(s.count)
				}
			}
			p.bytes[k] += b
		}
	}
	if !slices.ContainsFunc(p.bytes, func(b float64) bool { return b > 0 }) {
		return nil
	}
	return p
}

// exchange takes note of an exchange of shadow edges.
func (w *works) exchange(g *object.ShadowGroup) {
	key, ok := g.AppendKey(nil)
	for i := range g.Edges {
		name := fmt.Sprintf("%d %s", i, key)
		if known := w.edges[name]; ok && known != nil {
			known.times++
		} else if e, good := edgeOf(&g.Edges[i]); good {
			w.edgeList = append(w.edgeList, &e)
			w.edges[name] = &e
		}
	}
}

// edgeOf returns the exchange of the edges of an array; ok is false when the array is
// not distributed.
func edgeOf(e *object.Edge) (w edgeWork, ok bool) {
	a := e.Array
	if a.Template == nil || a.Template.Dist == nil {
		return w, false
	}
	w = edgeWork{spreads: spreads(a.Template.Dist, a.Rules, a.Size), bytes: float64(a.ElemSize), times: 1}
	cut := make([]bool, len(a.Size))
	for _, s := range w.spreads {
		width, sides := int64(0), int64(0)
		if s.axis > 0 {
			cut[s.dim] = true
			for _, x := range []int64{e.Lo[s.dim], e.Hi[s.dim]} {
				if width = max(width, x); x > 0 {
					sides++
				}
			}
		}
		w.widths, w.sides = append(w.widths, width), append(w.sides, sides)
	}
	for d, n := range a.Size {
		if !cut[d] {
			w.bytes *= float64(n)
		}
	}
	return w, true
}

// lists returns all that was gathered, for grids of the given rank.
func (w *works) lists(rank int) (loops []loopWork, edges []edgeWork) {
	for _, l := range w.loopList {
		l.spreads = atLeast(l.spreads, rank)
		if l.pipe != nil {
			l.pipe.bytes = atLeast(l.pipe.bytes, rank)
		}
		loops = append(loops, *l)
	}
	for _, e := range w.edgeList {
		e.spreads, e.widths, e.sides = atLeast(e.spreads, rank), atLeast(e.widths, rank), atLeast(e.sides, rank)
		edges = append(edges, *e)
	}
	return loops, edges
}

// atLeast returns list with at least n elements; those that are missing are zero.
func atLeast[T any](list []T, n int) []T {
	return append(list, make([]T, max(0, n-len(list)))...)
}
