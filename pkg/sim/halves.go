package sim

import (
	"fmt"
	"maps"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
)

// halves are recvsh_ and sendsh_ of a group whose counterparts have not been
// there yet (docs/model.md#pipelines-by-hand).
type halves struct {
	receives []receive
	// sends counts sendsh_ that came before the recvsh_ that they answer.
	sends int
	// waits counts waits that have nothing left to do: those for a sendsh_
	// that was used up by a pipeline.
	waits int
}

// receive is a recvsh_. When it is waited for before the sendsh_ that answers
// it, the processors pass values on to each other one after another: a
// pipeline made by hand.
type receive struct {
	by  site
	pos diag.Pos
	// waited is set at its waitsh_: snapshot remembers the clocks, collective what
	// had pulled clocks together.
	waited     bool
	snapshot   clock.Snapshot
	collective int
}

// halvesOf returns the halves of a group, new ones when there are none.
func (f *flights) halvesOf(g *object.ShadowGroup) *halves {
	h := f.halves[g]
	if h == nil {
		if f.halves == nil {
			f.halves = map[*object.ShadowGroup]*halves{}
		}
		h = &halves{}
		f.halves[g] = h
	}
	return h
}

// tidy forgets the halves of a group when nothing is left of them.
func (f *flights) tidy(g *object.ShadowGroup) {
	if h := f.halves[g]; h != nil && len(h.receives) == 0 && h.sends == 0 && h.waits == 0 {
		delete(f.halves, g)
	}
}

// receiveShadow handles recvsh_: with a sendsh_ before it the exchange starts.
func receiveShadow(s *Sim, c *call.Call, f *found) (effect, error) {
	g := f.shadow
	h := s.flights.halvesOf(g)
	if h.sends == 0 {
		h.receives = append(h.receives, receive{by: callSite(c), pos: c.Pos})
		return effect{}, nil
	}
	h.sends--
	s.flights.tidy(g)
	return effect{}, s.startEdges(c, g)
}

// sendShadow handles sendsh_, which answers the first recvsh_ of its group that
// is not answered.
func sendShadow(s *Sim, c *call.Call, f *found) (effect, error) {
	g := f.shadow
	h := s.flights.halvesOf(g)
	if len(h.receives) == 0 {
		h.sends++
		return effect{}, nil
	}
	r := h.receives[0]
	h.receives = h.receives[1:]
	defer s.flights.tidy(g)
	if !r.waited {
		return effect{}, s.startEdges(c, g)
	}
	w, obstacle := s.wavefrontOf(g, &r)
	if w == nil {
		s.clocks.Release(r.snapshot)
		s.notes.warnOnce(fmt.Sprintf("%s:%d", c.File, c.Line), c.Pos, "hand-pipeline", "%s: %s answers %s, which was waited for before, but %s; simulated as an exchange that starts here", c.Where(), c.Func, r.by, obstacle)
		return effect{}, s.startEdges(c, g)
	}
	h.waits++
	x := s.countOperation(interval.Shadow)
	s.flights.collective++
	s.chargePipeline(x, callSite(c), w.since(r.snapshot))
	s.charge(x)
	s.clocks.Variation(s.objects.Current(), interval.Shadow)
	s.discharge(x)
	return effect{}, nil
}

// startEdges starts the exchange of a group.
func (s *Sim) startEdges(c *call.Call, g *object.ShadowGroup) error {
	d, err := s.edges(c, g)
	if err == nil {
		s.start(c, flightKey{shadow: g}, interval.Shadow, d...)
	}
	return err
}

// waitHalf handles a waitsh_ of a group without an exchange under way. It
// reports whether there is anything to wait for.
func (s *Sim) waitHalf(g *object.ShadowGroup) bool {
	h := s.flights.halves[g]
	if h == nil {
		return false
	}
	if h.waits > 0 {
		h.waits--
		s.flights.tidy(g)
		return true
	}
	for i := range h.receives {
		if r := &h.receives[i]; !r.waited {
			r.waited, r.collective = true, s.flights.collective
			r.snapshot = s.clocks.Remember(s.objects.Current())
			return true
		}
	}
	return h.sends > 0
}

// abandonHalves warns of receives that no sendsh_ has answered.
func (s *Sim) abandonHalves() {
	var open []receive
	for _, h := range slices.Collect(maps.Values(s.flights.halves)) {
		open = append(open, h.receives...)
	}
	slices.SortFunc(open, func(a, b receive) int { return int(a.by.seq - b.by.seq) })
	for i := range open {
		s.notes.warn(open[i].pos, "no-send", "%s was never answered by a sendsh_; it is left out", open[i].by)
	}
}

// wavefrontOf returns the pipeline that a sendsh_ ends whose receive was waited
// for before, or why it is none.
func (s *Sim) wavefrontOf(g *object.ShadowGroup, r *receive) (*wavefront, string) {
	if s.flights.collective != r.collective {
		return nil, "a collective operation lies in between"
	}
	sys := s.objects.Current()
	for i := range g.Edges {
		a := g.Edges[i].Array
		if i == 0 {
			sys = a.System
		}
		if a.Map == nil || a.System != sys {
			return nil, "the arrays of the group do not all lie on one processor system"
		}
	}
	w := newWavefront(sys, g)
	for k := range sys.Grid {
		var along []*layout.Ranges
		low, high := false, false
		for i := range w.edges {
			e := &w.edges[i]
			sp := &e.at.Ranges[k]
			if sp.Dim < 0 || owners(sp) < 2 || e.lo[sp.Dim] == 0 && e.hi[sp.Dim] == 0 {
				continue
			}
			along = append(along, sp)
			left, right := e.lo[sp.Dim] > 0, e.hi[sp.Dim] > 0
			if falling(sp) {
				left, right = right, left
			}
			low, high = low || left, high || right
		}
		if low && high {
			return nil, "its edges have a width on both sides of a dimension"
		}
		w.fill(k, func(c int) bool {
			return slices.ContainsFunc(along, func(sp *layout.Ranges) bool { return sp.Lo[c] < sp.Hi[c] })
		})
	}
	return w, ""
}

// owners counts the coordinates that own elements.
func owners(sp *layout.Ranges) int {
	n := 0
	for c := range sp.Lo {
		if sp.Lo[c] < sp.Hi[c] {
			n++
		}
	}
	return n
}

// since describes the pipeline of one quantum whose work is what has passed
// since the processors waited for their predecessors.
func (w *wavefront) since(snapshot clock.Snapshot) *clock.Pipeline {
	return &clock.Pipeline{
		System: w.sys, Since: snapshot, Hops: w.hops, Element: w.element,
		Labels: w.labels(func(dst []byte, _, _ int) []byte { return dst }),
		Stage: func(coords []int) (clock.Stage, bool) {
			for k, c := range coords {
				if w.step[k] != 0 && w.place[k][c] < 0 {
					return clock.Stage{}, false
				}
			}
			return w.stage(coords), true
		},
	}
}
