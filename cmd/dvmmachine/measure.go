package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine/measure"
)

func measureCommand() cli.Command {
	return cli.Command{
		Name: "measure", Usage: "measure the timings of the processor that it runs on", ArgsUsage: "[TIMING...]",
		Description: `Writes a machine file of Parasol I. For each timing two Fortran programs are
compiled that differ by one operation in each statement of a loop; the operation
takes the difference of their processor times (section 3.1 of the report). All
150 timings are measured, or those that are named. What cannot be told from the
noise is left out and listed, with the reason. Expect some minutes; other work
on the machine makes the deviations larger.

The loop is longer than the instruction cache. The small-loop speed-up compares
it with a short one. Without optimization every operand is fetched from memory,
as the report has it; with optimization what the compiler removes cannot be
measured.

With --network, processes exchange messages of many sizes with MPI, two on this
machine or on each of the hosts. The file has a link for each pair: latency and
speed of the line that fits best, what calls to send and to receive cost, and in
comments how well it fits and where the messages of larger sizes need another.`,
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "compiler", Value: "gfortran", Usage: "compile with `PROGRAM`"},
			&urfave.StringFlag{Name: "flags", Value: "-O0", Usage: "compile with `OPTIONS`, separated by blanks"},
			&urfave.IntFlag{Name: "samples", Value: 20, Usage: "average `N` differences, at least 3"},
			&urfave.IntFlag{Name: "repeats", Value: 15, Usage: "make each run `N` times, the shortest counts"},
			&urfave.Float64Flag{Name: "run-time", Value: 0.001, Usage: "a run takes `SECONDS` of processor time or more"},
			&urfave.IntFlag{Name: "groups", Usage: "the loop has `N` groups of statements (default: as many as overflow the instruction cache)"},
			&urfave.StringFlag{Name: "continue", Usage: "keep samples in `FILE` as they come, and take only those that it does not hold yet"},
			&urfave.StringFlag{Name: "name", Usage: "name of the processor, `TEXT` (default: what the system says)"},
			&urfave.Int64Flag{Name: "id", Value: 1, Usage: "id of the processor type, `ID`"},
		}, networkFlags()...),
		Examples: []cli.Example{
			{Line: "dvmmachine measure --continue results.ndjson -o here.mach", Text: "the same line goes on after an interruption"},
			{Line: "dvmmachine measure dla dlm dld --samples 50", Text: "three timings, carefully"},
			{Line: "dvmmachine measure --network --hosts n1,n2 -o net.mach --par net.par", Text: "messages within and between two hosts"},
		},
		Run: runMeasure,
	}
}

func runMeasure(e *cli.Env) error {
	if e.Flags.Int64("id") < 0 {
		return cli.Usagef("--id: found %d, expected an id from 0", e.Flags.Int64("id"))
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
	if err := setup.start(e.Ctx); err != nil {
		return err
	}
	defer setup.close()
	ctx, done := e.Interruptible()
	err = sampling{setup, kept, names}.run(ctx, e)
	if done() {
		return errors.New("interrupted; with --continue the same command line goes on")
	}
	if err != nil {
		return err
	}
	report := measure.Report{
		Name: setup.name, ID: e.Flags.Int64("id"), Results: setup.results(kept, names), DataCache: cacheSize("Data"),
		Conditions: append(setup.conditions(), load.conditions(systemLoad())...),
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

// sampling takes the samples of all names in turn, one of each in a round, so that
// those of a name are spread over the whole time and lie in different processes.
type sampling struct {
	*fortran
	kept  *journal
	names []string
}

func (s sampling) run(ctx context.Context, e *cli.Env) error {
	built := map[string]bool{}
	// Compiling takes about as long as all samples of a name.
	each := 2 * s.options.Samples
	progress := func() int {
		done := 0
		for _, n := range s.names {
			switch x := s.kept.of(n); {
			case x.Done:
				done += each
			case built[n]:
				done += s.options.Samples + len(x.Samples)
			}
		}
		return done
	}
	total := each * len(s.names)
	steps := e.Steps(progress(), total)
	for open := true; open; {
		open = false
		for _, n := range s.names {
			series := s.kept.of(n)
			if series.Done {
				continue
			}
			open = true
			steps.Next(progress(), n)
			if err := s.next(ctx, n, series, built); err != nil {
				return fmt.Errorf("measuring %s: %w", n, err)
			}
		}
	}
	return nil
}

// next takes a sample of a name, whose programs are compiled before the first.
func (s sampling) next(ctx context.Context, name string, series *measure.Series, built map[string]bool) error {
	if !built[name] {
		_, first, second := s.quantity(name)
		if err := s.build(ctx, name, first, second); err != nil {
			return err
		}
		built[name] = true
	}
	if err := s.sample(ctx, name, series); err != nil {
		return err
	}
	if series.Done {
		s.remove(name)
	}
	return s.kept.keep(name)
}

// results computes what series that are done gave.
func (s *fortran) results(kept *journal, names []string) []measure.Result {
	var all []measure.Result
	for _, n := range names {
		q, _, _ := s.quantity(n)
		timing, err := kept.of(n).Timing(q, s.options)
		r := measure.Result{Name: n, Timing: timing}
		if u, ok := errors.AsType[*measure.Unmeasured](err); ok {
			r.Reason = u.Reason
		}
		all = append(all, r)
	}
	return all
}

// wanted returns the names to be measured: those that are asked for, or all,
// and the speed-up.
func wanted(args []string) ([]string, error) {
	all := append(measure.Names(), measure.SpeedupName)
	if len(args) == 0 {
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
			return nil, cli.Usagef("found %q, expected the name of a timing ('dvmmachine timings' lists them) or %s%s", a, measure.SpeedupName, diag.DidYouMean(a, all))
		}
	}
	return names, nil
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
	s.groups = groups
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
	o := measure.Options{Samples: e.Flags.Int("samples"), Repeats: e.Flags.Int("repeats"), RunTime: e.Flags.Float64("run-time")}
	if o.Samples < 3 || o.Samples > 10000 {
		return o, cli.Usagef("--samples: found %d, expected from 3 to 10000", o.Samples)
	}
	if o.Repeats < 1 || o.Repeats > 1000 {
		return o, cli.Usagef("--repeats: found %d, expected from 1 to 1000", o.Repeats)
	}
	if !(o.RunTime >= 0 && o.RunTime <= 3600) {
		return o, cli.Usagef("--run-time: found %v, expected from 0 to 3600 seconds", o.RunTime)
	}
	return o, nil
}
