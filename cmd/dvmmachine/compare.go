package main

import (
	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine/measure"
	"dvmtools/pkg/machine/parasol"
)

// runCompare says for how many timings two measured files agree.
func runCompare(e *cli.Env) error {
	if len(e.Args) != 2 {
		return cli.Usagef("found %d operands, expected with --compare two files that measure has written", len(e.Args))
	}
	for _, f := range measureFlags() {
		if name := f.Names()[0]; e.Flags.IsSet(name) && name != "compare" {
			return cli.Usagef("--%s is for measuring, not for --compare", name)
		}
	}
	var machines [2]*parasol.Machine
	for i, name := range e.Args {
		var err error
		if machines[i], err = openParasol(e, name); err != nil {
			return err
		}
	}
	c := measure.Compare(machines[0], machines[1])
	if len(c.Agreeing)+len(c.Differing) == 0 {
		return diag.New(diag.Pos{File: e.Args[1]}, "measure/compare", "found no timing with a deviation that %s has too, expected what was measured of the same processor type", e.Args[0])
	}
	return write(e, c.String())
}
