package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dvmtools/pkg/machine/measure"
)

// shared is a processor that shares its core: while other work runs beside it, for
// seconds, the loop takes 1.6 times as long and what is measured 2.2 times.
type shared struct {
	machine
	rate  float64 // by which everything is slower than usual
	slow  bool
	until float64 // when that changes
	last  float64 // how long each state lasts on average, in seconds
}

// operation is a program on it: seconds of the loop and of what is measured in an
// iteration.
type operation struct {
	m               *shared
	loop, operation float64
}

func (o operation) Run(n int) (float64, error) {
	m := o.m
	for m.now >= m.until {
		m.slow = !m.slow
		m.until += m.random.ExpFloat64() * m.last
	}
	t := o.loop + o.operation
	if m.slow {
		t = 1.6*o.loop + 2.2*o.operation
	}
	return loop{&m.machine, (1 + m.rate) * t}.Run(n)
}

const operations = 40

// whole measures operations of 0.05 to 20 ns in loops of 1000, as a run of measure
// does: a step of each in a round of 4 s, each in a process of its own, in which an
// operation differs by 1 % from others. The clock rate of the processor is that of
// other runs but for at most 1 %. In bursts, all steps of an operation follow
// each other, with one process for each of 20 samples. It returns nil for what
// cannot be told from the noise.
func whole(t *testing.T, seed uint64, bursts bool) []*measure.Timing {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 9))
	m := &shared{machine: machine{grain: 1e-6, noise: 0.002, preempted: 0.02, random: random}, last: 5}
	m.slow, m.rate = random.Float64() < 0.5, 0.02*(random.Float64()-0.5)
	o := measure.Options{Samples: 10, Processes: 6, Repeats: 6, RunTime: 0.001, Grain: 1e-6}
	if bursts {
		o.Samples, o.Processes, o.Repeats = 20, 1, 15
	}
	q := measure.Operation(1000)
	all := make([]measure.Series, operations)
	step := func(i int) {
		bias := 1 + 0.01*random.NormFloat64()
		seconds := 1000 * 5e-11 * math.Pow(20/0.05, float64(i)/(operations-1))
		if err := all[i].Step(operation{m, 1.25e-6, 0}, operation{m, 1.25e-6, bias * seconds}, q, o); err != nil {
			t.Fatal(err)
		}
	}
	for open := true; open; {
		open = false
		for i := range all {
			for bursts && !all[i].Done {
				step(i)
			}
			if !all[i].Done {
				step(i)
				m.now += 0.08 // other names
				open = true
			}
		}
	}
	timings := make([]*measure.Timing, operations)
	for i := range all {
		if timing, err := all[i].Timing(q, o); err == nil {
			timings[i] = &timing
		}
	}
	return timings
}

// agreeing counts the operations that two runs agree about: both have none, or
// they agree within their deviations.
func agreeing(a, b []*measure.Timing) (n int) {
	for i := range a {
		if a[i] == nil && b[i] == nil || a[i] != nil && b[i] != nil && measure.Agree(a[i].Center, a[i].Deviation, b[i].Center, b[i].Deviation) {
			n++
		}
	}
	return n
}

// TestSharedProcessor: any two runs on a processor of two speeds agree for 90 % of
// the names or more within the deviations that they state, which are below a tenth
// for most names. When the steps of a name follow each other, they know too little
// of the other speed.
func TestSharedProcessor(t *testing.T) {
	poor, coarse := 0, 0
	for seed := range uint64(100) {
		a, b := whole(t, 2*seed, false), whole(t, 2*seed+1, false)
		if n := agreeing(a, b); n < operations*9/10 {
			t.Errorf("seed %d: two runs agree for %d of %d names", seed, n, operations)
		}
		for i, x := range a {
			switch {
			case x == nil:
				t.Errorf("seed %d: operation %d is not measured", seed, i)
			case x.Deviation > 0.1*x.Center:
				coarse++
			}
		}
		if agreeing(whole(t, 2*seed, true), whole(t, 2*seed+1, true)) < operations*9/10 {
			poor++
		}
	}
	if coarse > 100*operations/20 {
		t.Errorf("%d of %d timings have a deviation above a tenth", coarse, 100*operations)
	}
	if poor < 50 {
		t.Errorf("in bursts %d of 100 pairs of runs agree for less than 90 %% of the names: the test has nothing to show", poor)
	}
}
