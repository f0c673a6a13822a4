package e2e_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dvmtools/internal/effort"
	"dvmtools/internal/leftout"
	"dvmtools/schema"
	"dvmtools/schema/schematest"
)

var update = flag.Bool("update", false, "rewrite expected outputs in scripts and README.md")

// root is the module's root; bin holds the commands, built for these tests.
var root, bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds the commands once and runs the tests. The commands stand where
// scripts/demo puts them, so that Go links only what has changed; with the race
// detector, which they have when the tests have it, in a directory of their own.
func run(m *testing.M) int {
	flag.Parse()
	var err error
	if root, err = filepath.Abs("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	bin = filepath.Join(root, "bin")
	if effort.Race {
		if bin, err = os.MkdirTemp("", "e2e"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(bin)
	}
	build := exec.Command("go", "build", fmt.Sprint("-race=", effort.Race), "-o", bin+string(filepath.Separator), "./cmd/...")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// environment is what the commands see: of the caller's only what they need
// to run.
func environment() []string {
	return []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"LC_ALL=C", "TERM=dumb", "HOME=/no-home",
		// With the race detector a process waits for a second before it ends.
		"GORACE=atexit_sleep_ms=10",
		"TRACES=" + filepath.Join(root, "testdata", "traces"),
		"MACHINES=" + filepath.Join(root, "testdata", "machines"),
		"SCRIPTS=" + filepath.Join(root, "scripts"),
	}
}

// hostNames stands for the right to give processes a host name of their own, which
// "# needs:" of a script names behind the program unshare.
const hostNames = "host-names"

// available tells whether all programs are there ([leftout.Program]). When one is
// not, what needs it is left out: that is recorded in the file that DVM_LEFT_OUT names,
// which scripts/check shows, and is a failure when DVM_FULL is 1.
func available(t *testing.T, what string, programs ...string) bool {
	t.Helper()
	for _, p := range programs {
		if p == hostNames {
			if err := exec.Command("unshare", "--uts", "true").Run(); err != nil {
				leftout.Forbidden(t, what+": needs "+hostNames+": unshare: "+err.Error())
				return false
			}
			continue
		}
		if _, why := leftout.Program(p); why != "" {
			leftout.Record(t, what+": "+why)
			return false
		}
	}
	return true
}

// needs returns the programs that a script says it needs, in a line
// "# needs: jq zstd" of its own.
func needs(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if list, ok := strings.CutPrefix(line, "# needs: "); ok {
			return strings.Fields(list)
		}
	}
	return nil
}

// onceEnough are the scripts that are not repeated under the race detector: they
// mostly run other programs, or the same command over and over.
var onceEnough = []string{"damaged", "measure", "network", "networkhosts", "power", "predictor", "truncated", "variants"}

func TestScripts(t *testing.T) {
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d scripts, %v", len(all), err)
	}
	var files []string
	for _, f := range all {
		// Some run long and would find no races that the others do not.
		if effort.Race && slices.Contains(onceEnough, strings.TrimSuffix(filepath.Base(f), ".txtar")) {
			continue
		}
		if available(t, "script "+filepath.Base(f), needs(t, f)...) {
			files = append(files, f)
		}
	}
	checker := schematest.New(t)
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, slices.DeleteFunc(environment(), func(v string) bool {
				return strings.HasPrefix(v, "HOME=")
			})...)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitcode,
			"pipe":     pipe,
			"valid":    func(ts *testscript.TestScript, neg bool, args []string) { valid(ts, checker, neg, args) },
		},
	})
}

// exitcode N COMMAND ARG... runs a command and requires that it exits with N.
// What it wrote can be looked at with stdout and stderr.
func exitcode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N COMMAND ARG...")
	}
	requireCode(ts, args[0], args[1], args[2:]...)
}

// pipe N TEXT runs a pipe in a shell and requires that it exits with N: the
// code of the last command that failed, 128 and more for signals.
func pipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pipe N 'COMMAND | COMMAND...'")
	}
	requireCode(ts, args[0], "bash", "-o", "pipefail", "-c", args[1])
}

// valid SCHEMA FILE requires that every line of the file is a record as the
// schema of that name has it, or that the file is a document of a report.
func valid(ts *testscript.TestScript, checker *schematest.Checker, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: valid SCHEMA FILE")
	}
	if args[0] == schema.Report {
		document, err := schematest.Decode([]byte(ts.ReadFile(args[1])))
		ts.Check(err)
		ts.Check(checker.Value(args[0], document))
		return
	}
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		n++
		record, err := schematest.Decode([]byte(line))
		ts.Check(err)
		if err := checker.Value(args[0], record); err != nil {
			ts.Fatalf("%s:%d: %v", args[1], n, err)
		}
	}
	if n < 3 {
		ts.Fatalf("%s has %d lines, expected a stream", args[1], n)
	}
}

func requireCode(ts *testscript.TestScript, code, command string, args ...string) {
	want, err := strconv.Atoi(code)
	ts.Check(err)
	got := 0
	if err := ts.Exec(command, args...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Check(err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s %s exits with %d, want %d", command, strings.Join(args, " "), got, want)
	}
}
