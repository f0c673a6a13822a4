package sim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Handlers do not look into instants and do not ask how late it is: what they
// ask of the clocks would then depend on the machine, and could not be asked
// again of another one. Explanations may.
func TestHandlersDoNotComputeWithInstants(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files found, error %v", len(files), err)
	}
	// What exchanges cost is looked at, and nothing follows from it. A limit ends a
	// simulation, which is then not recorded. A block stands for the clocks and tells
	// instants apart.
	may := map[string]string{"explain.go": ".Latest(", "exchanges.go": ".Since(", "limit.go": ".Since(", "asked.go": ".Number()"}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range []string{".Since(", ".Number()", ".Latest("} {
			if strings.Contains(string(b), use) && may[f] != use {
				t.Errorf("%s uses %s...", f, use)
			}
		}
	}
}
