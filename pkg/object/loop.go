package object

import (
	"encoding/binary"

	"dvmtools/pkg/call"
	"dvmtools/pkg/layout"
)

// CreateLoop handles crtpl_. Loops do not nest
// (docs/model.md#8-parallel-loops).
func (t *Table) CreateLoop(c *call.Call) error {
	if t.loop != nil {
		return Error(c, "loop", "the loop created at %v is still open, expected its endpl_ before", t.loopPos)
	}
	rank, err := c.Int("Rank")
	if err != nil {
		return err
	}
	if rank < 1 || rank > maxRank {
		return Error(c, "rank", "Rank=%d, expected 1..%d", rank, maxRank)
	}
	t.loop, t.loopPos = &Loop{Rank: int(rank)}, c.Pos
	t.bindRet(c, "LoopRef", t.loop)
	return nil
}

func (t *Table) loopArg(c *call.Call) (*Loop, error) {
	return lookup[*Loop](t, c, "a loop", "LoopRef")
}

// MapLoop handles mappl_.
func (t *Table) MapLoop(c *call.Call) error {
	l, err := t.loopArg(c)
	if err != nil {
		return err
	}
	tm, pat, err := t.pattern(c)
	if err != nil {
		return err
	}
	id := 0
	switch {
	case tm == nil || tm.Dist == nil:
	case pat == nil:
		id = -tm.Dist.ID
	case pat.Map != nil:
		id = pat.Map.ID
	}
	q := &t.memo.request
	if err := q.read(c, l.Rank, id); err != nil {
		return err
	}
	key := ""
	if id != 0 {
		t.memo.key = q.appendKey(t.memo.key[:0])
		if known := t.memo.loops[string(t.memo.key)]; known != nil {
			l.Iterations, l.Counts, l.System, l.Map, l.Share = known.Iterations, known.Counts, tm.System, known.Map, known.Share
			l.Rules, l.Template = known.Rules, tm
			t.last = l
			return nil
		}
		key = string(t.memo.key)
	}
	rules, err := composed(c, tm, pat, q.Axis, q.Coeff, q.Const, l.Rank)
	if err != nil {
		return err
	}
	l.Iterations = make([]layout.Iterations, l.Rank)
	for i := range l.Iterations {
		l.Iterations[i] = layout.Iterations{Init: q.Init[i], Last: q.Last[i], Step: q.Step[i]}
	}
	l.Template, l.Rules = tm, rules
	placed, counts, err := layout.LoopRules(rules, l.Iterations)
	if err != nil {
		return Error(c, "alignment", "%v", err)
	}
	l.Counts = counts
	switch {
	case tm == nil:
		l.System = pat.System
		if l.System == nil {
			l.System = t.Current()
		}
		l.Map = layout.Everywhere(l.System.Grid, counts)
	case tm.Dist == nil:
		return Error(c, "alignment", "the pattern's template is not distributed, expected distr_ before")
	default:
		l.System = tm.System
		if l.Map, err = t.memo.place(tm.Dist, placed, counts); err != nil {
			return Error(c, "alignment", "%v", err)
		}
	}
	if l.Share, err = l.Map.Share(); err != nil {
		return Error(c, "volume", "%v", err)
	}
	if id != 0 {
		t.memo.keepLoop(key, l)
	}
	t.last = l
	return nil
}

// loopRequest is what a mappl_ asks for.
type loopRequest struct {
	// Pattern is the number of the pattern's mapping or, below 0, of its
	// distribution; 0 when it has none.
	Pattern int
	// Axis, Coeff and Const place the loop variables on the pattern.
	Axis, Coeff, Const []int64
	// Init, Last and Step are the iterations of each variable.
	Init, Last, Step []int64
}

// read takes the request of mappl_ c for a loop of the given rank. It uses the
// room of the request before.
func (q *loopRequest) read(c *call.Call, rank, pattern int) error {
	q.Pattern = pattern
	for _, f := range []struct {
		dst   *[]int64
		key   string
		bound bool
	}{
		{&q.Axis, "AxisArray", false}, {&q.Coeff, "CoeffArray", false}, {&q.Const, "ConstArray", false},
		{&q.Init, "InInitIndexArray", true}, {&q.Last, "InLastIndexArray", true}, {&q.Step, "InStepArray", true},
	} {
		var err error
		if *f.dst, err = c.Ints((*f.dst)[:0], f.key); err != nil {
			return err
		}
		if f.bound && len(*f.dst) != rank {
			return Error(c, "rank", "%s has %d elements, the loop has rank %d", f.key, len(*f.dst), rank)
		}
	}
	return nil
}

// appendKey appends a key that requests share only when they ask for the same.
func (q *loopRequest) appendKey(dst []byte) []byte {
	dst = binary.AppendVarint(dst, int64(q.Pattern))
	for _, list := range [...][]int64{q.Axis, q.Coeff, q.Const, q.Init, q.Last, q.Step} {
		dst = layout.AppendIntsKey(dst, list)
	}
	return dst
}

// Portion returns the shares of the part its of the mapped loop l.
func (l *Loop) Portion(c *call.Call, its []layout.Iterations) (*layout.Share, error) {
	if l.Template == nil || l.Template.Dist == nil {
		return l.Share, nil
	}
	rules, counts, err := layout.LoopRules(l.Rules, its)
	if err != nil {
		return nil, Error(c, "alignment", "%v", err)
	}
	m, err := layout.Place(l.Template.Dist, rules, counts)
	if err != nil {
		return nil, Error(c, "alignment", "%v", err)
	}
	s, err := m.Share()
	if err != nil {
		return nil, Error(c, "volume", "%v", err)
	}
	return s, nil
}

// CurrentLoop returns the loop that dopl_, across_, exfrst_ or imlast_ names.
func (t *Table) CurrentLoop(c *call.Call) (*Loop, error) {
	if _, ok := c.Handle("LoopRef"); ok {
		return t.loopArg(c)
	}
	if t.loop == nil {
		return nil, Error(c, "loop", "no loop is open, expected crtpl_ before")
	}
	return t.loop, nil
}

// EndLoop handles endpl_ and returns the loop that ends.
func (t *Table) EndLoop(c *call.Call) (*Loop, error) {
	l, err := t.loopArg(c)
	if err != nil {
		return nil, err
	}
	if t.loop == nil {
		return nil, Error(c, "loop", "no loop is open, expected crtpl_ before")
	}
	t.loop = nil
	return l, nil
}

// Across handles across_.
func (t *Table) Across(c *call.Call) error {
	if t.loop == nil {
		return Error(c, "loop", "no loop is open, expected crtpl_ before")
	}
	a := &Across{}
	var err error
	if ref, ok := c.Handle("OldShadowGroupRef"); ok && ref != 0 {
		if a.Old, err = lookup[*ShadowGroup](t, c, "a group of shadow edges", "OldShadowGroupRef"); err != nil {
			return err
		}
	}
	if ref, ok := c.Handle("NewShadowGroupRef"); ok && ref != 0 {
		if a.New, err = lookup[*ShadowGroup](t, c, "a group of shadow edges", "NewShadowGroupRef"); err != nil {
			return err
		}
	}
	if c.Args.Get("PipeLinePar") != nil {
		if a.Stages, err = c.Real("PipeLinePar"); err != nil {
			return err
		}
	}
	t.loop.Across = a
	return nil
}
