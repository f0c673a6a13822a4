//go:build !unix

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
)

// timed runs a command of dir and returns the seconds it took. Memory is not
// known here.
func timed(dir string, args []string) (seconds, memory float64, err error) {
	c := exec.Command(filepath.Join(dir, args[0]), args[1:]...)
	c.Dir = dir
	begin := time.Now()
	if err := c.Run(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w", args, err)
	}
	return time.Since(begin).Seconds(), 0, nil
}
