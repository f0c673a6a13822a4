package clock

import (
	"math"

	"dvmtools/pkg/units"
)

// Exchanged is what exchanges of one number sent: all exchanges of a kind that a
// function starts at a line have one. Clocks do not depend on it.
type Exchanged struct {
	Messages int64
	Bytes    units.Bytes
	// Longest is the longest time that one of them took, By the number of the
	// call that started it, 0 when none took any.
	Longest units.Seconds
	By      int64
}

// exchanges are the exchanges by their numbers, from 1 on.
type exchanges []Exchanged

// Exchanged is part of [Books].
func (e exchanges) Exchanged(x int) Exchanged {
	if x < 1 || x > len(e) {
		return Exchanged{}
	}
	return e[x-1]
}

// Placed is part of [Clocks].
func (e *exchanges) Placed(x int, by, messages int64, b units.Bytes, start, end Instant) {
	e.sent(x, by, messages, b, end.Since(start))
}

// sent books an exchange that takes t; x is 0 when nobody wants to know.
func (e *exchanges) sent(x int, by, messages int64, b units.Bytes, t units.Seconds) {
	if x == 0 {
		return
	}
	for len(*e) < x {
		*e = append(*e, Exchanged{})
	}
	at := &(*e)[x-1]
	at.Messages += messages
	at.Bytes += min(b, math.MaxInt64-at.Bytes)
	if t > at.Longest {
		at.Longest, at.By = t, by
	}
}
