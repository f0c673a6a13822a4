package whatif_test

import (
	"context"
	"strconv"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/whatif"
)

// BenchmarkStep is a step of a slider on a trace of 7,020 calls, without the
// browser: a parameter of the machine replays the recorded simulation, another
// grid is simulated.
func BenchmarkStep(b *testing.B) {
	base := base(b, "cluster.par", 2, 2)
	e := whatif.Of(testtraces.Longer(b, "sizes/jac_1600.ptr.zst", "crtrg_", 6))
	e.Begin(base)
	step := func(b *testing.B, change func(s *whatif.Setting, i int)) {
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			s := base.Setting
			change(&s, i)
			request := requestOf(b, whatif.Request{Page: &s})
			e.Answer(context.Background(), []byte(request))
			i++
		}
	}
	b.Run("parameter", func(b *testing.B) {
		step(b, func(s *whatif.Setting, i int) { s.Scale = []string{"TStart=" + strconv.Itoa(1+i%50)} })
	})
	b.Run("grid", func(b *testing.B) {
		step(b, func(s *whatif.Setting, i int) { s.Grid = []int{1 + i%6, 1 + i%5} })
	})
	b.Run("time", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s := base.Setting
			s.Grid = []int{1 + i%6, 1 + i%5}
			e.Answer(context.Background(), []byte(requestOf(b, whatif.Request{Time: &s})))
		}
	})
}
