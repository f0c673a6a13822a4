package expr

import (
	"fmt"
	"strings"

	"dvmtools/pkg/diag"
)

// A Variable is what a reference stands for: the value of Expr when it is not
// nil, else Value. Variables are compared by their address; a [Scope] returns
// the same one for the same thing every time.
type Variable struct {
	// Name is the variable in messages, as it is referred to: "po(1).ia_spd".
	Name string
	// Pos is where it is defined.
	Pos   diag.Pos
	Expr  *Expr
	Value Value
	// Measured says that Value is the average of measurements, whose
	// deviation goes into the deviation of results. Deviation is their
	// standard deviation, which is known only if Known.
	Measured  bool
	Deviation float64
	Known     bool
}

// A Scope resolves references. The error, if any, is what is wrong, without a
// position: "found no timing ila of processor 1, expected ...".
type Scope interface {
	Variable(*Ref) (*Variable, error)
}

// A Result is the value of an expression; an [Evaluator] can tell its
// deviation.
type Result struct {
	Value
	tape int32 // the operation that made it, -1 for a constant
}

// memo is what is known about a variable that is an expression.
type memo struct {
	active bool
	result Result
	err    *diag.Error
}

// frame is an expression whose evaluation has begun.
type frame struct {
	x    *Expr
	next int       // the node to be done next
	v    *Variable // what the value is for, nil for the outermost
}

// An Evaluator computes expressions in one scope and remembers the values of
// variables that are expressions, so these must not change while it is in use.
// A variable with a Value may be given another one between two expressions. It
// is for one goroutine.
type Evaluator struct {
	scope  Scope
	memos  map[*Variable]*memo
	values []Result
	frames []frame
	tape   *tape
}

// NewEvaluator returns an evaluator. Only one that was made with deviations
// can tell them; it needs memory for every operation that it does.
func NewEvaluator(scope Scope, deviations bool) *Evaluator {
	ev := &Evaluator{scope: scope, memos: map[*Variable]*memo{}}
	if deviations {
		ev.tape = &tape{leaves: map[*Variable]int32{}}
	}
	return ev
}

// Eval computes an expression. The error, if any, has the position of the
// operator or reference that has no value, which may lie in an expression
// that is referred to.
func (ev *Evaluator) Eval(x *Expr) (Result, *diag.Error) {
	return ev.run(frame{x: x})
}

// Variable computes the value of a variable.
func (ev *Evaluator) Variable(v *Variable) (Result, *diag.Error) {
	if v.Expr == nil {
		return ev.constant(v), nil
	}
	if m := ev.memos[v]; m != nil {
		return m.result, m.err
	}
	ev.memos[v] = &memo{active: true}
	return ev.run(frame{x: v.Expr, v: v})
}

// constant returns the value of a variable that is no expression.
func (ev *Evaluator) constant(v *Variable) Result {
	if v.Measured && ev.tape != nil {
		return Result{v.Value, ev.tape.leaf(v)}
	}
	return Result{v.Value, -1}
}

// run evaluates a frame and those that its references open.
func (ev *Evaluator) run(first frame) (Result, *diag.Error) {
	ev.values, ev.frames = ev.values[:0], append(ev.frames[:0], first)
	for {
		f := &ev.frames[len(ev.frames)-1]
		if f.next < len(f.x.nodes) {
			if err := ev.step(f); err != nil {
				// Everything that waits for this value has none.
				for _, f := range ev.frames {
					if f.v != nil {
						*ev.memos[f.v] = memo{err: err}
					}
				}
				return Result{}, err
			}
			continue
		}
		result := ev.values[len(ev.values)-1]
		if f.v != nil {
			*ev.memos[f.v] = memo{result: result}
		}
		if ev.frames = ev.frames[:len(ev.frames)-1]; len(ev.frames) == 0 {
			return result, nil
		}
	}
}

// step does one node. Values lie on a stack that all frames share.
func (ev *Evaluator) step(f *frame) *diag.Error {
	n := f.x.nodes[f.next]
	f.next++
	top := len(ev.values) - 1
	switch n.op {
	case opLiteral:
		ev.values = append(ev.values, Result{f.x.literals[n.arg], -1})
	case opRef:
		return ev.refer(f.x, n)
	case opUnary:
		op := &unaries[n.arg]
		a := ev.values[top]
		v, ft := op.apply(a.Value)
		if ft != none {
			return f.x.fault(n, ft, fmt.Sprintf("%s of %v, %s", op.text, a.Value, a.kind()))
		}
		ev.values[top] = ev.unary(v, a, op.partial)
	case opCall:
		fn := &functions[n.arg]
		a := ev.values[top]
		v, ft := fn.apply(a.Value)
		if ft != none {
			return f.x.fault(n, ft, fmt.Sprintf("%s(%v)", fn.name, a.Value))
		}
		ev.values[top] = ev.unary(v, a, fn.partial)
	case opBinary:
		op := &binaries[n.arg]
		if op.prec == precAnd || op.prec == precOr {
			ev.values[top] = Result{truth(ev.values[top].True()), -1}
			return nil
		}
		a, b := ev.values[top-1], ev.values[top]
		v, ft := op.apply(a.Value, b.Value)
		if ft != none {
			what := fmt.Sprintf("%v %s %v", a.Value, op.text, b.Value)
			if ft == intsOnly {
				what += fmt.Sprintf(", %s and %s", a.kind(), b.kind())
			}
			return f.x.fault(n, ft, what)
		}
		ev.values = ev.values[:top]
		ev.values[top-1] = ev.binary(v, a, b, op.partial)
	case opAnd, opOr:
		t := ev.values[top].True()
		if t == (n.op == opOr) { // the left side decides
			ev.values[top] = Result{truth(t), -1}
			f.next = int(n.arg)
		} else {
			ev.values = ev.values[:top]
		}
	}
	return nil
}

// fault makes the error of an operator that has no result.
func (x *Expr) fault(n node, f fault, what string) *diag.Error {
	return x.text.errorAt(int(n.at), f.code, "found "+what+", expected "+f.expected)
}

// refer pushes the value of a reference, or the frame that computes it.
func (ev *Evaluator) refer(x *Expr, n node) *diag.Error {
	ref := x.refs[n.arg]
	v, err := ev.scope.Variable(ref)
	if err != nil {
		return x.text.errorAt(int(n.at), "expr/undefined", err.Error())
	}
	if v.Expr == nil {
		ev.values = append(ev.values, ev.constant(v))
		return nil
	}
	m := ev.memos[v]
	switch {
	case m == nil:
		ev.memos[v] = &memo{active: true}
		ev.frames = append(ev.frames, frame{x: v.Expr, v: v})
	case m.active:
		return x.text.errorAt(int(n.at), "expr/cycle", ev.cycle(v))
	case m.err != nil:
		return m.err
	default:
		ev.values = append(ev.values, m.result)
	}
	return nil
}

// maxMembers is how many members of a cycle a message shows.
const maxMembers = 20

// cycle describes the circle of references that v closes, each member with
// the place where it is defined.
func (ev *Evaluator) cycle(v *Variable) string {
	i := len(ev.frames) - 1
	for ev.frames[i].v != v {
		i--
	}
	members := ev.frames[i:]
	var b strings.Builder
	b.WriteString("found a value that depends on itself, expected references without a circle: ")
	for i, f := range members {
		switch {
		case len(members) <= maxMembers || i < maxMembers/2 || i >= len(members)-maxMembers/2:
			fmt.Fprintf(&b, "%s (line %d) -> ", f.v.Name, f.v.Pos.Line)
		case i == maxMembers/2:
			fmt.Fprintf(&b, "... %d more ... -> ", len(members)-maxMembers)
		}
	}
	b.WriteString(v.Name)
	return b.String()
}
