// Package effort says how much work tests do: little in an ordinary run, much in
// scripts/soak, which runs for hours.
package effort

import "os"

// Variable is the name of the environment variable that makes tests long when
// it is 1.
const Variable = "DVM_LONG"

// Long reports whether this is a long run of tests.
func Long() bool { return os.Getenv(Variable) == "1" }

// Of returns long in a long run of tests, ordinary otherwise.
func Of(ordinary, long int) int {
	if Long() {
		return long
	}
	return ordinary
}
