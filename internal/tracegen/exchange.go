package tracegen

// shadowGroup creates a group with edges of arrays. With plain the edges state no
// ShdSignArray.
func (g *gen) shadowGroup(arrays []*arr, plain bool) uint64 {
	group := g.handle()
	g.call("crtshg_", []string{"StaticSign=0;"}, sprint("ShadowGroupRef=%x;", group))
	for _, a := range arrays {
		low, high := make([]int, len(a.size)), make([]int, len(a.size))
		for i := range low {
			low[i], high[i] = g.width(a.size[i]), g.width(a.size[i])
		}
		head := sprint("ShadowGroupRefPtr=1; ShadowGroupRef=%x; ArrayHeader=%x; ArrayHandlePtr=%x;", group, a.hdr, a.h)
		if !plain && g.has(Corners) && g.chance(35) {
			sign := make([]int, len(low))
			for i := range sign {
				sign[i] = []int{7, 3, 5, 1, 7, 7, 6, 2}[g.r.IntN(8)]
			}
			name := "insshd_"
			if g.chance(10) {
				name = "incshd_"
			}
			g.call(name, []string{head + sprint(" MaxShdCount=%d;", 1+g.r.IntN(len(low))), array("LowShdWidthArray", low), array("HiShdWidthArray", high), array("ShdSignArray", sign)})
			continue
		}
		full := 0
		if g.has(Corners) && g.chance(35) {
			full = 1
		}
		name := "inssh_"
		if g.chance(10) {
			name = "incsh_"
		}
		g.call(name, []string{head + sprint(" FullShdSign=%d;", full), array("LowShdWidthArray", low), array("HiShdWidthArray", high)})
	}
	return group
}

// width returns the width of an edge. It is mostly 1, so that few edges are wider
// than a block.
func (g *gen) width(size int) int {
	switch g.r.IntN(10) {
	case 0:
		return 0
	case 1:
		return -1
	case 2:
		return min(2, size)
	}
	return 1
}

// shadow exchanges edges.
func (g *gen) shadow() {
	all := g.inScope(true)
	if len(all) == 0 {
		return
	}
	var some []*arr
	for range 1 + g.r.IntN(2) {
		some = append(some, all[g.r.IntN(len(all))])
	}
	if len(some) == 2 && (some[0] == some[1] || some[0].t.sys != some[1].t.sys) {
		some = some[:1]
	}
	group := g.shadowGroup(some, false)
	ref := []string{sprint("ShadowGroupRefPtr=1; ShadowGroupRef=%x;", group)}
	if !g.has(HandPipelines) || g.chance(80) {
		g.call("strtsh_", ref)
	} else {
		first, second := "recvsh_", "sendsh_"
		if g.chance(30) {
			first, second = second, first
		}
		g.call(first, ref)
		if g.chance(30) {
			g.ordinary()
		}
		g.call(second, ref)
	}
	g.later(func() {
		g.call("waitsh_", ref)
		if g.has(Deletions) && g.chance(50) {
			g.call("delshg_", ref)
			g.free = append(g.free, group)
		}
	})
}

// bounds returns the first index, last index and step of a section of n elements
// out of size.
func (g *gen) bounds(size, n int) (first, last, step int) {
	step = 1
	if n > 1 {
		step = 1 + g.r.IntN((size-1)/(n-1))
		if g.chance(60) {
			step = 1
		}
	}
	first = g.r.IntN(size - (n-1)*step)
	last = first + (n-1)*step
	if step > 1 && g.chance(30) {
		last = min(size-1, last+g.r.IntN(step))
	}
	if step == 1 && g.chance(15) {
		step = 0
	}
	if n == size && (step <= 1) && g.chance(40) {
		first = -1
	}
	return first, last, step
}

// copySection returns the three parameter lines of a section with n[i] elements in
// dimension i.
func (g *gen) copySection(side string, size, n []int) []string {
	first, last, step := make([]int, len(size)), make([]int, len(size)), make([]int, len(size))
	for i := range size {
		first[i], last[i], step[i] = g.bounds(size[i], n[i])
	}
	return []string{array(side+"InitIndexArray", first), array(side+"LastIndexArray", last), array(side+"StepArray", step)}
}

// ends names an array as one side of a copy, From or To.
func (g *gen) ends(side string, a *arr) string {
	return sprint("%sArrayHeader=%x; %sArrayHandlePtr=%x;", side, a.hdr, side, a.h)
}

// copy copies a section of an array to an array or a buffer, or back.
func (g *gen) copy() {
	from, to := g.pick(false), g.pick(false)
	if from == nil || to == nil {
		return
	}
	regim := 0
	if g.chance(20) {
		regim = 1 + g.r.IntN(2)
	}
	name := "arrcpy_"
	flag := ""
	if g.chance(40) {
		name = "aarrcp_"
		flag = sprint(" CopyFlagPtr=%x;", g.handle())
	}
	// n[i] is the number of elements in dimension i. Numbers above one must be
	// the same on the other side, in the same order.
	n := make([]int, len(from.size))
	for i, s := range from.size {
		n[i] = 1 + g.r.IntN(s)
		if g.chance(40) {
			n[i] = s
		}
	}
	var args []string
	switch kind := g.r.IntN(4); kind {
	case 0: // to a buffer
		args = append([]string{g.ends("From", from) + sprint(" ToBufferPtr=1; CopyRegim=%d;", regim) + flag}, g.copySection("From", from.size, n)...)
	case 1: // from a buffer
		args = append([]string{"FromBufferPtr=1; " + g.ends("To", from) + sprint(" CopyRegim=%d;", regim) + flag}, g.copySection("To", from.size, n)...)
	default:
		m := make([]int, len(to.size))
		for j := range m {
			m[j] = 1
		}
		j := 0
		for i := range n {
			fit := -1
			for k := j; k < len(m) && n[i] > 1; k++ {
				if to.size[k] > 1 {
					fit = k
					break
				}
			}
			if fit < 0 {
				n[i] = 1
				continue
			}
			n[i] = min(n[i], to.size[fit])
			m[fit], j = n[i], fit+1
		}
		args = []string{g.ends("From", from) + " " + g.ends("To", to) + " CopyRegim=0;" + flag}
		args = append(args, g.copySection("From", from.size, n)...)
		args = append(args, g.copySection("To", to.size, m)...)
	}
	g.call(name, args, "Res=1;")
	if flag != "" {
		g.later(func() { g.call("waitcp_", []string{flag}) })
	}
}

// loopBuffers creates remote access buffers for l and loads them, alone or as
// a group. It returns functions that make the calls after the loop.
func (g *gen) loopBuffers(l *nest) (after []func()) {
	var bufs []uint64
	for range 1 + g.r.IntN(2) {
		a := g.pick(true)
		if a == nil {
			return nil
		}
		b := g.handle()
		axis, coeff, cons := make([]int, len(a.size)), make([]int, len(a.size)), make([]int, len(a.size))
		used := make([]bool, l.rank)
		for k, n := range a.size {
			if g.chance(25) {
				axis[k] = -1
				continue
			}
			axis[k], coeff[k], cons[k] = g.rule(l, n, used, true)
		}
		g.call("crtrbl_", []string{
			sprint("RemArrayHeader=%x; RemArrayHandlePtr=%x; BufferHeader=%x; BasePtr=1; StaticSign=0; %s", a.hdr, a.h, b, l.ref()),
			array("AxisArray", axis), array("CoeffArray", coeff), array("ConstArray", cons),
		}, sprint("BufferHandlePtr=%x; IsLocal=1", b+1))
		bufs = append(bufs, b)
	}
	return g.load(bufs)
}

// section creates a buffer of a section for a processor system and loads it.
func (g *gen) section() {
	a := g.pick(true)
	if a == nil {
		return
	}
	b := g.handle()
	on := g.current
	if g.current == g.root && len(g.systems) > 0 && g.chance(30) {
		on = g.systems[g.r.IntN(len(g.systems))]
	}
	at := make([]int, len(a.size))
	for k, n := range a.size {
		if at[k] = g.r.IntN(n); g.chance(40) {
			at[k] = -1
		}
	}
	g.call("crtrbp_", []string{
		sprint("RemArrayHeader=%x; RemArrayHandlePtr=%x; BufferHeader=%x; BasePtr=1; StaticSign=0; %s", a.hdr, a.h, b, g.psRef(on)),
		array("CoordArray", at),
	}, sprint("BufferHandlePtr=%x; IsLocal=1", b+1))
	for _, f := range g.load([]uint64{b}) {
		f()
	}
}

// load starts loading buffers. It returns functions that sometimes load them a
// second time, after the loop.
func (g *gen) load(bufs []uint64) (after []func()) {
	renew := 0
	if g.chance(30) {
		renew = 1
	}
	again := g.chance(25)
	if g.has(LoadedMembers) && len(bufs) == 1 && g.chance(30) {
		head := sprint("BufferHeader=%x; BufferHandlePtr=%x;", bufs[0], bufs[0]+1)
		g.call("loadrb_", []string{head + " RenewSign=0;"})
		g.call("waitrb_", []string{head})
	} else if len(bufs) == 1 && g.chance(70) {
		head := sprint("BufferHeader=%x; BufferHandlePtr=%x;", bufs[0], bufs[0]+1)
		g.call("loadrb_", []string{head + sprint(" RenewSign=%d;", renew)})
		wait := func() { g.call("waitrb_", []string{head}) }
		g.later(wait)
		if again {
			return []func(){func() {
				g.waitAll()
				g.call("loadrb_", []string{head + sprint(" RenewSign=%d;", g.r.IntN(2))})
				g.later(wait)
			}}
		}
		return nil
	}
	group := g.handle()
	g.call("crtbg_", []string{"StaticSign=0; DelBufSign=1;"}, sprint("RegularAccessGroupRef=%x;", group))
	ref := sprint("RegularAccessGroupRefPtr=1; RegularAccessGroupRef=%x;", group)
	for _, b := range bufs {
		g.call("insrb_", []string{ref + sprint(" BufferHeader=%x; BufferHeader[0]=%x", b, b+1)})
	}
	g.call("loadbg_", []string{ref + sprint(" RenewSign=%d;", renew)})
	wait := func() { g.call("waitbg_", []string{ref}) }
	g.later(wait)
	if again {
		return []func(){func() {
			g.waitAll()
			g.call("loadbg_", []string{ref + sprint(" RenewSign=%d;", g.r.IntN(2))})
			g.later(wait)
		}}
	}
	return nil
}

// inout makes calls of input and output.
func (g *gen) inout() {
	switch g.r.IntN(9) {
	case 0:
		if g.has(UnlistedIO) && g.chance(60) {
			name := []string{"open", "close", "read", "write", "lseek", "vscanf"}[g.r.IntN(6)]
			g.call("dvm_"+name, []string{"File=1; Count=512;"}, "Res=5;")
			return
		}
		g.call("dvm_void_printf", []string{"Format=it=%d"})
	case 1:
		g.call("dvm_printf", []string{"Format=it=%d"}, "Res=5;")
	case 2:
		g.call("dvm_fread", []string{sprint("Buffer=1; Size=%d; Count=%d; Stream=1;", 1+g.r.IntN(8), g.r.IntN(20))}, "Res=1;")
	case 3:
		g.call("dvm_fgets", []string{sprint("Stream=1; N=%d;", 1+g.r.IntN(80))}, "Res=1; String=x")
	case 4:
		g.call("dvm_fscanf", []string{"Stream=1; Format=%d %f"}, sprint("Res=%d;", g.r.IntN(4)))
	case 5:
		g.call("srmem_", []string{"MemoryCount=2;", "StartAddrArray[0]=1; StartAddrArray[1]=2; ", array("LengthArray", []int{1 + g.r.IntN(50), g.r.IntN(9)})})
	case 6:
		a := g.pick(true)
		if a == nil {
			return
		}
		name := []string{"dvm_dfread", "dvm_dfwrite"}[g.r.IntN(2)]
		g.call(name, []string{sprint("ArrayHeader=%x; ArrayHandlePtr=%x; Count=0; Stream=1;", a.hdr, a.h)}, "Res=100;")
	default:
		if g.inIO {
			return
		}
		g.call("biof_", nil)
		g.inIO = true
		for range g.r.IntN(4) {
			switch g.r.IntN(4) {
			case 0:
				if g.has(Copies) {
					g.waitAll()
					g.copy()
				}
			case 1:
				g.inout()
			default:
				g.ordinary()
			}
		}
		g.waitAll()
		g.inIO = false
		g.call("eiof_", nil)
	}
}
