package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dvmtools/pkg/machine/measure"
)

// points makes points of times in microseconds for 1000, 2000, 4000 ... bytes.
func points(us ...float64) []measure.Point {
	var all []measure.Point
	for i, t := range us {
		all = append(all, measure.Point{Bytes: 1000 << i, Seconds: t * 1e-6})
	}
	return all
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b)+1e-20 }

// TestFit: times in microseconds, and the line worked by hand.
func TestFit(t *testing.T) {
	for name, c := range map[string]struct {
		points        []measure.Point
		us, nsPerByte float64
		median, worst float64
		worstAt       int64
	}{
		"10 us and 2 ns a byte": {points(12, 14, 18, 26), 10, 2, 0, 0, 0},
		// The line gives 14 in place of 140: 126/140 less.
		"one time is ten times too long": {points(12, 140, 18, 26), 10, 2, 0, 0.9, 2000},
		"level":                          {points(5, 5, 5), 5, 0, 0, 0, 0},
		// A falling line is none: at 10 us only the first time is 10/20 off.
		"a byte costs nothing or more": {points(20, 10, 10), 10, 0, 0, 0.5, 1000},
		// Through the last two: 2 ns a byte from 0, the first is 0.5/1.5 off. Through
		// the first and 0 the others are 1/4 off each, together more. Lines through
		// the first and another begin below 0.
		"a message costs nothing or more": {points(1.5, 4, 8), 0, 2, 0, 1.0 / 3, 1000},
		// By absolute differences the line of 3 ns would pass through the last two,
		// from 0. Relative ones are least for 10 us and 2 ns: 12/32 at the end.
		"small messages count as much": {points(12, 14, 18, 26, 66.72), 10, 2, 0, 24.72 / 66.72, 16000},
	} {
		t.Run(name, func(t *testing.T) {
			l := measure.Fit(c.points)
			if !near(l.Latency, c.us*1e-6) || !near(l.PerByte, c.nsPerByte*1e-9) {
				t.Errorf("%v s + bytes * %v s, want %v us + bytes * %v ns", l.Latency, l.PerByte, c.us, c.nsPerByte)
			}
			if math.Abs(l.Median-c.median) > 1e-9 || math.Abs(l.Worst-c.worst) > 1e-9 || c.worst > 0 && l.WorstAt != c.worstAt {
				t.Errorf("off by %v in the median, %v at %d bytes, want %v and %v at %d", l.Median, l.Worst, l.WorstAt, c.median, c.worst, c.worstAt)
			}
			if l.From != 1000 || l.To != c.points[len(c.points)-1].Bytes {
				t.Errorf("from %d to %d", l.From, l.To)
			}
		})
	}
}

// TestFitLeast: no line near the one of Fit has a smaller sum of relative
// differences, for points with noise.
func TestFitLeast(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var all []measure.Point
		for i := range 3 + random.IntN(10) {
			all = append(all, measure.Point{Bytes: 1 << (2 * i), Seconds: (1e-6 + float64(int(1)<<(2*i))*1e-9) * (0.5 + random.Float64())})
		}
		cost := func(latency, perByte float64) float64 {
			sum := 0.0
			for _, p := range all {
				sum += math.Abs(latency+float64(p.Bytes)*perByte-p.Seconds) / p.Seconds
			}
			return sum
		}
		l := measure.Fit(all)
		best := cost(l.Latency, l.PerByte)
		for _, f := range []float64{0.9, 0.99, 1, 1.01, 1.1} {
			for _, g := range []float64{0.9, 0.99, 1, 1.01, 1.1} {
				if c := cost(l.Latency*f, l.PerByte*g); c < best*(1-1e-12) {
					t.Fatalf("%v: %v s + bytes * %v s costs %v, times %v and %v less: %v", all, l.Latency, l.PerByte, best, f, g, c)
				}
			}
		}
	}
}

// TestPieces: where one line does not fit, from which size on another begins.
func TestPieces(t *testing.T) {
	noisy := points(11, 12, 14, 18, 26, 42, 74)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noisy {
		noisy[i].Seconds *= 1 + 0.1*(2*random.Float64()-1)
	}
	for name, c := range map[string]struct {
		points []measure.Point
		from   []int64
	}{
		"one line":              {points(11, 12, 14, 18, 26, 42, 74), []int64{1000}},
		"one line within 10 %":  {noisy, []int64{1000}},
		"a size was disturbed":  {points(11, 12, 140, 18, 26, 42, 74), []int64{1000}},
		"two are all there are": {points(11, 12), []int64{1000}},
		// 10 us + 1 ns a byte, then 50 us + 2 ns a byte.
		"another protocol from 8000 bytes on": {points(11, 12, 14, 66, 82, 114), []int64{1000, 8000}},
		// Then 500 us + 0.5 ns a byte, from 64,000 bytes on.
		"and a third": {points(11, 12, 14, 66, 82, 114, 532, 564, 628), []int64{1000, 8000, 64000}},
	} {
		t.Run(name, func(t *testing.T) {
			lines := measure.Pieces(c.points)
			var from []int64
			for i, l := range lines {
				from = append(from, l.From)
				if i > 0 && lines[i-1].To*2 != l.From {
					t.Errorf("a line ends at %d, the next begins at %d", lines[i-1].To, l.From)
				}
			}
			if len(from) != len(c.from) {
				t.Fatalf("lines from %v, want %v", from, c.from)
			}
			for i := range from {
				if from[i] != c.from[i] {
					t.Errorf("lines from %v, want %v", from, c.from)
				}
			}
			if name == "another protocol from 8000 bytes on" && (!near(lines[1].Latency, 50e-6) || !near(lines[1].PerByte, 2e-9)) {
				t.Errorf("%+v, want 50 us and 2 ns a byte", lines[1])
			}
		})
	}
	// Times without any order have some lines, not an error.
	if lines := measure.Pieces(points(1, 100, 1, 100, 100, 1, 1, 100, 100, 1, 1, 100, 100, 1, 1, 100, 100, 1)); len(lines) == 0 {
		t.Error("no lines")
	}
}
