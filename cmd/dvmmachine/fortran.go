package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/machine/measure"
)

// shortGroups is the number of statement groups of a loop that fits into any
// instruction cache.
const shortGroups = 16

// defaultGroups returns a number of statement groups whose code is longer than
// an instruction cache of the given size in bytes; 0 stands for 32 KB. Compiled
// without optimization, even the shortest group, an assignment, takes 40 bytes or
// more on current processors.
func defaultGroups(cache int64) int {
	if cache <= 0 {
		cache = 32 << 10
	}
	return int(min(max(cache/32, 2*shortGroups), measure.MaxGroups))
}

// fortran compiles and runs the programs of timings.
type fortran struct {
	compiler string
	flags    []string
	groups   int
	memory   int64 // bytes that no cache holds, 0 when there is no room for them
	name     string
	options  measure.Options

	path    string // of the compiler
	version string
	dir     string
	discard func() // removes dir
	grain   float64
}

// find looks for the compiler and asks for its version.
func (s *fortran) find(ctx context.Context) error {
	path, err := exec.LookPath(s.compiler)
	if err != nil {
		return fmt.Errorf("found no Fortran compiler %q: install one (on Debian: apt-get install gfortran) or name another with --compiler", s.compiler)
	}
	s.path = path
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", s.compiler, err)
	}
	s.version, _, _ = strings.Cut(string(out), "\n")
	return nil
}

// identity returns the conditions that all results of a journal must share.
func (s *fortran) identity() identity {
	return identity{
		Record: "measure", Version: 3, Processor: s.name, Compiler: s.version, Flags: strings.Join(s.flags, " "),
		Groups: s.groups, Samples: s.options.Samples, Processes: s.options.Processes, Repeats: s.options.Repeats, RunTime: s.options.RunTime,
	}
}

// conditions are lines for the report.
func (s *fortran) conditions() []string {
	loops := ""
	if s.groups > 0 {
		loops = fmt.Sprintf("loops of %d groups of statements, ", s.groups)
	}
	return []string{
		"processor: " + s.name,
		"compiler: " + s.version,
		"flags: " + strings.Join(s.flags, " "),
		fmt.Sprintf("%s%d samples, each the shortest runs of %d processes, of %d runs of at least %v s, clock grain %.3g s", loops, s.options.Samples, s.options.Processes, s.options.Repeats, s.options.RunTime, s.grain),
		fmt.Sprintf("deviations have the step of the clock in them, and %v %% for the clock rate of the processor, which differs between runs", 100*measure.ClockRate),
	}
}

// start compiles the driver and measures the resolution of the clock.
func (s *fortran) start(ctx context.Context, e *cli.Env) (err error) {
	if s.dir, s.discard, err = e.Scratch(""); err != nil {
		return fmt.Errorf("making a directory for the programs, which TMPDIR can name: %w", err)
	}
	dir := s.dir
	if err := os.WriteFile(filepath.Join(dir, "driver.f90"), []byte(measure.Driver), 0o666); err != nil {
		return err
	}
	if err := s.compile(ctx, "-c", "-o", "driver.o", "driver.f90"); err != nil {
		return err
	}
	first, second, _ := measure.Sources("ila", shortGroups)
	p, err := s.run(ctx, "grain", first, second)
	if err != nil {
		return err
	}
	defer p.close()
	if s.grain, err = p.ask(1, 0); err != nil {
		return err
	}
	if !(s.grain > 0) {
		return fmt.Errorf("found a clock grain of %v s, expected one above 0", s.grain)
	}
	s.options.Grain = s.grain
	return nil
}

// close removes what was compiled.
func (s *fortran) close() {
	if s.discard != nil {
		s.discard()
	}
}

// programs returns what is measured under a name: a timing, the small-loop
// speed-up, or a part of the cache section.
func (s *fortran) programs(name string) pair {
	const words = measure.CacheGroups
	_, steps := measure.CacheSteps()
	switch {
	case name == measure.SpeedupName:
		return pair{measure.Lengthening(s.groups, shortGroups), func() (first, second string) {
			first, second, _ = measure.Lengths("rla", s.groups, shortGroups)
			return first, second
		}}
	case name == measure.CacheSpeed:
		return pair{measure.Operation(words), func() (string, string) { return measure.CacheSpeedSources(words) }}
	case name == measure.CacheRatio:
		return pair{measure.Slowdown(measure.CacheRepeats), func() (string, string) { return measure.CacheRatioSources(s.memory, words) }}
	case steps[name] > 0:
		return pair{measure.Slowdown(1), func() (string, string) { return measure.CacheStepSources(steps[name], words) }}
	}
	return pair{measure.Operation(s.groups), func() (first, second string) {
		first, second, _ = measure.Sources(name, s.groups)
		return first, second
	}}
}

// remove deletes the executable of programs that are not needed any more. Where it
// cannot be removed, close does.
func (s *fortran) remove(name string) { os.Remove(filepath.Join(s.dir, name)) }

// compile runs the compiler in the directory of the programs.
func (s *fortran) compile(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, s.path, append(append([]string{}, s.flags...), args...)...)
	c.Dir = s.dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", s.compiler, strings.Join(c.Args[1:], " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// run compiles two programs, starts them and removes the executable.
func (s *fortran) run(ctx context.Context, name, first, second string) (*process, error) {
	if err := s.build(ctx, name, first, second); err != nil {
		return nil, err
	}
	defer s.remove(name)
	return s.launch(ctx, name)
}

// build compiles two programs into one executable.
func (s *fortran) build(ctx context.Context, name, first, second string) error {
	files := []string{name + "-1.f90", name + "-2.f90"}
	for i, text := range []string{first, second} {
		if err := os.WriteFile(filepath.Join(s.dir, files[i]), []byte(text), 0o666); err != nil {
			return err
		}
		defer s.remove(files[i])
	}
	return s.compile(ctx, "-o", name, files[0], files[1], "driver.o")
}

// launch starts an executable. The process waits for requests.
func (s *fortran) launch(ctx context.Context, name string) (*process, error) {
	c := exec.CommandContext(ctx, filepath.Join(s.dir, name))
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, command: c, in: in, out: bufio.NewReader(out)}
	c.Stderr = &p.said
	if err := c.Start(); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w; programs may not be allowed to run there: name another directory with TMPDIR", err)
		}
		return nil, err
	}
	return p, nil
}

// process is a process with two programs.
type process struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    strings.Builder
}

// loop is one of the programs of a process, a [measure.Runner].
type loop struct {
	*process
	which int
}

// Run makes the process run the loop of the program.
func (l loop) Run(iterations int) (float64, error) { return l.ask(l.which, iterations) }

// ask makes the process run a program for a number of iterations; for 0 it
// answers with the resolution of its clock.
func (p *process) ask(which, iterations int) (float64, error) {
	if _, err := fmt.Fprintln(p.in, which, iterations); err != nil {
		return 0, p.failed(err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, p.failed(err)
	}
	t, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	if err != nil {
		return 0, fmt.Errorf("the program %s printed %q, expected a number of seconds", p.name, strings.TrimSpace(line))
	}
	return t, nil
}

// failed explains why a program does not answer.
func (p *process) failed(err error) error {
	p.in.Close()
	if ended := p.command.Wait(); ended != nil {
		err = ended
	}
	p.command = nil
	return errors.Join(fmt.Errorf("the program %s ended: %w", p.name, err), saidBy(p.said.String()))
}

// saidBy returns what a program wrote to standard error as an error.
func saidBy(text string) error {
	if text = strings.TrimSpace(strings.ReplaceAll(text, "\r", "")); text == "" {
		return nil
	}
	return errors.New(text)
}

// close ends the process by closing its input.
func (p *process) close() {
	if p.command != nil {
		p.in.Close()
		p.command.Wait() // its results are there already
	}
}
