package parasol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// TargetOptions say which part of a machine file programs are simulated on.
// The zero value is the hardware topology with the overheads of mpi.
type TargetOptions struct {
	// Topology is the topology, that of [Machine.Hardware] when nil.
	Topology *Topology
	// Model is the programming model whose overheads count: "pvm", "express"
	// or "mpi", which is the default. A machine without the section has none.
	Model string
	// Powers say what the processors' powers are relative to.
	Powers PowerOptions
}

// Target returns the machine that programs are simulated on: the processors
// of one topology with their powers, in a tree without media, and the links
// and software overheads as its Network. What the simulation needs and the
// file does not state is an error: latency, speed or ends of a link, and
// expressions without a value.
func (m *Machine) Target(o TargetOptions) (*machine.Machine, error) {
	t := o.Topology
	if t == nil {
		var err error
		if t, err = m.Hardware(); err != nil {
			return nil, err
		}
	}
	powers, base, err := m.Powers(t, o.Powers)
	if err != nil {
		return nil, err
	}
	n := &machine.Network{
		ID: t.ID, Name: t.Name, Creation: units.Seconds(t.Creation().Average), PowerBase: base,
	}
	var list diag.List
	for _, l := range t.Links {
		latency, hasLatency := l.Latency()
		speed, hasSpeed := l.Speed()
		for _, c := range []struct {
			there bool
			what  string
		}{{hasLatency, "latency"}, {hasSpeed, "speed"}, {l.Ends != nil, "connect"}} {
			if !c.there {
				list.Add(m.file.errorAt(l.at, "parasol/missing", "found link %d without %s, expected \"%s = ...\"; the simulation needs it", l.ID, c.what, c.what))
			}
		}
		n.Links = append(n.Links, machine.Link{
			ID: l.ID, Latency: units.Seconds(latency.Average), Speed: units.SecPerByte(speed.Average), Ends: l.Ends,
		})
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	if o.Model == "" {
		o.Model = "mpi"
	}
	overheads, err := m.Overheads(o.Model)
	if err != nil {
		return nil, err
	}
	if len(overheads) > 0 {
		n.Model, n.Overheads = o.Model, overheads
	}
	name := m.Name
	if name == "" {
		name = fmt.Sprintf("machine %d", m.ID)
	}
	if strings.HasPrefix(name, nodeName) {
		name = "machine " + name // the names of nodes differ
	}
	target := &machine.Machine{Name: name, Root: tree(t, name, nodeName, machine.Medium{}, powers), Network: n}
	if err := target.Check(); err != nil {
		return nil, m.file.errorAt(t.at, "parasol/limit", "found a topology that cannot be simulated: %v, expected values within the limits of the model", err)
	}
	return target, nil
}

// nodeName and the id of a processor type are the name of its node.
const nodeName = "processor type "

// tree returns the processors of a topology as one cluster: runs of equal
// types are groups. prefix and the id are the name of a processor type.
func tree(t *Topology, name, prefix string, medium machine.Medium, powers map[*ProcessorType]float64) *machine.Node {
	nodes := map[*ProcessorType]*machine.Node{}
	var groups []machine.Group
	for _, pt := range t.Types {
		n := nodes[pt]
		if n == nil {
			n = machine.NewProcessor(prefix+strconv.FormatInt(pt.ID, 10), powers[pt])
			nodes[pt] = n
		}
		if k := len(groups); k > 0 && groups[k-1].Node == n {
			groups[k-1].Count++
		} else {
			groups = append(groups, machine.Group{Count: 1, Node: n})
		}
	}
	return machine.NewCluster(name, medium, groups...)
}

// PowerOptions say how the powers of processor types come from their timings.
type PowerOptions struct {
	// TracedOn is the type of the processor that the program was traced on,
	// of this machine or another; nil for that of the topology's first
	// processor.
	TracedOn *ProcessorType
	// Group is the group of timings whose mean is compared, "arithmetic" when
	// empty.
	Group string
	// Weights gives each timing a weight; nil gives all those of the group
	// the same. Group is not looked at with weights.
	Weights []Count
	// SmallLoops divides the timings of a type by its small-loop speed-up,
	// where it has one: the loops of the program fit in the instruction cache.
	SmallLoops bool
}

// Powers returns the relative power of every processor type of a topology,
// and in words which one has power 1. The power of a type is the weighted
// mean of the timings of the traced processor divided by that of the type,
// over the timings that both have. Types without a timing in common with the
// traced one are an error, unless they are that type.
func (m *Machine) Powers(t *Topology, o PowerOptions) (map[*ProcessorType]float64, string, error) {
	base := o.TracedOn
	words := "the processor that was traced: "
	if base == nil {
		base = t.Types[0]
		words = "assumed to be the processor that was traced, as that of the first processor: "
	}
	words += fmt.Sprintf("type %d", base.ID)
	if base.Name != "" {
		words += fmt.Sprintf(" (%s)", base.Name)
	}
	weights, err := o.weights()
	if err != nil {
		return nil, "", err
	}
	powers := map[*ProcessorType]float64{}
	for _, pt := range t.Types {
		if _, ok := powers[pt]; ok {
			continue
		}
		if pt == base {
			powers[pt] = 1
			continue
		}
		p, ok := ratio(base, pt, weights, o.SmallLoops)
		if !ok {
			return nil, "", m.file.errorAt(pt.at, "parasol/power", "found no timing of group %s in processor type %d that type %d has too, expected some to compare their powers by", o.group(), pt.ID, base.ID)
		}
		if !machine.ValidPower(p) {
			return nil, "", m.file.errorAt(pt.at, "parasol/power", "found the power %v of processor type %d relative to type %d, expected one from %v to %v", p, pt.ID, base.ID, machine.Smallest, machine.Largest)
		}
		powers[pt] = p
	}
	return powers, words, nil
}

func (o *PowerOptions) group() string {
	if o.Group == "" {
		return "arithmetic"
	}
	return o.Group
}

// weights returns the weight of every parameter of the table.
func (o *PowerOptions) weights() ([]float64, error) {
	w := make([]float64, len(parameters))
	if o.Weights != nil {
		for _, c := range o.Weights {
			i, ok := parameterIndex[c.Name]
			if !ok {
				return nil, fmt.Errorf("found timing %q, expected the name of a timing%s", c.Name, diag.DidYouMean(c.Name, parameterNames()))
			}
			w[i] += c.Number
		}
		return w, nil
	}
	group := o.group()
	if !slices.Contains(Groups(), group) {
		return nil, fmt.Errorf("found group %q, expected one of %s%s", group, strings.Join(Groups(), ", "), diag.DidYouMean(group, Groups()))
	}
	for i := range parameters {
		if parameters[i].In(group) {
			w[i] = 1
		}
	}
	return w, nil
}

// ratio returns the power of type b relative to type a.
func ratio(a, b *ProcessorType, weights []float64, smallLoops bool) (float64, bool) {
	sumA, sumB := 0.0, 0.0
	for i, w := range weights {
		// An extension counts where it is stated, not for its substitute as well.
		if w == 0 || len(a.timings.items) == 0 || len(b.timings.items) == 0 || a.timings.items[i] == nil || b.timings.items[i] == nil {
			continue
		}
		sumA += float64(w * a.timings.items[i].average)
		sumB += float64(w * b.timings.items[i].average)
	}
	if sumA <= 0 || sumB <= 0 {
		return 0, false
	}
	if smallLoops {
		if s, ok := a.SmallLoopSpeedup(); ok {
			sumA /= s.Average
		}
		if s, ok := b.SmallLoopSpeedup(); ok {
			sumB /= s.Average
		}
	}
	return sumA / sumB, true
}

// Models returns the names of the programming models, those of
// [TargetOptions.Model].
func Models() []string {
	var names []string
	for _, k := range modelSections {
		names = append(names, grammar[k].name)
	}
	return names
}

// ModelSections returns the names of the programming models that the file has a
// section of.
func (m *Machine) ModelSections() []string {
	var names []string
	for i, name := range Models() {
		if m.models[i] != nil {
			names = append(names, name)
		}
	}
	return names
}

// Overheads returns the functions of a programming model that the file
// defines, with their values in seconds, in the order of the report (2.6).
// There are none when the file has no such section. An expression without a
// value, or with a negative one, is an error.
func (m *Machine) Overheads(model string) ([]machine.Overhead, error) {
	i := slices.Index(Models(), model)
	if i < 0 {
		return nil, fmt.Errorf("found model %q, expected one of %s%s", model, strings.Join(Models(), ", "), diag.DidYouMean(model, Models()))
	}
	set := m.models[i]
	if set == nil {
		return nil, nil
	}
	ev := m.Evaluator(false)
	var all []machine.Overhead
	var list diag.List
	for j, it := range set.items {
		if it == nil {
			continue
		}
		name := grammar[set.kind].fields[j].name
		r, err := ev.Eval(it.expr())
		if err != nil {
			list.Add(err)
			continue
		}
		if c := r.Float(); c < 0 {
			list.Add(m.file.errorAt(it.place, "parasol/negative", "found %v s for %s, expected a time that is not negative", c, name))
		} else {
			all = append(all, machine.Overhead{Function: name, Cost: units.Seconds(c)})
		}
	}
	return all, list.Err()
}

// errorAt makes an error at a place of the file.
func (f *File) errorAt(at place, code, format string, args ...any) *diag.Error {
	e := diag.New(f.pos(at), code, format, args...)
	e.Source = f.source(at)
	return e
}

// A Count is a number of executions of the instruction that a timing
// parameter measures.
type Count struct {
	Name   string
	Number float64
}
