package expr

import "math"

// tape is the list of the operations with doubles that depend on measured
// variables, in the order in which they were done.
type tape struct {
	ops    []operation
	leaves map[*Variable]int32
}

// operation is an entry of the tape: a measured variable, or an operation on
// one or two earlier entries (-1: on a constant) with its partial derivatives.
type operation struct {
	leaf   *Variable
	a, b   int32
	da, db float64
}

func (t *tape) leaf(v *Variable) int32 {
	if i, ok := t.leaves[v]; ok {
		return i
	}
	t.leaves[v] = t.add(operation{leaf: v, a: -1, b: -1})
	return t.leaves[v]
}

func (t *tape) add(op operation) int32 {
	t.ops = append(t.ops, op)
	return int32(len(t.ops) - 1)
}

// unary returns v, the result of an operation on a, with its entry.
func (ev *Evaluator) unary(v Value, a Result, partial func(a, r float64) float64) Result {
	if ev.tape == nil || a.tape < 0 || partial == nil || v.IsInt() {
		return Result{v, -1}
	}
	return Result{v, ev.tape.add(operation{a: a.tape, b: -1, da: partial(a.Float(), v.f)})}
}

// binary returns v, the result of an operation on a and b, with its entry.
func (ev *Evaluator) binary(v Value, a, b Result, partial func(a, b, r float64) (float64, float64)) Result {
	if ev.tape == nil || a.tape < 0 && b.tape < 0 || partial == nil || v.IsInt() {
		return Result{v, -1}
	}
	da, db := partial(a.Float(), b.Float(), v.f)
	return Result{v, ev.tape.add(operation{a: a.tape, b: b.tape, da: da, db: db})}
}

// A Deviation is the standard deviation of a result.
type Deviation struct {
	// Sigma is the deviation when Unknown and Singular are empty.
	Sigma float64
	// Unknown lists the variables that the result depends on and whose
	// deviation is not stated, in the order in which they were met.
	Unknown []*Variable
	// Singular says that the result has no finite derivative by some
	// variable, such as that of sqrt at 0.
	Singular bool
}

// Deviation returns the deviation of a result of this evaluator to the first
// order: the root of the sum, over the distinct measured variables, of the
// square of derivative times deviation. A variable with derivative 0 counts
// nothing, known or not. The evaluator must have been made with deviations.
func (ev *Evaluator) Deviation(r Result) Deviation {
	var d Deviation
	if r.tape < 0 {
		return d
	}
	// adjoint[i] is the derivative of r by the result of operation i.
	adjoint := make([]float64, r.tape+1)
	adjoint[r.tape] = 1
	for i := r.tape; i >= 0; i-- {
		op := ev.tape.ops[i]
		if adjoint[i] == 0 {
			continue
		}
		if op.a >= 0 {
			adjoint[op.a] += float64(adjoint[i] * op.da)
		}
		if op.b >= 0 {
			adjoint[op.b] += float64(adjoint[i] * op.db)
		}
	}
	// The largest term is taken out, so that squares of small times do not
	// vanish.
	var terms []float64
	largest := 0.0
	for i, op := range ev.tape.ops[:r.tape+1] {
		switch {
		case op.leaf == nil || adjoint[i] == 0:
		case !finite(adjoint[i]):
			d.Singular = true
		case !op.leaf.Known:
			d.Unknown = append(d.Unknown, op.leaf)
		default:
			t := math.Abs(adjoint[i] * op.leaf.Deviation)
			terms = append(terms, t)
			largest = max(largest, t)
		}
	}
	if largest == 0 || !finite(largest) {
		d.Sigma = largest
		d.Singular = d.Singular || !finite(largest)
		return d
	}
	sum := 0.0
	for _, t := range terms {
		t /= largest
		sum += float64(t * t)
	}
	d.Sigma = largest * math.Sqrt(sum)
	return d
}
