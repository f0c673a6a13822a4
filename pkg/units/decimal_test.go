package units_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"dvmtools/pkg/units"
)

// checkExact compares an exact number with that of strconv.
func checkExact(t *testing.T, x float64) {
	t.Helper()
	if got, want := string(units.AppendExact([]byte("x"), x)), "x"+strconv.FormatFloat(x, 'g', -1, 64); got != want {
		t.Errorf("%x is written as %s, want %s", x, got, want)
	}
}

// Exact numbers are those of strconv: of all sizes, with few digits and with many,
// the neighbours of powers of two and of ten, and halves between decimals.
func TestExact(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 0.1, 0.3, 5e-324, 1e23, math.MaxFloat64, math.Inf(1), math.NaN(),
		9007199254740993, 1e21, 1e20, 123456789012, 0.0001, 0.00001, 0.00012345, 12e-5, 1e-18, 4096, 4097, 2.5, 1e12, 1234567, 100000, 1e6, 1e7 + 0.5} {
		checkExact(t, x)
	}
	for e := -70; e < 50; e++ {
		for _, x := range []float64{math.Ldexp(1, e), math.Ldexp(3, e), math.Ldexp(10, e), math.Ldexp(5, e)} {
			checkExact(t, x)
			checkExact(t, math.Nextafter(x, 0))
			checkExact(t, math.Nextafter(x, math.Inf(1)))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		checkExact(t, math.Ldexp(1+r.Float64(), r.IntN(110)-65))
		x := float64(r.Int64N(1 << (1 + r.IntN(50))))
		checkExact(t, x)
		checkExact(t, x/math.Pow10(r.IntN(20)))
		checkExact(t, -x/1e6)
		checkExact(t, math.Nextafter(x/1e6, 1))
	}
}

func FuzzExact(f *testing.F) {
	for _, x := range []float64{0.1, 1 / 3.0, 1e-9, 1e9 + 0.5, 4096} {
		f.Add(math.Float64bits(x))
	}
	f.Fuzz(func(t *testing.T, word uint64) {
		checkExact(t, math.Float64frombits(word))
		// The same digits at a size of times.
		checkExact(t, math.Float64frombits(word&(1<<63-1<<56|1<<52-1)|0x3f<<56|word&(0xf<<52)))
	})
}

// Numbers with nine digits read back as what they were, to half a unit of the
// ninth digit and its rounding.
func TestNine(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	list := []float64{0, 1e-13, 9.99999999e-14, 1, 10, 0.1, 0.5, 99999999.5, 999999.9996, 0.99999999951, 1e8, 1e7, 12345678, 123456789e-13, math.Pi, 1e-9, 1e22, -1, 1e-300}
	for range 20_000 {
		list = append(list, math.Exp(r.Float64()*48-29.9))
	}
	for _, x := range list {
		text := string(units.AppendNine(nil, x))
		got, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(got-x) > 5.1e-9*math.Abs(x) {
			t.Errorf("%v is written as %s, %v", x, text, err)
		}
		if len(text) > 16 {
			t.Errorf("%v takes %s", x, text)
		}
	}
}

func TestDigits(t *testing.T) {
	list := []uint64{0, 5, math.MaxUint64}
	for n := uint64(1); n <= 1e19; n *= 10 {
		list = append(list, n-1, n, n+1, n*10/7)
		if n == 1e19 {
			break
		}
	}
	for _, n := range list {
		if got, want := string(units.AppendDigits(nil, n)), strconv.FormatUint(n, 10); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func BenchmarkExact(b *testing.B) {
	numbers := make([]float64, 1000)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range numbers {
		numbers[i] = r.Float64()
	}
	var buffer [40]byte
	b.Run("ours", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			units.AppendExact(buffer[:0], numbers[i%1000])
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			strconv.AppendFloat(buffer[:0], numbers[i%1000], 'g', -1, 64)
		}
	})
}
