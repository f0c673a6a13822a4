package oracle

import (
	"errors"
	"math"
	"slices"

	"dvmtools/pkg/interval"
)

// A stage is a processor of a pipeline (docs/model.md#9-pipelined-loops).
type stage struct {
	p int
	// begin is when the stage could start, work is A_i of the model.
	begin, work float64
	quanta      []float64 // the work of each quantum, nil for equal ones
	hops        []hop
	ends        []float64 // of its quanta
	// The time of the stage besides its work: waiting, starting messages, and
	// transfers that are not hidden behind work. hidden is the transfer time
	// that is.
	wait, start, bare, hidden float64
}

// A hop leads from a predecessor to a stage.
type hop struct {
	from  int
	bytes int64 // of all quanta together
	// times sets the fields below, once bytes is complete: what the messages
	// pass, and their time.
	times           func(*hop)
	over            []crossing
	tstart, perByte float64
}

// transfer returns the transfer time Tb of one of q quanta.
func (h *hop) transfer(q int) float64 {
	return float64(h.perByte*float64(h.bytes)) / float64(q)
}

// timeHops sets the times of all hops, whose bytes must be complete.
func timeHops(stages map[int]*stage) {
	for _, s := range stages {
		for i := range s.hops {
			s.hops[i].times(&s.hops[i])
		}
	}
}

// pipelined returns the dimensions of the loop's system that are pipelined, with
// the number of coordinates that have iterations. Along such a dimension an array
// of the group of new values has an edge, and both the iterations and the
// elements lie on more than one coordinate.
func (l *loop) pipelined() map[int]int {
	dims := map[int]int{}
	if l.newEdges == nil || l.t == nil || len(l.iterations) == 0 {
		return dims
	}
	s := l.spread()
	for i := range l.newEdges.edges {
		g := &l.newEdges.edges[i]
		if g.a.t != l.t {
			continue
		}
		for k, d := range l.t.dims {
			if !s.dims[k].distributed || len(s.dims[k].at) < 2 {
				continue
			}
			if r := g.a.rules[d.axis]; r.how == 'l' && (g.low[r.dim] > 0 || g.high[r.dim] > 0) && len(coordinates(l.t.sys, k, g.a.owner())) > 1 {
				dims[k] = len(s.dims[k].at)
			}
		}
	}
	return dims
}

// pipeline executes the time of a loop as a pipeline.
func (e *engine) pipeline(l *loop) error {
	dims := l.pipelined()
	if len(dims) == 0 {
		e.spendKept(l)
		return nil
	}
	_, ts, err := e.edges(l.newEdges)
	if err != nil {
		return err
	}
	stages := map[int]*stage{}
	for p := range l.pieces() {
		stages[p] = &stage{p: p, begin: e.clock[p]}
	}
	for _, w := range l.kept {
		for p, mine := range w.of.pieces {
			if w.time.each == nil {
				stages[p].work += float64((w.time.all / e.power[p]) * w.of.part(w.of.costsBy(w.time), mine))
			}
		}
	}
	quanta := e.ownQuanta(l)
	for k := range quanta {
		for p, s := range stages {
			s.quanta = append(s.quanta, quanta[k][p]/e.power[p]+s.work/float64(len(quanta)))
		}
	}
	for _, t := range ts {
		s := stages[t.to]
		if s == nil || stages[t.from] == nil || len(t.dims) > 1 {
			continue
		}
		e.addHop(s, t)
	}
	timeHops(stages)
	q := len(quanta)
	if quanta == nil {
		q = e.quanta(l, dims, stages)
	}
	if !runStages(stages, q) {
		return errors.New("found a pipeline that runs in a circle")
	}
	missing := e.channelBound(stages, q)
	for _, s := range stages {
		s.wait += missing
	}
	e.collectives++
	e.bookStages(stages)
	e.spendKept(l)
	e.finishAmong(interval.Shadow, l.t.sys.procs)
	return nil
}

// runStages computes the schedules of all stages, each after those of its
// predecessors. It returns false when the hops form a circle.
func runStages(stages map[int]*stage, q int) bool {
	for done := 0; done < len(stages); {
		before := done
		for _, s := range stages {
			if s.ends == nil && !slices.ContainsFunc(s.hops, func(h hop) bool { return stages[h.from].ends == nil }) {
				s.run(stages, q)
				done++
			}
		}
		if done == before {
			return false
		}
	}
	return true
}

// quanta returns the number of quanta, by the formula or as across_ states it. It
// is cut along the dimensions of the loop that are not pipelined, from the
// outermost inwards, each into at most as many quanta as its extent.
func (e *engine) quanta(l *loop, dims map[int]int, stages map[int]*stage) int {
	var extents []int
	n := 1
	for d, count := range l.extent {
		piped := false
		for k := range l.t.dims {
			axis := l.t.dims[k].axis
			if axis < 0 || l.rules[axis].how != 'l' || l.rules[axis].dim != d {
				continue
			}
			if _, ok := dims[k]; ok {
				piped = true
			} else {
				count = l.longest(d)
			}
		}
		if !piped {
			extents = append(extents, count)
			n *= count
		}
	}
	// The formula takes the largest work and the largest message of any stage.
	hops := 0
	for _, c := range dims {
		hops += c - 1
	}
	a, b, tstart := 0.0, 0.0, 0.0
	for _, s := range stages {
		received := 0.0
		for i := range s.hops {
			received += s.hops[i].transfer(1)
			tstart = max(tstart, s.hops[i].tstart)
		}
		a, b = max(a, s.work), max(b, received)
	}
	left := min(l.quanta, n)
	if l.quanta < 1 {
		left = choose(float64(hops), a, b, tstart, n)
	}
	q := 1
	for _, x := range extents {
		m := min(left, x)
		q *= m
		left = (left + m - 1) / m
	}
	return q
}

// longest returns the largest number of different values that loop dimension d
// takes on one processor.
func (l *loop) longest(d int) int {
	most := 1
	for _, mine := range l.pieces() {
		seen := map[int]bool{}
		for _, i := range mine {
			seen[l.iterations[i][d]] = true
		}
		most = max(most, len(seen))
	}
	return most
}

// choose returns the number of quanta by the formulas (4), (5), (9) and (10) of
// R 4.6, at most n.
func choose(d, a, b, tstart float64, n int) int {
	if tstart == 0 {
		return n
	}
	k2, c := float64(d*(a+b)), a+float64((d-1)*tstart)
	if b > a {
		k2, c = float64((d+1)*a)+float64((d-1)*b), b+float64((d-1)*tstart)
	}
	time := func(q int) float64 { return float64(tstart*float64(q)) + k2/float64(q) + c }
	root := math.Sqrt(k2 / tstart)
	low, high := min(max(int(root), 1), n), min(max(int(math.Ceil(root)), 1), n)
	if time(high) < time(low) {
		return high
	}
	return low
}

// run computes the schedule of one stage quantum by quantum. Its predecessors
// must have been run.
func (s *stage) run(stages map[int]*stage, q int) {
	now := s.begin
	link := make([]float64, len(s.hops)) // when the last message of each hop arrived
	own, longest := 0.0, 0.0
	for i := range s.hops {
		own = max(own, s.hops[i].tstart)
		longest = max(longest, s.hops[i].transfer(q))
	}
	for k := range q {
		if k > 0 && len(s.hops) > 0 {
			now += own
			s.start += own
		}
		begin := now
		for i := range s.hops {
			h := &s.hops[i]
			free := stages[h.from].ends[k]
			if k > 0 {
				free = max(free, link[i])
			}
			link[i] = free + h.tstart + h.transfer(q)
			begin = max(begin, link[i])
		}
		gap := begin - now
		bare := min(gap, longest)
		s.bare += bare
		s.hidden += longest - bare
		gap -= bare
		if k == 0 { // the TStart of the first message counts as the stage's own
			first := min(gap, own)
			s.start += first
			gap -= first
		}
		s.wait += gap
		now = begin + s.quantum(k, q)
		s.ends = append(s.ends, now)
	}
}

// quantum returns the work of quantum k of q.
func (s *stage) quantum(k, q int) float64 {
	if s.quanta != nil {
		return s.quanta[k]
	}
	return s.work / float64(q)
}

// least returns the work of the shortest of q quanta.
func (s *stage) least(q int) float64 {
	if s.quanta != nil {
		return slices.Min(s.quanta)
	}
	return s.work / float64(q)
}

// channelBound returns by how much the pipeline takes longer because the channels
// of a medium cannot carry the messages as fast as the stages would need: at least
// one quantum of a sender, all messages, and one quantum of a receiver. It is a
// lower bound, so of unequal quanta and messages the shortest count.
func (e *engine) channelBound(stages map[int]*stage, q int) float64 {
	type use struct {
		n, channels                    int
		sum, shortest, sends, receives float64
	}
	uses := map[medium]*use{}
	begin, end := math.Inf(1), 0.0
	for p := range e.clock {
		s := stages[p]
		if s == nil {
			continue
		}
		begin, end = min(begin, s.begin), max(end, s.ends[q-1])
		for i := range s.hops {
			h := &s.hops[i]
			for _, c := range h.over {
				u := uses[c.on]
				if u == nil {
					u = &use{channels: c.channels, shortest: math.Inf(1), sends: math.Inf(1), receives: math.Inf(1)}
					uses[c.on] = u
				}
				message := c.tstart + float64(c.perByte*float64(h.bytes))/float64(q)
				u.n += q
				u.sum += float64(message * float64(q))
				u.shortest = min(u.shortest, message)
				u.sends = min(u.sends, stages[h.from].least(q))
				u.receives = min(u.receives, s.least(q))
			}
		}
	}
	missing := 0.0
	for _, u := range uses {
		k := u.channels
		least := max(float64(float64((u.n+k-1)/k)*u.shortest), u.sum/float64(k))
		missing = max(missing, u.sends+u.receives+least-(end-begin))
	}
	return missing
}

// bookStages books the time of the stages besides their work.
func (e *engine) bookStages(stages map[int]*stage) {
	for p, s := range stages {
		b := &e.at.own[p].kinds[interval.Shadow]
		b.comm += s.wait + s.start + s.bare
		b.real += s.wait
		b.synch += s.wait
		b.overlap += s.hidden
		e.clock[p] += s.wait + s.start + s.bare
	}
}
