package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// comparisons are pairs of commands whose processor times are compared: a command
// against a program that only reads the text, and several threads against one.
var comparisons = [][2]string{
	{"dvmtrace-parse -T1 twice.ptr", "md5sum twice.ptr"},
	{"dvmsim -T1 -q -m bus4.par -g 8x8 twice.ptr", "md5sum twice.ptr"},
	{"dvmtrace-parse -T2 twice.ptr", "dvmtrace-parse -T1 twice.ptr"},
	{"dvmsim -T2 -q -m bus4.par -g 8x8 twice.ptr", "dvmsim -T1 -q -m bus4.par -g 8x8 twice.ptr"},
}

// compared is how often each pair runs; the two run in turn, so that other work
// on the machine slows both.
const compared = 15

// compare returns the table of the comparisons, which run in dir; resolve turns
// a line into arguments.
func compare(dir string, resolve func(string) []string) ([]byte, error) {
	if _, err := exec.LookPath("md5sum"); err != nil {
		return nil, err
	}
	if err := double(filepath.Join(dir, "f11_big.ptr"), filepath.Join(dir, "twice.ptr")); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n| processor time of | against | median of %d | least | time, median |\n| --- | --- | ---: | ---: | ---: |\n", compared)
	for _, pair := range comparisons {
		var cpu, wall []float64
		for range compared {
			var c, w [2]float64
			for i, line := range pair {
				var err error
				if c[i], w[i], err = used(dir, resolve(line)); err != nil {
					return nil, err
				}
			}
			cpu, wall = append(cpu, c[0]/c[1]), append(wall, w[0]/w[1])
		}
		slices.Sort(cpu)
		slices.Sort(wall)
		fmt.Fprintf(&b, "| `%s` | `%s` | %.2f | %.2f | %.2f |\n", pair[0], pair[1], cpu[compared/2], cpu[0], wall[compared/2])
	}
	return b.Bytes(), nil
}

// used runs a command, of dir if it is one of ours, and returns the processor
// time and the time that it took, in seconds.
func used(dir string, args []string) (cpu, wall float64, err error) {
	name := args[0]
	if strings.HasPrefix(name, "dvm") {
		name = filepath.Join(dir, name)
	}
	c := exec.Command(name, args[1:]...)
	c.Dir = dir
	begin := time.Now()
	if err := c.Run(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w", args, err)
	}
	wall = time.Since(begin).Seconds()
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), wall, nil
}

// double writes a trace whose program does everything inside of its outermost
// intervals twice.
func double(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	first := bytes.Index(b, []byte("\ncall_begbl_")) + 1
	last := bytes.LastIndex(b, []byte("\nret_endbl_")) + 1
	n := bytes.Index(b[max(last, 0):], []byte("\ncall_")) + 1
	if first == 0 || last == 0 || n == 0 {
		return errors.New(from + ": found no intervals")
	}
	return os.WriteFile(to, slices.Concat(b[:last+n], b[first:]), 0o666)
}
