package sim

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// classes is the engine by classes: processors with equal histories share a
// clock and counters (model section 10).
//
// The coordinates of every dimension of the root's grid are partitioned into
// groups, and a class is a product of one group per dimension. A call that
// distinguishes coordinates of one group splits it; nothing is ever joined
// again. Block distributions make a few groups per dimension, so that the
// number of classes does not depend on the number of processors. Systems that
// are no sections of the root's grid (another shape) make every coordinate a
// group of its own.
type classes struct {
	grid []int
	// group[k][c] is the group of coordinate c of dimension k; groups are
	// numbered by their first coordinates. size[k][g] counts coordinates,
	// first[k][g] is the first.
	group [][]int
	size  [][]int
	first [][]int
	// stride[k] is the distance between classes whose groups in dimension k
	// are neighbours.
	stride []int

	power []float64
	clock []units.Seconds
	books []book
	marks marks
	at    int

	// version counts splits; seen holds label slices that are known to be
	// constant on all groups of that version.
	version int
	seen    map[*int64]int
	whole   []int // 0, 1, ...: all classes
	// noted is work of all processors of a system that is not booked yet.
	noted struct {
		sys  *procs.System
		work Amount
	}
	// inside are the classes of system when version was inWhen.
	system *procs.System
	inside []int
	inWhen int
	labels []int64
}

// NewClasses returns clocks that keep processors with equal histories
// together, with the powers of the processors of the root's grid in runs.
func NewClasses(grid []int, runs []machine.PowerRun) Clocks {
	k := len(grid)
	e := &classes{grid: slices.Clone(grid), group: make([][]int, k), size: make([][]int, k), first: make([][]int, k),
		stride: make([]int, k), seen: map[*int64]int{}, labels: make([]int64, k), inWhen: -1}
	for d, n := range grid {
		e.group[d] = make([]int, n)
		e.size[d], e.first[d] = []int{n}, []int{0}
	}
	e.strides()
	e.power, e.clock, e.whole = []float64{runs[0].Power}, make([]units.Seconds, 1), []int{0}
	if len(runs) > 1 {
		e.splitByPower(expand(runs))
	}
	return e
}

func (e *classes) strides() {
	s := 1
	for k := len(e.grid) - 1; k >= 0; k-- {
		e.stride[k] = s
		s *= len(e.size[k])
	}
}

// splitByPower makes coordinates of a dimension one group when exchanging
// them changes no processor's power.
func (e *classes) splitByPower(power []float64) {
	inner := 1
	for k := len(e.grid) - 1; k >= 0; k-- {
		n := e.grid[k]
		labels := make([]int64, n)
		for c := 1; c < n; c++ {
			labels[c] = int64(c)
			for d := range c {
				if labels[d] == int64(d) && samePower(power, inner, n, c, d) {
					labels[c] = int64(d)
					break
				}
			}
		}
		e.split(k, labels)
		inner *= n
	}
	for i := range e.power {
		e.power[i] = power[e.firstRank(i)]
	}
}

// samePower reports whether the processors with coordinate c and those with
// coordinate d of a dimension of extent n, whose neighbours are inner apart,
// have equal powers.
func samePower(power []float64, inner, n, c, d int) bool {
	for base := 0; base < len(power); base += inner * n {
		for i := range inner {
			if power[base+c*inner+i] != power[base+d*inner+i] {
				return false
			}
		}
	}
	return true
}

// split refines the groups of dimension k so that labels are constant on each
// of them.
func (e *classes) split(k int, labels []int64) {
	type key struct {
		group int
		label int64
	}
	ids := map[key]int{}
	var parent []int
	fresh := make([]int, len(labels))
	for c, g := range e.group[k] {
		id, ok := ids[key{g, labels[c]}]
		if !ok {
			id = len(parent)
			ids[key{g, labels[c]}] = id
			parent = append(parent, g)
		}
		fresh[c] = id
	}
	if len(parent) == len(e.size[k]) {
		return
	}
	oldStride := slices.Clone(e.stride)
	oldCount := len(e.size[k])
	e.group[k] = fresh
	e.size[k], e.first[k] = make([]int, len(parent)), make([]int, len(parent))
	for c := len(fresh) - 1; c >= 0; c-- {
		e.size[k][fresh[c]]++
		e.first[k][fresh[c]] = c
	}
	e.strides()
	n := len(e.clock) / oldCount * len(parent)
	from := make([]int, n)
	for i := range from {
		rest, old := i, 0
		for d := range e.grid {
			g := rest / e.stride[d]
			rest %= e.stride[d]
			if d == k {
				g = parent[g]
			}
			old += g * oldStride[d]
		}
		from[i] = old
	}
	e.power = pick(e.power, from)
	e.clock = pick(e.clock, from)
	for m, r := range e.marks.of {
		e.marks.of[m] = remembered{pick(r.clock, from), r.latest}
	}
	for b := range e.books {
		if bk := &e.books[b]; bk.counters != nil {
			bk.counters = pick(bk.counters, from)
			bk.member = pick(bk.member, from)
		}
	}
	e.whole = make([]int, n)
	for i := range e.whole {
		e.whole[i] = i
	}
	e.version++
}

func pick[T any](old []T, from []int) []T {
	fresh := make([]T, len(from))
	for i, f := range from {
		fresh[i] = old[f]
	}
	return fresh
}

// firstRank returns the root's number of the first processor of class i.
func (e *classes) firstRank(i int) int {
	r := 0
	for k := range e.grid {
		r = r*e.grid[k] + e.first[k][i/e.stride[k]%len(e.size[k])]
	}
	return r
}

// distinguish makes labels of the coordinates of system s constant on the
// groups of dimension k.
func (e *classes) distinguish(s *procs.System, k int, labels []int64) {
	if len(labels) == 0 {
		return
	}
	whole := len(labels) == e.grid[k]
	if v, ok := e.seen[&labels[0]]; ok && v == e.version && whole {
		return
	}
	lower := s.Lower[k]
	same := true
	for c, l := range labels {
		if f := e.first[k][e.group[k][lower+c]] - lower; f < 0 || f >= len(labels) || labels[f] != l {
			same = false
			break
		}
	}
	if !same || !whole {
		all := labels
		if !whole {
			all = make([]int64, e.grid[k])
			for c := range all {
				all[c] = -1
			}
			copy(all[lower:], labels)
		}
		e.split(k, all)
	}
	if whole {
		e.seen[&labels[0]] = e.version
	}
}

// members returns the classes of the processors of s; every class is inside
// or outside.
func (e *classes) members(s *procs.System) []int {
	if s.Ranks == nil && s.Size() == product(e.grid) {
		return e.whole
	}
	if e.system == s && e.inWhen == e.version {
		return e.inside
	}
	if s.Lower == nil {
		e.single()
	} else {
		for k, n := range s.Grid {
			labels := make([]int64, e.grid[k])
			for c := range n {
				labels[s.Lower[k]+c] = 1
			}
			e.split(k, labels)
		}
	}
	in := make(map[int]bool, s.Size())
	var list []int
	if s.Lower == nil {
		for i := range s.Size() {
			in[s.Rank(i)] = true
		}
	}
	for i := range e.clock {
		if s.Lower == nil {
			if in[e.firstRank(i)] {
				list = append(list, i)
			}
			continue
		}
		inside := true
		for k := range e.grid {
			c := e.first[k][i/e.stride[k]%len(e.size[k])] - s.Lower[k]
			inside = inside && c >= 0 && c < s.Grid[k]
		}
		if inside {
			list = append(list, i)
		}
	}
	e.system, e.inside, e.inWhen = s, list, e.version
	return list
}

// single makes every processor a class of its own; class numbers are then the
// root's numbers.
func (e *classes) single() {
	for k, n := range e.grid {
		if len(e.size[k]) == n {
			continue
		}
		labels := make([]int64, n)
		for c := range labels {
			labels[c] = int64(c)
		}
		e.split(k, labels)
	}
}

func product(xs []int) int {
	p := 1
	for _, x := range xs {
		p *= x
	}
	return p
}

func (e *classes) Enter(id int) {
	e.settle()
	for len(e.books) <= id {
		e.books = append(e.books, book{})
	}
	e.at = id
	if b := &e.books[id]; b.counters == nil {
		b.counters = make([]Counters, len(e.clock))
		b.member = make([]bool, len(e.clock))
	}
}

func (e *classes) Join(s *procs.System) {
	e.settle()
	list := e.members(s)
	b := &e.books[e.at]
	for _, i := range list {
		b.member[i] = true
	}
}

func (e *classes) work(b *book, i int, a Amount) {
	b.member[i] = true
	e.clock[i] += b.counters[i].work(a, e.power[i])
}

// AddAll only notes what all processors of s do alike: programs make many
// such calls in a row, and the clocks need not be touched before one of them
// is looked at.
func (e *classes) AddAll(s *procs.System, a Amount) {
	if e.noted.sys != s || e.noted.work.UserTwice != a.UserTwice || e.noted.work.SystemTwice != a.SystemTwice {
		e.settle()
		e.noted.sys, e.noted.work = s, a
		return
	}
	e.noted.work.User += a.User
	e.noted.work.System += a.System
	e.noted.work.IO += a.IO
}

// settle books what AddAll noted.
func (e *classes) settle() {
	s := e.noted.sys
	if s == nil {
		return
	}
	e.noted.sys = nil
	list := e.members(s)
	b := &e.books[e.at]
	for _, i := range list {
		e.work(b, i, e.noted.work)
	}
}

func (e *classes) AddBy(s *procs.System, labels [][]int64, amount func([]int64) Amount) {
	e.settle()
	e.each(s, labels, func(i int, l []int64) { e.work(&e.books[e.at], i, amount(l)) })
}

func (e *classes) Longest(s *procs.System, labels [][]int64, work func([]int64) units.Seconds) units.Seconds {
	e.settle()
	var m units.Seconds
	e.each(s, labels, func(i int, l []int64) { m = max(m, work(l)/units.Seconds(e.power[i])) })
	return m
}

func (e *classes) Act(s *procs.System, labels [][]int64, run func([]Actor) []Part) {
	e.settle()
	var ids []int
	var actors []Actor
	e.each(s, labels, func(i int, _ []int64) {
		coords := make([]int, len(s.Grid))
		if s.Lower != nil {
			for k := range coords {
				coords[k] = e.first[k][i/e.stride[k]%len(e.size[k])] - s.Lower[k]
			}
		} else {
			s.Coords(len(ids), coords)
		}
		ids = append(ids, i)
		actors = append(actors, Actor{Coords: coords, N: e.Class(i), Clock: e.clock[i], Power: e.power[i]})
	})
	b := &e.books[e.at]
	for n, part := range run(actors) {
		i := ids[n]
		b.member[i] = true
		e.clock[i] = b.counters[i].act(&part, e.clock[i], e.power[i])
	}
}

// each calls f for every class of s with its labels.
func (e *classes) each(s *procs.System, labels [][]int64, f func(i int, l []int64)) {
	if s.Lower == nil {
		// No section of the root's grid: processor by processor.
		e.single()
		coords := make([]int, len(s.Grid))
		l := make([]int64, len(s.Grid))
		for i := range s.Size() {
			s.Coords(i, coords)
			for k, c := range coords {
				l[k] = labels[k][c]
			}
			f(s.Rank(i), l)
		}
		return
	}
	for k := range labels {
		e.distinguish(s, k, labels[k])
	}
	for _, i := range e.members(s) {
		for k := range e.grid {
			e.labels[k] = labels[k][e.first[k][i/e.stride[k]%len(e.size[k])]-s.Lower[k]]
		}
		f(i, e.labels)
	}
}

func (e *classes) AddOne(rank int, a Amount) {
	e.settle()
	rest := rank
	for k := len(e.grid) - 1; k >= 0; k-- {
		n := e.grid[k]
		c := rest % n
		rest /= n
		if e.size[k][e.group[k][c]] > 1 {
			labels := make([]int64, n)
			labels[c] = 1
			e.split(k, labels)
		}
	}
	i := 0
	for k := len(e.grid) - 1; k >= 0; k-- {
		i += e.group[k][rank%e.grid[k]] * e.stride[k]
		rank /= e.grid[k]
	}
	e.work(&e.books[e.at], i, a)
}

func (e *classes) Latest(s *procs.System) units.Seconds {
	e.settle()
	var m units.Seconds
	for _, i := range e.members(s) {
		m = max(m, e.clock[i])
	}
	return m
}

func (e *classes) Sync(s *procs.System, k interval.Kind) units.Seconds {
	m := e.Latest(s)
	b := &e.books[e.at]
	for _, i := range e.members(s) {
		b.member[i] = true
		if w := m - e.clock[i]; w > 0 {
			b.counters[i].wait(k, w)
			e.clock[i] = m
		}
	}
	return m
}

func (e *classes) Delay(s *procs.System, k interval.Kind, d units.Seconds) {
	e.settle()
	list := e.members(s)
	b := &e.books[e.at]
	for _, i := range list {
		b.member[i] = true
		b.counters[i].transfer(k, d)
		e.clock[i] += d
	}
}

func (e *classes) Late(s *procs.System, k interval.Kind) (units.Seconds, Mark) {
	m := e.Latest(s)
	b := &e.books[e.at]
	for _, i := range e.members(s) {
		b.member[i] = true
		b.counters[i].late(k, m-e.clock[i])
	}
	return m, e.marks.set(e.clock, m)
}

func (e *classes) Await(s *procs.System, k interval.Kind, start, end units.Seconds, mark Mark) {
	e.settle()
	list := e.members(s)
	b := &e.books[e.at]
	own, latest := e.marks.take(mark)
	for _, i := range list {
		b.member[i] = true
		if own != nil {
			e.clock[i] = b.counters[i].awaitFree(k, e.clock[i], start, end, latest-own[i])
			continue
		}
		e.clock[i] = b.counters[i].await(k, e.clock[i], start, end)
	}
}

func (e *classes) Settle(s *procs.System, k interval.Kind) {
	m := e.Latest(s)
	b := &e.books[e.at]
	for _, i := range e.members(s) {
		b.counters[i].spread(k, m-e.clock[i])
	}
}

func (e *classes) Classes() int {
	e.settle()
	return len(e.clock)
}

func (e *classes) Class(i int) int64 {
	n := int64(1)
	for k := range e.grid {
		n *= int64(e.size[k][i/e.stride[k]%len(e.size[k])])
	}
	return n
}

func (e *classes) Counters(id, i int) (*Counters, bool) {
	if id >= len(e.books) || e.books[id].counters == nil {
		return &Counters{}, false
	}
	return &e.books[id].counters[i], e.books[id].member[i]
}

// coordinates returns the coordinates of group g of dimension k.
func (e *classes) coordinates(k, g int) []int {
	var cs []int
	for c := e.first[k][g]; c < len(e.group[k]) && len(cs) < e.size[k][g]; c++ {
		if e.group[k][c] == g {
			cs = append(cs, c)
		}
	}
	return cs
}

func (e *classes) Ranks(i int) []int {
	ranks := []int{0}
	for k, n := range e.grid {
		cs := e.coordinates(k, i/e.stride[k]%len(e.size[k]))
		next := make([]int, 0, len(ranks)*len(cs))
		for _, r := range ranks {
			for _, c := range cs {
				next = append(next, r*n+c)
			}
		}
		ranks = next
	}
	return ranks
}

func (e *classes) Boxes(ids []int) [][]string {
	groups := make([]int, len(e.grid))
	for k := range groups {
		groups[k] = len(e.size[k])
	}
	return boxes(groups, ids, func(k int, gs []int) string {
		var cs []int
		for _, g := range gs {
			cs = append(cs, e.coordinates(k, g)...)
		}
		slices.Sort(cs)
		return coordSet(cs)
	})
}
