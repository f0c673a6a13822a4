package search

import (
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// TestDifference explains by how much the mean of 2 processors differs from that of
// 4: waiting belongs to no kind of exchange, and what is lost in rounding, or is little
// beside the rest, is left out.
func TestDifference(t *testing.T) {
	kind := func(all, wait float64) interval.KindTimes {
		return interval.KindTimes{Communication: units.Seconds(all), RealSynch: units.Seconds(wait)}
	}
	best := &interval.Times{CPUTime: 8e-3, Idle: 4e-3, Communication: 8e-3, CommunicationSynch: 4e-3, Shadow: kind(4e-3, 2e-3), Reduction: kind(4e-3, 2e-3)}
	for _, c := range []struct {
		of   interval.Times
		want string
	}{
		// 1 ms of waiting more, in shadow edges; 0.5 ms less in the edges themselves.
		{interval.Times{CPUTime: 4e-3, Idle: 2e-3 + 1e-16, CommunicationSynch: 4e-3, Shadow: kind(3e-3, 3e-3), Reduction: kind(2e-3, 1e-3)},
			"waiting for others +1.000 ms, shadow edges -500.0 us"},
		{interval.Times{CPUTime: 8e-3, Idle: 2.002e-3, CommunicationSynch: 2e-3, Shadow: kind(2e-3, 1e-3), Reduction: kind(2e-3, 1e-3)},
			"computing +2.000 ms"},
		{interval.Times{CPUTime: 4e-3, Idle: 2e-3, CommunicationSynch: 2e-3, Shadow: kind(2e-3, 1e-3), Reduction: kind(2e-3, 1e-3)}, "nothing differs"},
	} {
		if got := difference(&c.of, 2, best, 4); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
