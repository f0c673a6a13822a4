package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v2"
)

const (
	helpWidth  = 79
	helpColumn = 26 // where the texts of options begin
)

// exitCodes documents the codes of [ExitCode].
var exitCodes = []struct {
	code int
	text string
}{
	{ExitDone, "done"},
	{ExitFailed, "could not do it"},
	{ExitUsage, "wrong command line"},
	{ExitBadInput, "an input is malformed, truncated or of another version"},
	{ExitIO, "an input or output cannot be opened, read or written"},
}

// helpText returns what --help prints.
func helpText(cmd Command, flags []urfave.Flag) string {
	var b strings.Builder
	operands := cmd.ArgsUsage
	if operands == "" {
		operands = "[FILE...]"
	}
	fmt.Fprintf(&b, "Usage: %s [OPTION...] %s\n\n", cmd.Name, operands)
	wrap(&b, sentence(cmd.Usage), 0)
	if d := strings.Trim(cmd.Description, "\n"); d != "" {
		b.WriteString("\n")
		paragraphs(&b, d)
	}
	own := len(cmd.Flags)
	if own > 0 {
		b.WriteString("\nOptions:\n")
		optionTexts(&b, flags[:own])
	}
	b.WriteString("\nOptions of all commands:\n")
	optionTexts(&b, flags[own:])
	b.WriteString("\nOptions may stand before, between and after operands; \"--\" ends them. Without\n" +
		"a FILE, or for \"-\", standard input is read. zstd and gzip are recognised.\n")
	b.WriteString("\nExit status:\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "  %d  %s\n", e.code, e.text)
	}
	if len(cmd.Examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, e := range cmd.Examples {
			b.WriteString("  " + e.Line + "\n")
			if e.Text != "" {
				b.WriteString("      ")
				wrap(&b, e.Text, 6)
			}
		}
	}
	return b.String()
}

// sentence turns a one-line usage text into a sentence.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[n:] + "."
}

// paragraphs wraps text; indented lines stay as they are.
func paragraphs(b *strings.Builder, text string) {
	var para []string
	flush := func() {
		if len(para) > 0 {
			wrap(b, strings.Join(para, " "), 0)
			para = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			flush()
			b.WriteString("\n")
		case line[0] == ' ' || line[0] == '\t':
			flush()
			b.WriteString(strings.ReplaceAll(line, "\t", "    ") + "\n")
		default:
			para = append(para, line)
		}
	}
	flush()
}

// wrap writes text as lines of at most helpWidth characters. The first begins
// at column indent, where the writer is already; the others are indented.
func wrap(b *strings.Builder, text string, indent int) {
	col := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if i > 0 && col+1+n > helpWidth {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			col = indent
		} else if i > 0 {
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	b.WriteByte('\n')
}

// optionTexts writes the visible options, their defaults and where else they
// can be set.
func optionTexts(b *strings.Builder, flags []urfave.Flag) {
	for _, f := range flags {
		d, ok := f.(urfave.DocGenerationFlag)
		if !ok || !visible(f) {
			continue
		}
		placeholder, usage := placeholder(d.GetUsage())
		head := "  " + optionHead(f, d, placeholder)
		b.WriteString(head)
		if n := utf8.RuneCountInString(head); n+2 > helpColumn {
			b.WriteString("\n" + strings.Repeat(" ", helpColumn))
		} else {
			b.WriteString(strings.Repeat(" ", helpColumn-n))
		}
		wrap(b, usage+remarks(f, d), helpColumn)
	}
}

// optionHead returns "-g, --grid N1xN2", short names first.
func optionHead(f urfave.Flag, d urfave.DocGenerationFlag, placeholder string) string {
	var short, long []string
	for _, n := range f.Names() {
		if s := spelling(n); utf8.RuneCountInString(n) == 1 {
			short = append(short, s)
		} else {
			long = append(long, s)
		}
	}
	head := strings.Join(append(short, long...), ", ")
	if len(short) == 0 {
		head = "    " + head // below the long names of the others
	}
	if !d.TakesValue() {
		return head
	}
	if placeholder == "" {
		placeholder = "VALUE"
	}
	if _, ok := f.(bareFlag); ok {
		return head + "[=" + placeholder + "]"
	}
	return head + " " + placeholder
}

// remarks returns the text after the usage text: defaults and environment
// variables.
func remarks(f urfave.Flag, d urfave.DocGenerationFlag) string {
	text := ""
	if s, ok := f.(urfave.DocGenerationSliceFlag); ok && s.IsSliceFlag() {
		text += "; may be given several times"
	}
	if r, ok := f.(urfave.RequiredFlag); ok && r.IsRequired() {
		text += " (required)"
	} else if def := strings.Trim(d.GetDefaultText(), `"`); def != "" && def != "false" {
		text += " (default: " + def + ")"
	}
	if vars := d.GetEnvVars(); len(vars) > 0 {
		text += " [$" + strings.Join(vars, ", $") + "]"
	}
	return text
}

// placeholder returns the word in backquotes, if any, and the text without
// the quotes.
func placeholder(usage string) (word, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	word, after, ok := strings.Cut(rest, "`")
	if !ok {
		return "", usage
	}
	return word, before + word + after
}

// visible tells whether an option is shown.
func visible(f urfave.Flag) bool {
	v, ok := f.(urfave.VisibleFlag)
	return !ok || v.IsVisible()
}
