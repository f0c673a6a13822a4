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

// partWork are the parts of the classes of a system, and the work that they are of
// some times.
type partWork struct {
	parts   *Parts
	system  *procs.System
	version int
	classes []classPart
	works   []kindOfPart
}

// classPart says of a class which of the works it does.
type classPart struct{ class, kind int }

// kindOfPart is a part on processors of some power: most classes of a block
// distribution have one of a few.
type kindOfPart struct {
	part, power float64
	Amount
	worked
}

// recentParts are those that were asked for last: loops come in turns.
type recentParts struct {
	of   [32]partWork
	next int // the place of the next one, if it is not there
	last int // the one that was asked for last
}

// partsOf returns the parts of the classes of s, with the work that they are of
// user's and system's time.
func (p *partition) partsOf(s *procs.System, of *Parts, user, system units.Seconds) *partWork {
	r := p.knownParts(s, of)
	for i := range r.works {
		w := &r.works[i]
		w.Amount = of.amount(w.part, user, system)
		w.worked = w.on(w.power)
	}
	return r
}

// knownParts returns the parts of the classes of s.
func (p *partition) knownParts(s *procs.System, of *Parts) *partWork {
	for n := range p.parts.of {
		i := (p.parts.last + n) % len(p.parts.of)
		if r := &p.parts.of[i]; r.parts == of && r.system == s && r.version == p.version {
			p.parts.last = i
			return r
		}
	}
	r := &p.parts.of[p.parts.next]
	p.parts.last = p.parts.next
	p.parts.next = (p.parts.next + 1) % len(p.parts.of)
	r.classes, r.works = r.classes[:0], r.works[:0]
	p.each(s, of.Labels, func(i int, l []int64) { r.classes = append(r.classes, classPart{i, r.kind(of.Of(l), p.power[i])}) })
	r.parts, r.system, r.version = of, s, p.version
	return r
}

// kind returns the place of a part among the works. It is looked for among the last
// ones.
func (r *partWork) kind(part, power float64) int {
	const far = 16
	for i := len(r.works) - 1; i >= max(0, len(r.works)-far); i-- {
		if w := &r.works[i]; w.part == part && w.power == power {
			return i
		}
	}
	r.works = append(r.works, kindOfPart{part: part, power: power})
	return len(r.works) - 1
}
