package clock

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// classes is the engine by classes: processors with equal histories share a
// clock and counters (docs/model.md#10-size).
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

	*Network
	power     []float64
	clock     []units.Seconds
	books     []book // per account
	snapshots Snapshots
	// at is the account that was entered, all what it is a part of, or itself; within
	// has, for an account that is a part, 1 more than what it is a part of.
	at, all Account
	within  []Account
	// common has, for an account that is a part, what all classes have alike beside
	// its book. equal says that all processors have one power.
	common   []common
	equal    bool
	timeline *Timeline // nil when nobody wants one

	// version counts splits; seen holds label slices that are known to be
	// constant on all groups of that version.
	version int
	seen    map[*int64]int
	recent  recent
	parts   recentParts
	whole   []int // 0, 1, ...: all classes
	// entire is the system that was found last to have all processors.
	entire *procs.System
	// pendingWork is work of all processors of a system that is not booked
	// yet.
	pendingWork struct {
		sys  *procs.System
		work Amount
		seq  int64   // for the timeline
		of   []share // what of it is of accounts that are parts
	}
	// inside are the classes of system when version was inWhen.
	system *procs.System
	inside []int
	inWhen int
	labels []int64
	groups []int // room for eachOfAll
}

// book is what the classes have in one account, nil until it is entered.
type book []entry

// common is what all classes have alike in an account; some says that there is any.
type common struct {
	Counters
	some bool
}

// share is work of an account that is a part of another.
type share struct {
	account Account
	work    Amount
}

// entry is what a class has in one account.
type entry struct {
	Counters
	member bool
}

// spend books w for a member.
func (b *entry) spend(w *worked) {
	b.member = true
	b.Counters.spend(w)
}

// wait is [Counters.Wait] for a member, of nothing when it is the latest.
func (b *entry) wait(k interval.Kind, w units.Seconds) {
	b.member = true
	if w > 0 {
		b.Wait(k, w)
	}
}

// transfer is [Counters.Transfer] for a member.
func (b *entry) transfer(k interval.Kind, d units.Seconds) {
	b.member = true
	b.Transfer(k, d)
}

// late is [Counters.Late] for a member.
func (b *entry) late(k interval.Kind, w units.Seconds) {
	b.member = true
	b.Late(k, w)
}

// await is, for a member, [Counters.AwaitFree] when the start did not wait, else
// [Counters.Await].
func (b *entry) await(k interval.Kind, t, start, end units.Seconds, free bool, late units.Seconds) units.Seconds {
	b.member = true
	if free {
		return b.AwaitFree(k, t, start, end, late)
	}
	return b.Await(k, t, start, end)
}

// New returns clocks that keep processors with equal histories together.
func New(cfg Config) Clocks {
	grid := cfg.Grid
	k := len(grid)
	e := &classes{Network: NewNetwork(cfg), grid: slices.Clone(grid), group: make([][]int, k), size: make([][]int, k), first: make([][]int, k),
		stride: make([]int, k), timeline: cfg.Timeline, seen: map[*int64]int{}, labels: make([]int64, k), groups: make([]int, k), inWhen: -1}
	for d, n := range grid {
		e.group[d] = make([]int, n)
		e.size[d], e.first[d] = []int{n}, []int{0}
	}
	e.strides()
	runs := cfg.Machine.PowerRuns(int64(size(grid)))
	e.power, e.clock, e.whole = []float64{runs[0].Power}, make([]units.Seconds, 1), []int{0}
	e.equal = len(runs) == 1
	if len(runs) > 1 {
		e.splitByPower(machine.Powers(runs))
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
	e.snapshots.split(from)
	for b := range e.books {
		if e.books[b] != nil {
			e.books[b] = pick(e.books[b], from)
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

// hasAll reports whether all processors belong to s.
func (e *classes) hasAll(s *procs.System) bool {
	if e.entire != s && s.Ranks == nil && s.Size() == size(e.grid) {
		e.entire = s
	}
	return e.entire == s
}

// members returns the classes of the processors of s; every class is inside
// or outside.
func (e *classes) members(s *procs.System) []int {
	if e.hasAll(s) {
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

// size returns the number of processors of a grid.
func size(grid []int) int {
	p := 1
	for _, n := range grid {
		p *= n
	}
	return p
}

// recent are labels of all dimensions that were found last to be constant on the
// groups of a version. Loops come in turns.
type recent struct {
	labels   [4]*[]int64
	versions [4]int
	next     int
}

func (r *recent) has(labels *[]int64, version int) bool {
	for i, l := range r.labels {
		if l == labels && r.versions[i] == version {
			return true
		}
	}
	return false
}

func (r *recent) add(labels *[]int64, version int) {
	r.labels[r.next], r.versions[r.next] = labels, version
	r.next = (r.next + 1) % len(r.labels)
}
