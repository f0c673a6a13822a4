package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"dvmtools/pkg/diag"
)

// A Group describes a program that is several commands, chosen by its first
// argument: "dvmmachine check FILE". Each of Commands has the word for its
// Name; its messages begin with both names.
type Group struct {
	Name, Usage string
	// Description is the manual, as that of a [Command].
	Description string
	Commands    []Command
	Examples    []Example
}

// MainGroup does for a group what [Main] does for a command.
func MainGroup(g Group) {
	os.Exit(RunGroup(context.Background(), g, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// RunGroup does for a group what [Run] does for a command.
func RunGroup(ctx context.Context, g Group, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var words []string
	for _, c := range g.Commands {
		if len(args) > 0 && args[0] == c.Name {
			c.Name = g.Name + " " + c.Name
			return Run(ctx, c, args[1:], stdin, stdout, stderr)
		}
		words = append(words, c.Name)
	}
	err := func() error {
		text := ""
		switch first := strings.Join(args[:min(len(args), 1)], ""); {
		case len(args) == 0:
			return Usagef("no command is given, expected one of %s", strings.Join(words, ", "))
		case first == "--help" || first == "-h":
			text = g.help()
		case first == "--version" || first == "-V":
			text = versionLine(g.Name)
		case args[len(args)-1] == "--generate-bash-completion":
			text = strings.Join(words, "\n") + "\n"
		default:
			return Usagef("found %q, expected a command first: %s%s", first, strings.Join(words, ", "), diag.DidYouMean(first, words))
		}
		if _, err := io.WriteString(stdout, text); err != nil {
			return writeError(err)
		}
		return nil
	}()
	(&talker{name: g.Name, w: stderr}).failure(err)
	return ExitCode(err)
}

// help returns what --help prints.
func (g *Group) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s COMMAND [OPTION...] [OPERAND...]\n\n", g.Name)
	wrap(&b, sentence(g.Usage), 0)
	if d := strings.Trim(g.Description, "\n"); d != "" {
		b.WriteString("\n")
		paragraphs(&b, d)
	}
	b.WriteString("\nCommands:\n")
	for _, c := range g.Commands {
		fmt.Fprintf(&b, "  %-10s ", c.Name)
		wrap(&b, c.Usage, 13)
	}
	fmt.Fprintf(&b, "\n'%s COMMAND --help' tells more of one of them.\n", g.Name)
	b.WriteString("\nExit status:\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "  %d  %s\n", e.code, e.text)
	}
	b.WriteString("\nExamples:\n")
	for _, e := range g.Examples {
		b.WriteString("  " + e.Line + "\n      ")
		wrap(&b, e.Text, 6)
	}
	return b.String()
}
