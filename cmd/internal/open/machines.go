package open

import (
	"fmt"
	"slices"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/machine/parasol"
)

// Machines makes the machine that the options of [MachineFlags] describe, and
// others that differ from it in some parameters. It is not safe for concurrent
// use.
type Machines struct {
	env    *cli.Env
	name   string
	tree   *machine.Machine // of Predictor.par
	text   []byte           // of a machine file of Parasol I
	traced *parasol.Machine // of the file of --traced-on
	order  machine.Order
}

// Machine reads the machine that the options of [MachineFlags] describe, with
// the changes that they ask for and its processors in the order that they state,
// and shows the warnings and notes about it.
func Machine(e *cli.Env) (*machine.Machine, error) {
	k, err := ReadMachines(e)
	if err != nil {
		return nil, err
	}
	m, _, err := k.Make()
	return m, err
}

// ReadMachines reads the machine that the options describe, and shows the warnings
// and notes about it.
func ReadMachines(e *cli.Env) (*Machines, error) {
	k := &Machines{env: e, order: machine.Order(e.Flags.String("order"))}
	if !slices.Contains(machine.Orders(), k.order) {
		return nil, cli.Usagef("--order: found %q, expected file, fastest or cyclic", k.order)
	}
	if len(e.Values("machine")) == 0 {
		return nil, cli.Usagef("no machine is given; name its description with -m FILE (see testdata/machines for examples)")
	}
	sources, wanted, err := Sources(e)
	if err != nil {
		return nil, err
	}
	k.name = sources[len(sources)-1].Name
	d := Description{Name: k.name}
	var list diag.List
	if parasol.Is(sources[0].Text) {
		k.text = sources[0].Text
		d.Parasol, list = parasol.Parse(k.name, k.text)
	} else {
		k.tree, list = par.ParseAll(sources...)
		d.Tree = k.tree
	}
	for _, n := range list.Notes() {
		e.Note(n)
	}
	if err := list.Err(); err != nil {
		for _, w := range list.Warnings() {
			e.Warn(w)
		}
		return nil, err
	}
	if _, err := Warn(e, list.Warnings()); err != nil {
		return nil, err
	}
	if wanted != nil {
		if err := checkID(&d, *wanted); err != nil {
			return nil, err
		}
	}
	if k.tree != nil {
		for _, name := range parasolOnly {
			if e.Flags.IsSet(name) {
				return nil, cli.Usagef("--%s is for machines of Parasol, %s is a description in Predictor.par", name, k.name)
			}
		}
	}
	return k, nil
}

// Sources reads the text of the machine description that the options of
// [MachineFlags] name, and the id that a machine of Parasol must have, nil for any.
func Sources(e *cli.Env) (sources []par.Source, id *int64, err error) {
	files := e.Values("machine")
	for _, f := range files {
		file, wanted := splitID(f)
		if wanted != nil {
			id = wanted
		}
		if slices.ContainsFunc(sources, func(s par.Source) bool { return s.Name == file }) {
			return nil, nil, cli.Usagef("--machine: found %s a second time, expected each file once; further files are libraries of clusters", file)
		}
		s, err := source(e, file)
		if err != nil {
			return nil, nil, err
		}
		if parasol.Is(s.Text) && len(files) > 1 {
			return nil, nil, cli.Usagef("%s is a machine of Parasol, found %d machine descriptions, expected it alone", s.Name, len(files))
		}
		sources = append(sources, s)
	}
	return sources, id, nil
}

// describe returns the description with the changes of the options made, and these.
func (k *Machines) describe() (*Description, []machine.ChangeMade, error) {
	d := &Description{Name: k.name}
	if k.tree != nil {
		d.Tree = k.tree.Clone()
	} else {
		d.Parasol, _ = parasol.Parse(k.name, k.text)
	}
	made, err := d.Apply(k.env.Values("set"), k.env.Values("scale"))
	var list []machine.ChangeMade
	for _, a := range made {
		list = append(list, a.Change.Made(len(a.Moved)))
	}
	return d, list, err
}

// Make returns the machine with the changes of the options and then those given,
// and the parameters that the latter changed.
func (k *Machines) Make(changes ...machine.Change) (*machine.Machine, []machine.Changed, error) {
	d, made, err := k.describe()
	if err != nil {
		return nil, nil, err
	}
	var moved []machine.Changed
	for _, c := range changes {
		m, err := d.change(c)
		if err != nil {
			return nil, nil, err
		}
		moved = append(moved, m...)
		made = append(made, c.Made(len(m)))
	}
	m := d.Tree
	if d.Parasol != nil {
		file := d.Parasol.Machine()
		o, err := k.target(file)
		if err != nil {
			return nil, nil, err
		}
		if m, err = file.Target(o); err != nil {
			return nil, nil, err
		}
	}
	m.Changes = made
	if m, err = m.Ordered(k.order); err != nil {
		return nil, nil, fmt.Errorf("--order: %w", err)
	}
	return m, moved, nil
}

// Variables returns the parameters of the machine that can be scaled and that a
// simulation may depend on.
func (k *Machines) Variables() ([]machine.Variable, error) {
	d, _, err := k.describe()
	if err != nil {
		return nil, err
	}
	if d.Parasol == nil {
		return d.Tree.Variables(), nil
	}
	o, err := k.target(d.Parasol.Machine())
	if err != nil {
		return nil, err
	}
	return d.Parasol.Variables(o), nil
}

// Names returns the names of [Machines.Variables] for a message.
func (k *Machines) Names() string {
	all, err := k.Variables()
	if err != nil {
		return "none"
	}
	var names []string
	for _, p := range all[:min(len(all), 40)] {
		names = append(names, p.Name)
	}
	if len(all) > len(names) {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}
