package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dvmtools/cmd/internal/cli"
)

// terminal returns both ends of a pseudo terminal.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

// shown closes the terminal and returns what was written to it.
func shown(screen, tty *os.File) string {
	tty.Close()
	b, _ := io.ReadAll(screen) // ends with EIO, as terminals do
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

func TestTerminalAsInput(t *testing.T) {
	_, tty := terminal(t)
	for _, args := range [][]string{{}, {"-"}} {
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), tool(copyAll), args, tty, &out, &errs)
		if code != 2 || out.Len() > 0 || !strings.HasPrefix(errs.String(), "tool: no input: standard input is a terminal") {
			t.Errorf("%v: %d %q", args, code, errs.String())
		}
	}
	var out, errs bytes.Buffer
	if code := cli.Run(t.Context(), tool(copyAll), []string{os.DevNull}, tty, &out, &errs); code != 0 {
		t.Errorf("a named file: %d %q", code, errs.String())
	}
}

func TestTerminalAsOutput(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
	}{
		{nil, 0}, {[]string{"-z"}, 2}, {[]string{"-z", "-o", "-"}, 0}, {[]string{"-z", "-o", os.DevNull}, 0},
	} {
		screen, tty := terminal(t)
		var errs bytes.Buffer
		code := cli.Run(t.Context(), tool(copyAll), c.args, strings.NewReader("text"), tty, &errs)
		if code != c.code || code == 2 && !strings.Contains(errs.String(), "not for a terminal") {
			t.Errorf("%v: %d %q", c.args, code, errs.String())
		}
		if got := shown(screen, tty); code == 2 && got != "" || c.args == nil && got != "text" {
			t.Errorf("%v: the screen shows %q", c.args, got)
		}
	}
}

// Progress: on terminals when work takes long, or when asked for; never with
// -q; erased at the end.
func TestTerminalProgress(t *testing.T) {
	work := func(args ...string) (code int, screenText string) {
		screen, tty := terminal(t)
		code = cli.Run(t.Context(), tool(copyAll), args, strings.NewReader("text"), io.Discard, tty)
		return code, shown(screen, tty)
	}
	t.Setenv("TERM", "xterm")
	if code, text := work("--progress=on"); code != 0 || !strings.Contains(text, "tool: 4 B") || !strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("asked for: %d %q", code, text)
	}
	for _, args := range [][]string{{"--progress=on", "-q"}, {"--progress=off"}} {
		if code, text := work(args...); code != 0 || text != "" {
			t.Errorf("%v: %d %q", args, code, text)
		}
	}
	var errs bytes.Buffer
	if code := cli.Run(t.Context(), tool(copyAll), []string{"--progress", "on"}, strings.NewReader("text"), io.Discard, &errs); code != 0 ||
		!strings.Contains(errs.String(), "tool: 4 B") {
		t.Errorf("not a terminal, asked for: %d %q", code, errs.String())
	}
}
