package expr

import (
	"math"
	"math/bits"
)

// Precedences; a higher one binds tighter.
const (
	precOr = iota + 1
	precAnd
	precBitOr
	precBitXor
	precBitAnd
	precEqual
	precRelation
	precShift
	precAdd
	precMul
	precUnary
	precPower
)

// A fault says why an operator has no result: what kind of error it is and
// what was expected instead. The zero fault is none.
type fault struct{ code, expected string }

var (
	none       = fault{}
	overflow   = fault{"expr/overflow", "a result within -2^63..2^63-1; use a double, as in 1.0 or double(...)"}
	divZero    = fault{"expr/domain", "a divisor that is not zero"}
	badShift   = fault{"expr/domain", "a shift count from 0 to 63"}
	intsOnly   = fault{"expr/type", "integers; use int(...)"}
	notFinite  = fault{"expr/overflow", "a finite result"}
	undefined  = fault{"expr/domain", "arguments for which the result is defined"}
	outOfRange = fault{"expr/overflow", "a number within -2^63..2^63-1"}
)

// A binary operator. ints computes it on two integers; doubles on two doubles,
// to which an integer beside a double is turned, and is nil when only integers
// are allowed. partial gives the derivatives of a double result r by the two
// operands; nil means that they are 0.
type binary struct {
	text    string
	prec    int
	right   bool // associates to the right
	ints    func(a, b int64) (Value, fault)
	doubles func(a, b float64) (Value, fault)
	partial func(a, b, r float64) (da, db float64)
}

// binaries is the table of the binary operators (Parasol I, 2.8). && and || compute only
// the truth of their right side here: the left has not decided.
var binaries = []binary{
	{"**", precPower, true, powInt, powDouble, powPartial},
	{"*", precMul, false, mulInt, func(a, b float64) (Value, fault) { return Double(a * b), none },
		func(a, b, _ float64) (float64, float64) { return b, a }},
	{"/", precMul, false, divInt, divDouble,
		func(a, b, _ float64) (float64, float64) { return 1 / b, -a / b / b }},
	{"%", precMul, false, modInt, nil, nil},
	{"+", precAdd, false, addInt, func(a, b float64) (Value, fault) { return Double(a + b), none },
		func(_, _, _ float64) (float64, float64) { return 1, 1 }},
	{"-", precAdd, false, subInt, func(a, b float64) (Value, fault) { return Double(a - b), none },
		func(_, _, _ float64) (float64, float64) { return 1, -1 }},
	{"<<", precShift, false, shiftLeft, nil, nil},
	{">>", precShift, false, shiftRight, nil, nil},
	{"<=", precRelation, false, relation(func(c int) bool { return c <= 0 }), relationDouble(func(c int) bool { return c <= 0 }), nil},
	{"<", precRelation, false, relation(func(c int) bool { return c < 0 }), relationDouble(func(c int) bool { return c < 0 }), nil},
	{">=", precRelation, false, relation(func(c int) bool { return c >= 0 }), relationDouble(func(c int) bool { return c >= 0 }), nil},
	{">", precRelation, false, relation(func(c int) bool { return c > 0 }), relationDouble(func(c int) bool { return c > 0 }), nil},
	{"==", precEqual, false, relation(func(c int) bool { return c == 0 }), relationDouble(func(c int) bool { return c == 0 }), nil},
	{"!=", precEqual, false, relation(func(c int) bool { return c != 0 }), relationDouble(func(c int) bool { return c != 0 }), nil},
	{"&&", precAnd, false, func(_, b int64) (Value, fault) { return truth(b != 0), none },
		func(_, b float64) (Value, fault) { return truth(b != 0), none }, nil},
	{"||", precOr, false, func(_, b int64) (Value, fault) { return truth(b != 0), none },
		func(_, b float64) (Value, fault) { return truth(b != 0), none }, nil},
	{"&", precBitAnd, false, func(a, b int64) (Value, fault) { return Int(a & b), none }, nil, nil},
	{"^", precBitXor, false, func(a, b int64) (Value, fault) { return Int(a ^ b), none }, nil, nil},
	{"|", precBitOr, false, func(a, b int64) (Value, fault) { return Int(a | b), none }, nil, nil},
}

// apply computes op on two values.
func (op *binary) apply(a, b Value) (Value, fault) {
	if a.IsInt() && b.IsInt() {
		return op.ints(a.i, b.i)
	}
	if op.doubles == nil {
		return Value{}, intsOnly
	}
	v, f := op.doubles(a.Float(), b.Float())
	if f == none && v.double && !finite(v.f) {
		f = notFinite
	}
	return v, f
}

// A unary operator; nil functions as for [binary].
type unary struct {
	text    string
	ints    func(a int64) (Value, fault)
	doubles func(a float64) (Value, fault)
	partial func(a, r float64) float64
}

// unaries is the table of the unary operators.
var unaries = []unary{
	{"-", func(a int64) (Value, fault) { return subInt(0, a) },
		func(a float64) (Value, fault) { return Double(-a), none },
		func(_, _ float64) float64 { return -1 }},
	{"!", func(a int64) (Value, fault) { return truth(a == 0), none },
		func(a float64) (Value, fault) { return truth(a == 0), none }, nil},
	{"~", func(a int64) (Value, fault) { return Int(^a), none }, nil, nil},
}

func (op *unary) apply(a Value) (Value, fault) {
	if a.IsInt() {
		return op.ints(a.i)
	}
	if op.doubles == nil {
		return Value{}, intsOnly
	}
	return op.doubles(a.f)
}

func addInt(a, b int64) (Value, fault) {
	s := a + b
	if (s > a) != (b > 0) {
		return Value{}, overflow
	}
	return Int(s), none
}

func subInt(a, b int64) (Value, fault) {
	d := a - b
	if (d < a) != (b > 0) {
		return Value{}, overflow
	}
	return Int(d), none
}

func mulInt(a, b int64) (Value, fault) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	switch {
	case high != 0, !negative && low > math.MaxInt64, negative && low > 1<<63:
		return Value{}, overflow
	}
	return Int(a * b), none
}

// magnitude returns |a|, also for the least integer.
func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func divInt(a, b int64) (Value, fault) {
	switch {
	case b == 0:
		return Value{}, divZero
	case a == math.MinInt64 && b == -1:
		return Value{}, overflow
	}
	return Int(a / b), none
}

func modInt(a, b int64) (Value, fault) {
	switch {
	case b == 0:
		return Value{}, divZero
	case a == math.MinInt64 && b == -1: // the quotient overflows, as in C
		return Value{}, overflow
	}
	return Int(a % b), none
}

func divDouble(a, b float64) (Value, fault) {
	if b == 0 {
		return Value{}, divZero
	}
	return Double(a / b), none
}

func shiftLeft(a, n int64) (Value, fault) {
	if n < 0 || n > 63 {
		return Value{}, badShift
	}
	if a<<n>>n != a {
		return Value{}, overflow
	}
	return Int(a << n), none
}

func shiftRight(a, n int64) (Value, fault) {
	if n < 0 || n > 63 {
		return Value{}, badShift
	}
	return Int(a >> n), none
}

func relation(holds func(c int) bool) func(a, b int64) (Value, fault) {
	return func(a, b int64) (Value, fault) { return truth(holds(order(a, b))), none }
}

func relationDouble(holds func(c int) bool) func(a, b float64) (Value, fault) {
	return func(a, b float64) (Value, fault) { return truth(holds(order(a, b))), none }
}

func order[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// powInt stays an integer when the exponent is not negative.
func powInt(a, n int64) (Value, fault) {
	if n < 0 {
		return powDouble(float64(a), float64(n))
	}
	switch a {
	case 0, 1:
		if n == 0 {
			return Int(1), none
		}
		return Int(a), none
	case -1:
		return Int(1 - 2*(n&1)), none
	}
	result := Int(1)
	for ; n > 0; n-- { // |a| > 1: at most 63 steps before it overflows
		var f fault
		if result, f = mulInt(result.i, a); f != none {
			return Value{}, f
		}
	}
	return result, none
}

func powDouble(a, b float64) (Value, fault) {
	r := math.Pow(a, b)
	switch {
	case a == 0 && b < 0:
		return Value{}, divZero
	case math.IsNaN(r):
		return Value{}, undefined
	case !finite(r):
		return Value{}, notFinite
	}
	return Double(r), none
}

func powPartial(a, b, r float64) (da, db float64) {
	if b != 0 {
		da = b * math.Pow(a, b-1)
	}
	if r != 0 {
		db = r * math.Log(a)
	}
	return da, db
}
