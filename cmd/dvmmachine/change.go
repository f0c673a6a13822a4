package main

import (
	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
)

const changeWords = `The changed description is printed in canonical form, with its comments. A change that matches
nothing is an error that lists what there is, and nothing is printed.`

func setCommand() cli.Command {
	return cli.Command{
		Name: "set", Usage: "set parameters of a machine and print it", ArgsUsage: "FILE PARAMETER=VALUE...",
		Description: changeWords,
		Examples: []cli.Example{
			{Line: "dvmmachine set sparc.mach 'pt(1).rla=2e-8 1e-9'", Text: "an average and a standard deviation, in seconds"},
			{Line: "dvmmachine set cluster.par mvs.TStart=5", Text: "microseconds, as in the file"},
		},
		Run: func(e *cli.Env) error { return change(e, true) },
	}
}

func scaleCommand() cli.Command {
	return cli.Command{
		Name: "scale", Usage: "multiply parameters of a machine and print it", ArgsUsage: "FILE GROUP=FACTOR...",
		Description: `The factor multiplies what is stored: 0.5 on a time is twice as fast.
` + changeWords,
		Examples: []cli.Example{
			{Line: "dvmmachine scale sparc.mach 'float[proc=1]=0.5'", Text: "floating point twice as fast on processor type 1"},
			{Line: "dvmmachine scale sparc.mach 'links.speed[topology=2]=2' mpi.send=0.5", Text: "slower links, cheaper sends"},
			{Line: "dvmmachine scale cluster.par power=2", Text: "all processors twice as fast"},
		},
		Run: func(e *cli.Env) error { return change(e, false) },
	}
}

// change makes the changes that the operands after the file name ask for.
func change(e *cli.Env, set bool) error {
	if len(e.Args) < 2 {
		return cli.Usagef("found %d operands, expected a machine description and at least one change", len(e.Args))
	}
	d, err := open.OpenDescription(e, e.Args[0])
	if err != nil {
		return err
	}
	var sets, scales []string
	if set {
		sets = e.Args[1:]
	} else {
		scales = e.Args[1:]
	}
	if _, err := d.Apply(sets, scales); err != nil {
		return err
	}
	return write(e, d.Text())
}
