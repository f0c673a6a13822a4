package parasol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine"
)

// chosen is a field that a change applies to, with its name in references.
type chosen struct {
	item *item
	rule fieldRule
	name string
}

// Apply changes the file as section 3.2 allows. A single parameter can be set,
// named as in references: pt(1).rla. A factor applies to a single parameter, a
// group of timings ([Groups]; limit proc), links.speed or links.latency (limits
// proctype and topology), a programming model, as mpi, or one of its functions,
// as mpi.send. Apply returns the fields that it changed. When no field matches,
// the error lists those that there are. After an error nothing is changed. A
// [Machine] obtained before the change must not be used any more.
func (f *File) Apply(c machine.Change) ([]machine.Changed, error) {
	if c.Scale {
		return f.scale(c)
	}
	return f.set(c)
}

// set changes one field.
func (f *File) set(c machine.Change) ([]machine.Changed, error) {
	if isConnection(c.What) {
		return nil, fmt.Errorf("found a change of %s, expected one of a time or a factor; what connects which processors cannot be set, edit the file", c.What)
	}
	ref, err := f.reference(c.What)
	if err != nil {
		return nil, err
	}
	ch, err := f.single(ref)
	if err != nil {
		return nil, err
	}
	switch {
	case slices.Contains([]string{"id", "processors", "topologies", "links"}, ch.rule.name) && ch.rule.kind == kindInteger:
		return nil, fmt.Errorf("found a change of %s, expected one of a time or a factor; ids and counts cannot be set, edit the file", ch.name)
	case ch.rule.kind == kindExpression && slices.Contains(modelPrefixes, ref.Parts[0].Word):
		return nil, fmt.Errorf("found a change of the expression %s, expected a factor; scale it: %s=FACTOR", ch.name, ch.name)
	}
	onlySD := len(ref.Parts) == 3
	rule := ch.rule
	if onlySD {
		rule = fieldRule{"sd", kindTiming}
	}
	value, err := parseValue(c, rule)
	if err != nil {
		return nil, err
	}
	old := ch.item.value(ch.rule.kind)
	it := ch.item
	if onlySD {
		if value.known {
			return nil, fmt.Errorf("found two numbers for %s, expected one", ch.name)
		}
		it.deviation, it.known = value.average, true
	} else {
		it.average, it.deviation, it.known = value.average, value.deviation, value.known
		it.number, it.hex, it.detail = value.number, value.hex, value.detail
	}
	f.model = nil
	return []machine.Changed{{What: ch.name, Old: old, New: it.value(ch.rule.kind)}}, nil
}

// modelPrefixes are the prefixes of references to programming models.
var modelPrefixes = []string{"pv", "ex", "mp"}

// isConnection reports whether what names the ends of a link or the type of a
// processor, as a file writes them, which is no reference.
func isConnection(what string) bool {
	what = strings.TrimSpace(what)
	return what == "connect" || strings.HasSuffix(what, ".connect") || strings.HasPrefix(what, "p[") || strings.HasPrefix(what, "p [")
}

// parseValue reads the value of a change as that of a field.
func parseValue(c machine.Change, rule fieldRule) (item, error) {
	name := fmt.Sprintf("%q", c)
	p := &parser{f: &File{Name: name, text: c.Value}, text: c.Value, line: 1}
	it := item{place: p.here()}
	if p.value(&it, rule) {
		p.endStatement("the %s", "value")
		if p.pos < len(p.text) && !p.failed {
			p.errorf(p.here(), "parasol/syntax", "found a second line, expected one value")
		}
	}
	return it, p.diags.Err()
}

// reference reads a single reference.
func (f *File) reference(text string) (*expr.Ref, error) {
	x, list := f.Machine().Expression(fmt.Sprintf("%q", text), text)
	if err := list.Err(); err != nil {
		return nil, err
	}
	if refs := x.Refs(); len(refs) == 1 && refs[0].String() == x.String() {
		return refs[0], nil
	}
	return nil, fmt.Errorf("found %q, expected a single parameter, as pt(1).ila", text)
}

// single returns the field that a reference names, if it may be changed.
func (f *File) single(ref *expr.Ref) (chosen, error) {
	name := ref.String()
	if ref.Parts[0].Word == "tp" || len(ref.Parts) > 1 && ref.Parts[1].Word == "connect" {
		return chosen{}, fmt.Errorf("found a change of %s, expected one of a time or a factor; what connects which processors cannot be set, edit the file", name)
	}
	set, err := f.Machine().find(ref)
	if err != nil {
		return chosen{}, err
	}
	if set != nil {
		if it := set.item(ref.Parts[1].Word); it != nil {
			return chosen{it, grammar[set.kind].fields[it.field], name}, nil
		}
	}
	return chosen{}, fmt.Errorf("found no %s in this machine, expected a field that the file defines", name)
}

// scale multiplies the fields of a group, or one.
func (f *File) scale(c machine.Change) ([]machine.Changed, error) {
	list, err := f.choose(c)
	if err != nil {
		return nil, err
	}
	// All new values are made before one is stored.
	values := make([]item, len(list))
	for i, ch := range list {
		it := *ch.item
		switch ch.rule.kind {
		case kindTiming, kindFactor:
			it.average *= c.Factor
			it.deviation *= c.Factor
			if !validTime(it.average) || !validTime(it.deviation) || ch.rule.kind == kindFactor && it.average == 0 {
				return nil, fmt.Errorf("found %q, which makes %s %v, expected a result from 1e-30 to 1e30", c, ch.name, it.timing())
			}
		case kindExpression:
			x := it.expr().Scaled(c.Factor)
			if !machine.ValidPower(x.Factor()) {
				return nil, fmt.Errorf("found %q, which makes the factor of %s %v, expected one from 1e-30 to 1e30", c, ch.name, x.Factor())
			}
			it.detail = x
		default:
			return nil, fmt.Errorf("found a factor for %s, expected a new value; set it: %s=VALUE", ch.name, ch.name)
		}
		values[i] = it
	}
	var moved []machine.Changed
	for i, ch := range list {
		old := ch.item.value(ch.rule.kind)
		*ch.item = values[i]
		moved = append(moved, machine.Changed{What: ch.name, Old: old, New: ch.item.value(ch.rule.kind)})
	}
	f.model = nil
	return moved, nil
}

// limits checks that a change has only these limits and returns their values,
// -1 for those that are not stated.
func limits(c machine.Change, allowed ...string) ([]int64, error) {
	values := make([]int64, len(allowed))
	for i := range values {
		values[i] = -1
	}
	for _, l := range c.Limits {
		i := slices.Index(allowed, l.Name)
		if i < 0 {
			what := "no brackets for " + c.What
			if len(allowed) > 0 {
				what = strings.Join(allowed, " or ") + " in brackets for " + c.What
			}
			return nil, fmt.Errorf("found [%s=%d], expected %s", l.Name, l.Value, what)
		}
		values[i] = l.Value
	}
	return values, nil
}

// choose returns the fields that a change by a factor applies to.
func (f *File) choose(c machine.Change) ([]chosen, error) {
	m := f.Machine()
	model, function, _ := strings.Cut(c.What, ".")
	switch {
	case slices.Contains(Groups(), c.What):
		return m.chooseTimings(c)
	case c.What == "links.speed" || c.What == "links.latency":
		return m.chooseLinks(c, strings.TrimPrefix(c.What, "links."))
	case slices.Contains(Models(), model):
		return m.chooseFunctions(c, model, function)
	case !strings.ContainsAny(c.What, "(."):
		names := slices.Concat(Groups(), []string{"links.speed", "links.latency"}, Models())
		return nil, fmt.Errorf("found group %q, expected a parameter, as pt(1).ila, or one of %s%s", c.What, strings.Join(names, ", "), diag.DidYouMean(c.What, names))
	}
	if _, err := limits(c); err != nil {
		return nil, err
	}
	ref, err := f.reference(c.What)
	if err != nil {
		return nil, err
	}
	if len(ref.Parts) == 3 {
		return nil, fmt.Errorf("found a factor for %s, expected a new value; set it: %s=VALUE", ref, ref)
	}
	ch, err := f.single(ref)
	return []chosen{ch}, err
}

// chooseTimings returns the timings of a group, of all processor types or of
// one.
func (m *Machine) chooseTimings(c machine.Change) ([]chosen, error) {
	limit, err := limits(c, "proc")
	if err != nil {
		return nil, err
	}
	var list []chosen
	defined := map[string]bool{}
	for _, t := range m.Types {
		if limit[0] >= 0 && t.ID != limit[0] {
			continue
		}
		for i, it := range t.timings.items {
			if it == nil {
				continue
			}
			defined[parameters[i].Name] = true
			if parameters[i].In(c.What) {
				list = append(list, chosen{it, grammar[secTimings].fields[i], fmt.Sprintf("pt(%d).%s", t.ID, parameters[i].Name)})
			}
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	if limit[0] >= 0 && m.Type(limit[0]) == nil {
		return nil, fmt.Errorf("found %q, which matches nothing, expected the id of a processor of this machine: %s", c, m.TypeIDs())
	}
	var names []string
	for name := range defined {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		names = []string{"none"}
	}
	return nil, fmt.Errorf("found %q, which matches nothing, expected a group of timings that are defined: %s", c, strings.Join(names, ", "))
}

// TypeIDs lists the ids of the processor types for a message, the first twenty.
func (m *Machine) TypeIDs() string {
	return listIDs(len(m.Types), func(i int) int64 { return m.Types[i].ID })
}

// topologyIDs is TypeIDs for the topologies.
func (m *Machine) topologyIDs() string {
	return listIDs(len(m.Topologies), func(i int) int64 { return m.Topologies[i].ID })
}

func listIDs(n int, id func(i int) int64) string {
	if n == 0 {
		return "none"
	}
	var ids []string
	for i := range min(n, 20) {
		ids = append(ids, strconv.FormatInt(id(i), 10))
	}
	if n > 20 {
		ids = append(ids, "...")
	}
	return strings.Join(ids, ", ")
}

// chooseLinks returns one field of every link that matches all limits given: of
// one topology, with an end of one processor type.
func (m *Machine) chooseLinks(c machine.Change, field string) ([]chosen, error) {
	limit, err := limits(c, "proctype", "topology")
	if err != nil {
		return nil, err
	}
	var list []chosen
	for _, t := range m.Topologies {
		if limit[1] >= 0 && t.ID != limit[1] {
			continue
		}
		for _, l := range t.Links {
			it := l.fields.item(field)
			if it == nil || limit[0] >= 0 && !slices.ContainsFunc(l.Ends, func(e int32) bool { return t.Types[e].ID == limit[0] }) {
				continue
			}
			list = append(list, chosen{it, grammar[secLink].fields[it.field], fmt.Sprintf("tl(%d)(%d).%s", t.ID, l.ID, field)})
		}
	}
	if len(list) == 0 {
		var there []string
		for _, t := range m.Topologies {
			there = append(there, fmt.Sprintf("topology %d with %d links", t.ID, len(t.Links)))
		}
		return nil, fmt.Errorf("found %q, which matches nothing, expected links that there are: %s; processor types %s", c, strings.Join(there, ", "), m.TypeIDs())
	}
	return list, nil
}

// chooseFunctions returns the functions of a programming model, or one.
func (m *Machine) chooseFunctions(c machine.Change, model, function string) ([]chosen, error) {
	if _, err := limits(c); err != nil {
		return nil, err
	}
	i := slices.Index(Models(), model)
	set := m.models[i]
	var list []chosen
	var names []string
	if set != nil {
		for j, it := range set.items {
			if it == nil {
				continue
			}
			name := grammar[set.kind].fields[j].name
			names = append(names, model+"."+name)
			if function == "" || function == name {
				list = append(list, chosen{it, grammar[set.kind].fields[j], modelPrefixes[i] + "." + name})
			}
		}
	}
	if len(list) == 0 {
		if len(names) == 0 {
			names = []string{"there is no section " + model}
		}
		return nil, fmt.Errorf("found %q, which matches nothing, expected what is defined: %s%s", c, strings.Join(names, ", "), diag.DidYouMean(c.What, names))
	}
	return list, nil
}
