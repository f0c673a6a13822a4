//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	rows, err := many(dir, runs[0])
	if err != nil {
		return nil, err
	}
	long, err := long(dir, machine, runs, size)
	return append(rows, long...), err
}

// many merges a thousand traces with few files open at a time.
func many(dir string, p program) ([]used, error) {
	const n, each, open = 1000, 50_000, 128
	traces := filepath.Join(dir, "many")
	if err := os.Mkdir(traces, 0o777); err != nil {
		return nil, err
	}
	size, err := manyTraces(p, traces, n, each)
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("ulimit -n %d && exec %s %s", open, filepath.Join(dir, "dvmtrace-merge"), filepath.Join(traces, "heat"))
	rows, err := pipeline(size, stage{fmt.Sprintf("`dvmtrace-merge` of %d traces, `ulimit -n %d`", n, open), []string{"sh", "-c", line}})
	if rerr := os.RemoveAll(traces); err == nil {
		err = rerr
	}
	return rows, err
}

// long sends a run of four processes through merge, parse and sim.
func long(dir, machine string, runs []program, size int64) ([]used, error) {
	merge := []string{filepath.Join(dir, "dvmtrace-merge")}
	var failed []error
	var mu sync.Mutex
	total := int64(0)
	n := runs[0].rounds(size / int64(len(runs)))
	for i, p := range runs {
		name := filepath.Join(dir, fmt.Sprintf("heat%d_%d.ptr", i, i))
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			return nil, err
		}
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
	rows, err := pipeline(total,
		stage{fmt.Sprintf("`dvmtrace-merge` of %d traces", len(runs)), merge},
		stage{"`dvmtrace-parse` behind it", []string{filepath.Join(dir, "dvmtrace-parse")}},
		stage{"`dvmsim -g 2x2x1` behind that", []string{filepath.Join(dir, "dvmsim"), "-q", "-m", machine, "-g", "2x2x1"}})
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
// one, and returns what each used.
func pipeline(size int64, stages ...stage) ([]used, error) {
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
		rows[i] = used{what: stages[i].what, text: size, seconds: time.Since(begin).Seconds()}
		if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			rows[i].memory = float64(u.Maxrss) / 1e3 // kB, but on darwin bytes
			if runtime.GOOS == "darwin" {
				rows[i].memory /= 1e3
			}
		}
	}
	return rows, first
}
