package measure_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dvmtools/pkg/machine/measure"
)

// machine is a processor with a clock that is simulated. Time passes for both
// programs in one order, as they take turns.
type machine struct {
	random *rand.Rand
	now    float64
	// grain is the step of the clock; noise the standard deviation of a run,
	// relative; drift by how much everything becomes slower in a second;
	// preempted the probability that a run takes ten times as long.
	grain, noise, drift, preempted float64
	runs                           int
}

// loop is a program on the machine.
type loop struct {
	m         *machine
	iteration float64
}

func (l loop) Run(n int) (float64, error) {
	m := l.m
	m.runs++
	t := float64(n) * l.iteration * (1 + m.drift*m.now)
	t *= 1 + m.noise*math.Abs(m.random.NormFloat64())
	if m.random.Float64() < m.preempted {
		t *= 10
	}
	before := math.Floor(m.now / m.grain)
	m.now += t
	return (math.Floor(m.now/m.grain) - before) * m.grain, nil
}

// TestDifference: 1000 operations of 5 ns above a loop body of 20 us.
func TestDifference(t *testing.T) {
	for _, c := range []struct {
		name      string
		m         machine
		tolerance float64
	}{
		{"an exact clock", machine{grain: 1e-9}, 1e-3},
		{"a coarse clock", machine{grain: 1e-3}, 2e-2},
		{"noise", machine{grain: 1e-6, noise: 0.02}, 2e-2},
		{"drift", machine{grain: 1e-6, drift: 0.01}, 3e-2},
		{"preempted runs", machine{grain: 1e-6, noise: 0.005, preempted: 0.1}, 3e-2},
		{"everything", machine{grain: 1e-5, noise: 0.01, drift: 0.005, preempted: 0.1}, 5e-2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.m
			m.random = rand.New(rand.NewPCG(1, 2))
			got, err := measure.Difference(loop{&m, 20e-6}, loop{&m, 25e-6}, 1000,
				measure.Options{Samples: 20, Processes: 1, Repeats: 4, RunTime: 0.01, Grain: m.grain})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Center-5e-9) > c.tolerance*5e-9 || got.Deviation > 0.2*5e-9 {
				t.Errorf("%v, want 5e-9 within %v", got, c.tolerance)
			}
			if got.Samples+got.Outliers != 20 {
				t.Errorf("%d samples and %d outliers of 20", got.Samples, got.Outliers)
			}
		})
	}
}

// TestDrift: an operation that takes a thousandth of the loop's time, on a
// machine that becomes 5 % slower each second. A run of 10 ms makes the one
// behind it 0.05 % longer, half of what the operations take, unless which
// program comes first changes. The mean is above 20 ps by the average slowness.
func TestDrift(t *testing.T) {
	m := machine{grain: 1e-9, drift: 0.05, random: rand.New(rand.NewPCG(1, 2))}
	got, err := measure.Difference(loop{&m, 20e-6}, loop{&m, 20.02e-6}, 1000,
		measure.Options{Samples: 20, Processes: 1, Repeats: 4, RunTime: 0.01, Grain: 1e-9})
	if err != nil || got.Center < 19e-12 || got.Center > 22e-12 {
		t.Errorf("%+v, %v: want 20 to 21.5 ps", got, err)
	}
}

// TestNothingToMeasure: noise is no timing.
func TestNothingToMeasure(t *testing.T) {
	for seed := range uint64(20) {
		m := machine{grain: 1e-6, noise: 0.05, random: rand.New(rand.NewPCG(seed, 7))}
		got, err := measure.Difference(loop{&m, 20e-6}, loop{&m, 20e-6}, 1000,
			measure.Options{Samples: 20, Processes: 1, Repeats: 2, RunTime: 0.01, Grain: 1e-6})
		if _, ok := errors.AsType[*measure.Unmeasured](err); !ok {
			t.Errorf("seed %d: %v, error %v, want one that says that it is unmeasured", seed, got, err)
		}
	}
	exact := machine{grain: 1e-6, random: rand.New(rand.NewPCG(1, 1))}
	if _, err := measure.Difference(loop{&exact, 20e-6}, loop{&exact, 15e-6}, 1000,
		measure.Options{Samples: 20, Processes: 1, Repeats: 1, Grain: 1e-6}); err == nil {
		t.Error("a second program that is always faster gives a timing")
	}
}

// deviation is what a series states: that of the samples, the step of the clock, and
// 2 % of the center.
func deviation(samples, step, center float64) float64 {
	return math.Sqrt(samples*samples + step*step + 0.02*0.02*center*center)
}

// TestNegative: a single negative difference is measured again and counted.
// The second program begins every other sample.
func TestNegative(t *testing.T) {
	s := script{1, 1, 0.5, 1.5, 1, 1, 1.5, 1.5, 1}
	got, err := measure.Difference(&s, &s, 10, measure.Options{Samples: 3, Processes: 1, Repeats: 1, RunTime: 1, Grain: 1e-6})
	if err != nil || got.Negative != 1 || got.Samples != 3 || math.Abs(got.Center-0.05) > 1e-12 || math.Abs(got.Deviation-deviation(0, 1e-7, 0.05)) > 1e-12 {
		t.Errorf("%+v, %v: want one negative difference and three samples of 0.05", got, err)
	}
}

// TestOutlier: a sample that is far from all others does not count. The
// others are 0.4, 0.5 and 0.6 s for 10 operations, so the median is 0.05 and the
// deviation 0.01.
func TestOutlier(t *testing.T) {
	s := script{1, 1, 1.4, 1.5, 1, 1, 1.6, 3.0, 1}
	got, err := measure.Difference(&s, &s, 10, measure.Options{Samples: 4, Processes: 1, Repeats: 1, RunTime: 1, Grain: 1e-6})
	if err != nil || got.Outliers != 1 || math.Abs(got.Center-0.05) > 1e-12 || math.Abs(got.Deviation-deviation(0.01, 1e-7, 0.05)) > 1e-12 {
		t.Errorf("%+v, %v: want a median of 0.05 and a deviation of 0.01, one outlier", got, err)
	}
}

// TestScattered: when most samples are equal by the steps of the clock, the
// others are no outliers. Five are 0.5 s, three 0.9 s: 0.5 s in the middle, and
// on average 0.65 s, with a deviation of the root of (5 * 0.15^2 + 3 * 0.25^2) / 7 s.
func TestScattered(t *testing.T) {
	s := script{1, 1, 1.5, 1.5, 1, 1, 1.5, 1.9, 1, 1, 1.9, 1.5, 1, 1, 1.9, 1.5, 1}
	got, err := measure.Difference(&s, &s, 10, measure.Options{Samples: 8, Processes: 1, Repeats: 1, RunTime: 1, Grain: 1e-6})
	if err != nil || got.Outliers != 0 || math.Abs(got.Center-0.05) > 1e-12 || math.Abs(got.Deviation-deviation(math.Sqrt(0.3/7)/10, 1e-7, 0.05)) > 1e-12 {
		t.Errorf("%+v, %v: want a median of 0.05 without outliers", got, err)
	}
}

// TestTriedAgain: two negative differences end the first attempt;
// the second, with runs of twice the time, gives 0.05 s.
func TestTriedAgain(t *testing.T) {
	s := script{1, 1, 0.5, 0.5, 1, // first attempt
		2, 1, 1.5, 1.5, 1, 1, 1.5, 9}
	got, err := measure.Difference(&s, &s, 10, measure.Options{Samples: 3, Processes: 1, Repeats: 1, RunTime: 1, Grain: 1e-6})
	if err != nil || math.Abs(got.Center-0.05) > 1e-12 {
		t.Errorf("%+v, %v: want 0.05", got, err)
	}
	if len(s) != 1 { // two runs a sample
		t.Errorf("%d times are left, want 1", len(s))
	}
}

// linear is a program that takes so many seconds an iteration, by any clock.
type linear float64

func (l linear) Run(n int) (float64, error) { return float64(n) * float64(l), nil }

// TestResolution: 0.01 s more in a run of 100 s is no timing when the clock
// steps by 0.1 s, however often it shows the same.
func TestResolution(t *testing.T) {
	got, err := measure.Difference(linear(100), linear(100.01), 1, measure.Options{Samples: 3, Processes: 1, Repeats: 1, Grain: 0.1})
	if err == nil || !strings.Contains(err.Error(), "the resolution of the clock") {
		t.Errorf("%+v, %v: want an error about the clock", got, err)
	}
}

// script is a clock that shows one time after the other.
type script []float64

func (s *script) Run(int) (float64, error) {
	if len(*s) == 0 {
		return 0, errors.New("the script is at its end")
	}
	t := (*s)[0]
	*s = (*s)[1:]
	return t, nil
}

// TestCalibration: the runs are as long as the grain of the clock asks for.
func TestCalibration(t *testing.T) {
	m := machine{grain: 0.01, random: rand.New(rand.NewPCG(1, 1))}
	_, err := measure.Difference(loop{&m, 1e-3}, loop{&m, 2e-3}, 1, measure.Options{Samples: 3, Processes: 1, Repeats: 1, RunTime: 0.001, Grain: 0.01})
	// Three samples of at least 10 s and 20 s.
	if err != nil || m.now < 90 {
		t.Errorf("%v s of simulated time, error %v, want at least 90", m.now, err)
	}
	if _, err := measure.Difference(loop{&m, 1}, loop{&m, 1}, 1, measure.Options{}); err == nil {
		t.Error("no samples are in order")
	}
	if _, err := measure.Difference(loop{&m, 0}, loop{&m, 1}, 1, measure.Options{Samples: 3, Processes: 1, Repeats: 1, Grain: 1}); err == nil {
		t.Error("a loop that takes no time gives a timing")
	}
}

// TestSpeedup: 1000 groups take 30 us in a long loop, 10 take 0.2 us in a
// short one: 30 ns and 20 ns each.
func TestSpeedup(t *testing.T) {
	m := machine{grain: 1e-6, noise: 0.01, random: rand.New(rand.NewPCG(3, 4))}
	got, err := measure.Speedup(loop{&m, 30e-6}, 1000, loop{&m, 0.2e-6}, 10, measure.Options{Samples: 10, Processes: 1, Repeats: 4, RunTime: 0.01, Grain: 1e-6})
	if err != nil || math.Abs(got.Center-1.5) > 0.02 {
		t.Errorf("%v, %v: want 1.5", got, err)
	}
}

func TestRunFails(t *testing.T) {
	broken := script{1}
	if _, err := measure.Difference(&broken, &broken, 1, measure.Options{Samples: 3, Processes: 1, Repeats: 1, RunTime: 1, Grain: 1e-6}); err == nil {
		t.Error("a program that fails gives a timing")
	}
}
