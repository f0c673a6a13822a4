package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine/measure"
)

func measureCommand() cli.Command {
	return cli.Command{
		Name: "measure", Usage: "measure the timings of the processor that it runs on", ArgsUsage: "[TIMING... | A B]",
		Description: `Writes a machine file of Parasol I. For each timing two Fortran programs are
compiled that differ by one operation in each statement of a loop; the operation
takes the difference of their processor times (section 3.1 of the report). All
150 timings are measured, or those that are named. What cannot be told from the
noise is left out and listed, with the reason. Expect some nine minutes; other work
on the machine makes them more, and the deviations larger.

The loop is longer than the instruction cache. The small-loop speed-up compares
it with a short one. Without optimization every operand is fetched from memory,
as the report has it; with optimization what the compiler removes cannot be
measured.

With --network, processes exchange messages of many sizes with MPI, two on this
machine or on each of the hosts. The file has a link for each pair: latency and
speed of the line that fits best, what calls to send and to receive cost, and in
comments how well it fits and where the messages of larger sizes need another.`,
		Flags: measureFlags(),
		Examples: []cli.Example{
			{Line: "dvmmachine measure --continue results.ndjson -o here.mach", Text: "the same line goes on after an interruption"},
			{Line: "dvmmachine measure dla dlm dld --samples 50", Text: "three timings, carefully"},
			{Line: "dvmmachine measure --compare here.mach again.mach", Text: "for how many timings two runs agree"},
			{Line: "dvmmachine measure --network --hosts n1,n2 -o net.mach --par net.par", Text: "messages within and between two hosts"},
		},
		Run: runMeasure,
	}
}

// measureFlags are the options of measure.
func measureFlags() []urfave.Flag {
	return append([]urfave.Flag{
		&urfave.StringFlag{Name: "compiler", Value: "gfortran", Usage: "compile with `PROGRAM`"},
		&urfave.StringFlag{Name: "flags", Value: "-O0", Usage: "compile with `OPTIONS`, separated by blanks"},
		&urfave.IntFlag{Name: "samples", Value: 10, Usage: "the median of `N` differences, at least 3"},
		&urfave.IntFlag{Name: "processes", Value: 6, Usage: "take each in `N` processes, some time apart"},
		&urfave.IntFlag{Name: "repeats", Value: 6, Usage: "make each run `N` times in a process, the shortest of all counts"},
		&urfave.Float64Flag{Name: "run-time", Value: 0.001, Usage: "a run takes `SECONDS` of processor time or more"},
		&urfave.IntFlag{Name: "groups", Usage: "the loop has `N` groups of statements (default: as many as overflow the instruction cache)"},
		&urfave.StringFlag{Name: "continue", Usage: "keep samples in `FILE` as they come, and take only those that it does not hold yet"},
		&urfave.StringFlag{Name: "name", Usage: "name of the processor, `TEXT` (default: what the system says)"},
		&urfave.Int64Flag{Name: "id", Value: 1, Usage: "id of the processor type, `ID`"},
		&urfave.BoolFlag{Name: "compare", Usage: "measure nothing: say for how many timings two files agree"},
	}, networkFlags()...)
}

func runMeasure(e *cli.Env) error {
	if e.Flags.Bool("compare") {
		return runCompare(e)
	}
	if e.Flags.Int64("id") < 0 {
		return cli.Usagef("--id: found %d, expected an id from 0", e.Flags.Int64("id"))
	}
	for _, f := range []string{"output", "par"} {
		if name := e.Flags.String("continue"); name != "" && filepath.Clean(name) == filepath.Clean(e.Flags.String(f)) {
			return cli.Usagef("found %s as the file of results and of --continue, expected two", name)
		}
	}
	if e.Flags.Bool("network") {
		return runNetwork(e)
	}
	for _, f := range networkFlags() {
		if name := f.Names()[0]; e.Flags.IsSet(name) && name != "network" {
			return cli.Usagef("--%s is for measuring messages, with --network", name)
		}
	}
	names, err := wanted(e.Args)
	if err != nil {
		return err
	}
	setup, err := measureSetup(e)
	if err != nil {
		return err
	}
	kept, err := openJournal(e, e.Flags.String("continue"), setup.identity())
	if err != nil {
		return err
	}
	defer kept.close()
	if _, err := e.Out(); err != nil { // now, and not when everything is measured
		return err
	}
	load := systemLoad()
	defer setup.close()
	ctx, done := e.Interruptible()
	err = sampling{setup, kept, setup.series(names), setup.programs}.run(ctx, e)
	if done() {
		return interrupted(e)
	}
	if err != nil {
		return err
	}
	report := measure.Report{
		Name: setup.name, ID: e.Flags.Int64("id"), Results: setup.results(kept, setup.series(names)), DataCache: cacheSize("Data"),
		Conditions: append(setup.conditions(), load.conditions(systemLoad())...),
	}
	if slices.Contains(names, measure.CacheRatio) && setup.memory == 0 {
		report.Results = append(report.Results, measure.Result{Name: measure.CacheRatio, Reason: "there is too little memory for data that no cache holds"})
	}
	text, err := report.File()
	if err != nil {
		return err
	}
	var missing []string
	for _, r := range report.Results {
		if r.Reason != "" {
			missing = append(missing, r.Name)
		}
	}
	if len(missing) > 0 {
		e.Warn(fmt.Errorf("%d of %d not measured, the file says why: %s", len(missing), len(names), strings.Join(missing, ", ")))
	}
	return write(e, text)
}

// interrupted is the error of measuring that did not come to its end.
func interrupted(e *cli.Env) error {
	if e.Flags.String("continue") == "" {
		return errors.New("interrupted; nothing is kept without --continue FILE")
	}
	return errors.New("interrupted; the same command line goes on")
}

// results computes what series that are done gave.
func (s *fortran) results(kept *journal, names []string) []measure.Result {
	var all []measure.Result
	for _, n := range names {
		timing, err := kept.of(n).Timing(s.programs(n).quantity, s.options)
		r := measure.Result{Name: n, Timing: timing}
		if u, ok := errors.AsType[*measure.Unmeasured](err); ok {
			r.Reason = u.Reason
		}
		all = append(all, r)
	}
	return all
}

// wanted returns the names to be measured: those that are asked for, or all
// timings, the speed-up and the cache section, of which the size only where the
// system does not tell it.
func wanted(args []string) ([]string, error) {
	all := append(measure.Names(), measure.SpeedupName, measure.CacheSpeed, measure.CacheRatio, measure.CacheSize)
	if len(args) == 0 {
		if cacheSize("Data") > 0 {
			all = all[:len(all)-1]
		}
		return all, nil
	}
	ask := map[string]bool{}
	for _, a := range args {
		ask[a] = true
	}
	var names []string
	for _, n := range all {
		if ask[n] {
			names = append(names, n)
			delete(ask, n)
		}
	}
	for _, a := range args {
		if ask[a] {
			return nil, cli.Usagef("found %q, expected the name of a timing ('dvmmachine timings' lists them), %s, %s, %s or %s%s", a,
				measure.SpeedupName, measure.CacheSize, measure.CacheSpeed, measure.CacheRatio, diag.DidYouMean(a, all))
		}
	}
	return names, nil
}

// series returns the names of what is measured for the names that are wanted: the
// size of the cache takes several quantities, and the speed of memory needs room.
func (s *fortran) series(names []string) []string {
	var all []string
	for _, n := range names {
		switch {
		case n == measure.CacheSize:
			steps, _ := measure.CacheSteps()
			all = append(all, steps...)
		case n != measure.CacheRatio || s.memory > 0:
			all = append(all, n)
		}
	}
	return all
}

// measureSetup reads the options of measure.
func measureSetup(e *cli.Env) (*fortran, error) {
	groups := e.Flags.Int("groups")
	if groups == 0 {
		groups = defaultGroups(cacheSize("Instruction"))
	}
	if groups < 2*shortGroups || groups > measure.MaxGroups {
		return nil, cli.Usagef("--groups: found %d, expected from %d to %d", groups, 2*shortGroups, measure.MaxGroups)
	}
	s, err := fortranSetup(e)
	if err != nil {
		return nil, err
	}
	s.groups, s.memory = groups, beyondCaches()
	return s, nil
}

// fortranSetup reads the options that measuring with a compiler has, and looks
// for the compiler.
func fortranSetup(e *cli.Env) (*fortran, error) {
	options, err := measureOptions(e)
	if err != nil {
		return nil, err
	}
	s := &fortran{
		compiler: e.Flags.String("compiler"), flags: strings.Fields(e.Flags.String("flags")), name: nameOf(e), options: options,
	}
	return s, s.find(e.Ctx)
}

// measureOptions reads the options for the precision of all measurements.
func measureOptions(e *cli.Env) (measure.Options, error) {
	o := measure.Options{Samples: e.Flags.Int("samples"), Processes: e.Flags.Int("processes"), Repeats: e.Flags.Int("repeats"), RunTime: e.Flags.Float64("run-time")}
	if o.Samples < 3 || o.Samples > 10000 {
		return o, cli.Usagef("--samples: found %d, expected from 3 to 10000", o.Samples)
	}
	if o.Processes < 1 || o.Processes > 1000 {
		return o, cli.Usagef("--processes: found %d, expected from 1 to 1000", o.Processes)
	}
	if o.Repeats < 1 || o.Repeats > 1000 {
		return o, cli.Usagef("--repeats: found %d, expected from 1 to 1000", o.Repeats)
	}
	if !(o.RunTime >= 0 && o.RunTime <= 3600) {
		return o, cli.Usagef("--run-time: found %v, expected from 0 to 3600 seconds", o.RunTime)
	}
	return o, nil
}
