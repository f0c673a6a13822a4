package parasol

import (
	"fmt"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// A prefix is a kind of reference (2.9): how many integers follow the prefix
// and which fields of which section may be named.
type prefix struct {
	name    string
	indices int
	section sectionKind
	fields  string // of the section, all when empty; "-" for a prefix without a field
}

// prefixes is the table of references.
var prefixes = []prefix{
	{"ma", 0, secMachine, "id processors topologies"},
	{"pr", 1, secProcessor, "id smallloopspeedup"},
	{"pt", 1, secTimings, ""},
	{"pc", 1, secCache, ""},
	{"po", 1, secCombinations, ""},
	{"mc", 0, secMachineCombinations, ""},
	{"to", 1, secTopology, "id hardware creation processors links"},
	{"tp", 2, secProcID, "-"},
	{"tl", 2, secLink, ""},
	{"pv", 0, secPVM, ""},
	{"ex", 0, secExpress, ""},
	{"mp", 0, secMPI, ""},
}

func findPrefix(name string) *prefix {
	for i := range prefixes {
		if prefixes[i].name == name {
			return &prefixes[i]
		}
	}
	return nil
}

// fieldNames returns the fields that may follow the prefix.
func (pf *prefix) fieldNames() []string {
	switch pf.fields {
	case "-":
		return nil
	case "":
		return pf.section.fieldNames()
	}
	return strings.Fields(pf.fields)
}

// form shows how the prefix is written.
func (pf *prefix) form() string {
	s := pf.name + strings.Repeat("(NUMBER)", pf.indices)
	if pf.fields != "-" {
		s += ".FIELD"
	}
	return s
}

// checkReference tells what is wrong with the form of a reference and brings
// its names into canonical form.
func checkReference(r *expr.Ref) *expr.Problem {
	first := r.Parts[0]
	pf := findPrefix(first.Word)
	problem := func(off int, format string, args ...any) *expr.Problem {
		return &expr.Problem{Off: off, Code: "parasol/reference", Msg: fmt.Sprintf(format, args...)}
	}
	if pf == nil {
		var names []string
		for _, p := range prefixes {
			names = append(names, p.name)
		}
		hint := diag.DidYouMean(cut(first.Word), append(expr.Functions(), names...))
		return problem(first.Off, "found %s, expected a function or a reference that begins with one of %s%s", quoted(first.Word), strings.Join(names, ", "), hint)
	}
	fields := 1
	if pf.fields == "-" {
		fields = 0
	}
	if len(first.Args) != pf.indices || len(r.Parts) < 1+fields {
		return problem(first.Off, "found %s, expected %s", quoted(r.String()), pf.form())
	}
	if fields == 0 {
		if len(r.Parts) > 1 {
			return problem(r.Parts[1].Off, "found %s after %s, expected nothing; tp is the type of a processor", quoted(r.Parts[1].Word), pf.form())
		}
		return nil
	}
	field := &r.Parts[1]
	names := pf.fieldNames()
	i, canonical := pf.section.field(field.Word)
	if i < 0 || !slices.Contains(names, grammar[pf.section].fields[i].name) {
		if field.Word == "name" {
			return problem(field.Off, "found a reference to a name, expected one to a number; names are for people")
		}
		expected := "one of " + strings.Join(names, ", ")
		if pf.section == secTimings {
			expected = "the name of a timing"
		}
		return problem(field.Off, "found %s after %s, expected %s%s", quoted(field.Word), pf.name, expected, diag.DidYouMean(cut(field.Word), names))
	}
	rule := grammar[pf.section].fields[i]
	var remark *expr.Problem
	if !canonical {
		remark = problem(field.Off, "found %s, a misprint of the report, read as %s", field.Word, rule.name)
		remark.Warning = true
		field.Word = rule.name
	}
	want := 0
	if rule.kind == kindEnds {
		want = 1
	}
	if len(field.Args) != want {
		if want == 1 {
			return problem(field.Off, "found %s, expected connect(0), the number of processors of the link, or connect(K)", quoted(r.String()))
		}
		return problem(field.Off, "found %s, expected no number behind %s", quoted(r.String()), rule.name)
	}
	if len(r.Parts) == 2 {
		return remark
	}
	last := r.Parts[2]
	if len(r.Parts) > 3 || last.Word != "sd" || len(last.Args) > 0 || rule.kind != kindTiming && rule.kind != kindFactor {
		return problem(last.Off, "found %s after a field, expected nothing, or sd after a timing", quoted(last.Word))
	}
	return remark
}

// scope resolves the references of a machine.
type scope struct{ m *Machine }

// Variable implements [expr.Scope]. The reference has passed checkReference.
func (s scope) Variable(r *expr.Ref) (*expr.Variable, error) {
	name := r.String()
	if v := s.m.variables[name]; v != nil {
		return v, nil
	}
	v, err := s.m.resolve(r, name)
	if err != nil {
		return nil, err
	}
	if v.Name != name { // it is the substitute of what is not defined
		return v, nil
	}
	return s.m.remember(v), nil
}

// remember makes references find a variable by its name.
func (m *Machine) remember(v *expr.Variable) *expr.Variable {
	if m.variables == nil {
		m.variables = map[string]*expr.Variable{}
	}
	m.variables[v.Name] = v
	return v
}

// find returns the fields that a reference is about.
func (m *Machine) find(r *expr.Ref) (*fieldsOf, error) {
	args := r.Parts[0].Args
	pf := findPrefix(r.Parts[0].Word)
	switch pf.section {
	case secMachine:
		return &fieldsOf{kind: secMachine, items: m.fields}, nil
	case secMachineCombinations:
		return m.combinations, nil
	case secPVM, secExpress, secMPI:
		return m.models[slices.Index(modelSections[:], pf.section)], nil
	case secTopology, secLink:
		t := m.topologyIndex()[args[0]]
		if t == nil {
			return nil, fmt.Errorf("found topology %d, expected the id of a topology of this machine: %s", args[0], m.topologyIDs())
		}
		if pf.section == secTopology {
			return &t.fields, nil
		}
		if args[1] < 1 || args[1] > int64(len(t.Links)) {
			return nil, fmt.Errorf("found link %d of topology %d, expected 1 to %d", args[1], args[0], len(t.Links))
		}
		return &t.Links[args[1]-1].fields, nil
	}
	t := m.typeIndex()[args[0]]
	if t == nil {
		return nil, fmt.Errorf("found processor %d, expected the id of a processor of this machine: %s", args[0], m.TypeIDs())
	}
	switch pf.section {
	case secProcessor:
		return &t.fields, nil
	case secTimings:
		return &t.timings, nil
	case secCache:
		return &t.cache, nil
	}
	return &t.combinations, nil
}

func (m *Machine) resolve(r *expr.Ref, name string) (*expr.Variable, error) {
	first := r.Parts[0]
	if first.Word == "tp" {
		t := m.topologyIndex()[first.Args[0]]
		if t == nil {
			return nil, fmt.Errorf("found topology %d, expected the id of a topology of this machine: %s", first.Args[0], m.topologyIDs())
		}
		k := first.Args[1]
		if k < 1 || k > int64(len(t.Types)) {
			return nil, fmt.Errorf("found processor %d of topology %d, expected 1 to %d", k, first.Args[0], len(t.Types))
		}
		return &expr.Variable{Name: name, Value: expr.Int(t.Types[k-1].ID)}, nil
	}
	set, err := m.find(r)
	if err != nil {
		return nil, err
	}
	field := r.Parts[1]
	var it *item
	if set != nil && set.items != nil {
		it = set.item(field.Word)
	}
	if i, _ := parameterIndex[field.Word]; it == nil && first.Word == "pt" && parameters[i].Substitute != "" {
		substitute := expr.Ref{Parts: []expr.Part{first, {Word: parameters[i].Substitute}}}
		substitute.Parts = append(substitute.Parts, r.Parts[2:]...)
		return scope{m}.Variable(&substitute)
	}
	if it == nil {
		return nil, fmt.Errorf("found no %s in this machine, expected it to be defined", name)
	}
	v := &expr.Variable{Name: name, Pos: m.file.pos(it.place), Value: expr.Int(it.number)}
	switch i, _ := set.kind.field(field.Word); grammar[set.kind].fields[i].kind {
	case kindTiming, kindFactor:
		if len(r.Parts) == 3 {
			if !it.known {
				return nil, fmt.Errorf("found no standard deviation of %s, expected one", strings.TrimSuffix(name, ".sd"))
			}
			v.Value = expr.Double(it.deviation)
			return v, nil
		}
		v.Value, v.Measured, v.Deviation, v.Known = expr.Double(it.average), true, it.deviation, it.known
	case kindExpression:
		v.Expr = it.expr()
	case kindEnds:
		ends, k := it.detail.([]int64), field.Args[0]
		switch {
		case k == 0:
			v.Value = expr.Int(int64(len(ends)))
		case k <= int64(len(ends)):
			v.Value = expr.Int(ends[k-1])
		default:
			return nil, fmt.Errorf("found connect(%d), expected connect(0) to connect(%d)", k, len(ends))
		}
	}
	return v, nil
}

// typeIndex returns the processor types by their ids.
func (m *Machine) typeIndex() map[int64]*ProcessorType {
	if m.typesByID == nil {
		m.typesByID = make(map[int64]*ProcessorType, len(m.Types))
		for _, t := range m.Types {
			m.typesByID[t.ID] = t
		}
	}
	return m.typesByID
}

// topologyIndex returns the topologies by their ids.
func (m *Machine) topologyIndex() map[int64]*Topology {
	if m.topologiesByID == nil {
		m.topologiesByID = make(map[int64]*Topology, len(m.Topologies))
		for _, t := range m.Topologies {
			m.topologiesByID[t.ID] = t
		}
	}
	return m.topologiesByID
}

// Expression reads an expression about this machine, which messages call
// name.
func (m *Machine) Expression(name, text string) (*expr.Expr, diag.List) {
	if strings.ContainsAny(text, "\n\v;") {
		return nil, diag.List{diag.New(diag.Pos{File: name}, "expr/syntax", "found the end of a line in an expression, expected it in one line")}
	}
	return expr.Parse(expr.Text{S: text, Pos: diag.Pos{File: name, Line: 1, Col: 1}, Line: text}, checkReference)
}

// Evaluator returns an evaluator of expressions about this machine.
func (m *Machine) Evaluator(deviations bool) *expr.Evaluator {
	return expr.NewEvaluator(scope{m}, deviations)
}
