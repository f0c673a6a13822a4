//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// memory measures the memory of the commands on traces of size bytes in all,
// which are made while they are read, and of merging many small traces.
func memory(size int64) ([]used, error) {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir, "./cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	machine, err := filepath.Abs("testdata/machines/bus4.par")
	if err != nil {
		return nil, err
	}
	runs, err := programs()
	if err != nil {
		return nil, err
	}
	small := "ulimit -n 128"
	rows, err := many(dir, runs[0], 50_000, 100, stage{"`dvmtrace-merge` of 1000 traces, `" + small + "`", []string{small + " && exec"}})
	if err != nil {
		return nil, err
	}
	larger, err := many(dir, runs[0], min(size/thousand, 2_500_000), 200,
		stage{"`dvmtrace-merge` of 1000 traces", []string{"exec"}},
		stage{"`dvmtrace-merge --call-times own` of 1000 traces", []string{"exec", "--call-times", "own"}})
	rows = append(rows, larger...)
	if err != nil {
		return rows, err
	}
	simulate := []stage{
		{"`dvmtrace-parse` behind it", []string{filepath.Join(dir, "dvmtrace-parse")}},
		{"`dvmsim -g 2x2x1` behind that", []string{filepath.Join(dir, "dvmsim"), "-q", "-m", machine, "-g", "2x2x1"}},
	}
	for _, way := range []struct {
		options []string
		behind  []stage
	}{{nil, simulate}, {[]string{"--call-times", "own"}, simulate}, {[]string{"--measured"}, nil}} {
		l, err := long(dir, runs, size, way.options, way.behind)
		rows = append(rows, l...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// thousand is how many small traces are merged.
const thousand = 1000

// many merges a thousand traces of so many bytes each in several ways, each below
// the limit in MB. The first argument of a stage goes before the command, the
// others behind it.
func many(dir string, p program, each int64, limit float64, ways ...stage) ([]used, error) {
	traces := filepath.Join(dir, "many")
	if err := os.Mkdir(traces, 0o777); err != nil {
		return nil, err
	}
	size, err := manyTraces(p, traces, thousand, each)
	if err != nil {
		return nil, err
	}
	var rows []used
	for _, w := range ways {
		line := append([]string{w.args[0], filepath.Join(dir, "dvmtrace-merge")}, w.args[1:]...)
		line = append(line, filepath.Join(traces, "heat"))
		var r []used
		if r, err = pipeline(size, limit, stage{w.what, []string{"sh", "-c", strings.Join(line, " ")}}); err != nil {
			break
		}
		rows = append(rows, r...)
	}
	if rerr := os.RemoveAll(traces); err == nil {
		err = rerr
	}
	return rows, err
}

// long sends a run of four processes through merge, with the given options, and
// the stages behind it.
func long(dir string, runs []program, size int64, options []string, behind []stage) ([]used, error) {
	merge := append([]string{filepath.Join(dir, "dvmtrace-merge")}, options...)
	what := strings.Join(append([]string{"`dvmtrace-merge"}, options...), " ") + "`"
	var failed []error
	var mu sync.Mutex
	total := int64(0)
	n := runs[0].rounds(size / int64(len(runs)))
	for i, p := range runs {
		name := filepath.Join(dir, fmt.Sprintf("heat%d_%d.ptr", i, i))
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			return nil, err
		}
		defer os.Remove(name)
		merge = append(merge, name)
		total += int64(len(p.head)+len(p.tail)) + n*int64(len(p.body))
		go func() { // ends with the pipe's reader
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err == nil {
				if err = p.write(f, n); err == nil {
					err = f.Close()
				}
			}
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, fmt.Errorf("writing a trace: %w", err))
			}
		}()
	}
	rows, err := pipeline(total, 100, append([]stage{{fmt.Sprintf("%s of %d traces", what, len(runs)), merge}}, behind...)...)
	mu.Lock()
	defer mu.Unlock()
	if err == nil && len(failed) > 0 {
		err = failed[0]
	}
	return rows, err
}

// A stage is a command of a pipeline and how the table calls it.
type stage struct {
	what string
	args []string
}

// pipeline runs stages that read from each other, discards the output of the last
// one, and returns what each used. limit is their limit of memory in MB.
func pipeline(size int64, limit float64, stages ...stage) ([]used, error) {
	cmds := make([]*exec.Cmd, len(stages))
	errs := make([]bytes.Buffer, len(stages))
	var between *os.File
	begin := time.Now()
	for i, s := range stages {
		c := exec.Command(s.args[0], s.args[1:]...)
		c.Stderr = &errs[i]
		if between != nil {
			c.Stdin = between
		}
		var out *os.File
		if i+1 < len(stages) {
			r, w, err := os.Pipe()
			if err != nil {
				return nil, err
			}
			c.Stdout, out = w, r
			defer w.Close()
		}
		if err := c.Start(); err != nil {
			return nil, err
		}
		if between != nil {
			between.Close()
		}
		if w, ok := c.Stdout.(*os.File); ok {
			w.Close()
		}
		cmds[i], between = c, out
	}
	rows := make([]used, len(stages))
	var first error
	for i, c := range cmds {
		if err := c.Wait(); err != nil && first == nil {
			first = fmt.Errorf("%s: %w\n%s", stages[i].what, err, errs[i].Bytes())
		}
		rows[i] = used{what: stages[i].what, text: size, limit: limit, seconds: time.Since(begin).Seconds()}
		if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			rows[i].memory = float64(u.Maxrss) / 1e3 // kB, but on darwin bytes
			if runtime.GOOS == "darwin" {
				rows[i].memory /= 1e3
			}
		}
	}
	return rows, first
}
