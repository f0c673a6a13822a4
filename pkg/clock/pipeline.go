package clock

import (
	"math"
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/options"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Pipeline is work of the processors of a system each of which waits for its
// predecessors (docs/model.md#9-pipelined-loops). Its functions must depend on
// nothing that changes.
type Pipeline struct {
	System *procs.System
	// Labels tell apart processors that differ in what Stage, or the work,
	// says of them. Where links use different media every processor is told
	// from every other besides.
	Labels [][]int64
	// Work is what the processors do.
	Work []Work
	// Since, when not 0, is what [Clocks.Remember] returned: the work of the
	// pipeline is what has passed since then and has been booked already. Such
	// a pipeline has one quantum and its messages do not queue
	// (docs/model.md#pipelines-by-hand). The snapshot is used up.
	Since Snapshot
	// Stage describes the processor at some coordinates; ok is false when it
	// takes no part.
	Stage func(coords []int) (st Stage, ok bool)
	// Element is the size of the elements that are sent, 0 for several.
	Element units.Bytes
	// Exchange, when not 0, is the number of the exchanges that the messages of
	// the processors to each other are part of, and By that of the call that
	// started them ([Clocks.Placed]); the longest time is that which a
	// processor spends on them.
	Exchange int
	By       int64
	// Hops is D, how many hops the pipeline has; Extents are those of the
	// quantised loop dimensions; Quanta is what the program prescribes, less
	// than 1 when it does not.
	Hops    int64
	Extents []int64
	Quanta  float64
	// Own, when not nil, are the quanta of the run that was traced, which take
	// the place of those chosen.
	Own *OwnQuanta
}

// OwnQuanta are the quanta that a run had (docs/model.md#own-times).
type OwnQuanta struct {
	// N is how many they were, at least 1.
	N int
	// Of is how much of its work the processor at some coordinates did in
	// quantum k, from 0 on, seconds on the traced machine; what Work says
	// beyond that is spread evenly. Nil spreads all evenly.
	Of func(coords []int, k int) units.Seconds
}

// Work is work that is booked to an account; Of says how much the processor at
// some coordinates does.
type Work struct {
	Account Account
	Of      func(coords []int) Amount
}

// Stage is a processor in a pipeline.
type Stage struct {
	// Depth is how many stages are before it along the pipelined dimensions.
	Depth int
	// From are its predecessors.
	From []Predecessor
}

// Predecessor is a processor that sends edges of new values: its number in
// the system and how many bytes come from it in all.
type Predecessor struct {
	Number int
	Bytes  units.Bytes
}

// Actor is a processor of a pipeline, or several with equal histories.
type Actor struct {
	// Coords are the coordinates in the system of the first of them.
	Coords []int
	// N is how many they are.
	N     int64
	Clock units.Seconds
	Power float64
	// Spent is the time since Clock that has been booked already.
	Spent units.Seconds
}

// Outcome is what a processor, or several, did in a pipeline.
type Outcome struct {
	// Works are the amounts of the pipeline's Work, in its order; nil when
	// the actor takes no part.
	Works []Amount
	// Transfer is time in exchanges, Wait the waiting for others, Overlap
	// what exchanges passed beside work: shadow edges.
	Transfer, Wait, Overlap units.Seconds
	// End is the clock behind it.
	End units.Seconds
}

// setOut gives actors their clocks; ids are their classes. own, when not nil, are
// clocks from before, since when they have spent what the clock goes on.
func setOut(ids []int, actors []Actor, clock, own []units.Seconds) {
	for n, i := range ids {
		actors[n].Clock = clock[i]
		if own != nil {
			actors[n].Clock, actors[n].Spent = own[i], clock[i]-own[i]
		}
	}
}

// LabelsOf returns the labels that tell the processors of a pipeline apart.
func (n *Network) LabelsOf(p *Pipeline) [][]int64 {
	if _, single := n.net.Single(); single {
		return p.Labels
	}
	labels := make([][]int64, len(p.System.Grid))
	for k, extent := range p.System.Grid {
		labels[k] = make([]int64, extent)
		for c := range labels[k] {
			labels[k][c] = int64(c)
		}
	}
	return labels
}

// Schedule runs the pipeline with the given actors and returns what becomes
// of each.
func (n *Network) Schedule(p *Pipeline, actors []Actor) []Outcome {
	outcomes := make([]Outcome, len(actors))
	at := make(map[int]int, len(actors)) // number in the system -> stage
	order := make([]int, 0, len(actors))
	shapes := make([]Stage, len(actors))
	for i := range actors {
		var ok bool
		if shapes[i], ok = p.Stage(actors[i].Coords); ok {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return shapes[a].Depth - shapes[b].Depth })
	st := make([]comm.Stage, len(order))
	a := comm.Across{Hops: p.Hops}
	for k, i := range order {
		ac := &actors[i]
		outcomes[i].Works = make([]Amount, len(p.Work))
		st[k] = comm.Stage{Clock: ac.Clock, Work: ac.Spent, Copies: ac.N}
		for w := range p.Work {
			outcomes[i].Works[w] = p.Work[w].Of(ac.Coords)
			st[k].Work += took(outcomes[i].Works[w], ac.Power)
		}
		st[k].Quanta = p.Own.of(ac, st[k].Work)
		own := p.System.Number(ac.Coords)
		at[own] = k
		var received units.Seconds
		for _, pred := range shapes[i].From {
			h := comm.Hop{From: at[pred.Number], Bytes: pred.Bytes, On: n.net.Link(p.System.Rank(pred.Number), p.System.Rank(own), pred.Bytes, p.Element)}
			st[k].Hops = append(st[k].Hops, h)
			a.TStart = max(a.TStart, h.On.TStart)
			received += scaled(units.Seconds(h.On.TByte), float64(h.Bytes))
		}
		a.Work, a.Transfer = max(a.Work, st[k].Work), max(a.Transfer, received)
	}
	times, quanta := n.run(p, &a, st)
	n.addSent(p, st, times, quanta)
	for k, tm := range times {
		part := &outcomes[order[k]]
		part.Transfer, part.Overlap, part.Wait, part.End = tm.Start+tm.Transfer, tm.Hidden, tm.Wait, tm.End
		n.explainStage(actors, order, k, &st[k], &tm)
	}
	return outcomes
}

// addSent books what the stages of a pipeline send in quanta.
func (n *Network) addSent(p *Pipeline, st []comm.Stage, times []comm.StageTime, quanta int64) {
	if p.Exchange == 0 {
		return
	}
	messages, sum, longest := int64(0), units.Bytes(0), units.Seconds(0)
	for k := range st {
		longest = max(longest, times[k].Start+times[k].Transfer)
		for _, h := range st[k].Hops {
			if b, ok := units.MulBytes(h.Bytes, units.Bytes(st[k].Copies)); ok {
				sum += min(b, math.MaxInt64-sum)
			}
			messages += st[k].Copies * quanta
		}
	}
	n.sent(p.Exchange, p.By, messages, sum, longest)
}

// run runs the stages of a pipeline and returns in how many quanta.
func (n *Network) run(p *Pipeline, a *comm.Across, st []comm.Stage) ([]comm.StageTime, int64) {
	if p.Since != 0 {
		if n.say != nil {
			n.say("pipeline made by hand: D = %d hops, one quantum; work is what has passed since the receive was waited for", p.Hops)
		}
		return comm.HandPipe(st), 1
	}
	if p.Own != nil {
		n.explainOwn(p)
		return comm.Pipe(st, int64(p.Own.N)), int64(p.Own.N)
	}
	q := n.quanta(p, a, st)
	n.explainPipe(p, a, q)
	return comm.Pipe(st, q), q
}

// of returns how long a processor takes for each quantum when all its work takes
// work; nil for equal times.
func (o *OwnQuanta) of(a *Actor, work units.Seconds) []units.Seconds {
	if o == nil || o.Of == nil {
		return nil
	}
	each := make([]units.Seconds, o.N)
	rest := work
	for k := range each {
		each[k] = o.Of(a.Coords, k) / units.Seconds(a.Power)
		rest -= each[k]
	}
	if rest > 1e-9*work { // not rounding
		for k := range each {
			each[k] += rest / units.Seconds(o.N)
		}
	}
	return each
}

// took is how long work takes on a processor of the given power.
func took(a Amount, power float64) units.Seconds {
	return (a.User+a.System)/units.Seconds(power) + a.IO
}

// quanta chooses the number of quanta: by the formula, or by trying shapes.
func (n *Network) quanta(p *Pipeline, a *comm.Across, st []comm.Stage) int64 {
	all := comm.Pieces(p.Extents)
	if n.across != options.Search || p.Quanta >= 1 {
		return comm.Pieces(comm.Shape(a.Quanta(all, p.Quanta), p.Extents))
	}
	best, bestEnd := int64(1), units.Seconds(math.Inf(1))
	tried := map[int64]bool{}
	for _, shape := range comm.Shapes(p.Extents) {
		q := comm.Pieces(shape)
		if tried[q] {
			continue
		}
		tried[q] = true
		var end units.Seconds
		for _, tm := range comm.Pipe(st, q) {
			end = max(end, tm.End)
		}
		if end < bestEnd {
			best, bestEnd = q, end
		}
	}
	return best
}

// explainPipe explains the quanta of a pipeline.
func (n *Network) explainPipe(p *Pipeline, a *comm.Across, q int64) {
	if n.say == nil {
		return
	}
	uncut := ""
	if len(p.Extents) == 0 {
		uncut = ", as every dimension is cut"
	}
	n.say("pipeline: D = %d hops, work A = %s and transfer B = %s of one processor, TStart = %s, quantised extents %v: Q = %d quanta%s",
		a.Hops, micro(a.Work), micro(a.Transfer), micro(a.TStart), p.Extents, q, uncut)
	n.say("  equal stages would take T(Q) = Tp + D*(TStart + Tb + Tp) + (Q-1)*(TStart + max(Tp, Tb)) = %s with Tp = A/Q, Tb = B/Q", micro(a.Time(q)))
}

// explainOwn explains the quanta of a pipeline that the run had.
func (n *Network) explainOwn(p *Pipeline) {
	if n.say != nil {
		n.say("pipeline: D = %d hops, Q = %d quanta as in the run that was traced, each with its own times", p.Hops, p.Own.N)
	}
}

// explainStage explains what becomes of stage k of a pipeline, and by which links it
// gets its data. The stages are the actors in the given order.
func (n *Network) explainStage(actors []Actor, order []int, k int, st *comm.Stage, t *comm.StageTime) {
	if n.say == nil {
		return
	}
	a := &actors[order[k]]
	n.say("  stage at %v (%d like it): from %s: work %s + TStart %s + transfer %s + waiting %s = until %s; transfer beside work %s", a.Coords, a.N,
		micro(st.Clock), micro(st.Work), micro(t.Start), micro(t.Transfer), micro(t.Wait), micro(t.End), micro(t.Hidden))
	for i := range st.Hops {
		h := &st.Hops[i]
		if route := h.On.Route(h.Bytes); route != "" {
			n.say("    data from the stage at %v, all quanta as one message: %s", actors[order[h.From]].Coords, route)
		}
	}
}
