// Package units has the types of the quantities of the model. The program
// computes in base units only; other units are converted where a file is read
// and nowhere else.
package units

import "math"

// Seconds is a time or a duration in seconds.
type Seconds float64

// Bytes is a size in bytes.
type Bytes int64

// SecPerByte is the time that one byte takes on a medium (TByte).
type SecPerByte float64

// Micro returns us microseconds as [Seconds].
func Micro(us float64) Seconds { return Seconds(us / 1e6) }

// MicroPerByte returns us microseconds per byte as [SecPerByte].
func MicroPerByte(us float64) SecPerByte { return SecPerByte(us / 1e6) }

// Transfer returns the time that a message of b bytes takes on a medium with
// latency start and per-byte time perByte: start + b*perByte. The product is
// rounded before the sum, so that results are the same on every platform.
func Transfer(start Seconds, perByte SecPerByte, b Bytes) Seconds {
	return start + Seconds(float64(perByte)*float64(b))
}

// MulBytes returns a*b and whether 64 bits can hold it: sizes that overflow are
// errors in the input and must not wrap around.
func MulBytes(a, b Bytes) (Bytes, bool) {
	p, ok := Mul(int64(a), int64(b))
	return Bytes(p), ok
}

// Mul returns a*b and whether the product of the two non-negative numbers is
// representable.
func Mul(a, b int64) (int64, bool) {
	if a < 0 || b < 0 {
		return 0, false
	}
	if a != 0 && b > math.MaxInt64/a {
		return 0, false
	}
	return a * b, true
}
