//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dvmtools/cmd/internal/cli"
)

// The test binary is also the tool, for what only a process can show.
const asTool = "DVM_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	switch os.Getenv(asTool) {
	case "":
		os.Exit(m.Run())
	case "copy":
		cli.Main(tool(copyAll))
	case "endless":
		cli.Main(tool(func(env *cli.Env) error {
			out, err := env.Out()
			for err == nil {
				_, err = out.WriteString("a line\n")
			}
			return err
		}))
	case "interruptible":
		cli.Main(tool(interruptible))
	}
}

// interruptible waits until it is interrupted and writes that; for the operand
// "on" it then goes on until it is killed.
func interruptible(env *cli.Env) error {
	out, err := env.Out()
	if err != nil {
		return err
	}
	ctx, done := env.Interruptible()
	os.Stderr.WriteString("ready\n")
	<-ctx.Done()
	if len(env.Args) > 0 {
		os.Stderr.WriteString("still here\n")
		select {}
	}
	if done() {
		env.Report(errors.New("interrupted"))
	}
	_, err = out.WriteString("what there is\n")
	return err
}

// notIgnored lets processes that the test starts begin with the default action of
// sig, also where the test itself was started with it ignored, as by a shell in the
// background.
func notIgnored(t *testing.T, sig os.Signal) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, sig)
	t.Cleanup(func() { signal.Stop(heard) })
}

// Work that can be interrupted ends with what it has at the first SIGINT, and its
// output is kept, though the exit code is 1. The second one ends the process.
func TestProcessInterrupted(t *testing.T) {
	notIgnored(t, syscall.SIGINT)
	path := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{{}, {"-o", path}, {"on"}} {
		c := process(t, "interruptible", args...)
		var out bytes.Buffer
		c.Stdout = &out
		errs, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(errs)
		for _, want := range []string{"ready\n", "still here\n"} {
			if len(args) != 1 && want != "ready\n" {
				break
			}
			if line, err := lines.ReadString('\n'); line != want {
				t.Fatalf("%q: found %q, %v", args, line, err)
			}
			if err := c.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
		rest, _ := io.ReadAll(lines)
		st := endedBy(t, c.Wait())
		if len(args) == 1 {
			if !st.Signaled() || st.Signal() != syscall.SIGINT || out.Len() > 0 {
				t.Errorf("the second signal: ended with %v, wrote %q", st, out.String())
			}
			continue
		}
		if len(args) == 2 {
			out.WriteString(readFile(t, path))
		}
		if st.ExitStatus() != 1 || out.String() != "what there is\n" || string(rest) != "tool: interrupted\n" {
			t.Errorf("%q: ended with %v, wrote %q, said %q", args, st, out.String(), rest)
		}
	}
}

func process(t *testing.T, kind string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe, args...)
	c.Env = append(os.Environ(), asTool+"="+kind, "TERM=xterm", "GORACE=atexit_sleep_ms=10")
	return c
}

func endedBy(t *testing.T, err error) syscall.WaitStatus {
	t.Helper()
	e, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatalf("the process ended with %v", err)
	}
	return e.Sys().(syscall.WaitStatus)
}

func TestProcessExitCode(t *testing.T) {
	c := process(t, "copy", "--bad")
	if st := endedBy(t, c.Run()); st.ExitStatus() != 2 {
		t.Errorf("exit status %d, want 2", st.ExitStatus())
	}
	c = process(t, "copy", "-qz", "-o-")
	c.Stdin = strings.NewReader("text")
	if out, err := c.Output(); err != nil || expand(t, string(out)) != "text" {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// A closed pipe ends the process by SIGPIPE without a word.
func TestProcessBrokenPipe(t *testing.T) {
	var errs bytes.Buffer
	c := process(t, "endless")
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if st := endedBy(t, c.Wait()); !st.Signaled() || st.Signal() != syscall.SIGPIPE || errs.Len() > 0 {
		t.Errorf("ended with %v and %q, want SIGPIPE in silence", st, errs.String())
	}
}

// A signal removes the temporary file and then ends the process; without -o
// nothing catches it.
func TestProcessSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		notIgnored(t, sig)
		for _, file := range []bool{true, false} {
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			writeFile(t, path, "old")
			c := process(t, "copy")
			if file {
				c.Args = append(c.Args, "-o", path)
			}
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			// More than buffers hold: when all of it is taken, it works.
			if _, err := in.Write(bytes.Repeat([]byte("text\n"), 200_000)); file && err != nil {
				t.Fatal(err)
			}
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			st := endedBy(t, c.Wait())
			if !st.Signaled() || st.Signal() != sig {
				t.Errorf("%v, -o %v: ended with %v", sig, file, st)
			}
			if n := names(t, dir); len(n) != 1 || readFile(t, path) != "old" {
				t.Errorf("%v, -o %v: the directory holds %v", sig, file, n)
			}
		}
	}
}
