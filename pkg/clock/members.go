package clock

import (
	"slices"

	"dvmtools/pkg/procs"
)

// hasAll reports whether all processors belong to s.
func (p *partition) hasAll(s *procs.System) bool {
	if p.entire != s && s.Ranks == nil && s.Size() == size(p.grid) {
		p.entire = s
	}
	return p.entire == s
}

// members returns the classes of the processors of s; every class is inside
// or outside.
func (p *partition) members(s *procs.System) []int {
	if p.hasAll(s) {
		return p.whole
	}
	if p.system == s && p.inWhen == p.version {
		return p.inside
	}
	if s.Lower == nil {
		p.single()
	} else {
		for k, n := range s.Grid {
			labels := make([]int64, p.grid[k])
			for c := range n {
				labels[s.Lower[k]+c] = 1
			}
			p.split(k, labels)
		}
	}
	in := make(map[int]bool, s.Size())
	var list []int
	if s.Lower == nil {
		for i := range s.Size() {
			in[s.Rank(i)] = true
		}
	}
	for i := range p.whole {
		if s.Lower == nil {
			if in[p.firstRank(i)] {
				list = append(list, i)
			}
			continue
		}
		inside := true
		for k := range p.grid {
			c := p.first[k][i/p.stride[k]%len(p.size[k])] - s.Lower[k]
			inside = inside && c >= 0 && c < s.Grid[k]
		}
		if inside {
			list = append(list, i)
		}
	}
	p.system, p.inside, p.inWhen = s, list, p.version
	return list
}

// single makes every processor a class of its own; class numbers are then the
// root's numbers.
func (p *partition) single() {
	for k, n := range p.grid {
		if len(p.size[k]) == n {
			continue
		}
		labels := make([]int64, n)
		for c := range labels {
			labels[c] = int64(c)
		}
		p.split(k, labels)
	}
}

// only makes the processor with the root's number rank a class of its own, which it
// returns.
func (p *partition) only(rank int) int {
	rest := rank
	for k := len(p.grid) - 1; k >= 0; k-- {
		n := p.grid[k]
		c := rest % n
		rest /= n
		if p.size[k][p.group[k][c]] > 1 {
			labels := make([]int64, n)
			labels[c] = 1
			p.split(k, labels)
		}
	}
	i := 0
	for k := len(p.grid) - 1; k >= 0; k-- {
		i += p.group[k][rank%p.grid[k]] * p.stride[k]
		rank /= p.grid[k]
	}
	return i
}

// each calls f for every class of s with its labels.
func (p *partition) each(s *procs.System, labels [][]int64, f func(i int, l []int64)) {
	if s.Lower == nil {
		// No section of the root's grid: processor by processor.
		p.single()
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
	if len(labels) > 0 && !p.recent.has(&labels[0], p.version) {
		for k := range labels {
			p.distinguish(s, k, labels[k])
		}
		p.recent.add(&labels[0], p.version)
	}
	list := p.members(s)
	if len(list) == len(p.whole) {
		p.eachOfAll(s, labels, f)
		return
	}
	for _, i := range list {
		for k := range p.grid {
			p.labels[k] = labels[k][p.first[k][i/p.stride[k]%len(p.size[k])]-s.Lower[k]]
		}
		f(i, p.labels)
	}
}

// eachOfAll is each for a system that has processors of all classes. It counts
// through the groups of all dimensions, the last one fastest, as classes are numbered.
func (p *partition) eachOfAll(s *procs.System, labels [][]int64, f func(i int, l []int64)) {
	clear(p.groups)
	for k := range p.grid {
		p.labels[k] = labels[k][p.first[k][0]-s.Lower[k]]
	}
	for i := range p.whole {
		f(i, p.labels)
		for k := len(p.grid) - 1; k >= 0; k-- {
			p.groups[k]++
			last := p.groups[k] == len(p.size[k])
			if last {
				p.groups[k] = 0
			}
			p.labels[k] = labels[k][p.first[k][p.groups[k]]-s.Lower[k]]
			if !last {
				break
			}
		}
	}
}

// actors returns the classes that are told apart by the labels of a pipeline, each
// as one of its actors. They have no clocks yet.
func (p *partition) actors(pl *Pipeline, labels [][]int64) (ids []int, actors []Actor) {
	s := pl.System
	p.each(s, labels, func(i int, _ []int64) {
		coords := make([]int, len(s.Grid))
		if s.Lower != nil {
			for k := range coords {
				coords[k] = p.first[k][i/p.stride[k]%len(p.size[k])] - s.Lower[k]
			}
		} else {
			s.Coords(len(ids), coords)
		}
		ids = append(ids, i)
		actors = append(actors, Actor{Coords: coords, N: p.Class(i), Power: p.power[i]})
	})
	return ids, actors
}

func (p *partition) Class(i int) int64 {
	n := int64(1)
	for k := range p.grid {
		n *= int64(p.size[k][i/p.stride[k]%len(p.size[k])])
	}
	return n
}

// coordinates returns the coordinates of group g of dimension k.
func (p *partition) coordinates(k, g int) []int {
	var cs []int
	for c := p.first[k][g]; c < len(p.group[k]) && len(cs) < p.size[k][g]; c++ {
		if p.group[k][c] == g {
			cs = append(cs, c)
		}
	}
	return cs
}

func (p *partition) Ranks(i int) []int {
	ranks := []int{0}
	for k, n := range p.grid {
		cs := p.coordinates(k, i/p.stride[k]%len(p.size[k]))
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

func (p *partition) Boxes(ids []int) [][]string {
	groups := make([]int, len(p.grid))
	for k := range groups {
		groups[k] = len(p.size[k])
	}
	return boxes(groups, ids, func(k int, gs []int) string {
		var cs []int
		for _, g := range gs {
			cs = append(cs, p.coordinates(k, g)...)
		}
		slices.Sort(cs)
		return coordSet(cs)
	})
}
