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
	processor := fieldsOf[interval.Processor](join(times(), notes{
		"interval": {doc: "id of the interval", keys: atLeast(1)},
		"boxes": {doc: "the class: a union of products of coordinate sets of the grid, one set per dimension",
			keys: notEmpty(), items: object{{"items", object{{"type", "string"}, {"pattern", numbers}}}, {"minItems", 1}}},
		"rank": {doc: "linear number of the processor in the grid, from 0", keys: atLeast(0)},
		"n":    {doc: "number of processors of the class", keys: atLeast(1)},
	}))
	defs := object{
		{"simulation", record("simulation", "Header of a stream of intervals", "What was simulated on what.",
			append([]field{version(interval.Version)}, fieldsOf[interval.Header](notes{
				"machine":    {doc: "the machine"},
				"grid":       {doc: "extents of the processor grid", keys: notEmpty(), items: atLeast(1)},
				"processors": {doc: "number of processors of the grid", keys: atLeast(1)},
				"source":     {doc: "names of the trace's files" + anyBytes},
				"startup": {doc: "time before the program's first call of the run-time system, on the slowest processor, in seconds",
					keys: seconds},
				"measured": {doc: "the run was measured and not predicted; absent when it was predicted", keys: only(true)},
				"options":  {doc: "choices of the simulation"},
			})...))},
		simulationOptions(),
		{"interval", record("interval", "Interval of the program",
			"The characteristics of a part of the program. Sums are over the interval's processors, nested intervals included.",
			fieldsOf[interval.Interval](join(times(), notes{
				"id":         {doc: "number of the interval, from 1, parents first", keys: atLeast(1)},
				"parent":     {doc: "id of the interval around it, 0 for the whole program", keys: atLeast(0)},
				"level":      {doc: "how many intervals are around it", keys: atLeast(0)},
				"type":       {doc: "type: the whole program, of the user, of a sequential loop, of a parallel loop", keys: enum(strs(interval.Main, interval.User, interval.Sequential, interval.Parallel))},
				"file":       {doc: "file of the source where it begins" + anyBytes},
				"line":       {doc: "line of the source where it begins, 0 without one", keys: atLeast(0)},
				"expr":       {doc: "value of the interval's expression, null without one"},
				"count":      {doc: "how often it was entered", keys: atLeast(0)},
				"processors": {doc: "number of processors that executed it", keys: atLeast(0)},
				"operations": {doc: "operations that were started, by kind"},
				"pop":        {doc: "the POP metrics, absent unless they were asked for"},
			})))},
		{"pop", closed("POP metrics", "The efficiencies of the POP project. Useful time is productive CPU and SYS time.",
			fieldsOf[interval.POP](notes{
				"parallel_efficiency":      {doc: "mean useful time over execution time: load_balance times communication_efficiency, as a ratio"},
				"load_balance":             {doc: "mean useful time over the longest, as a ratio"},
				"communication_efficiency": {doc: "longest useful time over execution time: serialisation times transfer, as a ratio"},
				"serialisation":            {doc: "longest useful time over ideal_time, as a ratio"},
				"transfer":                 {doc: "ideal_time over execution time, as a ratio; above 1 where faster messages make the program slower"},
				"ideal_time":               {doc: "execution time on a network on which messages take no time, in seconds"},
			}))},
		{"operations", closed("Operations", "How many operations of each kind were started, nested intervals included.",
			fieldsOf[interval.Operations](operations()))},
		{"processor", record("processor", "Class of processors in an interval",
			"The characteristics of one processor of a class of processors with equal values: sums over processors are over this one. "+
				"A class has boxes, a processor with a record of its own has a rank.",
			processor).with(member{"oneOf", list{object{{"required", list{"boxes"}}}, object{{"required", list{"rank"}}}}})},
		{"line", record("line", "Line of the source in an interval",
			"The characteristics that add up of what passed at a line, nested intervals excepted. Sums are over all processors; the lines of an interval sum to what passed in it.",
			additive(fieldsOf[interval.Line](join(times(), notes{
				"interval":   {doc: "id of the interval", keys: atLeast(1)},
				"file":       {doc: "file of the source" + anyBytes},
				"line":       {doc: "line of the calls", keys: atLeast(0)},
				"from_line":  {doc: "first line of the stretch that ends at line: that of the call before, or of the dopl_ when line is that of the endpl_", keys: atLeast(0)},
				"functions":  {doc: "functions that were called there, in the order of their first calls"},
				"operations": {doc: "operations that were started there, by kind"},
			}))))},
		{"function", closed("Function", "A function of the run-time system that was called at a line.",
			fieldsOf[interval.Function](notes{
				"func":  {doc: "name of the function"},
				"calls": {doc: "number of its calls", keys: atLeast(1)},
			}))},
		{"exchange", record("exchange", "Exchanges started at a place",
			"What the exchanges of a kind that a function starts at a line cost, wherever they are waited for. Sums are over all processors; for each kind the records sum to the program's.",
			kindOf(fieldsOf[interval.Exchange](join(kindTimes(), notes{
				"kind":     {doc: "kind of operation"},
				"func":     {doc: "function that starts them"},
				"file":     {doc: "file of the source" + anyBytes},
				"line":     {doc: "line of the calls", keys: atLeast(0)},
				"seq":      {doc: "number of the call that started the one that took longest, for dvmsim --explain", keys: atLeast(1)},
				"count":    {doc: "number of exchanges", keys: atLeast(1)},
				"messages": {doc: "number of messages that they sent", keys: atLeast(0)},
				"size_b":   {doc: "what the messages carried, in bytes", keys: atLeast(0)},
			}))))},
		{"kind_times", closed("Characteristics of a kind of operation", "The characteristics of one kind of communication operation.",
			fieldsOf[interval.KindTimes](kindTimes()))},
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
		append(defs, machineDefs()...), "simulation", "interval", "processor", "line", "exchange", "span", "end")
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
