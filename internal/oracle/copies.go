package oracle

import (
	"errors"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// copy is arrcpy_ and aarrcp_ (docs/model.md#copies and, for
// array I/O, #5-input-and-output).
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
		x.end, x.fixed = e.network.exchange(x.start, cur.set(), ms, plainMessages), true
		h, _ := c.Handle("CopyFlagPtr")
		e.copies[h] = x
	}
	switch {
	case e.inIO:
		e.io(e.within)
	case ferr != nil || terr != nil || len(dst) == 0 || e.shortest:
		e.sys(e.within)
	default:
		want := to.owner()
		pieces := map[int][]int{}
		for p := range e.clock {
			for i, at := range dst {
				if want[at].has(p) {
					pieces[p] = append(pieces[p], i)
				}
			}
		}
		d := divide(pieces, len(dst))
		e.share(&d, float64(c.RetTime), true, e.at) // never own: copies wait
	}
	return nil
}

// A division says which of n pieces of work (iterations, elements) each
// processor has, and how many processors have exactly the same ones.
type division struct {
	n      int
	pieces map[int][]int
	same   map[int]int
}

func divide(pieces map[int][]int, n int) division {
	d := division{n, pieces, map[int]int{}}
	for p, mine := range pieces {
		for _, other := range pieces {
			if slices.Equal(mine, other) {
				d.same[p]++
			}
		}
	}
	return d
}

// share divides t seconds of the traced machine among processors by how many
// pieces each has, and books them in the interval at. Of processors with the same
// pieces only one is useful: the time of the others is insufficient parallelism.
func (e *engine) share(d *division, t float64, system bool, at *node) {
	e.shareBy(d, nil, t, system, at)
}

// shareBy is share by what the pieces cost, by their number when costs is nil.
func (e *engine) shareBy(d *division, costs []float64, t float64, system bool, at *node) {
	for p := range e.clock {
		mine, same := d.pieces[p], float64(d.same[p])
		if len(mine) == 0 {
			continue
		}
		own, took := &at.own[p], float64((t/e.power[p])*d.part(costs, mine))
		e.clock[p] += took
		if system {
			own.sys += took
			own.insuffSys += float64(took*(same-1)) / same
		} else {
			own.usr += took
			own.insuffUsr += float64(took*(same-1)) / same
		}
	}
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

// crtrbl creates a buffer of the elements that the iterations of a loop use.
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

// crtrbp creates a buffer of a section of an array, which all processors of a
// system need.
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

// load starts loading buffers. Nothing is exchanged when all are loaded already,
// unless renew asks for it.
func (e *engine) load(bs []*buffer, renew bool) *exchange {
	ms := messages{}
	nothing := !renew
	for _, b := range bs {
		nothing = nothing && b.loaded
		e.loading(ms, b, renew)
	}
	if nothing && len(bs) > 0 {
		return &exchange{kind: interval.Remote, noop: true}
	}
	x := e.begin(interval.Remote)
	x.end, x.fixed = e.network.exchange(x.start, e.current().set(), ms, plainMessages), true
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
