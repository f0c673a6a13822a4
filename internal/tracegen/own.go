package tracegen

import "math/rand/v2"

// ownTimes gives most calls of a program the times of each process of its run.
func (g *gen) ownTimes(p *Program) {
	processes := 1
	for _, n := range p.Root {
		processes *= n
	}
	for i := range p.Calls {
		c := &p.Calls[i]
		if g.chance(8) {
			continue // merged times only
		}
		c.Own, c.RetOwn = g.own(c.Time, processes), g.own(c.RetTime, processes)
		if g.chance(5) { // not every process executes the call
			absent := g.r.IntN(processes)
			c.Own[absent], c.RetOwn[absent] = -1, -1
		}
	}
	if g.chance(80) {
		p.ExitOwn = g.own(p.Exit, processes)
	}
}

// AddOwnTimes gives most calls of a program the times of each process of its run.
func AddOwnTimes(p *Program, seed uint64) {
	g := &gen{r: rand.New(rand.NewPCG(seed, 1))}
	g.ownTimes(p)
}

// own returns the time of each process, of which the merged one is t: all equal,
// one that is longer, or all of them others.
func (g *gen) own(t int64, processes int) []int64 {
	times := make([]int64, processes)
	kind := g.r.IntN(3)
	for p := range times {
		times[p] = t
		if kind == 2 {
			times[p] = g.time()
		}
	}
	if kind == 1 {
		times[g.r.IntN(processes)] += g.time()
	}
	return times
}
