package object

import (
	"slices"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/libdvm"
)

// CreateArray handles crtda_.
func (t *Table) CreateArray(c *call.Call) error {
	size, err := sizes(c)
	if err != nil {
		return err
	}
	a := &Array{Size: size}
	if a.ElemSize, err = t.elemSize(c); err != nil {
		return err
	}
	for i, dst := range []*[]int64{&a.ShadowLo, &a.ShadowHi} {
		key := [...]string{"LowShdWidthArray", "HiShdWidthArray"}[i]
		if *dst, err = ints(c, key); err != nil {
			return err
		}
		if len(*dst) != len(size) {
			return Error(c, "rank", "%s has %d elements, Rank=%d", key, len(*dst), len(size))
		}
		for j, w := range *dst {
			if w < 0 || w > size[j] {
				return Error(c, "shadow", "%s[%d]=%d, expected 0..%d", key, j, w, size[j])
			}
		}
	}
	t.bindArray(c, a)
	return nil
}

func (t *Table) bindArray(c *call.Call, a *Array) {
	if ref, ok := c.Handle("ArrayHeader"); ok {
		t.bind(ref, a)
	}
	t.bindRet(c, "ArrayHandlePtr", a)
}

// elemSize returns TypeSize in bytes; a negative one is a type's number.
func (t *Table) elemSize(c *call.Call) (int64, error) {
	n, err := c.Int("TypeSize")
	if err != nil {
		return 0, err
	}
	if n > 0 && n <= 1<<31 {
		return n, nil
	}
	if size := t.typeSize(-n); size > 0 {
		return size, nil
	}
	return 0, Error(c, "type", "TypeSize=%d, expected a size in bytes or minus the number of a type", n)
}

// typeSize returns the size of a type of the run-time system
// (docs/model.md#reductions), 0 for an unknown one.
func (t *Table) typeSize(n int64) int64 {
	switch n {
	case 1, 3:
		return 4
	case 2:
		// sizeof(long), which the trace does not say.
		if !t.wide {
			return 4
		}
		return 8
	case 4, 5:
		return 8
	case 6:
		return 16
	}
	return 0
}

// CreateReplica handles crtrda_: an array of which every processor of the
// current system has the whole.
func (t *Table) CreateReplica(c *call.Call) error {
	size, err := sizes(c)
	if err != nil {
		return err
	}
	a := &Array{Size: size, ShadowLo: make([]int64, len(size)), ShadowHi: make([]int64, len(size))}
	if a.ElemSize, err = t.elemSize(c); err != nil {
		return err
	}
	a.System = t.Current()
	a.Map = layout.Everywhere(a.System.Grid, size)
	t.bindArray(c, a)
	return nil
}

// AddHeader handles addhdr_: another name of an array.
func (t *Table) AddHeader(c *call.Call) error {
	a, err := t.Array(c, "")
	if err != nil {
		return err
	}
	if ref, ok := c.Handle("NewArrayHeader"); ok {
		t.bind(ref, a)
	}
	t.bindRet(c, "NewArrayHandlePtr", a)
	return nil
}

// Align handles align_.
func (t *Table) Align(c *call.Call) error {
	a, err := t.Array(c, "")
	if err != nil {
		return err
	}
	return t.align(c, a)
}

func (t *Table) align(c *call.Call, a *Array) error {
	tm, pat, rules, err := t.rules(c, a.Rank())
	if err != nil {
		return err
	}
	if old := a.Template; old != nil {
		old.Arrays = slices.DeleteFunc(old.Arrays, func(b *Array) bool { return a == b })
	}
	a.Template, a.Rules = tm, rules
	if tm == nil {
		a.System = pat.System
		if a.System == nil {
			a.System = t.Current()
		}
		a.Map = layout.Everywhere(a.System.Grid, a.Size)
		return nil
	}
	tm.Arrays = append(tm.Arrays, a)
	return t.place(c, a)
}

// Realign handles realn_ and returns the move. A nested crtda_ gives the
// array its new handle.
func (t *Table) Realign(c *call.Call) (Move, error) {
	a, err := t.Array(c, "")
	if err != nil {
		return Move{}, err
	}
	m := Move{Array: a, From: a.Map, FromSystem: a.System}
	if err := t.align(c, a); err != nil {
		return Move{}, err
	}
	m.To, m.ToSystem = a.Map, a.System
	t.rename(c, c, a)
	return m, nil
}

// rename gives array a, which c names, the handle that a crtda_ nested in
// within returned: whatever had it is no more, and the handle that c names is
// free for the run-time system to give to another object, which must not end
// a.
func (t *Table) rename(c, within *call.Call, a *Array) {
	for i := range within.Nested {
		n := &within.Nested[i]
		if ref, ok := n.RetHandle("ArrayHandlePtr"); ok && n.Class() == libdvm.CreateArray {
			if old, ok := c.Handle("ArrayHandlePtr"); ok && old != ref && t.byRef[old] == a {
				delete(t.byRef, old)
			}
			t.bindRet(n, "ArrayHandlePtr", a)
		}
		t.rename(c, n, a)
	}
}

// Delete handles the functions that delete an object. Handles that name
// nothing are ignored: the run-time system deletes objects of its own.
func (t *Table) Delete(c *call.Call) error {
	for i := range c.Args.Len() {
		key := c.Args.At(i).Key
		if strings.HasSuffix(key, "RefPtr") {
			continue // the address of a variable, not a name of the object
		}
		ref, ok := c.Handle(key)
		if !ok || ref == 0 {
			continue
		}
		if obj := t.byRef[ref]; obj != nil {
			delete(t.byRef, ref)
			end(obj)
		}
	}
	return nil
}
