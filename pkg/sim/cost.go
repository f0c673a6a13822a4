package sim

import (
	"fmt"
	"slices"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/density"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// loopCosts are what the iterations of loops cost, and where they lay in the run
// that was traced (docs/model.md#costs-of-iterations).
type loopCosts struct {
	density.Costs
	used    []bool        // by cost that was given
	objects *object.Table // on the grid that was traced, nil when that is not needed
	grid    []int         // that was traced
	own     bool          // a call had own times
	created site          // the crtpl_ of the open loop
	chosen  bool          // its cost has been looked for
	of      *density.Cost // what the user gave for it, nil for nothing
	loops   []site        // all crtpl_ so far, each once
	seen    map[site]bool
	known   map[costKey]*portionCost
}

// maxCosts bounds the loops of which costs are remembered.
const maxCosts = 256

// costKey names the iterations of a loop as they lie on both grids; a user's
// cost does not depend on traced.
type costKey struct {
	given         *density.Cost
	share, traced *layout.Share
	tracedOn      *procs.System
}

// portionCost is what the iterations of a portion cost.
type portionCost struct {
	cover *density.Cover
	// given is the cost that the user gave, shares what processors have by it,
	// nil when the iterations of the portion cost nothing.
	given  *density.Cost
	shares *density.Shares
	// blocks are the iterations of each process, when their times say the costs.
	blocks *density.Blocks
}

// newLoopCosts returns the costs that the options ask for, nil for none.
func newLoopCosts(texts []string, h *call.Header, given []procs.Given) (*loopCosts, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	cs, err := density.ParseCosts(texts)
	if err != nil {
		return nil, fmt.Errorf("loop costs: %w", err)
	}
	lc := &loopCosts{Costs: cs, used: make([]bool, len(cs.Given)), seen: map[site]bool{}, known: map[costKey]*portionCost{}}
	if cs.Traced {
		lc.grid = h.Runtime.Root()
		lc.objects = object.New(object.Config{Grid: lc.grid, Traced: lc.grid, Sections: given})
	}
	return lc, nil
}

// followCosts brings what is known of costs up to date with a call.
func (s *Sim) followCosts(c *call.Call) error {
	lc := s.costs
	if lc == nil {
		return nil
	}
	if c.Class() == libdvm.CreateLoop {
		lc.created, lc.chosen, lc.of = site{file: c.File, line: c.Line}, false, nil
		lc.choose(c)
		if !lc.seen[lc.created] {
			lc.seen[lc.created] = true
			lc.loops = append(lc.loops, lc.created)
		}
	}
	if lc.objects == nil {
		return nil
	}
	if err := lc.objects.Follow(c); err != nil && !(s.cfg.Lenient && object.IsHandleError(err)) {
		return err
	}
	return nil
}

// takeTraced looks at the own times of a call whose loops may be shared by them.
func (lc *loopCosts) takeTraced(c *call.Call, rt *call.Runtime) error {
	if lc == nil || !lc.Traced || c.Own.Empty() {
		return nil
	}
	lc.own = true
	if err := processForEach(c.Pos, rt); err != nil {
		return err
	}
	return c.CheckOwn(rt.Processors)
}

// times returns the times of processes that say what iterations cost, nil when
// they are not asked for.
func (lc *loopCosts) times(own []units.Seconds) []units.Seconds {
	if lc == nil || !lc.Traced || len(own) == 0 {
		return nil
	}
	return own
}

// choose looks for the cost that the user gave for the open loop, which is named by
// the line of its crtpl_, or else by that of its first dopl_.
func (lc *loopCosts) choose(c *call.Call) {
	for i, g := range lc.Given {
		if lc.of == nil && g.Names(c.File, c.Line) {
			lc.used[i], lc.of = true, g
		}
	}
}

// price finds out what the iterations of a portion that a dopl_ hands out cost.
func (s *Sim) price(c *call.Call, p *portion) error {
	lc := s.costs
	if lc == nil || p.priced {
		return nil
	}
	p.priced = true
	if !lc.chosen {
		lc.choose(c)
		lc.chosen = true
	}
	key := costKey{share: p.share, given: lc.of}
	if key.given != nil && key.given.Rank > p.loop.Rank {
		_, err := key.given.Space(make([]layout.Iterations, p.loop.Rank))
		return fmt.Errorf("loop costs: %s: %w", c.Where(), err)
	}
	if p.share == nil || key.given == nil && !lc.Traced {
		return nil
	}
	var traced *object.Loop
	if key.given == nil {
		if traced = lc.tracedLoop(c, p); traced == nil {
			return nil
		}
		key.traced, key.tracedOn = traced.Share, traced.System
	}
	cost, known := lc.known[key]
	if !known || p.its != nil {
		var err error
		if key.given != nil {
			cost, err = givenCostOf(key.given, p)
		} else {
			cost, err = lc.tracedCostOf(c, traced, p)
		}
		if err != nil {
			return fmt.Errorf("loop costs: %s: %w", c.Where(), err)
		}
	}
	if p.its == nil {
		if len(lc.known) == maxCosts {
			clear(lc.known)
		}
		lc.known[key] = cost
	}
	p.cost = cost
	return nil
}

// givenCostOf returns what the iterations of p cost by what the user gave, nil
// when all cost the same.
func givenCostOf(g *density.Cost, p *portion) (*portionCost, error) {
	its := p.its
	if its == nil || p.share == p.loop.Share {
		its = p.loop.Iterations
	}
	space, err := g.Space(its)
	if space == nil {
		return nil, err
	}
	cost := &portionCost{given: g, cover: space.Cover(p.share)}
	if cost.shares = cost.cover.Shares(nil); cost.shares == nil {
		return nil, nil
	}
	return cost, nil
}

// tracedLoop returns the loop of a dopl_ as it lay in the run that was traced,
// nil when that is not known.
func (lc *loopCosts) tracedLoop(c *call.Call, p *portion) *object.Loop {
	l, err := lc.objects.CurrentLoop(c)
	if err != nil || l.Map == nil || l.Share == nil || len(l.Counts) != p.loop.Rank {
		return nil
	}
	return l
}

// tracedCostOf returns the iterations that each process executed of p.
func (lc *loopCosts) tracedCostOf(c *call.Call, l *object.Loop, p *portion) (*portionCost, error) {
	m := l.Map
	if p.its != nil {
		share, err := l.Portion(c, p.its)
		if err != nil {
			return nil, err
		}
		m = share.Mapping()
	}
	boxes := make([][]layout.Interval, size(lc.grid))
	coords := make([]int, len(l.System.Grid))
	for i := range l.System.Size() {
		l.System.Coords(i, coords)
		box := make([]layout.Interval, len(m.Size))
		if m.Owned(coords, box) {
			boxes[l.System.Rank(i)] = box
		}
	}
	blocks := density.NewBlocks(m.Size, boxes)
	return &portionCost{blocks: blocks, cover: blocks.Cover(p.share)}, nil
}

// sharesOf returns what parts of t processors spend in a portion, nil when they
// spend it by the number of their iterations.
func (p *portion) sharesOf(t spent) *density.Shares {
	switch {
	case p.cost == nil:
		return nil
	case p.cost.blocks == nil:
		return p.cost.shares
	case t.traced == nil:
		return nil
	}
	d := p.cost.blocks.Density(t.traced)
	if d == nil {
		return nil
	}
	return p.cost.cover.Shares(d)
}

// addIn adds u, which passed in p, to t, all of which did. Each keeps the costs of
// its own processes.
func (t *spent) addIn(p *portion, u spent) {
	if p.cost != nil && p.cost.blocks != nil {
		b := p.cost.blocks
		uneven := u.traced != nil && b.Density(u.traced) != nil
		if uneven && t.traced == nil {
			t.traced = b.Spread(t.merged, nil)
		}
		if !uneven {
			u.traced = nil
		}
		if t.traced != nil {
			t.traced = addEach(t.traced, b.Spread(u.merged, u.traced))
		}
	}
	t.add(u)
}

// passCosts passes the loop time of a portion that has costs, and reports
// whether it did.
func (s *Sim) passCosts(p *portion, userSpent, systemSpent spent) bool {
	ofUser, ofSystem := p.sharesOf(userSpent), p.sharesOf(systemSpent)
	if ofUser == nil && ofSystem == nil {
		return false
	}
	s.passPart(p, "loop time", userSpent.merged, 0, ofUser)
	s.passPart(p, "time inside calls in the loop", 0, systemSpent.merged, ofSystem)
	return true
}

// passPart passes loop time by the parts of processors, by the number of their
// iterations when parts is nil.
func (s *Sim) passPart(p *portion, what string, user, system units.Seconds, parts *density.Shares) {
	sys := p.loop.System
	if user+system == 0 {
		return
	}
	if parts == nil {
		s.sayShare(what, user+system, p.share, sys)
		s.clocks.AddParts(sys, p.partsOfAll(), user, system)
		return
	}
	s.sayCosts(what, user+system, p, parts)
	s.clocks.AddBy(sys, parts.Labels, func(labels []int64) clock.Amount { return partOf(p.share, parts.Of(labels), user, system) })
}

// partOf is the work of a processor that spends a part of a loop's time.
func partOf(share *layout.Share, part float64, user, system units.Seconds) clock.Amount {
	redundant := redundantShare(share.Same)
	return clock.Amount{User: scaled(user, part), System: scaled(system, part), UserRedundant: redundant, SystemRedundant: redundant}
}

// worker returns what the processor at some coordinates does of loop time, the
// own times of processors excepted.
func (t *loopTime) worker() func(coords []int) clock.Amount {
	share := t.of.share
	user, system := t.of.sharesOf(t.user), t.of.sharesOf(t.system)
	return func(coords []int) clock.Amount {
		a := workOf(share, countAt(share, coords), t.user.merged, t.system.merged)
		if user != nil {
			a.User = scaled(t.user.merged, partAt(user, coords))
		}
		if system != nil {
			a.System = scaled(t.system.merged, partAt(system, coords))
		}
		return a
	}
}

// partAt returns the part of the processor at coords.
func partAt(parts *density.Shares, coords []int) float64 {
	return parts.Of(labelsAt(parts.Labels, coords))
}

func labelsAt(all [][]int64, coords []int) []int64 {
	labels := make([]int64, len(coords))
	for k, c := range coords {
		labels[k] = all[k][c]
	}
	return labels
}

// appendCostKey appends what tells coordinate c of grid dimension k from others
// by the costs of its iterations.
func (p *portion) appendCostKey(dst []byte, k, c int) []byte {
	if p.cost == nil {
		return dst
	}
	return layout.AppendIntsKey(dst, p.cost.cover.Labels[k][c:c+1])
}

// unusedCosts returns the error of costs that nothing was found for.
func (lc *loopCosts) unusedCosts() error {
	if lc == nil {
		return nil
	}
	if lc.Traced && !lc.own {
		return fmt.Errorf("loop costs: the trace does not keep the times of each process, which %q needs; expected one merged with --call-times own from a run of several processes", density.Traced)
	}
	var unused []string
	for i, g := range lc.Given {
		if !lc.used[i] {
			unused = append(unused, g.Text)
		}
	}
	if unused == nil {
		return nil
	}
	slices.SortFunc(lc.loops, func(a, b site) int {
		if c := strings.Compare(a.file, b.file); c != 0 {
			return c
		}
		return a.line - b.line
	})
	have := "the trace has no parallel loops"
	if len(lc.loops) > 0 {
		var there []string
		for _, at := range lc.loops {
			there = append(there, fmt.Sprintf("%s:%d", at.file, at.line))
		}
		have = "the loops of the trace are at " + strings.Join(there, ", ")
	}
	return fmt.Errorf("loop costs: no parallel loop is at the place of %s, expected the line of a crtpl_ call or of the first dopl_ behind it; %s", strings.Join(unused, ", "), have)
}

// String says where the costs come from.
func (c *portionCost) String() string {
	if c.given != nil {
		return c.given.Text
	}
	return "as each traced process took for its own"
}
