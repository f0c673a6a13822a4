package parasol

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dvmtools/pkg/expr"
)

// Is reports whether a text begins like a machine file: with the word begin, in
// any case, after empty lines and comments. Predictor.par has no such statement.
func Is(src []byte) bool {
	rest := bytes.TrimPrefix(src, []byte("\ufeff"))
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n\v;")
		if !bytes.HasPrefix(rest, []byte("//")) {
			break
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	word := expr.Word(string(rest[:min(len(rest), 16)]))
	if !strings.EqualFold(word, "begin") {
		return false
	}
	next := bytes.TrimLeft(rest[len(word):], " \t")
	return len(next) == 0 || next[0] != '=' && next[0] != '.' // a cluster called begin
}

// A Field is a field of a machine as it can be read from outside (3.2.5).
type Field struct {
	// Name is the name in references. The names of the machine, processors and
	// topologies are ma.name, pr(K).name and to(K).name, which are not references
	// of the language.
	Name string
	// Text is the value as the file has it.
	Text string
	// Value is the number, and Known says that there is one. Strings have none,
	// nor have the ends of links, which are in List, nor expressions that cannot
	// be evaluated, for which Err says why.
	Value expr.Value
	Known bool
	List  []int64
	Err   error
	// Settable says that the field is a timing or a factor, which [File.Apply]
	// can set to a number.
	Settable bool
	// Timing is the value of such a field with its deviation.
	Timing Timing
}

// Fields returns every field of the machine and the values of its
// expressions: those of the machine, of the processor types, of the
// topologies with their links, of the programming models.
func (m *Machine) Fields() []Field {
	l := lister{m: m, ev: m.Evaluator(false)}
	l.fields(&fieldsOf{kind: secMachine, items: m.fields}, "ma")
	for _, t := range m.Types {
		l.fields(&t.fields, fmt.Sprintf("pr(%d)", t.ID))
		l.fields(&t.timings, fmt.Sprintf("pt(%d)", t.ID))
		l.fields(&t.cache, fmt.Sprintf("pc(%d)", t.ID))
		l.fields(&t.combinations, fmt.Sprintf("po(%d)", t.ID))
	}
	l.fields(m.combinations, "mc")
	for _, t := range m.Topologies {
		l.fields(&t.fields, fmt.Sprintf("to(%d)", t.ID))
		for i, pt := range t.Types {
			v := expr.Int(pt.ID)
			l.all = append(l.all, Field{Name: fmt.Sprintf("tp(%d)(%d)", t.ID, i+1), Text: v.String(), Value: v, Known: true})
		}
		for _, k := range t.Links {
			l.fields(&k.fields, fmt.Sprintf("tl(%d)(%d)", t.ID, k.ID))
		}
	}
	for i := range modelSections {
		l.fields(m.models[i], modelPrefixes[i])
	}
	return l.all
}

type lister struct {
	m   *Machine
	ev  *expr.Evaluator
	all []Field
}

func (l *lister) fields(set *fieldsOf, prefix string) {
	if set == nil {
		return
	}
	for i, it := range set.items {
		if it == nil {
			continue
		}
		rule := grammar[set.kind].fields[i]
		f := Field{Name: prefix + "." + rule.name, Text: it.value(rule.kind), Known: true}
		switch rule.kind {
		case kindTiming, kindFactor:
			f.Value, f.Settable = expr.Double(it.average), true
			f.Timing = it.timing()
		case kindExpression:
			v, err := l.m.evalField(l.ev, f.Name, it)
			f.Value, f.Known = v, err == nil
			if err != nil {
				f.Err = err
			}
		case kindString:
			f.Known = false
		case kindEnds:
			f.Known = false
			f.List = slices.Clone(it.detail.([]int64))
		default:
			f.Value = expr.Int(it.number)
		}
		l.all = append(l.all, f)
	}
}
