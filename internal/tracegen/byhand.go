package tracegen

import "slices"

// handPipeline makes loops over an array in a pipeline by hand: recvsh_ and its
// waitsh_ before the loop, sendsh_ and its waitsh_ after it. Sometimes another
// statement in between or edges on both sides make it an ordinary exchange.
func (g *gen) handPipeline() {
	all := g.inScope(true)
	if len(all) == 0 {
		return
	}
	g.waitAll()
	a := all[g.r.IntN(len(all))]
	low, high := make([]int, len(a.size)), make([]int, len(a.size))
	for i := range low {
		switch g.r.IntN(4) {
		case 0:
			high[i] = 1
		case 1:
			if i > 0 {
				break
			}
			fallthrough
		default:
			low[i] = 1
		}
		if g.chance(5) {
			low[i], high[i] = 1, 1
		}
	}
	arrays := []*arr{a}
	if g.chance(20) {
		arrays = append(arrays, g.twin(a))
	}
	group := g.edges(arrays, low, high, 1+g.r.IntN(2))
	ref := []string{sprint("ShadowGroupRefPtr=1; ShadowGroupRef=%x;", group)}
	if g.chance(10) { // two exchanges, each started by its sendsh_
		for _, name := range []string{"recvsh_", "recvsh_", "sendsh_", "waitsh_", "sendsh_", "waitsh_"} {
			g.call(name, ref)
		}
		return
	}
	for range 1 + g.r.IntN(2) {
		g.call("recvsh_", ref)
		if g.chance(20) {
			g.ordinary()
		}
		g.call("waitsh_", ref)
		for range 1 + g.r.IntN(2) {
			g.plainLoop(a)
		}
		if g.chance(15) {
			g.ordinary()
		}
		if g.chance(20) {
			g.step()
		}
		g.call("sendsh_", ref)
		g.call("waitsh_", ref)
		if !slices.Contains(g.inScope(true), a) {
			return // it was deleted
		}
	}
}
