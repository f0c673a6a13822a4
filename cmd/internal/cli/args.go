package cli

import (
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/pkg/diag"
)

// An arity says whether an option has a value.
type arity uint8

const (
	noValue       arity = iota // "-q"; "--quiet=false" is allowed
	needsValue                 // "-T4", "-T 4", "--threads=4", "--threads 4"
	optionalValue              // "-z", "-z19", "--zstd", "--zstd=19": never the next argument
)

// An option is one row of the option table.
type option struct {
	name  string   // first of names: what urfave/cli sees
	names []string // without dashes; those of one character are short
	arity arity
	bare  string // value of an optionalValue option without one
	flag  urfave.Flag
}

// An optionTable holds the options of a command.
type optionTable struct {
	options []*option
	byName  map[string]*option
}

// A bareFlag is a flag whose value may be left out; see [OptionalString].
type bareFlag interface{ bareValue() string }

func newTable(flags []urfave.Flag) *optionTable {
	t := &optionTable{byName: map[string]*option{}}
	for _, f := range flags {
		o := &option{name: f.Names()[0], names: f.Names(), arity: needsValue, flag: f}
		if b, ok := f.(bareFlag); ok {
			o.arity, o.bare = optionalValue, b.bareValue()
		} else if d, ok := f.(urfave.DocGenerationFlag); ok && !d.TakesValue() {
			o.arity = noValue
		}
		t.options = append(t.options, o)
		for _, n := range o.names {
			if t.byName[n] != nil {
				panic("cli: internal error: two options are called " + n)
			}
			t.byName[n] = o
		}
	}
	return t
}

// A setting is one use of an option.
type setting struct {
	opt   *option
	value string
}

// A parsedLine is a command line in order.
type parsedLine struct {
	settings []setting
	operands []string
}

// has tells whether the option called name was given and not switched off.
func (p parsedLine) has(name string) bool {
	return slices.ContainsFunc(p.settings, func(s setting) bool {
		return s.opt.name == name && (s.opt.arity != noValue || s.value == "true")
	})
}

// canonical returns the line in a form that package flag reads without
// ambiguity: options by their first name with "=value", then "--", then operands.
func (p parsedLine) canonical() []string {
	var args []string
	for _, s := range p.settings {
		args = append(args, s.text())
	}
	return append(append(args, "--"), p.operands...)
}

func (s setting) text() string { return "--" + s.opt.name + "=" + s.value }

// parse reads a command line as getopt_long does: options and operands in any
// order, "--" ends the options, "-" is an operand, short options without
// values may share a dash. On an error it returns what came before it. In
// addition "-T=4" is "-T4", and the digits after a short option with an
// optional value are its value.
func (t *optionTable) parse(args []string) (parsedLine, error) {
	var p parsedLine
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			p.operands = append(p.operands, args...)
			return p, nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			p.operands = append(p.operands, arg)
		case strings.HasPrefix(arg, "--"):
			args, err = t.long(&p, arg[2:], args)
		default:
			args, err = t.short(&p, arg[1:], args)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// long reads "name" or "name=value"; it returns the arguments left.
func (t *optionTable) long(p *parsedLine, text string, args []string) ([]string, error) {
	name, value, given := strings.Cut(text, "=")
	o := t.byName[name]
	if o == nil || len(name) == 1 {
		return nil, t.unknown("--"+name, name)
	}
	if !given {
		switch o.arity {
		case noValue:
			value = "true"
		case optionalValue:
			value = o.bare
		case needsValue:
			if len(args) == 0 {
				return nil, Usagef("option --%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
	}
	p.settings = append(p.settings, setting{o, value})
	return args, nil
}

// short reads a cluster of short options; it returns the arguments left.
func (t *optionTable) short(p *parsedLine, cluster string, args []string) ([]string, error) {
	for rest := cluster; rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		name := rest[:size]
		o := t.byName[name]
		if o == nil {
			return nil, t.unknown("-"+name, cluster)
		}
		rest = rest[size:]
		value, explicit := strings.CutPrefix(rest, "=")
		switch {
		case explicit:
			rest = ""
		case o.arity == noValue:
			value = "true"
		case o.arity == optionalValue:
			n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
			if value = rest[:n]; n == 0 {
				value = o.bare
			}
			rest = rest[n:]
		case rest != "":
			value, rest = rest, ""
		case len(args) == 0:
			return nil, Usagef("option -%s needs a value", name)
		default:
			value, args = args[0], args[1:]
		}
		p.settings = append(p.settings, setting{o, value})
	}
	return args, nil
}

// unknown returns the error about an unknown option; it says which other command has
// it, or suggests long names that are similar to guess.
func (t *optionTable) unknown(shown, guess string) error {
	guess, _, _ = strings.Cut(guess, "=")
	if commands := Owners(shown); commands != "" {
		return Usagef("unknown option %q; it is an option of %s", shown, commands)
	}
	var known []string
	for _, o := range t.options {
		if !visible(o.flag) {
			continue
		}
		for _, n := range o.names {
			if len(n) > 1 {
				known = append(known, n)
			}
		}
	}
	hint := ""
	if len(guess) > 1 {
		if s := diag.Suggest(guess, known); s != "" {
			hint = `; did you mean "--` + s + `"?`
		}
	}
	return Usagef("unknown option %q%s", shown, hint)
}

// required returns an error for the first required option that is neither given
// nor set in the environment. (urfave/cli would print its help on standard
// output.)
func (t *optionTable) required(p parsedLine) error {
	for _, o := range t.options {
		r, ok := o.flag.(urfave.RequiredFlag)
		if !ok || !r.IsRequired() || slices.ContainsFunc(p.settings, func(s setting) bool { return s.opt == o }) {
			continue
		}
		if d, ok := o.flag.(urfave.DocGenerationFlag); ok && slices.ContainsFunc(d.GetEnvVars(), isSet) {
			continue
		}
		return Usagef("option %s is required", spelling(o.name))
	}
	return nil
}

func isSet(variable string) bool {
	_, ok := os.LookupEnv(variable)
	return ok
}

// explain turns an error of urfave/cli about a value into one of this package. It
// finds the option by trying them one by one, not from the text of the error.
func (t *optionTable) explain(p parsedLine, err error) error {
	for _, s := range p.settings {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		if s.opt.flag.Apply(set) != nil {
			continue // the default is wrong, not what was given
		}
		if set.Parse([]string{s.text()}) != nil {
			return Usagef("option %s: found %q, expected %s", spelling(s.opt.name), s.value, expected(s.opt.flag))
		}
	}
	return Usagef("%v", err)
}

// expected returns what a flag accepts as its value, for messages.
func expected(f urfave.Flag) string {
	switch f.(type) {
	case *urfave.BoolFlag:
		return "true or false"
	case *urfave.IntFlag, *urfave.Int64Flag, *urfave.IntSliceFlag, *urfave.Int64SliceFlag:
		return "a whole number"
	case *urfave.UintFlag, *urfave.Uint64Flag:
		return "a whole number that is not negative"
	case *urfave.Float64Flag, *urfave.Float64SliceFlag:
		return "a number"
	case *urfave.DurationFlag:
		return `a duration such as "90s" or "1m30s"`
	}
	return "another value"
}

// spelling returns an option with its dashes.
func spelling(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// completion answers the request that urfave/cli's completion scripts make by
// a last argument: the options that begin like the word before it. Operands
// are file names, which the shell completes itself.
func completion(t *optionTable, args []string) (words string, asked bool) {
	last := len(args) - 1
	if last < 0 || args[last] != "--generate-bash-completion" || slices.Contains(args, "--") {
		return "", false
	}
	if last == 0 || !strings.HasPrefix(args[last-1], "-") {
		return "", true
	}
	var b strings.Builder
	for _, o := range t.options {
		for _, n := range o.names {
			if s := spelling(n); visible(o.flag) && strings.HasPrefix(s, args[last-1]) {
				b.WriteString(s + "\n")
			}
		}
	}
	return b.String(), true
}
