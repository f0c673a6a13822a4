// Dvmsearch finds the processor grid on which a program runs fastest.
//
//	dvmsearch -m MACHINE [--mode 2|3] [--max N] [options] [FILE]
//
// It reads the calls of a trace (the output of dvmtrace-parse, or a .ptr
// trace itself) once, simulates them on many grids of the machine's
// processors, and writes newline-delimited JSON: a header, one record per
// grid that was tried, the Pareto front of processors and time, the best
// grid, and an end record with the numbers of grids.
//
// The rank of the grids and the extents that they cut follow from the
// program's distributions. Mode 2, the default, tries all grids that leave no
// processor without elements, by growing numbers of processors; it stops
// early when the best time equals what every processor does on any grid.
// Mode 3 tries all. What it says of a grid is what dvmsim says of it, and
// --best-intervals writes what dvmsim writes for the best one.
//
//	dvmtrace-parse jac.ptr | dvmsearch -m cluster.par --max 64 | jq 'select(.record=="best")'
package main

import (
	"slices"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/search"
	"dvmtools/pkg/sim"
)

func main() { cli.Main(command()) }

// command describes the program.
func command() cli.Command {
	return cli.Command{
		Name:      "dvmsearch",
		Usage:     "find the processor grid on which a DVM program runs fastest",
		ArgsUsage: "[FILE]",
		Description: `Reads the calls of a trace (output of dvmtrace-parse, or a .ptr trace) from FILE
or standard input, simulates them on many processor grids, and writes one
record per grid tried, the Pareto front of processors and time, and the best
grid.

Mode 2 tries all grids that leave no processor without elements; mode 3 tries
all grids. Without --mode the machine file's "search" holds when it is 2 or 3,
else mode 2.`,
		Flags: slices.Concat(open.MachineFlags(), []urfave.Flag{
			&urfave.IntFlag{Name: "mode", Usage: "`MODE` of the search: 2 (grids that are not bad) or 3 (all grids)"},
			&urfave.IntFlag{Name: "max", Usage: "try at most `N` processors (default: all of the machine)"},
			&urfave.StringFlag{Name: "best-intervals", Usage: "write the interval stream of the best grid to `FILE`"},
		}, open.ToleranceFlags(), open.ModelFlags()),
		Aliases: map[string][]string{"threads": {"j"}},
		Examples: []cli.Example{
			{Line: "dvmsearch -m cluster.par --max 64 jac.ptr | jq 'select(.record==\"best\")'", Text: "the best grid of up to 64 processors"},
		},
		Run: run,
	}
}

func run(e *cli.Env) error {
	opts, err := open.ModelOptions(e)
	if err != nil {
		return err
	}
	name, err := open.One(e, "one stream of calls")
	if err != nil {
		return err
	}
	m, err := open.Machine(e)
	if err != nil {
		return err
	}
	modes := []int{search.NotBad, search.All}
	mode := search.NotBad
	if e.Flags.IsSet("mode") {
		if mode = e.Flags.Int("mode"); !slices.Contains(modes, mode) {
			return cli.Usagef("--mode: found %d, expected 2 or 3", mode)
		}
	} else if slices.Contains(modes, m.Search) {
		mode = m.Search
	}
	most := e.Flags.Int("max")
	switch {
	case e.Flags.IsSet("max") && most < 1:
		return cli.Usagef("--max: found %d, expected a number of processors", most)
	case !e.Flags.IsSet("max"):
		if m.Processors() > search.MaxProcessors {
			return cli.Usagef("the machine has %d processors; say with --max how many to try at most (up to %d)", m.Processors(), search.MaxProcessors)
		}
		most = int(m.Processors())
	case int64(most) > m.Processors():
		return cli.Usagef("--max: found %d, the machine has %d processors", most, m.Processors())
	}
	src, err := open.Calls(e, name, ptr.Options{Strict: e.Flags.Bool("strict")})
	if err != nil {
		return err
	}
	prog, err := call.Record(src)
	if err != nil {
		return err
	}
	warnings, err := open.WarnOfTrace(e, prog.Warnings())
	if err != nil {
		return err
	}
	out, err := e.Out()
	if err != nil {
		return err
	}
	lenient := e.Flags.Bool("lenient")
	best, err := search.Run(e.Ctx, search.Config{
		Machine: m, Options: opts, Mode: mode, Max: most, Threads: e.Threads(), Lenient: lenient, Strict: e.Flags.Bool("strict"),
		Warn: func(w *diag.Error) { e.Warn(w) },
	}, prog, out)
	if err != nil {
		return err
	}
	if f := e.Flags.String("best-intervals"); f != "" {
		return writeBest(e, f, sim.Config{Machine: m, Grid: best.Grid, Options: opts, Lenient: lenient}, prog, warnings)
	}
	return nil
}

// writeBest simulates the best grid once more and writes its intervals, as
// dvmsim does; there were warnings about the trace.
func writeBest(e *cli.Env, file string, cfg sim.Config, prog *call.Recording, warnings int) error {
	r, err := sim.Run(e.Ctx, cfg, prog.Source())
	if err != nil {
		return err
	}
	out, err := e.Create(file)
	if err != nil {
		return err
	}
	w := interval.NewWriter(out)
	if err := r.Write(w, sim.Classes); err != nil {
		return err
	}
	return w.End(int64(warnings + len(r.Warnings)))
}
