package object

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/procs"
)

// CreateTemplate handles crtamv_.
func (t *Table) CreateTemplate(c *call.Call) error {
	size, err := sizes(c)
	if err != nil {
		return err
	}
	t.bindRet(c, "AMViewRef", &Template{Size: size})
	return nil
}

// TemplateOfArray handles getamv_.
func (t *Table) TemplateOfArray(c *call.Call) error {
	a, err := t.Array(c, "")
	if err != nil {
		return err
	}
	if a.Template != nil {
		t.bindRet(c, "AMViewRef", a.Template)
	}
	return nil
}

// distribution reads where distr_ or redis_ puts tm.
func (t *Table) distribution(c *call.Call, tm *Template) (*procs.System, *layout.Dist, error) {
	s, err := t.system(c)
	if err != nil {
		return nil, nil, err
	}
	axis, err := ints(c, "AxisArray")
	if err != nil {
		return nil, nil, err
	}
	param, err := ints(c, "DistrParamArray")
	if err != nil {
		return nil, nil, err
	}
	d, err := t.memo.distribute(s.Grid, tm.Size, axis, param, func(a, k int) layout.Weights { return t.weights(tm, s, a, k) })
	if err != nil {
		return nil, nil, Error(c, "distribution", "%v", err)
	}
	for k := range d.Dims {
		if d.Dims[k].Kind == layout.Cut {
			for len(t.extents) <= k {
				t.extents = append(t.extents, 0)
			}
			t.extents[k] = max(t.extents[k], tm.Size[d.Dims[k].Axis])
		}
	}
	return s, d, nil
}

// Extents returns for each dimension of processor systems the largest axis of
// a template that was mapped on it so far (docs/model.md#11-search); its
// length is the rank of the grids that the program can use.
func (t *Table) Extents() []int64 { return t.extents }

// Distribute handles distr_.
func (t *Table) Distribute(c *call.Call) error {
	tm, err := t.template(c)
	if err != nil {
		return err
	}
	if tm.System, tm.Dist, err = t.distribution(c, tm); err != nil {
		return err
	}
	for _, a := range tm.Arrays {
		if err := t.place(c, a); err != nil {
			return err
		}
	}
	return nil
}

// Move is an array that changes its place.
type Move struct {
	Array *Array
	// From and To are the mappings before and after, on the systems
	// FromSystem and ToSystem; From is nil for an array that lay nowhere.
	From, To             *layout.Mapping
	FromSystem, ToSystem *procs.System
}

// Redistribute handles redis_ of a template or of an array's template and
// returns the arrays that move.
func (t *Table) Redistribute(c *call.Call) ([]Move, error) {
	var tm *Template
	var err error
	if ref, ok := c.Handle("AMViewRef"); ok && ref != 0 {
		tm, err = t.template(c)
	} else {
		var a *Array
		if a, err = t.Array(c, ""); err == nil {
			if tm = a.Template; tm == nil {
				err = Error(c, "distribution", "the array is not aligned with a template, expected align_ before")
			}
		}
	}
	if err != nil {
		return nil, err
	}
	s, d, err := t.distribution(c, tm)
	if err != nil {
		return nil, err
	}
	tm.System, tm.Dist = s, d
	var moves []Move
	for _, a := range tm.Arrays {
		m := Move{Array: a, From: a.Map, FromSystem: a.System}
		if err := t.place(c, a); err != nil {
			return nil, err
		}
		m.To, m.ToSystem = a.Map, a.System
		moves = append(moves, m)
	}
	return moves, nil
}
