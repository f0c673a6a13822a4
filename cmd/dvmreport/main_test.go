package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
)

// intervals returns the stream of a program with an interval inside another.
func intervals(t *testing.T) string {
	t.Helper()
	m, err := machine.New(machine.NewProcessor("p", 1))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := interval.NewWriter(&b)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	times := interval.Times{Efficiency: 1, ExecutionTime: 0.125, TotalTime: 0.125, ProductiveTime: 0.125, ProductiveCPUTime: 0.125, CPUTime: 0.125}
	check(w.Header(&interval.Header{Machine: m.Description(), Grid: []int{1}, Processors: 1, Source: []string{"jac.ptr"}}))
	check(w.Interval(&interval.Interval{ID: 1, Type: interval.Main, File: "jac.fdv", Line: 1, Count: 1, Processors: 1, Times: times}))
	check(w.Interval(&interval.Interval{ID: 2, Parent: 1, Level: 1, Type: interval.User, File: "sub.fdv", Line: 7, Count: 3, Processors: 1, Times: times}))
	check(w.Processor(&interval.Processor{Interval: 2, N: 1, Boxes: [][]string{{"0"}}, Times: times}))
	check(w.End(0))
	return b.String()
}

// dvmreport runs the program.
func dvmreport(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, talk bytes.Buffer
	code = cli.Run(context.Background(), command(), args, strings.NewReader(stdin), &out, &talk)
	return code, out.String(), talk.String()
}

func TestRun(t *testing.T) {
	in := intervals(t)
	file := filepath.Join(t.TempDir(), "jac.intervals")
	if err := os.WriteFile(file, []byte(in), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		has, hasNot string // of standard output
		talk        string // begin of standard error, all of it when ""
	}{
		{name: "page from standard input", stdin: in, has: `id="i2-effic"`},
		{name: "page from a dash", stdin: in, args: []string{"-"}, has: `id="i2-effic"`},
		{name: "page from a file", args: []string{file, "--format=html"}, has: `id="i2-effic"`},
		{name: "text", stdin: in, args: []string{"--format", "text"}, has: "sub.fdv:7"},
		{name: "level", args: []string{file, "--format=text", "--level", "0"}, has: "1 deeper interval is not shown", hasNot: "sub.fdv"},
		{name: "level of all", args: []string{file, "--format=text", "--level=99"}, has: "sub.fdv", hasNot: "deeper"},
		{name: "help", args: []string{"--help"}, has: "html, text, csv"},
		{name: "table", stdin: in, args: []string{"--format", "csv"}, has: "1,all,execution_time,0.125,seconds,0,0,main,jac.fdv,1,,\n"},
		{name: "document", stdin: in, args: []string{"--format", "json"}, has: `"execution_time":0.125`},
		{name: "stacks", stdin: in, args: []string{"--format=folded", "--metric=cpu_time"}, has: "main jac.fdv:1;user sub.fdv:7 125000000\n"},
		{name: "OpenMetrics", stdin: in, args: []string{"--format=prom"}, has: "# EOF\n"},
		{name: "summary", stdin: in, args: []string{"--format=md"}, has: "## jac.fdv on 1\n"},
		{name: "colour", stdin: in, args: []string{"--format=text", "--color=always"}, has: "\x1b[1m"},
		{name: "no colour", stdin: in, args: []string{"--format=text"}, has: "sub.fdv:7", hasNot: "\x1b"},
		{name: "unknown format", stdin: in, args: []string{"--format", "cvs"}, code: 2, talk: `dvmreport: --format: found format "cvs", expected html, text, csv, json, folded, prom, md or perfetto; did you mean "csv"?`},
		{name: "unknown metric", stdin: in, args: []string{"--format", "folded", "--metric=efficiency"}, code: 2, talk: `dvmreport: --metric: found metric "efficiency", expected one that adds up over intervals: total_time, lost_time, `},
		{name: "metric of another format", stdin: in, args: []string{"--metric=cpu_time"}, code: 2, talk: `dvmreport: --metric is for --format folded, found --format html`},
		{name: "unknown colour", stdin: in, args: []string{"--color=red"}, code: 2, talk: `dvmreport: --color: found "red", expected auto, always or never`},
		{name: "negative level", stdin: in, args: []string{"--level=-1"}, code: 2, talk: "dvmreport: --level: found -1, expected a number from 0"},
		{name: "level that is no number", stdin: in, args: []string{"--level=all"}, code: 2, talk: "dvmreport: "},
		{name: "two streams", args: []string{file, file, "--format=text"}, has: "Both take 125.0 ms."},
		{name: "three streams", args: []string{file, file, file, "--format=text"}, has: "on 3 grids"},
		{name: "no slower", args: []string{file, file, "--format=text", "--fail-over=0%"}, has: "Both take"},
		{name: "nothing to compare with", args: []string{file, "--fail-over=5%"}, code: 2, talk: "dvmreport: --fail-over compares the last operand with the first; found one operand"},
		{name: "no such file", args: []string{file + "x"}, code: 4, talk: "dvmreport: open "},
		{name: "empty", code: 3, talk: "dvmreport: <stdin>:"},
		{name: "cut", stdin: in[:len(in)-20], code: 3, talk: "dvmreport: <stdin>:5"},
		{name: "no end record", stdin: in[:strings.LastIndex(in, `{"record":"end"`)], code: 3, talk: "dvmreport: <stdin>:"},
		{name: "a trace", stdin: "call_getlen_ TIME=0.1\n", code: 3, talk: "dvmreport: <stdin>:1:1: found text, expected the interval stream of dvmsim; a trace goes through dvmsim first"},
		{name: "calls", stdin: `{"record":"trace","version":1}` + "\n", code: 3, talk: "dvmreport: <stdin>:1:1: found the calls of a trace, expected"},
		{name: "a search that is cut", stdin: `{"record":"search","version":1}` + "\n", code: 3, talk: "dvmreport: <stdin>:"},
		{name: "another version", stdin: strings.Replace(in, `"version":1`, `"version":2`, 1), code: 3, talk: "dvmreport: <stdin>:1:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := dvmreport(c.stdin, c.args...)
			if code != c.code {
				t.Errorf("exit code %d, expected %d: %s", code, c.code, stderr)
			}
			if !strings.Contains(stdout, c.has) || c.hasNot != "" && strings.Contains(stdout, c.hasNot) {
				t.Errorf("standard output should have %q and not %q:\n%.500s", c.has, c.hasNot, stdout)
			}
			if code != 0 && stdout != "" {
				t.Errorf("it failed and wrote %.80q", stdout)
			}
			if c.talk == "" && stderr != "" || !strings.HasPrefix(stderr, c.talk) {
				t.Errorf("standard error:\ngot  %q\nwant %q", stderr, c.talk)
			}
		})
	}
}

// TestOutputFile writes a page to a file, which a failed run leaves alone.
func TestOutputFile(t *testing.T) {
	in := intervals(t)
	file := filepath.Join(t.TempDir(), "x.html")
	code, stdout, stderr := dvmreport(in, "-o", file)
	if code != 0 || stdout != "" || stderr != "" {
		t.Fatalf("exit code %d, output %q, %q", code, stdout, stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, want, _ := dvmreport(in); string(page) != want {
		t.Error("the file is not what standard output gets")
	}
	if code, _, _ := dvmreport(in[:len(in)/2], "-o", file); code != 3 {
		t.Errorf("a cut stream: exit code %d, expected 3", code)
	}
	again, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, page) {
		t.Error("a failed run changed the file")
	}
}
