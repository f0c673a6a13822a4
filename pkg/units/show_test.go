package units_test

import (
	"math"
	"strconv"
	"testing"

	"dvmtools/pkg/units"
)

func TestShort(t *testing.T) {
	for _, c := range []struct {
		s    units.Seconds
		want string
	}{
		{0, "0 s"},
		{21.4e-6, "21.40 us"},
		{50.2e-3, "50.20 ms"},
		{3.1, "3.100 s"},
		{0.497176, "497.2 ms"},
		{1, "1.000 s"},
		{-21.4e-6, "-21.40 us"},
		{-3, "-3.000 s"},
		// Rounding comes before the choice of the unit: 999.94 us has the four
		// digits 999.9, 999.95 us would have five.
		{999.94e-6, "999.9 us"},
		{999.96e-6, "1.000 ms"},
		{-999.96e-6, "-1.000 ms"},
		{0.99996, "1.000 s"},
		{99.994e-9, "99.99 ns"},
		{99.996e-9, "100.0 ns"},
		// Below a nanosecond there is no smaller unit; 0.2 us per 1000 bytes.
		{0.2e-9, "0.2000 ns"},
		{1e-12, "0.001000 ns"},
		{1.5e-13, "1.500e-13 s"},
		{-5e-324, "-4.941e-324 s"},
		// Whole seconds are shown in full.
		{999.96, "1000 s"},
		{1234.4, "1234 s"},
		{86400, "86400 s"},
		{9999999.4, "9999999 s"},
		{1e7, "1.000e+07 s"},
		{-1.5e300, "-1.500e+300 s"},
		{units.Seconds(math.Inf(1)), "+Inf s"},
		{units.Seconds(math.NaN()), "NaN s"},
	} {
		if got := c.s.Short(); got != c.want {
			t.Errorf("%g s is shown as %q, want %q", float64(c.s), got, c.want)
		}
	}
}

// The number that is shown differs by at most half a unit of its fourth digit.
func TestShortIsClose(t *testing.T) {
	scale := map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
	for x := 1e-12; x < 1e12; x *= 1.0371 {
		number, unit := units.Seconds(x).Show()
		got, err := strconv.ParseFloat(number, 64)
		if err != nil || math.Abs(got*scale[unit]-x) > 0.00051*x {
			t.Errorf("%g s is shown as %s %s", x, number, unit)
		}
		if back, err := strconv.ParseFloat(units.Seconds(x).Exact(), 64); err != nil || back != x {
			t.Errorf("the exact form of %g is %s", x, units.Seconds(x).Exact())
		}
	}
}

// Numbers with few decimals are those that strconv rounds exactly.
func TestDecimals(t *testing.T) {
	check := func(share float64) {
		t.Helper()
		if share != 0 && math.Abs(share) < 0.0005 {
			return
		}
		if got, want := string(units.AppendPercent(nil, share)), strconv.FormatFloat(share*100, 'f', 1, 64); got != want {
			t.Errorf("%v is %s, want %s", share, got, want)
		}
		if x := math.Abs(share); x >= 1 && x < 9.999 {
			number, unit := units.Seconds(share).Show()
			if want := strconv.FormatFloat(share, 'f', 3, 64); number != want || unit != "s" {
				t.Errorf("%v s is %s %s, want %s s", share, number, unit, want)
			}
		}
	}
	for _, x := range []float64{0, 1, 0.0005, 0.9995, 0.99949999999999, 1e300, -1e9, 2.0625, 0.125125, math.Inf(1), math.Inf(-1), math.NaN(), 1e3, 999.99951} {
		check(x)
		check(-x)
	}
	for i := range 20_000 {
		// Halves of the last digit and what is next to them.
		x := float64(i)/2000 + 0.0005
		for _, x := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, 10), x + 1e-10, x - 1e-10, x + 3e-7, -x} {
			check(x)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0.0 %", 1: "100.0 %", 0.165: "16.5 %", 0.0004: "<0.1 %", 0.0005: "0.1 %", -0.0004: ">-0.1 %", -0.02: "-2.0 %", 3.5: "350.0 %"} {
		if got := units.Percent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// TestMicros tests the largest number of digits, and that there are no zeros at
// the end.
func TestMicros(t *testing.T) {
	for _, c := range []struct {
		s      units.Seconds
		digits int
		want   string
	}{
		{0, 9, "0"}, {1e-6, 9, "1"}, {81.4e-6, 9, "81.4"}, {1.0 / 3, 9, "333333.333"}, {1.0 / 3, 12, "333333.333333"},
		{12345, 9, "1.2345e+10"}, {1e-12, 9, "1e-06"}, {-2.5e-6, 9, "-2.5"},
	} {
		if got := c.s.Micros(c.digits); got != c.want {
			t.Errorf("%v in microseconds with %d digits: %s, want %s", float64(c.s), c.digits, got, c.want)
		}
	}
}

func TestSizesForPeople(t *testing.T) {
	for b, want := range map[units.Bytes]string{
		0: "0 B", 1: "1 B", 999: "999 B", -960: "-960 B", 1000: "1.000 kB", 7200: "7.200 kB", 999_949: "999.9 kB", 999_950: "1.000 MB",
		-1_234_567: "-1.235 MB", 5_000_000_000: "5.000 GB", math.MaxInt64: "9.223 EB", math.MinInt64: "-9.223 EB",
	} {
		if got := b.Short(); got != want {
			t.Errorf("%d bytes are %q, expected %q", int64(b), got, want)
		}
	}
}
