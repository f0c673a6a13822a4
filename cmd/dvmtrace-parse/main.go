// Dvmtrace-parse turns a .ptr trace into a stream of calls, and back.
//
//	dvmtrace-parse [--to-ptr] [--strict] [--keep-going] [-o FILE] [FILE]
//
// It reads a trace that the run-time system of DVM programs wrote, or that
// dvmtrace-merge made of several, and writes newline-delimited JSON: a header
// record, one record per call with all parameters and both times, the
// program's end, and an end record. Nothing that a trace holds is lost:
// lines that are no parameters are kept as text, and --to-ptr writes a trace
// again that has every parameter of the first.
//
// A trace that was cut, whose beginning was overwritten, or that was made
// without parameters (FullTrace=0) is refused with the place and the setting
// to change; complete calls before the cut are written. --keep-going reports
// bad records and goes on; --strict treats warnings as errors.
//
//	dvmtrace-parse jac.ptr | jq 'select(.func=="crtda_").args.SizeArray'
//	dvmtrace-parse jac.ptr -z > jac.calls.zst
//	dvmtrace-parse --to-ptr jac.calls.zst > jac.ptr
package main

import (
	"context"
	"errors"
	"io"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/ptr"
)

func main() { cli.Main(command()) }

// command describes the program.
func command() cli.Command {
	return cli.Command{
		Name:      "dvmtrace-parse",
		Usage:     "turn a trace of a DVM program into a stream of calls",
		ArgsUsage: "[FILE]",
		Description: `Reads a .ptr trace from FILE or standard input and writes newline-delimited
JSON: a header, one record per call of the run-time system with all its
parameters and times, the program's end and an end record.

Input that is such a stream already is read as well: it is checked and written
again, with fields and records that are not known, or turned back into a trace
with --to-ptr.`,
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "to-ptr", Usage: "write a .ptr trace instead of records"},
			&urfave.BoolFlag{Name: "strict", Usage: "treat warnings as errors"},
			&urfave.BoolFlag{Name: "keep-going", Usage: "report bad records and go on"},
		},
		Examples: []cli.Example{
			{Line: "dvmtrace-parse jac.ptr | jq 'select(.func==\"crtda_\").args.SizeArray'", Text: "the sizes of all arrays"},
			{Line: "dvmtrace-parse -z jac.ptr > jac.calls.zst", Text: "keep the calls, compressed"},
			{Line: "dvmtrace-parse --to-ptr jac.calls.zst > jac.ptr", Text: "write the trace back"},
		},
		SmallHeap: true,
		Run:       run,
	}
}

// sink is where calls go.
type sink interface {
	Header(*call.Header) error
	Call(*call.Call) error
	Exit(*call.Exit) error
}

func run(e *cli.Env) error {
	name, err := open.One(e, "one trace (several processes' traces go through dvmtrace-merge first)")
	if err != nil {
		return err
	}
	opts := ptr.Options{Strict: e.Flags.Bool("strict"), WarnUnknown: true}
	if e.Flags.Bool("keep-going") {
		opts.KeepGoing = func(d *diag.Error) { e.Report(d) }
	}
	src, err := open.Calls(e, name, opts)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(e.Ctx)
	defer stop()
	src = call.Ahead(ctx, src, e.Threads())
	out, err := e.Out()
	if err != nil {
		return err
	}
	if e.Flags.Bool("to-ptr") {
		return copyCalls(e, src, ptr.NewWriter(out), func() error { return nil })
	}
	w := call.NewWriter(out)
	return copyCalls(e, src, w, func() error {
		if err := w.Rest(call.RestOf(src)); err != nil {
			return err
		}
		return w.End(src.Warnings())
	})
}

// copyCalls writes everything that src holds, the program's end where it
// stands between the calls, and then what end writes.
func copyCalls(e *cli.Env, src call.Source, w sink, end func() error) error {
	if err := w.Header(src.Header()); err != nil {
		return err
	}
	exited, shown := false, 0
	for {
		c, err := src.Next()
		n, werr := open.Warn(e, src.Warnings()[shown:])
		if werr != nil {
			return werr
		}
		shown += n
		if src.Exit().Found && !exited {
			exited = true
			if err := w.Exit(src.Exit()); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return end()
		}
		if err != nil {
			return err
		}
		if err := w.Call(c); err != nil {
			return err
		}
	}
}
