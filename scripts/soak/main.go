// Soak makes the runs that are too long for the checks.
//
//	go run ./scripts/soak [-part tests|memory] [-fuzztime D] [-rounds N]
//	                      [-only REGEXP] [-gigabytes N] [-o FILE]
//
// Every fuzz target of every package runs for D, one after the other; then
// the tests of the simulation and of the merging of traces run N times in
// random order under the race detector, and all tests in their long form, with
// DVM_LONG=1. It prints a table of what ran, for how long and with what result.
// The Go tool writes inputs that fail to testdata/fuzz of the package; commit them
// with the correction.
//
// Then memory is measured: a thousand small traces are merged, and the traces
// of a run of four processes, N gigabytes in all, are generated while merge,
// parse and sim read them. A second table shows the largest memory of each
// process. -part runs one of the two.
//
// With -o the tables in FILE are replaced. The exit code is 1 when anything
// failed or needed too much memory.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dvmtools/internal/effort"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("soak: ")
	fuzzTime := flag.Duration("fuzztime", time.Minute, "run each fuzz target for `D`")
	rounds := flag.Int("rounds", 3, "run the tests under the race detector `N` times")
	only := flag.String("only", "", "fuzz targets whose package and name match `REGEXP`")
	part := flag.String("part", "", "run only `tests or memory`")
	gigabytes := flag.Float64("gigabytes", 10, "measure memory on `N` gigabytes of traces")
	out := flag.String("o", "", "replace the tables in `FILE`")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 || !slices.Contains([]string{"", "tests", "memory"}, *part) || !(*gigabytes > 0) {
		log.Fatal("found operands, a bad expression, an unknown part or no gigabytes; see go doc ./scripts/soak")
	}
	passed := true
	show := func(mark string, table []byte, ok bool, err error) {
		if err == nil && *out != "" {
			err = replace(*out, mark, table)
		}
		if err != nil {
			log.Fatal(err)
		}
		passed = passed && ok
	}
	if *part != "memory" {
		table, ok, err := run(*fuzzTime, *rounds, match)
		show("table", table, ok, err)
	}
	if *part != "tests" {
		rows, err := memory(int64(*gigabytes * 1e9))
		table, ok := memoryTable(rows)
		fmt.Printf("%s", table)
		show("memory", table, ok, err)
	}
	if !passed {
		log.Fatal("not everything passed")
	}
}

// A target is a fuzz function of a package.
type target struct{ pkg, name string }

// run does everything and returns the table as Markdown, and whether everything
// passed. It prints each line as soon as it is known.
func run(fuzzTime time.Duration, rounds int, match *regexp.Regexp) ([]byte, bool, error) {
	targets, err := find()
	if err != nil {
		return nil, false, err
	}
	var table bytes.Buffer
	show := func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		fmt.Print(line)
		table.WriteString(line)
	}
	ok := true
	show("| what | for | executions | result |\n| --- | ---: | ---: | --- |\n")
	for _, t := range targets {
		if !match.MatchString(t.pkg + " " + t.name) {
			continue
		}
		begin := time.Now()
		text, err := goTest("-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", fuzzTime.String(), t.pkg)
		result := "passed"
		if err != nil {
			ok, result = false, "FAILED"
			log.Printf("%s %s:\n%s", t.pkg, t.name, text)
		}
		show("| `%s` %s | %s | %s | %s |\n", strings.TrimPrefix(t.pkg, "dvmtools/"), t.name, spent(begin), executions(text), result)
	}
	for _, pkg := range []string{"./pkg/sim", "./pkg/ptr/merge", "./cmd/internal/cli"} {
		if rounds < 1 {
			break
		}
		begin := time.Now()
		result := "passed"
		if text, err := goTest("-race", "-shuffle=on", "-timeout", "2h", "-count", strconv.Itoa(rounds), pkg); err != nil {
			ok, result = false, "FAILED"
			log.Printf("%s:\n%s", pkg, text)
		}
		show("| `%s` under the race detector, %d rounds | %s | | %s |\n", strings.TrimPrefix(pkg, "./"), rounds, spent(begin), result)
	}
	if rounds > 0 {
		begin, result := time.Now(), "passed"
		if text, err := goTest("-timeout", "2h", "-count", "1", "./..."); err != nil {
			ok, result = false, "FAILED"
			log.Printf("%s", text)
		}
		show("| all tests, the long form | %s | | %s |\n", spent(begin), result)
	}
	return table.Bytes(), ok, nil
}

// find lists the fuzz targets of all packages.
func find() ([]target, error) {
	text, err := goTest("-list", "^Fuzz", "./...")
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	var all []target
	var names []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 1 && strings.HasPrefix(f[0], "Fuzz"):
			names = append(names, f[0])
		case len(f) > 1 && f[0] == "ok":
			for _, n := range names {
				all = append(all, target{f[1], n})
			}
			names = nil
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("found no fuzz target:\n%s", text)
	}
	return all, nil
}

// goTest runs go test with the long forms of tests.
func goTest(args ...string) (string, error) {
	c := exec.Command("go", append([]string{"test"}, args...)...)
	c.Env = append(os.Environ(), effort.Variable+"=1")
	out, err := c.CombinedOutput()
	return string(out), err
}

func spent(begin time.Time) string { return time.Since(begin).Round(time.Second).String() }

var execs = regexp.MustCompile(`execs: (\d+)`)

// executions returns the last number of executions that the Go tool reported.
func executions(text string) string {
	all := execs.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// replace puts the table between the marks of a document.
func replace(name, mark string, table []byte) error {
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->"
	doc, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(doc, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return fmt.Errorf("%s: found no lines %q and %q", name, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(name, bytes.Join([][]byte{head, []byte(begin), table, []byte(end), tail}, nil), 0o666)
}
