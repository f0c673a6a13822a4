package measure

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Runner runs the loop of one program. Run returns the seconds of processor
// time that a number of iterations, at least 1, took. A run that another
// process interrupts may seem longer, never shorter.
type Runner interface {
	Run(iterations int) (seconds float64, err error)
}

// Options control the precision of measurements.
type Options struct {
	// Samples is the number of differences whose median counts, at least 3.
	Samples int
	// Processes is the number of processes that a sample is taken in, one after
	// the other, at least 1.
	Processes int
	// Repeats is how often each run is made in a process. The shortest of all runs
	// of a sample counts.
	Repeats int
	// RunTime is the shortest time of a run in seconds. Every run also takes at
	// least a thousand times Grain.
	RunTime float64
	// Grain is the resolution of the clock in seconds.
	Grain float64
}

// MaxNegative is how many samples below 0 an attempt may have: for more of them
// than that no other is taken, and the attempt ends.
func (o Options) MaxNegative() int { return max(1, int(maxNegative*float64(o.Samples))) }

// A Timing is what was measured.
type Timing struct {
	// Center is the median of the samples and Deviation their standard deviation,
	// in seconds per operation, or for a speed-up a factor. Of a [Series] the
	// deviation includes the step of the clock, and [ClockRate].
	Center, Deviation float64
	Samples           int
	// Negative counts the samples below 0, for each of which another was taken,
	// and Outliers those that were left out since they were far from the others.
	Negative, Outliers int
}

// An Unmeasured is the error of a quantity that cannot be told from the noise
// of the measurement.
type Unmeasured struct{ Reason string }

// Error returns the reason.
func (e *Unmeasured) Error() string { return e.Reason }

const (
	grainsPerRun  = 1000
	maxIterations = 1 << 30
	// maxNegative is how many negative differences there may be for each sample
	// that is wanted. With more of them the quantity cannot be measured.
	maxNegative = 0.25
	// Samples farther from the median than farAway standard deviations, which
	// are estimated from the median distance, are left out as outliers. When
	// their share is above maxOutliers, none is left out.
	farAway     = 5
	maxOutliers = 0.25
)

// ClockRate is the standard deviation, relative, that all timings have beyond that of
// their samples. A processor that nothing disturbs is faster in one hour than in another,
// by its temperature and by what the cores beside it do; one run cannot see that.
const ClockRate = 0.02

// Difference measures one operation by the two-run difference method
// (Parasol I, 3.1): second executes operations more of them than first in
// each iteration. The error is an [*Unmeasured] when the difference cannot be
// told from 0: it is too often negative, or lies within three standard deviations
// of the mean of its samples. See [Series] for a measurement that is spread over
// time.
func Difference(first, second Runner, operations int, o Options) (Timing, error) {
	return alone(first, second, Operation(operations), o)
}

// Speedup measures how much faster a group of statements is in a loop whose
// body fits into the instruction cache (Parasol I, 2.3): long and short
// execute longGroups and shortGroups of the same groups in each iteration.
// The factor has no unit.
func Speedup(long Runner, longGroups int, short Runner, shortGroups int, o Options) (Timing, error) {
	return alone(long, short, Lengthening(longGroups, shortGroups), o)
}

// alone takes all samples one after the other.
func alone(first, second Runner, q Quantity, o Options) (Timing, error) {
	var s Series
	for !s.Done {
		if err := s.Step(first, second, q, o); err != nil {
			return Timing{}, err
		}
	}
	return s.Timing(q, o)
}

// calibrate returns the number of iterations with which a run is long enough.
func calibrate(r Runner, o Options) (int, error) {
	if o.Samples < 3 || o.Processes < 1 || o.Repeats < 1 || !(o.Grain > 0) || !(o.RunTime >= 0) {
		return 0, fmt.Errorf("found %d samples in %d processes of %d repeats, runs of %v s and a clock grain of %v s, expected at least 3 samples in 1 process of 1 repeat, and a grain above 0", o.Samples, o.Processes, o.Repeats, o.RunTime, o.Grain)
	}
	want := max(o.RunTime, grainsPerRun*o.Grain)
	for n := 1; n <= maxIterations; {
		t, err := r.Run(n)
		if err != nil {
			return 0, err
		}
		if t >= want {
			return n, nil
		}
		// At most tenfold: a first run of few grains says little.
		n = int(math.Ceil(float64(n) * min(10, max(1.2, 1.1*want/max(t, o.Grain)))))
	}
	return 0, &Unmeasured{fmt.Sprintf("%d iterations take less than %v s", maxIterations, want)}
}

// shortest makes the runs of a process in turn, the second program first if
// swap says so, and returns the shortest time of each.
func shortest(first Runner, n int, second Runner, m, repeats int, swap bool) (a, b float64, err error) {
	a, b = math.Inf(1), math.Inf(1)
	once := func(r Runner, n int, best *float64) {
		if err != nil {
			return
		}
		var t float64
		t, err = r.Run(n)
		if err == nil && (math.IsNaN(t) || t < 0) {
			err = errors.New("the clock went backwards during a run")
		}
		*best = min(*best, t)
	}
	for i := range repeats {
		if i%2 == 0 != swap {
			once(first, n, &a)
			once(second, m, &b)
		} else {
			once(second, m, &b)
			once(first, n, &a)
		}
	}
	return a, b, err
}

// set takes the median and the deviation of samples, without a few that are far
// from the median. Samples differ by the resolution of the clock in any case.
func (t *Timing) set(samples []float64, resolution float64) {
	samples = slices.Sorted(slices.Values(samples))
	center := median(samples)
	var distances []float64
	for _, s := range samples {
		distances = append(distances, math.Abs(s-center))
	}
	slices.Sort(distances)
	// 1.4826 times the median distance is the standard deviation of normally
	// distributed samples.
	limit := farAway * max(1.4826*median(distances), resolution)
	kept := slices.DeleteFunc(slices.Clone(samples), func(s float64) bool { return math.Abs(s-center) > limit })
	if float64(len(samples)-len(kept)) > maxOutliers*float64(len(samples)) {
		kept = samples
	}
	t.Outliers = len(samples) - len(kept)
	t.Samples = len(kept)
	t.Center = median(kept)
	sum := 0.0
	for _, s := range kept {
		sum += s
	}
	mean := sum / float64(len(kept))
	squares := 0.0
	for _, s := range kept {
		squares += float64((s - mean) * (s - mean))
	}
	if len(kept) > 1 {
		t.Deviation = math.Sqrt(squares / float64(len(kept)-1))
	}
}

// median returns the middle of sorted numbers.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// significant returns an [*Unmeasured] when the median is not above three
// standard deviations of the mean, or below the resolution of the clock.
func (t *Timing) significant(resolution float64) error {
	if t.Center <= resolution {
		return &Unmeasured{fmt.Sprintf("the median of %d samples, %.3g, is not above the resolution of the clock, %.3g", t.Samples, t.Center, resolution)}
	}
	if noise := t.Deviation / math.Sqrt(float64(t.Samples)); !(t.Center > 3*noise) {
		return &Unmeasured{fmt.Sprintf("the median of %d samples, %.3g, is not above three standard deviations of their mean, %.3g each", t.Samples, t.Center, noise)}
	}
	return nil
}
