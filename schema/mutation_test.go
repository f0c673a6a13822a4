package schema_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/schema"
	"dvmtools/schema/schematest"
)

// mayBeAbsent are the fields without which a record is still valid, and the
// reason. All others are required.
var mayBeAbsent = map[string]string{
	"trace.preamble":       "a trace may begin with its first event",
	"runtime.virtual_grid": "most runs have no virtual processors",
	"call.only":            "both halves are in the trace, or one has no parameters",
	"call.ret_line":        "the call ends where it began",
	"call.ret_file":        "the call ends where it began",
	"call.outside":         "the call is part of the program",
	"call.text":            "all lines are parameters",
	"call.ret_text":        "all lines are parameters",
	"call.nested":          "nothing is nested",
	"call.own":             "the trace keeps merged times only",
	"exit.own":             "the trace keeps merged times only",
	"own.call_time":        "there is no call_ line",
	"own.ret_time":         "there is no ret_ line",
	"simulation.measured":  "most are predicted",
	"nested_call.seq":      "nested calls need no number",
	"nested_call.only":     "as in a call",
	"nested_call.ret_line": "as in a call",
	"nested_call.ret_file": "as in a call",
	"nested_call.outside":  "as in a call",
	"nested_call.text":     "as in a call",
	"nested_call.ret_text": "as in a call",
	"nested_call.nested":   "as in a call",
	"end.noticed":          "there are no warnings",
	"machine.unbounded":    "most machines have an end",
	"machine.topology":     "the description states none",
	"node.medium":          "a cluster of one child needs none",
	"machine.network":      "media connect the processors",
	"machine.changes":      "most machines are used as they are described",
	"network.name":         "the topology has none",
	"network.model":        "no function costs time",
	"network.overheads":    "no function costs time",
	"network.links":        "a topology may have none",
	"options.sections":     "the trace knows its sections",
	"options.loop_cost":    "iterations cost the same",
	"options.own_times":    "most traces keep merged times only",
	"interval.pop":         "only with the option --pop",
	"span.op":              "computation is no operation",

	"machine.order":             "processors are in the order of the file",
	"search.threshold":          "only mode 1 has one",
	"search.min_efficiency":     "nothing may be asked of the best grid",
	"search.deadline":           "nothing may be asked of the best grid",
	"search.whole_nodes":        "processors may be counted",
	"candidate.mode":            "there is one search",
	"candidate.cost":            "the objective is another",
	"comparison.partial":        "the search was done",
	"best.cost":                 "the objective is another",
	"case.point":                "there is one machine",
	"case.grid":                 "another mode",
	"outcome.point":             "there is one machine",
	"outcome.main":              "nothing is to be explained",
	"outcome.warnings":          "there are none",
	"end.outcomes":              "there are none",
	"search.points":             "there is one machine",
	"search.sweep":              "there is one machine",
	"candidate.point":           "there is one machine",
	"comparison.point":          "there is one machine",
	"pareto.point":              "there is one machine",
	"best.point":                "there is one machine",
	"explanation.point":         "there is one machine",
	"axis.scale":                "the values are those of the parameter",
	"point_end.descent":         "another mode",
	"point_end.improved":        "nothing better was found",
	"point_end.bound":           "nothing bounds the search",
	"point_end.partial":         "the search was done",
	"point_end.error":           "there is a best grid",
	"sensitivity.value":         "the values differ",
	"break_even.value":          "the values differ",
	"break_even.at":             "the values differ",
	"break_even.factor":         "no other grid is better",
	"break_even.grid":           "no other grid is better",
	"break_even.processors":     "no other grid is better",
	"break_even.execution_time": "no other grid is better",
	"end.points":                "there is one machine",
	"end.descent":               "another mode",
	"end.improved":              "nothing better was found",
	"end.bound":                 "nothing bounds the search",
	"end.partial":               "the search was done",
	"report.measured":           "most are predicted",
	"report.exchanges":          "the stream does not say",
	"interval.classes":          "the stream does not have them",
	"interval.lines":            "the stream does not have them",
	"finding.lines":             "it is of no line",
}

// fixed are the fields whose values are from a fixed set.
var fixed = map[string]bool{
	"trace.record": true, "call.record": true, "exit.record": true, "end.record": true,
	"simulation.record": true, "interval.record": true, "processor.record": true, "span.record": true,
	"search.record": true, "candidate.record": true, "pareto.record": true, "best.record": true,
	"comparison.record": true, "explanation.record": true, "explanation.about": true, "search.whole_nodes": true,
	"candidate.mode": true, "comparison.mode": true, "comparison.partial": true, "end.improved": true, "end.partial": true,
	"trace.version": true, "simulation.version": true, "search.version": true,
	"call.only": true, "nested_call.only": true, "call.outside": true, "nested_call.outside": true,
	"interval.type": true, "span.kind": true, "span.processors": true, "medium.comm_type": true,
	"machine.unbounded": true, "machine.order": true, "best.order": true,
	"plan.record": true, "plan.version": true, "part.record": true, "part.version": true, "case.record": true, "case.mode": true, "outcome.record": true,
	"point.record": true, "point_end.record": true, "sensitivity.record": true, "break_even.record": true, "break_even.direction": true, "axis.scale": true,
	"point_end.improved": true, "point_end.partial": true, "machine.search": true, "search.mode": true, "search.objective": true,
	"report.report": true, "report.version": true, "report.measured": true, "finding.id": true, "sheet.report": true, "sheet.version": true,
	"simulation.measured": true, "options.collectives": true, "options.across": true, "options.balance": true, "options.async": true,
}

// reals returns the names of the fields that may hold any number. Other numbers
// are integers.
func reals() map[string]bool {
	names := map[string]bool{"saving": true, "creation_s": true, "cost_s": true, "latency_s": true, "speed_s_per_b": true, "call_time": true, "ret_time": true, "own": true, "time": true, "start": true, "end": true,
		"mark": true, "abandoned_at": true, "threshold": true, "min_efficiency": true, "deadline": true, "cost": true, "behind": true, "value": true, "seconds_per_percent": true, "check": true, "share": true, "factor": true, "power": true, "startup": true, "tstart_s": true, "tbyte_s_per_b": true}
	for _, t := range []reflect.Type{reflect.TypeFor[interval.Times](), reflect.TypeFor[interval.KindTimes](), reflect.TypeFor[interval.POP]()} {
		for f := range t.Fields() {
			if f.Type.Kind() == reflect.Float64 {
				names[f.Tag.Get("json")] = true
			}
		}
	}
	return names
}

// mutation changes one field of a record at a time and checks whether the schema
// refuses the record.
type mutation struct {
	*testing.T
	checker *schematest.Checker
	reals   map[string]bool
	defs    map[string]map[string]map[string]any // by schema and name
	record  record
	tried   map[string]bool // schema/definition.field
	lost    map[string]bool // fields of mayBeAbsent that were dropped
	// The outlines of records and the shapes of parameters mutated so far.
	outlines, halves map[string]bool
	limited          map[string]bool // fields whose values are fixed
	mutants          int
}

// valid is whether the schema accepts the record as it is now.
func (m *mutation) valid() bool {
	m.mutants++
	return m.checker.Value(m.record.schema, m.record.value) == nil
}

// refused reports an error when the schema accepts a mutant.
func (m *mutation) refused(path, what string) {
	if m.valid() {
		line, _ := json.Marshal(m.record.value)
		m.Errorf("%s: %s: %s is still valid:\n%.600s", m.record.schema, path, what, line)
	}
}

// mutants changes every field of the records and reports every change that
// leaves a record valid.
func mutants(t *testing.T, c *schematest.Checker, records []record) {
	m := &mutation{T: t, checker: c, reals: reals(), defs: map[string]map[string]map[string]any{},
		tried: map[string]bool{}, lost: map[string]bool{}, outlines: map[string]bool{}, halves: map[string]bool{}, limited: map[string]bool{}}
	for _, name := range schema.Names() {
		m.defs[name] = schematest.Definitions(t, name)
	}
	for _, r := range records {
		m.record = r
		if !m.valid() {
			t.Fatalf("%v is not valid", r.value)
		}
		if r.kind == "call" {
			m.params(r.value)
		}
		// Outside of the parameters calls of all functions are alike.
		prune(r.value, outline)
		if sig := r.schema + outline(r.value); !m.outlines[sig] {
			m.outlines[sig] = true
			m.object(r.kind, r.value)
		}
	}
	t.Logf("%d mutants", m.mutants)

	// The records must contain every field of every definition, and need every
	// exception.
	for _, name := range schema.Names() {
		for def, d := range m.defs[name] {
			props, _ := d["properties"].(map[string]any)
			for field := range props {
				if !m.tried[name+"/"+def+"."+field] {
					t.Errorf("%s: no record has %s.%s", name, def, field)
				}
			}
		}
	}
	for field := range mayBeAbsent {
		if !m.lost[field] {
			t.Errorf("%s was never dropped", field)
		}
	}
	for field := range fixed {
		if !m.limited[field] {
			t.Errorf("%s was never given a value that it cannot have", field)
		}
	}
}

// object mutates every field of an object that the definition describes.
func (m *mutation) object(def string, obj map[string]any) {
	if m.record.schema == schema.Report {
		// A document holds many objects, of which those of one shape are alike.
		sig := def + outline(obj)
		if m.outlines[sig] {
			return
		}
		m.outlines[sig] = true
	}
	props := m.defs[m.record.schema][def]["properties"].(map[string]any)
	keys := slices.Sorted(maps.Keys(obj))
	fields := m.record.schema + "/" + def + " " + strings.Join(keys, " ")
	// Of a document, whose objects hold many others, those with the same fields differ
	// in the objects inside only.
	again := m.record.schema == schema.Report && m.outlines[fields]
	m.outlines[fields] = true
	for _, key := range keys {
		path, val := def+"."+key, obj[key]
		if !again {
			m.field(path, key, obj)
		}
		switch key {
		case "args", "ret":
			continue
		case "nested":
			// One nested record of each outline, alone, as calls nest deeply.
			for _, n := range val.([]any) {
				if sig := key + outline(n); !m.outlines[sig] {
					m.outlines[sig] = true
					obj[key] = []any{n}
					m.object("nested_call", n.(map[string]any))
				}
			}
			obj[key] = val
			continue
		}
		prop, _ := props[key].(map[string]any)
		switch val := val.(type) {
		case map[string]any:
			m.object(target(prop), val)
		case []any:
			items, _ := prop["items"].(map[string]any)
			if m.record.schema != schema.Report {
				m.array(path, items, val)
				continue
			}
			// Alone, as documents are long.
			for i := range val {
				one := val[i : i+1]
				obj[key] = one
				m.array(path, items, one)
			}
			obj[key] = val
		}
	}
}

// field mutates one field of an object.
func (m *mutation) field(path, key string, obj map[string]any) {
	val := obj[key]
	m.tried[m.record.schema+"/"+path] = true

	delete(obj, key)
	if mayBeAbsent[path] != "" && (key != "only" || whole(obj)) {
		m.lost[path] = true
		if !m.valid() {
			m.Errorf("%s: a record without %s is not valid", m.record.schema, path)
		}
	} else {
		m.refused(path, "its absence")
	}
	obj["x_"+key] = val
	m.refused(path, "another name for it")
	delete(obj, "x_"+key)

	m.retype(path, val, m.reals[key], func(v any) { obj[key] = v })
	if fixed[path] {
		m.limited[path] = true
		for _, v := range outOfSet(val) {
			obj[key] = v
			m.refused(path, "a value outside of its set")
		}
	}
	obj[key] = val
}

// whole reports whether a call has all required parameters of both halves, so that
// it is valid without the field only, which says that a half is missing.
func whole(call map[string]any) bool {
	f := libdvm.Lookup(call["func"].(string))
	if f == nil || f.Open {
		return true
	}
	lacks := func(half string, params []libdvm.Param) bool {
		obj := call[half].(map[string]any)
		return slices.ContainsFunc(params, func(p libdvm.Param) bool {
			return !p.Optional && obj[p.Key] == nil
		})
	}
	return !lacks("args", f.Args) && !lacks("ret", f.Ret)
}

// array mutates the elements of an array: every object, or the first element of
// any other type.
func (m *mutation) array(path string, items map[string]any, list []any) {
	for i, e := range list {
		switch e := e.(type) {
		case map[string]any:
			m.object(target(items), e)
		case []any:
			inner, _ := items["items"].(map[string]any)
			m.array(path+"[]", inner, e)
		}
		if i == 0 {
			m.retype(path+"[]", e, m.reals[path[strings.LastIndexByte(path, '.')+1:]], func(v any) { list[i] = v })
			list[i] = e
		}
	}
}

// target returns the definition that a property refers to.
func target(prop map[string]any) string {
	s, _ := prop["$ref"].(string)
	return strings.TrimPrefix(s, "#/$defs/")
}

// retype gives a field a value of each other type.
func (m *mutation) retype(path string, val any, real bool, set func(any)) {
	for _, v := range []any{nil, true, "~", json.Number("1.5"), []any{}, map[string]any{}} {
		same := reflect.TypeOf(v) == reflect.TypeOf(val)
		if _, number := v.(json.Number); same && (!number || real) {
			continue
		}
		if path == "interval.expr" && v == nil {
			continue // an interval without an expression
		}
		if strings.HasPrefix(path, "own.") && strings.HasSuffix(path, "[]") && v == nil {
			continue // a process that did not execute the call
		}
		if _, object := v.(map[string]any); path == "table.rows[][]" && (v == nil || !object && v != true && reflect.TypeOf(v) != reflect.TypeFor[[]any]()) {
			continue // a cell holds text, a number, or a bar, which is null
		}
		set(v)
		m.refused(path, "a value of another type")
	}
}

// outOfSet returns values of the type of val that are in no fixed set.
func outOfSet(val any) []any {
	switch val.(type) {
	case string:
		return []any{"~", ""}
	case bool:
		return []any{false}
	}
	return []any{json.Number("4"), json.Number("-1")}
}

// params mutates the parameters of a call and of those nested in it.
func (m *mutation) params(call map[string]any) {
	name, isCall := call["func"].(string)
	if !isCall {
		return
	}
	// Nested calls are mutated separately; here they would only take time.
	nested, hasNested := call["nested"].([]any)
	delete(call, "nested")
	f := libdvm.Lookup(name)
	for _, half := range []string{"args", "ret"} {
		obj := call[half].(map[string]any)
		path := name + "." + half
		if sig := path + shape(obj); m.halves[sig] {
			continue
		} else {
			m.halves[sig] = true
		}
		obj["Unlisted"] = json.Number("1")
		if f != nil && !f.Open {
			m.refused(path, "a parameter that is not in the table")
		} else if !m.valid() {
			m.Errorf("%s: a parameter that is not in the table is refused", path)
		}
		delete(obj, "Unlisted")
		for _, key := range slices.Sorted(maps.Keys(obj)) {
			m.param(f, path+"."+key, obj, key, listed(f, half, key))
		}
	}
	if !hasNested {
		return
	}
	for _, n := range nested {
		call["nested"] = []any{n}
		m.params(n.(map[string]any))
	}
	call["nested"] = nested
}

// listed returns the row of a parameter of f, nil without one.
func listed(f *libdvm.Func, half, key string) *libdvm.Param {
	switch {
	case f == nil:
		return nil
	case half == "args":
		return f.Arg(key)
	}
	for i := range f.Ret {
		if f.Ret[i].Key == key {
			return &f.Ret[i]
		}
	}
	return nil
}

// param mutates one parameter; p is nil when the table does not list it.
func (m *mutation) param(f *libdvm.Func, path string, obj map[string]any, key string, p *libdvm.Param) {
	val := obj[key]
	if f != nil && !f.Open {
		delete(obj, key)
		switch {
		case p == nil || !p.Optional:
			m.refused(path, "its absence")
		case !m.valid():
			m.Errorf("%s: a call without it is not valid", path)
		}
		obj[key+"X"] = val
		m.refused(path, "another name for it")
		delete(obj, key+"X")
	}
	defer func() { obj[key] = val }()
	if p == nil {
		for _, v := range []any{nil, true, map[string]any{}, []any{true}, []any{json.Number("1"), "a"}, []any{[]any{nil}}} {
			obj[key] = v
			m.refused(path, "a value that no parameter has")
		}
		return
	}
	m.retype(path, val, p.Kind == libdvm.Real, func(v any) { obj[key] = v })
	if list, ok := val.([]any); ok && len(list) > 0 {
		obj[key] = val
		m.elements(path, list, p)
	}
	if s, ok := val.(string); ok && (p.Kind == libdvm.Handle || p.Kind == libdvm.Pointer) {
		for _, v := range []string{"", "NULL", "0x1", "0" + s, s + "G", "12345678901234567"} {
			obj[key] = v
			m.refused(path, "a handle that is none")
		}
	}
}

// elements mutates the first element of an array and of a matrix's first row.
func (m *mutation) elements(path string, list []any, p *libdvm.Param) {
	first := list[0]
	m.retype(path+"[]", first, p.Kind == libdvm.Real, func(v any) { list[0] = v })
	list[0] = first
	if row, ok := first.([]any); ok && len(row) > 0 {
		m.elements(path+"[]", row, p)
	}
}
