package cli

import (
	"fmt"
	"time"
)

// Steps shows the progress of work that consists of steps, when progress is shown
// at all. It is not safe for concurrent use.
type Steps struct {
	p     *progress
	total int
	begun time.Time
	first int // the steps that were done at the beginning
	drawn time.Time
	lap   time.Time
}

// Steps starts to show the progress of work of total steps, of which done are
// finished already, in place of that of reading.
func (e *Env) Steps(done, total int) *Steps {
	e.progress.stop()
	now := time.Now()
	return &Steps{p: e.progress, total: total, begun: now, first: done, lap: now}
}

// Next shows that done steps are finished, and what the next one is. It may be
// called often: it draws a few times a second.
func (s *Steps) Next(done int, what string) {
	left := -1.0
	if done > s.first {
		left = time.Since(s.begun).Seconds() / float64(done-s.first) * float64(s.total-done)
	}
	s.NextLeft(done, what, left)
}

// Lap returns the seconds since the last call, or since the steps began.
func (s *Steps) Lap() float64 {
	now := time.Now()
	seconds := now.Sub(s.lap).Seconds()
	s.lap = now
	return seconds
}

// NextLeft is Next for steps that differ in length, with the seconds that are left as
// far as they are known, negative when they are not.
func (s *Steps) NextLeft(done int, what string, left float64) {
	now := time.Now()
	if !s.p.show || now.Sub(s.drawn) < progressEvery && done < s.total {
		return
	}
	s.drawn = now
	s.p.talk.draw(stepsLine(done, s.total, what, left))
}

// Of changes the number of steps of the whole work.
func (s *Steps) Of(total int) { s.total = total }

// stepsLine formats a number of steps and the seconds that are left, negative when
// they are not known.
func stepsLine(done, total int, what string, left float64) string {
	rest := "-:--"
	if left >= 0 {
		rest = clock(time.Duration(left * float64(time.Second)))
	}
	const width = 20
	full := width * done / max(total, 1)
	bar := ""
	for i := range width {
		if i < full {
			bar += "#"
		} else {
			bar += "."
		}
	}
	return fmt.Sprintf("[%s] %d of %d, %s, %s left", bar, done, total, what, rest)
}
