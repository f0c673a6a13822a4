package measure

import (
	"errors"
	"fmt"
	"math"
)

// A Quantity is what the run times of two programs give.
type Quantity struct {
	// scale is how many iterations the second program makes for one of the first.
	scale int
	// value is computed from the seconds of n iterations of the first program.
	value func(n int, a, b float64) (float64, error)
	// operations per iteration, 0 for a quantity that has no unit.
	operations int
}

// Operation is the time of an operation of which the second program executes a
// number more than the first in each iteration.
func Operation(operations int) Quantity {
	return Quantity{1, func(n int, a, b float64) (float64, error) {
		return (b - a) / (float64(n) * float64(operations)), nil
	}, operations}
}

// Alone is the time of one of the operations that the first program executes in
// each iteration. The second program takes no time.
func Alone(operations int) Quantity {
	return Quantity{1, func(n int, a, _ float64) (float64, error) {
		return a / (float64(n) * float64(operations)), nil
	}, operations}
}

// Lengthening is the small-loop speed-up: the first program has a loop of long
// groups, the second one of short groups.
func Lengthening(long, short int) Quantity {
	m := max(1, long/short)
	return Quantity{m, func(n int, a, b float64) (float64, error) {
		if b <= 0 {
			return 0, &Unmeasured{"the short loop took no time by the clock of the process"}
		}
		return (a / (float64(n) * float64(long))) / (b / (float64(n) * float64(m) * float64(short))), nil
	}, 0}
}

// Slowdown is how many times longer an iteration of the first program takes than
// one of the second, which makes a number of iterations for each of the first.
func Slowdown(iterations int) Quantity {
	return Quantity{iterations, func(n int, a, b float64) (float64, error) {
		if b <= 0 {
			return 0, &Unmeasured{"the second program took no time by the clock of the process"}
		}
		return (a / float64(n)) / (b / (float64(n) * float64(iterations))), nil
	}, 0}
}

// resolution is by how much the step of the clock changes the quantity.
func (q Quantity) resolution(n int, o Options) float64 {
	if q.operations == 0 {
		return 0
	}
	return o.Grain / (float64(n) * float64(q.operations))
}

// A Series is the measurement of one quantity, step by step. Each step makes the
// runs of one process; a sample is complete after [Options.Processes] of them, and
// the shortest run of either program in all of them counts. Steps may be taken
// long after each other: then what lasts for seconds, such as other work on a core
// that the processor shares, is passed over when a sample has a process before or
// after it, and what lasts longer makes samples differ, and so the deviation large.
// Processes of the same program differ in where their pages and stacks lie.
//
// In a step the runs of both programs take turns, and so does which of them
// begins, so that a machine that becomes slower or faster delays both alike.
//
// For a sample below 0 another is taken. It counts with the others unless it is an
// outlier: without it the median of what takes next to no time would be too large.
// When the quantity cannot be told from the noise, all samples are taken once
// more, with runs that are twice as long.
type Series struct {
	// Iterations of a run, 0 before the first step.
	Iterations int       `json:"iterations,omitempty"`
	Samples    []float64 `json:"samples,omitempty"`
	// Steps is the number of steps of the sample that is not complete, First and
	// Second are the seconds of the shortest runs in them.
	Steps  int     `json:"steps,omitempty"`
	First  float64 `json:"first_s,omitempty"`
	Second float64 `json:"second_s,omitempty"`
	// Again says that the samples are those of the second attempt.
	Again bool `json:"again,omitempty"`
	// Done says that no further step is needed; Reason then says why the
	// quantity is left out, empty when it was measured.
	Done   bool   `json:"done,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Step makes the runs of a process. It must not be called when the series is done.
// The error is that of a program; noise is none.
func (s *Series) Step(first, second Runner, q Quantity, o Options) error {
	whole := o
	if s.Again {
		o.RunTime = 2 * max(o.RunTime, grainsPerRun*o.Grain)
	}
	err := s.step(first, second, q, o)
	if err == nil && len(s.Samples)-s.Negative() == o.Samples {
		s.Done = true
		_, err = s.Timing(q, whole)
	}
	u, unclear := errors.AsType[*Unmeasured](err)
	switch {
	case !unclear:
		return err
	case s.Again:
		s.Done, s.Reason = true, u.Reason
	default:
		*s = Series{Again: true}
	}
	return nil
}

// step makes the runs of a process in one attempt.
func (s *Series) step(first, second Runner, q Quantity, o Options) error {
	if s.Iterations == 0 {
		n, err := calibrate(first, o)
		if err != nil {
			return err
		}
		s.Iterations = n
	}
	swap := (len(s.Samples)*o.Processes+s.Steps)%2 == 1
	a, b, err := shortest(first, s.Iterations, second, s.Iterations*q.scale, o.Repeats, swap)
	if err != nil {
		return err
	}
	if s.Steps > 0 {
		a, b = min(a, s.First), min(b, s.Second)
	}
	s.Steps, s.First, s.Second = s.Steps+1, a, b
	if s.Steps < o.Processes {
		return nil
	}
	s.Steps, s.First, s.Second = 0, 0, 0
	v, err := q.value(s.Iterations, a, b)
	if err != nil {
		return err
	}
	s.Samples = append(s.Samples, v)
	if n := s.Negative(); v < 0 && n > o.MaxNegative() {
		return &Unmeasured{fmt.Sprintf("the second program was faster than the first in %d of %d samples", n, len(s.Samples))}
	}
	return nil
}

// Valid tells whether a series that was read can be one of these options.
func (s *Series) Valid(o Options) bool {
	wanted := len(s.Samples) - s.Negative()
	for _, v := range append([]float64{s.First, s.Second}, s.Samples...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	switch {
	case s.Iterations < 0 || s.Iterations > maxIterations || s.First < 0 || s.Second < 0:
		return false
	case s.Steps < 0 || s.Steps >= o.Processes || s.Iterations == 0 && s.Steps+len(s.Samples) > 0:
		return false
	case s.Done && s.Reason == "":
		return wanted == o.Samples && s.Steps == 0
	case s.Done:
		return s.Again
	}
	return wanted < o.Samples && s.Reason == ""
}

// Negative returns the number of samples below 0.
func (s *Series) Negative() int {
	n := 0
	for _, v := range s.Samples {
		if v < 0 {
			n++
		}
	}
	return n
}

// Left returns how many steps are needed until the series is done, when no further
// sample is below 0 and the quantity can be told from the noise.
func (s *Series) Left(o Options) int {
	if s.Done {
		return 0
	}
	return (o.Samples-len(s.Samples)+s.Negative())*o.Processes - s.Steps
}

// Timing returns what a series that is done gave. The error is an [*Unmeasured]
// when the quantity cannot be told from the noise.
func (s *Series) Timing(q Quantity, o Options) (Timing, error) {
	if s.Reason != "" {
		return Timing{}, &Unmeasured{s.Reason}
	}
	t := Timing{Negative: s.Negative()}
	resolution := q.resolution(s.Iterations, o)
	t.set(s.Samples, resolution)
	err := t.significant(resolution)
	t.Deviation = math.Hypot(math.Hypot(t.Deviation, resolution), ClockRate*t.Center)
	return t, err
}
