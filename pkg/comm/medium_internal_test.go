package comm

import (
	"math"
	"strings"
	"testing"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// On every kind of medium that a machine can state, messages cost the same
// whether they are given as one set, one by one, or as a star.
func TestEveryKindOfMedium(t *testing.T) {
	if len(kinds) != len(machine.Kinds())+1 {
		t.Fatalf("%d kinds are implemented, a machine can state %d", len(kinds)-1, len(machine.Kinds()))
	}
	grid := []int{2, 3}
	for _, k := range machine.Kinds() {
		least, _ := k.Channels()
		md := machine.Medium{Kind: k, Channels: least, TStart: units.Micro(75), TByte: units.MicroPerByte(0.2)}
		kind := kinds[k](timed{md})
		var ms []Message
		tally := kind.tally(grid)
		if !tally.demand().empty() {
			t.Errorf("%v: no messages ask for something", k)
		}
		for q := 1; q < 6; q++ {
			m := Message{From: 0, To: q, Bytes: 40}
			ms = append(ms, m)
			tally.add(m)
		}
		star := kind.star(&star{bytes: 40, count: 5, far: func() int { return 3 }, others: func(yield func(int) bool) {
			for q := 1; q < 6 && yield(q); q++ {
				continue
			}
		}})
		set := kind.demand(Messages(grid, ms))
		if set.empty() || set.alone() <= 0 || set.alone() != tally.demand().alone() || set.alone() != star.alone() {
			t.Errorf("%v: the same messages last %v as a set, %v one by one, %v as a star", k, set.alone(), tally.demand().alone(), star.alone())
		}
		if kind.queues() {
			if got := kind.schedule().book(1, everybody, set, &sets{}) - 1; math.Abs(float64(got-set.alone())) > 1e-12 {
				t.Errorf("%v: on an idle instance the messages last %v, alone %v", k, got, set.alone())
			}
		}
		if kind.String() != md.String() {
			t.Errorf("%v calls itself %v", md, kind)
		}
		var b strings.Builder
		if set.explain(&b); !strings.Contains(b.String(), "75 + 0.2 x 40") {
			t.Errorf("%v: explained as %q", k, b.String())
		}
	}
}
