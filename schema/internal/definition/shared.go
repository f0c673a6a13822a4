package definition

import "dvmtools/pkg/interval"

// What records of intervals and documents of reports have in common.

// boxesOrRank says what a class of processors has.
var boxesOrRank = member{"oneOf", list{object{{"required", list{"boxes"}}}, object{{"required", list{"rank"}}}}}

// header are the notes of the header of a stream of intervals.
func header() notes {
	return notes{
		"machine":    {doc: "the machine"},
		"grid":       {doc: "extents of the processor grid", keys: notEmpty(), items: atLeast(1)},
		"processors": {doc: "number of processors of the grid", keys: atLeast(1)},
		"source":     {doc: "names of the trace's files" + anyBytes},
		"startup": {doc: "time before the program's first call of the run-time system, on the slowest processor, in seconds",
			keys: atLeast(0)},
		"measured": {doc: "the run was measured and not predicted; absent when it was predicted", keys: only(true)},
		"options":  {doc: "choices of the simulation"},
	}
}

// ofInterval are the notes of an interval.
func ofInterval() notes {
	return join(times(), notes{
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
	})
}

// processorFields are those of a class of processors.
func processorFields() []field {
	return fieldsOf[interval.Processor](join(times(), notes{
		"interval": {doc: "id of the interval", keys: atLeast(1)},
		"boxes": {doc: "the class: a union of products of coordinate sets of the grid, one set per dimension",
			keys: notEmpty(), items: object{{"items", object{{"type", "string"}, {"pattern", numbers}}}, {"minItems", 1}}},
		"rank": {doc: "linear number of the processor in the grid, from 0", keys: atLeast(0)},
		"n":    {doc: "number of processors of the class", keys: atLeast(1)},
	}))
}

// lineFields are those of a line of the source.
func lineFields() []field {
	return additive(fieldsOf[interval.Line](join(times(), notes{
		"interval":   {doc: "id of the interval", keys: atLeast(1)},
		"file":       {doc: "file of the source" + anyBytes},
		"line":       {doc: "line of the calls", keys: atLeast(0)},
		"from_line":  {doc: "first line of the stretch that ends at line: that of the call before, or of the dopl_ when line is that of the endpl_", keys: atLeast(0)},
		"functions":  {doc: "functions that were called there, in the order of their first calls"},
		"operations": {doc: "operations that were started there, by kind"},
	})))
}

// exchangeFields are those of exchanges started at a place.
func exchangeFields() []field {
	return kindOf(fieldsOf[interval.Exchange](join(kindTimes(), notes{
		"kind":     {doc: "kind of operation"},
		"func":     {doc: "function that starts them"},
		"file":     {doc: "file of the source" + anyBytes},
		"line":     {doc: "line of the calls", keys: atLeast(0)},
		"seq":      {doc: "number of the call that started the one that took longest, for dvmsim --explain", keys: atLeast(1)},
		"count":    {doc: "number of exchanges", keys: atLeast(1)},
		"messages": {doc: "number of messages that they sent", keys: atLeast(0)},
		"size_b":   {doc: "what the messages carried, in bytes", keys: atLeast(0)},
	})))
}

// sharedDefs are the definitions that these fields refer to.
func sharedDefs() object {
	return object{
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
		{"function", closed("Function", "A function of the run-time system that was called at a line.",
			fieldsOf[interval.Function](notes{
				"func":  {doc: "name of the function"},
				"calls": {doc: "number of its calls", keys: atLeast(1)},
			}))},
		{"kind_times", closed("Characteristics of a kind of operation", "The characteristics of one kind of communication operation.",
			fieldsOf[interval.KindTimes](kindTimes()))},
	}
}
