package definition

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
	"dvmtools/pkg/report"
	"dvmtools/schema"
)

// numbers is the pattern of a set of numbers, as "0,2-4".
const numbers = "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$"

// intervals is the schema of the stream of intervals.
func intervals() object {
	seconds := object{{"minimum", 0}}
	defs := object{
		{"simulation", record("simulation", "Header of a stream of intervals", "What was simulated on what.",
			append([]field{version(interval.Version)}, fieldsOf[interval.Header](header())...))},
		simulationOptions(),
		{"interval", record("interval", "Interval of the program",
			"The characteristics of a part of the program. Sums are over the interval's processors, nested intervals included.",
			fieldsOf[interval.Interval](ofInterval()))},
		{"processor", record("processor", "Class of processors in an interval",
			"The characteristics of one processor of a class of processors with equal values: sums over processors are over this one. "+
				"A class has boxes, a processor with a record of its own has a rank.",
			processorFields()).with(boxesOrRank)},
		{"line", record("line", "Line of the source in an interval",
			"The characteristics that add up of what passed at a line, nested intervals excepted. Sums are over all processors; the lines of an interval sum to what passed in it.",
			lineFields())},
		{"exchange", record("exchange", "Exchanges started at a place",
			"What the exchanges of a kind that a function starts at a line cost, wherever they are waited for. Sums are over all processors; for each kind the records sum to the program's.",
			exchangeFields())},
		{"span", record("span", "Piece of the timeline", "Processors that do the same from start to end.",
			fieldsOf[interval.Span](notes{
				"processors": {doc: "linear numbers of the processors", keys: pattern(numbers)},
				"start":      {doc: "begin of the span, in seconds from the program's begin", keys: seconds},
				"end":        {doc: "end of the span, in seconds from the program's begin", keys: seconds},
				"kind": {doc: "what the processors do", keys: enum(strs(interval.SpanCPU, interval.SpanSYS, interval.SpanIO,
					interval.SpanWait, interval.SpanCommunication))},
				"op":       {doc: "the operation, such as reduction; absent outside of operations", keys: object{{"minLength", 1}}},
				"interval": {doc: "id of the innermost interval", keys: atLeast(0)},
				"seq":      {doc: "number of the call that caused the span, 0 for none", keys: atLeast(0)},
			}))},
		{"end", record("end", "End of a stream of intervals", "The last record; a stream without it was cut.",
			fieldsOf[interval.End](notes{
				"intervals": {doc: "number of interval records in the stream", keys: atLeast(0)},
				"warnings":  {doc: "number of warnings given by the simulation", keys: atLeast(0)},
			}))},
	}
	return variants(schema.Intervals, "Record of a stream of intervals",
		"One line of what dvmsim writes. The first record is the header \"simulation\", the last is \"end\".",
		slices.Concat(defs, sharedDefs(), machineDefs()), "simulation", "interval", "processor", "line", "exchange", "span", "end")
}

// kindOf returns the fields with the names of kinds as those of "kind".
func kindOf(fields []field) []field {
	var names []string
	for k := range interval.NumKinds {
		names = append(names, k.String())
	}
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == "kind" })
	fields[i].schema = object{{"description", "kind of operation"}, {"enum", strs(names...)}}
	return fields
}

// additive returns the fields without the characteristics that do not add up.
func additive(fields []field) []field {
	for _, c := range interval.Characteristics() {
		if !c.Inner {
			fields = slices.DeleteFunc(fields, func(f field) bool { return f.name == c.Name })
		}
	}
	return fields
}

// simulationOptions is the definition of what was chosen for simulations.
func simulationOptions() member {
	return member{"options", closed("Options", "The choices of a simulation that shape its result.",
		fieldsOf[interval.Options](join(choices(), notes{
			"sections":  {doc: "sections of processor systems that the user stated, absent without any", keys: object{{"minLength", 1}}},
			"loop_cost": {doc: "costs of iterations of loops, as the option --loop-cost states them, absent without any", keys: notEmpty(), items: object{{"minLength", 1}}},
			"own_times": {doc: "number of processes whose own times were used; absent when merged times were", keys: atLeast(1)},
			"level":     {doc: "level down to which intervals were kept, -1 for all", keys: atLeast(-1)},
		})))}
}

// choices are the notes of the choices of the model.
func choices() notes {
	n := notes{}
	for _, c := range options.Choices() {
		n[c.Name] = note{doc: c.Doc, keys: enum(strs(c.Values...))}
	}
	return n
}

func join(a, b notes) notes {
	maps.Copy(a, b)
	return a
}

// times are the notes of the characteristics. Each is the report's definition of
// the figure that shows the field.
func times() notes {
	n := notes{}
	var iv interval.Interval
	v := reflect.ValueOf(&iv.Times).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		if f := v.Field(i); f.Kind() == reflect.Float64 {
			n[name] = figure(&iv, f)
		} else {
			n[name] = note{doc: "operations of the kind " + name}
		}
	}
	return n
}

// kindTimes are the notes of the characteristics of a kind of operation.
func kindTimes() notes {
	n := notes{}
	var iv interval.Interval
	v := reflect.ValueOf(iv.Kind(interval.IO)).Elem()
	for i := range v.NumField() {
		n[v.Type().Field(i).Tag.Get("json")] = figure(&iv, v.Field(i))
	}
	return n
}

// operations are the notes of the counters of operations.
func operations() notes {
	n := notes{}
	var iv interval.Interval
	v := reflect.ValueOf(&iv.Operations).Elem()
	for i := range v.NumField() {
		about := figure(&iv, v.Field(i))
		about.keys = atLeast(0)
		n[v.Type().Field(i).Tag.Get("json")] = about
	}
	return n
}

// figure returns the note of v, a field of iv. It changes the field and finds the
// figure of the report that changes with it.
func figure(iv *interval.Interval, v reflect.Value) note {
	all := report.Figures()
	v.Set(reflect.ValueOf(1).Convert(v.Type()))
	i := slices.IndexFunc(all, func(f report.Figure) bool { return f.Value(iv).Exact() == "1" })
	v.SetZero()
	if i < 0 {
		panic(fmt.Sprintf("definition: internal error: no figure shows a field of type %v", v.Type()))
	}
	unit := map[string]string{"s": "in seconds", "ratio": "as a ratio", "op": "a number of operations"}[all[i].Unit]
	if unit == "" {
		panic("definition: internal error: no words for the unit " + all[i].Unit)
	}
	return note{doc: all[i].Title() + "; " + unit}
}
