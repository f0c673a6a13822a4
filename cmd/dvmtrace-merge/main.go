// Dvmtrace-merge makes one trace of the traces of a run's processes.
//
//	dvmtrace-merge [--call-times mean|sum|own] [--measured] [-o FILE] NAME | FILE...
//
// A run of a DVM program on several processors writes a .ptr trace for each
// process: NAME0_0.ptr, NAME1_1.ptr and so on. The prediction needs the trace
// of one program, in which every call stands once, with the times of a run on
// one processor. Dvmtrace-merge writes it, to standard output or to the file
// of -o.
//
// The traces are named in one of three ways:
//
//	NAME     NAME.ptr if there is one, else NAME0_0.ptr, NAME1_1.ptr, ...,
//	         as many as the header of the first says there were processes
//	FILE...  all traces of one run, in any order when their names end in the
//	         numbers of the processes, else process 0 first
//	MASK     a name with "@", which stands for any string
//
// Each may be compressed, then NAME is also looked for with .ptr.zst and
// .ptr.gz. A run of one process, or a trace that is merged already, passes
// through unchanged; without an operand it is read from standard input.
//
// Calls of several processes are one when function, LINE and FILE are equal;
// runam_ and getamr_ when they name the same abstract machine. Where processes
// make different calls, the calls of the process that needs the fewest to reach
// a call of another one come first. At most 1024 calls are looked ahead (with
// more than 64 processes at most 65536 in all, and at least 64 each). A task runs
// to its stopam_ before the others continue. The parameters are those of the
// first process that makes the call; handles, which are addresses, are replaced
// by those of process 0.
//
// The time before a dopl_, which is that of a loop, is the sum over the
// processes, divided by the number of processors that execute each iteration;
// the time before other calls and before the program's end is the mean,
// between biof_ and eiof_ the largest. The time inside a call is the mean, of
// I/O functions the largest, and 0.000001 for operations that wait for other
// processors, whose time the simulation predicts. The exit code is the
// largest. --call-times sum adds up the time before every call, as the
// Predictor of 2010 did.
//
// --call-times own writes the merged times of mean and, in additional lines that
// other readers skip, the times of each process. dvmsim gives every processor its
// own times when it simulates the grid that was traced.
//
// --measured writes no trace but the measured times of the run, as interval
// records like those of dvmsim, without a simulation and a machine: the times
// that each process spent computing, in the run-time system, in input and output,
// and in functions that wait for other processes. dvmreport shows them, and
// compares them with a prediction.
//
// Of a run of more than 64 processes, traces with at most 256 KiB of text are
// read into memory at once, up to 64 MiB in all, and closed; the others stay
// open to the end. When the system does not allow so many open files, raise
// its limit with "ulimit -n".
//
// Traces that are cut, that end in different places, whose headers differ,
// that are too few or too many for the header, given twice, or those of another
// process than the file is named after (a copy), are errors.
//
//	dvmtrace-merge jac | dvmtrace-parse | dvmsim -m cluster.par -g 4x4 | dvmreport > jac.html
//	dvmtrace-merge -o jac.ptr jac0_0.ptr jac1_1.ptr
//	dvmtrace-merge 'old/jac@' | dvmtrace-parse > jac.calls
package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/ptr/merge"
	"dvmtools/pkg/sim"
)

func main() { cli.Main(command()) }

// The values of --call-times.
const (
	timesMean = "mean"
	timesSum  = "sum"
	timesOwn  = "own"
)

// manyTraces is the largest number of traces that are merged without saving memory.
const manyTraces = 64

// command describes the program.
func command() cli.Command {
	return cli.Command{
		Name:      "dvmtrace-merge",
		Usage:     "make one trace of the traces of a run's processes",
		ArgsUsage: "NAME | FILE...",
		Description: `Reads the traces of all processes of one run of a DVM program and writes one
.ptr trace of the whole program, as the prediction needs it.

NAME stands for NAME.ptr if there is one, else for NAME0_0.ptr, NAME1_1.ptr and
so on, as many as the header of the first says there were processes; each also
with .ptr.zst or .ptr.gz. A name with "@", which stands for any string, means
all traces that it fits. Otherwise name all traces of the run.

A run of one process passes through unchanged.`,
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "call-times", Value: timesMean,
				Usage: "make one time of the user's times (seconds) before a call by `RULE`: mean (loops: the sum of all parts; Fortran I/O: the largest), sum (all calls, as the Predictor of 2010), or own (mean, and those of each process beside it)"},
			&urfave.BoolFlag{Name: "measured", Usage: "write what the run took, as interval records, in place of a trace"},
		},
		Examples: []cli.Example{
			{Line: "dvmtrace-merge --measured jac | dvmreport --format text", Text: "what the run took"},
			{Line: "dvmtrace-merge jac | dvmtrace-parse > jac.calls", Text: "jac0_0.ptr, jac1_1.ptr, ... or jac.ptr"},
			{Line: "dvmtrace-merge -o jac.ptr jac0_0.ptr jac1_1.ptr", Text: "two traces"},
			{Line: "dvmtrace-merge 'old/jac@' > jac.ptr", Text: "all traces old/jac*.ptr"},
		},
		Run: run,
	}
}

func run(e *cli.Env) error {
	opts := merge.Options{Warn: func(w *diag.Error) { e.Warn(w) }}
	switch rule := e.Flags.String("call-times"); rule {
	case timesMean:
	case timesSum:
		opts.SumCallTimes = true
	case timesOwn:
		opts.KeepOwn = true
	default:
		return cli.Usagef("option --call-times: found %q, expected %s, %s or %s", rule, timesMean, timesSum, timesOwn)
	}
	measured := e.Flags.Bool("measured")
	if measured && e.Flags.IsSet("call-times") {
		return cli.Usagef("--measured writes no trace, so that --call-times has nothing to say")
	}
	fsys := &files{env: e}
	sources, err := merge.Find(fsys, e.Inputs())
	if err != nil {
		return err
	}
	if len(sources) > manyTraces {
		fsys.many = true
		// The small traces stay in memory to the end: that much garbage again,
		// as the default allows, is too much.
		defer debug.SetGCPercent(debug.SetGCPercent(25))
	}
	out, err := e.Out()
	if err != nil {
		return err
	}
	if measured {
		opts.KeepOwn = len(sources) > 1
		return measure(e, out, sources, opts)
	}
	return merge.Merge(e.Ctx, out, sources, opts)
}

// measure writes the measured times of the run as an interval stream.
func measure(e *cli.Env, out io.Writer, sources []merge.Source, opts merge.Options) error {
	ctx, stop := context.WithCancel(e.Ctx)
	defer stop()
	r, w := io.Pipe()
	merged := make(chan error, 1)
	go func() {
		err := merge.Merge(ctx, w, sources, opts)
		w.CloseWithError(err)
		merged <- err
	}()
	result, err := measurePipe(ctx, sources[0].Name, r)
	r.CloseWithError(context.Canceled)
	// An error in the traces is reported for them, not for the merged trace.
	if merr := <-merged; merr != nil && !errors.Is(merr, context.Canceled) {
		return merr
	}
	if err != nil {
		return err
	}
	for _, w := range result.Warnings {
		e.Warn(w)
	}
	iw := interval.NewWriter(out)
	if err := result.Write(iw, sim.Classes); err != nil {
		return err
	}
	return iw.End(int64(len(result.Warnings)))
}

// measurePipe accounts the merged trace in.
func measurePipe(ctx context.Context, name string, in io.Reader) (*sim.Result, error) {
	calls, err := ptr.NewReader(name, in, ptr.Options{})
	if err != nil {
		return nil, err
	}
	return sim.Measure(ctx, calls)
}

// files is the file system as the command's environment opens it.
type files struct {
	env  *cli.Env
	many bool // each file is one of many
}

func (*files) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (*files) Same(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func (*files) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (f *files) Open(name string) (io.ReadCloser, error) {
	open := f.env.Open
	if f.many {
		open = f.env.OpenOneOfMany
	}
	in, err := open(name)
	if err != nil {
		return nil, tooMany(name, err) // a nil *cli.Input is no nil io.ReadCloser
	}
	return in, nil
}

// tooMany says what to do about the system's limit of open files; other errors
// stay as they are.
func tooMany(name string, err error) error {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return err
	}
	e := diag.New(diag.Pos{File: name}, "merge/files", "the system allows no more open files, expected one for each trace that is not read into memory (more than 64 traces: those of at most 256 KiB of text, up to 64 MiB in all); raise the limit, as with ulimit -n 4096")
	e.Err = err
	return e
}
