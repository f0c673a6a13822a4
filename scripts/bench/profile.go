package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// profileRuns is how often each command runs: one run is too short for the
// profiler's hundred samples a second.
const profileRuns = 25

// profiles returns what commands spend their time on, as Markdown: samples
// count for the innermost function of the project on the stack.
func profiles(dir string, lines []string, resolve func(string) []string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("\n| process | share of its processor time |\n| --- | --- |\n")
	for n, line := range lines {
		args := []string{"tool", "pprof", "-traces"}
		for i := range profileRuns {
			profile := filepath.Join(dir, fmt.Sprintf("%d-%d.profile", n, i))
			if _, _, err := timed(dir, append(resolve(line), "--cpuprofile", profile)); err != nil {
				return nil, err
			}
			args = append(args, profile)
		}
		text, err := exec.Command("go", args...).Output()
		if err != nil {
			return nil, fmt.Errorf("go tool pprof: %w", err)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", line, shares(string(text)))
	}
	return b.Bytes(), nil
}

// shares sums up the stacks that pprof -traces prints, as "reading 40 %, ...";
// shares below 2 % become "rest".
func shares(traces string) string {
	byPart := map[string]time.Duration{}
	var total, spent time.Duration
	var stack []string
	flush := func() {
		if len(stack) > 0 {
			byPart[partOf(stack)] += spent
			total += spent
		}
		stack = nil
	}
	for line := range strings.Lines(traces) {
		if strings.HasPrefix(line, "-----------+") {
			flush()
			continue
		}
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if d, err := time.ParseDuration(f[0]); err == nil && len(f) > 1 && len(stack) == 0 {
			spent, stack = d, []string{f[1]}
		} else if len(stack) > 0 {
			stack = append(stack, f[0])
		}
	}
	flush()
	parts := make([]string, 0, len(byPart))
	for p := range byPart {
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b string) int {
		return cmp.Or(cmp.Compare(byPart[b], byPart[a]), strings.Compare(a, b))
	})
	var out []string
	rest := 100
	for _, p := range parts {
		percent := int(100 * float64(byPart[p]) / float64(total))
		if percent < 2 {
			break
		}
		rest -= percent
		out = append(out, p+" "+strconv.Itoa(percent)+" %")
	}
	if rest > 0 {
		out = append(out, "rest "+strconv.Itoa(rest)+" %")
	}
	return strings.Join(out, ", ")
}

// partOf returns the name of the work that a stack belongs to; the innermost
// function comes first.
func partOf(stack []string) string {
	for _, f := range stack {
		switch {
		case strings.HasPrefix(f, "runtime.gcBgMarkWorker"), strings.HasPrefix(f, "runtime.gcAssistAlloc"), strings.HasPrefix(f, "runtime.bgsweep"), strings.HasPrefix(f, "runtime.bgscavenge"):
			return "garbage collection"
		case strings.HasPrefix(f, "internal/runtime/syscall."), strings.HasPrefix(f, "syscall."):
			return "system calls"
		case strings.HasPrefix(f, "github.com/klauspost/compress/"):
			return "compression"
		case strings.HasPrefix(f, "dvmtools/"):
			path := strings.TrimPrefix(f, "dvmtools/")
			slash := strings.LastIndexByte(path, '/')
			dot := strings.IndexByte(path[slash+1:], '.')
			return "`" + path[:slash+1+max(dot, 0)] + "`"
		}
	}
	if strings.HasPrefix(stack[len(stack)-1], "runtime.mcall") || strings.HasPrefix(stack[len(stack)-1], "runtime.mstart") {
		return "waiting for other goroutines"
	}
	return "start of the process"
}
