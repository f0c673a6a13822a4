package sim

import "dvmtools/pkg/clock"

// watch ends a simulation with a limit when an operation starts behind it, by more
// than a clock and the sum of what was booked until then differ by rounding. It
// looks at a time, as no handler may: only whether the simulation goes on
// follows from it, and a simulation that is recorded has no limit.
func (s *Sim) watch(start clock.Instant) {
	const rounding = 1e-6
	s.over = s.over || s.cfg.Limit > 0 && start.Since(clock.Instant{}) > s.cfg.Limit*(1+rounding)
}
