package tracegen

// A nest is a parallel loop that is being made.
type nest struct {
	h    uint64
	rank int
	// The iterations of each dimension.
	first, last, step []int
	// quiet is whether its body must contain no exchange.
	quiet bool
}

func (l *nest) ref() string { return sprint("LoopRefPtr=1; LoopRef=%x;", l.h) }

// values returns the least and the greatest value of dimension i.
func (l *nest) values(i int) (lo, hi int) {
	n := (l.last[i]-l.first[i])/l.step[i] + 1
	lo, hi = l.first[i], l.first[i]+(n-1)*l.step[i]
	return min(lo, hi), max(lo, hi)
}

// rule maps some dimension of l into an index range of n. It returns the three
// parameters for one dimension of a pattern and marks the dimension of l in used.
func (g *gen) rule(l *nest, n int, used []bool, fancy bool) (axis, coeff, cons int) {
	for _, i := range g.r.Perm(l.rank) {
		if used[i] {
			continue
		}
		lo, hi := l.values(i)
		a := 1
		if fancy && g.chance(25) {
			a = []int{-1, 2, -2}[g.r.IntN(3)]
		}
		if width := max(a, -a) * (hi - lo); width >= n {
			if a = 1; hi-lo >= n {
				continue
			}
		}
		used[i] = true
		slack := n - 1 - max(a, -a)*(hi-lo)
		b := -a * lo
		if a < 0 {
			b = -a * hi
		}
		if fancy {
			b += g.r.IntN(slack + 1)
		}
		return i + 1, a, b
	}
	return 0, 0, g.r.IntN(n)
}

// loop makes a parallel loop with all that belongs to it.
func (g *gen) loop() {
	if g.has(Intervals) && g.chance(15) {
		g.openInterval()
		defer g.closeInterval()
	}
	if g.has(Pipelines) && g.chance(22) && g.pipeline() {
		return
	}
	a := g.pick(true)
	if a == nil {
		return
	}
	ref, size := sprint("PatternRefPtr=1; PatternRef=%x (DisArray);", a.h), a.size
	onArray := true
	if g.chance(25) && a.t != nil {
		ref, size, onArray = sprint("PatternRefPtr=1; PatternRef=%x (AMView);", a.t.h), a.t.size, false
	}
	l := &nest{h: g.handle(), rank: len(size)}
	if g.has(Alignments) && g.chance(20) {
		l.rank = 1 + g.r.IntN(3)
	}
	for i := range l.rank {
		n := 1 + g.r.IntN(6)
		if i < len(size) {
			n = size[i]
		}
		lo, hi := 0, n-1
		if g.chance(50) {
			lo = g.r.IntN(n)
			hi = lo + g.r.IntN(n-lo)
		}
		shift := g.r.IntN(3)
		lo, hi = lo+shift, hi+shift
		step := 1
		if g.chance(20) {
			step = 1 + g.r.IntN(3)
		}
		if g.chance(20) {
			lo, hi, step = hi, lo, -step
		}
		l.first, l.last, l.step = append(l.first, lo), append(l.last, hi), append(l.step, step)
	}
	var group uint64
	var reds []uint64
	if g.has(Reductions) && g.chance(35) {
		group, reds = g.redGroup()
	}
	g.call("crtpl_", []string{sprint("Rank=%d;", l.rank)}, sprint("LoopRef=%x;", l.h))
	var after []func()
	switch {
	case g.has(Boundaries) && onArray && l.rank == len(size) && (a.rising || g.has(ObliqueBoundaries)) && g.chance(25):
		if !g.has(ObliqueBoundaries) {
			g.wholeBoundary(l, a, ref, size, &after)
			break
		}
		after = append(after, g.boundary(l, a)...)
		g.mapLoop(l, ref, size)
	default:
		g.mapLoop(l, ref, size)
	}
	if g.has(Buffers) && g.chance(25) {
		after = append(after, g.loopBuffers(l)...)
	}
	for _, r := range reds {
		g.call("insred_", []string{sprint("RedGroupRefPtr=1; RedGroupRef=%x; RedRefPtr=1; RedRef=%x; %s RenewSign=0;", group, r, l.ref())})
	}
	g.runLoop(l)
	if len(reds) > 0 {
		g.reduce(group, reds)
	}
	for _, f := range after {
		f()
	}
}

// mapLoop maps l on a pattern.
func (g *gen) mapLoop(l *nest, ref string, size []int) {
	used := make([]bool, l.rank)
	axis, coeff, cons := make([]int, len(size)), make([]int, len(size)), make([]int, len(size))
	for j, n := range size {
		if g.has(Alignments) && g.chance(8) {
			axis[j] = -1
			continue
		}
		axis[j], coeff[j], cons[j] = g.rule(l, n, used, g.has(Alignments))
	}
	g.mappl(l, ref, axis, coeff, cons)
}

func (g *gen) mappl(l *nest, ref string, axis, coeff, cons []int) {
	kinds := make([]int, l.rank)
	g.call("mappl_", []string{
		l.ref() + " " + ref,
		array("AxisArray", axis), array("CoeffArray", coeff), array("ConstArray", cons),
		array("LoopVarAddrArray", kinds), array("LoopVarTypeArray", kinds),
		array("InInitIndexArray", l.first), array("InLastIndexArray", l.last), array("InStepArray", l.step),
	}, "IsLocal=1;")
}

// portion returns lines that state some of the iterations of l, or no lines.
func (g *gen) portion(l *nest) (lines []string) {
	if !g.has(Portions) || g.chance(70) {
		return nil
	}
	for i := range l.rank {
		if l.step[i] < 0 {
			return nil
		}
		n := (l.last[i]-l.first[i])/l.step[i] + 1
		from := g.r.IntN(n)
		to := from + g.r.IntN(n-from)
		lines = append(lines, sprint("Dim%d: Lower=%d Upper=%d Step=%d", i, l.first[i]+from*l.step[i], l.first[i]+to*l.step[i], l.step[i]))
	}
	return lines
}

// runLoop makes the calls that execute l.
func (g *gen) runLoop(l *nest) {
	portions := 1
	if g.chance(20) {
		portions = 2 + g.r.IntN(3)
	}
	for range portions {
		g.call("dopl_", append([]string{l.ref()}, g.portion(l)...), "DoPL=1;")
		g.longer()
		g.body(l)
	}
	if g.chance(90) {
		g.call("dopl_", []string{l.ref()}, "DoPL=0;")
		g.longer()
	}
	g.call("endpl_", []string{l.ref()})
	g.longer()
	g.free = append(g.free, l.h)
}

// longer lengthens the time before the last call, as loops take longer than
// other calls.
func (g *gen) longer() {
	c := &g.calls[len(g.calls)-1]
	c.Time += int64(g.r.IntN(200000))
}

// redGroup creates a reduction group, and variables that are not yet in it.
func (g *gen) redGroup() (group uint64, reds []uint64) {
	group = g.handle()
	g.call("crtrg_", []string{"StaticSign=1; DelRedSign=1;"}, sprint("RedGroupRef=%x;", group))
	for range 1 + g.r.IntN(3) {
		r := g.handle()
		g.call("crtred_", []string{sprint("RedFuncNumb=%d; RedArrayPtr=1; RedArrayType=%d; RedArrayLength=%d; LocArrayPtr=1; LocElmLength=%d; StaticSign=1;", 1+g.r.IntN(8), 1+g.r.IntN(6), 1+g.r.IntN(9), 4*g.r.IntN(3))}, sprint("RedRef=%x;", r))
		reds = append(reds, r)
	}
	return group, reds
}

// reduce starts the reduction of a group and ends it.
func (g *gen) reduce(group uint64, reds []uint64) {
	ref := []string{sprint("RedGroupRefPtr=1; RedGroupRef=%x;", group)}
	if g.chance(10) {
		g.call("saverv_", ref)
	}
	g.call("strtrd_", ref)
	g.later(func() {
		g.call("waitrd_", ref)
		if g.has(Deletions) {
			g.call("delobj_", []string{sprint("ObjectRefPtr=1; ObjectRef=%x;", group)})
			g.free = append(g.free, group)
		}
	})
}

// plainReduction makes a reduction over a template or over the current system.
func (g *gen) plainReduction() {
	group, reds := g.redGroup()
	var t *template
	for _, x := range g.temps {
		if x.sys == g.current {
			t = x
		}
	}
	to := "PSSpaceRefPtr=NULL; PSSpaceRef=0;"
	if t != nil && g.chance(60) {
		to = sprint("AMViewRefPtr=1; AMViewRef=%x;", t.h)
	}
	for _, r := range reds {
		g.call("insred_", []string{sprint("RedGroupRefPtr=1; RedGroupRef=%x; RedRefPtr=1; RedRef=%x; %s RenewSign=0;", group, r, to)})
	}
	g.reduce(group, reds)
}

// wholeBoundary makes l a loop over all elements of a, with a boundary.
func (g *gen) wholeBoundary(l *nest, a *arr, ref string, size []int, after *[]func()) {
	axis, coeff, cons := make([]int, l.rank), make([]int, l.rank), make([]int, l.rank)
	for i, n := range size {
		axis[i], coeff[i] = i+1, 1
		l.first[i], l.last[i], l.step[i] = 0, n-1, 1
		if g.chance(20) {
			l.first[i], l.last[i], l.step[i] = l.last[i], l.first[i], -1
		}
	}
	*after = append(*after, g.boundary(l, a)...)
	g.mappl(l, ref, axis, coeff, cons)
}

// boundary calls exfrst_ or imlast_ for a shadow group of a and the loop l over a.
// It returns functions that make the calls after the loop.
func (g *gen) boundary(l *nest, a *arr) (after []func()) {
	l.quiet = true
	// Edges that exclude the inside are left out: for them the simulation does
	// not work out which iterations are at the edge.
	group := g.shadowGroup([]*arr{a}, true)
	args := []string{sprint("%s ShadowGroupRefPtr=1; ShadowGroupRef=%x;", l.ref(), group)}
	wait := func() { g.call("waitsh_", []string{sprint("ShadowGroupRefPtr=1; ShadowGroupRef=%x;", group)}) }
	switch g.r.IntN(3) {
	case 0: // waited for after the loop
		g.call("exfrst_", args)
		return []func(){func() { g.later(wait) }}
	case 1: // started before the loop, which waits
		g.call("strtsh_", []string{sprint("ShadowGroupRefPtr=1; ShadowGroupRef=%x;", group)})
		g.call("imlast_", args)
	default: // the next loop waits
		g.call("exfrst_", args)
		return []func(){func() {
			next := &nest{h: g.handle(), rank: len(a.size), quiet: true}
			for _, n := range a.size {
				next.first, next.last, next.step = append(next.first, 0), append(next.last, n-1), append(next.step, 1)
			}
			g.call("crtpl_", []string{sprint("Rank=%d;", next.rank)}, sprint("LoopRef=%x;", next.h))
			g.call("imlast_", []string{sprint("%s ShadowGroupRefPtr=1; ShadowGroupRef=%x;", next.ref(), group)})
			axis, coeff, cons := make([]int, next.rank), make([]int, next.rank), make([]int, next.rank)
			for i := range axis {
				axis[i], coeff[i] = i+1, 1
			}
			g.mappl(next, sprint("PatternRefPtr=1; PatternRef=%x (DisArray);", a.h), axis, coeff, cons)
			g.runLoop(next)
		}}
	}
	return nil
}

// pipeline makes an across_ loop over an array, each dimension over its own index.
// It returns false when no array fits.
func (g *gen) pipeline() bool {
	a := g.pick(true)
	if a == nil || a.t == nil {
		return false
	}
	l := &nest{h: g.handle(), rank: len(a.size)}
	axis, coeff, cons := make([]int, l.rank), make([]int, l.rank), make([]int, l.rank)
	low, high := make([]int, l.rank), make([]int, l.rank)
	down := g.chance(30)
	any := false
	for i, n := range a.size {
		axis[i], coeff[i] = i+1, 1
		lo, hi, step := 0, n-1, 1
		if g.chance(30) {
			lo = g.r.IntN(n)
			hi = lo + g.r.IntN(n-lo)
		}
		if down {
			lo, hi, step = hi, lo, -1
		}
		l.first, l.last, l.step = append(l.first, lo), append(l.last, hi), append(l.step, step)
		if !any || g.chance(40) {
			any = true
			if down {
				high[i] = 1
			} else {
				low[i] = 1
			}
		}
	}
	old := uint64(0)
	if !g.has(NewValuesOnly) || g.chance(60) {
		old = g.edges([]*arr{a}, high, low, 1)
	}
	arrays := []*arr{a}
	if g.chance(25) {
		arrays = append(arrays, g.twin(a))
	}
	fresh := g.edges(arrays, low, high, 1)
	g.call("crtpl_", []string{sprint("Rank=%d;", l.rank)}, sprint("LoopRef=%x;", l.h))
	g.mappl(l, sprint("PatternRefPtr=1; PatternRef=%x (DisArray);", a.h), axis, coeff, cons)
	par := 0
	if g.chance(35) {
		par = 1 + g.r.IntN(6)
	}
	g.call("across_", []string{sprint("AcrossType=0; OldShadowGroupRefPtr=1; OldShadowGroupRef=%x; NewShadowGroupRefPtr=1; NewShadowGroupRef=%x; PipeLinePar=%d.000000;", old, fresh, par)}, "ErrPipeLine=9")
	from := len(g.calls)
	g.runLoop(l)
	if g.chance(10) { // iterations that take no time at all
		for i := range g.calls[from:] {
			g.calls[from+i].Time, g.calls[from+i].RetTime = 0, 0
		}
	}
	return true
}

// edges creates a shadow group of arrays with the given widths; count is
// MaxShdCount.
func (g *gen) edges(arrays []*arr, low, high []int, count int) uint64 {
	group := g.handle()
	g.call("crtshg_", []string{"StaticSign=0;"}, sprint("ShadowGroupRef=%x;", group))
	for _, a := range arrays {
		sign := make([]int, len(low))
		for i := range sign {
			sign[i] = 1
			if low[i] > 0 {
				sign[i] |= 2
			}
			if high[i] > 0 {
				sign[i] |= 4
			}
		}
		g.call("insshd_", []string{
			sprint("ShadowGroupRefPtr=1; ShadowGroupRef=%x; ArrayHeader=%x; ArrayHandlePtr=%x; MaxShdCount=%d;", group, a.hdr, a.h, count),
			array("LowShdWidthArray", low), array("HiShdWidthArray", high), array("ShdSignArray", sign),
		})
	}
	return group
}
