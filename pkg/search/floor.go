package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// slack makes a floor a little lower, as a simulation adds the same terms in
// another order and rounds differently.
const slack = 1 - 1e-9

// floors computes a lower bound of the execution time on a grid
// (docs/model.md#11-search). It is the sum of the time that every processor spends,
// the work of the loops divided by the number of processors, and, for each exchange
// of all processors, its time on an idle network or the work that overlaps with it,
// whichever is longer.
type floors struct {
	cfg     *Config
	extents []int64
	base    units.Seconds // outside of the exchanges
	groups  []floorGroup
	memo    map[floorKey]units.Seconds
	flat    bool
	hops    bool // exchanges depend on the extents of the grid, not only on its size
}

// floorGroup holds the exchanges that take the same time.
type floorGroup struct {
	of      collective
	lengths []int64
	// works are the times that overlap with them, ascending; above[i] is the
	// sum of works[i:].
	works, above []units.Seconds
}

type floorKey struct {
	group      int
	n, senders int64
}

func newFloors(cfg *Config, s *Shape) *floors {
	f := &floors{cfg: cfg, extents: s.Extents, memo: map[floorKey]units.Seconds{}}
	power := units.Seconds(cfg.Machine.MaxPower(int64(cfg.Max)))
	per := power * units.Seconds(cfg.Max)
	f.base = s.Alike/power + s.Shared/per
	_, f.flat = cfg.Machine.Flat()
	for _, n := range cfg.Machine.Nodes() {
		f.hops = f.hops || !n.Leaf() && n.Medium.Kind == machine.Transputer
	}
	for c, works := range s.exchanges {
		if cfg.Machine.Network != nil || c.lengths != "" && cfg.Options.Balance == options.Power {
			for _, w := range works {
				f.base += w.alike/power + w.shared/per
			}
			continue
		}
		g := floorGroup{of: c, above: make([]units.Seconds, len(works)+1)}
		for l := range strings.FieldsSeq(c.lengths) {
			n := int64(0)
			for _, d := range []byte(l) {
				n = 10*n + int64(d-'0')
			}
			g.lengths = append(g.lengths, n)
		}
		for _, w := range works {
			g.works = append(g.works, w.alike/power+w.shared/per)
		}
		slices.Sort(g.works)
		for i := len(works) - 1; i >= 0; i-- {
			g.above[i] = g.above[i+1] + g.works[i]
		}
		f.groups = append(f.groups, g)
	}
	slices.SortFunc(f.groups, func(a, b floorGroup) int {
		return cmp.Or(cmp.Compare(a.of.bytes, b.of.bytes), strings.Compare(a.of.lengths, b.of.lengths), cmp.Compare(len(a.works), len(b.works)))
	})
	return f
}

// of returns the lower bound of a grid.
func (f *floors) of(g *grid) units.Seconds {
	sum := f.base
	for i := range f.groups {
		gr := &f.groups[i]
		cost := f.cost(i, g)
		k, _ := slices.BinarySearch(gr.works, cost)
		sum += units.Seconds(float64(k)*float64(cost)) + gr.above[k]
	}
	return units.Seconds(float64(sum) * slack)
}

// cost returns a lower bound of the time of an exchange of group i.
func (f *floors) cost(i int, g *grid) units.Seconds {
	gr := &f.groups[i]
	senders, cut := int64(g.n), slices.Clone(g.extents)
	if gr.of.lengths != "" {
		senders, cut = 1, nil
		for k, l := range gr.lengths[:min(len(gr.lengths), len(g.extents))] {
			if n := g.extents[k]; l > 0 && n > 1 {
				// Blocks have at most this many elements, and iterations of the
				// loop.
				most := (f.extents[k] + int64(n) - 1) / int64(n)
				senders *= (l + most - 1) / most
				cut = append(cut, n)
			}
		}
		if cut == nil {
			return 0 // every processor has the result already
		}
	}
	senders = min(senders, int64(g.n))
	key := floorKey{i, int64(g.n), senders}
	if t, ok := f.memo[key]; ok {
		return t
	}
	net := comm.NewNetwork(f.cfg.Machine, g.extents, comm.Options{Collectives: f.cfg.Options.Collectives})
	var p comm.Placement
	switch {
	case g.n == 1:
	case gr.of.broadcast, senders < int64(g.n) && !f.flat:
		// Which processors send is not known, but the sum reaches all.
		p = net.Broadcast(0, comm.Set{}, 0, gr.of.bytes)
	default:
		cut = slices.DeleteFunc(cut, func(n int) bool { return n == 1 })
		p = net.Reduce(0, comm.Set{}, &comm.Reduction{Bytes: gr.of.bytes, Senders: senders, Hops: comm.ReductionHops(cut, nil)})
	}
	if !f.hops {
		f.memo[key] = p.Length()
	}
	return p.Length()
}

// suffix returns, for every number of processors, a lower bound of the objective
// over all grids with as many or more: infinite where there is no such grid, 0 for
// an objective without a bound.
func (s *state) suffix(list []*grid) []float64 {
	least := make([]float64, s.cfg.Max+2)
	for n := range least {
		least[n] = math.Inf(1)
	}
	f := newFloors(&s.cfg, &s.shape)
	for _, g := range list {
		least[g.n] = min(least[g.n], s.cfg.floor(f.of(g), g.n))
	}
	for n := s.cfg.Max; n >= 0; n-- {
		least[n] = min(least[n], least[n+1])
	}
	return least
}
