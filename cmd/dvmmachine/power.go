package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine/measure"
	"dvmtools/pkg/stream"
)

func powerCommand() cli.Command {
	return cli.Command{
		Name: "power", Usage: "measure the power of the processor, or compare two", ArgsUsage: "[TARGET TRACED]",
		Description: `Runs a test whose intervals execute 1 to 128 arithmetic operations per
iteration and prints the time of an iteration in each, a column (appendix 1 of
the design of 2010). Run it on the machine that is predicted and on the one where
the trace is made.

With --ratio it compares: two columns, interval by interval, or two traces of the
same program, one from each machine, by the user's time between the calls of the
run-time system, which is the most exact. The result is the power that
Predictor.par wants for TARGET when the program was traced on TRACED.`,
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "ratio", Usage: "compare two columns or two traces"},
			&urfave.IntFlag{Name: "ops", Usage: "of the columns, only the interval nearest to `N` operations per iteration"},
			&urfave.BoolFlag{Name: "intervals", Usage: "of the traces, each interval of the program too"},
			&urfave.StringFlag{Name: "compiler", Value: "gfortran", Usage: "compile with `PROGRAM`"},
			&urfave.StringFlag{Name: "flags", Value: "-O2", Usage: "compile with `OPTIONS`, separated by blanks, as the program that is predicted"},
			&urfave.IntFlag{Name: "samples", Value: 10, Usage: "the median of `N` times, at least 3"},
			&urfave.IntFlag{Name: "processes", Value: 6, Usage: "take each in `N` processes, some time apart"},
			&urfave.IntFlag{Name: "repeats", Value: 6, Usage: "make each run `N` times in a process, the shortest of all counts"},
			&urfave.Float64Flag{Name: "run-time", Value: 0.002, Usage: "a run takes `SECONDS` of processor time or more"},
			&urfave.StringFlag{Name: "name", Usage: "name of the processor, `TEXT` (default: what the system says)"},
		},
		Examples: []cli.Example{
			{Line: "dvmmachine power -o here.power", Text: "the column of this machine"},
			{Line: "dvmmachine power --ratio target.power here.power --ops 20", Text: "for loops of about 20 operations per iteration"},
			{Line: "dvmmachine power --ratio target.ptr here.ptr", Text: "from the user's own program"},
			{Line: "dvmmachine power --ratio --intervals target.ptr here.ptr", Text: "in which of its loops the machines differ"},
		},
		Run: func(e *cli.Env) error {
			if e.Flags.Bool("ratio") {
				return runRatio(e)
			}
			return runPower(e)
		},
	}
}

// runPower prints the column of the machine.
func runPower(e *cli.Env) error {
	if len(e.Args) > 0 {
		return cli.Usagef("found %d operands, expected none, or --ratio", len(e.Args))
	}
	if e.Flags.Bool("intervals") {
		return cli.Usagef("--intervals is for comparing traces, with --ratio")
	}
	if e.Flags.IsSet("ops") {
		return cli.Usagef("--ops: the test runs all intervals; use it with --ratio")
	}
	s, err := fortranSetup(e)
	if err != nil {
		return err
	}
	if _, err := e.Out(); err != nil { // now, and not when everything is measured
		return err
	}
	load := systemLoad()
	defer s.close()
	var names []string
	operations := map[string]int{}
	for _, ops := range measure.Operations() {
		name := fmt.Sprintf("%d operations", ops)
		names = append(names, name)
		operations[name] = ops
	}
	programs := func(name string) pair {
		return pair{measure.Alone(measure.PowerIterations), func() (string, string) { return measure.PowerSources(operations[name]) }}
	}
	kept := &journal{&records{}, map[string]*measure.Series{}}
	ctx, done := e.Interruptible()
	err = sampling{s, kept, names, programs}.run(ctx, e)
	if done() {
		return errors.New("interrupted before the column was complete")
	}
	if err != nil {
		return err
	}
	c := &measure.Column{}
	for _, n := range names {
		t, err := kept.of(n).Timing(programs(n).quantity, s.options)
		if u, ok := errors.AsType[*measure.Unmeasured](err); ok {
			return fmt.Errorf("%s per iteration: %s", n, u.Reason)
		}
		c.Rows = append(c.Rows, measure.Row{Operations: operations[n], Mean: t.Center, Deviation: t.Deviation})
	}
	c.Conditions = append(s.conditions(), load.conditions(systemLoad())...)
	return write(e, c.String())
}

// runRatio prints the power of the first machine relative to the second.
func runRatio(e *cli.Env) error {
	if len(e.Args) != 2 {
		return cli.Usagef("found %d operands, expected two columns or two traces: of the target machine and of the one traced on", len(e.Args))
	}
	ops := e.Flags.Int("ops")
	if e.Flags.IsSet("ops") && ops < 1 {
		return cli.Usagef("--ops: found %d, expected a number of operations from 1", ops)
	}
	var columns [2]*measure.Column
	var traces [2]*computed
	for i, name := range e.Args {
		var err error
		if columns[i], traces[i], err = readPower(e, name); err != nil {
			return err
		}
	}
	switch {
	case columns[0] != nil && columns[1] != nil && e.Flags.Bool("intervals"):
		return cli.Usagef("--intervals is for traces; of columns all intervals are shown without --ops")
	case columns[0] != nil && columns[1] != nil:
		return columnRatio(e, columns, ops)
	case traces[0] == nil || traces[1] == nil:
		return cli.Usagef("found a column and a trace, expected two of a kind")
	case ops > 0:
		return cli.Usagef("--ops: traces have no numbers of operations; --intervals shows their intervals")
	}
	r, err := traceRatio(traces[0], traces[1])
	if err != nil {
		return err
	}
	text := r.Words() + "\n"
	if e.Flags.Bool("intervals") {
		text = intervalRatios(traces[0], traces[1])
	}
	return write(e, text)
}

// maxColumn bounds a column, which is read whole.
const maxColumn = 1 << 20

// readPower reads a column, or what a trace computed.
func readPower(e *cli.Env, name string) (*measure.Column, *computed, error) {
	in, err := e.Open(name)
	if err != nil {
		return nil, nil, err
	}
	content, err := in.Sniff()
	if err != nil {
		return nil, nil, err
	}
	if content.Format != stream.FormatText || isTrace(name) {
		if err := in.Close(); err != nil {
			return nil, nil, err
		}
		t, err := readComputed(e, name)
		return nil, t, err
	}
	text, err := io.ReadAll(io.LimitReader(in, maxColumn+1))
	if err != nil {
		return nil, nil, err
	}
	if len(text) > maxColumn {
		return nil, nil, diag.New(diag.Pos{File: in.Name()}, "power/limit", "found more than %d bytes, expected a column of 'dvmmachine power'; the name of a trace ends in .ptr", maxColumn)
	}
	c, err := measure.ParseColumn(in.Name(), text)
	return c, nil, err
}

// isTrace tells whether the name of a file is that of a .ptr trace.
func isTrace(name string) bool {
	for _, end := range []string{".zst", ".gz"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.HasSuffix(name, ".ptr")
}

func columnRatio(e *cli.Env, c [2]*measure.Column, ops int) error {
	all := measure.Ratios(c[0], c[1])
	if len(all) == 0 {
		return errors.New("the columns have no interval in common")
	}
	if ops > 0 {
		return write(e, measure.Nearest(all, ops).Words()+"\n")
	}
	var b strings.Builder
	b.WriteString("operations  power\n")
	for _, r := range all {
		fmt.Fprintf(&b, "%10d  %s\n", r.Operations, r.Words())
	}
	return write(e, b.String())
}
