package measure

import (
	"errors"
	"fmt"
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

// resolution is by how much the step of the clock changes the quantity.
func (q Quantity) resolution(n int, o Options) float64 {
	if q.operations == 0 {
		return 0
	}
	return o.Grain / (float64(n) * float64(q.operations))
}

// A Series is the measurement of one quantity, sample by sample. Samples may be
// taken long after each other and in different processes of the same programs:
// then their deviation holds what changes slowly, and what differs between
// processes, such as where their pages lie in caches.
//
// In a sample the runs of both programs take turns, and so does which of them
// begins, so that a machine that becomes slower or faster delays both alike;
// the shortest of [Options.Repeats] runs counts, so that one that was interrupted
// does not.
//
// When the quantity cannot be told from the noise, all samples are taken once
// more, with runs that are twice as long, and twice as many.
type Series struct {
	// Iterations of a run, 0 before the first sample.
	Iterations int       `json:"iterations,omitempty"`
	Samples    []float64 `json:"samples,omitempty"`
	// Negative counts the samples below 0, which do not count.
	Negative int `json:"negative,omitempty"`
	// Again says that the samples are those of the second attempt.
	Again bool `json:"again,omitempty"`
	// Done says that no further sample is needed; Reason then says why the
	// quantity is left out, empty when it was measured.
	Done   bool   `json:"done,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Sample takes a further sample. It must not be called when the series is done.
// The error is that of a program; noise is none.
func (s *Series) Sample(first, second Runner, q Quantity, o Options) error {
	whole := o
	if s.Again {
		o.Repeats *= 2
		o.RunTime = 2 * max(o.RunTime, grainsPerRun*o.Grain)
	}
	err := s.sample(first, second, q, o)
	if err == nil && len(s.Samples) == o.Samples {
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

// sample takes a sample of one attempt.
func (s *Series) sample(first, second Runner, q Quantity, o Options) error {
	if s.Iterations == 0 {
		n, err := calibrate(first, o)
		if err != nil {
			return err
		}
		s.Iterations = n
	}
	a, b, err := shortest(first, s.Iterations, second, s.Iterations*q.scale, o.Repeats, (len(s.Samples)+s.Negative)%2 == 1)
	if err != nil {
		return err
	}
	v, err := q.value(s.Iterations, a, b)
	if err != nil {
		return err
	}
	if v >= 0 {
		s.Samples = append(s.Samples, v)
		return nil
	}
	if s.Negative++; float64(s.Negative) > max(1, maxNegative*float64(o.Samples)) {
		return &Unmeasured{fmt.Sprintf("the second program was faster than the first in %d of %d samples", s.Negative, s.Negative+len(s.Samples))}
	}
	return nil
}

// Timing returns what a series that is done gave. The error is an [*Unmeasured]
// when the quantity cannot be told from the noise.
func (s *Series) Timing(q Quantity, o Options) (Timing, error) {
	if s.Reason != "" {
		return Timing{}, &Unmeasured{s.Reason}
	}
	t := Timing{Negative: s.Negative}
	resolution := q.resolution(s.Iterations, o)
	t.average(append([]float64{}, s.Samples...), resolution)
	return t, t.significant(resolution)
}
