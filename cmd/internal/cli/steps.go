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
}

// Steps starts to show the progress of work of total steps, of which done are
// finished already, in place of that of reading.
func (e *Env) Steps(done, total int) *Steps {
	e.progress.stop()
	return &Steps{p: e.progress, total: total, begun: time.Now(), first: done}
}

// Next shows that done steps are finished, and what the next one is. It may be
// called often: it draws a few times a second.
func (s *Steps) Next(done int, what string) {
	now := time.Now()
	if !s.p.show || now.Sub(s.drawn) < progressEvery && done < s.total {
		return
	}
	s.drawn = now
	s.p.talk.draw(stepsLine(done, s.first, s.total, what, now.Sub(s.begun)))
}

// Of changes the number of steps of the whole work.
func (s *Steps) Of(total int) { s.total = total }

// stepsLine formats a number of steps after a time in which those above first
// were done.
func stepsLine(done, first, total int, what string, after time.Duration) string {
	left := "-:--"
	if done > first {
		left = clock(time.Duration(float64(after) / float64(done-first) * float64(total-done)))
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
	return fmt.Sprintf("[%s] %d of %d, %s, %s left", bar, done, total, what, left)
}
