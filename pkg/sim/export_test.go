package sim

import (
	"context"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/object"
)

// Handled reports whether class c does more than an ordinary function.
func Handled(c libdvm.Class) bool {
	return handlers[c].do != nil || handlers[c].run != nil || object.Follows(c)
}

// Splits reports whether finding what a call is about and doing it are apart for
// functions of a class.
func Splits(c libdvm.Class) bool { return handlers[c].run == nil }

// StepsInBlocks runs a simulation and returns how many time steps were passed by
// blocks.
func StepsInBlocks(cfg Config, src call.Source) (int64, error) {
	s, err := New(cfg, src.Header())
	if err != nil {
		return 0, err
	}
	_, err = s.run(context.Background(), src)
	return s.passed, err
}

// HasTimetable reports whether a recording has a timetable for a machine.
func HasTimetable(r *Recorded, m *machine.Machine) bool {
	return slices.ContainsFunc(r.tables.list, func(t *clock.Timetable) bool { return t.Suits(m, r.Result.Grid) })
}
