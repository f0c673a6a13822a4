package expr

import (
	"math"
	"slices"
)

// A function of one argument. ints is nil where an integer argument is turned
// into a double first. partial is the derivative of a double result r; nil
// means 0.
type function struct {
	name    string
	ints    func(a int64) (Value, fault)
	doubles func(a float64) (Value, fault)
	partial func(a, r float64) float64
}

// functions is the table of the functions (Parasol I, 2.8), sorted by name.
var functions = []function{
	{"abs", absInt, inDoubles(math.Abs), func(a, _ float64) float64 {
		if a < 0 {
			return -1
		}
		return 1
	}},
	{"acos", nil, inDoubles(math.Acos), func(a, _ float64) float64 { return -1 / math.Sqrt(1-float64(a*a)) }},
	{"asin", nil, inDoubles(math.Asin), func(a, _ float64) float64 { return 1 / math.Sqrt(1-float64(a*a)) }},
	{"atan", nil, inDoubles(math.Atan), func(a, _ float64) float64 { return 1 / (1 + float64(a*a)) }},
	{"cos", nil, inDoubles(math.Cos), func(a, _ float64) float64 { return -math.Sin(a) }},
	{"cosh", nil, inDoubles(math.Cosh), func(a, _ float64) float64 { return math.Sinh(a) }},
	{"double", nil, inDoubles(func(a float64) float64 { return a }), func(_, _ float64) float64 { return 1 }},
	{"exp", nil, inDoubles(math.Exp), func(_, r float64) float64 { return r }},
	{"floor", nil, inDoubles(math.Floor), nil},
	{"int", same, whole(math.Trunc), nil},
	{"log", nil, inDoubles(math.Log), func(a, _ float64) float64 { return 1 / a }},
	{"log10", nil, inDoubles(math.Log10), func(a, _ float64) float64 { return 1 / (a * math.Ln10) }},
	{"round", same, whole(math.Round), nil},
	{"sgn", sgnInt, sgnDouble, nil},
	{"sin", nil, inDoubles(math.Sin), func(a, _ float64) float64 { return math.Cos(a) }},
	{"sinh", nil, inDoubles(math.Sinh), func(a, _ float64) float64 { return math.Cosh(a) }},
	{"sqrt", nil, inDoubles(math.Sqrt), func(_, r float64) float64 { return 1 / (2 * r) }},
	{"tan", nil, inDoubles(math.Tan), func(_, r float64) float64 { return 1 + float64(r*r) }},
	{"tanh", nil, inDoubles(math.Tanh), func(_, r float64) float64 { return 1 - float64(r*r) }},
}

// Functions returns the names of the functions, sorted.
func Functions() []string {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.name
	}
	return names
}

// functionIndex returns the place of name in the table, -1 when there is no
// such function.
func functionIndex(name string) int {
	i, ok := slices.BinarySearchFunc(functions, name, func(f function, name string) int {
		switch {
		case f.name < name:
			return -1
		case f.name > name:
			return 1
		}
		return 0
	})
	if !ok {
		return -1
	}
	return i
}

func (fn *function) apply(a Value) (Value, fault) {
	if a.IsInt() && fn.ints != nil {
		return fn.ints(a.i)
	}
	return fn.doubles(a.Float())
}

// inDoubles makes a function with a double result, finite and defined or a fault.
func inDoubles(f func(float64) float64) func(float64) (Value, fault) {
	return func(a float64) (Value, fault) {
		r := f(a)
		switch {
		case math.IsNaN(r):
			return Value{}, undefined
		case math.IsInf(r, -1): // the logarithm of zero
			return Value{}, undefined
		case !finite(r):
			return Value{}, notFinite
		}
		return Double(r), none
	}
}

// whole makes a function with an integer result.
func whole(f func(float64) float64) func(float64) (Value, fault) {
	return func(a float64) (Value, fault) {
		v, ok := toInt(f(a))
		if !ok {
			return Value{}, outOfRange
		}
		return v, none
	}
}

func same(a int64) (Value, fault) { return Int(a), none }

func absInt(a int64) (Value, fault) {
	if a < 0 {
		return subInt(0, a)
	}
	return Int(a), none
}

func sgnInt(a int64) (Value, fault) { return Int(int64(order(a, 0))), none }

func sgnDouble(a float64) (Value, fault) { return Int(int64(order(a, 0))), none }
