package parasol

import (
	"fmt"

	"dvmtools/pkg/machine"
)

// Variables returns what [File.Apply] can scale and a simulation on the given
// part of the machine may depend on: the latencies and the speeds of the
// topology's links, the functions of the programming model, and the arithmetic
// timings of each processor type of the topology, which decide on its power.
func (f *File) Variables(o TargetOptions) []machine.Variable {
	m := f.Machine()
	t := o.Topology
	if t == nil {
		t, _ = m.Hardware()
	}
	if o.Model == "" {
		o.Model = "mpi"
	}
	var names []string
	if t != nil {
		names = append(names, fmt.Sprintf("links.latency[topology=%d]", t.ID), fmt.Sprintf("links.speed[topology=%d]", t.ID))
	}
	if overheads, err := m.Overheads(o.Model); err == nil {
		for _, x := range overheads {
			names = append(names, o.Model+"."+x.Function)
		}
	}
	if t != nil {
		seen := map[int64]bool{}
		for _, pt := range t.Types {
			if !seen[pt.ID] {
				seen[pt.ID] = true
				names = append(names, fmt.Sprintf("arithmetic[proc=%d]", pt.ID))
			}
		}
	}
	var all []machine.Variable
	for _, name := range names {
		c, err := machine.ParseScale(name + "=1")
		if err != nil {
			continue
		}
		list, err := f.choose(c)
		if err != nil {
			continue
		}
		p := machine.Variable{Name: name, Value: list[0].item.value(list[0].rule.kind)}
		for _, ch := range list {
			if ch.item.value(ch.rule.kind) != p.Value {
				p.Value = ""
			}
		}
		all = append(all, p)
	}
	return all
}
