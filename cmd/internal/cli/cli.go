// Package cli is what the six commands share: the command line, inputs and
// outputs, diagnostics, progress and the exit code. Only this package uses the
// standard streams, signals and terminals of the process. It also replaces
// defaults of urfave/cli that do not suit a filter: printing usage errors on
// standard output, treating options after an operand as operands, and calling
// os.Exit before the work is finished.
//
//  1. [Main] passes the command line to [Run], which normalizes it (options
//     first, one spelling, one value each) before urfave/cli reads it, so that
//     "dvmsim x.ptr -g4x4 -qT4" works.
//  2. The command's own Run gets an [Env]: operands, options, [Env.Open] for
//     inputs and [Env.Out] for the output.
//  3. When it returns nil the output is committed; when it returns an error
//     the file named by -o is left unchanged, and what was written to standard
//     output is flushed, so that the reader gets all complete records before
//     a truncation.
//  4. The error is printed, one line per message, and [ExitCode] turns it
//     into the exit code.
//
// Broken pipes are left to the Go runtime: a write to a closed standard
// output ends the process by SIGPIPE, as users of shells expect.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"

	urfave "github.com/urfave/cli/v2"
)

// A Command describes one of the programs. Build a new one for every call of
// [Run]: urfave/cli keeps state in its flags.
type Command struct {
	// Name is the program's name, the prefix of its messages.
	Name string
	// Usage says in one line what the program does.
	Usage string
	// ArgsUsage names the operands, "[FILE...]" when empty.
	ArgsUsage string
	// Description is the manual: paragraphs separated by empty lines;
	// indented lines are kept as they are.
	Description string
	// Examples are shown at the end of the help.
	Examples []Example
	// Flags are the program's own options, besides those that all have. The
	// first name of each is the long one. A usage text marks the placeholder
	// of the value with backquotes and states its unit.
	Flags []urfave.Flag
	// Aliases gives additional names to options that all programs have:
	// {"threads": {"j"}}.
	Aliases map[string][]string
	// SmallHeap says that little is in memory at a time, however long the input is:
	// garbage is collected half as often, unless GOGC is set.
	SmallHeap bool
	// Run does the work. Its error decides the exit code (see [ExitCode]).
	Run func(*Env) error
}

// An Example is a command line and what it does.
type Example struct{ Line, Text string }

// Main runs the program on the process's command line and streams and ends
// the process with its exit code.
func Main(cmd Command) {
	if cmd.SmallHeap && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	os.Exit(Run(context.Background(), cmd, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run runs the program on args (without the program's name) and returns its
// exit code. It can be called in tests: it changes nothing of the process, except
// that it catches signals while a file given with -o is being written, to remove
// the temporary file.
func Run(ctx context.Context, cmd Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := &Env{
		Ctx: ctx, cmd: cmd, stdin: stdin, stdout: stdout,
		talk: &talker{name: cmd.Name, w: stderr},
	}
	err := env.run(args)
	env.talk.failure(err)
	return ExitCode(errors.Join(append(env.reported[:], err)...))
}

// run does everything but print the error.
func (e *Env) run(args []string) error {
	flags := append(append([]urfave.Flag{}, e.cmd.Flags...), commonFlags(e.cmd.Aliases)...)
	table := newTable(flags)
	if words, ok := completion(table, args); ok {
		return e.print(words)
	}
	parsed, err := table.parse(args)
	switch { // asked for before anything that is wrong, they win
	case parsed.has("help"):
		return e.print(helpText(e.cmd, flags))
	case parsed.has("version"):
		return e.print(versionLine(e.cmd.Name))
	case err != nil:
		return err
	}
	if err := table.required(parsed); err != nil {
		return err
	}
	e.parsed = parsed
	app := &urfave.App{
		Name: e.cmd.Name, Usage: e.cmd.Usage, Flags: flags,
		HideHelp: true, HideHelpCommand: true, HideVersion: true,
		DisableSliceFlagSeparator: true,
		// Whatever it wants to say, we say.
		Writer: io.Discard, ErrWriter: io.Discard,
		ExitErrHandler: func(*urfave.Context, error) {},
		OnUsageError: func(_ *urfave.Context, err error, _ bool) error {
			return table.explain(parsed, err)
		},
		Action: func(c *urfave.Context) error { return e.action(c) },
	}
	return app.RunContext(e.Ctx, append([]string{e.cmd.Name}, parsed.canonical()...))
}

// action opens what the command needs, runs it and finishes its outputs.
func (e *Env) action(c *urfave.Context) (err error) {
	e.Flags = c
	e.Args = c.Args().Slice()
	if err := e.configure(); err != nil {
		return err
	}
	stop, err := startProfiles(c.String("cpuprofile"), c.String("memprofile"))
	if err != nil {
		return err
	}
	ok := false
	defer func() {
		if !ok { // the command panics: nothing half done may stay
			e.outs.abort()
		}
	}()
	err = e.cmd.Run(e)
	ok = true
	e.progress.stop()
	e.closeInputs()
	err = e.outs.finish(err)
	e.talk.suppressed()
	return errors.Join(err, stop())
}

// print writes text to standard output; -o does not apply to help.
func (e *Env) print(text string) error {
	if _, err := io.WriteString(e.stdout, text); err != nil {
		return writeError(err)
	}
	return nil
}
