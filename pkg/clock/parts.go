package clock

import (
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Parts say which part of some work every processor of a system does.
type Parts struct {
	// Labels are those of the coordinates, as [Clocks] has them.
	Labels [][]int64
	// Of returns the part of a processor by its labels. It must depend on nothing
	// else.
	Of func(labels []int64) float64
	// Redundant is the share of each part that other processors do as well.
	Redundant float64
}

// Work returns the work of a processor with the given labels.
func (p *Parts) Work(labels []int64, user, system units.Seconds) Amount {
	return p.amount(p.Of(labels), user, system)
}

func (p *Parts) amount(part float64, user, system units.Seconds) Amount {
	return Amount{User: scaled(user, part), System: scaled(system, part), UserRedundant: p.Redundant, SystemRedundant: p.Redundant}
}

// classPart is the part of one class.
type classPart struct {
	class int
	part  float64
}

// recentParts are the parts of classes that were asked for last: loops come in
// turns.
type recentParts struct {
	of [4]struct {
		parts   *Parts
		system  *procs.System
		version int
		list    []classPart
	}
	next int
}

// partsOf returns the parts of the classes of s.
func (p *partition) partsOf(s *procs.System, of *Parts) []classPart {
	for i := range p.parts.of {
		if r := &p.parts.of[i]; r.parts == of && r.system == s && r.version == p.version {
			return r.list
		}
	}
	r := &p.parts.of[p.parts.next]
	p.parts.next = (p.parts.next + 1) % len(p.parts.of)
	r.list = r.list[:0]
	p.each(s, of.Labels, func(i int, l []int64) { r.list = append(r.list, classPart{i, of.Of(l)}) })
	r.parts, r.system, r.version = of, s, p.version
	return r.list
}
