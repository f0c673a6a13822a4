package parasol

import (
	"fmt"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// An Evaluated is an expression of the file with its value.
type Evaluated struct {
	// Name is the field as references name it: "mp.send".
	Name  string
	Text  string
	Value expr.Value
	// Err says why there is no value.
	Err *diag.Error
}

// EvalAll evaluates every expression of the machine, in the order of the
// processor types, then the combinations of the machine and the programming
// models.
func (m *Machine) EvalAll() []Evaluated {
	ev := m.Evaluator(false)
	var all []Evaluated
	add := func(set *fieldsOf, prefix string) {
		if set == nil {
			return
		}
		for i, it := range set.items {
			if it == nil || grammar[set.kind].fields[i].kind != kindExpression {
				continue
			}
			e := Evaluated{Name: prefix + "." + grammar[set.kind].fields[i].name, Text: it.expr().String()}
			e.Value, e.Err = m.evalField(ev, e.Name, it)
			all = append(all, e)
		}
	}
	for _, t := range m.Types {
		add(&t.cache, fmt.Sprintf("pc(%d)", t.ID))
		add(&t.combinations, fmt.Sprintf("po(%d)", t.ID))
	}
	add(m.combinations, "mc")
	for i := range modelSections {
		add(m.models[i], modelPrefixes[i])
	}
	return all
}

// evalField evaluates a field with an expression, under the name by which
// references find it too.
func (m *Machine) evalField(ev *expr.Evaluator, name string, it *item) (expr.Value, *diag.Error) {
	v := m.variables[name]
	if v == nil {
		v = m.remember(&expr.Variable{Name: name, Pos: m.file.pos(it.place), Expr: it.expr()})
	}
	r, fault := ev.Variable(v)
	return r.Value, fault
}

// Check evaluates all expressions and returns their errors, each once, even when
// several expressions depend on it. A negative software overhead is an error too.
func (m *Machine) Check() diag.List {
	var list diag.List
	seen := map[*diag.Error]bool{}
	for _, e := range m.EvalAll() {
		if e.Err != nil && !seen[e.Err] {
			seen[e.Err] = true
			list.Add(e.Err)
		}
	}
	if len(list) == 0 {
		for _, model := range Models() {
			if _, err := m.Overheads(model); err != nil {
				if e, ok := diagnostic(err); ok {
					list.Add(e)
				}
			}
		}
	}
	list.Sort()
	return list
}

// diagnostic returns the first diagnostic that an error joins.
func diagnostic(err error) (*diag.Error, bool) {
	if e, ok := err.(*diag.Error); ok {
		return e, true
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range j.Unwrap() {
			if d, ok := diagnostic(e); ok {
				return d, true
			}
		}
	}
	return nil, false
}

// simulated are the functions of each programming model that a simulation
// uses.
var simulated = map[sectionKind][]string{
	secPVM: {"broadcast", "multicast", "send", "receive",
		"packbyte", "packdouble", "packfloat", "unpackbyte", "unpackdouble", "unpackfloat"},
	secExpress: {"broadcast", "send", "receive", "exchange", "combine"},
	secMPI:     {"send", "receive"},
}

// Unused lists the functions of programming models that the file defines and
// that no simulation uses, as "pvm.packint".
func (m *Machine) Unused() []string {
	var names []string
	for i, k := range modelSections {
		if m.models[i] == nil {
			continue
		}
		for j, it := range m.models[i].items {
			if name := grammar[k].fields[j].name; it != nil && !slices.Contains(simulated[k], name) {
				names = append(names, grammar[k].name+"."+name)
			}
		}
	}
	return names
}

// Describe returns the value of a field or expression for people, with its unit
// when it is a time.
func Describe(v expr.Value, d *expr.Deviation) string {
	s := v.String()
	switch {
	case d == nil:
	case d.Singular:
		s += "  (standard deviation unknown: there is no finite derivative)"
	case len(d.Unknown) > 0:
		var names []string
		for _, u := range d.Unknown[:min(len(d.Unknown), 5)] {
			names = append(names, u.Name)
		}
		if len(d.Unknown) > 5 {
			names = append(names, fmt.Sprintf("%d more", len(d.Unknown)-5))
		}
		s += "  (standard deviation unknown: it is not stated for " + strings.Join(names, ", ") + ")"
	default:
		s += "  (standard deviation " + expr.FormatFloat(d.Sigma) + ")"
	}
	return s
}
