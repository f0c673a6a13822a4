package sim

import "dvmtools/pkg/procs"

// balance returns the load weights of the coordinates of dimension k of sys
// that follow the processors' powers: their mean over the other dimensions,
// divided by the largest (docs/model.md#weights).
func balance(power []float64, sys *procs.System, k int) []float64 {
	w := make([]float64, sys.Grid[k])
	coords := make([]int, len(sys.Grid))
	n := sys.Size()
	for i := range n {
		sys.Coords(i, coords)
		w[coords[k]] += power[sys.Rank(i)]
	}
	most := 0.0
	for c := range w {
		w[c] /= float64(n / sys.Grid[k])
		most = max(most, w[c])
	}
	for c := range w {
		w[c] /= most
	}
	return w
}
