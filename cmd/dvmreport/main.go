// Dvmreport shows where a predicted program spends its time.
//
//	dvmreport [-o FILE] [--format FORMAT] [--metric METRIC] [--level N] [FILE]
//	dvmreport [-o FILE] [--format FORMAT] [--fail-over SHARE] FILE FILE...
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
// folded is the input of flame graph tools: the names of an interval and of those
// around it, outermost first, joined by semicolons, and how much of --metric the
// interval has without those inside it, in nanoseconds or operations. prom is
// OpenMetrics text, for the textfile
// collector of Prometheus among others. md is a summary in Markdown. perfetto is the
// timeline of dvmsim --timeline in the Trace Event Format, which the Perfetto UI
// shows.
//
// Two streams are compared: by how much the execution time differs, by which
// parts of a processor's time (they sum to it), and in which intervals. Intervals
// are matched by type, file, line and expression inside of matching intervals,
// then without the line. With --fail-over 5% the command exits with 1 when the
// execution time of the last is more than 5 % above that of the first; the report
// is written all the same. Three and more streams are one program on several
// grids: time, speed-up, efficiency, and what grows. The stream of dvmsearch
// becomes the grids that were tried, and their Pareto front.
//
// The lines of the source that lose most have a table, and x.html#l3 the figures of
// line 3 of it. --source DIR shows the files of the program that are in DIR: lines
// are coloured by what they lose, a click shows their figures.
//
// --what-if CALLS makes a page on which the parameters of the machine, the grid and
// the options of the model can be changed: it carries the simulator and the calls,
// and simulates in the browser, from disk. -m names the machine's file, whose
// parameters then have their names in copied command lines; without it the machine
// is that of the stream's header, and the parameters of a machine of Parasol cannot
// be changed. Options about the machine are those that dvmsim was given.
//
// --level N leaves out the intervals deeper than level N; the whole program
// is level 0. Their times are part of those around them.
//
// The report is written only after the end record of the stream was read: a
// truncated stream gives no report.
//
//	dvmtrace-parse jac.ptr | dvmsim -m cluster.par -g 4x4 | dvmreport -o jac.html
//	dvmsim -m cluster.par -g 4x4 jac.ptr | dvmreport --format text --level 1
//	dvmreport --format text --fail-over 5% before.intervals after.intervals
//	dvmreport --format folded --metric lost_time jac.intervals | flamegraph.pl > lost.svg
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/report"
	"dvmtools/pkg/stream"
	"dvmtools/pkg/units"
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
		ArgsUsage: "[FILE...]",
		Description: `Reads the interval stream of dvmsim from FILE or standard input and writes a
report: a page that holds everything it needs (html), the same in short for a
terminal (text), all figures in a table (csv) or one document (json), the input
of flame graphs (folded), OpenMetrics text (prom), a summary in Markdown (md), or
the timeline of dvmsim --timeline for the Perfetto UI (perfetto).

Two FILEs are compared: what changed, and why. More FILEs are one program on
several grids: how it scales. A stream of dvmsearch is shown as the grids that
were tried.

The page shows program, machine, execution time, efficiency and where the time
of the processors goes; the tree of intervals; and for each interval all its
figures. A figure has the anchor iN-NAME, N the interval's number and NAME that
of the Predictor's design of 2010, appendix 2: x.html#i1-effic.`,
		Flags: slices.Concat([]urfave.Flag{
			&urfave.StringFlag{Name: "format", Value: string(report.HTML), Usage: "`FORMAT` of the report: " + strings.Join(names, ", ")},
			&urfave.StringFlag{Name: "metric", Usage: "`METRIC` of the folded format: a field of the interval records that adds up over intervals", DefaultText: "total_time"},
			&urfave.StringFlag{Name: "color", Value: "auto", Usage: "colour the text `WHEN`: auto (the output is a terminal), always or never"},
			&urfave.BoolFlag{Name: "exact", Usage: "show the numbers of the text and the summary in full, times in seconds"},
			&urfave.StringSliceFlag{Name: "source", Usage: "show the program's files that are in `DIR` beside the figures of the page; repeat it for more"},
			&urfave.StringFlag{Name: "fail-over", Usage: "exit with 1 when the execution time of the last FILE is more than `SHARE`, such as 5%, above that of the first"},
			&urfave.IntFlag{Name: "level", Usage: "leave out intervals deeper than level `N`; the whole program is level 0", DefaultText: "all"},
			&urfave.StringFlag{Name: "what-if", Usage: "make a page on which machine, grid and options can be changed; `CALLS` is the trace of the program, or its calls"},
		}, open.MachineFlags()),
		Examples: []cli.Example{
			{Line: "dvmsim -m cluster.par -g 4x4 jac.ptr | dvmreport -o jac.html", Text: "a page"},
			{Line: "dvmreport --format text --level 1 jac.intervals", Text: "the outermost intervals in the terminal"},
			{Line: "dvmreport before.intervals after.intervals -o change.html", Text: "what changed, and why"},
			{Line: "dvmreport --fail-over 5% --format text before.intervals after.intervals", Text: "the same for CI: fails when it became slower"},
			{Line: "dvmsim --timeline -m cluster.par -g 4x4 jac.ptr | dvmreport --format perfetto -o jac.json", Text: "what every processor does when, for the Perfetto UI"},
			{Line: "dvmreport --what-if jac.ptr -m cluster.par jac.intervals -o jac.html", Text: "a page with sliders"},
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
	opts := report.Options{Threads: e.Threads(), Metric: e.Flags.String("metric"), Exact: e.Flags.Bool("exact")}
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
	limit, err := failOver(e)
	if err != nil {
		return err
	}
	if err := checkWhatIf(e, format); err != nil {
		return err
	}
	var trees []*report.Tree
	var names []string
	for _, name := range e.Inputs() {
		in, err := e.Open(name)
		if err != nil {
			return err
		}
		content, err := in.Sniff()
		if err != nil {
			return err
		}
		if content.Record == "search" && len(e.Inputs()) == 1 {
			if err := checkSearch(e, in.Name()); err != nil {
				return err
			}
			return writeSearch(e, in, format, opts)
		}
		if err := expectIntervals(content, in.Name()); err != nil {
			return err
		}
		tree, err := report.Read(in.Name(), in, level)
		if err != nil {
			return err
		}
		if err := in.Close(); err != nil {
			return err
		}
		trees, names = append(trees, tree), append(names, in.Name())
	}
	switch {
	case e.Flags.IsSet("source") && (len(trees) > 1 || format != report.HTML):
		return cli.Usagef("--source is for the page of one program")
	case len(trees) == 1 && limit >= 0:
		return cli.Usagef("--fail-over compares the last operand with the first; found one operand")
	case len(trees) == 1 && format == report.Perfetto && trees[0].Timeline == nil:
		return diag.New(diag.Pos{File: names[0]}, "report/spans", "found no spans, expected the stream of dvmsim --timeline")
	case len(trees) == 1:
		if opts.Sources, err = sources(e, trees[0]); err != nil {
			return err
		}
		if opts.WhatIf, err = whatIf(e, trees[0], level); err != nil {
			return err
		}
		out, err := e.Out()
		if err != nil {
			return err
		}
		return report.Write(out, trees[0], format, opts)
	case len(trees) == 2:
		err = writeSheet(e, report.Compare(trees[0], trees[1], names[0], names[1]), format, opts)
	default:
		err = writeSheet(e, report.Scale(trees, names), format, opts)
	}
	if err != nil {
		return err
	}
	first, last := trees[0], trees[len(trees)-1]
	if growth := report.Growth(first, last); limit >= 0 && growth > limit {
		e.Report(fmt.Errorf("the execution time grew by %s, from %s to %s, more than --fail-over %s allows", units.Percent(growth),
			first.Root.ExecutionTime.Short(), last.Root.ExecutionTime.Short(), e.Flags.String("fail-over")))
	}
	return nil
}

// maxSourceBytes bounds the size of a file of the program that is shown.
const maxSourceBytes = 8 << 20

// sources reads the files of the program that are in the directories of --source, the
// first that has one, by their names in the trace or by the last elements of these.
// Nothing outside of the directories is read, whatever names the trace has.
func sources(e *cli.Env, t *report.Tree) ([]report.Source, error) {
	dirs := e.Values("source")
	if len(dirs) == 0 {
		return nil, nil
	}
	var roots []*os.Root
	for _, dir := range dirs {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("--source: %w", err)
		}
		defer root.Close()
		roots = append(roots, root)
	}
	var found []report.Source
	var missing []string
names:
	for _, name := range report.SourceNames(t) {
		for _, root := range roots {
			if text, ok := readSource(root, name); ok {
				found = append(found, report.Source{Name: name, Text: text})
				continue names
			}
		}
		missing = append(missing, report.Clean(name))
	}
	if len(missing) > 0 {
		e.Warn(fmt.Errorf("--source: %s has no file %s", strings.Join(dirs, ", "), strings.Join(missing, ", ")))
	}
	return found, nil
}

// readSource reads a file in root.
func readSource(root *os.Root, name string) (string, bool) {
	for _, path := range []string{name, filepath.Base(name)} {
		f, err := root.Open(path)
		if err != nil {
			continue
		}
		fi, err := f.Stat()
		if err == nil && fi.Mode().IsRegular() {
			text, err := io.ReadAll(io.LimitReader(f, maxSourceBytes))
			f.Close()
			if err == nil {
				return string(text), true
			}
			continue
		}
		f.Close()
	}
	return "", false
}

// failOver returns the share by which the execution time may grow, -1 for any.
func failOver(e *cli.Env) (float64, error) {
	if !e.Flags.IsSet("fail-over") {
		return -1, nil
	}
	text := e.Flags.String("fail-over")
	number, ok := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil || !(x >= 0 && x <= 1e6) {
		return 0, cli.Usagef("--fail-over: found %q, expected a share in per cent such as 5%%", text)
	}
	return x / 100, nil
}

// checkSearch refuses options that say nothing about what a search found.
func checkSearch(e *cli.Env, name string) error {
	for _, option := range []string{"source", "what-if", "fail-over", "level"} {
		if e.Flags.IsSet(option) {
			return cli.Usagef("--%s is for the intervals of a program, found the results of a search in %s; dvmsearch --best-intervals writes the intervals of the best grid", option, name)
		}
	}
	return nil
}

// writeSearch writes what a search found.
func writeSearch(e *cli.Env, in *cli.Input, format report.Format, opts report.Options) error {
	s, err := report.ReadSearch(in.Name(), in)
	if err != nil {
		return err
	}
	return writeSheet(e, s.Sheet(), format, opts)
}

// writeSheet writes a comparison or a search in a format that these have.
func writeSheet(e *cli.Env, s *report.Sheet, format report.Format, opts report.Options) error {
	if !slices.Contains(report.SheetFormats(), format) {
		return cli.Usagef("--format %s is for the intervals of one program", format)
	}
	out, err := e.Out()
	if err != nil {
		return err
	}
	return report.WriteSheet(out, s, format, opts)
}

// expectIntervals refuses other kinds of input, and says which command makes an
// interval stream from them.
func expectIntervals(c stream.Content, name string) error {
	pos := diag.Pos{File: name, Line: 1, Col: 1}
	const expected = "expected the interval stream of dvmsim; "
	switch {
	case c.Format == stream.FormatText:
		return diag.New(pos, "report/input", "found text, %sa trace goes through dvmsim first", expected)
	case c.Record == "trace":
		return diag.New(pos, "report/input", "found the calls of a trace, %spipe them through dvmsim first", expected)
	case c.Record == "search":
		return diag.New(pos, "report/input", "found the stream of dvmsearch beside others, %sreport it alone, or use its --best-intervals to have the intervals of the best grid", expected)
	}
	return nil
}
