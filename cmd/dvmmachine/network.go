package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/machine/measure"
)

// networkFlags are the options of measure --network alone.
func networkFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "network", Usage: "measure messages between processes instead, with MPI"},
		&urfave.StringFlag{Name: "hosts", Usage: "messages between `HOST,HOST...` too, two processes on each (default: this machine)"},
		&urfave.StringFlag{Name: "par", Usage: "write the network to `FILE` as Predictor.par too"},
		&urfave.IntFlag{Name: "largest", Value: 4 << 20, Usage: "messages of 1 to `BYTES`"},
		&urfave.StringFlag{Name: "mpicc", Value: "mpicc", Usage: "compile the program for messages with `PROGRAM`"},
		&urfave.StringFlag{Name: "mpirun", Value: "mpirun", Usage: "start it with `COMMAND`, a program and its options"},
		&urfave.StringFlag{Name: "dir", Usage: "keep it in `DIR` while it runs, which all hosts must see (default: the current directory with --hosts)"},
	}
}

const (
	// Unless they are asked for: rounds, batches in a round, and the time of a
	// batch of messages in seconds. Batches are shorter than the loops of a
	// processor, and more, as two processes are disturbed more often than one.
	networkRounds  = 20
	networkRepeats = 15
	networkRunTime = 0.0002
	maxHosts       = 64
	maxMessage     = 1 << 30
)

// network compiles and runs the program for messages.
type network struct {
	mpicc, compiler string
	mpirun          []string
	hosts           []string
	dir             string
	largest         int
	options         measure.Options
	name            string
}

// networkSetup reads the options.
func networkSetup(e *cli.Env) (*network, error) {
	for _, name := range []string{"compiler", "flags", "groups", "processes"} {
		if e.Flags.IsSet(name) {
			return nil, cli.Usagef("--%s is for measuring a processor, not for --network", name)
		}
	}
	if len(e.Args) > 0 {
		return nil, cli.Usagef("found %q, expected no names of timings with --network", e.Args[0])
	}
	options, err := measureOptions(e)
	if err != nil {
		return nil, err
	}
	n := &network{
		mpicc: e.Flags.String("mpicc"), mpirun: strings.Fields(e.Flags.String("mpirun")), dir: e.Flags.String("dir"),
		largest: e.Flags.Int("largest"), options: options, name: nameOf(e),
	}
	if !e.Flags.IsSet("samples") {
		n.options.Samples = networkRounds
	}
	if !e.Flags.IsSet("repeats") {
		n.options.Repeats = networkRepeats
	}
	if !e.Flags.IsSet("run-time") {
		n.options.RunTime = networkRunTime
	}
	if n.largest < 4 || n.largest > maxMessage {
		return nil, cli.Usagef("--largest: found %d, expected from 4 to %d bytes", n.largest, maxMessage)
	}
	if e.Flags.IsSet("hosts") {
		if n.hosts, err = hostList(e.Flags.String("hosts")); err != nil {
			return nil, err
		}
		if n.dir == "" {
			n.dir = "."
		}
	} else {
		n.hosts = []string{"localhost"}
	}
	return n, n.find()
}

// hostList splits the names of hosts.
func hostList(text string) ([]string, error) {
	hosts := strings.Split(text, ",")
	seen := map[string]bool{}
	for i, h := range hosts {
		h = strings.TrimSpace(h)
		switch {
		case h == "" || strings.HasPrefix(h, "-") || strings.ContainsAny(h, ": \t"):
			return nil, cli.Usagef("--hosts: found %q, expected names of hosts, separated by commas", text)
		case seen[h]:
			return nil, cli.Usagef("--hosts: found %s twice; two processes run on each host in any case", h)
		}
		seen[h] = true
		hosts[i] = h
	}
	if len(hosts) > maxHosts {
		return nil, cli.Usagef("--hosts: found %d hosts, expected at most %d: each two of them are measured", len(hosts), maxHosts)
	}
	return hosts, nil
}

// find looks for the programs of MPI.
func (n *network) find() error {
	if len(n.mpirun) == 0 {
		return cli.Usagef("--mpirun: found no program")
	}
	for _, p := range []struct{ flag, name string }{{"mpicc", n.mpicc}, {"mpirun", n.mpirun[0]}} {
		path, err := exec.LookPath(p.name)
		if err != nil {
			return fmt.Errorf("found no program %q of MPI: install one (on Debian: apt-get install openmpi-bin libopenmpi-dev) or name another with --%s", p.name, p.flag)
		}
		if path, err = filepath.Abs(path); err != nil { // it runs in another directory
			return err
		}
		if p.flag == "mpicc" {
			n.compiler = path
		} else {
			n.mpirun = append([]string{path}, n.mpirun[1:]...)
		}
	}
	return nil
}

// runNetwork measures messages and writes the network in one language or in both.
func runNetwork(e *cli.Env) error {
	n, err := networkSetup(e)
	if err != nil {
		return err
	}
	switch name := e.Flags.String("par"); {
	case name == "-":
		return cli.Usagef("--par: found -, expected the name of a file; standard output has the file of Parasol I")
	case name != "" && filepath.Clean(name) == filepath.Clean(e.Flags.String("output")):
		return cli.Usagef("-o and --par are one file, %s", name)
	}
	kept, err := openRounds(e, e.Flags.String("continue"), n.identity())
	if err != nil {
		return err
	}
	defer kept.close()
	out, err := e.Out() // now, so that a name that cannot be written ends it before the work
	if err != nil {
		return err
	}
	var par io.Writer
	if name := e.Flags.String("par"); name != "" {
		if par, err = e.Create(name); err != nil {
			return err
		}
	}
	before := systemLoad()
	ctx, done := e.Interruptible()
	err = n.run(ctx, e, kept)
	if done() {
		return interrupted(e)
	}
	if err != nil {
		return err
	}
	samples, err := kept.Samples()
	if err != nil {
		return err
	}
	if found := samples.HostCount(); found < len(n.hosts) {
		e.Warn(fmt.Errorf("%d hosts were named, but the processes ran on %d", len(n.hosts), found))
	}
	net := &measure.Network{Name: n.name, ID: e.Flags.Int64("id"), Samples: samples, Conditions: append([]string{
		"processor: " + n.name,
		fmt.Sprintf("%d rounds, the shortest of %d batches of at least %v s", n.options.Samples, n.options.Repeats, n.options.RunTime),
	}, before.conditions(systemLoad())...)}
	text, err := net.File()
	if err != nil {
		return err
	}
	if par != nil {
		if _, err := io.WriteString(par, net.Par()); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text)
	return err
}

// run compiles the program and runs it, unless all rounds are kept already.
func (n *network) run(ctx context.Context, e *cli.Env, kept *rounds) error {
	if len(kept.Rounds) == n.options.Samples {
		return nil
	}
	dir, discard, err := e.Scratch(n.dir)
	if err != nil {
		return fmt.Errorf("making a directory for the program, which --dir can name: %w", err)
	}
	defer discard()
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "pingpong.c"), []byte(measure.PingPong), 0o666); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, n.compiler, "-O2", "-o", "pingpong", "pingpong.c")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		hint := ""
		if strings.Contains(string(out), "mpi.h") {
			hint = "; install the headers of MPI (on Debian: apt-get install libopenmpi-dev)"
		}
		return fmt.Errorf("%s: %w%s\n%s", n.mpicc, err, hint, strings.TrimSpace(string(out)))
	}
	return n.start(ctx, e, filepath.Join(dir, "pingpong"), kept)
}

// start runs the program on all hosts, for the rounds that are not kept yet.
func (n *network) start(ctx context.Context, e *cli.Env, program string, kept *rounds) error {
	args := append([]string{}, n.mpirun[1:]...)
	left := n.options.Samples - len(kept.Rounds)
	args = append(args, "--host", strings.Join(n.hosts, ":2,")+":2", "-np", strconv.Itoa(2*len(n.hosts)), program,
		strconv.Itoa(left), strconv.Itoa(n.options.Repeats), strconv.FormatFloat(n.options.RunTime, 'g', -1, 64))
	for _, s := range measure.Sizes(n.largest) {
		args = append(args, strconv.Itoa(s))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := exec.CommandContext(ctx, n.mpirun[0], args...)
	c.Dir = filepath.Dir(program)
	// Asked to end, it ends the processes on all hosts.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10e9 // nanoseconds; then it is killed
	var said strings.Builder
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	steps := e.Steps(0, left)
	steps.Next(0, "messages")
	if err := c.Start(); err != nil {
		return err
	}
	defer e.AtSignal(func() { c.Process.Signal(os.Interrupt) })()
	// When what was measured cannot be kept, the processes need not go on.
	var lost error
	keep := func(how func([]string) error) func([]string) error {
		return func(lines []string) error {
			if lost = how(lines); lost != nil {
				stop()
			}
			return lost
		}
	}
	bad := measure.Follow(out, keep(kept.begin), func(done, pairs int) {
		steps.Of(left * pairs)
		steps.Next(done, "messages of "+strconv.Itoa(bits.Len(uint(n.largest)))+" sizes")
	}, keep(kept.keep))
	_, reading := io.Copy(io.Discard, out)
	switch ended := c.Wait(); {
	case lost != nil:
		return lost
	case ended != nil:
		err := fmt.Errorf("%s: %w", filepath.Base(n.mpirun[0]), ended)
		if strings.Contains(said.String(), "--allow-run-as-root") {
			err = fmt.Errorf("%w; to run it as root, use --mpirun '%s --allow-run-as-root'", err, filepath.Base(n.mpirun[0]))
		}
		return errors.Join(err, saidBy(said.String()))
	case bad != nil:
		return bad
	case len(kept.Rounds) != n.options.Samples:
		return fmt.Errorf("the program for messages ended after %d rounds, expected %d", len(kept.Rounds), n.options.Samples)
	}
	return reading
}

// networkRecord is the kind of a journal of messages.
const networkRecord = "network"

// identity returns the conditions that all rounds of a journal must share.
func (n *network) identity() identity {
	return identity{
		Record: networkRecord, Version: 1, Processor: n.name, Compiler: n.mpicc, Start: strings.Join(n.mpirun, " "), Hosts: strings.Join(n.hosts, ","),
		Largest: n.largest, Samples: n.options.Samples, Repeats: n.options.Repeats, RunTime: n.options.RunTime,
	}
}

// nameOf returns the name of the processor, as asked for or as the system says.
func nameOf(e *cli.Env) string {
	for _, name := range []string{e.Flags.String("name"), processorName()} {
		if name != "" {
			return name
		}
	}
	return runtime.GOARCH
}
