package whatif_test

import (
	"context"
	"strconv"
	"testing"

	"dvmtools/pkg/whatif"
)

// BenchmarkStep is a step of a slider on a trace of 5,600 calls, without the
// browser: a parameter of the machine replays the recorded simulation, another
// grid is simulated.
func BenchmarkStep(b *testing.B) {
	base := base(b, "cluster.par", 2, 2)
	e := engineOf(b, "compute/gauss.ptr.zst", base)
	step := func(b *testing.B, change func(s *whatif.Setting, i int)) {
		i := 0
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
}
