package tracegen

// blocks returns the parameters AxisArray and DistrParamArray of a
// distribution of a template of the given rank on s.
func (g *gen) blocks(rank int, s *system) []string {
	n := len(s.traced)
	if s == g.root && len(s.shape) != 0 {
		n = len(s.shape)
	}
	axes := g.r.Perm(rank)
	count := n
	if g.has(Distributions) {
		count = max(1, g.r.IntN(n+2))
	}
	axis, param := make([]int, count), make([]int, count)
	for k := range axis {
		switch {
		case len(axes) == 0 || g.has(Distributions) && g.chance(12):
		case g.has(Distributions) && g.chance(10):
			axis[k] = -1
			if k < len(s.shape) {
				param[k] = g.r.IntN(s.shape[k])
			}
		default:
			axis[k], axes = axes[0]+1, axes[1:]
		}
	}
	return []string{array("AxisArray", axis), array("DistrParamArray", param)}
}

// place returns a system for a new template: the current one or, outside of
// tasks, any other.
func (g *gen) place() *system {
	if g.current == g.root && len(g.systems) > 0 && g.chance(35) {
		return g.systems[g.r.IntN(len(g.systems))]
	}
	return g.current
}

// template creates and distributes a template.
func (g *gen) template() {
	t := &template{h: g.handle(), sys: g.place()}
	for range 1 + g.r.IntN(3) {
		t.size = append(t.size, 1+g.r.IntN(g.o.MaxExtent))
	}
	g.call("crtamv_", []string{sprint("AMRefPtr=NULL; AMRef=0; Rank=%d; StaticSign=0;", len(t.size)), array("SizeArray", t.size)}, sprint("AMViewRef=%x;", t.h))
	dist := g.weights(t, t.sys)
	args := append([]string{sprint("AMViewRefPtr=1; AMViewRef=%x; %s ParamCount=%d;", t.h, g.psRef(t.sys), len(t.size))}, dist...)
	g.call("distr_", args, "IsLocal=1;")
	g.temps = append(g.temps, t)
}

// weights returns the parameters of a distribution of t on s. Before it often
// calls a function that weights the blocks.
func (g *gen) weights(t *template, s *system) []string {
	dist := g.blocks(len(t.size), s)
	if !g.has(Weights) {
		return dist
	}
	if t.divs && g.chance(50) {
		g.call("blkdiv_", []string{sprint("AMViewRefPtr=1; AMViewRef=%x; AMVAxisCount=0", t.h)})
		t.divs = false
	} else if g.chance(15) {
		d := make([]int, len(t.size))
		for i := range d {
			d[i] = 1 + g.r.IntN(min(4, t.size[i]))
		}
		g.call("blkdiv_", []string{sprint("AMViewRefPtr=1; AMViewRef=%x; AMVAxisCount=%d", t.h, len(d)), array("AMVAxisDiv", d)})
		t.divs = true
	}
	if t.weight && g.chance(15) {
		g.call("genblk_", []string{sprint("%s AMViewRefPtr=1; AMViewRef=%x; AxisCount=0; DoubleSign=0", g.psRef(s), t.h)})
		t.weight = false
	} else if t.weight || g.chance(25) {
		t.weight = true
		dist = g.weigh(t, s)
	}
	return dist
}

// weigh calls genblk_ or setelw_ for a distribution of t on s and returns that
// distribution. A template that has weights gets new ones for each distribution,
// so that block sizes always belong to the axis for which they are used.
func (g *gen) weigh(t *template, s *system) []string {
	dims := len(s.traced)
	count := min(dims, len(t.size))
	axes := g.r.Perm(len(t.size))[:count]
	axis, param := make([]int, count), make([]int, count)
	for k, a := range axes {
		axis[k] = a + 1
	}
	dist := []string{array("AxisArray", axis), array("DistrParamArray", param)}
	head := sprint("%s AMViewRefPtr=1; AMViewRef=%x;", g.psRef(s), t.h)
	if g.chance(35) {
		args := []string{head, sprint("AddrNumber=%d;", count)}
		for k, a := range axes {
			n := 1 + g.r.IntN(t.size[a])
			args = append(args, sprint("WeightNumber[%d] = %d;", k, n))
			line := ""
			for j := range n {
				line += sprint("  LoadWeight[%d] = %d.%02d;", j, g.r.IntN(4), g.r.IntN(4)*25+1)
			}
			args = append(args, line)
		}
		g.call("setelw_", args)
		return dist
	}
	real := g.chance(40)
	sign := 0
	if real {
		sign = 1
	}
	args := []string{head + sprint(" AxisCount=%d; DoubleSign=%d", count, sign)}
	for k, a := range axes {
		n := s.traced[k]
		if s.shape != nil && g.chance(35) {
			n = s.shape[k]
		}
		left, unit := t.size[a], 1
		if s.shape != nil && n != s.shape[k] && g.chance(60) {
			// Sizes that are cut into whole elements on the simulated grid.
			unit = s.shape[k]
		}
		for c := range n {
			if real {
				args = append(args, sprint("AxisWeightAddr[%d][%d] = %d.%d", k, c, g.r.IntN(3), 1+g.r.IntN(9)))
				continue
			}
			w := left
			if c < n-1 {
				w = g.r.IntN(left + 1)
				if g.chance(50) {
					w = min(left, (t.size[a]+n-1)/n)
				}
				w -= w % unit
			}
			left -= w
			args = append(args, sprint("AxisWeightAddr[%d][%d] = %d", k, c, w))
		}
	}
	g.call("genblk_", args)
	return dist
}

// alignment returns the parameters of an alignment with a pattern of the given
// sizes, the sizes of an array that fits it, and whether the array rises. want,
// when not nil, are the sizes of an existing array.
func (g *gen) alignment(pattern, want []int) (args []string, size []int, rising bool) {
	rising = true
	rank := 1 + g.r.IntN(3)
	if want != nil {
		rank = len(want)
	}
	size = append([]int(nil), want...)
	if want == nil {
		size = make([]int, rank)
	}
	free := g.r.Perm(rank)
	axis, coeff, cons := make([]int, len(pattern)), make([]int, len(pattern)), make([]int, len(pattern))
	for j, n := range pattern {
		fancy := g.has(Alignments)
		if fancy && g.chance(12) {
			axis[j] = -1
			continue
		}
		if len(free) == 0 || fancy && g.chance(10) {
			cons[j] = g.r.IntN(n)
			if fancy && g.chance(30) && rank > 0 {
				axis[j] = 1 + g.r.IntN(rank)
			}
			continue
		}
		i := free[0]
		a := 1
		if fancy && g.chance(30) {
			a = []int{2, -1, -2, 3}[g.r.IntN(4)]
		}
		m := a
		if m < 0 {
			m = -m
		}
		most := (n-1)/m + 1
		if want == nil {
			size[i] = most
			if fancy && g.chance(30) {
				size[i] = 1 + g.r.IntN(most)
			}
		} else if want[i] > most {
			if a, m = 1, 1; want[i] > n {
				cons[j] = g.r.IntN(n)
				continue
			}
		}
		slack := n - 1 - m*(size[i]-1)
		b := 0
		if slack > 0 && fancy {
			b = g.r.IntN(slack + 1)
		}
		if a < 0 {
			b += m * (size[i] - 1)
		}
		axis[j], coeff[j], cons[j] = i+1, a, b
		rising = rising && a > 0
		free = free[1:]
	}
	for _, i := range free {
		if want == nil {
			size[i] = 1 + g.r.IntN(6)
		}
	}
	return []string{array("AxisArray", axis), array("CoeffArray", coeff), array("ConstArray", cons)}, size, rising
}

// pattern picks a template or an array to align with.
func (g *gen) pattern() (ref string, size []int, t *template, rising bool) {
	if g.has(Alignments) && g.chance(35) {
		if all := g.inScope(true); len(all) > 0 {
			a := all[g.r.IntN(len(all))]
			return sprint("PatternRefPtr=1; PatternRef=%x (DisArray);", a.h), a.size, a.t, a.rising
		}
	}
	var all []*template
	for _, t := range g.temps {
		if g.current == g.root || t.sys == g.current {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		g.template()
		all = g.temps[len(g.temps)-1:]
	}
	t = all[g.r.IntN(len(all))]
	return sprint("PatternRefPtr=1; PatternRef=%x (AMView);", t.h), t.size, t, true
}

// array creates and aligns an array.
func (g *gen) array() {
	a := &arr{h: g.handle(), hdr: g.handle(), width: 1 + g.r.IntN(2)}
	bytes := []int{1, 4, 8, 16}[g.r.IntN(4)]
	kind := sprint("%d", bytes)
	if g.chance(20) {
		kind = []string{"-1", "-2", "-3", "-4"}[g.r.IntN(4)]
	}
	if g.has(Copies) && g.current == g.root && g.chance(8) {
		a.size = []int{1 + g.r.IntN(8), 1 + g.r.IntN(8)}
		g.call("crtrda_", []string{sprint("ArrayHeader=%x; ExtHdrSign=1; BasePtr=1; Rank=%d; TypeSize=%d; StaticSign=0; ReDistrSign=0; MemPtr=1;", a.hdr, 2, bytes), array("SizeArray", a.size)}, sprint("ArrayHandlePtr=%x;", a.h))
		g.arrays = append(g.arrays, a)
		return
	}
	ref, pat, t, up := g.pattern()
	args, size, rising := g.alignment(pat, nil)
	a.size, a.t, a.rising = size, t, rising && up
	g.create(a, kind, ref, args)
}

// create makes an array and aligns it.
func (g *gen) create(a *arr, kind, ref string, alignment []string) {
	width := make([]int, len(a.size))
	for i := range width {
		width[i] = min(a.width, a.size[i])
	}
	g.call("crtda_", []string{
		sprint("ArrayHeader=%x; ExtHdrSign=1; BasePtr=1; Rank=%d; TypeSize=%s; StaticSign=0; ReDistrSign=3;", a.hdr, len(a.size), kind),
		array("SizeArray", a.size), array("LowShdWidthArray", width), array("HiShdWidthArray", width),
	}, sprint("ArrayHandlePtr=%x;", a.h))
	g.call("align_", append([]string{sprint("ArrayHeader=%x; ArrayHandlePtr=%x; %s", a.hdr, a.h, ref)}, alignment...), "IsLocal=1")
	g.arrays = append(g.arrays, a)
}

// twin makes an array that is aligned with the elements of another, with all of
// them or without a few at the ends.
func (g *gen) twin(a *arr) *arr {
	b := &arr{h: g.handle(), hdr: g.handle(), width: a.width, t: a.t, rising: a.rising}
	n := len(a.size)
	axis, coeff, cons := make([]int, n), make([]int, n), make([]int, n)
	for i, size := range a.size {
		less := 0
		if g.chance(30) {
			less = g.r.IntN(min(3, size))
		}
		axis[i], coeff[i] = i+1, 1
		if less > 0 && g.chance(40) {
			cons[i] = less
		}
		b.size = append(b.size, size-less)
	}
	g.create(b, []string{"4", "16"}[g.r.IntN(2)], sprint("PatternRefPtr=1; PatternRef=%x (DisArray);", a.h),
		[]string{array("AxisArray", axis), array("CoeffArray", coeff), array("ConstArray", cons)})
	return b
}

// stridedReplicas makes two arrays that are aligned with a template at different
// strides, from the same first to the same last element. It replicates an array
// along each of them and makes a loop over it.
func (g *gen) stridedReplicas() {
	strides := [][2]int{{1, 2}, {1, 3}, {2, 3}, {2, 5}, {3, 4}}[g.r.IntN(5)]
	last := strides[0] * strides[1] // the element that both strides reach
	t := &template{h: g.handle(), sys: g.place(), size: []int{last + 1 + g.r.IntN(g.o.MaxExtent)}}
	g.call("crtamv_", []string{"AMRefPtr=NULL; AMRef=0; Rank=1; StaticSign=0;", array("SizeArray", t.size)}, sprint("AMViewRef=%x;", t.h))
	g.call("distr_", []string{sprint("AMViewRefPtr=1; AMViewRef=%x; %s ParamCount=1;", t.h, g.psRef(t.sys)), array("AxisArray", []int{1}), array("DistrParamArray", []int{0})}, "IsLocal=1;")
	g.temps = append(g.temps, t)
	size := []int{1 + g.r.IntN(9)}
	for _, stride := range strides {
		along := &arr{h: g.handle(), hdr: g.handle(), size: []int{last/stride + 1}, t: t, width: 1, rising: true}
		g.create(along, "8", sprint("PatternRefPtr=1; PatternRef=%x (AMView);", t.h), []string{array("AxisArray", []int{1}), array("CoeffArray", []int{stride}), array("ConstArray", []int{0})})
		a := &arr{h: g.handle(), hdr: g.handle(), size: size, t: t, width: 1}
		g.create(a, "8", sprint("PatternRefPtr=1; PatternRef=%x (DisArray);", along.h), []string{array("AxisArray", []int{-1}), array("CoeffArray", []int{0}), array("ConstArray", []int{0})})
		g.plainLoop(a)
	}
}

// plainLoop makes a loop over all elements of an array, without exchanges.
func (g *gen) plainLoop(a *arr) {
	l := &nest{h: g.handle(), rank: len(a.size), quiet: true}
	axis, coeff, cons := make([]int, l.rank), make([]int, l.rank), make([]int, l.rank)
	for i, n := range a.size {
		axis[i], coeff[i] = i+1, 1
		l.first, l.last, l.step = append(l.first, 0), append(l.last, n-1), append(l.step, 1)
	}
	g.call("crtpl_", []string{sprint("Rank=%d;", l.rank)}, sprint("LoopRef=%x;", l.h))
	g.mappl(l, sprint("PatternRefPtr=1; PatternRef=%x (DisArray);", a.h), axis, coeff, cons)
	g.runLoop(l)
}

// redistribute moves a template or an array.
func (g *gen) redistribute() {
	g.waitAll()
	a := g.pick(true)
	if a == nil {
		return
	}
	sign := 0
	if g.chance(15) {
		sign = 1
	}
	if g.chance(50) {
		ref, pat, t, up := g.pattern()
		args, _, rising := g.alignment(pat, a.size)
		a.rising = rising && up
		ret := []string{"IsLocal=1"}
		head := sprint("ArrayHeader=%x; ArrayHandlePtr=%x; %s NewSign=%d;", a.hdr, a.h, ref, sign)
		g.call("realn_", append([]string{head}, args...), ret...)
		if sign == 1 && g.chance(50) {
			// The run-time system creates the array again.
			old := a.h
			a.h = g.handle()
			if g.has(Renames) {
				g.free = append(g.free, old)
			}
			g.calls[len(g.calls)-1].Nested = []Call{{Func: "crtda_", Time: g.time(), RetTime: g.time(), Line: g.line,
				Args: []string{sprint("ArrayHeader=%x; ExtHdrSign=1; BasePtr=1; Rank=%d; TypeSize=8; StaticSign=0; ReDistrSign=3;", a.hdr, len(a.size)), array("SizeArray", a.size)},
				Ret:  []string{sprint("ArrayHandlePtr=%x;", a.h)}}}
		}
		a.t = t
		return
	}
	s := a.t.sys
	if g.current == g.root && len(g.systems) > 0 && g.chance(40) {
		if s = g.systems[g.r.IntN(len(g.systems))]; g.chance(50) {
			s = g.root
		}
	}
	dist := g.weights(a.t, s)
	obj := sprint("ArrayHeader=%x; ArrayHandlePtr=%x;", a.hdr, a.h)
	if g.chance(50) {
		obj = sprint("AMViewRefPtr=1; AMViewRef=%x;", a.t.h)
	}
	g.call("redis_", append([]string{sprint("%s %s ParamCount=%d; NewSign=%d;", obj, g.rootRef(s), len(a.t.size), sign)}, dist...), "IsLocal=1;")
	a.t.sys = s
}

// rootRef is psRef for a system that need not be the current one; the root
// has no handle unless getps_ named it.
func (g *gen) rootRef(s *system) string {
	if s == g.root && s.h == 0 && s != g.current {
		s.h = g.handle()
		g.call("getps_", []string{"AMRefPtr=1; AMRef=ffffffffffffffff;"}, sprint("PSRef=%x;", s.h))
	}
	return g.psRef(s)
}

// system makes a view or a section of a processor system.
func (g *gen) system() {
	if len(g.systems) > 6 || g.current != g.root {
		return
	}
	from := g.root
	if len(g.systems) > 0 && g.chance(50) {
		from = g.systems[g.r.IntN(len(g.systems))]
	}
	s := &system{h: g.handle()}
	if g.chance(40) && from == g.root {
		total := 1
		for _, n := range g.root.shape {
			total *= n
		}
		d := 1 + g.r.IntN(total)
		for total%d != 0 {
			d--
		}
		s.traced, s.shape = []int{d, total / d}, []int{d, total / d}
		if g.chance(30) {
			s.traced, s.shape = []int{total}, []int{total}
		} else if g.chance(20) {
			s.traced, s.shape = []int{1 + g.r.IntN(3), 1 + g.r.IntN(3)}, nil
			if s.traced[0]*s.traced[1] == total {
				s.shape = s.traced
			}
		}
		g.call("psview_", []string{sprint("%s Rank=%d; StaticSign=0;", g.psRef(from), len(s.traced)), array("SizeArray", s.traced)}, sprint("PSRef=%x;", s.h))
		g.systems = append(g.systems, s)
		return
	}
	first, last := make([]int, len(from.traced)), make([]int, len(from.traced))
	for i, n := range from.traced {
		first[i] = g.r.IntN(n)
		last[i] = first[i] + g.r.IntN(n-first[i])
	}
	g.crtps(s, from, first, last)
	g.systems = append(g.systems, s)
}

// crtps calls crtps_ for the section first..last of from.
func (g *gen) crtps(s, from *system, first, last []int) {
	for i := range first {
		s.traced = append(s.traced, last[i]-first[i]+1)
	}
	g.call("crtps_", []string{sprint("%s StaticSign=0;", g.psRef(from)), array("InitIndexArray", first), array("LastIndexArray", last)}, sprint("PSRef=%x;", s.h))
}

// tasks maps abstract machines on systems and runs statements in them.
func (g *gen) tasks() {
	if g.inTasks > 1 {
		return
	}
	if g.current == g.root && len(g.systems) == 0 {
		g.system()
		return
	}
	home := g.current
	if g.chance(60) {
		g.waitAll()
	}
	view := g.handle()
	n := 1 + g.r.IntN(3)
	g.call("crtamv_", []string{"AMRefPtr=NULL; AMRef=0; Rank=1; StaticSign=0;", array("SizeArray", []int{n})}, sprint("AMViewRef=%x;", view))
	outer, depth := g.open, g.depth
	// Half of the time the tasks run on disjoint sections of the current system.
	var parts []*system
	if g.chance(50) || home != g.root {
		total := home.traced[0]
		n = min(n+1, total)
		for i := range n {
			first, last := make([]int, len(home.traced)), make([]int, len(home.traced))
			for k, e := range home.traced {
				last[k] = e - 1
			}
			first[0], last[0] = i*total/n, (i+1)*total/n-1
			s := &system{h: g.handle()}
			g.crtps(s, home, first, last)
			parts = append(parts, s)
			if home == g.root {
				g.systems = append(g.systems, s)
			}
		}
	} else {
		for range n {
			parts = append(parts, g.systems[g.r.IntN(len(g.systems))])
		}
	}
	var ams []uint64
	for i, s := range parts {
		am := g.handle()
		g.call("getamr_", []string{sprint("AMViewRefPtr=1; AMViewRef=%x;", view), array("IndexArray", []int{i})}, sprint("AMRef=%x;", am))
		g.call("mapam_", []string{sprint("AMRefPtr=1; AMRef=%x; %s", am, g.psRef(s))})
		ams = append(ams, am)
	}
	for range 1 + g.r.IntN(2) {
		for i, s := range parts {
			run := 1
			if g.chance(10) {
				run = 0
			}
			state := []string{sprint("Run=%d;", run)}
			if run == 1 && g.has(BareRuns) && g.chance(20) {
				state = nil
			}
			g.call("runam_", []string{sprint("AMRefPtr=1; AMRef=%x;", ams[i])}, state...)
			if run == 0 {
				continue
			}
			g.open, g.depth, g.current = nil, 0, s
			g.inTasks++
			for range g.r.IntN(5) {
				g.step()
			}
			g.waitAll()
			for g.depth > 0 {
				g.closeInterval()
			}
			g.call("stopam_", nil)
			g.inTasks--
			g.open, g.depth, g.current = outer, depth, home
		}
	}
}
