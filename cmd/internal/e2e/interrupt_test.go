//go:build unix

package e2e_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// watched is the standard error of a process. It calls act once, when what was
// written contains text.
type watched struct {
	mu   sync.Mutex
	all  bytes.Buffer
	text string
	act  func()
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(b)
	if w.act != nil && bytes.Contains(w.all.Bytes(), []byte(w.text)) {
		w.act()
		w.act = nil
	}
	return len(b), nil
}

// A search shows the grids done, the best so far and the time left, and SIGINT
// ends it with what it has: a whole stream whose end says that it is partial. The
// search would take minutes.
func TestSearchInterrupted(t *testing.T) {
	// The search must begin with the default action of SIGINT, also where the test was
	// started with it ignored, as by a shell in the background.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGINT)
	defer signal.Stop(heard)
	path := filepath.Join(t.TempDir(), "out")
	for _, file := range []bool{false, true} {
		c := exec.CommandContext(t.Context(), filepath.Join(bin, "dvmsearch"), "-m", filepath.Join(root, "testdata/machines/cluster.par"),
			"--mode=3", "--progress=on", filepath.Join(root, "testdata/traces/sizes/jac_1200.ptr.zst"))
		if file {
			c.Args = append(c.Args, "-o", path)
		}
		c.Env = environment()
		var out bytes.Buffer
		c.Stdout = &out
		errs := &watched{text: ", best grid ", act: func() {
			if err := c.Process.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
		}}
		c.Stderr = errs
		err := c.Run()
		if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 {
			t.Errorf("ended with %v, want exit code 1", err)
		}
		text := out.String()
		if file {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if end := lines[len(lines)-1]; !strings.HasPrefix(end, `{"record":"end",`) || !strings.HasSuffix(end, `"partial":true}`) {
			t.Errorf("the last record is %s", end)
		}
		if !strings.Contains(text, `{"record":"best",`) || !strings.Contains(text, `{"record":"pareto",`) {
			t.Error("no best grid, or no front, of those that were tried")
		}
		shown := errs.all.String()
		if !regexp.MustCompile(`\d+ of \d+, best grid \d+x\d+: [0-9.]+ \S+, \d+:\d\d(:\d\d)? left`).MatchString(shown) || !strings.Contains(shown, "dvmsearch: interrupted: the search was ended before it was done") {
			t.Errorf("shown: %q", shown)
		}
	}
}
