// Package effort says how much work tests do: as much as everybody waits for,
// or as much as scripts/soak has time for.
package effort

import "os"

// Variable is the name of the environment variable that makes tests long when
// it is 1.
const Variable = "DVM_LONG"

// Long reports whether tests have hours.
func Long() bool { return os.Getenv(Variable) == "1" }

// Of returns long when tests have hours, ordinary otherwise.
func Of(ordinary, long int) int {
	if Long() {
		return long
	}
	return ordinary
}
