package oracle

import (
	"errors"
	"slices"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// insertShadow puts edges of an array into a group: inssh_, incsh_, insshd_,
// incshd_.
func (e *engine) insertShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	a, err := findArray(e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	x := edge{a: a, low: numbers(c, "LowShdWidthArray"), high: numbers(c, "HiShdWidthArray"), sign: numbers(c, "ShdSignArray"), outside: 1}
	for j := range a.size {
		if x.low[j] == -1 {
			x.low[j] = a.low[j]
		}
		if x.high[j] == -1 {
			x.high[j] = a.high[j]
		}
		if x.sign == nil || len(x.sign) <= j {
			x.sign = append(x.sign, 7)
		}
	}
	if number(c, "FullShdSign") == 1 {
		x.outside = len(a.size)
	}
	x.outside = max(x.outside, number(c, "MaxShdCount"))
	g.edges = append(g.edges, x)
	return nil
}

func (e *engine) startShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	ms, _, err := e.edges(g)
	if err != nil {
		return err
	}
	x := e.begin(interval.Shadow)
	x.end, x.fixed = e.network.exchange(x.start, e.current().set(), ms), true
	g.started = x
	return nil
}

// sendShadow is sendsh_ and recvsh_: whichever comes first starts the
// exchange, of which the other is a part.
func (e *engine) sendShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil || g.started != nil {
		return err
	}
	return e.startShadow(c)
}

func (e *engine) waitShadow(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	if g.started == nil || !g.started.fixed {
		return errors.New("found a wait without a start")
	}
	e.await(g.started, nil)
	g.started = nil
	return nil
}

// exfrst starts an exchange whose start is known at the loop's end.
func (e *engine) exfrst(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	g.started = e.begin(interval.Shadow)
	g.first = l
	l.first = append(l.first, g)
	return nil
}

func (e *engine) imlast(c *call.Call) error {
	g, err := find[*shadowGroup](e, c, "ShadowGroupRef")
	if err != nil {
		return err
	}
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	l.last = append(l.last, g)
	return nil
}

// A redGroup is made by crtrg_. n says whose values are combined.
type redGroup struct {
	bytes   int64
	from    *spread
	started *exchange
}

// A redVar is made by crtred_.
type redVar struct{ bytes int64 }

// A spread is what a reduction belongs to: a loop or a template on a system.
// Along each dimension it is distributed or not, and on some coordinates. Nil
// means all processors.
type spread struct {
	sys  *system
	dims []along
}

type along struct {
	distributed bool
	at          []int // coordinates that have iterations
}

func (e *engine) crtred(c *call.Call) error {
	size := e.typeSize(number(c, "RedArrayType")) + int64(number(c, "LocElmLength"))
	return e.make(c, "RedRef", &redVar{size * int64(number(c, "RedArrayLength"))})
}

func (e *engine) insred(c *call.Call) error {
	g, err := find[*redGroup](e, c, "RedGroupRef")
	if err != nil {
		return err
	}
	v, err := find[*redVar](e, c, "RedRef")
	if err != nil {
		return err
	}
	g.bytes += v.bytes
	switch {
	case !null(c, "LoopRef"):
		l, err := find[*loop](e, c, "LoopRef")
		if err != nil {
			return err
		}
		g.from = l.spread()
	case !null(c, "AMViewRef"):
		t, err := find[*template](e, c, "AMViewRef")
		if err != nil {
			return err
		}
		g.from = t.spread()
	case c.Args.Get("PSSpaceRef") != nil:
		g.from = nil
	default:
		if e.lastLoop != nil {
			g.from = e.lastLoop.spread()
		}
	}
	return nil
}

// coordinates are those of dimension k of s that own anything.
func coordinates(s *system, k int, owner []set) []int {
	var at []int
	for i, p := range s.procs {
		c := coords(s.shape, i)[k]
		if !slices.Contains(at, c) && slices.ContainsFunc(owner, func(o set) bool { return o.has(p) }) {
			at = append(at, c)
		}
	}
	slices.Sort(at)
	return at
}

// spread of a template: all its coordinates that have elements.
func (t *template) spread() *spread {
	if t.sys == nil {
		return nil
	}
	s := &spread{sys: t.sys}
	for k, d := range t.dims {
		s.dims = append(s.dims, along{d.axis >= 0, coordinates(t.sys, k, t.owner)})
	}
	return s
}

// strtrd starts a reduction: model section 7.
func (e *engine) strtrd(c *call.Call) error {
	g, err := find[*redGroup](e, c, "RedGroupRef")
	if err != nil {
		return err
	}
	x := e.begin(interval.Reduction)
	x.end, x.fixed = e.reduction(x.start, g), true
	g.started = x
	return nil
}

func (e *engine) reduction(start float64, g *redGroup) float64 {
	cur := e.current()
	root := cur.procs[0]
	from := g.from
	if from == nil {
		from = &spread{sys: cur}
		for _, n := range cur.shape {
			a := along{distributed: true}
			for c := range n {
				a.at = append(a.at, c)
			}
			from.dims = append(from.dims, a)
		}
	}
	everywhere := true
	for k, d := range from.dims {
		n := from.sys.shape[k]
		everywhere = everywhere && (n == 1 || !d.distributed && len(d.at) == n)
	}
	if everywhere && g.from != nil || g.bytes == 0 {
		return start
	}
	// The senders are those with iterations in the root's section.
	home := make([]int, len(from.dims))
	if i := from.sys.index(root); i >= 0 {
		home = coords(from.sys.shape, i)
	}
	ranges := make([][]int, len(from.dims))
	distance, corner := 0, 0
	for k, d := range from.dims {
		switch n := from.sys.shape[k]; {
		case d.distributed:
			ranges[k] = d.at
			distance += n / 2
		case len(d.at) < n: // a constant coordinate, or replicas on a part
			ranges[k] = []int{min(max(home[k], d.at[0]), d.at[len(d.at)-1])}
			corner += max(d.at[0], n-1-d.at[0])
		default:
			ranges[k] = home[k : k+1]
		}
	}
	var senders []int
	for _, at := range choices(ranges) {
		senders = append(senders, from.sys.procs[linear(from.sys.shape, at)])
	}
	n := len(senders)
	if !slices.Contains(senders, root) {
		n++
	}
	if e.opts.Collectives == "tree" {
		return start + float64(float64(rounds(n)+rounds(len(cur.procs)))*e.network.slowest(cur.procs, g.bytes))
	}
	if m, ok := e.network.flat(cur.procs); ok && m.node.Medium.Kind.String() == "transputer" {
		b := m.node.Medium
		return start + float64((float64(b.TStart)+float64(float64(b.TByte)*float64(g.bytes)))*float64(2*distance+corner))
	}
	gather := messages{}
	for _, p := range senders {
		gather.add(p, root, g.bytes)
	}
	end := e.network.exchange(start, cur.set(), gather)
	return e.network.exchange(end, cur.set(), broadcast(root, cur.procs, g.bytes))
}

func (e *engine) waitrd(c *call.Call) error {
	g, err := find[*redGroup](e, c, "RedGroupRef")
	if err != nil {
		return err
	}
	if g.started == nil {
		return errors.New("found a wait without a start")
	}
	e.await(g.started, nil)
	g.started = nil
	return nil
}

// copy is arrcpy_ and aarrcp_ (model section 7 and, for array I/O, section 5).
func (e *engine) copy(c *call.Call) error {
	from, ferr := findArray(e, c, "FromArrayHandlePtr", "FromArrayHeader")
	to, terr := findArray(e, c, "ToArrayHandlePtr", "ToArrayHeader")
	if ferr != nil && terr != nil {
		return ferr
	}
	var src, dst []int
	var slong, dlong []int
	if ferr == nil {
		r, err := slice(from, numbers(c, "FromInitIndexArray"), numbers(c, "FromLastIndexArray"), numbers(c, "FromStepArray"))
		if err != nil {
			return err
		}
		src, slong = elements(from, r)
	}
	if terr == nil {
		r, err := slice(to, numbers(c, "ToInitIndexArray"), numbers(c, "ToLastIndexArray"), numbers(c, "ToStepArray"))
		if err != nil {
			return err
		}
		dst, dlong = elements(to, r)
	}
	cur := e.current()
	kind := interval.Remote
	regim := number(c, "CopyRegim") != 0
	ms := messages{}
	io := e.ioProcessor()
	switch {
	case ferr == nil && terr == nil:
		if !slices.Equal(slong, dlong) {
			return errors.New("found sections of different shapes")
		}
		have, want := from.owner(), to.owner()
		for i := range src {
			for _, p := range (want[dst[i]] &^ have[src[i]]).each() {
				ms.add(e.nearest(have[src[i]], p), p, from.bytes)
			}
		}
	case ferr == nil: // to a buffer
		have := from.owner()
		target := cur.set()
		if regim {
			kind, target = interval.IO, only(io)
		}
		for _, i := range src {
			for _, p := range (target &^ have[i]).each() {
				ms.add(e.nearest(have[i], p), p, from.bytes)
			}
		}
	case regim: // from the buffer on the I/O processor
		kind = interval.IO
		want := to.owner()
		for _, i := range dst {
			for _, p := range want[i].each() {
				ms.add(io, p, to.bytes)
			}
		}
	}
	if c.Func == "arrcpy_" {
		e.synchronous(kind, ms)
	} else {
		x := e.begin(kind)
		x.end, x.fixed = e.network.exchange(x.start, cur.set(), ms), true
		h, _ := c.Handle("CopyFlagPtr")
		e.copies[h] = x
	}
	switch {
	case e.inIO:
		e.io(float64(c.RetTime))
	case ferr != nil || terr != nil || len(dst) == 0:
		e.sys(float64(c.RetTime))
	default:
		want := to.owner()
		parts := map[int][]int{}
		for p := range e.clock {
			for i, at := range dst {
				if want[at].has(p) {
					parts[p] = append(parts[p], i)
				}
			}
		}
		e.share(parts, len(dst), float64(c.RetTime), true)
	}
	return nil
}

// share divides t seconds of the traced machine among processors by how many
// of n pieces each has; of processors with the same pieces all but one do it
// in vain.
func (e *engine) share(parts map[int][]int, n int, t float64, system bool) map[int]float64 {
	done := map[int]float64{}
	for p := range e.clock {
		mine := parts[p]
		if len(mine) == 0 {
			continue
		}
		same := 0
		for _, other := range parts {
			if slices.Equal(mine, other) {
				same++
			}
		}
		d := float64((t/e.power[p])*float64(len(mine))) / float64(n)
		done[p] = d
		e.clock[p] += d
		own := &e.at.own[p]
		if system {
			own.sys += d
			own.insuffSys += float64(d*float64(same-1)) / float64(same)
		} else {
			own.usr += d
			own.insuffUsr += float64(d*float64(same-1)) / float64(same)
		}
	}
	return done
}

func (e *engine) waitcp(c *call.Call) error {
	h, _ := c.Handle("CopyFlagPtr")
	x := e.copies[h]
	if x == nil {
		return errors.New("found a wait without a start")
	}
	delete(e.copies, h)
	e.await(x, nil)
	return nil
}

// addBuffer registers a buffer under its handle and its header.
func (e *engine) addBuffer(c *call.Call, b *buffer) error {
	if err := e.make(c, "BufferHandlePtr", b); err != nil {
		return err
	}
	if h, ok := c.Handle("BufferHeader"); ok {
		e.headers[h] = b
	}
	return nil
}

// crtrbl creates a buffer for the iterations of a loop.
func (e *engine) crtrbl(c *call.Call) error {
	a, err := findArray(e, c, "RemArrayHandlePtr", "RemArrayHeader")
	if err != nil {
		return err
	}
	l, err := find[*loop](e, c, "LoopRef")
	if err != nil {
		return err
	}
	axis, coeff, cons := numbers(c, "AxisArray"), numbers(c, "CoeffArray"), numbers(c, "ConstArray")
	b := &buffer{a: a, need: make([]set, product(a.size))}
	for i, x := range l.iterations {
		ranges := make([][]int, len(a.size))
		for k, n := range a.size {
			switch {
			case axis[k] == -1:
				for v := range n {
					ranges[k] = append(ranges[k], v)
				}
			case axis[k] == 0 || coeff[k] == 0:
				ranges[k] = []int{cons[k]}
			default:
				ranges[k] = []int{coeff[k]*x[axis[k]-1] + cons[k]}
			}
			for _, v := range ranges[k] {
				if v < 0 || v >= n {
					return errors.New("found an access outside of the array")
				}
			}
		}
		for _, y := range choices(ranges) {
			b.need[linear(a.size, y)] |= l.owner()[i]
		}
	}
	return e.addBuffer(c, b)
}

// crtrbp creates a buffer of a section for a processor system.
func (e *engine) crtrbp(c *call.Call) error {
	a, err := findArray(e, c, "RemArrayHandlePtr", "RemArrayHeader")
	if err != nil {
		return err
	}
	s, err := e.system(c, "PSRef")
	if err != nil {
		return err
	}
	at := numbers(c, "CoordArray")
	b := &buffer{a: a, need: make([]set, product(a.size))}
	for i, x := range indices(a.size) {
		in := true
		for d, v := range at {
			in = in && (v == -1 || x[d] == v)
		}
		if in {
			b.need[i] = s.set()
		}
	}
	return e.addBuffer(c, b)
}

func (e *engine) load(bs []*buffer, renew bool) *exchange {
	ms := messages{}
	nothing := !renew
	for _, b := range bs {
		nothing = nothing && b.loaded
		e.loading(ms, b, renew)
	}
	if nothing && len(bs) > 0 {
		return &exchange{kind: interval.Remote, idle: true}
	}
	x := e.begin(interval.Remote)
	x.end, x.fixed = e.network.exchange(x.start, e.current().set(), ms), true
	return x
}

func (e *engine) loadrb(c *call.Call) error {
	b, err := find[*buffer](e, c, "BufferHandlePtr", "BufferHeader")
	if err != nil {
		return err
	}
	b.started = e.load([]*buffer{b}, number(c, "RenewSign") == 1)
	return nil
}

func (e *engine) waitrb(c *call.Call) error {
	b, err := find[*buffer](e, c, "BufferHandlePtr", "BufferHeader")
	if err != nil {
		return err
	}
	if b.started == nil {
		return errors.New("found a wait without a start")
	}
	e.await(b.started, nil)
	b.started = nil
	return nil
}

func (e *engine) insrb(c *call.Call) error {
	g, err := find[*bufferGroup](e, c, "RegularAccessGroupRef")
	if err != nil {
		return err
	}
	for _, h := range c.Handles(nil, "BufferHeader[]") {
		if b, ok := e.objects[h].(*buffer); ok {
			g.buffers = append(g.buffers, b)
			return nil
		}
	}
	b, err := find[*buffer](e, c, "BufferHeader")
	g.buffers = append(g.buffers, b)
	return err
}

func (e *engine) loadbg(c *call.Call) error {
	g, err := find[*bufferGroup](e, c, "RegularAccessGroupRef")
	if err != nil {
		return err
	}
	g.started = e.load(g.buffers, number(c, "RenewSign") == 1)
	return nil
}

func (e *engine) waitbg(c *call.Call) error {
	g, err := find[*bufferGroup](e, c, "RegularAccessGroupRef")
	if err != nil {
		return err
	}
	if g.started == nil {
		return errors.New("found a wait without a start")
	}
	e.await(g.started, nil)
	g.started = nil
	return nil
}

// srmem sends memory of the I/O processor to all.
func (e *engine) srmem(c *call.Call) error {
	sum := 0
	for _, n := range numbers(c, "LengthArray") {
		sum += n
	}
	e.tell(int64(sum))
	return nil
}

// tell is a broadcast from the I/O processor.
func (e *engine) tell(bytes int64) {
	e.count(interval.IO)
	start := e.sync(interval.IO)
	e.comm(interval.IO, e.spreadOut(start, bytes)-start)
}

// spreadOut places a broadcast from the I/O processor.
func (e *engine) spreadOut(start float64, bytes int64) float64 {
	s := e.current()
	if e.opts.Collectives == "tree" {
		return start + float64(float64(rounds(len(s.procs)))*e.network.slowest(s.procs, bytes))
	}
	return e.network.exchange(start, s.set(), broadcast(e.ioProcessor(), s.procs, bytes))
}

// answer is how many bytes a function of standard I/O makes known to all, and
// whether it returns anything.
func answer(c *call.Call) (int64, bool) {
	switch name := strings.TrimPrefix(c.Func, "dvm_"); name {
	case "void_printf", "void_fprintf", "void_vprintf", "void_vfprintf", "rewind", "clearerr", "setbuf":
		return 0, false
	case "fread":
		return 4 + int64(number(c, "Size"))*int64(number(c, "Count")), true
	case "fgets":
		return 4 + int64(number(c, "N")), true
	case "fscanf", "scanf":
		if p := c.Args.Get("Format"); p != nil {
			f := strings.NewReplacer("%%", "", "%*", "").Replace(string(p.Val))
			return 4 + 8*int64(strings.Count(f, "%")), true
		}
	}
	return 4, true
}

func (e *engine) inout(c *call.Call) error {
	e.io(float64(c.RetTime))
	if bytes, ok := answer(c); ok {
		e.tell(bytes)
	}
	return nil
}

// arrayIO is dvm_dfread and dvm_dfwrite.
func (e *engine) arrayIO(c *call.Call) error {
	a, err := findArray(e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	e.io(float64(c.RetTime))
	io := e.ioProcessor()
	ms := messages{}
	for _, owners := range a.owner() {
		if c.Func == "dvm_dfread" {
			for _, p := range owners.each() {
				ms.add(io, p, a.bytes)
			}
		} else if !owners.has(io) && owners != 0 {
			ms.add(e.nearest(owners, io), io, a.bytes)
		}
	}
	e.count(interval.IO)
	start := e.sync(interval.IO)
	end := e.network.exchange(start, e.current().set(), ms)
	e.comm(interval.IO, e.spreadOut(end, 4)-start)
	return nil
}
