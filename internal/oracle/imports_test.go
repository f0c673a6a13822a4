package oracle_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestIndependence: the oracle shares no code with the simulation that it checks.
// It needs only the packages of records and of the machine, and what these import.
func TestIndependence(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "dvmtools/internal/oracle").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"call", "diag", "interval", "libdvm", "machine", "ndjson", "options", "stream", "units"}
	n := 0
	for dep := range strings.FieldsSeq(string(out)) {
		if name, ok := strings.CutPrefix(dep, "dvmtools/pkg/"); ok {
			n++
			if !slices.Contains(allowed, name) {
				t.Errorf("the oracle depends on %s", dep)
			}
		}
	}
	if n < 3 {
		t.Errorf("go list names %d packages of the module only", n)
	}
	direct, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{join .Imports \" \"}}", "dvmtools/internal/oracle").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(direct)) {
		switch dep {
		case "dvmtools/pkg/call", "dvmtools/pkg/interval", "dvmtools/pkg/machine", "dvmtools/pkg/options":
		default:
			if strings.Contains(dep, ".") || strings.HasPrefix(dep, "dvmtools/") {
				t.Errorf("the oracle imports %s", dep)
			}
		}
	}
}
