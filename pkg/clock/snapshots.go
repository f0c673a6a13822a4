package clock

import (
	"slices"

	"dvmtools/pkg/units"
)

// Snapshots are copies of clocks, kept until they are used.
type Snapshots struct {
	last Snapshot
	of   map[Snapshot]remembered
}

// remembered are the clocks at some time and the latest of those that took
// part.
type remembered struct {
	clock  []units.Seconds
	latest units.Seconds
}

// Set remembers a copy of clock, of whose members that matter latest is the
// latest.
func (m *Snapshots) Set(clock []units.Seconds, latest units.Seconds) Snapshot {
	if m.of == nil {
		m.of = map[Snapshot]remembered{}
	}
	m.last++
	m.of[m.last] = remembered{slices.Clone(clock), latest}
	return m.last
}

// Take returns the clocks of a snapshot and the latest of them, and forgets it;
// nil for no snapshot.
func (m *Snapshots) Take(k Snapshot) ([]units.Seconds, units.Seconds) {
	if k == 0 {
		return nil, 0
	}
	r := m.of[k]
	delete(m.of, k)
	return r.clock, r.latest
}

// split follows clocks that became more: clock i is what clock from[i] was.
func (m *Snapshots) split(from []int) {
	for k, r := range m.of {
		m.of[k] = remembered{pick(r.clock, from), r.latest}
	}
}
