package object

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/procs"
)

// GetSystem handles getps_: it names the system of a machine.
func (t *Table) GetSystem(c *call.Call) error {
	m, err := t.machine(c)
	if err != nil {
		return err
	}
	s := m.System
	if s == nil {
		s = t.Current()
	}
	t.bindRet(c, "PSRef", s)
	return nil
}

// GetMachine handles getam_: it names the current machine.
func (t *Table) GetMachine(c *call.Call) error {
	t.bindRet(c, "AMRef", t.current[len(t.current)-1].machine)
	return nil
}

func (t *Table) newSystem(s *procs.System) *procs.System {
	t.systems++
	s.ID = t.systems
	return s
}

// maxRank bounds ranks: the run-time system has at most 7 dimensions.
const maxRank = 64

// ViewSystem handles psview_.
func (t *Table) ViewSystem(c *call.Call) error {
	base, err := t.system(c)
	if err != nil {
		return err
	}
	size, err := sizes(c)
	if err != nil {
		return err
	}
	if len(size) > maxRank {
		return Error(c, "rank", "Rank=%d, expected at most %d", len(size), maxRank)
	}
	t.bindRet(c, "PSRef", t.newSystem(procs.View(base, size)))
	return nil
}

// CreateSystem handles crtps_.
func (t *Table) CreateSystem(c *call.Call) error {
	base, err := t.system(c)
	if err != nil {
		return err
	}
	if g := t.sections.take(c); g != nil {
		t.bindRet(c, "PSRef", t.newSystem(g.Section(base)))
		return nil
	}
	t.sections.leaveOpen(c, base)
	init, err := ints(c, "InitIndexArray")
	if err != nil {
		return err
	}
	last, err := ints(c, "LastIndexArray")
	if err != nil {
		return err
	}
	for k := range min(len(init), len(last)) {
		if init[k] < 0 || last[k] < init[k] || last[k] > 1<<31 {
			return Error(c, "section", "InitIndexArray[%d]=%d, LastIndexArray[%d]=%d, expected 0 <= first <= last", k, init[k], k, last[k])
		}
	}
	t.bindRet(c, "PSRef", t.newSystem(procs.Section(base, init, last)))
	return nil
}

// ElementMachine handles getamr_: it names a machine of a template.
func (t *Table) ElementMachine(c *call.Call) error {
	tm, err := t.template(c)
	if err != nil {
		return err
	}
	index, err := ints(c, "IndexArray")
	if err != nil {
		return err
	}
	var key []byte
	for _, i := range index {
		key = append(strconv.AppendInt(key, i, 10), ',')
	}
	m := tm.machines[string(key)]
	if m == nil {
		m = &Machine{}
		if tm.machines == nil {
			tm.machines = map[string]*Machine{}
		}
		tm.machines[string(key)] = m
	}
	t.bindRet(c, "AMRef", m)
	return nil
}

// MapMachine handles mapam_.
func (t *Table) MapMachine(c *call.Call) error {
	m, err := t.machine(c)
	if err != nil {
		return err
	}
	s, err := t.system(c)
	if err != nil {
		return err
	}
	m.System = s
	return nil
}

// Run handles runam_ and reports whether the task was entered. One whose
// machine names nothing enters the current system again beside its error, so
// that a caller who goes on finds the stopam_ of the task paired.
func (t *Table) Run(c *call.Call) (bool, error) {
	// Programs of the design (R appendix 5) state no Run: they enter.
	run, err := c.RetIntOr("Run", 1)
	if err != nil {
		return false, err
	}
	if run == 0 {
		return false, nil
	}
	m, err := t.machine(c)
	if err != nil {
		t.current = append(t.current, t.current[len(t.current)-1])
		return true, err
	}
	s := m.System
	if s == nil {
		s = t.Current()
	}
	t.current = append(t.current, pair{m, s})
	return true, nil
}

// Stop handles stopam_.
func (t *Table) Stop(c *call.Call) error {
	if len(t.current) == 1 {
		return Error(c, "task", "no task is entered, expected a runam_ without Run=0 before")
	}
	t.current = t.current[:len(t.current)-1]
	return nil
}

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

// BlockDivisor handles blkdiv_.
func (t *Table) BlockDivisor(c *call.Call) error {
	tm, err := t.template(c)
	if err != nil {
		return err
	}
	n, err := c.Int("AMVAxisCount")
	if err != nil {
		return err
	}
	tm.divisors = nil
	if n == 0 {
		return nil
	}
	tm.divisors, err = ints(c, "AMVAxisDiv")
	return err
}

// BlockSizes handles genblk_: the weights hold for the named system and
// template. One without axes (AxisCount=0) removes those that there are.
func (t *Table) BlockSizes(c *call.Call) error {
	tm, err := t.template(c)
	if err != nil {
		return err
	}
	s, err := t.system(c)
	if err != nil {
		return err
	}
	double, err := c.IntOr("DoubleSign", 0)
	if err != nil {
		return err
	}
	axes, err := c.IntOr("AxisCount", 1)
	if err != nil {
		return err
	}
	if axes == 0 {
		tm.sizes, tm.loads = pending{}, pending{}
		return nil
	}
	p := pending{system: s, exact: double == 0}
	q := c.Args.Get("AxisWeightAddr")
	if q == nil {
		return Error(c, "weights", "no AxisWeightAddr is given, expected a weight for each coordinate")
	}
	all, err := c.Reals(nil, "AxisWeightAddr")
	if err != nil {
		return err
	}
	first := int32(0)
	for _, end := range c.Args.Rows(q) {
		p.values = append(p.values, all[first:end])
		first = end
	}
	for _, x := range all {
		switch {
		case p.exact && !(x >= 0 && x <= 1<<31 && x == math.Trunc(x)):
			return Error(c, "weights", "AxisWeightAddr has the block size %v, expected a whole number 0..2^31 (DoubleSign=0)", x)
		case !(x >= 0) || math.IsInf(x, 1):
			return Error(c, "weights", "AxisWeightAddr has the weight %v, expected a finite number of at least 0", x)
		}
	}
	tm.sizes, tm.loads = p, pending{}
	return nil
}

// LoadWeights handles setelw_. Traces made with LoadWeightTrace=0 lack the
// loads; equal ones are taken then, with one warning.
func (t *Table) LoadWeights(c *call.Call) error {
	tm, err := t.template(c)
	if err != nil {
		return err
	}
	s, err := t.system(c)
	if err != nil {
		return err
	}
	if c.Args.Get("LoadWeight") == nil || c.Args.Get("WeightNumber") == nil {
		tm.sizes, tm.loads = pending{}, pending{}
		if !t.noLoad {
			t.noLoad = true
			t.warned = append(t.warned, diag.Warn(c.Pos, "model/load-weights", "%s: the trace has no LoadWeight; equal loads are taken (trace with LoadWeightTrace=1 for the real ones)", c.Where()))
		}
		return nil
	}
	counts, err := ints(c, "WeightNumber")
	if err != nil {
		return err
	}
	all, err := c.Reals(nil, "LoadWeight")
	if err != nil {
		return err
	}
	p := pending{system: s}
	for k, n := range counts {
		if n < 0 || n > int64(len(all)) {
			return Error(c, "weights", "WeightNumber[%d]=%d, but LoadWeight has %d more elements", k, n, len(all))
		}
		p.values = append(p.values, all[:n])
		all = all[n:]
	}
	tm.sizes, tm.loads = pending{}, p
	return nil
}

// weights returns what axis a of tm, mapped on dimension k of s, is
// distributed by.
func (t *Table) weights(tm *Template, s *procs.System, a, k int) layout.Weights {
	var w layout.Weights
	n := s.Grid[k]
	if a < len(tm.divisors) {
		w.Divisor = tm.divisors[a]
	}
	switch {
	case tm.sizes.system == s && k < len(tm.sizes.values) && len(tm.sizes.values[k]) > 0:
		given := tm.sizes.values[k]
		switch {
		case len(given) != n:
			if sums := layout.Resample(given, n); sums[n] > 0 {
				w.Sums = sums
			}
		case tm.sizes.exact:
			for _, x := range given {
				w.Sizes = append(w.Sizes, int64(x))
			}
		default:
			w.Load = positive(given)
		}
	case tm.loads.system == s && k < len(tm.loads.values) && len(tm.loads.values[k]) > 0:
		w.Load = positive(layout.CutLoads(tm.loads.values[k], n))
	case t.cfg.Power != nil:
		w.Load = t.cfg.Power(s, k)
	}
	return w
}

// positive returns w, or nil when its sum is zero: weights that are
// all 0 mean an even distribution.
func positive(w []float64) []float64 {
	for _, x := range w {
		if x > 0 {
			return w
		}
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
// names: those of an array are its own alignment. An array that is whole
// everywhere has no template.
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
// nil when the pattern is an array that is whole everywhere.
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

// CreateReplica handles crtrda_: an array that is whole everywhere on the
// current system.
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
