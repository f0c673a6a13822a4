package sim

import (
	"context"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
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

// HasTimetable reports whether a recording has a timetable for the powers that it was
// replayed on last.
func HasTimetable(r *Recorded) bool { return r.table.of != nil }
