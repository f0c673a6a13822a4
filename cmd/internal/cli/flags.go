package cli

import (
	"runtime"
	"strconv"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/pkg/stream"
)

// An OptionalString is a string option whose value may be left out: then it
// is Bare. A value is only ever attached ("--zstd=19"; after a short name
// digits or "=" may follow: "-z19"), so that an operand can come next.
type OptionalString struct {
	urfave.StringFlag
	Bare string
}

func (f *OptionalString) bareValue() string { return f.Bare }

const maxThreads = 1024

// commonFlags returns the options that all commands have, with further names.
func commonFlags(aliases map[string][]string) []urfave.Flag {
	names := func(long string, short ...string) []string { return append(short, aliases[long]...) }
	return []urfave.Flag{
		&urfave.StringFlag{Name: "output", Aliases: names("output", "o"),
			Usage: "write to `FILE`, which appears or changes only when the work is done (\"-\": standard output)"},
		&OptionalString{Bare: strconv.Itoa(stream.MinLevel), StringFlag: urfave.StringFlag{
			Name: "zstd", Aliases: names("zstd", "z"),
			Usage: "compress the output with zstd, `LEVEL` 1 (fastest, when left out) to 22; a FILE that ends in .zst asks for the same"}},
		&urfave.IntFlag{Name: "threads", Aliases: names("threads", "T"),
			Usage: "use `N` threads, 0 for one per processor; results never depend on it"},
		&urfave.BoolFlag{Name: "quiet", Aliases: names("quiet", "q"), Usage: "no warnings and no progress"},
		&urfave.StringFlag{Name: "progress", Aliases: names("progress"), Value: "auto",
			Usage: "show progress `WHEN`: auto (standard error is a terminal), on or off"},
		&urfave.BoolFlag{Name: "help", Aliases: names("help", "h"), Usage: "print this and exit"},
		&urfave.BoolFlag{Name: "version", Aliases: names("version", "V"), Usage: "print the version and exit"},
		&urfave.StringFlag{Name: "cpuprofile", Hidden: true, Usage: "write a processor profile to `FILE`"},
		&urfave.StringFlag{Name: "memprofile", Hidden: true, Usage: "write a memory profile to `FILE`"},
	}
}

// configure reads the common options.
func (e *Env) configure() error {
	e.threads = e.Flags.Int("threads")
	if e.threads < 0 || e.threads > maxThreads {
		return Usagef("option --threads: found %d, expected 0 to %d", e.threads, maxThreads)
	}
	if e.threads == 0 {
		e.threads = runtime.GOMAXPROCS(0)
	}
	e.quiet = e.Flags.Bool("quiet")
	e.talk.quiet = e.quiet
	e.outs = outputs{env: e, path: e.Flags.String("output")}
	if e.parsed.given("output") && e.outs.path == "" {
		return Usagef(`option --output: found "", expected the name of a file`)
	}
	if e.parsed.given("zstd") {
		text := e.Flags.String("zstd")
		level, err := strconv.Atoi(text)
		if err != nil || level < stream.MinLevel || level > stream.MaxLevel {
			return Usagef("option --zstd: found %q, expected a level from %d to %d", text, stream.MinLevel, stream.MaxLevel)
		}
		e.outs.zstd, e.outs.level = true, level
	}
	e.outs.expect()
	show, asked := false, false
	switch when := e.Flags.String("progress"); when {
	case "on":
		show, asked = !e.quiet, true
	case "auto":
		show = !e.quiet && isTerminal(e.talk.w) && !dumbTerminal()
	case "off":
	default:
		return Usagef("option --progress: found %q, expected auto, on or off", when)
	}
	e.progress = newProgress(e.talk, show, asked)
	return nil
}

// given tells whether the option called name was used.
func (p parsedLine) given(name string) bool {
	for _, s := range p.settings {
		if s.opt.name == name {
			return true
		}
	}
	return false
}
