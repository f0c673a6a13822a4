package parasol

import (
	"fmt"
	"slices"
	"strings"
)

// build makes the model of a file and checks the rules beyond the grammar: what
// is required, what must be unique, and references to things that do not exist.
func (p *parser) build() {
	top := p.f.machine()
	m := &Machine{file: p.f}
	p.f.model = m
	fields := fieldsOf{kind: secMachine}
	p.collect(&fields, top)
	m.fields = fields.items
	once := map[sectionKind]*section{}
	var processors, topologies []*section
	for i := range top.items {
		s, ok := top.items[i].detail.(*section)
		if top.items[i].kind != itemSection || !ok {
			continue
		}
		switch {
		case s.kind == secProcessor:
			processors = append(processors, s)
		case s.kind == secTopology:
			topologies = append(topologies, s)
		default:
			if before := once[s.kind]; before != nil {
				p.warnf(s.place, "parasol/duplicate", "found the section %s a second time, expected it once; this one counts, not that of line %d", grammar[s.kind].name, before.line)
			}
			once[s.kind] = s
		}
	}
	if it := fields.item("id"); it != nil {
		m.ID = it.number
	} else {
		p.errorf(top.place, "parasol/missing", "found a machine without an id, expected \"id = NUMBER\"; applications refer to it by that")
	}
	m.Name = p.name(&fields, top, "the machine")
	for _, k := range []sectionKind{secMachineCombinations, secPVM, secExpress, secMPI} {
		s := once[k]
		if s == nil {
			continue
		}
		set := &fieldsOf{kind: k}
		p.collect(set, s)
		if i := slices.Index(modelSections[:], k); i >= 0 {
			m.models[i] = set
		} else {
			m.combinations = set
		}
	}
	types := map[int64]*ProcessorType{}
	for _, s := range processors {
		p.processor(m, s, types)
	}
	ids := map[int64]*Topology{}
	for _, s := range topologies {
		p.topology(m, s, types, ids)
	}
	p.counted(top, &fields, "processors", len(m.Types), "processor types")
	p.counted(top, &fields, "topologies", len(m.Topologies), "topologies")
	if len(processors)+len(topologies)+len(once) == 0 {
		p.warnf(top.place, "parasol/empty", "found a machine without a section, expected at least one")
	}
}

// counted compares a count that the machine section states, which is used only
// for this check, with the number of sections in the file.
func (p *parser) counted(top *section, fields *fieldsOf, rule string, n int, what string) {
	switch it := fields.item(rule); {
	case it == nil:
		p.warnf(top.place, "parasol/missing", "found no %s of the machine, expected \"%s = %d\"", rule, rule, n)
	case it.number != int64(n):
		p.warnf(it.place, "parasol/count", "found %s = %d, expected %d: so many %s are defined", rule, it.number, n, what)
	}
}

// name returns the name in a section, with a warning when it is missing.
func (p *parser) name(fields *fieldsOf, s *section, what string) string {
	it := fields.item("name")
	if it == nil {
		p.warnf(s.place, "parasol/missing", "found no name of %s, expected 'name = \"...\"'", what)
		return ""
	}
	name, _ := it.detail.(string)
	return name
}

// collect enters the fields of a section, of which the last counts.
func (p *parser) collect(to *fieldsOf, s *section) {
	if to.items == nil {
		to.items = make([]*item, len(grammar[to.kind].fields))
	}
	empty := true
	for i := range s.items {
		it := &s.items[i]
		switch it.kind {
		case itemSection:
			empty = false
			continue
		case itemField:
			empty = false
		default:
			continue
		}
		if before := to.items[it.field]; before != nil {
			p.warnf(it.place, "parasol/duplicate", "found %s a second time, expected it once; this one counts, not that of line %d", grammar[s.kind].fields[it.field].name, before.line)
		}
		to.items[it.field] = it
	}
	if empty {
		p.warnf(s.place, "parasol/empty", "found nothing in the section %s, expected at least one field", grammar[s.kind].name)
	}
}

// blocks enters all blocks of one kind within s, field by field, and returns
// them.
func (p *parser) blocks(to *fieldsOf, s *section) (found []*section) {
	for i := range s.items {
		inner, ok := s.items[i].detail.(*section)
		if s.items[i].kind != itemSection || !ok || inner.kind != to.kind {
			continue
		}
		if len(found) > 0 {
			p.warnf(inner.place, "parasol/duplicate", "found a second block of %s in one %s, expected one; what it defines counts, and of the block in line %d what it does not", grammar[to.kind].name, grammar[s.kind].name, found[len(found)-1].line)
		}
		found = append(found, inner)
		if to.kind != secProcID && to.kind != secLinkList {
			p.collect(to, inner)
		}
	}
	return found
}

func (p *parser) processor(m *Machine, s *section, types map[int64]*ProcessorType) {
	t := &ProcessorType{
		at: s.place, fields: fieldsOf{kind: secProcessor}, timings: fieldsOf{kind: secTimings},
		cache: fieldsOf{kind: secCache}, combinations: fieldsOf{kind: secCombinations},
	}
	p.collect(&t.fields, s)
	p.blocks(&t.timings, s)
	p.blocks(&t.cache, s)
	p.blocks(&t.combinations, s)
	if it := t.fields.item("name"); it != nil {
		t.Name, _ = it.detail.(string)
	}
	m.Types = append(m.Types, t)
	it := t.fields.item("id")
	if it == nil {
		p.errorf(s.place, "parasol/missing", "found a processor without an id, expected \"id = NUMBER\"; topologies and references need it")
		return
	}
	t.ID = it.number
	if before := types[t.ID]; before != nil {
		p.errorf(it.place, "parasol/duplicate", "found id %d a second time, expected each processor to have its own; line %d has it", t.ID, before.fields.item("id").line)
		return
	}
	types[t.ID] = t
}

func (p *parser) topology(m *Machine, s *section, types map[int64]*ProcessorType, ids map[int64]*Topology) {
	t := &Topology{at: s.place, fields: fieldsOf{kind: secTopology}}
	p.collect(&t.fields, s)
	t.Name = p.name(&t.fields, s, "the topology")
	m.Topologies = append(m.Topologies, t)
	if it := t.fields.item("id"); it == nil {
		p.errorf(s.place, "parasol/missing", "found a topology without an id, expected \"id = NUMBER\"; programs are simulated by it")
	} else if t.ID = it.number; ids[t.ID] != nil {
		p.errorf(it.place, "parasol/duplicate", "found id %d a second time, expected each topology to have its own; line %d has it", t.ID, ids[t.ID].fields.item("id").line)
	} else {
		ids[t.ID] = t
	}
	if it := t.fields.item("hardware"); it != nil {
		t.Hardware = it.number == 1
	}
	n := p.count(&t.fields, s, "processors", 1, MaxProcessors)
	p.processorTypes(t, s, n, types)
	links := p.count(&t.fields, s, "links", 0, MaxStatements)
	p.links(t, s, links, n)
}

// count returns a count of a topology, -1 when it is missing or out of range.
func (p *parser) count(fields *fieldsOf, s *section, rule string, least, most int64) int64 {
	it := fields.item(rule)
	switch {
	case it == nil:
		p.errorf(s.place, "parasol/missing", "found a topology without \"%s = NUMBER\", expected one", rule)
		return -1
	case it.number < least || it.number > most:
		p.errorf(it.place, "parasol/range", "found %s = %d, expected %d to %d", rule, it.number, least, most)
		return -1
	}
	return it.number
}

// processorTypes reads p[1] to p[n], each of which must be there once (2.5.1).
func (p *parser) processorTypes(t *Topology, s *section, n int64, types map[int64]*ProcessorType) {
	blocks := p.blocks(&fieldsOf{kind: secProcID}, s)
	defined := 0
	for _, b := range blocks {
		defined += len(b.items)
	}
	// What is allocated is bounded by the text, not by the number in it.
	if n < 0 || n > int64(defined) {
		if n >= 0 {
			p.errorf(t.fields.item("processors").place, "parasol/count", "found processors = %d and %d statements in procid, expected p[1] to p[%d], each once", n, defined, n)
		}
		return
	}
	t.Types = make([]*ProcessorType, n)
	lines := make([]int32, n)
	for _, b := range blocks {
		for i := range b.items {
			it := &b.items[i]
			switch {
			case it.kind != itemField:
				continue
			case it.index < 1 || it.index > n:
				p.errorf(it.place, "parasol/range", "found p[%d], expected p[1] to p[%d], as processors says", it.index, n)
			case lines[it.index-1] != 0:
				p.errorf(it.place, "parasol/duplicate", "found p[%d] a second time, expected it once; line %d has it", it.index, lines[it.index-1])
			case types[it.number] == nil:
				p.errorf(it.place, "parasol/undefined", "found processor type %d, expected the id of a processor of this machine%s", it.number, p.listTypes(types))
			}
			if it.index >= 1 && it.index <= n {
				lines[it.index-1] = it.line
				t.Types[it.index-1] = types[it.number]
			}
		}
	}
	if i := slices.Index(lines, 0); i >= 0 {
		p.errorf(t.fields.item("processors").place, "parasol/count", "found no p[%d], expected p[1] to p[%d], as processors says", i+1, n)
	}
}

func (p *parser) listTypes(types map[int64]*ProcessorType) string {
	if p.full() || len(types) == 0 {
		return ""
	}
	var ids []int64
	for id := range types {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var list strings.Builder
	for i, id := range ids[:min(len(ids), 8)] {
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(fmt.Sprint(id))
	}
	if len(ids) > 8 {
		list.WriteString(", ...")
	}
	return "; there are " + list.String()
}

// links reads the links 1 to n of a topology with so many processors (2.5.2).
func (p *parser) links(t *Topology, s *section, n, processors int64) {
	blocks := p.blocks(&fieldsOf{kind: secLinkList}, s)
	var all []*section
	for _, b := range blocks {
		for i := range b.items {
			if l, ok := b.items[i].detail.(*section); ok && b.items[i].kind == itemSection {
				all = append(all, l)
			}
		}
	}
	if n >= 0 && n != int64(len(all)) {
		p.errorf(t.fields.item("links").place, "parasol/count", "found links = %d and %d links, expected as many", n, len(all))
		n = -1
	}
	t.Links = make([]*Link, len(all))
	// seen[k] is the last link that names processor k; links are numbered
	// from 1 here.
	var seen []int32
	if processors >= 0 {
		seen = make([]int32, len(t.Types))
	}
	for number, b := range all {
		l := &Link{at: b.place, fields: fieldsOf{kind: secLink}}
		p.collect(&l.fields, b)
		if it := l.fields.item("connect"); it != nil && len(seen) > 0 {
			p.connect(l, it, int32(number+1), seen)
		}
		it := l.fields.item("id")
		switch {
		case it == nil:
			p.errorf(b.place, "parasol/missing", "found a link without an id, expected \"id = NUMBER\"")
		case n < 0:
		case it.number < 1 || it.number > n:
			p.errorf(it.place, "parasol/range", "found the link id %d, expected 1 to %d, as links says", it.number, n)
		case t.Links[it.number-1] != nil:
			p.errorf(it.place, "parasol/duplicate", "found link %d a second time, expected each once; line %d has it", it.number, t.Links[it.number-1].fields.item("id").line)
		default:
			l.ID = it.number
			t.Links[it.number-1] = l
		}
	}
}

// connect checks the ends of a link and enters them.
func (p *parser) connect(l *Link, it *item, number int32, seen []int32) {
	numbers := it.detail.([]int64)
	l.Ends = make([]int32, 0, len(numbers))
	for _, e := range numbers {
		switch {
		case e < 1 || e > int64(len(seen)):
			p.errorf(it.place, "parasol/range", "found processor %d in connect, expected 1 to %d, as processors of the topology says", e, len(seen))
			return
		case seen[e-1] == number:
			p.errorf(it.place, "parasol/duplicate", "found processor %d twice in connect, expected each once", e)
			return
		}
		seen[e-1] = number
		l.Ends = append(l.Ends, int32(e-1))
	}
}
