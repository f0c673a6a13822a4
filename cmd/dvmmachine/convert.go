package main

import (
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/machine/parasol"
)

// forms are the languages that convert writes.
var forms = []string{"parasol", "par", "par2000"}

func convertCommand() cli.Command {
	return cli.Command{
		Name: "convert", Usage: "write a machine in another language, and list what is lost", ArgsUsage: "[FILE]",
		Description: `To parasol: every cluster becomes a bus between its processors, powers become
ratios of timings. To par (the form of 2010) and par2000: a bus between all
processors becomes an ethernet, equal lines between pairs a transputer; other
topologies cannot be expressed. What is lost is listed on standard error.`,
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "to", Required: true, Usage: "language to write, `" + strings.Join(forms, "|") + "`"},
			&urfave.StringFlag{Name: "grid", Aliases: []string{"g"}, Usage: "processors of a transputer, and of the form of 2000, `N1xN2...` (default: the topology of the file)"},
			&urfave.Int64Flag{Name: "topology-id", Value: -1, Usage: "topology of a Parasol file, `ID`", DefaultText: "the hardware's"},
			&urfave.Int64Flag{Name: "traced-on", Value: -1, Usage: "type of the processor with power 1, `ID`", DefaultText: "that of processor 1"},
		}, open.ChangeFlags()...),
		Examples: []cli.Example{
			{Line: "dvmmachine convert cluster.par --to parasol -o cluster.mach", Text: "a machine of buses"},
		},
		Run: runConvert,
	}
}

func runConvert(e *cli.Env) error {
	to := e.Flags.String("to")
	if !slices.Contains(forms, to) {
		return cli.Usagef("--to: found %q, expected one of %s", to, strings.Join(forms, ", "))
	}
	var grid []int
	if g := e.Flags.String("grid"); g != "" {
		var err error
		if grid, err = open.Grid(g); err != nil {
			return err
		}
	}
	name, err := open.One(e, "one machine description")
	if err != nil {
		return err
	}
	d, err := openChanged(e, name)
	if err != nil {
		return err
	}
	text, lost, err := convert(e, d, to, grid)
	if err != nil {
		return err
	}
	if n := d.Comments(); n > 0 && text != d.Text() {
		lost = append(lost, fmt.Sprintf("comments: %d", n))
	}
	for _, l := range lost {
		e.Warn(fmt.Errorf("lost: %s", l))
	}
	return write(e, text)
}

func convert(e *cli.Env, d *open.Description, to string, grid []int) (text string, lost []string, err error) {
	tree := d.Tree
	if d.Parasol != nil {
		if to == "parasol" {
			return d.Parasol.String(), nil, nil
		}
		o, err := targetOptions(e, d.Parasol.Machine())
		if err != nil {
			return "", nil, err
		}
		if tree, lost, err = d.Parasol.Machine().ToTree(o); err != nil {
			return "", nil, err
		}
	}
	switch {
	case to == "parasol":
		if len(grid) == 0 {
			grid = tree.Topology
		}
		return parasol.FromTree(tree, grid)
	case to == "par2000":
		old, more, err := par.To2000(tree, grid)
		if err != nil {
			return "", nil, err
		}
		return par.Format(old), append(lost, more...), nil
	}
	young, more, err := par.To2010(tree, grid)
	if err != nil {
		return "", nil, err
	}
	if d.Tree != nil && young.Equal(d.Tree) {
		return d.Text(), nil, nil // it has this form, with its comments
	}
	return par.Format(young), append(lost, more...), nil
}

// targetOptions returns what --topology-id and --traced-on ask for.
func targetOptions(e *cli.Env, m *parasol.Machine) (o parasol.TargetOptions, err error) {
	if id := e.Flags.Int64("topology-id"); id >= 0 {
		if o.Topology = m.Topology(id); o.Topology == nil {
			return o, fmt.Errorf("--topology-id: found no topology %d in the file, expected one that it defines", id)
		}
	}
	o.Powers.TracedOn, err = processorType(m, "traced-on", e.Flags.Int64("traced-on"))
	return o, err
}

// processorType returns the type with an id that an option gives, nil for -1.
func processorType(m *parasol.Machine, option string, id int64) (*parasol.ProcessorType, error) {
	if id < 0 {
		return nil, nil
	}
	t := m.Type(id)
	if t == nil {
		return nil, fmt.Errorf("--%s: found no processor type %d in the file, expected one of %s", option, id, m.TypeIDs())
	}
	return t, nil
}
