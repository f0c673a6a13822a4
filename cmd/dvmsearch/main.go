// Dvmsearch finds the processor grid on which a program does best.
//
//	dvmsearch -m MACHINE [--mode 1|2|3|5] [--objective time|efficiency|cost] [options] [FILE]
//
// It reads the calls of a trace (the output of dvmtrace-parse, or a .ptr
// trace itself) once, simulates them on many grids of the machine's
// processors, and writes newline-delimited JSON: a header, one record per
// grid that was tried, the Pareto front of processors and time, the best
// grid, and an end record with the numbers of grids.
//
// The rank of the grids and the extents that they cut follow from the
// program's distributions. Mode 1, the default, tries few grids and finds the
// best one nearly always. Mode 2 tries all grids that leave no processor
// without elements, by growing numbers of processors, until no larger number
// can be better. Mode 3 tries all. Mode 5 searches as modes 1 and 2 and
// compares what they found and how many grids they tried. The figures of a grid
// are those of dvmsim, and --best-intervals writes the same intervals as dvmsim
// does for the best one.
//
//	dvmtrace-parse jac.ptr | dvmsearch -m cluster.par --max 64 | jq 'select(.record=="best")'
package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
)

func main() { cli.Main(command()) }

// command describes the program.
func command() cli.Command {
	return cli.Command{
		Name:      "dvmsearch",
		Usage:     "find the processor grid on which a DVM program does best",
		ArgsUsage: "[FILE]",
		Description: `Reads the calls of a trace (output of dvmtrace-parse, or a .ptr trace) from FILE
or standard input, simulates them on many processor grids, and writes one
record per grid tried, the Pareto front of processors and time, and the best
grid.

Mode 1 tries few grids: those with the most even blocks first, halving the range
of processors, then the neighbours of the best. Mode 2 tries all grids that leave
no processor without elements, until no larger number of processors can be
better. Mode 3 tries all grids. Mode 5 searches as 1 and as 2 and compares. Without
--mode the machine file's "search" holds, else mode 1.

With --sweep and --sweep-scale the grids are searched on many machines, which differ
in the parameters named there as --set and --scale do: one search for every combination,
its records numbered by "point". --sensitivity and --break-even ask what a parameter of
the machine matters to the best grid, and when another one would be the best.

--plan writes the cases of a search instead of doing it, --run-part I/N PLAN evaluates
every N-th of them beginning with the I-th, and --gather PART... joins what all parts
found into what one process would have written, to the byte. Parts can run anywhere
where the files of the plan are, in any order, and again. --run-part array/N takes I from
the number of the task in an array of jobs: SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX,
SGE_TASK_ID, LSB_JOBINDEX, or PARALLEL_SEQ of GNU parallel. scripts/slurm-array.sbatch
does all of it on Slurm.

--order says which processors of the machine a grid takes. On nodes of several
processors, and where powers differ, the best grid depends on it.

SIGINT (Ctrl-C) ends a search with what it has, as --time-limit does: its end
record has "partial". After SIGINT the exit code is 1.

The best grid is the one with the least execution time, the highest efficiency,
or the least cost in processor-seconds, among those that keep to
--min-efficiency and --deadline.`,
		Flags: slices.Concat(open.MachineFlags(), []urfave.Flag{
			&urfave.IntFlag{Name: "mode", Usage: "`MODE` of the search: 1 (heuristic), 2 (grids that are not bad), 3 (all grids) or 5 (1 and 2, compared)"},
			&urfave.IntFlag{Name: "max", Usage: "try at most `N` processors (default: all of the machine)"},
			&urfave.IntFlag{Name: "rank", Usage: "try grids of `R` dimensions, fewer than the program distributes along (default: as many)"},
			&urfave.StringFlag{Name: "objective", Value: string(search.Time), Usage: "what the best grid is best in: `time|efficiency|cost`; efficiency leaves out one processor, cost is time times processors"},
			&urfave.BoolFlag{Name: "whole-nodes", Usage: "count all processors of a node that is taken as cost; a node is a lowest cluster of the machine"},
			&urfave.StringFlag{Name: "min-efficiency", Usage: "the best grid must have at least this efficiency: a `SHARE` such as 0.5 or 50%"},
			&urfave.DurationFlag{Name: "deadline", Usage: "the best grid must not take longer than this `TIME`, such as 2s"},
			&urfave.StringFlag{Name: "threshold", Value: "0.25%", Usage: "mode 1: a grid that is worse by this `SHARE` or more bounds those that differ in the same dimension"},
			&urfave.DurationFlag{Name: "time-limit", Usage: "end the search after this `TIME`, such as 1m, with what it has; mode 5 takes it for each of its two searches"},
			&urfave.BoolFlag{Name: "explain", Usage: "add records that say why the best grid is the best"},
			&urfave.StringFlag{Name: "best-intervals", Usage: "write the interval stream of the best grid to `FILE`"},
		}, sweepFlags(), partFlags(), open.ToleranceFlags(), open.ModelFlags()),
		Aliases: map[string][]string{"threads": {"j"}},
		Examples: []cli.Example{
			{Line: "dvmsearch -m cluster.par --max 64 jac.ptr | jq 'select(.record==\"best\")'", Text: "the best grid of up to 64 processors"},
			{Line: "dvmsearch -m cluster.par --objective cost --deadline 2s jac.ptr | dvmreport > jac.html", Text: "the cheapest grid that is done in two seconds, as a page"},
			{Line: "dvmsearch -m mvs.par --sweep mvs.TByte=0.001,0.004,0.016 --sweep-scale power=1,2 jac.ptr | jq -c 'select(.record==\"best\")'", Text: "the best grid on each of six machines"},
			{Line: "dvmsearch --plan -m mvs.par --sweep mvs.TByte=0.001,0.004 jac.ptr -o plan; seq 4 | xargs -P4 -I{} dvmsearch --run-part {}/4 plan -o part{}; dvmsearch --gather part?", Text: "a sweep in four processes"},
		},
		Run: run,
	}
}

func run(e *cli.Env) error {
	switch {
	case e.Flags.Bool("plan"):
		return plan(e)
	case e.Flags.IsSet("run-part"):
		return runPart(e)
	case e.Flags.Bool("gather"):
		return gather(e)
	}
	w, err := prepare(e)
	if err != nil {
		return err
	}
	return w.search(e)
}

// work is a search that can begin.
type work struct {
	job      search.Job
	prog     *call.Recording
	warnings int    // about the trace
	best     string // the file for the intervals of the best grid
}

// prepare reads the options, the machine and the calls.
func prepare(e *cli.Env) (*work, error) {
	opts, err := open.ModelOptions(e)
	if err != nil {
		return nil, err
	}
	name, err := open.One(e, "one stream of calls")
	if err != nil {
		return nil, err
	}
	machines, err := open.ReadMachines(e)
	if err != nil {
		return nil, err
	}
	m, _, err := machines.Make()
	if err != nil {
		return nil, err
	}
	w := &work{best: e.Flags.String("best-intervals")}
	if w.job.Sweep, err = sweepOf(e, machines); err != nil {
		return nil, err
	}
	cfg := &w.job.Config
	*cfg = search.Config{Machine: m, Options: opts, Threads: e.Threads(), Warn: func(w *diag.Error) { e.Warn(w) }}
	if err := errors.Join(configure(e, cfg), vary(e, machines, cfg)); err != nil {
		return nil, err
	}
	if cfg.Max, err = most(e, m); err != nil {
		return nil, err
	}
	src, err := open.Calls(e, name, ptr.Options{Strict: e.Flags.Bool("strict")})
	if err != nil {
		return nil, err
	}
	if w.prog, err = call.Record(src); err != nil {
		return nil, err
	}
	w.warnings, err = open.WarnOfTrace(e, w.prog.Warnings())
	return w, err
}

// most returns the largest number of processors to try.
func most(e *cli.Env, m *machine.Machine) (int, error) {
	n := e.Flags.Int("max")
	switch {
	case m.Processors() == 1:
		return 0, &smallError{m.Name}
	case e.Flags.IsSet("max") && n < 1:
		return 0, cli.Usagef("--max: found %d, expected a number of processors", n)
	case !e.Flags.IsSet("max"):
		if m.Processors() > search.MaxProcessors {
			return 0, cli.Usagef("the machine has %d processors; say with --max how many to try at most (up to %d)", m.Processors(), search.MaxProcessors)
		}
		return int(m.Processors()), nil
	case int64(n) > m.Processors():
		return 0, cli.Usagef("--max: found %d, the machine has %d processors", n, m.Processors())
	}
	return n, nil
}

// search does the search and writes to the output of e.
func (w *work) search(e *cli.Env) error {
	out, err := e.Out()
	if err != nil {
		return err
	}
	var intervals io.Writer
	if w.best != "" {
		// Before the search, as it may take long.
		if intervals, err = e.Create(w.best); err != nil {
			return err
		}
	}
	cfg := &w.job.Config
	cfg.Progress = progress(e)
	stopped, done := e.Interruptible()
	cfg.Limit = limit(e, stopped)
	best, err := w.job.Run(e.Ctx, w.prog, out)
	if done() {
		e.Report(errInterrupted)
	}
	if err != nil {
		return err
	}
	if intervals != nil {
		return writeBest(e, intervals, sim.Config{Machine: cfg.Machine, Grid: best.Grid, Options: cfg.Options, Lenient: cfg.Lenient}, w.prog, w.warnings)
	}
	return nil
}

// writeBest simulates the best grid once more and writes its intervals, as
// dvmsim does; there were warnings about the trace.
func writeBest(e *cli.Env, out io.Writer, cfg sim.Config, prog *call.Recording, warnings int) error {
	r, err := sim.Run(e.Ctx, cfg, prog.Source())
	if err != nil {
		return err
	}
	w := interval.NewWriter(out)
	if err := r.Write(w, sim.Classes); err != nil {
		return err
	}
	return w.End(int64(warnings + len(r.Warnings)))
}

// errInterrupted is the error of a search that was stopped with Ctrl-C: its
// stream is whole, but says that it is partial.
var errInterrupted = errors.New("interrupted: the search was ended before it was done, and its result is marked as partial")

// smallError is the error of a machine that is too small for a search.
type smallError struct{ name string }

func (e *smallError) Error() string {
	return fmt.Sprintf("the machine %s has one processor, so that there is one grid; expected a cluster of several", e.name)
}
