package definition

import (
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
	point := notes{"grid": grid, "processors": processors, "execution_time": execution}
	defs := object{
		{"search", record("search", "Header of a search", "What was searched on what machine.",
			append([]field{version(search.Version)}, fieldsOf[search.Header](notes{
				"machine":        {doc: "the machine"},
				"mode":           {doc: "mode of the search: 1 tries few grids, 2 those that are not bad, 3 all; 5 searches as 1 and as 2", keys: enum(list{search.Heuristic, search.NotBad, search.All, search.Compare})},
				"objective":      {doc: "what the best grid is best in", keys: enum(list{"time", "efficiency", "cost"})},
				"rank":           {doc: "number of dimensions of the grids", keys: atLeast(1)},
				"extents":        {doc: "for each dimension the largest extent that the program maps on it, in elements", keys: notEmpty(), items: atLeast(1)},
				"source":         {doc: "names of the trace's files" + anyBytes},
				"max":            {doc: "largest number of processors", keys: atLeast(1)},
				"threshold":      {doc: "share by which a grid must be worse to bound its class, in mode 1", keys: atLeast(0)},
				"min_efficiency": {doc: "least efficiency of the best grid, as a ratio", keys: atLeast(0)},
				"deadline":       {doc: "longest execution time of the best grid, in seconds", keys: atLeast(0)},
				"whole_nodes":    {doc: "whether cost counts all processors of a node that is taken", keys: object{{"const", true}}},
			})...))},
		{"candidate", record("candidate", "Grid that was tried", "What the simulation on the grid gave, or why it could not be simulated.",
			fieldsOf[search.Candidate](notes{
				"grid": grid, "processors": processors,
				"mark":           {doc: "how even the blocks are: the least ratio of the smallest block to the largest, 0 when a processor gets none", keys: atLeast(0)},
				"step":           {doc: "step of the search in which the grid was tried, from 1; modes 2 and 3 try all grids of a number of processors in one", keys: atLeast(1)},
				"mode":           {doc: "mode of the search that tried the grid, when there are two", keys: enum(list{search.Heuristic, search.NotBad})},
				"execution_time": execution, "efficiency": efficiency, "cost": cost,
				"error": {doc: "why the grid could not be simulated", keys: object{{"minLength", 1}}},
			})).with(member{"oneOf", list{
			object{{"required", list{"execution_time", "efficiency"}}, {"properties", object{{"error", false}}}},
			object{{"required", list{"error"}}, {"properties", object{{"execution_time", false}, {"efficiency", false}, {"cost", false}}}},
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
				"about": {doc: "what it is about: the step that found the grid, a neighbour of it, what excluded the others, where the time goes", keys: enum(list{"found", "neighbour", "bound", "time"})},
				"text":  {doc: "the sentence", keys: object{{"minLength", 1}}},
			}))},
		{"end", record("end", "End of a search", "The last record; a stream without it was cut.",
			fieldsOf[search.End](notes{
				"evaluated": {doc: "number of grids that were simulated", keys: atLeast(0)},
				"not_bad":   {doc: "number of grids that are not bad", keys: atLeast(0)},
				"possible":  {doc: "number of grids that there are", keys: atLeast(0)},
				"descent":   {doc: "number of grids that mode 1 tried after its steps, by guesses and around its best", keys: atLeast(1)},
				"improved":  {doc: "whether one of those is better than what the steps had found", keys: object{{"const", true}}},
				"bound":     {doc: "why mode 2 tried no grid of more processors"},
				"partial":   {doc: "whether the search was ended before it was done", keys: object{{"const", true}}},
			}))},
		{"bound", closed("Bound of a search", "No grid of so many processors or more can be better than the best.",
			fieldsOf[search.Bound](notes{
				"processors": {doc: "number of processors from which on none can be better", keys: atLeast(1)},
				"value":      {doc: "what the objective has there at least", keys: atLeast(0)},
			}))},
	}
	return variants(schema.Search, "Record of a search",
		"One line of what dvmsearch writes. The first record is the header \"search\", the last is \"end\".",
		append(defs, machineDefs()...), "search", "candidate", "comparison", "pareto", "best", "explanation", "end")
}
