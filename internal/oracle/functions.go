package oracle

import (
	"errors"
	"fmt"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// How the two times of a call are booked.
const (
	ownCall   = 1 << iota // the handler books the time before the call
	ownRet                // the handler books the time inside the call
	operation             // the time inside is no loop time, even in the body of a loop
)

type handler struct {
	do    func(*engine, *call.Call) error
	times int
}

// functions are the functions that do more than take time.
var functions = table()

func table() map[string]handler {
	t := map[string]handler{
		"binter_": {do: func(e *engine, c *call.Call) error { return e.enter(c, interval.User) }, times: ownRet},
		"bsloop_": {do: func(e *engine, c *call.Call) error { return e.enter(c, interval.Sequential) }, times: ownRet},
		"bploop_": {do: func(e *engine, c *call.Call) error { return e.enter(c, interval.Parallel) }, times: ownRet},
		"einter_": {do: func(e *engine, c *call.Call) error { return e.leave(c, true) }, times: ownRet},
		"enloop_": {do: func(e *engine, c *call.Call) error { return e.leave(c, false) }, times: ownRet},
		"eloop_":  {do: func(e *engine, c *call.Call) error { return e.leave(c, false) }, times: ownRet},

		"getps_":  {do: (*engine).getps},
		"getam_":  {do: func(e *engine, c *call.Call) error { return e.make(c, "AMRef", e.stack[len(e.stack)-1]) }},
		"psview_": {do: (*engine).psview},
		"crtps_":  {do: (*engine).crtps},
		"getamr_": {do: func(e *engine, c *call.Call) error { return e.make(c, "AMRef", &abstractMachine{}) }},
		"mapam_":  {do: (*engine).mapam},
		"runam_":  {do: (*engine).runam},
		"stopam_": {do: (*engine).stopam},

		"crtamv_": {do: (*engine).crtamv},
		"getamv_": {do: (*engine).getamv},
		"distr_":  {do: (*engine).firstDistribution},
		"redis_":  {do: (*engine).redis, times: operation},
		"blkdiv_": {do: (*engine).blkdiv},
		"genblk_": {do: (*engine).genblk},
		"setelw_": {do: (*engine).setelw},
		"crtda_":  {do: (*engine).crtda},
		"crtrda_": {do: (*engine).crtda},
		"align_":  {do: (*engine).align},
		"realn_":  {do: (*engine).realn, times: operation},

		"crtshg_": {do: func(e *engine, c *call.Call) error { return e.make(c, "ShadowGroupRef", &shadowGroup{}) }},
		"inssh_":  {do: (*engine).insertShadow},
		"incsh_":  {do: (*engine).insertShadow},
		"insshd_": {do: (*engine).insertShadow},
		"incshd_": {do: (*engine).insertShadow},
		"strtsh_": {do: (*engine).startShadow, times: operation},
		"sendsh_": {do: (*engine).sendShadow, times: operation},
		"recvsh_": {do: (*engine).recvShadow, times: operation},
		"waitsh_": {do: (*engine).waitShadow, times: operation},
		"exfrst_": {do: (*engine).exfrst, times: operation},
		"imlast_": {do: (*engine).imlast, times: operation},

		"crtrg_":  {do: func(e *engine, c *call.Call) error { return e.make(c, "RedGroupRef", &redGroup{}) }},
		"crtred_": {do: (*engine).crtred},
		"insred_": {do: (*engine).insred},
		"strtrd_": {do: (*engine).strtrd, times: operation},
		"waitrd_": {do: (*engine).waitrd, times: operation},

		"arrcpy_": {do: (*engine).copy, times: ownRet},
		"aarrcp_": {do: (*engine).copy, times: ownRet},
		"waitcp_": {do: (*engine).waitcp, times: operation},
		"crtrbl_": {do: (*engine).crtrbl},
		"crtrbp_": {do: (*engine).crtrbp},
		"loadrb_": {do: (*engine).loadrb, times: operation},
		"waitrb_": {do: (*engine).waitrb, times: operation},
		"crtbg_":  {do: func(e *engine, c *call.Call) error { return e.make(c, "RegularAccessGroupRef", &bufferGroup{}) }},
		"insrb_":  {do: (*engine).insrb},
		"loadbg_": {do: (*engine).loadbg, times: operation},
		"waitbg_": {do: (*engine).waitbg, times: operation},

		"biof_":       {do: func(e *engine, c *call.Call) error { e.inIO = true; return nil }},
		"eiof_":       {do: func(e *engine, c *call.Call) error { e.inIO = false; return nil }},
		"srmem_":      {do: (*engine).srmem, times: operation},
		"dvm_dfread":  {do: (*engine).arrayIO, times: ownRet},
		"dvm_dfwrite": {do: (*engine).arrayIO, times: ownRet},

		"crtpl_":  {do: (*engine).crtpl},
		"mappl_":  {do: (*engine).mappl},
		"dopl_":   {do: (*engine).dopl, times: ownCall | operation},
		"endpl_":  {do: (*engine).endpl},
		"across_": {do: (*engine).across, times: operation},
	}
	for _, name := range []string{"delobj_", "delamv_", "delda_", "delps_", "delred_", "delrg_", "delshg_", "delbg_", "delrb_"} {
		t[name] = handler{do: (*engine).delete}
	}
	return t
}

// handlerOf returns the handler of a function. Every function dvm_* without an
// entry is input or output (docs/model.md#5-input-and-output).
func handlerOf(name string) handler {
	h, ok := functions[name]
	if !ok && strings.HasPrefix(name, "dvm_") {
		return handler{do: (*engine).inout, times: ownRet}
	}
	return h
}

// make registers a new object under the handle that the call returned as key.
func (e *engine) make(c *call.Call, key string, o any) error {
	h, ok := c.RetHandle(key)
	if !ok {
		return fmt.Errorf("found no result %s", key)
	}
	if h > 0xffffffff {
		e.longSize = 8
	}
	delete(e.headers, h)
	e.objects[h] = o
	return nil
}

// find returns the object of type T that one of the given parameters names, the
// first that names one.
func find[T any](e *engine, c *call.Call, keys ...string) (T, error) {
	var none T
	for _, key := range keys {
		h, ok := c.Handle(key)
		if !ok || h == 0 {
			continue
		}
		for _, m := range []map[uint64]any{e.objects, e.headers} {
			if o, ok := m[h]; ok {
				if o, ok := o.(T); ok {
					return o, nil
				}
			}
		}
	}
	return none, fmt.Errorf("found no object of type %T in %v", none, keys)
}

// findArray is find for an array that is used, so it must be aligned or
// replicated.
func findArray(e *engine, c *call.Call, keys ...string) (*array, error) {
	a, err := find[*array](e, c, keys...)
	if err == nil && !a.ready() {
		return nil, errors.New("found an array that is not aligned")
	}
	return a, err
}

// null is whether a parameter is absent, NULL, 0 or all ones.
func null(c *call.Call, key string) bool {
	h, ok := c.Handle(key)
	return !ok || h == 0 || h == ^uint64(0)
}

// numbers returns the elements of an array parameter, nil when it is absent.
func numbers(c *call.Call, key string) []int {
	v, err := c.Ints(nil, key)
	if err != nil {
		return nil
	}
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out
}

// number returns an integer parameter, 0 when it is absent.
func number(c *call.Call, key string) int {
	v, err := c.IntOr(key, 0)
	if err != nil {
		return 0
	}
	return int(v)
}

// enter opens an interval. The time of the call belongs to the enclosing one.
func (e *engine) enter(c *call.Call, typ interval.Type) error {
	e.inside(e.within)
	if typ == interval.Sequential && number(c, "nfrag") == -1 {
		e.main.file, e.main.line = c.File, c.Line
		return nil
	}
	var expr *int64
	if typ == interval.User {
		if v := int64(number(c, "index")); v != 2000000000 {
			expr = &v
		}
	}
	var n *node
	for _, x := range e.at.children {
		if x.typ == typ && x.file == c.File && x.line == c.Line && (x.expr == nil) == (expr == nil) && (expr == nil || *x.expr == *expr) {
			n = x
		}
	}
	if n == nil {
		n = newNode(e.at, len(e.clock))
		n.typ, n.file, n.line, n.expr = typ, c.File, c.Line, expr
		e.at.children = append(e.at.children, n)
	}
	n.count++
	n.members |= e.current().set()
	e.at = n
	return nil
}

func (e *engine) leave(c *call.Call, user bool) error {
	e.inside(e.within)
	if e.at.parent == nil || (e.at.typ == interval.User) != user {
		return errors.New("found the end of an interval that was not begun")
	}
	e.at = e.at.parent
	return nil
}
