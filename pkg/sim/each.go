package sim

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// each is the plain engine: a clock and counters for every processor.
type each struct {
	grid  []int
	power []float64
	clock []units.Seconds
	books []book // per interval
	at    int
	marks marks
	all   []int // 0, 1, ...: the processors of a system without a list
}

// book is what the processors have in one interval; the slices are empty
// until somebody joins.
type book struct {
	counters []Counters
	member   []bool
}

// NewEach returns clocks that keep every processor by itself, with the
// powers of the processors of the root's grid in runs.
func NewEach(grid []int, runs []machine.PowerRun) Clocks {
	power := expand(runs)
	e := &each{grid: slices.Clone(grid), power: power, clock: make([]units.Seconds, len(power)), all: make([]int, len(power))}
	for p := range e.all {
		e.all[p] = p
	}
	return e
}

func (e *each) ranks(s *procs.System) []int {
	if s.Ranks != nil {
		return s.Ranks
	}
	return e.all[:s.Size()]
}

func (e *each) Enter(id int) {
	for len(e.books) <= id {
		e.books = append(e.books, book{})
	}
	e.at = id
	if b := &e.books[id]; b.counters == nil {
		b.counters = make([]Counters, len(e.power))
		b.member = make([]bool, len(e.power))
	}
}

func (e *each) Join(s *procs.System) {
	b := &e.books[e.at]
	for _, p := range e.ranks(s) {
		b.member[p] = true
	}
}

func (e *each) work(p int, a Amount) {
	b := &e.books[e.at]
	b.member[p] = true
	e.clock[p] += b.counters[p].work(a, e.power[p])
}

func (e *each) AddAll(s *procs.System, a Amount) {
	for _, p := range e.ranks(s) {
		e.work(p, a)
	}
}

func (e *each) AddBy(s *procs.System, labels [][]int64, amount func([]int64) Amount) {
	coords := make([]int, len(s.Grid))
	l := make([]int64, len(s.Grid))
	for i, p := range e.ranks(s) {
		s.Coords(i, coords)
		for k, c := range coords {
			l[k] = labels[k][c]
		}
		e.work(p, amount(l))
	}
}

func (e *each) Longest(s *procs.System, labels [][]int64, work func([]int64) units.Seconds) units.Seconds {
	var m units.Seconds
	coords := make([]int, len(s.Grid))
	l := make([]int64, len(s.Grid))
	for i, p := range e.ranks(s) {
		s.Coords(i, coords)
		for k, c := range coords {
			l[k] = labels[k][c]
		}
		m = max(m, work(l)/units.Seconds(e.power[p]))
	}
	return m
}

func (e *each) Act(s *procs.System, _ [][]int64, run func([]Actor) []Part) {
	ranks := e.ranks(s)
	actors := make([]Actor, len(ranks))
	for i, p := range ranks {
		coords := make([]int, len(s.Grid))
		s.Coords(i, coords)
		actors[i] = Actor{Coords: coords, N: 1, Clock: e.clock[p], Power: e.power[p]}
	}
	b := &e.books[e.at]
	for i, part := range run(actors) {
		p := ranks[i]
		b.member[p] = true
		e.clock[p] = b.counters[p].act(&part, e.clock[p], e.power[p])
	}
}

func (e *each) AddOne(rank int, a Amount) { e.work(rank, a) }

func (e *each) Latest(s *procs.System) units.Seconds {
	var m units.Seconds
	for _, p := range e.ranks(s) {
		m = max(m, e.clock[p])
	}
	return m
}

func (e *each) Sync(s *procs.System, k interval.Kind) units.Seconds {
	m := e.Latest(s)
	b := &e.books[e.at]
	for _, p := range e.ranks(s) {
		b.member[p] = true
		if w := m - e.clock[p]; w > 0 {
			b.counters[p].wait(k, w)
			e.clock[p] = m
		}
	}
	return m
}

func (e *each) Delay(s *procs.System, k interval.Kind, d units.Seconds) {
	b := &e.books[e.at]
	for _, p := range e.ranks(s) {
		b.member[p] = true
		b.counters[p].transfer(k, d)
		e.clock[p] += d
	}
}

func (e *each) Late(s *procs.System, k interval.Kind) (units.Seconds, Mark) {
	m := e.Latest(s)
	b := &e.books[e.at]
	for _, p := range e.ranks(s) {
		b.member[p] = true
		b.counters[p].late(k, m-e.clock[p])
	}
	return m, e.marks.set(e.clock, m)
}

func (e *each) Await(s *procs.System, k interval.Kind, start, end units.Seconds, mark Mark) {
	b := &e.books[e.at]
	own, latest := e.marks.take(mark)
	for _, p := range e.ranks(s) {
		b.member[p] = true
		if own != nil {
			e.clock[p] = b.counters[p].awaitFree(k, e.clock[p], start, end, latest-own[p])
			continue
		}
		e.clock[p] = b.counters[p].await(k, e.clock[p], start, end)
	}
}

func (e *each) Settle(s *procs.System, k interval.Kind) {
	m := e.Latest(s)
	b := &e.books[e.at]
	for _, p := range e.ranks(s) {
		b.counters[p].spread(k, m-e.clock[p])
	}
}

func (e *each) Classes() int { return len(e.power) }

func (e *each) Class(int) int64 { return 1 }

func (e *each) Counters(id, i int) (*Counters, bool) {
	if id >= len(e.books) || e.books[id].counters == nil {
		return &Counters{}, false
	}
	return &e.books[id].counters[i], e.books[id].member[i]
}

func (e *each) Ranks(i int) []int { return []int{i} }

func (e *each) Boxes(classes []int) [][]string {
	return boxes(e.grid, classes, func(_ int, coords []int) string { return coordSet(coords) })
}

// marks are remembered clocks.
type marks struct {
	last Mark
	of   map[Mark]remembered
}

// remembered are the clocks at the start of an operation and the latest of
// those that took part.
type remembered struct {
	clock  []units.Seconds
	latest units.Seconds
}

func (m *marks) set(clock []units.Seconds, latest units.Seconds) Mark {
	if m.of == nil {
		m.of = map[Mark]remembered{}
	}
	m.last++
	m.of[m.last] = remembered{slices.Clone(clock), latest}
	return m.last
}

// take returns the clocks of a mark and forgets it; nil for none.
func (m *marks) take(k Mark) ([]units.Seconds, units.Seconds) {
	if k == 0 {
		return nil, 0
	}
	r := m.of[k]
	delete(m.of, k)
	return r.clock, r.latest
}
