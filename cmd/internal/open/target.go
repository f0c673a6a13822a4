package open

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
)

// MachineFlags are the options that say which machine programs are simulated
// on; [Machine] reads them.
func MachineFlags() []urfave.Flag {
	return append([]urfave.Flag{
		&urfave.StringSliceFlag{Name: "machine", Aliases: []string{"m"}, Usage: "machine description `FILE`, Predictor.par or Parasol, also FILE:ID for a Parasol machine that must have this id; repeat it for libraries of clusters"},
		&urfave.StringFlag{Name: "topology-id", Usage: "topology of a Parasol machine, `ID` (default: the hardware's)"},
		&urfave.StringFlag{Name: "model", Usage: "programming model whose overheads count on a Parasol machine: `" + strings.Join(parasol.Models(), "|") + "` (default: mpi, if the file has it)"},
		&urfave.StringFlag{Name: "traced-on", Usage: "type of the processor that the program was traced on, `[FILE:]ID` of a Parasol machine (default: that of processor 1)"},
		&urfave.BoolFlag{Name: "small-loops", Usage: "the loops fit in the instruction caches of a Parasol machine"},
		&urfave.StringFlag{Name: "order", Value: string(machine.InFile), Usage: "which processors a grid takes: as the machine lists them, the fastest first, or one of each node in turn: `file|fastest|cyclic`"},
	}, ChangeFlags()...)
}

// parasolOnly are the options of [MachineFlags] that do not apply to
// Predictor.par.
var parasolOnly = []string{"topology-id", "model", "traced-on", "small-loops"}

// target returns which part of a Parasol machine programs are simulated on.
func (k *Machines) target(m *parasol.Machine) (o parasol.TargetOptions, err error) {
	e := k.env
	if id := e.Flags.String("topology-id"); id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return o, cli.Usagef("--topology-id: found %q, expected the id of a topology", id)
		}
		if o.Topology = m.Topology(n); o.Topology == nil {
			return o, fmt.Errorf("--topology-id: found no topology %d in %s, expected one of %s", n, k.name, topologies(m))
		}
	} else if _, err := m.Hardware(); err != nil {
		return o, fmt.Errorf("%w; choose one with --topology-id", err)
	}
	o.Model = e.Flags.String("model")
	if o.Model != "" {
		if !slices.Contains(parasol.Models(), o.Model) {
			return o, cli.Usagef("--model: found %q, expected %s", o.Model, strings.Join(parasol.Models(), ", "))
		}
		if there := m.ModelSections(); !slices.Contains(there, o.Model) {
			return o, fmt.Errorf("--model: found no section %s in %s, expected one that the file has: %s", o.Model, k.name, orNone(there))
		}
	}
	if o.Powers.TracedOn, err = k.tracedOn(m); err != nil {
		return o, err
	}
	o.Powers.SmallLoops = e.Flags.Bool("small-loops")
	return o, nil
}

// topologies lists the topologies of a machine.
func topologies(m *parasol.Machine) string {
	var list []string
	for _, t := range m.Topologies[:min(len(m.Topologies), 20)] {
		s := fmt.Sprintf("%d, of %d processors", t.ID, len(t.Types))
		if t.Name != "" {
			s = fmt.Sprintf("%d (%s), of %d processors", t.ID, t.Name, len(t.Types))
		}
		list = append(list, s)
	}
	return orNone(list)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, "; ")
}

// tracedOn returns the processor type that --traced-on names, of m or of the
// machine in another file; nil when it is not given.
func (k *Machines) tracedOn(m *parasol.Machine) (*parasol.ProcessorType, error) {
	s := k.env.Flags.String("traced-on")
	if s == "" {
		return nil, nil
	}
	number := s
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		if k.traced == nil {
			d, err := OpenDescription(k.env, s[:i])
			if err != nil {
				return nil, err
			}
			if d.Parasol == nil {
				return nil, fmt.Errorf("--traced-on: found a description in Predictor.par in %s, expected a Parasol machine", d.Name)
			}
			k.traced = d.Parasol.Machine()
		}
		m, number = k.traced, s[i+1:]
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, cli.Usagef("--traced-on: found %q, expected the id of a processor type, alone or as FILE:ID", s)
	}
	t := m.Type(id)
	if t == nil {
		return nil, fmt.Errorf("--traced-on: found no processor type %d, expected one of %s", id, m.TypeIDs())
	}
	return t, nil
}
