//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// timed runs a command of dir and returns the seconds it took and the most
// memory it had, in MB. What it prints is thrown away by the system.
func timed(dir string, args []string) (seconds, memory float64, err error) {
	c := exec.Command(filepath.Join(dir, args[0]), args[1:]...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	begin := time.Now()
	if err := c.Run(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w\n%s", args, err, stderr.Bytes())
	}
	seconds = time.Since(begin).Seconds()
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		memory = float64(u.Maxrss) / 1e3 // kB, but on darwin bytes
		if runtime.GOOS == "darwin" {
			memory /= 1e3
		}
	}
	return seconds, memory, nil
}
