package clock

import (
	"slices"

	"dvmtools/pkg/units"
)

// Marks are remembered clocks.
type Marks struct {
	last Mark
	of   map[Mark]remembered
}

// remembered are the clocks at some time and the latest of those that took
// part.
type remembered struct {
	clock  []units.Seconds
	latest units.Seconds
}

// Set remembers a copy of clock, of whose members that matter latest is the
// latest.
func (m *Marks) Set(clock []units.Seconds, latest units.Seconds) Mark {
	if m.of == nil {
		m.of = map[Mark]remembered{}
	}
	m.last++
	m.of[m.last] = remembered{slices.Clone(clock), latest}
	return m.last
}

// Take returns the clocks of a mark and the latest of them, and forgets it;
// nil for no mark.
func (m *Marks) Take(k Mark) ([]units.Seconds, units.Seconds) {
	if k == 0 {
		return nil, 0
	}
	r := m.of[k]
	delete(m.of, k)
	return r.clock, r.latest
}

// split follows clocks that became more: clock i is what clock from[i] was.
func (m *Marks) split(from []int) {
	for k, r := range m.of {
		m.of[k] = remembered{pick(r.clock, from), r.latest}
	}
}
