package cli

import (
	"strings"
	"testing"
	"time"
)

func TestStepsLine(t *testing.T) {
	for _, c := range []struct {
		done, total int
		left        float64
		want        string
	}{
		{0, 150, -1, "[....................] 0 of 150, dla, -:-- left"},
		{60, 150, 180, "[########............] 60 of 150, dla, 3:00 left"},
		{150, 150, 0, "[####################] 150 of 150, dla, 0:00 left"},
		{0, 0, -1, "[....................] 0 of 0, dla, -:-- left"},
	} {
		if got := stepsLine(c.done, c.total, "dla", c.left); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestStepsLeft: 30 steps took a minute, 90 are left.
func TestStepsLeft(t *testing.T) {
	var b strings.Builder
	s := &Steps{p: &progress{show: true, talk: &talker{w: &b}}, total: 150, begun: time.Now().Add(-time.Minute), first: 30}
	s.Next(60, "dla")
	if !strings.Contains(b.String(), "60 of 150, dla, 3:00 left") {
		t.Errorf("%q, want 3:00 left", b.String())
	}
}
