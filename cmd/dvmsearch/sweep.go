package main

import (
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/search"
)

// sweepFlags are the options that ask for other machines than one.
func sweepFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringSliceFlag{Name: "sweep", Usage: "search on a machine for each value of a parameter: `PARAMETER=VALUE,VALUE...`; repeat it for all combinations"},
		&urfave.StringSliceFlag{Name: "sweep-scale", Usage: "the same, multiplying a parameter or a group: `GROUP=FACTOR,FACTOR...`"},
		&urfave.BoolFlag{Name: "sensitivity", Usage: "add how the time on the best grid depends on each parameter of the machine, in seconds per per cent"},
		&urfave.StringSliceFlag{Name: "break-even", Usage: "add the values of a `PARAMETER` of the machine at which another grid becomes the best; repeat it for more"},
	}
}

// sweepOf returns the sweep that the options ask for, nil for none. A parameter that
// the machine does not have, or a value that it cannot have, is an error.
func sweepOf(e *cli.Env, k *open.Machines) (*search.Sweep, error) {
	var axes []search.Axis
	for _, name := range []string{"sweep", "sweep-scale"} {
		for _, text := range e.Values(name) {
			i := strings.IndexByte(text, '=')
			if name == "sweep-scale" {
				i = strings.LastIndexByte(text, '=')
			}
			if i < 1 || i == len(text)-1 {
				return nil, cli.Usagef("--%s: found %q, expected a parameter and its values, such as mvs.TByte=0.001,0.004", name, text)
			}
			a := search.Axis{Parameter: strings.TrimSpace(text[:i]), Scale: name == "sweep-scale"}
			for v := range strings.SplitSeq(text[i+1:], ",") {
				a.Values = append(a.Values, strings.TrimSpace(v))
			}
			axes = append(axes, a)
		}
	}
	if axes == nil {
		return nil, nil
	}
	for _, name := range []string{"sensitivity", "break-even", "best-intervals"} {
		if e.Flags.IsSet(name) {
			return nil, cli.Usagef("--%s is about one machine, found a sweep over several; leave one of them out", name)
		}
	}
	s := &search.Sweep{Axes: axes, Make: func(c []machine.Change) (*machine.Machine, []machine.Changed, error) { return k.Make(c...) }}
	if _, err := s.Points(); err != nil {
		return nil, cli.Usagef("--sweep: %v", err)
	}
	for _, a := range axes {
		for _, v := range a.Values {
			if err := possible(k, a, v); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// possible reports why a parameter of the machine cannot have a value.
func possible(k *open.Machines, a search.Axis, value string) error {
	option, read := "--sweep", machine.ParseSet
	if a.Scale {
		option, read = "--sweep-scale", machine.ParseScale
	}
	c, err := read(a.Parameter + "=" + value)
	if err != nil {
		return cli.Usagef("%s: %v", option, err)
	}
	if _, _, err := k.Make(c); err != nil {
		return refused(option, err, k)
	}
	return nil
}

// refused says that a machine does not take the change that an option asks for, with the
// list of its parameters unless err has one already.
func refused(option string, err error, k *open.Machines) error {
	if strings.Contains(err.Error(), "expected one of") {
		return fmt.Errorf("%s: %w", option, err)
	}
	return fmt.Errorf("%s: %w; the parameters of this machine are %s", option, err, k.Names())
}

// vary asks the search about other values of the parameters, as the options say.
func vary(e *cli.Env, k *open.Machines, cfg *search.Config) error {
	cfg.Sensitivity, cfg.BreakEven = e.Flags.Bool("sensitivity"), e.Values("break-even")
	if cfg.Sensitivity || cfg.BreakEven != nil {
		cfg.Vary = k
	}
	for _, name := range cfg.BreakEven {
		c, err := machine.ParseScale(name + "=1")
		if err != nil {
			return cli.Usagef("--break-even: found %q, expected the name of a parameter", name)
		}
		if _, _, err := k.Make(c); err != nil {
			return refused("--break-even", err, k)
		}
	}
	return nil
}
