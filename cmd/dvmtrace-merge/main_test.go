package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dvmtools/cmd/internal/cli"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/stream"
)

// text returns the content of a file, with compression undone.
func text(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := stream.NewReader(f, path)
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

// execute runs the program.
func execute(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, talk bytes.Buffer
	code = cli.Run(context.Background(), command(), args, strings.NewReader(stdin), &out, &talk)
	return code, out.String(), talk.String()
}

// place goes to a directory with the traces of a run of two processes, jac,
// of one of four, f09, the first compressed and the second not, a cut copy of
// one process of the first, and a single trace.
func place(t *testing.T) {
	t.Helper()
	all := filepath.Join(testtraces.Dir(t), "traces")
	t.Chdir(t.TempDir())
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("cut", 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"jac0_0.ptr", "jac1_1.ptr"} {
		packed, err := os.ReadFile(filepath.Join(all, "compute/jac_p2", name+".zst"))
		if err != nil {
			t.Fatal(err)
		}
		write(name+".zst", string(packed))
		plain := text(t, name+".zst")
		if i == 1 {
			plain = plain[:30000]
		}
		write("cut/"+name, plain)
	}
	for _, name := range []string{"f09_tasks0_0.ptr", "f09_tasks1_1.ptr", "f09_tasks2_2.ptr", "f09_tasks3_3.ptr"} {
		write(name, text(t, filepath.Join(all, "parallel/f09_tasks_p2x2", name+".zst")))
	}
	write("one.ptr", text(t, filepath.Join(all, "single/f09_tasks.ptr.zst")))
	write("f09_tasks", "a program")
}

// TestOperands: the ways to name the traces of a run lead to one result.
func TestOperands(t *testing.T) {
	place(t)
	code, jac, talk := execute("", "jac")
	if code != 0 || talk != "" || strings.Count(jac, "Event_dvm_exit") != 1 {
		t.Fatalf("exit code %d, %q", code, talk)
	}
	code, f09, talk := execute("", "f09_tasks")
	if code != 0 || talk != "" {
		t.Fatalf("exit code %d, %q", code, talk)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"jac1_1.ptr.zst", "jac0_0.ptr.zst"}, jac},
		{[]string{"jac@"}, jac},
		{[]string{"--call-times", "mean", "./@c@_@.ptr"}, jac},
		{[]string{"f09_tasks@", "-T", "1"}, f09},
		{[]string{"f09_tasks3_3.ptr", "f09_tasks1_1.ptr", "f09_tasks2_2.ptr", "f09_tasks0_0.ptr"}, f09},
	} {
		code, out, talk := execute("", c.args...)
		if code != 0 || talk != "" || out != c.want {
			t.Errorf("%v: exit code %d, %q, %d bytes; want 0, silence and %d bytes", c.args, code, talk, len(out), len(c.want))
		}
	}
	if err := os.WriteFile("jac.ptr", []byte(jac), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, again, _ := execute("", "jac"); again != jac {
		t.Error("a merged trace is changed by merging it")
	}
}

// TestOneTrace: one trace passes through, compressed or not, from a file or
// from standard input.
func TestOneTrace(t *testing.T) {
	place(t)
	one := text(t, "one.ptr")
	packed, err := os.ReadFile("one.ptr")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stdin string
		args  []string
	}{
		{"", []string{"one"}},
		{"", []string{"one.ptr"}},
		{"", []string{"o@"}},
		{string(packed), nil},
		{one, []string{"-"}},
	} {
		if code, out, talk := execute(c.stdin, c.args...); code != 0 || talk != "" || out != one {
			t.Errorf("%v: exit code %d, %q, %d bytes; want 0, silence and %d bytes", c.args, code, talk, len(out), len(one))
		}
	}
}

// TestCallTimes: sums differ from means.
func TestCallTimes(t *testing.T) {
	place(t)
	_, mean, _ := execute("", "jac")
	code, sum, talk := execute("", "jac", "--call-times=sum")
	if code != 0 || talk != "" || sum == mean || strings.Count(sum, "\n") != strings.Count(mean, "\n") {
		t.Errorf("exit code %d, %q; %d lines, want as many as %d but other ones", code, talk, strings.Count(sum, "\n"), strings.Count(mean, "\n"))
	}
}

// TestOutput: -o and -z; a failed run leaves a file as it was.
func TestOutput(t *testing.T) {
	place(t)
	_, want, _ := execute("", "jac")
	if code, out, talk := execute("", "-o", "out.ptr.zst", "jac"); code != 0 || out != "" || talk != "" {
		t.Errorf("exit code %d, %q, %q", code, out, talk)
	}
	if got := text(t, "out.ptr.zst"); got != want {
		t.Error("the file of -o holds something else than standard output")
	}
	if code, _, _ := execute("", "-o", "out.ptr.zst", "cut/jac"); code != 3 {
		t.Errorf("exit code %d for a cut trace, want 3", code)
	}
	if got := text(t, "out.ptr.zst"); got != want {
		t.Error("a failed run changes the file of -o")
	}
}

// TestFailures: exit codes and messages.
func TestFailures(t *testing.T) {
	place(t)
	for _, c := range []struct {
		args []string
		code int
		talk string
	}{
		{[]string{"sor"}, 4, "sor: no trace found"},
		{[]string{"sor@"}, 4, "sor@: no trace found"},
		{[]string{"jac0_0.ptr.zst", "jac2_2.ptr.zst"}, 4, "jac2_2.ptr.zst"},
		{[]string{"none/jac@"}, 4, "none"},
		{[]string{"jac0_0.ptr.zst"}, 3, "jac0_0.ptr.zst:1: 1 trace is given, but the header says that there were 2 processes"},
		{[]string{"jac0_0.ptr.zst", "f09_tasks1_1.ptr"}, 3, "f09_tasks1_1.ptr:1: the header says ProcCount 4, but that of jac0_0.ptr.zst says 2"},
		{[]string{"jac0_0.ptr.zst", "./jac0_0.ptr.zst"}, 3, "./jac0_0.ptr.zst: this is the same file as jac0_0.ptr.zst"},
		{[]string{"jac0_0.ptr.zst", "cut/jac0_0.ptr"}, 3, "cut/jac0_0.ptr: this is the trace of process 0, and so is jac0_0.ptr.zst"},
		{[]string{"cut/jac"}, 3, "cut/jac1_1.ptr:611: the trace ends inside or right behind endpl_, before Event_dvm_exit"},
		{[]string{"cut"}, 3, `cut: this is a directory, expected the name of traces; all of its traces are "cut/@"`},
		{[]string{"f09_tasks", "jac"}, 4, "jac"},
		{[]string{"--call-times=max", "jac"}, 2, `option --call-times: found "max", expected mean, sum or own`},
	} {
		code, _, talk := execute("", c.args...)
		if want := "dvmtrace-merge: "; code != c.code || !strings.HasPrefix(talk, want) || !strings.Contains(talk, c.talk) || strings.Count(talk, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q; want %d and one line with %q", c.args, code, talk, c.code, c.talk)
		}
	}
	// A missing process is named.
	if err := os.Remove("f09_tasks2_2.ptr"); err != nil {
		t.Fatal(err)
	}
	if code, out, talk := execute("", "f09_tasks"); code != 4 || out != "" || !strings.Contains(talk, "f09_tasks2_2.ptr: no such file") {
		t.Errorf("exit code %d, %d bytes, %q", code, len(out), talk)
	}
}

// TestTooManyFiles: the limit of open files is named, and the exit code is that
// of inputs that cannot be opened.
func TestTooManyFiles(t *testing.T) {
	err := tooMany("jac7_7.ptr", &os.PathError{Op: "open", Path: "jac7_7.ptr", Err: syscall.EMFILE})
	for _, want := range []string{"jac7_7.ptr: ", "open files", "ulimit -n"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if code := cli.ExitCode(err); code != cli.ExitIO {
		t.Errorf("exit code %d, want %d", code, cli.ExitIO)
	}
	other := &os.PathError{Op: "open", Path: "jac7_7.ptr", Err: syscall.ENOENT}
	if err := tooMany("jac7_7.ptr", other); err != error(other) {
		t.Errorf("another error became %v", err)
	}
}

// TestThousandTraces: a run of a thousand processes that do the same, every
// tenth of them compressed, is the trace of one of them but for times.
func TestThousandTraces(t *testing.T) {
	const n = 1000
	plain := string(testtraces.Text(t, "parallel/f02_heat3d_p2x2x1/f02_heat3d0_0.ptr.zst"))
	plain = strings.ReplaceAll(plain, "ProcCount=4", fmt.Sprint("ProcCount=", n))
	plain = strings.ReplaceAll(plain, "PSSize= 2 2 1", fmt.Sprintf("PSSize= %d 1 1", n))
	const first = "CentralProc=0  IOProc=0\nret_dvm_Init"
	if !strings.Contains(plain, first) {
		t.Fatal("the trace does not name its process before ret_dvm_Init")
	}
	t.Chdir(t.TempDir())
	for i := range n {
		name := fmt.Sprintf("heat%d_%d.ptr", i, i)
		content := strings.Replace(plain, first, fmt.Sprintf("CentralProc=%d  IOProc=%[1]d\nret_dvm_Init", i), 1)
		if i%10 == 3 {
			name += ".zst"
			var packed strings.Builder
			z, err := stream.NewWriter(&packed, stream.WriterOptions{Zstd: true, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := z.WriteString(content); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			content = packed.String()
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, talk := execute("", "heat")
	if code != cli.ExitDone || talk != "" {
		t.Fatalf("exit code %d, said %q", code, talk)
	}
	if got, want := eventNames(out), eventNames(plain); got != want {
		t.Errorf("events (%d bytes) are not those of one process (%d bytes)", len(got), len(want))
	}
}

// eventNames returns the first words of the event lines of a trace.
func eventNames(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(name, "call_") || strings.HasPrefix(name, "ret_") || strings.HasPrefix(name, "Event_") {
			b.WriteString(name + "\n")
		}
	}
	return b.String()
}
