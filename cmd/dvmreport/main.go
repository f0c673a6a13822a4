// Dvmreport shows where a predicted program spends its time.
//
//	dvmreport [-o FILE] [--format FORMAT] [--metric METRIC] [--level N] [FILE]
//
// It reads the interval stream that dvmsim writes, from FILE or from standard
// input, and writes a report.
//
// html, the default, is one page that holds everything it needs, opens from
// disk and shows every figure with scripts disabled. At its top stand the
// program, the machine, the execution time, the efficiency, what the figures
// say in a few sentences, and a bar that splits the time of all processors into
// its productive and lost parts; then comes the tree of intervals, and for each
// interval a section with its figures and its processors. UP leads to the
// interval around, PRED and NEXT to its neighbours, HOME to the top. A figure
// has the anchor iN-NAME, N the interval's number and NAME that of the
// Predictor's design of 2010, appendix 2: x.html#i1-effic is the efficiency of
// the whole program. Pointing at a figure shows its definition; all definitions
// stand at the end.
//
// text is the same in short, aligned for a terminal, with colours only there
// (--color, NO_COLOR).
//
// csv has one line for each figure of each interval and each class of
// processors: interval, processors ("all" for the sums), metric, value, unit,
// and where the interval is. json is one document with everything. Both have
// exact values, times in seconds.
//
// folded is what flame graphs are drawn from: the intervals from the outermost
// in, joined by semicolons, and how much of --metric the last has for itself,
// in nanoseconds or operations. prom is OpenMetrics text, for the textfile
// collector of Prometheus among others. md is a summary in Markdown.
//
// --level N leaves out the intervals deeper than level N; the whole program
// is level 0. Their times are part of those around them.
//
// The report is written when the stream was read to its end record: of a
// truncated stream there is none.
//
//	dvmtrace-parse jac.ptr | dvmsim -m cluster.par -g 4x4 | dvmreport -o jac.html
//	dvmsim -m cluster.par -g 4x4 jac.ptr | dvmreport --format text --level 1
//	dvmreport --format folded --metric lost_time jac.intervals | flamegraph.pl > lost.svg
package main

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/report"
	"dvmtools/pkg/stream"
)

func main() { cli.Main(command()) }

// command describes the program.
func command() cli.Command {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, string(f))
	}
	return cli.Command{
		Name:      "dvmreport",
		Usage:     "show where a predicted program spends its time",
		ArgsUsage: "[FILE]",
		Description: `Reads the interval stream of dvmsim from FILE or standard input and writes a
report: a page that holds everything it needs (html), the same in short for a
terminal (text), all figures in a table (csv) or one document (json), the input
of flame graphs (folded), OpenMetrics text (prom), or a summary in Markdown (md).

The page shows program, machine, execution time, efficiency and where the time
of the processors goes; the tree of intervals; and for each interval all its
figures. A figure has the anchor iN-NAME, N the interval's number and NAME that
of the Predictor's design of 2010, appendix 2: x.html#i1-effic.`,
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "format", Value: string(report.HTML), Usage: "`FORMAT` of the report: " + strings.Join(names, ", ")},
			&urfave.StringFlag{Name: "metric", Usage: "`METRIC` of the folded format: a field of the interval records that adds up over intervals", DefaultText: "total_time"},
			&urfave.StringFlag{Name: "color", Value: "auto", Usage: "colour the text `WHEN`: auto (the output is a terminal), always or never"},
			&urfave.BoolFlag{Name: "exact", Usage: "show the numbers of the text and the summary in full, times in seconds"},
			&urfave.IntFlag{Name: "level", Usage: "leave out intervals deeper than level `N`; the whole program is level 0", DefaultText: "all"},
		},
		Examples: []cli.Example{
			{Line: "dvmsim -m cluster.par -g 4x4 jac.ptr | dvmreport -o jac.html", Text: "a page"},
			{Line: "dvmreport --format text --level 1 jac.intervals", Text: "the outermost intervals in the terminal"},
			{Line: "dvmreport --format folded --metric lost_time jac.intervals", Text: "stacks for a flame graph of what is lost"},
		},
		Run: run,
	}
}

func run(e *cli.Env) error {
	format, err := report.ParseFormat(e.Flags.String("format"))
	if err != nil {
		return cli.Usagef("--format: %v", err)
	}
	opts := report.Options{Metric: e.Flags.String("metric"), Exact: e.Flags.Bool("exact")}
	if e.Flags.IsSet("metric") && format != report.Folded {
		return cli.Usagef("--metric is for --format %s, found --format %s", report.Folded, format)
	}
	if err := report.CheckMetric(opts.Metric); err != nil {
		return cli.Usagef("--metric: %v", err)
	}
	switch when := e.Flags.String("color"); when {
	case "auto":
		opts.Colour = e.Colour()
	case "always":
		opts.Colour = true
	case "never":
	default:
		return cli.Usagef("--color: found %q, expected auto, always or never", when)
	}
	level := report.AllLevels
	if e.Flags.IsSet("level") {
		if level = e.Flags.Int("level"); level < 0 {
			return cli.Usagef("--level: found %d, expected a number from 0", level)
		}
	}
	inputs := e.Inputs()
	if len(inputs) > 1 {
		return cli.Usagef("found %d operands, expected one interval stream", len(inputs))
	}
	in, err := e.Open(inputs[0])
	if err != nil {
		return err
	}
	defer in.Close()
	content, err := in.Sniff()
	if err != nil {
		return err
	}
	if err := expectIntervals(content, in.Name()); err != nil {
		return err
	}
	tree, err := report.Read(in.Name(), in, level)
	if err != nil {
		return err
	}
	out, err := e.Out()
	if err != nil {
		return err
	}
	return report.Write(out, tree, format, opts)
}

// expectIntervals refuses what other programs read or write, and says how it
// becomes an interval stream.
func expectIntervals(c stream.Content, name string) error {
	pos := diag.Pos{File: name, Line: 1, Col: 1}
	const expected = "expected the interval stream of dvmsim; "
	switch {
	case c.Format == stream.FormatText:
		return diag.New(pos, "report/input", "found text, %sa trace goes through dvmsim first", expected)
	case c.Record == "trace":
		return diag.New(pos, "report/input", "found the calls of a trace, %spipe them through dvmsim first", expected)
	case c.Record == "search":
		return diag.New(pos, "report/input", "found the stream of dvmsearch, %suse its --best-intervals to have the intervals of the best grid", expected)
	}
	return nil
}
