package comm

import (
	"fmt"
	"math"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// transputer is the medium of links between neighbours in the grid. The cost of
// a message depends on its distance, and messages do not queue: an exchange
// lasts as long as the slowest of its distances.
type transputer struct{ timed }

func (t transputer) demand(x Traffic) demand { return &distant{t.timed, x.Distances()} }

func (t transputer) tally(grid []int) tally { return &distances{timed: t.timed, grid: grid} }

func (t transputer) star(s *star) demand {
	return &distant{t.timed, []Distance{{Hops: s.far(), Bytes: s.bytes}}}
}

func (transputer) reduction(r *Reduction) (int64, bool) { return r.Hops, true }

func (t transputer) link(at machine.Instance, _, _ int, _, _ units.Bytes) Link {
	return Link{At: at, TStart: t.TStart, TByte: t.TByte}
}

func (transputer) queues() bool { return false }

func (transputer) schedule() schedule { return nil }

// distances keeps the longest message at every distance.
type distances struct {
	timed
	grid    []int
	longest LongestAt
}

func (d *distances) add(m Message)  { d.longest.Add(Hops(d.grid, m.From, m.To), m.Bytes) }
func (d *distances) demand() demand { return &distant{d.timed, d.longest.Distances()} }

// distant is the longest message at each distance, the nearest first.
type distant struct {
	timed
	far []Distance
}

func (d *distant) empty() bool { return len(d.far) == 0 }

func (d *distant) alone() units.Seconds {
	longest := units.Seconds(0)
	for _, f := range d.far {
		t, _ := Pipelined(d.Medium, f.Hops, f.Bytes)
		longest = max(longest, t)
	}
	return longest
}

func (d *distant) explain(b *strings.Builder) {
	for i, f := range d.far {
		b.WriteString(separator(i))
		if f.Hops == 1 {
			fmt.Fprintf(b, "distance 1: %s", d.formula(f.Bytes))
			continue
		}
		_, n := Pipelined(d.Medium, f.Hops, f.Bytes)
		fmt.Fprintf(b, "distance %d in %d portions: (%d-1+%d) x (%s)", f.Hops, n, f.Hops, n, d.formula((f.Bytes-1)/units.Bytes(n)+1))
	}
}

// Corner is a grid dimension of Extent coordinates along which a loop sits on
// the constant coordinate At.
type Corner struct{ At, Extent int }

// ReductionHops returns how many hops a reduction takes on a transputer,
// 2·Distance + CornerDistance (docs/model.md#gathering-and-broadcasting; R
// 4.4). extents are those of the grid dimensions along which the loop is
// distributed: Distance is the sum of floor(n_k/2), from the middle to the
// farthest corner. constant are the dimensions along which the loop sits on
// one coordinate c: CornerDistance is the sum of max(c, n_k-1-c). Dimensions
// along which the loop is replicated add nothing: all sections work at once.
func ReductionHops(extents []int, constant []Corner) int64 {
	hops := int64(0)
	for _, n := range extents {
		hops += 2 * int64(n/2)
	}
	for _, c := range constant {
		hops += int64(max(c.At, c.Extent-1-c.At))
	}
	return hops
}

// Pipelined returns the time T(l, L) of a message of L bytes over a distance
// of l hops on a transputer medium, and the number n of portions that it is
// sent in (docs/model.md#transputer; R 4.2):
//
//	l = 0: 0
//	l = 1: Ts + TB·L                                    n = 1
//	l > 1: min over n >= 1 of (l-1+n)·(Ts + TB·ceil(L/n))
//
// Among numbers of portions that take equally long it returns the smallest
// that it examined; TB = 0 gives n = 1 and Ts = 0 gives n = L. T grows with
// each of l, L, Ts and TB. A message without bytes takes no time.
func Pipelined(md machine.Medium, hops int, bytes units.Bytes) (units.Seconds, int64) {
	if hops <= 0 || bytes <= 0 {
		return 0, 0
	}
	ts, tb := float64(md.TStart), float64(md.TByte)
	switch {
	case hops == 1:
		return units.Transfer(md.TStart, md.TByte, bytes), 1
	case tb == 0:
		return units.Seconds(float64(hops) * ts), 1
	case ts == 0:
		return units.Seconds((float64(hops-1) + float64(bytes)) * tb), int64(bytes)
	}
	w := wormhole{extra: float64(hops - 1), ts: ts, tb: tb, bytes: int64(bytes)}
	return w.best()
}

// wormhole searches for the best number of portions of a message.
type wormhole struct {
	extra, ts, tb float64
	bytes         int64
}

// time returns the time of the message in n portions.
func (w *wormhole) time(n int64) float64 {
	portion := (w.bytes-1)/n + 1
	return (w.extra + float64(n)) * (w.ts + float64(w.tb*float64(portion)))
}

// bound returns a lower bound of time(n). It is convex in n with its minimum at
// n*, so that a search outwards from n* can stop where the bound reaches the
// best time.
func (w *wormhole) bound(n int64) float64 {
	return (w.extra + float64(n)) * (w.ts + float64(w.tb*(float64(w.bytes)/float64(n))))
}

// best examines numbers of portions from n* = sqrt((l-1)·TB·L/Ts) outwards. Of
// the numbers that give portions of the same length only the smallest can be the
// best; the others are skipped.
func (w *wormhole) best() (units.Seconds, int64) {
	mid := int64(1)
	if x := math.Sqrt(w.extra * w.tb * float64(w.bytes) / w.ts); x >= float64(w.bytes) {
		mid = w.bytes
	} else if x > 1 {
		mid = int64(x)
	}
	first := w.least(mid)
	best, at := w.time(first), first
	take := func(n int64) {
		if t := w.time(n); t < best || t == best && n < at {
			best, at = t, n
		}
	}
	for n := first - 1; n >= 1; {
		n = w.least(n)
		if w.bound(n) >= best {
			break
		}
		take(n)
		n--
	}
	for n := w.next(mid); n <= w.bytes; n = w.next(n) {
		if w.bound(n) >= best {
			break
		}
		take(n)
	}
	return units.Seconds(best), at
}

// least returns the smallest number of portions that are as long as n portions.
func (w *wormhole) least(n int64) int64 {
	portion := (w.bytes-1)/n + 1
	return (w.bytes-1)/portion + 1
}

// next returns the smallest number of portions that are shorter than n portions,
// a number above bytes when there is none.
func (w *wormhole) next(n int64) int64 {
	portion := (w.bytes-1)/n + 1
	if portion == 1 {
		return math.MaxInt64
	}
	return (w.bytes-1)/(portion-1) + 1
}
