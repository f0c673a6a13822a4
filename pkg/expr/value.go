package expr

import (
	"math"
	"strconv"
	"strings"
)

// A Value is a 64-bit integer or a double. The zero Value is the integer 0.
type Value struct {
	double bool
	i      int64
	f      float64
}

// Int returns the integer i.
func Int(i int64) Value { return Value{i: i} }

// Double returns the double f, which must be finite.
func Double(f float64) Value { return Value{double: true, f: f} }

// IsInt says whether v is an integer.
func (v Value) IsInt() bool { return !v.double }

// Int returns the integer, and false when v is a double.
func (v Value) Int() (int64, bool) { return v.i, !v.double }

// Float returns v as a double.
func (v Value) Float() float64 {
	if v.double {
		return v.f
	}
	return float64(v.i)
}

// True says whether v is different from zero.
func (v Value) True() bool { return v.i != 0 || v.f != 0 }

// String returns the number as a text that reads as the same value in an
// expression, except that a negative one is an operator and a number there.
func (v Value) String() string {
	if v.double {
		return FormatFloat(v.f)
	}
	return strconv.FormatInt(v.i, 10)
}

// kind names the type of v in messages.
func (v Value) kind() string {
	if v.double {
		return "a double"
	}
	return "an integer"
}

// FormatFloat returns the shortest decimal that reads as f, in the form of a
// float of the language: always with a point, the exponent, if any, after e.
func FormatFloat(f float64) string {
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, ok := strings.Cut(s, "e")
	if !ok { // infinite or no number: no value is, but messages may show it
		return s
	}
	e, _ := strconv.Atoi(exponent)
	if f == 0 || e >= -4 && e < 16 {
		s = strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	return mantissa + "e" + strconv.Itoa(e)
}

// truth is the integer that C has for a condition.
func truth(b bool) Value {
	if b {
		return Int(1)
	}
	return Int(0)
}

// toInt returns the integer with the value of f, a double without a fraction,
// and false when 64 bits do not hold it.
func toInt(f float64) (Value, bool) {
	// -2^63 is a double and an integer; 2^63 is only a double.
	if f >= -(1<<63) && f < 1<<63 {
		return Int(int64(f)), true
	}
	return Value{}, false
}

func finite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }
