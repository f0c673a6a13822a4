package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/stream"
)

const zstdMagic = "\x28\xb5\x2f\xfd"

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// expand undoes compression.
func expand(t *testing.T, data string) string {
	t.Helper()
	r, err := stream.NewReader(strings.NewReader(data), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var n []string
	for _, e := range list {
		n = append(n, e.Name())
	}
	return n
}

func TestInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a", "from a\n")
	writeFile(t, "h", "from h\n")
	writeFile(t, "-q", "from -q\n")
	for _, c := range []struct{ line, want string }{
		{"", "from stdin\n"},
		{"-", "from stdin\n"},
		{"a - h", "from a\nfrom stdin\nfrom h\n"},
		{"h", "from h\n"},
		{"-- -q", "from -q\n"},
	} {
		if r := run(t, tool(copyAll), "from stdin\n", strings.Fields(c.line)...); r != (result{0, c.want, ""}) {
			t.Errorf("%q: %+v", c.line, r)
		}
	}
	for _, c := range []struct {
		line, want string
		code       int
	}{
		{"a missing", "tool: open missing: no such file or directory\n", 4},
		{".", "tool: read .: is a directory\n", 4},
		{"- -", "tool: standard input can be read only once. Try 'tool --help'\n", 2},
	} {
		if r := run(t, tool(copyAll), "", strings.Fields(c.line)...); r.err != c.want || r.code != c.code {
			t.Errorf("%q: %+v, want %q", c.line, r, c.want)
		}
	}
}

func TestInputNames(t *testing.T) {
	run(t, tool(func(env *cli.Env) error {
		in, err := env.Open("-")
		if err != nil {
			return err
		}
		if in.Name() != "<stdin>" {
			t.Errorf("standard input is called %q", in.Name())
		}
		if c, err := in.Sniff(); err != nil || c.Record != "trace" {
			t.Errorf("%+v, %v", c, err)
		}
		return nil
	}), `{"record":"trace"}`)
}

func TestDamagedInput(t *testing.T) {
	var z bytes.Buffer
	w, err := stream.NewWriter(&z, stream.WriterOptions{Zstd: true})
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("complete line\n")
	w.Flush()
	w.WriteString(strings.Repeat("another line\n", 1000))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cut := z.String()[:z.Len()-5]
	r := run(t, tool(copyAll), cut)
	if r.code != 3 || !strings.HasPrefix(r.err, "tool: <stdin>: zstd data end inside a frame") || !strings.HasPrefix(r.out, "complete line\n") {
		t.Errorf("cut: %+v", r)
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for _, text := range []string{"first", "second"} {
		if r := run(t, tool(copyAll), text, "-o", path); r != (result{}) || readFile(t, path) != text {
			t.Errorf("%+v", r)
		}
	}
	if r := run(t, tool(copyAll), "to stdout", "-o-"); r != (result{0, "to stdout", ""}) {
		t.Errorf("-o -: %+v", r)
	}
	if n := names(t, dir); len(n) != 1 {
		t.Errorf("the directory holds %v", n)
	}
	if r := run(t, tool(copyAll), "x", "-o", filepath.Join(dir, "no", "where")); r.code != 4 || !strings.HasPrefix(r.err, "tool: create ") {
		t.Errorf("directory missing: %+v", r)
	}
	if r := run(t, tool(copyAll), "x", "-o", dir); r.code != 4 {
		t.Errorf("a directory: %+v", r)
	}
}

// A failure leaves files alone but not what went to standard output.
func TestFailureAfterOutput(t *testing.T) {
	fail := func(env *cli.Env) error {
		out, err := env.Out()
		if err != nil {
			return err
		}
		if _, err := out.WriteString("complete record\n"); err != nil {
			return err
		}
		return diag.Truncated(diag.Pos{File: "f", Line: 2}, "c", "cut")
	}
	want := result{3, "complete record\n", "tool: f:2: cut\n"}
	if r := run(t, tool(fail), ""); r != want {
		t.Errorf("%+v", r)
	}
	r := run(t, tool(fail), "", "-z")
	if r.out = expand(t, r.out); r != want {
		t.Errorf("compressed: %+v", r)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	want.out = ""
	if r := run(t, tool(fail), "", "-o", path); r != want || len(names(t, dir)) != 0 {
		t.Errorf("new file: %+v, %v", r, names(t, dir))
	}
	writeFile(t, path, "old")
	if r := run(t, tool(fail), "", "-o", path); r != want || readFile(t, path) != "old" || len(names(t, dir)) != 1 {
		t.Errorf("old file: %+v, %v", r, names(t, dir))
	}
	panics := func() (r any) {
		defer func() { r = recover() }()
		run(t, tool(func(env *cli.Env) error { env.Out(); panic("tool: internal error: x") }), "", "-o", path)
		return nil
	}()
	if panics == nil || readFile(t, path) != "old" || len(names(t, dir)) != 1 {
		t.Errorf("panic: %v, %v", panics, names(t, dir))
	}
}

func TestZstdOutput(t *testing.T) {
	text := strings.Repeat("some text that repeats\n", 5000)
	var fastest, best int
	for _, c := range []struct {
		line string
		zstd bool
	}{
		{"", false}, {"-z", true}, {"--zstd", true}, {"-z -o -", true}, {"-qz", true}, {"-z1", true},
		{"--zstd=19", true}, {"-z19", true}, {"-z19q", true}, {"-z=19", true}, {"-zo-", true},
	} {
		r := run(t, tool(copyAll), text, strings.Fields(c.line)...)
		if r.code != 0 || r.err != "" || expand(t, r.out) != text || strings.HasPrefix(r.out, zstdMagic) != c.zstd {
			t.Errorf("%q: %d, %q, %d bytes", c.line, r.code, r.err, len(r.out))
		}
		switch c.line {
		case "-z":
			fastest = len(r.out)
		case "-z19":
			best = len(r.out)
		}
	}
	if fastest <= best {
		t.Errorf("level 19 gives %d bytes, the fastest %d", best, fastest)
	}
	path := filepath.Join(t.TempDir(), "out.zst")
	if r := run(t, tool(copyAll), text, "-o", path); r != (result{}) || !strings.HasPrefix(readFile(t, path), zstdMagic) {
		t.Errorf("a file that ends in .zst is not compressed: %+v", r)
	}
	if r := run(t, tool(copyAll), "", path); r != (result{0, text, ""}) {
		t.Errorf("compressed input: %d, %q, %d bytes", r.code, r.err, len(r.out))
	}
}

func TestSameFile(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f", "text")
	if err := os.Symlink("f", "link"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"f", "-of"}, {"./f", "-o", "link"}, {"link", "-of"}} {
		r := run(t, tool(copyAll), "", args...)
		if r.code != 2 || r.out != "" || !strings.Contains(r.err, "are the same file") || readFile(t, "f") != "text" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	f, err := os.OpenFile("f", os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var errs bytes.Buffer
	if code := cli.Run(t.Context(), tool(copyAll), []string{"f"}, nil, f, &errs); code != 2 {
		t.Errorf("appending to the input: %d %q", code, errs.String())
	}
	errs.Reset()
	if code := cli.Run(t.Context(), tool(copyAll), nil, f, f, &errs); code != 2 {
		t.Errorf("both redirected: %d %q", code, errs.String())
	}
	if r := run(t, tool(copyAll), "", os.DevNull, "-o", os.DevNull); r != (result{}) {
		t.Errorf("the null device is no file: %+v", r)
	}
}

func TestFurtherOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "in", "text")
	both := func(fail error) func(env *cli.Env) error {
		return func(env *cli.Env) error {
			if _, err := env.Open("in"); err != nil {
				return err
			}
			out, err := env.Out()
			if err != nil {
				return err
			}
			more, err := env.Create(env.Args[0])
			if err != nil {
				return err
			}
			out.WriteString("out")
			more.WriteString("more")
			return fail
		}
	}
	if r := run(t, tool(both(errors.New("no"))), "", "-omain", "more"); r.code != 1 || len(names(t, ".")) != 1 {
		t.Errorf("%+v, %v", r, names(t, "."))
	}
	if r := run(t, tool(both(nil)), "", "-omain", "more"); r != (result{}) || readFile(t, "main") != "out" || readFile(t, "more") != "more" {
		t.Errorf("%+v", r)
	}
	if r := run(t, tool(both(nil)), "", "in"); r.code != 2 || readFile(t, "in") != "text" {
		t.Errorf("an input as a further output: %+v", r)
	}
	if got := names(t, "."); !slices.Equal(got, []string{"in", "main", "more"}) {
		t.Errorf("the directory holds %v", got)
	}
}

// A full disk is an error, whatever is written and wherever.
func TestFullDevice(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	const reason = "no space left on device\n"
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, args := range [][]string{{}, {"-z"}, {"--help"}, {"--version"}} {
		for _, text := range []string{"short", strings.Repeat("long enough to be written at once\n", 10_000)} {
			var errs bytes.Buffer
			code := cli.Run(t.Context(), tool(copyAll), args, strings.NewReader(text), f, &errs)
			if code != 4 || errs.String() != "tool: write <stdout>: "+reason {
				t.Errorf("%v: %d %q", args, code, errs.String())
			}
		}
	}
	if r := run(t, tool(copyAll), "x", "-o", "/dev/full"); r != (result{4, "", "tool: write /dev/full: " + reason}) {
		t.Errorf("%+v", r)
	}
}
