package units_test

import (
	"math"
	"testing"

	"dvmtools/pkg/units"
)

func TestTransfer(t *testing.T) {
	// 75 us + 64 * 8 B * 0.2 us/B = 75 + 102.4 = 177.4 us.
	got := units.Transfer(units.Micro(75), units.MicroPerByte(0.2), 512)
	if math.Abs(float64(got)-177.4e-6) > 1e-15 {
		t.Errorf("got %v, want 177.4e-6", got)
	}
}

func TestMulSaysOverflow(t *testing.T) {
	if p, ok := units.Mul(1<<31, 1<<31); !ok || p != 1<<62 {
		t.Errorf("2^31 * 2^31 = %d, %v", p, ok)
	}
	for _, c := range [][2]int64{{1 << 32, 1 << 31}, {-1, 2}, {2, -1}, {math.MaxInt64, 2}} {
		if _, ok := units.Mul(c[0], c[1]); ok {
			t.Errorf("%d * %d is said to fit", c[0], c[1])
		}
	}
	if p, ok := units.Mul(0, math.MaxInt64); !ok || p != 0 {
		t.Errorf("0 * max = %d, %v", p, ok)
	}
}
