package whatif

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/machine/parasol"
)

// Machine is a machine description before any change: the text of its files or,
// when these are not known, what the header of the intervals says.
type Machine struct {
	// Files are one file of Parasol I, or the files of a Predictor.par.
	Files []File `json:"files,omitempty"`
	// Stated is the machine when there are no files.
	Stated *machine.Description `json:"stated,omitempty"`
	// Topology, Model and SmallLoops are the options --topology-id, --model and
	// --small-loops of dvmsim, for machines of Parasol I.
	Topology   string `json:"topology,omitempty"`
	Model      string `json:"model,omitempty"`
	SmallLoops bool   `json:"small_loops,omitempty"`
	// TracedOn are the files that [Setting].TracedOn may name.
	TracedOn []File `json:"traced_on,omitempty"`
}

// A File is a text with the name by which the user gave it.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// parasol reports whether the description is one of Parasol I with its text.
func (m *Machine) parasol() bool {
	return len(m.Files) == 1 && parasol.Is([]byte(m.Files[0].Text))
}

// file reads the machine file of Parasol I.
func (f *File) parasol() (*parasol.File, error) {
	p, list := parasol.Parse(f.Name, []byte(f.Text))
	return p, list.Err()
}

// tree reads the machine of media.
func (m *Machine) tree() (*machine.Machine, error) {
	if len(m.Files) == 0 {
		if m.Stated == nil {
			return nil, fmt.Errorf("found no machine, expected its description")
		}
		d := *m.Stated
		d.Order = "" // processors are put in order when everything else is settled
		return machine.FromDescription(d)
	}
	var sources []par.Source
	for _, f := range m.Files {
		sources = append(sources, par.Source{Name: f.Name, Text: []byte(f.Text)})
	}
	t, list := par.ParseAll(sources...)
	return t, list.Err()
}

// A stated change is one of a setting, with what it is as a cause.
type stated struct {
	machine.Change
	cause string
}

// changes reads the changes of a setting, in the order in which they are made.
func changes(s Setting) ([]stated, error) {
	var list []stated
	for _, text := range s.Set {
		c, err := machine.ParseSet(text)
		if err != nil {
			return nil, because(setCause(text), err)
		}
		list = append(list, stated{c, setCause(text)})
	}
	for _, text := range s.Scale {
		c, err := machine.ParseScale(text)
		if err != nil {
			return nil, because(scaleCause(text), err)
		}
		list = append(list, stated{c, scaleCause(text)})
	}
	return list, nil
}

// target returns the machine that programs are simulated on, with the changes
// of a setting.
func (m *Machine) target(s Setting) (*machine.Machine, error) {
	t, err := m.unordered(s)
	if err != nil || s.Order == "" {
		return t, err
	}
	t, err = t.Ordered(s.Order)
	return t, because("order", err)
}

// unordered is target with the processors as the description lists them.
func (m *Machine) unordered(s Setting) (*machine.Machine, error) {
	list, err := changes(s)
	if err != nil {
		return nil, err
	}
	if !m.parasol() {
		t, err := m.tree()
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			moved, err := t.Apply(c.Change)
			if err != nil {
				return nil, because(c.cause, err)
			}
			t.Changes = append(t.Changes, c.Made(len(moved)))
		}
		return t, nil
	}
	f, err := m.Files[0].parasol()
	if err != nil {
		return nil, err
	}
	var made []machine.ChangeMade
	for _, c := range list {
		moved, err := f.Apply(c.Change)
		if err != nil {
			return nil, because(c.cause, err)
		}
		made = append(made, c.Made(len(moved)))
	}
	o := parasol.TargetOptions{Model: m.Model}
	if m.Topology != "" {
		id, err := strconv.ParseInt(m.Topology, 10, 64)
		if o.Topology = f.Machine().Topology(id); err != nil || o.Topology == nil {
			return nil, fmt.Errorf("found no topology %s in %s, expected the id of one", m.Topology, f.Name)
		}
	}
	if o.Powers.TracedOn, err = m.tracedOn(s.TracedOn, f.Machine()); err != nil {
		return nil, because("traced-on", err)
	}
	o.Powers.SmallLoops = m.SmallLoops
	t, err := f.Machine().Target(o)
	if err == nil {
		t.Changes = made
	}
	return t, err
}

// tracedOn returns the processor type that a setting names, of p or of the
// machine in another file; nil for "".
func (m *Machine) tracedOn(text string, p *parasol.Machine) (*parasol.ProcessorType, error) {
	if text == "" {
		return nil, nil
	}
	number := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		number = text[i+1:]
		found := false
		for _, f := range m.TracedOn {
			if found = f.Name == text[:i]; found {
				other, err := f.parasol()
				if err != nil {
					return nil, err
				}
				p = other.Machine()
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("found the file %s of the processor that was traced, which the page does not hold", text[:i])
		}
	}
	id, err := strconv.ParseInt(number, 10, 64)
	t := p.Type(id)
	if err != nil || t == nil {
		return nil, fmt.Errorf("found no processor type %s, expected one of %s", number, p.TypeIDs())
	}
	return t, nil
}

// Check reports whether the machine can be read.
func (m *Machine) Check() error {
	for _, f := range m.TracedOn {
		if _, err := f.parasol(); err != nil {
			return err
		}
	}
	if m.parasol() {
		_, err := m.Files[0].parasol()
		return err
	}
	_, err := m.tree()
	return err
}

// tracedTypes lists what [Setting].TracedOn may name on a machine of Parasol I:
// "" first, then the types of the files as they are without changes.
func (m *Machine) tracedTypes() []string {
	if !m.parasol() {
		return nil
	}
	list := []string{""}
	for _, f := range m.TracedOn {
		p, err := f.parasol()
		if err != nil {
			continue
		}
		for _, t := range p.Machine().Types {
			list = append(list, f.Name+":"+strconv.FormatInt(t.ID, 10))
		}
	}
	return list
}
