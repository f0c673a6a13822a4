package cli_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/stream"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tool is a command with an option of every kind; it runs what do says.
func tool(do func(*cli.Env) error) cli.Command {
	return cli.Command{
		Name:  "tool",
		Usage: "copies its input",
		Description: `
A paragraph that is long enough to be wrapped because it goes on and on and does
not stop where a line of a terminal would stop, but much later.

    an indented line   stays as it is
`,
		Examples: []cli.Example{{Line: "tool -g4x4 in.ptr > out", Text: "copies with a grid"}, {Line: "tool"}},
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "grid", Aliases: []string{"g"}, Usage: "processors in each dimension, `N1xN2...`"},
			&urfave.StringSliceFlag{Name: "set", Aliases: []string{"s"}, Usage: "set a parameter to `NAME=VALUE`"},
			&urfave.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say more"},
			&urfave.Float64Flag{Name: "limit", Value: 2.5, Usage: "stop after `SECONDS`", EnvVars: []string{"DVM_TEST_LIMIT"}},
			&urfave.DurationFlag{Name: "time-limit", Usage: "stop after `DURATION`"},
			&urfave.IntFlag{Name: "depth", Aliases: []string{"d"}, Value: 3, Usage: "how deep"},
			&urfave.BoolFlag{Name: "secret", Hidden: true},
		},
		Aliases: map[string][]string{"threads": {"j"}},
		Run:     do,
	}
}

// copyAll copies all inputs to the output.
func copyAll(env *cli.Env) error {
	for _, name := range env.Inputs() {
		in, err := env.Open(name)
		if err != nil {
			return err
		}
		out, err := env.Out()
		if err != nil {
			return err
		}
		if _, err := io.Copy(out, in); err != nil {
			return err
		}
		if err := in.Close(); err != nil {
			return err
		}
	}
	return nil
}

type result struct {
	code     int
	out, err string
}

func run(t *testing.T, cmd cli.Command, stdin string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), cmd, args, strings.NewReader(stdin), &out, &errs)
	return result{code, out.String(), errs.String()}
}

// seen is what a command line came to mean.
type seen struct {
	Args           []string
	Grid           string
	Set            []string
	Quiet, Verbose bool
	Threads, Depth int
}

func TestArguments(t *testing.T) {
	base := func(change func(*seen)) seen {
		s := seen{Args: []string{}, Set: nil, Threads: 1, Depth: 3}
		change(&s)
		return s
	}
	for _, c := range []struct {
		line string
		want seen
	}{
		{"", base(func(s *seen) {})},
		{"f.ndjson --quiet", base(func(s *seen) { s.Args = []string{"f.ndjson"}; s.Quiet = true })},
		{"a -q b -g 4x4 c", base(func(s *seen) { s.Args = []string{"a", "b", "c"}; s.Quiet = true; s.Grid = "4x4" })},
		{"-T4", base(func(s *seen) { s.Threads = 4 })},
		{"-T 4", base(func(s *seen) { s.Threads = 4 })},
		{"-T=4", base(func(s *seen) { s.Threads = 4 })},
		{"-qT4", base(func(s *seen) { s.Threads = 4; s.Quiet = true })},
		{"-qvT 4 x", base(func(s *seen) { s.Threads = 4; s.Quiet = true; s.Verbose = true; s.Args = []string{"x"} })},
		{"-j4", base(func(s *seen) { s.Threads = 4 })},
		{"--threads=4", base(func(s *seen) { s.Threads = 4 })},
		{"--threads 4", base(func(s *seen) { s.Threads = 4 })},
		{"-g4x4", base(func(s *seen) { s.Grid = "4x4" })},
		{"--grid=4x4", base(func(s *seen) { s.Grid = "4x4" })},
		{"--grid 4x4", base(func(s *seen) { s.Grid = "4x4" })},
		{"-g -q", base(func(s *seen) { s.Grid = "-q" })},
		{"-g a=b --grid=c=d", base(func(s *seen) { s.Grid = "c=d" })},
		{"-g4 --grid 5 -g=6", base(func(s *seen) { s.Grid = "6" })},
		{"-T2 -j 3 --threads=4", base(func(s *seen) { s.Threads = 4 })},
		{"-d-7", base(func(s *seen) { s.Depth = -7 })},
		{"-q --quiet=false", base(func(s *seen) {})},
		{"--set a,b -s c --set=d,e", base(func(s *seen) { s.Set = []string{"a,b", "c", "d,e"} })},
		{"-- -q --grid x", base(func(s *seen) { s.Args = []string{"-q", "--grid", "x"} })},
		{"a -- -- b", base(func(s *seen) { s.Args = []string{"a", "--", "b"} })},
		{"-", base(func(s *seen) { s.Args = []string{"-"} })},
		{"h", base(func(s *seen) { s.Args = []string{"h"} })},
		{"help", base(func(s *seen) { s.Args = []string{"help"} })},
		{"grid output", base(func(s *seen) { s.Args = []string{"grid", "output"} })},
		{"-z x", base(func(s *seen) { s.Args = []string{"x"} })},
	} {
		var got seen
		r := run(t, tool(func(env *cli.Env) error {
			threads := env.Threads()
			if !env.Flags.IsSet("threads") {
				threads = 1
			}
			got = seen{env.Args, env.Flags.String("grid"), env.Values("set"), env.Quiet(),
				env.Flags.Bool("verbose"), threads, env.Flags.Int("depth")}
			if d := cmp.Diff(env.Values("set"), env.Flags.StringSlice("set")); d != "" && len(env.Values("set")) > 0 {
				t.Errorf("%q: Values and StringSlice differ: %s", c.line, d)
			}
			return nil
		}), "", strings.Fields(c.line)...)
		if r != (result{}) {
			t.Errorf("%q: %+v", c.line, r)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: (-want +got)\n%s", c.line, d)
		}
	}
}

func TestThreadsDefault(t *testing.T) {
	for _, args := range [][]string{{}, {"-T0"}, {"--threads", "0"}} {
		run(t, tool(func(env *cli.Env) error {
			if env.Threads() < 1 {
				t.Errorf("%v: %d threads", args, env.Threads())
			}
			return nil
		}), "", args...)
	}
}

// Usage errors: one line on standard error, nothing on standard output, 2.
func TestUsageErrors(t *testing.T) {
	try := " Try 'tool --help'\n"
	for _, c := range []struct{ line, want string }{
		{"--grdi 4", `unknown option "--grdi"; did you mean "--grid"?`},
		{"--Quiet", `unknown option "--Quiet"; did you mean "--quiet"?`},
		{"--zzzzzzzz", `unknown option "--zzzzzzzz".`},
		{"--secre", `unknown option "--secre".`}, // the hidden one is not offered
		{"--cpuprofil", `unknown option "--cpuprofil".`},
		{"-threads 4", `unknown option "-t"; did you mean "--threads"?`},
		{"-X", `unknown option "-X".`},
		{"-qX", `unknown option "-X".`},
		{"--q", `unknown option "--q".`},
		{"x -é", `unknown option "-é".`},
		{"-m", `unknown option "-m"; it is an option of dvmsim, dvmsearch and dvmreport.`},
		{"--sweep=1", `unknown option "--sweep"; it is an option of dvmsearch.`},
		{"--grid", `option --grid needs a value.`},
		{"x -g", `option -g needs a value.`},
		{"-qg", `option -g needs a value.`},
		{"-T x", `option --threads: found "x", expected a whole number.`},
		{"-q -j 1.5", `option --threads: found "1.5", expected a whole number.`},
		{"-T-1", `option --threads: found -1, expected 0 to 1024.`},
		{"-T 100000", `option --threads: found 100000, expected 0 to 1024.`},
		{"--limit=fast", `option --limit: found "fast", expected a number.`},
		{"--time-limit 5", `option --time-limit: found "5", expected a duration such as "90s" or "1m30s".`},
		{"--quiet=maybe", `option --quiet: found "maybe", expected true or false.`},
		{"--zstd=0", `option --zstd: found "0", expected a level from 1 to 22.`},
		{"-z23", `option --zstd: found "23", expected a level from 1 to 22.`},
		{"--zstd=fast", `option --zstd: found "fast", expected a level from 1 to 22.`},
		{"--progress=yes", `option --progress: found "yes", expected auto, on or off.`},
		{"--output=", `option --output: found "", expected the name of a file.`},
	} {
		r := run(t, tool(func(*cli.Env) error { t.Errorf("%q runs", c.line); return nil }), "", strings.Fields(c.line)...)
		if want := (result{2, "", "tool: " + c.want + try}); r != want {
			t.Errorf("%q:\ngot  %+v\nwant %+v", c.line, r, want)
		}
	}
}

func TestRequiredAndEnvironment(t *testing.T) {
	cmd := func() cli.Command {
		c := tool(func(env *cli.Env) error {
			out, err := env.Out()
			if err == nil {
				_, err = out.WriteString(env.Flags.String("machine"))
			}
			return err
		})
		c.Flags = []urfave.Flag{&urfave.StringFlag{Name: "machine", Aliases: []string{"m"}, Required: true,
			EnvVars: []string{"DVM_TEST_MACHINE"}, Usage: "predict for `FILE`"}}
		return c
	}
	if r := run(t, cmd(), ""); r != (result{2, "", "tool: option --machine is required. Try 'tool --help'\n"}) {
		t.Errorf("missing: %+v", r)
	}
	if r := run(t, cmd(), "", "-mx"); r != (result{0, "x", ""}) {
		t.Errorf("given: %+v", r)
	}
	t.Setenv("DVM_TEST_MACHINE", "env.par")
	if r := run(t, cmd(), ""); r != (result{0, "env.par", ""}) {
		t.Errorf("in the environment: %+v", r)
	}
	if r := run(t, cmd(), "", "-mx"); r != (result{0, "x", ""}) {
		t.Errorf("both, the option wins: %+v", r)
	}
	t.Setenv("DVM_TEST_LIMIT", "soon")
	if r := run(t, tool(copyAll), ""); r.code != 2 || r.out != "" || !strings.Contains(r.err, "DVM_TEST_LIMIT") {
		t.Errorf("nonsense in the environment: %+v", r)
	}
}

func TestHelp(t *testing.T) {
	want := run(t, tool(copyAll), "", "--help")
	if want.code != 0 || want.err != "" {
		t.Fatalf("%+v", want)
	}
	golden := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(want.out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(text), want.out); d != "" {
		t.Errorf("(-golden +got; -update rewrites)\n%s", d)
	}
	for i, line := range strings.Split(want.out, "\n") {
		if len(line) > 79 || strings.TrimRight(line, " ") != line {
			t.Errorf("line %d is too long or ends in blanks: %q", i+1, line)
		}
	}
	for _, args := range [][]string{{"-h"}, {"-qh"}, {"x", "--help", "y"}, {"--help", "--bad"}, {"-T", "x", "-h"}} {
		if r := run(t, tool(copyAll), "", args...); r != want {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := run(t, tool(copyAll), "", "--bad", "--help"); r.code != 2 {
		t.Errorf("a mistake before --help: %+v", r)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"-V"}, {"-qV", "nofile"}} {
		r := run(t, tool(copyAll), "", args...)
		var version, goVersion, platform string
		var schema int
		n, err := fmt.Sscanf(r.out, "tool %s (schema %d, %s %s\n", &version, &schema, &goVersion, &platform)
		if n != 4 || err != nil || r.code != 0 || r.err != "" || schema != stream.SchemaVersion ||
			!strings.HasPrefix(goVersion, "go1.") || !strings.HasSuffix(platform, ")") || version != cli.Version() {
			t.Errorf("%v: %+v (%v)", args, r, err)
		}
	}
}

func TestCompletion(t *testing.T) {
	const ask = "--generate-bash-completion"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--t", ask}, "--time-limit\n--threads\n"},
		{[]string{"x", "-q", "--g", ask}, "--grid\n"},
		{[]string{"--sec", ask}, ""},
		{[]string{"f", ask}, ""},
		{[]string{ask}, ""},
	} {
		if r := run(t, tool(copyAll), "", c.args...); r != (result{0, c.want, ""}) && c.want != "" || r.code != 0 || r.err != "" {
			t.Errorf("%v: %+v, want %q", c.args, r, c.want)
		}
	}
	if r := run(t, tool(copyAll), "", "--", ask); r.code != 4 {
		t.Errorf("after -- it is an operand: %+v", r)
	}
}

func TestExitCodes(t *testing.T) {
	pos := diag.Pos{File: "f", Line: 3, Col: 7}
	bad := diag.New(pos, "c", "found %q", "x")
	_, notFound := os.Open(filepath.Join(t.TempDir(), "missing"))
	reads := &stream.IOError{Op: "read", Name: "f", Err: errors.New("trouble")}
	included := diag.New(pos, "c", "cannot include")
	included.Err = notFound
	var list diag.List
	list.Add(bad)
	list.Add(diag.Impossible(pos, "c", "too wide"))
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("no grid found"), 1},
		{context.Canceled, 1},
		{diag.Impossible(pos, "c", "too wide"), 1},
		{fmt.Errorf("simulate: %w", diag.Impossible(pos, "c", "too wide")), 1},
		{diag.ErrImpossible, 1},
		{urfave.Exit("x", 3), 1},
		{cli.Usagef("two machines"), 2},
		{fmt.Errorf("grid: %w", cli.Usagef("bad")), 2},
		{bad, 3},
		{fmt.Errorf("read: %w", bad), 3},
		{diag.Truncated(pos, "c", "cut"), 3},
		{fmt.Errorf("f: %w", diag.ErrTruncated), 3},
		{list.Err(), 3},
		{errors.Join(errors.New("x"), bad), 3},
		{errors.Join(reads, bad), 3},
		{notFound, 4},
		{fmt.Errorf("machine: %w", notFound), 4},
		{reads, 4},
		{included, 4},
		{syscall.ENOSPC, 4},
		{fmt.Errorf("x: %w", fs.ErrPermission), 4},
		{errors.Join(errors.New("x"), reads), 4},
		{errors.Join(bad, reads, cli.Usagef("x")), 2},
	} {
		if got := cli.ExitCode(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
		r := run(t, tool(func(*cli.Env) error { return c.err }), "")
		if r.code != c.want || r.out != "" || (r.err == "") != (c.err == nil) {
			t.Errorf("%v: %+v, want %d", c.err, r, c.want)
		}
	}
}

func TestMessages(t *testing.T) {
	pos := diag.Pos{File: "f.par", Line: 3, Col: 5}
	shown := diag.New(pos, "c", "found %q", "mv")
	shown.Source = "\tmvs\x1b mv"
	var list diag.List
	list.Add(shown)
	for range 25 {
		list.Add(diag.New(diag.Pos{File: "f.par", Line: 9}, "c", "again"))
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{diag.New(pos, "c", "found it"), "tool: f.par:3:5: found it\n"},
		{shown, "tool: f.par:3:5: found \"mv\"\n  \tmvs? mv\n  \t   ^\n"},
		{list.Err(), "tool: f.par:3:5: found \"mv\"\n  \tmvs? mv\n  \t   ^\n" +
			strings.Repeat("tool: f.par:9: again\n", 19) + "tool: and 6 more errors\n"},
		{errors.New("evil\x1b[2Jname\x9b \u202e \xff привет\ttab"), "tool: evil\\x1b[2Jname\\x9b \\xe2\\x80\\xae \\xff привет\ttab\n"},
		{cli.Usagef("two\nlines"), "tool: two\ntool: lines. Try 'tool --help'\n"},
	} {
		if r := run(t, tool(func(*cli.Env) error { return c.err }), ""); r.err != c.want {
			t.Errorf("got  %q\nwant %q", r.err, c.want)
		}
	}
}

func TestWarnAndReport(t *testing.T) {
	pos := diag.Pos{File: "f", Line: 1}
	work := func(env *cli.Env) error {
		out, err := env.Out()
		if err != nil {
			return err
		}
		env.Warn(errors.New("plain"))
		for range 21 {
			env.Warn(diag.Warn(pos, "c", "odd"))
		}
		env.Report(nil)
		for range 22 {
			env.Report(diag.New(pos, "c", "bad"))
		}
		_, err = out.WriteString("what could be saved")
		return err
	}
	bad := strings.Repeat("tool: f:1: bad\n", 20)
	r := run(t, tool(work), "")
	want := "tool: warning: plain\n" + strings.Repeat("tool: warning: f:1: odd\n", 19) + bad +
		"tool: and 2 more warnings\ntool: and 2 more errors\n"
	if r != (result{3, "what could be saved", want}) {
		t.Errorf("got %+v\nwant %q", r, want)
	}
	if r := run(t, tool(work), "", "-q"); r.err != bad+"tool: and 2 more errors\n" || r.code != 3 {
		t.Errorf("quiet: %+v", r)
	}
	path := filepath.Join(t.TempDir(), "out")
	if r := run(t, tool(work), "", "-q", "-o", path); r.code != 3 || readFile(t, path) != "what could be saved" {
		t.Errorf("reported errors do not undo the output: %+v", r)
	}
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	code := cli.Run(ctx, tool(func(env *cli.Env) error { return env.Ctx.Err() }), nil, strings.NewReader(""), io.Discard, &errs)
	if code != 1 || errs.String() != "tool: context canceled\n" {
		t.Errorf("%d %q", code, errs.String())
	}
}

func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	cpu, mem := filepath.Join(dir, "cpu"), filepath.Join(dir, "mem")
	if r := run(t, tool(copyAll), "x", "--cpuprofile", cpu, "--memprofile", mem); r != (result{0, "x", ""}) {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{cpu, mem} {
		if len(readFile(t, path)) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
	for _, o := range []string{"--cpuprofile", "--memprofile"} {
		if r := run(t, tool(copyAll), "", o, filepath.Join(dir, "no", "where")); r.code != 4 {
			t.Errorf("%s: %+v", o, r)
		}
	}
}

func TestDurationOption(t *testing.T) {
	run(t, tool(func(env *cli.Env) error {
		if d := env.Flags.Duration("time-limit"); d != 90*time.Second {
			t.Errorf("got %v", d)
		}
		return nil
	}), "", "--time-limit=1m30s")
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestGroup runs a program of several commands.
func TestGroup(t *testing.T) {
	one := tool(copyAll)
	one.Name, one.Usage = "copy", "copy the input"
	g := cli.Group{Name: "prog", Usage: "do things", Description: "All of it.", Commands: []cli.Command{one}, Examples: []cli.Example{{Line: "prog copy", Text: "a copy"}}}
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"copy"}, 0, "text", ""},
		{nil, 2, "", "prog: no command is given, expected one of copy. Try 'prog --help'\n"},
		{[]string{"cpoy"}, 2, "", "prog: found \"cpoy\", expected a command first: copy; did you mean \"copy\"? Try 'prog --help'\n"},
		{[]string{"-q", "copy"}, 2, "", "prog: found \"-q\", expected a command first: copy. Try 'prog --help'\n"},
		{[]string{"--help"}, 0, "  copy       copy the input\n", ""},
		{[]string{"copy", "--help"}, 0, "Usage: prog copy [OPTION...]", ""},
		{[]string{"copy", "--nothing"}, 2, "", "Try 'prog copy --help'"},
		{[]string{"--version"}, 0, "prog ", ""},
		{[]string{"copy", "--version"}, 0, "prog ", ""},
		{[]string{"--generate-bash-completion"}, 0, "copy\n", ""},
	} {
		var out, errs bytes.Buffer
		code := cli.RunGroup(t.Context(), g, c.args, strings.NewReader("text"), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.stdout) || !strings.Contains(errs.String(), c.stderr) || c.stderr == "" && errs.Len() > 0 {
			t.Errorf("%q: exit code %d, %q, %q", c.args, code, out.String(), errs.String())
		}
	}
}
