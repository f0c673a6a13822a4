// Package object keeps the objects of a program's run: processor systems,
// templates, arrays, loops, groups. It follows the calls of a trace that
// create, map and delete them and knows where everything lies on the grid
// that is simulated (docs/model.md#4-processor-systems-templates-arrays). It
// knows nothing of time.
package object

import (
	"errors"
	"fmt"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/procs"
)

// Config says what is simulated.
type Config struct {
	// Grid is the root processor system.
	Grid []int
	// Traced is the root as the program saw it.
	Traced []int
	// Power, when set, returns the load weights of the coordinates of grid
	// dimension k of a system that --balance power asks for.
	Power func(s *procs.System, k int) []float64
	// Sections are what the user says of the sections that crtps_ takes; it
	// goes before the trace.
	Sections []procs.Given
}

// Table holds the objects that are alive.
type Table struct {
	cfg     Config
	root    *procs.System
	current []pair
	byRef   map[uint64]any
	systems int
	warned  []*diag.Error

	sections sections
	noLoad   bool
	wide     bool // a reference had more than 8 digits: the program ran in 64 bits
	extents  []int64
	memo     memo
	// loop is the loop between crtpl_ and endpl_, last the last one mapped.
	loop, last *Loop
	loopPos    diag.Pos
}

// pair is an abstract machine with the system that it runs on.
type pair struct {
	machine *Machine
	system  *procs.System
}

// New returns a table that holds the root machine on the root system.
func New(cfg Config) *Table {
	root := procs.Root(cfg.Grid, cfg.Traced)
	t := &Table{cfg: cfg, root: root, byRef: map[uint64]any{}, sections: newSections(cfg.Sections)}
	t.current = []pair{{&Machine{System: root}, root}}
	return t
}

// Current returns the processor system that runs the program now.
func (t *Table) Current() *procs.System { return t.current[len(t.current)-1].system }

// Warnings returns what was noticed so far.
func (t *Table) Warnings() []*diag.Error {
	if w := t.sections.warning(); w != nil {
		return append(slices.Clone(t.warned), w)
	}
	return t.warned
}

// Loop returns the loop that is being executed, nil outside of loops.
func (t *Table) Loop() *Loop { return t.loop }

// LastLoop returns the loop that was mapped last, nil before the first.
func (t *Table) LastLoop() *Loop { return t.last }

// NoHandle reports whether a reference names no object: it means the current
// machine or system.
func NoHandle(ref uint64) bool { return ref == 0 || ref == 0xffffffff || ref == 0xffffffffffffffff }

// Names reports whether a reference names an object.
func (t *Table) Names(ref uint64) bool { return t.byRef[ref] != nil }

func (t *Table) bind(ref uint64, obj any) {
	t.wide = t.wide || ref>>32 != 0
	if !NoHandle(ref) {
		t.byRef[ref] = obj
	}
}

// bindRet binds the handle that the call returned under key. The run-time
// system reuses handles: whatever had this one is no more.
func (t *Table) bindRet(c *call.Call, key string, obj any) {
	ref, ok := c.RetHandle(key)
	if !ok {
		return
	}
	if old := t.byRef[ref]; old != nil && old != obj {
		end(old)
	}
	t.bind(ref, obj)
}

// end removes an object that was deleted from those that refer to it. What it
// refers to survives.
func end(obj any) {
	if a, ok := obj.(*Array); ok && a.Template != nil {
		a.Template.Arrays = slices.DeleteFunc(a.Template.Arrays, func(b *Array) bool { return a == b })
	}
}

// Error builds an error about call c.
func Error(c *call.Call, code, format string, args ...any) error {
	return diag.New(c.Pos, "model/"+code, "%s: %s", c.Where(), fmt.Sprintf(format, args...))
}

// codeHandle ends the code of errors about handles.
const codeHandle = "handle"

// IsHandleError reports whether err is about a handle that names nothing, or
// an object of the wrong kind.
func IsHandleError(err error) bool {
	e, ok := errors.AsType[*diag.Error](err)
	return ok && e.Code == "model/"+codeHandle
}

// lookup returns the object of kind T that one of the arguments names; a
// handle that names nothing or something else is an error with the parameter
// and its value.
func lookup[T any](t *Table, c *call.Call, what string, keys ...string) (T, error) {
	var zero T
	seen := ""
	for _, key := range keys {
		ref, ok := c.Handle(key)
		if !ok || ref == 0 {
			continue
		}
		if obj, ok := t.byRef[ref].(T); ok {
			return obj, nil
		}
		if seen == "" {
			seen = fmt.Sprintf("%s=%x", key, ref)
			if obj := t.byRef[ref]; obj != nil {
				seen += " names " + kindOf(obj)
			} else {
				seen += " names nothing"
			}
		}
	}
	if seen == "" {
		return zero, Error(c, codeHandle, "no %s is given, expected %s", keys[0], what)
	}
	return zero, Error(c, codeHandle, "%s, expected %s", seen, what)
}

func kindOf(obj any) string {
	switch obj.(type) {
	case *procs.System:
		return "a processor system"
	case *Machine:
		return "an abstract machine"
	case *Template:
		return "a template"
	case *Array:
		return "an array"
	case *Loop:
		return "a loop"
	case *ShadowGroup:
		return "a group of shadow edges"
	case *ReductionGroup:
		return "a reduction group"
	case *Reduction:
		return "a reduction variable"
	case *Buffer:
		return "a remote access buffer"
	case *BufferGroup:
		return "a group of buffers"
	}
	return "another object"
}

// Array returns the array that a call names by its handle or its header;
// prefix is "", "From", "To" or "Rem".
func (t *Table) Array(c *call.Call, prefix string) (*Array, error) {
	return lookup[*Array](t, c, "an array", prefix+"ArrayHandlePtr", prefix+"ArrayHeader")
}

// HasArray reports whether the call has an array argument with the prefix.
func HasArray(c *call.Call, prefix string) bool {
	h, ok := c.Handle(prefix + "ArrayHeader")
	if ok && h != 0 {
		return true
	}
	h, ok = c.Handle(prefix + "ArrayHandlePtr")
	return ok && h != 0
}

// system returns the system that PSRef names, the current one for 0.
func (t *Table) system(c *call.Call) (*procs.System, error) {
	ref, ok := c.Handle("PSRef")
	if !ok || NoHandle(ref) {
		return t.Current(), nil
	}
	return lookup[*procs.System](t, c, "a processor system", "PSRef")
}

// machine returns the machine that AMRef names, the current one for 0.
func (t *Table) machine(c *call.Call) (*Machine, error) {
	ref, ok := c.Handle("AMRef")
	if !ok || NoHandle(ref) {
		return t.current[len(t.current)-1].machine, nil
	}
	return lookup[*Machine](t, c, "an abstract machine", "AMRef")
}

func (t *Table) template(c *call.Call) (*Template, error) {
	return lookup[*Template](t, c, "a template", "AMViewRef")
}

// ints copies an array argument.
func ints(c *call.Call, key string) ([]int64, error) {
	v, err := c.Ints(nil, key)
	return v, err
}

// sizes returns SizeArray, which must have Rank positive elements whose
// number does not overflow.
func sizes(c *call.Call) ([]int64, error) {
	rank, err := c.Int("Rank")
	if err != nil {
		return nil, err
	}
	size, err := ints(c, "SizeArray")
	if err != nil {
		return nil, err
	}
	if int64(len(size)) != rank || rank < 1 {
		return nil, Error(c, "rank", "SizeArray has %d elements, Rank=%d", len(size), rank)
	}
	volume := int64(1)
	for i, n := range size {
		if n < 1 || n > 1<<31 {
			return nil, Error(c, "extent", "SizeArray[%d]=%d, expected 1..2^31", i, n)
		}
		if volume > (1<<62)/n {
			return nil, Error(c, "extent", "SizeArray=%v has more than 2^62 elements", size)
		}
		volume *= n
	}
	return size, nil
}

// Follow brings the table up to date with a call; those of classes that change
// no objects are ignored. It is for readers of a trace that want to know where things
// lie, without a simulation.
func (t *Table) Follow(c *call.Call) error {
	if f := followers[c.Class()]; f != nil {
		return f(t, c)
	}
	return nil
}

// Follows reports whether calls of class k change objects.
func Follows(k libdvm.Class) bool { return followers[k] != nil }

var followers = [libdvm.NumClasses]func(*Table, *call.Call) error{
	libdvm.GetSystem:            (*Table).GetSystem,
	libdvm.ViewSystem:           (*Table).ViewSystem,
	libdvm.CreateSystem:         (*Table).CreateSystem,
	libdvm.GetMachine:           (*Table).GetMachine,
	libdvm.ElementMachine:       (*Table).ElementMachine,
	libdvm.MapMachine:           (*Table).MapMachine,
	libdvm.RunMachine:           func(t *Table, c *call.Call) error { _, err := t.Run(c); return err },
	libdvm.StopMachine:          (*Table).Stop,
	libdvm.CreateTemplate:       (*Table).CreateTemplate,
	libdvm.TemplateOfArray:      (*Table).TemplateOfArray,
	libdvm.Distribute:           (*Table).Distribute,
	libdvm.Redistribute:         func(t *Table, c *call.Call) error { _, err := t.Redistribute(c); return err },
	libdvm.BlockDivisor:         (*Table).BlockDivisor,
	libdvm.BlockSizes:           (*Table).BlockSizes,
	libdvm.LoadWeights:          (*Table).LoadWeights,
	libdvm.CreateArray:          (*Table).CreateArray,
	libdvm.CreateReplica:        (*Table).CreateReplica,
	libdvm.AddHeader:            (*Table).AddHeader,
	libdvm.Align:                (*Table).Align,
	libdvm.Realign:              func(t *Table, c *call.Call) error { _, err := t.Realign(c); return err },
	libdvm.Delete:               (*Table).Delete,
	libdvm.CreateLoop:           (*Table).CreateLoop,
	libdvm.MapLoop:              (*Table).MapLoop,
	libdvm.EndLoopNest:          func(t *Table, c *call.Call) error { _, err := t.EndLoop(c); return err },
	libdvm.CreateShadowGroup:    (*Table).CreateShadowGroup,
	libdvm.InsertShadow:         (*Table).InsertShadow,
	libdvm.InsertShadowDims:     (*Table).InsertShadowDims,
	libdvm.CreateReductionGroup: (*Table).CreateReductionGroup,
	libdvm.CreateReduction:      (*Table).CreateReduction,
	libdvm.InsertReduction:      (*Table).InsertReduction,
	libdvm.CreateLoopBuffer:     (*Table).CreateLoopBuffer,
	libdvm.CreateSectionBuffer:  (*Table).CreateSectionBuffer,
	libdvm.CreateBufferGroup:    (*Table).CreateBufferGroup,
	libdvm.InsertBuffer:         (*Table).InsertBuffer,
	libdvm.Across:               (*Table).Across,
}
