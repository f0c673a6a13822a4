package clock

import (
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
)

// partition says which processors have had equal histories so far: classes of
// processors (docs/model.md#10-size).
//
// The coordinates of every dimension of the root's grid are partitioned into
// groups, and a class is a product of one group per dimension. A call that
// distinguishes coordinates of one group splits it; nothing is ever joined
// again. Block distributions make a few groups per dimension, so that the
// number of classes does not depend on the number of processors. Systems that
// are no sections of the root's grid (another shape) make every coordinate a
// group of its own.
type partition struct {
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
	whole  []int     // 0, 1, ...: all classes
	power  []float64 // of the processors of each class
	equal  bool      // all processors have one power
	// follow is told of a split: class i was class from[i] before.
	follow func(from []int)

	// version counts splits; seen holds label slices that are known to be
	// constant on all groups of that version.
	version int
	seen    map[*int64]int
	recent  recent
	parts   recentParts
	// entire is the system that was found last to have all processors.
	entire *procs.System
	// inside are the classes of system when version was inWhen.
	system *procs.System
	inside []int
	inWhen int
	labels []int64
	groups []int // room for eachOfAll
}

// newPartition returns the partition of the processors of a machine by their
// powers. What belongs to classes goes along with later splits in follow, if there are any.
func newPartition(m *machine.Machine, grid []int, follow func(from []int)) partition {
	k := len(grid)
	p := partition{grid: slices.Clone(grid), group: make([][]int, k), size: make([][]int, k), first: make([][]int, k), stride: make([]int, k),
		seen: map[*int64]int{}, labels: make([]int64, k), groups: make([]int, k), inWhen: -1, follow: func([]int) {}}
	for d, n := range grid {
		p.group[d] = make([]int, n)
		p.size[d], p.first[d] = []int{n}, []int{0}
	}
	p.strides()
	runs := m.PowerRuns(int64(size(grid)))
	p.power, p.whole, p.equal = []float64{runs[0].Power}, []int{0}, len(runs) == 1
	if !p.equal {
		p.splitByPower(machine.Powers(runs))
	}
	p.follow = follow
	return p
}

func (p *partition) strides() {
	s := 1
	for k := len(p.grid) - 1; k >= 0; k-- {
		p.stride[k] = s
		s *= len(p.size[k])
	}
}

// splitByPower makes coordinates of a dimension one group when exchanging
// them changes no processor's power.
func (p *partition) splitByPower(power []float64) {
	inner := 1
	for k := len(p.grid) - 1; k >= 0; k-- {
		n := p.grid[k]
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
		p.split(k, labels)
		inner *= n
	}
	for i := range p.power {
		p.power[i] = power[p.firstRank(i)]
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
func (p *partition) split(k int, labels []int64) {
	type key struct {
		group int
		label int64
	}
	ids := map[key]int{}
	var parent []int
	fresh := make([]int, len(labels))
	for c, g := range p.group[k] {
		id, ok := ids[key{g, labels[c]}]
		if !ok {
			id = len(parent)
			ids[key{g, labels[c]}] = id
			parent = append(parent, g)
		}
		fresh[c] = id
	}
	if len(parent) == len(p.size[k]) {
		return
	}
	oldStride := slices.Clone(p.stride)
	oldCount := len(p.size[k])
	p.group[k] = fresh
	p.size[k], p.first[k] = make([]int, len(parent)), make([]int, len(parent))
	for c := len(fresh) - 1; c >= 0; c-- {
		p.size[k][fresh[c]]++
		p.first[k][fresh[c]] = c
	}
	p.strides()
	n := len(p.whole) / oldCount * len(parent)
	from := make([]int, n)
	for i := range from {
		rest, old := i, 0
		for d := range p.grid {
			g := rest / p.stride[d]
			rest %= p.stride[d]
			if d == k {
				g = parent[g]
			}
			old += g * oldStride[d]
		}
		from[i] = old
	}
	p.power = pick(p.power, from)
	p.follow(from)
	p.whole = make([]int, n)
	for i := range p.whole {
		p.whole[i] = i
	}
	p.version++
}

func pick[T any](old []T, from []int) []T {
	fresh := make([]T, len(from))
	for i, f := range from {
		fresh[i] = old[f]
	}
	return fresh
}

// firstRank returns the root's number of the first processor of class i.
func (p *partition) firstRank(i int) int {
	r := 0
	for k := range p.grid {
		r = r*p.grid[k] + p.first[k][i/p.stride[k]%len(p.size[k])]
	}
	return r
}

// distinguish makes labels of the coordinates of system s constant on the
// groups of dimension k.
func (p *partition) distinguish(s *procs.System, k int, labels []int64) {
	if len(labels) == 0 {
		return
	}
	whole := len(labels) == p.grid[k]
	if v, ok := p.seen[&labels[0]]; ok && v == p.version && whole {
		return
	}
	lower := s.Lower[k]
	same := true
	for c, l := range labels {
		if f := p.first[k][p.group[k][lower+c]] - lower; f < 0 || f >= len(labels) || labels[f] != l {
			same = false
			break
		}
	}
	if !same || !whole {
		all := labels
		if !whole {
			all = make([]int64, p.grid[k])
			for c := range all {
				all[c] = -1
			}
			copy(all[lower:], labels)
		}
		p.split(k, all)
	}
	if whole {
		p.seen[&labels[0]] = p.version
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
