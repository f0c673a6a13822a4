package definition

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/schema"
)

const anyBytes = "; bytes that are not UTF-8 are the characters U+F700 + byte"

// calls is the schema of the stream of calls.
func calls() object {
	nested := append([]field{numbered("number of the call, where it has one of its own", true)}, callFields()...)
	defs := object{
		{"trace", record("trace", "Header of a stream of calls", "Where the calls come from and the run that wrote the trace.",
			append([]field{version(call.Version)}, fieldsOf[call.Header](notes{
				"source":   {doc: "names of the trace's files" + anyBytes},
				"runtime":  {doc: "the run that wrote the trace"},
				"preamble": {doc: "the lines of the trace before its first event, absent without any" + anyBytes, keys: notEmpty()},
			})...))},
		{"runtime", closed("Run", "The run that wrote the trace, from the lines before its first event.",
			fieldsOf[call.Runtime](notes{
				"rts_version":  {doc: "version of the run-time system, 0 when not stated", keys: atLeast(0)},
				"processors":   {doc: "number of processes", keys: atLeast(0)},
				"grid":         {doc: "extents of the processor system, in processors", items: atLeast(0)},
				"virtual_grid": {doc: "extents of the virtual processor system, in processors, absent without one", keys: notEmpty(), items: atLeast(0)},
				"io_processor": {doc: "number of the I/O processor", keys: atLeast(0)},
				"time_digits":  {doc: "how many digits TIME has after the point in the trace", keys: atLeast(0)},
			}))},
		{"call", record("call", "Call of the run-time system", "One call with all its parameters.",
			slices.Concat([]field{numbered("number of the call in the stream, from 1", false)}, callFields(), []field{
				{"own", ref("own").with(member{"description", "the times of each process of the run, absent in traces that do not keep them"}), true},
			})).with(ref("parameters")...)},
		{"nested_call", closed("Call inside of a call", "A call that the run-time system made inside of another; traced with MaxTraceLevel > 0.",
			nested).with(ref("parameters")...)},
		{"exit", record("exit", "End of the program", "Stands where the program ended; calls behind it are outside.",
			fieldsOf[call.Exit](notes{
				"time": {doc: "the program's own time between the last call and its end, in seconds", keys: atLeast(0)},
				"rc":   {doc: "exit code of the program"},
				"line": {doc: "line of the source that was reported last, 0 without one", keys: atLeast(0)},
				"file": {doc: "file of the source that was reported last" + anyBytes},
				"own":  {doc: "the program's own time before its end on each process, in seconds, absent in traces that do not keep them", keys: notEmpty(), items: atLeast(0)},
			}))},
		{"end", record("end", "End of a stream of calls", "The last record; a stream without it was cut.", []field{
			{name: "calls", schema: object{{"description", "number of call records in the stream"}, {"type", "integer"}, {"minimum", 0}}},
			{name: "warnings", schema: object{{"description", "number of warnings given about the trace"}, {"type", "integer"}, {"minimum", 0}}},
			{name: "noticed", optional: true, schema: object{{"description", "the warnings, absent without any"}, {"type", "array"}, {"items", ref("notice")}, {"minItems", 1}}},
		})},
	}
	defs = append(defs, member{"notice", closed("Warning about the trace", "Where and what; the code is stable and names the kind.", []field{
		{name: "file", schema: object{{"description", "name of the trace" + anyBytes}, {"type", "string"}}},
		{name: "line", schema: object{{"description", "line of the trace, 0 when not known"}, {"type", "integer"}, {"minimum", 0}}},
		{name: "col", schema: object{{"description", "byte in the line from 1, 0 when not known"}, {"type", "integer"}, {"minimum", 0}}},
		{name: "code", schema: object{{"description", "kind of the warning"}, {"type", "string"}}},
		{name: "message", schema: object{{"description", "the warning in words" + anyBytes}, {"type", "string"}}},
	})})
	own := func(name, doc string) field {
		return field{name, object{{"description", doc + ", in seconds; null for a process that did not execute the call"}, {"type", "array"},
			{"items", object{{"type", list{"number", "null"}}, {"minimum", 0}}}, {"minItems", 1}}, true}
	}
	defs = append(defs, member{"own", closed("Times of processes", "The times of a call on each process of the run, in the order of the processes.", []field{
		own("call_time", "the program's own time before the call"),
		own("ret_time", "time inside of the call, that of nested calls included"),
	})})
	defs = append(defs, parameterDefs()...)
	return variants(schema.Calls, "Record of a stream of calls",
		"One line of what dvmtrace-parse writes. The first record is the header \"trace\", the last is \"end\".",
		defs, "trace", "call", "exit", "end")
}

func numbered(doc string, optional bool) field {
	return field{"seq", object{{"description", doc}, {"type", "integer"}, {"minimum", 1}}, optional}
}

// callFields are the fields that calls and nested calls share, in the order
// in which the codec writes them.
func callFields() []field {
	integer := func(doc string, min int) object {
		return object{{"description", doc}, {"type", "integer"}, {"minimum", min}}
	}
	str := func(doc string) object { return object{{"description", doc}, {"type", "string"}} }
	seconds := func(doc string) object {
		return object{{"description", doc}, {"type", "number"}, {"minimum", 0}}
	}
	lines := func(doc string) object {
		return object{{"description", doc}, {"type", "array"}, {"items", object{{"type", "string"}}}, {"minItems", 1}}
	}
	return []field{
		{"func", str("name of the function, without call_ or ret_").with(member{"minLength", 1}), false},
		{"line", integer("line of the source that the program reported last, 0 without one", 0), false},
		{"file", str("file of the source that the program reported last" + anyBytes), false},
		{"call_time", seconds("the program's own time before the call, in seconds"), false},
		{"ret_time", seconds("time inside of the call, that of nested calls included, in seconds"), false},
		{"only", object{
			{"description", "the half that the trace holds when it is not both: call (tron_, troff_, a program that ended inside) or ret (dvm_Init)"},
			{"enum", strs(call.OnlyCall.String(), call.OnlyRet.String())},
		}, true},
		{"ret_line", integer("line at the end of the call where it differs", 1), true},
		{"ret_file", str("file at the end of the call where it differs" + anyBytes).with(member{"minLength", 1}), true},
		{"outside", object{{"description", "the call lies before the program's begin or behind its end and is not simulated"}, {"const", true}}, true},
		{"args", object{{"description", "parameters of the call under the names of the trace"}, {"type", "object"}}, false},
		{"ret", object{{"description", "results of the call under the names of the trace"}, {"type", "object"}}, false},
		{"text", lines("lines behind the call that hold no known parameter, verbatim" + anyBytes), true},
		{"ret_text", lines("lines behind the return that hold no known parameter, verbatim" + anyBytes), true},
		{"nested", object{
			{"description", "calls that the run-time system made inside of this one"},
			{"type", "array"}, {"items", ref("nested_call")}, {"minItems", 1},
		}, true},
	}
}
