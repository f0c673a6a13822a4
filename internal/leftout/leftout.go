// Package leftout is for tests that need a program which may be missing, or takes
// long.
package leftout

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// large are the programs that a test takes long to start or to wait for. With
// DVM_BRIEF=1, which scripts/check sets without --all, they count as missing.
var large = []string{"chromium", "gfortran", "mpicc", "mpirun", "slurmctld"}

// Program returns where the program of the first of these names is that exists, or
// what to say of a test that needs one: why none may be used.
func Program(names ...string) (path, why string) {
	if os.Getenv("DVM_BRIEF") == "1" && os.Getenv("DVM_FULL") != "1" && slices.Contains(large, names[0]) {
		return "", "starts " + names[0] + ", as sh scripts/check --all does"
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, ""
		}
	}
	return "", "needs the program " + names[0]
}

// Skip ends a test that needs what is missing on this machine: see
// [Record].
func Skip(t testing.TB, what string) {
	t.Helper()
	Record(t, what)
	t.Skip("left out: " + what)
}

// Record says that a part of the tests does not run, with what it needs.
// It stands in the file that DVM_LEFT_OUT names, which scripts/check shows at its
// end; with DVM_FULL=1 the test fails.
func Record(t testing.TB, what string) {
	t.Helper()
	t.Log("left out: " + what)
	if os.Getenv("DVM_FULL") == "1" {
		t.Errorf("%s; DVM_FULL=1 allows nothing to be left out", what)
	}
	list(t, what)
}

// Forbidden says that a part of the tests does not run because this machine does not
// allow what it does, which no program that is installed can change: it is listed as by
// [Record], and no failure.
func Forbidden(t testing.TB, what string) {
	t.Helper()
	t.Log("left out: " + what)
	list(t, what)
}

// list enters what is left out in the file for it.
func list(t testing.TB, what string) {
	t.Helper()
	name := os.Getenv("DVM_LEFT_OUT")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(what + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
