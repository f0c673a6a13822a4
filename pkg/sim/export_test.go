package sim

import "dvmtools/pkg/libdvm"

// Handled reports whether class c does more than an ordinary function.
func Handled(c libdvm.Class) bool { return handlerOf(c) != nil }
