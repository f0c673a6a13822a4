package open

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/density"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/sim"
)

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
	for _, c := range options.Choices() {
		flags = append(flags, &urfave.StringFlag{Name: c.Name, Value: c.Values[0], Usage: c.Doc + ": `" + strings.Join(c.Values, "|") + "`"})
	}
	flags = append(flags, &urfave.StringSliceFlag{Name: "loop-cost", Usage: "what the iterations of a loop cost relative to each other: `FILE:LINE=EXPR` in its indices I1, I2, ..., or traced, for all loops, as the processes of the run took; repeat it for more loops"})
	return append(flags, &urfave.StringFlag{Name: "sections", Usage: "the sections of processor systems that crtps_ takes, when the trace was made on one processor: `LINE=FIRST-LAST/N,...`, processors FIRST to LAST of N at that line"})
}

// ModelOptions reads the options of the model.
func ModelOptions(e *cli.Env) (interval.Options, error) {
	o := sim.Defaults()
	for _, c := range options.Choices() {
		if err := c.Set(&o.Model, e.Flags.String(c.Name)); err != nil {
			return o, cli.Usagef("--%s: %v", c.Name, err)
		}
	}
	if e.Flags.IsSet("sections") {
		o.Sections = e.Flags.String("sections")
		if _, err := procs.ParseGiven(o.Sections); err != nil {
			return o, cli.Usagef("--sections: %v", err)
		}
	}
	if o.LoopCost = e.Flags.StringSlice("loop-cost"); len(o.LoopCost) > 0 {
		if _, err := density.ParseCosts(o.LoopCost); err != nil {
			return o, cli.Usagef("--loop-cost: %v", err)
		}
	}
	return o, nil
}
