package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// findReductionGroup finds the reduction group that a call names.
func findReductionGroup(s *Sim, c *call.Call, f *found) (err error) {
	f.reduction, err = s.objects.ReductionGroup(c)
	return err
}

// findReduction finds the reduction group that a call names, and its exchange.
func findReduction(s *Sim, c *call.Call, f *found) error {
	if err := findReductionGroup(s, c, f); err != nil {
		return err
	}
	if r, some := s.reduction(f.reduction, s.objects.Current()); some {
		f.demands = []clock.Demand{{Reduction: &r}}
	}
	return nil
}

// startReduction handles strtrd_.
func startReduction(s *Sim, c *call.Call, f *found) (effect, error) {
	return effect{}, s.begin(c, flightKey{reduction: f.reduction}, interval.Reduction, f.demands...)
}

// sendersKey stands for who has partial results of something with a layout on
// the system with an ID, seen from the root of the reduction.
type sendersKey struct {
	layout any
	system int
}

// waitReduction handles waitrd_.
func waitReduction(s *Sim, c *call.Call, f *found) (effect, error) {
	return effect{}, s.await(c, flightKey{reduction: f.reduction})
}

// reduction describes the exchange of a group: what it belongs to decides who
// has partial results (docs/model.md#reductions). some is false when every
// processor has the result already, as after a loop that is replicated.
func (s *Sim) reduction(g *object.ReductionGroup, sys *procs.System) (r comm.Reduction, some bool) {
	r = comm.Reduction{Bytes: units.Bytes(g.Bytes), Root: sys.Rank(0), Senders: int64(sys.Size())}
	l := g.Loop
	if l == nil && g.Template == nil && g.System == nil {
		l = s.objects.LastLoop()
	}
	var spread []partial
	var where *procs.System
	var layout any
	switch {
	case l != nil:
		if l.Map == nil {
			return r, false
		}
		layout = l.Map
		where, spread = l.System, s.messages.spread(layout, func() []partial { return loopSpread(l) })
	case g.Template != nil && g.Template.Dist != nil:
		layout = g.Template.Dist
		where, spread = g.Template.System, s.messages.spread(layout, func() []partial { return templateSpread(g.Template) })
	default:
		r.Hops = comm.ReductionHops(sys.Grid, nil)
		return r, true
	}
	r.Who = sendersKey{layout, where.ID}
	return partialResults(r, where, spread)
}
