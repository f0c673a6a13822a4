package cli

import (
	"io"
	"slices"

	urfave "github.com/urfave/cli/v2"
)

// Line returns the options and operands of the command line in a form that
// [Env.Again] reads, without the options that every command has and without those
// named.
func (e *Env) Line(without ...string) []string {
	for _, f := range commonFlags(nil) {
		without = append(without, f.Names()[0])
	}
	p := e.parsed
	p.settings = slices.DeleteFunc(slices.Clone(p.settings), func(s setting) bool { return slices.Contains(without, s.opt.name) })
	return p.canonical()
}

// Again calls run with the environment of another command line, one of [Env.Line] of
// the same program. Messages, threads and standard input are those of e; outputs are
// to be opened with e. cmd is built anew.
func (e *Env) Again(cmd Command, args []string, run func(*Env) error) error {
	flags := append(append([]urfave.Flag{}, cmd.Flags...), commonFlags(cmd.Aliases)...)
	table := newTable(flags)
	parsed, err := table.parse(args)
	if err != nil {
		return err
	}
	inner := &Env{Ctx: e.Ctx, cmd: cmd, parsed: parsed, stdin: e.stdin, talk: e.talk, progress: e.progress, threads: e.threads, quiet: e.quiet}
	inner.outs = outputs{env: inner, files: e.outs.files}
	app := &urfave.App{
		Name: cmd.Name, Flags: flags, HideHelp: true, HideHelpCommand: true, HideVersion: true,
		DisableSliceFlagSeparator: true, Writer: io.Discard, ErrWriter: io.Discard,
		ExitErrHandler: func(*urfave.Context, error) {},
		OnUsageError:   func(_ *urfave.Context, err error, _ bool) error { return table.explain(parsed, err) },
		Action: func(c *urfave.Context) error {
			defer inner.closeInputs()
			inner.Flags, inner.Args = c, c.Args().Slice()
			return run(inner)
		},
	}
	return app.RunContext(e.Ctx, append([]string{cmd.Name}, parsed.canonical()...))
}

// Previous opens the file that the output will replace, nil when there is none or it
// is standard output.
func (e *Env) Previous() *Input {
	if e.outs.path == "" || e.outs.path == "-" || len(e.outs.files) == 0 {
		return nil
	}
	files := e.outs.files
	e.outs.files = nil // which refuse it as an input
	defer func() { e.outs.files = files }()
	in, err := e.Open(e.outs.path)
	if err != nil {
		return nil
	}
	e.inFiles = nil
	return in
}
