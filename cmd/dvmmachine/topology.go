package main

import (
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/machine/parasol"
)

func topologyCommand() cli.Command {
	return cli.Command{
		Name: "topology", Usage: "write a topology section of a Parasol machine file", ArgsUsage: "SHAPE N[xM...]",
		Description: "SHAPE is " + strings.Join(parasol.Shapes(), ", ") + `. A grid and a torus have any number of
extents, row-major; the others have one number of processors, which is a power
of two for a hypercube. Put the section into a file before "end machine".`,
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "latency", Value: "0", Usage: "latency of every link, `SECONDS`"},
			&urfave.StringFlag{Name: "speed", Value: "0", Usage: "time of a byte on every link, `SECONDS`"},
			&urfave.StringFlag{Name: "creation", Value: "0", Usage: "time of setting the topology up, `SECONDS`"},
			&urfave.Int64Flag{Name: "type", Value: 1, Usage: "type of the processors, `ID`"},
			&urfave.Int64Flag{Name: "id", Value: 1, Usage: "id of the topology, `ID`"},
			&urfave.StringFlag{Name: "name", Usage: "name of the topology, `TEXT` (default: the shape)"},
			&urfave.BoolFlag{Name: "hardware", Usage: "make it the default topology of the machine"},
		},
		Examples: []cli.Example{
			{Line: "dvmmachine topology torus 8x8 --latency 2e-6 --speed 1e-9 --type 1", Text: "a torus of 64 processors"},
		},
		Run: runTopology,
	}
}

func runTopology(e *cli.Env) error {
	if len(e.Args) != 2 {
		return cli.Usagef("found %d operands, expected a shape and a number of processors", len(e.Args))
	}
	extents, err := open.Grid(e.Args[1])
	if err != nil {
		return err
	}
	s := parasol.Shape{
		Kind: e.Args[0], Extents: extents, ID: e.Flags.Int64("id"), Name: e.Flags.String("name"),
		Type: e.Flags.Int64("type"), Hardware: e.Flags.Bool("hardware"),
	}
	for _, t := range []struct {
		name string
		to   *float64
	}{{"latency", &s.Latency}, {"speed", &s.Speed}, {"creation", &s.Creation}} {
		if *t.to, err = strconv.ParseFloat(e.Flags.String(t.name), 64); err != nil {
			return cli.Usagef("--%s: found %q, expected a number of seconds", t.name, e.Flags.String(t.name))
		}
	}
	text, err := s.Section()
	if err != nil {
		return cli.Usagef("%v", err)
	}
	return write(e, text)
}

func timingsCommand() cli.Command {
	return cli.Command{
		Name: "timings", Usage: "list the timing parameters of Parasol I", ArgsUsage: " ",
		Description: `Each with what it measures, its groups and the section of the report it comes
from (A: appendix A). The report explains few of the names: ? marks an uncertain
reading, + an extension.`,
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "groups", Usage: "list the groups and their members instead"},
		},
		Run: func(e *cli.Env) error {
			if len(e.Args) > 0 {
				return cli.Usagef("found %d operands, expected none", len(e.Args))
			}
			if e.Flags.Bool("groups") {
				return write(e, parasol.GroupTable())
			}
			return write(e, parasol.ParameterTable())
		},
	}
}
