package search

import (
	"math"
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// An estimator guesses what the parts of a program take on a grid, by the rules of
// docs/model.md but without a simulation: loops take as long as the iterations of the
// processor that has most of them, exchanges do not overlap, every medium is idle, and
// of pipelines only the closed formula is used. It decides which grids are tried
// and is never a result.
type estimator struct {
	cfg        *Config
	shape      *Shape
	floors     *floors // for its groups of reductions
	power      []float64
	known      map[mostKey]int64
	casts      map[int][2]float64
	reductions map[floorKey]float64
	batches    []batch // room
}

type mostKey struct {
	of spread
	n  int
}

// The parts of a program that an estimator tells apart, in seconds. The first four
// are guesses. How many broadcasts there are is not known: the last two are the
// times of one of next to no bytes and of one of a megabyte.
const (
	partLoops = iota
	partPipelines
	partReductions
	partEdges
	partStart
	partBytes
	numParts
	numGuesses = partStart
)

func newEstimator(cfg *Config, s *Shape) *estimator {
	e := &estimator{cfg: cfg, shape: s, floors: newFloors(cfg, s), power: make([]float64, cfg.Max+1),
		known: map[mostKey]int64{}, casts: map[int][2]float64{}, reductions: map[floorKey]float64{}}
	least, sum := math.Inf(1), 0.0
	for _, r := range cfg.Machine.PowerRuns(int64(cfg.Max)) {
		least = min(least, r.Power)
		for n := r.First + 1; n <= r.First+r.N; n++ {
			sum += r.Power
			if e.power[n] = least; cfg.Options.Balance == options.Power {
				e.power[n] = sum / float64(n)
			}
		}
	}
	return e
}

// of returns the parts on a grid.
func (e *estimator) of(g *grid) (parts [numParts]float64) {
	at := meetings(e.cfg.Machine, g)
	for i := range e.shape.loops {
		w := &e.shape.loops[i]
		t, path, piped := float64(w.time)/e.power[g.n], 0.0, 0
		for k, n := range g.extents {
			s := w.spreads[k]
			if s.axis == 0 || n == 1 {
				continue
			}
			most := float64(e.most(s, n)) / float64(s.count)
			t *= most
			if w.pipe != nil && w.pipe.bytes[k] > 0 {
				path += 1/most - 1
				piped++
			}
		}
		if piped == 0 {
			parts[partLoops] += t
		} else {
			parts[partPipelines] += float64(w.times) * e.pipeline(w, g, at, t/float64(w.times), path, piped)
		}
	}
	if g.n > 1 {
		for i := range e.floors.groups {
			parts[partReductions] += float64(e.reduction(i, g) * float64(len(e.floors.groups[i].works)))
		}
		parts[partStart], parts[partBytes] = e.broadcast(g)
	}
	for i := range e.shape.edges {
		parts[partEdges] += e.exchange(&e.shape.edges[i], g, at)
	}
	return parts
}

// most is [spread.most], remembered.
func (e *estimator) most(s spread, n int) int64 {
	if s.axis == 0 || n == 1 {
		return max(1, s.count)
	}
	k := mostKey{s, n}
	m, ok := e.known[k]
	if !ok {
		m = s.most(n)
		e.known[k] = m
	}
	return m
}

// tooWide reports whether a shadow edge is wider than a block, so that the grid cannot be
// simulated.
func (e *estimator) tooWide(g *grid) bool {
	for i := range e.shape.edges {
		w := &e.shape.edges[i]
		for k, n := range g.extents {
			if s := w.spreads[k]; n > 1 && s.axis > 0 && w.widths[k] > s.fewest(n) {
				return true
			}
		}
	}
	return false
}

// network returns the network of a grid on which nothing is under way.
func (e *estimator) network(g *grid) *comm.Network {
	return comm.NewNetwork(e.cfg.Machine, g.extents, comm.Options{Collectives: e.cfg.Options.Collectives})
}

// broadcast returns the times of a broadcast of one byte and of a megabyte.
func (e *estimator) broadcast(g *grid) (start, bytes float64) {
	b, ok := e.casts[g.n]
	if !ok || e.floors.hops {
		for i, size := range []units.Bytes{1, 1 << 20} {
			p := e.network(g).Broadcast(0, comm.Set{}, 0, size)
			b[i] = float64(p.Length())
		}
		e.casts[g.n] = b
	}
	return b[0], b[1]
}

// reduction returns the time of one exchange of group i of the floors, in which all
// processors take part.
func (e *estimator) reduction(i int, g *grid) float64 {
	key := floorKey{i, int64(g.n), int64(g.n)}
	t, ok := e.reductions[key]
	if ok && !e.floors.hops {
		return t
	}
	var p comm.Placement
	if of := e.floors.groups[i].of; of.broadcast {
		p = e.network(g).Broadcast(0, comm.Set{}, 0, of.bytes)
	} else {
		cut := slices.DeleteFunc(slices.Clone(g.extents), func(n int) bool { return n == 1 })
		p = e.network(g).Reduce(0, comm.Set{}, &comm.Reduction{Bytes: of.bytes, Senders: int64(g.n), Hops: comm.ReductionHops(cut, nil)})
	}
	t = float64(p.Length())
	e.reductions[key] = t
	return t
}

// exchange returns the time of all exchanges of some shadow edges, that of the medium
// which takes longest.
func (e *estimator) exchange(w *edgeWork, g *grid, at []meeting) float64 {
	longest := 0.0
	for i := range at {
		e.batches = e.batches[:0]
		for k, n := range g.extents {
			count := at[i].pairs[k] * w.sides[k]
			if n == 1 || w.spreads[k].axis == 0 || count == 0 {
				continue
			}
			b := w.bytes * float64(w.widths[k])
			for l := range g.extents {
				if s := w.spreads[l]; l != k && s.axis > 0 {
					b *= float64(e.most(s, g.extents[l]))
				}
			}
			e.batches = append(e.batches, batch{count, b})
		}
		if len(e.batches) > 0 {
			longest = max(longest, at[i].carry(e.batches))
		}
	}
	return longest * float64(w.times)
}

// pipeline returns the time of a loop that is pipelined along some of the dimensions
// (docs/model.md#9-pipelined-loops). Its largest part takes a, all parts before the last
// one path times as long.
func (e *estimator) pipeline(w *loopWork, g *grid, at []meeting, a, path float64, piped int) float64 {
	// The greatest latency between neighbours, and the sums of latencies and of
	// seconds per byte from the first stage to the last.
	var start, perByte, starts, perBytes, received float64
	most := 1.0 // into how many quanta the loop can be cut
	whole := make([]bool, len(w.counts))
	for k, n := range g.extents {
		s := w.spreads[k]
		if n == 1 || s.axis == 0 || w.pipe.bytes[k] == 0 {
			continue
		}
		whole[s.dim] = true
		b := w.pipe.bytes[k]
		for l, n := range g.extents {
			if s := w.spreads[l]; l != k && s.axis > 0 {
				b *= float64(e.most(s, n)) / float64(s.count)
			}
		}
		received += b
		left := float64(n - 1)
		for i := range at {
			m := &at[i]
			if m.pairs[k] == 0 {
				continue
			}
			hops := left
			if i == 0 {
				hops = min(left, float64(m.pairs[k])*float64(n)/float64(g.n))
			}
			ts, tb := float64(m.medium.TStart), float64(m.medium.TByte)
			if ts > start || perByte == 0 {
				start, perByte = max(start, ts), max(perByte, tb)
			}
			starts += float64(hops * ts)
			perBytes += float64(hops * tb)
			left -= hops
		}
	}
	for d, n := range w.counts {
		if !whole[d] {
			most *= float64(n)
		}
	}
	q := 1.0
	if piped < len(w.counts) {
		if q = w.pipe.quanta; q < 1 {
			k2 := path * (a + received*perByte)
			q = most
			if start > 0 {
				q = math.Sqrt(k2 / start)
			}
		}
		q = max(1, min(math.Round(q), most))
	}
	part, message := a/q, received*perByte/q
	t := part + starts + float64(perBytes*received/q) + float64(path*part) + float64((q-1)*(start+max(part, message)))
	for i := range at {
		n := 0.0
		for k, b := range w.pipe.bytes {
			if k < len(g.extents) && b > 0 {
				n += float64(at[i].pairs[k])
			}
		}
		if c := float64(at[i].medium.Channels); c > 0 && n > 0 {
			m := at[i].medium
			t = max(t, float64(2*part)+float64(math.Ceil(n*q/c)*(float64(m.TStart)+float64(m.TByte)*received/q)))
		}
	}
	return t
}
