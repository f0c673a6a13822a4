package object

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/layout"
)

// place computes where a lies from its rules and its template.
func (t *Table) place(c *call.Call, a *Array) error {
	tm := a.Template
	if tm.Dist == nil {
		a.Map, a.System = nil, nil
		return nil
	}
	m, err := t.memo.place(tm.Dist, a.Rules, a.Size)
	if err != nil {
		return Error(c, "alignment", "%v", err)
	}
	a.Map, a.System = m, tm.System
	return nil
}

// pattern returns the template and the rules of the pattern that PatternRef
// names: those of an array are its own alignment. A replicated array,
// of which every processor has the whole, has no template.
func (t *Table) pattern(c *call.Call) (*Template, *Array, error) {
	for _, key := range []string{"PatternRef", "PatternRefPtr"} {
		ref, ok := c.Handle(key)
		if !ok || ref == 0 {
			continue
		}
		switch obj := t.byRef[ref].(type) {
		case *Template:
			return obj, nil, nil
		case *Array:
			return obj.Template, obj, nil
		}
	}
	_, err := lookup[*Template](t, c, "a template or an array", "PatternRef", "PatternRefPtr")
	return nil, nil, err
}

// rules reads how an index space of the given rank lies on the pattern and
// returns the pattern's template and the rules on its axes. The template is
// nil when the pattern is a replicated array.
func (t *Table) rules(c *call.Call, rank int) (*Template, *Array, []layout.Rule, error) {
	tm, pat, err := t.pattern(c)
	if err != nil {
		return nil, nil, nil, err
	}
	var arrays [3][]int64
	for i, key := range []string{"AxisArray", "CoeffArray", "ConstArray"} {
		if arrays[i], err = ints(c, key); err != nil {
			return nil, nil, nil, err
		}
	}
	rules, err := composed(c, tm, pat, arrays[0], arrays[1], arrays[2], rank)
	return tm, pat, rules, err
}

// composed returns the rules of an index space of the given rank on the
// template tm, when c places it on tm or, when pat is not nil, on that array.
func composed(c *call.Call, tm *Template, pat *Array, axis, coeff, constant []int64, rank int) ([]layout.Rule, error) {
	rules, err := layout.Rules(axis, coeff, constant, rank)
	if err == nil && pat != nil && tm != nil {
		rules, err = layout.Compose(rules, pat.Rules, pat.Size, tm.Size)
	}
	if err != nil {
		return nil, Error(c, "alignment", "%v", err)
	}
	return rules, nil
}
