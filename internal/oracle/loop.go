package oracle

import (
	"errors"
	"fmt"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// A loop is a parallel loop (docs/model.md#8-parallel-loops). positions[i] are
// the elements of the template t at which iteration i lies.
type loop struct {
	rank       int
	mapped     bool
	iterations [][]int
	extent     []int
	t          *template
	whole      set
	positions  [][]int32
	rules      []rule

	owned   []set
	version int

	portion  *portion // the current one
	portions []*portion
	// kept is the loop time of a loop with imlast_ or across_, which passes at
	// its end.
	kept []work

	first []*shadowGroup // exfrst_
	last  []*shadowGroup // imlast_

	oldEdges, newEdges *shadowGroup // across_
	piped              bool
	begun              bool // a portion has begun since the kept time passed last
	quanta             int

	// Of a pipelined loop with own times: the time between portions, which
	// processors have no predecessor, and how many portions have run.
	between []betweenWork
	leads   []bool
	run     int

	cost Cost // nil when all iterations cost the same
}

// A portion is what one dopl_ hands out: n of the loop's iterations, divided among
// processors. spent is the time that they took on the traced machine, in seconds.
type portion struct {
	division
	spent float64
	own   []float64 // the same for own times, nil for none

	// costs are what its iterations cost, traced those of each process of the run
	// that was traced; nil when all cost the same. on is the time that each took,
	// as spent, where they have costs.
	costs, on []float64
	traced    map[int][]int
	// iterations is how many the loop has.
	iterations int
}

// work is loop time of a portion, of the user or of the system, with the interval
// in which it is booked.
type work struct {
	of     *portion
	time   duration
	system bool
	at     *node
}

func (l *loop) owner() []set {
	if l.t == nil {
		all := make([]set, len(l.iterations))
		for i := range all {
			all[i] = l.whole
		}
		return all
	}
	if l.owned == nil || l.version != l.t.version {
		l.owned, l.version = owners(l.positions, l.t), l.t.version
	}
	return l.owned
}

func (e *engine) crtpl(c *call.Call) error {
	if e.loop != nil {
		return errors.New("found a loop inside a loop")
	}
	e.loop = &loop{rank: number(c, "Rank"), cost: e.costs.Of[c.Line]}
	return e.make(c, "LoopRef", e.loop)
}

func (e *engine) mappl(c *call.Call) error {
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	o, err := find[any](e, c, "PatternRef", "PatternRefPtr")
	if err != nil {
		return err
	}
	p, err := patternOf(o)
	if err != nil {
		return err
	}
	first, last, step := numbers(c, "InInitIndexArray"), numbers(c, "InLastIndexArray"), numbers(c, "InStepArray")
	ranges := make([][]int, l.rank)
	for d := range ranges {
		for v := first[d]; step[d] > 0 && v <= last[d] || step[d] < 0 && v >= last[d]; v += step[d] {
			ranges[d] = append(ranges[d], v)
		}
		l.extent = append(l.extent, len(ranges[d]))
	}
	l.iterations = choices(ranges)
	l.positions, l.rules, err = p.align(l.iterations, numbers(c, "AxisArray"), numbers(c, "CoeffArray"), numbers(c, "ConstArray"))
	l.t, l.mapped = p.t, true
	if p.t == nil {
		l.whole = p.whole & e.current().set()
	}
	e.lastLoop = l
	return err
}

// spread returns how the loop is distributed along the dimensions of its system.
func (l *loop) spread() *spread {
	if !l.mapped || l.t == nil {
		return &spread{}
	}
	s := &spread{sys: l.t.sys}
	for k, d := range l.t.dims {
		distributed := d.axis >= 0 && l.rules[d.axis].how == 'l'
		s.dims = append(s.dims, along{distributed, coordinates(l.t.sys, k, l.owner())})
	}
	return s
}

// pieces returns the iterations of each processor.
func (l *loop) pieces() map[int][]int {
	pieces := map[int][]int{}
	for i, owners := range l.owner() {
		for _, p := range owners.each() {
			pieces[p] = append(pieces[p], i)
		}
	}
	return pieces
}

// inBody is whether the program is inside the body of a parallel loop.
func (e *engine) inBody() bool { return e.loop != nil && e.loop.portion != nil }

// work passes t seconds of loop time, which the owners of iterations execute
// (docs/model.md#8-parallel-loops). For a pipeline or a loop with imlast_ it is
// kept until the loop ends.
func (e *engine) work(t duration, system bool) {
	l := e.loop
	switch w := (work{l.portion, t, system, e.at}); {
	case l.portion.n == 0 && system:
		e.sys(t)
	case l.portion.n == 0:
		e.user(t)
	case l.piped || len(l.last) > 0:
		l.kept = append(l.kept, w)
	default:
		e.spend(w)
	}
}

// spend divides loop time among the processors that execute iterations.
func (e *engine) spend(w work) {
	if w.time.each != nil {
		if w.of.own == nil {
			w.of.own = make([]float64, len(e.clock))
		}
		for p := range e.clock {
			w.of.own[p] += w.time.of(p)
		}
		e.shareOwn(&w.of.division, w.time, w.system, w.at)
		return
	}
	costs := w.of.costsBy(w.time)
	if costs == nil {
		w.of.spent += w.time.all
	} else {
		w.of.spend(w.time.all, costs)
	}
	e.shareBy(&w.of.division, costs, w.time.all, w.system, w.at)
}

// dopl ends a portion and hands out the next one.
func (e *engine) dopl(c *call.Call) error {
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	more, err := c.RetInt("DoPL")
	if err != nil {
		return err
	}
	e.before(e.beforeCall(c))
	l.portion = nil
	if more == 0 {
		return e.pass(l)
	}
	if l.portion, err = l.handOut(c); err != nil {
		return err
	}
	e.price(l)
	l.portions = append(l.portions, l.portion)
	l.begun = true
	if l.piped && len(l.portions) == 1 {
		if err := e.oldValues(l); err != nil {
			return err
		}
		if err := e.findLeads(l); err != nil {
			return err
		}
		e.within, _ = e.withinCall(c)
		return nil
	}
	earlier := l.portions[l.run : len(l.portions)-1]
	if l.leads != nil && e.within.each != nil && slices.ContainsFunc(earlier, func(o *portion) bool { return o.n > 0 }) {
		n := float64(len(e.current().procs))
		l.between = append(l.between, betweenWork{e.within, l.portion, n, e.at})
		e.within = duration{}
	}
	return nil
}

// pass spends the loop time that was kept, when a portion has begun since it was
// last called.
func (e *engine) pass(l *loop) error {
	if !l.begun {
		return nil
	}
	l.begun = false
	if l.piped {
		return e.pipeline(l)
	}
	e.spendKept(l)
	return nil
}

func (e *engine) spendKept(l *loop) {
	for _, w := range l.kept {
		e.spend(w)
	}
	l.kept = nil
	e.spendBetween(l)
	l.run = len(l.portions)
}

// handOut returns the portion that a dopl_ states, or all iterations. For a loop
// that is not mapped it is empty, as no processor owns its iterations.
func (l *loop) handOut(c *call.Call) (*portion, error) {
	in := make([]bool, len(l.iterations))
	for i := range in {
		in[i] = l.mapped
	}
	for _, line := range c.Text {
		var d, lower, upper, step int
		if n, _ := fmt.Sscanf(string(line), "Dim%d: Lower=%d Upper=%d Step=%d", &d, &lower, &upper, &step); n != 4 {
			continue
		}
		if d >= l.rank || step < 1 {
			return nil, errors.New("found a portion that the loop lacks")
		}
		for i, x := range l.iterations {
			in[i] = in[i] && lower <= x[d] && x[d] <= upper && (x[d]-lower)%step == 0
		}
	}
	n := 0
	for _, is := range in {
		if is {
			n++
		}
	}
	if n == 0 {
		return &portion{}, nil
	}
	pieces := map[int][]int{}
	for p, mine := range l.pieces() {
		for _, i := range mine {
			if in[i] {
				pieces[p] = append(pieces[p], i)
			}
		}
	}
	return &portion{division: divide(pieces, n)}, nil
}

// endpl ends a loop. An exchange of exfrst_ starts when the exported iterations
// are done; that of imlast_ ends before the iterations that need it.
func (e *engine) endpl(c *call.Call) error {
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	e.loop, l.portion = nil, nil
	if err := e.pass(l); err != nil {
		return err
	}
	for _, g := range l.first {
		ms, ts, err := e.edges(g)
		if err != nil {
			return err
		}
		sent := map[int]map[int32]bool{}
		for _, t := range ts {
			mark(sent, t.from, t.e.a, l, t.elements)
		}
		longest := 0.0
		for _, d := range e.shares(l, sent) {
			longest = max(longest, d)
		}
		x := g.started
		x.start += longest
		x.end, x.fixed = e.network.exchange(x.start, e.current().set(), ms, shadowEdges), true
	}
	for _, g := range l.last {
		if g.started == nil || !g.started.fixed {
			return errors.New("found a wait without a start")
		}
		_, ts, err := e.edges(g)
		if err != nil {
			return err
		}
		used := map[int]map[int32]bool{}
		for _, t := range ts {
			mark(used, t.to, t.e.a, l, t.needs)
		}
		e.await(g.started, e.shares(l, used))
		g.started = nil
	}
	return nil
}

// mark adds to places[p] the elements of the loop's template at which elements
// of a lie.
func mark(places map[int]map[int32]bool, p int, a *array, l *loop, elements []int) {
	if a.t == nil || a.t != l.t {
		return
	}
	if places[p] == nil {
		places[p] = map[int32]bool{}
	}
	for _, x := range elements {
		for _, at := range a.positions[x] {
			places[p][at] = true
		}
	}
}

// shares returns the time that each processor spent in its iterations at the
// given template elements, summed over the portions.
func (e *engine) shares(l *loop, places map[int]map[int32]bool) map[int]float64 {
	out := map[int]float64{}
	for _, o := range l.portions {
		for p, mine := range o.pieces {
			var those []int
			for _, i := range mine {
				if slices.ContainsFunc(l.positions[i], func(at int32) bool { return places[p][at] }) {
					those = append(those, i)
				}
			}
			out[p] += float64((o.spent/e.power[p])*float64(len(those))) / float64(o.n)
			if o.on != nil {
				out[p] += sum(o.on, those) / e.power[p]
			}
			if o.own != nil {
				out[p] += float64((o.own[p] / e.power[p]) * partOf(o.costs, those, mine))
			}
		}
	}
	return out
}

func (e *engine) across(c *call.Call) error {
	l := e.loop
	if l == nil {
		return errors.New("found no loop that is open")
	}
	l.piped = true
	e.count(interval.Shadow)
	if !null(c, "OldShadowGroupRef") {
		var err error
		if l.oldEdges, err = find[*shadowGroup](e, c, "OldShadowGroupRef"); err != nil {
			return err
		}
	}
	if !null(c, "NewShadowGroupRef") {
		var err error
		if l.newEdges, err = find[*shadowGroup](e, c, "NewShadowGroupRef"); err != nil {
			return err
		}
	}
	if v, err := c.Real("PipeLinePar"); err == nil && v >= 1 {
		l.quanta = int(v)
	}
	return nil
}

// oldValues exchanges the edges whose values from before the loop it needs.
func (e *engine) oldValues(l *loop) error {
	if l.oldEdges == nil {
		e.sync(interval.Shadow)
		return nil
	}
	ms, _, err := e.edges(l.oldEdges)
	if err != nil {
		return err
	}
	start := e.sync(interval.Shadow)
	e.comm(interval.Shadow, e.network.exchange(start, e.current().set(), ms, shadowEdges)-start)
	return nil
}
