package oracle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
)

// system returns the system that a parameter names, the current one when it is
// null.
func (e *engine) system(c *call.Call, key string) (*system, error) {
	if null(c, key) {
		return e.current(), nil
	}
	return find[*system](e, c, key)
}

func (e *engine) getps(c *call.Call) error {
	am := e.stack[len(e.stack)-1]
	if !null(c, "AMRef") {
		var err error
		if am, err = find[*abstractMachine](e, c, "AMRef"); err != nil {
			return err
		}
	}
	if am.sys == nil {
		am = e.stack[len(e.stack)-1]
	}
	return e.make(c, "PSRef", am.sys)
}

func (e *engine) psview(c *call.Call) error {
	s, err := e.system(c, "PSRef")
	if err != nil {
		return err
	}
	return e.make(c, "PSRef", view(s, numbers(c, "SizeArray")))
}

func (e *engine) crtps(c *call.Call) error {
	s, err := e.system(c, "PSRef")
	if err != nil {
		return err
	}
	b := bounds{numbers(c, "InitIndexArray"), numbers(c, "LastIndexArray"), s.traced}
	if next := e.stated[c.Line]; len(next) > 0 {
		b, e.stated[c.Line] = next[0], append(next[1:], next[0])
	}
	v, err := section(s, b)
	if err != nil {
		return err
	}
	return e.make(c, "PSRef", v)
}

func (e *engine) mapam(c *call.Call) error {
	am, err := find[*abstractMachine](e, c, "AMRef")
	if err != nil {
		return err
	}
	am.sys, err = e.system(c, "PSRef")
	return err
}

func (e *engine) runam(c *call.Call) error {
	if run, err := c.RetInt("Run"); err == nil && run == 0 {
		return nil
	}
	am := e.stack[len(e.stack)-1]
	if !null(c, "AMRef") {
		var err error
		if am, err = find[*abstractMachine](e, c, "AMRef"); err != nil {
			return err
		}
	}
	if am.sys == nil {
		return errors.New("found an abstract machine that is not mapped")
	}
	e.stack = append(e.stack, am)
	return nil
}

func (e *engine) stopam(*call.Call) error {
	if len(e.stack) == 1 {
		return errors.New("found the end of a task that was not begun")
	}
	e.stack = e.stack[:len(e.stack)-1]
	return nil
}

func (e *engine) crtamv(c *call.Call) error {
	return e.make(c, "AMViewRef", &template{size: numbers(c, "SizeArray")})
}

func (e *engine) getamv(c *call.Call) error {
	a, err := find[*array](e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	if a.t == nil {
		return nil
	}
	return e.make(c, "AMViewRef", a.t)
}

// firstDistribution distributes a template; nothing lies on it yet.
func (e *engine) firstDistribution(c *call.Call) error {
	t, err := find[*template](e, c, "AMViewRef")
	if err != nil {
		return err
	}
	return e.distribute(c, t)
}

// redis moves a template and everything that is aligned with it.
func (e *engine) redis(c *call.Call) error {
	t, err := find[*template](e, c, "AMViewRef")
	if err != nil {
		a, err := find[*array](e, c, "ArrayHandlePtr", "ArrayHeader")
		if err != nil || a.t == nil {
			return fmt.Errorf("found neither a template nor an aligned array: %w", err)
		}
		t = a.t
	}
	var arrays []*array
	var before [][]set
	for _, h := range sortedHandles(e.objects) {
		if a, ok := e.objects[h].(*array); ok && a.t == t && !slices.Contains(arrays, a) {
			arrays = append(arrays, a)
			before = append(before, a.owner())
		}
	}
	if err := e.distribute(c, t); err != nil {
		return err
	}
	ms := messages{}
	if number(c, "NewSign") == 0 {
		for i, a := range arrays {
			e.move(ms, before[i], a.owner(), a.bytes)
		}
	}
	e.synchronous(interval.Redistribution, ms)
	return nil
}

// distribute gives a template the distribution that distr_ and redis_ state in
// the same parameters.
func (e *engine) distribute(c *call.Call, t *template) error {
	s, err := e.system(c, "PSRef")
	if err != nil {
		return err
	}
	return t.distribute(s, numbers(c, "AxisArray"), numbers(c, "DistrParamArray"), e.power, e.opts.Balance == options.Power)
}

func sortedHandles(m map[uint64]any) []uint64 {
	var all []uint64
	for h := range m {
		all = append(all, h)
	}
	slices.Sort(all)
	return all
}

func (e *engine) blkdiv(c *call.Call) error {
	t, err := find[*template](e, c, "AMViewRef")
	if err != nil {
		return err
	}
	t.divs = nil
	if number(c, "AMVAxisCount") > 0 {
		t.divs = numbers(c, "AMVAxisDiv")
	}
	return nil
}

func (e *engine) genblk(c *call.Call) error {
	t, err := find[*template](e, c, "AMViewRef")
	if err != nil {
		return err
	}
	if t.weighOn, err = e.system(c, "PSRef"); err != nil {
		return err
	}
	t.weighed = map[int]weights{}
	p := c.Args.Get("AxisWeightAddr")
	if p == nil {
		return nil
	}
	all, err := c.Reals(nil, "AxisWeightAddr")
	if err != nil {
		return err
	}
	from := 0
	for k, to := range c.Args.Rows(p) {
		t.weighed[k] = weights{w: all[from:to], sizes: number(c, "DoubleSign") == 0}
		from = int(to)
	}
	return nil
}

func (e *engine) setelw(c *call.Call) error {
	t, err := find[*template](e, c, "AMViewRef")
	if err != nil {
		return err
	}
	if t.weighOn, err = e.system(c, "PSRef"); err != nil {
		return err
	}
	t.weighed = map[int]weights{}
	all, err := c.Reals(nil, "LoadWeight")
	if err != nil {
		return nil
	}
	from := 0
	for k, n := range numbers(c, "WeightNumber") {
		if from+n > len(all) {
			return errors.New("found fewer loads than segments")
		}
		t.weighed[k] = weights{w: all[from : from+n], loads: true}
		from += n
	}
	return nil
}

// elementSize returns the size of an element in bytes. A negative n is the
// number of a C type, as in reductions.
func (e *engine) elementSize(n int) int64 {
	if n >= 0 {
		return int64(n)
	}
	return e.typeSize(-n)
}

func (e *engine) typeSize(t int) int64 {
	switch t {
	case 2:
		return int64(e.longSize)
	case 4, 5:
		return 8
	case 6:
		return 16
	}
	return 4
}

func (e *engine) crtda(c *call.Call) error {
	a := &array{
		size: numbers(c, "SizeArray"), bytes: e.elementSize(number(c, "TypeSize")),
		low: numbers(c, "LowShdWidthArray"), high: numbers(c, "HiShdWidthArray"),
	}
	if c.Func == "crtrda_" {
		a.whole = e.root.set()
	}
	if err := e.make(c, "ArrayHandlePtr", a); err != nil {
		return err
	}
	if h, ok := c.Handle("ArrayHeader"); ok {
		e.headers[h] = a
	}
	return nil
}

func (e *engine) align(c *call.Call) error {
	a, err := find[*array](e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	o, err := find[any](e, c, "PatternRef", "PatternRefPtr")
	if err != nil {
		return err
	}
	p, err := patternOf(o)
	if err != nil {
		return err
	}
	a.positions, a.rules, err = p.align(indices(a.size), numbers(c, "AxisArray"), numbers(c, "CoeffArray"), numbers(c, "ConstArray"))
	a.t, a.whole, a.owned = p.t, p.whole, nil
	return err
}

func (e *engine) realn(c *call.Call) error {
	a, err := find[*array](e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	if !a.ready() {
		return e.align(c)
	}
	before := a.owner()
	if err := e.align(c); err != nil {
		return err
	}
	ms := messages{}
	if number(c, "NewSign") == 0 {
		e.move(ms, before, a.owner(), a.bytes)
	} else {
		for i := range c.Nested {
			if n := &c.Nested[i]; n.Func == "crtda_" {
				if err := e.rename(n, a); err != nil {
					return err
				}
			}
		}
	}
	e.synchronous(interval.Redistribution, ms)
	return nil
}

// rename gives an array the handles of the crtda_ with which realn_ recreated it.
// Its old handle names nothing from now on.
func (e *engine) rename(c *call.Call, a *array) error {
	for h, o := range e.objects {
		if o == any(a) {
			delete(e.objects, h)
		}
	}
	if err := e.make(c, "ArrayHandlePtr", a); err != nil {
		return err
	}
	if h, ok := c.Handle("ArrayHeader"); ok {
		e.headers[h] = a
	}
	return nil
}

func (e *engine) delete(c *call.Call) error {
	for i := range c.Args.Len() {
		if p := c.Args.At(i); !strings.HasSuffix(p.Key, "RefPtr") && p.Key != "ArrayHeader" && p.Key != "BufferHeader" {
			if h, ok := c.Handle(p.Key); ok {
				delete(e.objects, h)
			}
		}
	}
	return nil
}
