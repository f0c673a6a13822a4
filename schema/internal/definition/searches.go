package definition

import (
	"dvmtools/pkg/machine"
	"dvmtools/pkg/search"
	"dvmtools/schema"
)

// searches is the schema of the stream of a search.
func searches() object {
	grid := note{doc: "extents of the processor grid", keys: notEmpty(), items: atLeast(1)}
	processors := note{doc: "number of processors of the grid", keys: atLeast(1)}
	execution := note{doc: "predicted time of the program on the grid, in seconds", keys: atLeast(0)}
	efficiency := note{doc: "the share of the processors' time that is productive, as a ratio"}
	cost := note{doc: "processors times time, in processor-seconds; for that objective", keys: atLeast(0)}
	number := note{doc: "number of the machine in a sweep, from 1; absent without a sweep", keys: atLeast(1)}
	parameter := note{doc: "name of the parameter, in the language of the machine file", keys: object{{"minLength", 1}}}
	value := note{doc: "the parameter as it is in the machine, absent for several that differ", keys: object{{"minLength", 1}}}
	ends := notes{
		"descent":  {doc: "number of grids that mode 1 tried after its steps, by guesses and around its best", keys: atLeast(1)},
		"improved": {doc: "whether one of those is better than what the steps had found", keys: object{{"const", true}}},
		"bound":    {doc: "why mode 2 tried no grid of more processors"},
		"partial":  {doc: "whether the search was ended before it was done", keys: object{{"const", true}}},
	}
	point := notes{"point": number, "grid": grid, "processors": processors, "execution_time": execution}
	defs := object{
		{"search", record("search", "Header of a search", "What was searched on what machine.",
			append([]field{version(search.Version)}, fieldsOf[search.Header](notes{
				"machine":        {doc: "the machine"},
				"mode":           {doc: "mode of the search: 1 tries few grids, 2 those that are not bad, 3 all; 5 searches as 1 and as 2", keys: enum(list{search.Heuristic, search.NotBad, search.All, search.Compare})},
				"objective":      {doc: "what the best grid is best in", keys: enum(list{"time", "efficiency", "cost"})},
				"rank":           {doc: "number of dimensions of the grids", keys: atLeast(1)},
				"extents":        {doc: "for each dimension the largest extent that the program maps on it, in elements", keys: notEmpty(), items: atLeast(1)},
				"source":         {doc: "names of the trace's files" + anyBytes},
				"options":        {doc: "choices of the simulations"},
				"max":            {doc: "largest number of processors", keys: atLeast(1)},
				"threshold":      {doc: "share by which a grid must be worse to bound its class, in mode 1", keys: atLeast(0)},
				"min_efficiency": {doc: "least efficiency of the best grid, as a ratio", keys: atLeast(0)},
				"deadline":       {doc: "longest execution time of the best grid, in seconds", keys: atLeast(0)},
				"whole_nodes":    {doc: "whether cost counts all processors of a node that is taken", keys: object{{"const", true}}},
				"points":         {doc: "number of machines of a sweep, absent for a search on one", keys: atLeast(1)},
				"sweep":          {doc: "how the machines of a sweep differ; the last one varies fastest", keys: notEmpty()},
			})...))},
		{"candidate", record("candidate", "Grid that was tried", "What the simulation on the grid gave, or why it could not be simulated.",
			fieldsOf[search.Candidate](notes{
				"point": number, "grid": grid, "processors": processors,
				"mark":           {doc: "how even the blocks are: the least ratio of the smallest block to the largest, 0 when a processor gets none", keys: atLeast(0)},
				"step":           {doc: "step of the search in which the grid was tried, from 1; modes 2 and 3 try all grids of a number of processors in one", keys: atLeast(1)},
				"mode":           {doc: "mode of the search that tried the grid, when there are two", keys: enum(list{search.Heuristic, search.NotBad})},
				"execution_time": execution, "efficiency": efficiency, "cost": cost,
				"abandoned_at": {doc: "time beyond which the simulation was given up, that of a grid with as many processors or fewer, in seconds", keys: atLeast(0)},
				"error":        {doc: "why the grid could not be simulated", keys: object{{"minLength", 1}}},
			})).with(member{"oneOf", list{
			object{{"required", list{"execution_time", "efficiency"}}, {"properties", object{{"error", false}, {"abandoned_at", false}}}},
			object{{"required", list{"abandoned_at"}}, {"properties", object{{"execution_time", false}, {"efficiency", false}, {"cost", false}, {"error", false}}}},
			object{{"required", list{"error"}}, {"properties", object{{"execution_time", false}, {"efficiency", false}, {"cost", false}, {"abandoned_at", false}}}},
		}})},
		{"comparison", record("comparison", "What one of two searches found", "The two searches of mode 5, the heuristic one first.",
			fieldsOf[search.Comparison](join(notes{
				"mode":       {doc: "mode of the search", keys: enum(list{search.Heuristic, search.NotBad})},
				"efficiency": efficiency,
				"behind":     {doc: "by what share its grid is worse than the better one in the objective", keys: atLeast(0)},
				"evaluated":  {doc: "number of grids that it tried", keys: atLeast(1)},
				"partial":    {doc: "whether it was ended before it was done", keys: object{{"const", true}}},
			}, point)))},
		{"pareto", record("pareto", "Grid of the Pareto front", "No grid with as many processors or fewer is faster.",
			fieldsOf[search.Point](point))},
		{"best", record("best", "Best grid", "The grid that the search found.",
			fieldsOf[search.Best](join(notes{"efficiency": efficiency, "cost": cost,
				"order": {doc: "order in which the grid takes the processors: as the description lists them, the fastest first, or one of each node in turn", keys: enum(list{"file", "fastest", "cyclic"})},
			}, point)))},
		{"explanation", record("explanation", "Sentence about the search", "Why the best grid is the best.",
			fieldsOf[search.Explanation](notes{
				"point": number,
				"about": {doc: "what it is about: the step that found the grid, a neighbour of it, what excluded the others, where the time goes", keys: enum(list{"found", "neighbour", "bound", "time"})},
				"text":  {doc: "the sentence", keys: object{{"minLength", 1}}},
			}))},
		{"end", record("end", "End of a search", "The last record; a stream without it was cut.",
			fieldsOf[search.End](join(notes{
				"evaluated": {doc: "number of grids that were simulated", keys: atLeast(0)},
				"not_bad":   {doc: "number of grids that are not bad", keys: atLeast(0)},
				"possible":  {doc: "number of grids that there are", keys: atLeast(0)},
				"points":    {doc: "number of machines of a sweep that were searched on; the other numbers are sums over them", keys: atLeast(1)},
			}, ends)))},
		{"axis", closed("Axis of a sweep", "A parameter and the values that it has.",
			fieldsOf[search.Axis](notes{
				"parameter": parameter,
				"scale":     {doc: "whether the values multiply the parameter", keys: object{{"const", true}}},
				"values":    {doc: "the values as they were stated", keys: notEmpty()},
			}))},
		{"point", record("point", "Machine of a sweep", "The records of the search on it follow.",
			fieldsOf[search.MachinePoint](notes{
				"point":   {doc: "number of the machine, from 1", keys: atLeast(1)},
				"changes": {doc: "what differs from the machine of the header"},
			}))},
		{"changed", closed("Changed parameter", "A parameter of the machine before and after, in the language of the machine file.",
			fieldsOf[machine.Changed](notes{"what": parameter, "old": {doc: "the value before"}, "new": {doc: "the value after"}}))},
		{"point_end", record("point_end", "End of the search on a machine of a sweep", "What the end record says, for this machine.",
			fieldsOf[search.PointEnd](join(notes{
				"point":     {doc: "number of the machine, from 1", keys: atLeast(1)},
				"evaluated": {doc: "number of grids that were simulated", keys: atLeast(0)},
				"not_bad":   {doc: "number of grids that are not bad", keys: atLeast(0)},
				"possible":  {doc: "number of grids that there are", keys: atLeast(0)},
				"error":     {doc: "why no grid is the best there", keys: object{{"minLength", 1}}},
			}, ends)))},
		{"sensitivity", record("sensitivity", "Derivative by a parameter", "How the time of the best grid changes with a parameter of the machine, a central difference over a step of 1 per cent.",
			fieldsOf[search.Derivative](notes{
				"parameter": parameter, "value": value,
				"seconds_per_percent": {doc: "by how much the time grows for each per cent by which the parameter does, in seconds"},
				"check":               {doc: "the same over a step of 0.25 per cent, in seconds"},
				"smooth":              {doc: "whether both agree to a per cent"},
				"share":               {doc: "seconds_per_percent by a per cent of the time, as a ratio"},
			}))},
		{"break_even", record("break_even", "Where another grid becomes the best", "The nearest value of a parameter to one side at which another of the grids that were tried is better than the best; without a grid there is none within a factor of 1024.",
			fieldsOf[search.BreakEven](notes{
				"parameter": parameter, "value": value,
				"direction": {doc: "whether it is more or less of the parameter", keys: enum(list{"more", "less"})},
				"factor":    {doc: "the parameter there by what it is, as a ratio", keys: atLeast(0)},
				"at":        {doc: "the parameter there, absent for several", keys: object{{"minLength", 1}}},
				"grid":      grid, "processors": processors, "execution_time": execution,
			}))},
		simulationOptions(),
		{"bound", closed("Bound of a search", "No grid of so many processors or more can be better than the best.",
			fieldsOf[search.Bound](notes{
				"processors": {doc: "number of processors from which on none can be better", keys: atLeast(1)},
				"value":      {doc: "what the objective has there at least", keys: atLeast(0)},
			}))},
	}
	return variants(schema.Search, "Record of a search",
		"One line of what dvmsearch writes. The first record is the header \"search\", the last is \"end\".",
		append(defs, machineDefs()...), "search", "point", "candidate", "comparison", "pareto", "best", "explanation", "point_end", "sensitivity", "break_even", "end")
}
