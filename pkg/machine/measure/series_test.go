package measure_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"dvmtools/pkg/machine/measure"
)

// measured takes all samples of an operation of 5 ns, each in a process of its own
// or all in one. What an operation takes differs between processes by a standard
// deviation of 10 %, and in a process by one of 1 %, of the loop by 0.01 %.
func measured(t *testing.T, seed uint64, oneProcess bool) measure.Timing {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 5))
	o := measure.Options{Samples: 20, Processes: 1, Repeats: 2, RunTime: 0.01, Grain: 1e-9}
	q := measure.Operation(1000)
	var s measure.Series
	bias := 0.0
	for i := 0; !s.Done; i++ {
		if i == 0 || !oneProcess {
			bias = 1 + 0.1*random.NormFloat64()
		}
		m := &machine{grain: 1e-9, noise: 0.0001, random: random}
		if err := s.Step(loop{m, 20e-6}, loop{m, 20e-6 + bias*5e-6}, q, o); err != nil {
			t.Fatal(err)
		}
	}
	timing, err := s.Timing(q, o)
	if err != nil {
		t.Fatal(err)
	}
	return timing
}

// TestAgreement: runs whose samples lie in different processes agree within the
// deviations that they state. When all samples of a run lie in one process, the
// deviation knows nothing of other processes, and they do not.
func TestAgreement(t *testing.T) {
	agree := func(oneProcess bool) int {
		n := 0
		for pair := range uint64(200) {
			a, b := measured(t, 2*pair, oneProcess), measured(t, 2*pair+1, oneProcess)
			if math.Abs(a.Center-b.Center) <= math.Hypot(a.Deviation, b.Deviation) {
				n++
			}
		}
		return n
	}
	if n := agree(false); n < 190 {
		t.Errorf("%d of 200 pairs of runs agree, want 190 or more", n)
	}
	if n := agree(true); n > 100 {
		t.Errorf("%d of 200 pairs of runs in one process agree: the test has nothing to show", n)
	}
	// The deviation is that between processes, not more.
	if d := measured(t, 1, false).Deviation; d < 0.05*5e-9 || d > 0.15*5e-9 {
		t.Errorf("a deviation of %v s, want about 0.1 of 5 ns", d)
	}
}

// TestSeriesGoesOn: a series that is written and read between samples gives the
// same as one that is not, also when a second attempt is needed. The times are
// those of TestTriedAgain.
func TestSeriesGoesOn(t *testing.T) {
	times := script{1, 1, 0.5, 0.5, 1, 2, 1, 1.5, 1.5, 1, 1, 1.5, 9}
	o := measure.Options{Samples: 3, Processes: 1, Repeats: 1, RunTime: 1, Grain: 1e-6}
	q := measure.Operation(10)
	var s measure.Series
	again := false
	for !s.Done {
		if err := s.Step(&times, &times, q, o); err != nil {
			t.Fatal(err)
		}
		again = again || s.Again
		if !s.Valid(o) {
			t.Errorf("%+v is not valid", s)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		before := s
		s = measure.Series{}
		if err := json.Unmarshal(b, &s); err != nil || !reflect.DeepEqual(s, before) {
			t.Fatalf("%s: %+v, %v, want %+v", b, s, err, before)
		}
	}
	got, err := s.Timing(q, o)
	if err != nil || !again || math.Abs(got.Center-0.05) > 1e-12 || got.Samples != 3 || len(times) != 1 {
		t.Errorf("%+v, %v, second attempt %v, %d times left: want 0.05 s by the second attempt", got, err, again, len(times))
	}
}

// TestSeriesUnmeasured: after two attempts there is a reason, and no sample is
// asked for.
func TestSeriesUnmeasured(t *testing.T) {
	m := &machine{grain: 1e-6, random: rand.New(rand.NewPCG(1, 1))}
	o := measure.Options{Samples: 20, Processes: 1, Repeats: 1, Grain: 1e-6}
	q := measure.Operation(1000)
	var s measure.Series
	n := 0
	for ; !s.Done && n < 100; n++ {
		if err := s.Step(loop{m, 20e-6}, loop{m, 15e-6}, q, o); err != nil {
			t.Fatal(err)
		}
	}
	// The sixth negative difference, more than a quarter of 20, ends an attempt.
	if _, err := s.Timing(q, o); err == nil || n != 12 || s.Reason == "" {
		t.Errorf("%+v after %d samples, %v: want a reason after 12", s, n, err)
	}
}

// TestSeriesValid: what no series can be.
func TestSeriesValid(t *testing.T) {
	o := measure.Options{Samples: 3, Processes: 2}
	for _, text := range []string{
		`{}`, `{"again":true}`, `{"iterations":5,"steps":1,"first_s":1,"second_s":2}`, `{"iterations":5,"samples":[1,-1,2]}`,
		`{"iterations":5,"samples":[1,-1,2,3],"done":true}`, `{"again":true,"done":true,"reason":"r"}`,
	} {
		var s measure.Series
		if err := json.Unmarshal([]byte(text), &s); err != nil || !s.Valid(o) {
			t.Errorf("%s: not valid, %v", text, err)
		}
	}
	for _, text := range []string{
		`{"iterations":-1}`, `{"steps":1}`, `{"samples":[1]}`, `{"iterations":5,"steps":2}`, `{"iterations":5,"steps":-1}`,
		`{"iterations":5,"steps":1,"first_s":-1}`, `{"iterations":5,"samples":[1,2],"done":true}`, `{"iterations":5,"samples":[1,2,3]}`,
		`{"iterations":5,"samples":[1,2,3],"done":true,"steps":1}`, `{"done":true,"reason":"r"}`, `{"reason":"r"}`, `{"iterations":99999999999}`,
	} {
		var s measure.Series
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Valid(o) {
			t.Errorf("%s: valid, %v", text, err)
		}
	}
}

// TestSeriesLeft: 3 samples of 2 processes, of which one is complete, one was below
// 0 and one has a process: 3 steps are left.
func TestSeriesLeft(t *testing.T) {
	o := measure.Options{Samples: 3, Processes: 2}
	s := measure.Series{Iterations: 1, Samples: []float64{1, -1}, Steps: 1}
	if n := s.Left(o); n != 3 {
		t.Errorf("%d steps are left, want 3", n)
	}
	if n := (&measure.Series{Done: true}).Left(o); n != 0 {
		t.Errorf("%d steps are left of a series that is done", n)
	}
}
