package report

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Numbers with nine digits read back as what they were, to half a unit of the
// ninth digit and its rounding.
func TestNineDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	list := []float64{1e-13, 9.99999999e-14, 1, 10, 0.1, 0.5, 99999999.5, 999999.9996, 0.99999999951, 1e8, 1e7, 12345678, 123456789e-13, math.Pi, 1e-9, 1e22, -1, math.Inf(1), math.NaN()}
	for range 20_000 {
		list = append(list, math.Exp(r.Float64()*48-29.9))
	}
	for _, x := range list {
		var m markup
		if done := m.nine(x); done != (x >= 1e-13 && x < 1e8) {
			t.Errorf("%v: done is %t", x, done)
		} else if !done {
			continue
		}
		got, err := strconv.ParseFloat(string(m), 64)
		if err != nil || math.Abs(got-x) > 5.1e-9*x {
			t.Errorf("%v is written as %s, %v", x, m, err)
		}
		if len(m) > 14 {
			t.Errorf("%v takes %s", x, m)
		}
	}
}

func BenchmarkNineDigits(b *testing.B) {
	m := make(markup, 0, 64)
	for b.Loop() {
		m = m[:0]
		m.nine(0.00123456789123)
	}
}
