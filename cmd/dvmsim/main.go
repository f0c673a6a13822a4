// Dvmsim predicts how long a program runs on a machine, interval by interval.
//
//	dvmsim -m MACHINE [-g N1xN2...] [options] [FILE]
//
// It reads the calls of a trace (the output of dvmtrace-parse, or a .ptr
// trace itself) from FILE or standard input, simulates them on a grid of
// processors of the machine, and writes newline-delimited JSON: a header, one
// record per interval of the program with all characteristics, for each the
// classes of processors with equal values and the lines of the source with what
// was spent there, and an end record. --lines=false leaves the lines out.
// --timeline adds what every processor does when.
//
// -m names a machine description: Predictor.par, which may consist of several
// files, or a machine file of Parasol I. For the latter, --topology-id chooses the
// topology, --model the programming model whose software overheads are used, and
// --traced-on the type of processor with power 1. --set and --scale change
// parameters of the machine first. -g is the processor grid; the default is the
// topology of the machine description, or one processor.
//
// A trace of one processor lacks the sections of processor systems that crtps_
// creates, and its tasks would run one after the other. --sections
// 16=0-1/4,17=2-3/4 states them: the crtps_ of line 16 has processors 0 to 1 of
// 4. They are scaled to the grid.
//
// All iterations of a loop cost the same, unless --loop-cost says otherwise: as
// lu.fdv:16=I1, an expression in the loop's indices, or as traced, by the times of
// the processes of a run (dvmtrace-merge --call-times own).
//
//	dvmtrace-parse jac.ptr | dvmsim -m cluster.par -g 4x4 | dvmreport > jac.html
//	dvmsim -m cluster.par -g 16 jac.ptr | jq 'select(.record=="interval" and .level==0).execution_time'
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/sim"
)

func main() { cli.Main(command()) }

// command describes the program.
func command() cli.Command {
	return cli.Command{
		Name:      "dvmsim",
		Usage:     "predict how long a DVM program runs on a machine",
		ArgsUsage: "[FILE]",
		Description: `Reads the calls of a trace (output of dvmtrace-parse, or a .ptr trace) from FILE
or standard input, simulates them on a grid of processors, and writes one
record per interval of the program with all its characteristics.

Times are in seconds. Every interval's total time is productive time plus lost
time; lost time is insufficient parallelism, communication and idle time.`,
		Flags: slices.Concat(open.MachineFlags(), []urfave.Flag{
			&urfave.StringFlag{Name: "grid", Aliases: []string{"g"}, Usage: "processor grid `N1xN2...` (default: the topology of the machine file, else 1)"},
			&urfave.IntFlag{Name: "level", Value: -1, Usage: "keep intervals down to level `N`; the whole program is level 0 (-1: all)"},
			&urfave.StringFlag{Name: "per-processor", Value: "classes", Usage: "processor records: `none|classes|each`"},
			&urfave.BoolFlag{Name: "lines", Value: true, Usage: "write a record for each line of the source in an interval, what the calls there cost; --lines=false leaves them out"},
			&urfave.BoolFlag{Name: "pop", Usage: "add the POP metrics, for which the program is simulated on an ideal network as well"},
			&urfave.BoolFlag{Name: "timeline", Usage: "add a record for each span of time in which processors do the same, for dvmreport and its --format perfetto"},
			&urfave.StringFlag{Name: "explain", Usage: "print what one call costs and why, `FUNC@SEQ` as in the records of dvmtrace-parse, instead of the intervals"},
		}, open.ToleranceFlags(), open.ModelFlags()),
		Examples: []cli.Example{
			{Line: "dvmsim -m cluster.par -g 4x4 jac.ptr | dvmreport -o jac.html", Text: "a report"},
			{Line: "dvmsim -m cluster.par -g 16 jac.ptr | jq 'select(.level==0).execution_time'", Text: "the predicted time alone"},
			{Line: "dvmsim -m cluster.par -g 16 jac.ptr | jq -s '[.[] | select(.record==\"line\")] | sort_by(-.insuff_parallelism - .communication) | .[:5]'", Text: "the five lines that lose most"},
		},
		SmallHeap: true,
		Run:       run,
	}
}

func run(e *cli.Env) error {
	opts, err := open.ModelOptions(e)
	if err != nil {
		return err
	}
	if opts.Level = e.Flags.Int("level"); opts.Level < -1 {
		return cli.Usagef("--level: found %d, expected a number from -1", opts.Level)
	}
	details := map[string]sim.Detail{"none": sim.None, "classes": sim.Classes, "each": sim.Each}
	detail, ok := details[e.Flags.String("per-processor")]
	if !ok {
		return cli.Usagef("--per-processor: found %q, expected none, classes or each", e.Flags.String("per-processor"))
	}
	wanted, err := parseWanted(e.Flags.String("explain"))
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
	grid := []int{1}
	if g := e.Flags.String("grid"); g != "" {
		if grid, err = open.Grid(g); err != nil {
			return err
		}
	} else if len(m.Topology) > 0 {
		grid = m.Topology
	}
	if err := sim.CheckGrid(m, grid); err != nil {
		return err
	}
	src, err := open.Calls(e, name, ptr.Options{Strict: e.Flags.Bool("strict")})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(e.Ctx)
	defer stop()
	src = call.Ahead(ctx, src, e.Threads())
	r, err := sim.Run(ctx, sim.Config{
		Machine: m, Grid: grid, Options: opts,
		Strict: e.Flags.Bool("strict"), Lenient: e.Flags.Bool("lenient"), Explain: wanted, OwnTimes: true, Lines: wanted == nil && e.Flags.Bool("lines"), POP: e.Flags.Bool("pop"), Timeline: wanted == nil && e.Flags.Bool("timeline"),
	}, src)
	warnings, werr := open.WarnOfTrace(e, src.Warnings())
	if err := cmp.Or(err, werr); err != nil {
		return err
	}
	for _, w := range r.Warnings {
		e.Warn(w)
		warnings++
	}
	out, err := e.Out()
	if err != nil {
		return err
	}
	if wanted != nil {
		return writeExplanation(out, r, wanted)
	}
	w := interval.NewWriter(out)
	if err := r.Write(w, detail); err != nil {
		return err
	}
	return w.End(int64(warnings))
}

// parseWanted reads FUNC@SEQ; it returns nil for an empty text.
func parseWanted(s string) (*sim.Wanted, error) {
	if s == "" {
		return nil, nil
	}
	name, num, ok := strings.Cut(s, "@")
	seq, err := strconv.ParseInt(num, 10, 64)
	if !ok || err != nil || seq < 1 || name == "" {
		return nil, cli.Usagef("--explain: found %q, expected a function and the number of its call, such as strtrd_@41", s)
	}
	return &sim.Wanted{Func: name, Seq: seq}, nil
}

// writeExplanation prints what the wanted call costs.
func writeExplanation(w io.Writer, r *sim.Result, wanted *sim.Wanted) error {
	lines := r.Explanation()
	if lines == nil {
		return fmt.Errorf("there is no call %d inside the program; see the seq of its record in the output of dvmtrace-parse", wanted.Seq)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
