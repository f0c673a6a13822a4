//go:build race

package effort

// Race says that the race detector watches, which makes tests about ten times
// as slow.
const Race = true
