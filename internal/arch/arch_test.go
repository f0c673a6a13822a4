package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "dvmtools/"

// packages lists every package of the module and the packages of the module
// that it may import. A row may name only rows above it, so that imports have one
// direction. The names are in the order of docs/architecture.md.
var packages = []struct {
	name    string
	imports string
}{
	{"pkg/diag", ""},
	{"pkg/units", ""},
	{"pkg/options", ""},
	{"pkg/libdvm", ""},
	{"pkg/layout", ""},
	{"pkg/procs", ""},
	{"pkg/stream", "pkg/diag"},
	{"pkg/ndjson", "pkg/diag pkg/stream"},
	{"pkg/call", "pkg/diag pkg/units pkg/libdvm pkg/ndjson"},
	{"pkg/ptr", "pkg/diag pkg/units pkg/libdvm pkg/stream pkg/call"},
	{"pkg/object", "pkg/diag pkg/libdvm pkg/layout pkg/procs pkg/call"},
	{"pkg/program", "pkg/diag pkg/units pkg/libdvm pkg/call pkg/object"},
	{"pkg/ptr/merge", "pkg/diag pkg/units pkg/libdvm pkg/call pkg/ptr pkg/object"},
	{"pkg/expr", "pkg/diag"},
	{"pkg/density", "pkg/diag pkg/units pkg/layout pkg/expr"},
	{"pkg/machine", "pkg/diag pkg/units"},
	{"pkg/machine/par", "pkg/diag pkg/units pkg/machine"},
	{"pkg/machine/parasol", "pkg/diag pkg/units pkg/expr pkg/machine"},
	{"pkg/machine/measure", "pkg/diag pkg/expr pkg/machine/parasol"},
	{"pkg/comm", "pkg/diag pkg/units pkg/options pkg/machine"},
	{"pkg/traffic", "pkg/diag pkg/units pkg/layout pkg/procs pkg/object pkg/comm"},
	{"pkg/interval", "pkg/diag pkg/units pkg/options pkg/ndjson pkg/machine"},
	{"pkg/clock", "pkg/units pkg/options pkg/procs pkg/machine pkg/comm pkg/interval"},
	{"pkg/clock/clocktest", "pkg/units pkg/procs pkg/machine pkg/interval pkg/clock"},
	{"pkg/schedule", "pkg/units pkg/procs pkg/comm pkg/interval pkg/clock"},
	{"pkg/sim", "pkg/diag pkg/units pkg/options pkg/libdvm pkg/layout pkg/procs pkg/call pkg/object pkg/program pkg/density pkg/machine pkg/traffic pkg/comm pkg/interval pkg/clock pkg/schedule"},
	{"pkg/search", "pkg/diag pkg/units pkg/options pkg/libdvm pkg/layout pkg/procs pkg/ndjson pkg/call pkg/object pkg/program pkg/machine pkg/comm pkg/interval pkg/sim"},
	{"pkg/report", "pkg/diag pkg/libdvm pkg/ndjson pkg/units pkg/options pkg/machine pkg/interval"},
	{"pkg/whatif", "pkg/diag pkg/units pkg/options pkg/call pkg/program pkg/machine pkg/machine/par pkg/machine/parasol pkg/interval pkg/sim pkg/report"},
	{"pkg/whatif/engine", ""},
	{"schema", ""},
	{"schema/internal/definition", "pkg/options pkg/libdvm pkg/call pkg/machine pkg/interval pkg/search pkg/report schema"},
	{"schema/internal/genschema", "schema/internal/definition"},
	{"schema/schematest", "schema"},
	{"cmd/internal/cli", "pkg/diag pkg/stream"},
	{"cmd/internal/open", "pkg/diag pkg/options pkg/stream pkg/procs pkg/call pkg/ptr pkg/density pkg/machine pkg/machine/par pkg/machine/parasol pkg/interval pkg/sim cmd/internal/cli"},
	{"cmd/dvmtrace-merge", "pkg/diag pkg/stream pkg/ptr pkg/ptr/merge pkg/interval pkg/sim cmd/internal/cli cmd/internal/open"},
	{"cmd/dvmtrace-parse", "pkg/diag pkg/call pkg/ptr cmd/internal/cli cmd/internal/open"},
	{"cmd/dvmsim", "pkg/diag pkg/call pkg/ptr pkg/interval pkg/sim cmd/internal/cli cmd/internal/open"},
	{"cmd/dvmsearch", "pkg/diag pkg/units pkg/call pkg/ptr pkg/machine pkg/interval pkg/sim pkg/search cmd/internal/cli cmd/internal/open"},
	{"cmd/dvmreport", "pkg/diag pkg/units pkg/stream pkg/call pkg/ptr pkg/machine/parasol pkg/sim pkg/report pkg/whatif pkg/whatif/engine cmd/internal/cli cmd/internal/open"},
	{"cmd/dvmmachine", "pkg/diag pkg/units pkg/libdvm pkg/expr pkg/stream pkg/call pkg/ptr pkg/machine pkg/machine/par pkg/machine/parasol pkg/machine/measure cmd/internal/cli cmd/internal/open"},
	{"cmd/internal/whatif", "pkg/whatif"},
	{"cmd/internal/e2e", ""},
	{"internal/arch", ""},
	{"internal/docs", ""},
	{"internal/oracle", "pkg/options pkg/call pkg/machine pkg/interval"},
	{"internal/tracegen", ""},
	{"internal/tracescale", ""},
	{"internal/keytest", ""},
	{"internal/effort", ""},
	{"internal/leftout", ""},
	{"internal/testtraces", "internal/effort pkg/stream pkg/libdvm pkg/call pkg/ptr pkg/ptr/merge"},
	{"scripts/bench", ""},
	{"scripts/engine", ""},
	{"scripts/reality", "pkg/units pkg/stream pkg/call pkg/ptr pkg/ptr/merge pkg/machine pkg/machine/par pkg/interval pkg/sim pkg/report"},
	{"scripts/soak", "internal/effort"},
	{"scripts/tracegen", "internal/tracegen"},
	{"scripts/tracescale", "internal/tracescale pkg/stream"},
}

// libraries lists the packages of other modules that code outside tests may
// import, and where. Test code may import more; docs/dependencies.md lists all of it.
var libraries = map[string][]string{
	"github.com/santhosh-tekuri/jsonschema/v6": {"schema/schematest"},
	"github.com/klauspost/compress":            {"pkg/stream", "scripts/bench", "scripts/soak"},
	"github.com/urfave/cli/v2":                 {"cmd/"},
	"golang.org/x/term":                        {"cmd/internal/cli"},
}

// process lists the packages of the standard library that reach outside the
// process (files, time, other programs), and where code outside tests may import
// them.
var process = map[string][]string{
	"os":           {"cmd/", "scripts/", "schema/internal/genschema", "pkg/stream", "internal/testtraces", "internal/effort", "internal/leftout"}, // pkg/stream: files that appear only when they are complete
	"os/exec":      {"scripts/", "cmd/dvmmachine", "internal/leftout"},                                                                            // cmd/dvmmachine: it measures by running programs
	"os/signal":    {"cmd/internal/cli"},
	"os/user":      {},
	"flag":         {"cmd/internal/cli", "scripts/"},
	"log":          {"scripts/"},
	"log/slog":     {},
	"math/rand":    {},
	"plugin":       {},
	"unsafe":       {},
	"testing":      {"schema/schematest", "internal/testtraces", "internal/keytest", "internal/leftout"},
	"net":          {},
	"net/http":     {},
	"runtime/cgo":  {},
	"C":            {},
	"time":         {"cmd/internal/cli", "scripts/"}, // results must not depend on when they are made
	"math/rand/v2": {"internal/tracegen"},
}

// A goPackage is what go list prints about a package.
type goPackage struct {
	ImportPath   string
	Dir          string
	Name         string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// list runs go list in the module's root.
func list(t *testing.T, args ...string) []goPackage {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", append([]string{"list", "-e", "-json=ImportPath,Dir,Name,GoFiles,Imports,TestImports,XTestImports"}, args...)...)
	c.Dir = root
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []goPackage
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// root is the path of the module's root from this package.
const root = "../.."

// may is whether the package name is one of the places. A place that ends in a
// slash means all packages below it.
func may(places []string, name string) bool {
	return slices.ContainsFunc(places, func(p string) bool {
		return p == name || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p)
	})
}

func TestTableHasOneDirection(t *testing.T) {
	above := map[string]bool{}
	for _, p := range packages {
		for _, i := range strings.Fields(p.imports) {
			if !above[i] {
				t.Errorf("the row of %s allows %s, which does not stand above it", p.name, i)
			}
			if strings.HasPrefix(p.name, "pkg/") && !strings.HasPrefix(i, "pkg/") {
				t.Errorf("the row of %s allows %s: nothing below pkg imports a command", p.name, i)
			}
		}
		if above[p.name] {
			t.Errorf("%s has two rows", p.name)
		}
		above[p.name] = true
	}
}

func TestImports(t *testing.T) {
	allowed := map[string][]string{}
	for _, p := range packages {
		allowed[p.name] = strings.Fields(p.imports)
	}
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		places, ok := allowed[name]
		if !ok {
			t.Errorf("%s has no row in the table of packages; add one, and a line in docs/architecture.md", name)
			continue
		}
		seen[name] = true
		for _, i := range p.Imports {
			own, isOwn := strings.CutPrefix(i, module)
			switch {
			case isOwn && !slices.Contains(places, own):
				t.Errorf("%s imports %s, which its row does not allow", name, own)
			case isOwn:
			case strings.Contains(strings.SplitN(i, "/", 2)[0], "."):
				if !slices.ContainsFunc(sorted(libraries), func(l string) bool {
					return (i == l || strings.HasPrefix(i, l+"/")) && may(libraries[l], name)
				}) {
					t.Errorf("%s imports %s, which the table of libraries does not allow", name, i)
				}
			default:
				if where, listed := process[i]; listed && !may(where, name) {
					t.Errorf("%s imports %s, which is allowed in %v only", name, i, where)
				}
			}
		}
		if strings.HasPrefix(name, "pkg/") {
			for _, i := range slices.Concat(p.TestImports, p.XTestImports) {
				if strings.HasPrefix(i, module+"cmd/") {
					t.Errorf("tests of %s import %s", name, i)
				}
			}
		}
	}
	for _, p := range packages {
		if !seen[p.name] {
			t.Errorf("the table has a row for %s, which does not exist", p.name)
		}
	}
}

// TestNoNetwork: the commands open no connections, so none of them contains a
// package that could. net/url and net/netip only parse text.
func TestNoNetwork(t *testing.T) {
	deps := list(t, "-deps", "./cmd/...")
	if len(deps) < 50 {
		t.Fatalf("go list found %d packages", len(deps))
	}
	for _, p := range deps {
		top, _, _ := strings.Cut(p.ImportPath, "/")
		if top == "net" && p.ImportPath != "net/url" && p.ImportPath != "net/netip" || strings.HasPrefix(p.ImportPath, "crypto/tls") || strings.HasPrefix(p.ImportPath, "golang.org/x/net") {
			t.Errorf("a command depends on %s", p.ImportPath)
		}
	}
}

// TestDocuments: the documents name every package of the module and every module
// that it needs.
func TestDocuments(t *testing.T) {
	architecture := read(t, "docs/architecture.md")
	for _, p := range packages {
		if !strings.Contains(architecture, p.name) {
			t.Errorf("docs/architecture.md does not name %s", p.name)
		}
	}
	dependencies := read(t, "docs/dependencies.md")
	for _, file := range []string{"go.mod", "tools/go.mod"} {
		n := 0
		for line := range strings.Lines(read(t, file)) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "require ")
			path, version, ok := strings.Cut(line, " ")
			if !ok || !strings.Contains(path, ".") || !strings.HasPrefix(version, "v") {
				continue
			}
			if n++; !strings.Contains(dependencies, "`"+path+"`") {
				t.Errorf("docs/dependencies.md does not name %s of %s", path, file)
			}
		}
		if n == 0 {
			t.Errorf("found no module in %s", file)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func sorted(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
