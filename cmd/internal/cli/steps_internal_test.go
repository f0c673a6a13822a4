package cli

import (
	"testing"
	"time"
)

func TestStepsLine(t *testing.T) {
	for _, c := range []struct {
		done, first, total int
		after              time.Duration
		want               string
	}{
		{0, 0, 150, 0, "[....................] 0 of 150, dla, -:-- left"},
		// 30 steps took a minute, 90 are left.
		{60, 30, 150, time.Minute, "[########............] 60 of 150, dla, 3:00 left"},
		{150, 0, 150, time.Minute, "[####################] 150 of 150, dla, 0:00 left"},
		{0, 0, 0, 0, "[....................] 0 of 0, dla, -:-- left"},
	} {
		if got := stepsLine(c.done, c.first, c.total, "dla", c.after); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
