//go:build !race

package effort

// Race is whether the race detector is on, which makes tests about ten times as
// slow.
const Race = false
