package parasol

import (
	"fmt"
	"slices"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// A Machine is what a machine file describes. It refers to the file: a change of
// the file makes a new Machine, and the old one must not be used any more. It is
// not safe for concurrent use.
type Machine struct {
	// ID is the key by which applications refer to the machine, Name the name
	// for people, empty when the file states none (2.2).
	ID   int64
	Name string
	// Types are the processor types and Topologies the topologies, in the
	// order of the file.
	Types      []*ProcessorType
	Topologies []*Topology

	file   *File
	fields []*item // of secMachine, by rule
	// combinations and models are the sections in force, nil when missing.
	combinations *fieldsOf
	models       [len(modelSections)]*fieldsOf
	variables    map[string]*expr.Variable
	// typesByID and topologiesByID are made when they are needed.
	typesByID      map[int64]*ProcessorType
	topologiesByID map[int64]*Topology
}

// modelSections are the sections of the programming models, in the order in
// which they are listed.
var modelSections = [...]sectionKind{secPVM, secExpress, secMPI}

// fieldsOf are the fields of a section that are in force, by the index of their
// rule; nil for those that are missing.
type fieldsOf struct {
	kind  sectionKind
	items []*item
}

// A ProcessorType is a "processor" section (2.3): a kind of processor, of
// which a topology may have many.
type ProcessorType struct {
	ID   int64
	Name string

	at           place
	fields       fieldsOf // of secProcessor
	timings      fieldsOf
	cache        fieldsOf
	combinations fieldsOf
}

// A Topology is a "topology" section (2.5).
type Topology struct {
	ID   int64
	Name string
	// Hardware says that this is the hardware's topology, the default of the
	// machine.
	Hardware bool
	// Types are the types of the processors: Types[k] is that of the processor
	// that the file calls p[k+1].
	Types []*ProcessorType
	// Links are the links, Links[i] has the id i+1.
	Links []*Link

	at     place
	fields fieldsOf
}

// A Link connects two or more processors (2.5.2): a line between two, or a
// bus. Ends are indices of [Topology.Types], from 0.
type Link struct {
	ID   int64
	Ends []int32

	at     place
	fields fieldsOf
}

// Machine returns the machine that the file describes.
func (f *File) Machine() *Machine {
	if f.model == nil {
		p := &parser{f: f}
		p.build()
		if p.failed { // changes keep a file valid
			panic("parasol: internal error: " + p.diags.Err().Error())
		}
	}
	return f.model
}

// Type returns the processor type with an id, nil when there is none.
func (m *Machine) Type(id int64) *ProcessorType {
	i := slices.IndexFunc(m.Types, func(t *ProcessorType) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return m.Types[i]
}

// Topology returns the topology with an id, nil when there is none.
func (m *Machine) Topology(id int64) *Topology {
	i := slices.IndexFunc(m.Topologies, func(t *Topology) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return m.Topologies[i]
}

// Hardware returns the one topology that says hardware = 1, the default of
// the machine. With several or none of them the error lists the topologies
// that there are.
func (m *Machine) Hardware() (*Topology, error) {
	var found []*Topology
	list := ""
	for _, t := range m.Topologies {
		if t.Hardware {
			found = append(found, t)
		}
		if len(list) < 400 {
			list += fmt.Sprintf(", %d", t.ID)
			if t.Name != "" {
				list += fmt.Sprintf(" (%s)", t.Name)
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(m.Topologies) == 0:
		return nil, diag.New(m.file.pos(m.file.machine().place), "parasol/topology", "found a machine without a topology, expected at least one")
	}
	return nil, diag.New(m.file.pos(m.file.machine().place), "parasol/topology",
		"found %d topologies with hardware = 1, expected one, or the id of the topology that is meant; there are %s", len(found), list[2:])
}

// timingOf returns a timing, false when the field is missing.
func (s *fieldsOf) timingOf(rule string) (Timing, bool) {
	if it := s.item(rule); it != nil {
		return it.timing(), true
	}
	return Timing{}, false
}

func (s *fieldsOf) item(rule string) *item {
	i, _ := s.kind.field(rule)
	if i < 0 || i >= len(s.items) {
		return nil
	}
	return s.items[i]
}

// Timing returns the timing of a parameter (2.3.1) in seconds: that of its
// substitute when only that is defined, false when neither is.
func (t *ProcessorType) Timing(name string) (Timing, bool) {
	i, ok := parameterIndex[name]
	if !ok {
		return Timing{}, false
	}
	it := t.timing(i)
	if it == nil {
		return Timing{}, false
	}
	return it.timing(), true
}

// timing returns the item that states the timing of parameter i, or of its
// substitute.
func (t *ProcessorType) timing(i int) *item {
	if len(t.timings.items) == 0 {
		return nil
	}
	if it := t.timings.items[i]; it != nil || parameters[i].Substitute == "" {
		return it
	}
	return t.timings.items[parameterIndex[parameters[i].Substitute]]
}

// SmallLoopSpeedup returns the factor by which instructions in the
// instruction cache are faster (2.3), false when the file does not state it.
func (t *ProcessorType) SmallLoopSpeedup() (Timing, bool) {
	return t.fields.timingOf("smallloopspeedup")
}

// Creation returns the time that setting up the topology takes (2.5), 0 when
// the file does not state it.
func (t *Topology) Creation() Timing {
	c, _ := t.fields.timingOf("creation")
	return c
}

// Latency returns the time from the call of a send until the whole message is
// there, without the bytes, in seconds; false when it is not stated.
func (l *Link) Latency() (Timing, bool) { return l.fields.timingOf("latency") }

// Speed returns the time for a byte on the link in seconds; false when it is
// not stated.
func (l *Link) Speed() (Timing, bool) { return l.fields.timingOf("speed") }

// machine returns the section of the machine.
func (f *File) machine() *section {
	for i := range f.root.items {
		if f.root.items[i].kind == itemSection {
			return f.root.items[i].detail.(*section)
		}
	}
	return nil
}
