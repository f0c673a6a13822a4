package open

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/sim"
)

// choices are the options of the model and their values, the default first
// (pipeline, dvmsim).
var choices = []struct {
	name, usage string
	values      []string
	field       func(*interval.Options) *string
}{
	{"collectives", "how reductions and broadcasts travel", []string{"flat", "tree"}, func(o *interval.Options) *string { return &o.Collectives }},
	{"across", "how the quanta of pipelined loops are chosen", []string{"formula", "search"}, func(o *interval.Options) *string { return &o.Across }},
	{"balance", "what block sizes follow", []string{"none", "power"}, func(o *interval.Options) *string { return &o.Balance }},
	{"async", "how asynchronous operations start", []string{"synced", "free"}, func(o *interval.Options) *string { return &o.Async }},
}

// ToleranceFlags returns the options that say what is an error.
func ToleranceFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "strict", Usage: "fail where it would only warn, such as of an unknown function"},
		&urfave.BoolFlag{Name: "lenient", Usage: "take handles that name nothing for warnings"},
	}
}

// ModelFlags returns the options of the model.
func ModelFlags() []urfave.Flag {
	var flags []urfave.Flag
	for _, c := range choices {
		flags = append(flags, &urfave.StringFlag{Name: c.name, Value: c.values[0], Usage: c.usage + ": `" + strings.Join(c.values, "|") + "`"})
	}
	return append(flags, &urfave.StringFlag{Name: "sections", Usage: "the sections of processor systems that crtps_ takes, when the trace was made on one processor: `LINE=FIRST-LAST/N,...`, processors FIRST to LAST of N at that line"})
}

// ModelOptions reads the options of the model.
func ModelOptions(e *cli.Env) (interval.Options, error) {
	o := sim.Defaults()
	for _, c := range choices {
		v := e.Flags.String(c.name)
		if !slices.Contains(c.values, v) {
			return o, cli.Usagef("--%s: found %q, expected %s", c.name, v, strings.Join(c.values, " or "))
		}
		*c.field(&o) = v
	}
	if e.Flags.IsSet("sections") {
		o.Sections = e.Flags.String("sections")
		if _, err := procs.ParseGiven(o.Sections); err != nil {
			return o, cli.Usagef("--sections: %v", err)
		}
	}
	return o, nil
}
