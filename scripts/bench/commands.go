package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A process is the best run of a command.
type process struct {
	line                  string
	seconds, rate, memory float64
}

// commands are measured; -T1 ones show what one core does.
var commands = []string{
	"dvmtrace-parse f11_big.ptr",
	"dvmtrace-parse -T1 f11_big.ptr",
	"dvmtrace-parse -z f11_big.ptr",
	"dvmtrace-parse -T1 -z f11_big.ptr",
	"dvmtrace-parse --to-ptr f11_big.ptr",
	"dvmtrace-merge f11_big.ptr",
	"dvmtrace-merge run",
	"dvmsim -q -m bus4.par -g 1 f11_big.ptr",
	"dvmsim -q -m bus4.par -g 8x8 f11_big.ptr",
	"dvmsim -q -m bus4.par -g 8x8 f11_big.calls",
	"dvmsim -q -m bus4.par -g 32x32 f11_big.ptr",
	"dvmreport intervals",
}

// profiled are the commands of which the profile is taken.
var profiled = []string{
	"dvmtrace-parse f11_big.ptr",
	"dvmtrace-merge run",
	"dvmsim -q -m bus4.par -g 8x8 f11_big.ptr",
	"dvmsim -q -m bus4.par -g 8x8 f11_big.calls",
	"dvmreport intervals",
}

// mergedRun is the run whose traces "dvmtrace-merge run" merges; "dvmreport
// intervals" reads the intervals of another run.
var (
	mergedRun  = regular{rounds: 2000, arrays: 2, intervals: 4, rank: 2, extent: 4096, processes: 4}
	reportedOn = regular{rounds: 2000, arrays: 2, intervals: 1000, rank: 2, extent: 4096}
)

// prepare puts the commands and the large trace into dir. It returns the size of
// the trace and a function that turns a line into the arguments of a command.
func prepare(dir string) (int64, func(line string) []string, error) {
	size, err := unpack("testdata/traces/large/f11_big.ptr.zst", filepath.Join(dir, "f11_big.ptr"))
	if err != nil {
		return 0, nil, err
	}
	build := exec.Command("go", "build", "-o", dir, "./cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, nil, fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	machine, err := filepath.Abs("testdata/machines/bus4.par")
	if err != nil {
		return 0, nil, err
	}
	return size, func(line string) []string {
		args := strings.Fields(line)
		for i, a := range args {
			if a == "bus4.par" {
				args[i] = machine
			}
		}
		return args
	}, nil
}

// processes times whole commands in dir, which prepare has filled, and returns
// what some of them spend their time on.
func processes(dir string, count int, size int64, resolve func(line string) []string) ([]process, []byte, error) {
	sizes := map[string]int64{"f11_big.ptr": size, "f11_big.calls": size}
	for i := range mergedRun.processes {
		n, err := mergedRun.save(filepath.Join(dir, fmt.Sprintf("run%d_%d.ptr", i, i)))
		if err != nil {
			return nil, nil, err
		}
		sizes["run"] += n
	}
	if _, err := reportedOn.save(filepath.Join(dir, "reported.ptr")); err != nil {
		return nil, nil, err
	}
	for _, line := range []string{
		"dvmtrace-parse f11_big.ptr -o f11_big.calls",
		"dvmsim -q -m bus4.par -g 8x8 reported.ptr -o intervals",
	} {
		if _, _, err := timed(dir, resolve(line)); err != nil {
			return nil, nil, err
		}
	}
	var all []process
	for _, line := range commands {
		best := process{line: line + " > /dev/null"}
		args := resolve(line)
		for range count {
			seconds, memory, err := timed(dir, args)
			if err != nil {
				return nil, nil, err
			}
			if best.seconds == 0 || seconds < best.seconds {
				best.seconds = seconds
			}
			best.memory = max(best.memory, memory)
		}
		best.rate = float64(sizes[args[len(args)-1]]) / 1e6 / best.seconds
		all = append(all, best)
	}
	shares, err := profiles(dir, profiled, resolve)
	return all, shares, err
}

// unpack writes the plain text of a compressed trace and returns its size.
func unpack(from, to string) (int64, error) {
	f, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	z, err := zstd.NewReader(bufio.NewReader(f))
	if err != nil {
		return 0, err
	}
	defer z.Close()
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, z)
	if err != nil {
		out.Close()
		return 0, err
	}
	return n, out.Close()
}
