package sim

import (
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
)

// Handled reports whether class c does more than an ordinary function.
func Handled(c libdvm.Class) bool {
	return handlers[c].do != nil || handlers[c].run != nil || object.Follows(c)
}

// Splits reports whether finding what a call is about and doing it are apart for
// functions of a class.
func Splits(c libdvm.Class) bool { return handlers[c].run == nil }
