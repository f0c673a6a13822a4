package object

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/procs"
)

// CreateShadowGroup handles crtshg_.
func (t *Table) CreateShadowGroup(c *call.Call) error {
	t.bindRet(c, "ShadowGroupRef", &ShadowGroup{})
	return nil
}

// ShadowGroup returns the group of shadow edges that a call names.
func (t *Table) ShadowGroup(c *call.Call) (*ShadowGroup, error) {
	return lookup[*ShadowGroup](t, c, "a group of shadow edges", "ShadowGroupRef")
}

// InsertShadow handles inssh_ and incsh_: all sides, with corners when
// FullShdSign=1.
func (t *Table) InsertShadow(c *call.Call) error {
	full, err := c.IntOr("FullShdSign", 0)
	if err != nil {
		return err
	}
	return t.insertEdge(c, func(a *Array, e *Edge) error {
		e.Corners = 1
		if full == 1 {
			e.Corners = a.Rank()
		}
		return nil
	})
}

// The bits of ShdSignArray (docs/model.md#shadow-edges).
const (
	inside   = 1
	sideLow  = 2
	sideHigh = 4
)

// InsertShadowDims handles insshd_ and incshd_: the sides that ShdSignArray
// names; at most MaxShdCount dimensions are left at once.
func (t *Table) InsertShadowDims(c *call.Call) error {
	corners, err := c.Int("MaxShdCount")
	if err != nil {
		return err
	}
	sides, err := ints(c, "ShdSignArray")
	if err != nil {
		return err
	}
	return t.insertEdge(c, func(a *Array, e *Edge) error {
		if len(sides) != a.Rank() {
			return Error(c, "rank", "ShdSignArray has %d elements, the array has rank %d", len(sides), a.Rank())
		}
		for i, s := range sides {
			if s&inside == 0 {
				if e.Outside == nil {
					e.Outside = make([]bool, len(sides))
				}
				e.Outside[i] = true
			}
			if s&sideLow == 0 {
				e.Lo[i] = 0
			}
			if s&sideHigh == 0 {
				e.Hi[i] = 0
			}
		}
		e.Corners = int(min(max(corners, 1), int64(a.Rank())))
		return nil
	})
}

// insertEdge adds an array to a group; width -1 means the array's own.
func (t *Table) insertEdge(c *call.Call, sides func(*Array, *Edge) error) error {
	g, err := t.ShadowGroup(c)
	if err != nil {
		return err
	}
	a, err := t.Array(c, "")
	if err != nil {
		return err
	}
	e := Edge{Array: a}
	for i, own := range [][]int64{a.ShadowLo, a.ShadowHi} {
		key := [...]string{"LowShdWidthArray", "HiShdWidthArray"}[i]
		w, err := ints(c, key)
		if err != nil {
			return err
		}
		if len(w) != a.Rank() {
			return Error(c, "rank", "%s has %d elements, the array has rank %d", key, len(w), a.Rank())
		}
		for j := range w {
			if w[j] == -1 {
				w[j] = own[j]
			}
			if w[j] < 0 || w[j] > a.Size[j] {
				return Error(c, "shadow", "%s[%d]=%d, expected -1..%d", key, j, w[j], a.Size[j])
			}
		}
		if i == 0 {
			e.Lo = w
		} else {
			e.Hi = w
		}
	}
	if err := sides(a, &e); err != nil {
		return err
	}
	g.Edges = append(g.Edges, e)
	return nil
}

// CreateReductionGroup handles crtrg_.
func (t *Table) CreateReductionGroup(c *call.Call) error {
	t.bindRet(c, "RedGroupRef", &ReductionGroup{})
	return nil
}

// ReductionGroup returns the reduction group that a call names.
func (t *Table) ReductionGroup(c *call.Call) (*ReductionGroup, error) {
	return lookup[*ReductionGroup](t, c, "a reduction group", "RedGroupRef")
}

// CreateReduction handles crtred_.
func (t *Table) CreateReduction(c *call.Call) error {
	typ, err := c.Int("RedArrayType")
	if err != nil {
		return err
	}
	elem := t.typeSize(typ)
	if elem == 0 {
		return Error(c, "type", "RedArrayType=%d, expected 1 (int), 2 (long), 3 (float), 4 (double), 5 or 6 (complex)", typ)
	}
	n, err := c.Int("RedArrayLength")
	if err != nil {
		return err
	}
	loc, err := c.IntOr("LocElmLength", 0)
	if err != nil {
		return err
	}
	if n < 0 || n > 1<<31 || loc < 0 || loc > 1<<20 {
		return Error(c, "extent", "RedArrayLength=%d and LocElmLength=%d, expected at most 2^31 and 2^20", n, loc)
	}
	t.bindRet(c, "RedRef", &Reduction{Bytes: (elem + loc) * n})
	return nil
}

// InsertReduction handles insred_: the variable joins the group, which
// belongs to the loop, template or system that is named
// (docs/model.md#reductions).
func (t *Table) InsertReduction(c *call.Call) error {
	g, err := t.ReductionGroup(c)
	if err != nil {
		return err
	}
	v, err := lookup[*Reduction](t, c, "a reduction variable", "RedRef")
	if err != nil {
		return err
	}
	g.Bytes += v.Bytes
	if ref, ok := c.Handle("LoopRef"); ok && ref != 0 {
		if g.Loop, err = t.loopArg(c); err != nil {
			return err
		}
		g.Template, g.System = nil, nil
	} else if ref, ok := c.Handle("AMViewRef"); ok && ref != 0 {
		if g.Template, err = t.template(c); err != nil {
			return err
		}
		g.Loop, g.System = nil, nil
	} else if ref, ok := c.Handle("PSSpaceRef"); ok {
		g.Loop, g.Template = nil, nil
		g.System = t.Current()
		if !NoHandle(ref) {
			if g.System, err = lookup[*procs.System](t, c, "a processor system", "PSSpaceRef"); err != nil {
				return err
			}
		}
	}
	return nil
}

// CreateLoopBuffer handles crtrbl_.
func (t *Table) CreateLoopBuffer(c *call.Call) error {
	a, err := t.Array(c, "Rem")
	if err != nil {
		return err
	}
	l, err := t.loopArg(c)
	if err != nil {
		return err
	}
	var arrays [3][]int64
	for i, key := range []string{"AxisArray", "CoeffArray", "ConstArray"} {
		if arrays[i], err = ints(c, key); err != nil {
			return err
		}
		if len(arrays[i]) != a.Rank() {
			return Error(c, "rank", "%s has %d elements, the remote array has rank %d", key, len(arrays[i]), a.Rank())
		}
	}
	b := &Buffer{Array: a, Loop: l}
	if b.Rules, err = layout.Rules(arrays[0], arrays[1], arrays[2], l.Rank); err != nil {
		return Error(c, "access", "%v", err)
	}
	t.bindBuffer(c, b)
	return nil
}

func (t *Table) bindBuffer(c *call.Call, b *Buffer) {
	if ref, ok := c.Handle("BufferHeader"); ok {
		t.bind(ref, b)
	}
	t.bindRet(c, "BufferHandlePtr", b)
}

// CreateSectionBuffer handles crtrbp_.
func (t *Table) CreateSectionBuffer(c *call.Call) error {
	a, err := t.Array(c, "Rem")
	if err != nil {
		return err
	}
	s, err := t.system(c)
	if err != nil {
		return err
	}
	b := &Buffer{Array: a, System: s}
	if b.Coords, err = ints(c, "CoordArray"); err != nil {
		return err
	}
	if len(b.Coords) != a.Rank() {
		return Error(c, "rank", "CoordArray has %d elements, the remote array has rank %d", len(b.Coords), a.Rank())
	}
	t.bindBuffer(c, b)
	return nil
}

// Buffer returns the remote access buffer that a call names.
func (t *Table) Buffer(c *call.Call) (*Buffer, error) {
	return lookup[*Buffer](t, c, "a remote access buffer", "BufferHandlePtr", "BufferHeader")
}

// CreateBufferGroup handles crtbg_.
func (t *Table) CreateBufferGroup(c *call.Call) error {
	t.bindRet(c, "RegularAccessGroupRef", &BufferGroup{})
	return nil
}

// BufferGroup returns the group of buffers that a call names.
func (t *Table) BufferGroup(c *call.Call) (*BufferGroup, error) {
	return lookup[*BufferGroup](t, c, "a group of remote access buffers", "RegularAccessGroupRef")
}

// InsertBuffer handles insrb_.
func (t *Table) InsertBuffer(c *call.Call) error {
	g, err := t.BufferGroup(c)
	if err != nil {
		return err
	}
	for _, ref := range c.Handles(nil, "BufferHeader[]") {
		if b, ok := t.byRef[ref].(*Buffer); ok {
			g.Buffers = append(g.Buffers, b)
			return nil
		}
	}
	b, err := lookup[*Buffer](t, c, "a remote access buffer", "BufferHeader")
	if err != nil {
		return err
	}
	g.Buffers = append(g.Buffers, b)
	return nil
}
