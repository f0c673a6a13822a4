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
	point := notes{"grid": grid, "processors": processors, "execution_time": execution}
	defs := object{
		{"search", record("search", "Header of a search", "What was searched on what machine.",
			append([]field{version(search.Version)}, fieldsOf[search.Header](notes{
				"machine":   {doc: "the machine"},
				"mode":      {doc: "mode of the search: 2 tries the grids that are not bad, 3 all", keys: enum(list{search.NotBad, search.All})},
				"objective": {doc: "what the best grid is best in", keys: enum(list{"time"})},
				"rank":      {doc: "number of dimensions of the grids", keys: atLeast(1)},
				"extents":   {doc: "for each dimension the largest extent that the program maps on it, in elements", keys: notEmpty(), items: atLeast(1)},
				"source":    {doc: "names of the trace's files" + anyBytes},
			})...))},
		{"candidate", record("candidate", "Grid that was tried", "What the simulation on the grid gave, or why it could not be simulated.",
			fieldsOf[search.Candidate](notes{
				"grid": grid, "processors": processors,
				"mark":           {doc: "how even the blocks are: the least ratio of the last block to the largest, 0 when a processor gets none", keys: atLeast(0)},
				"step":           {doc: "number of the grid among those tried, from 1", keys: atLeast(1)},
				"execution_time": execution, "efficiency": efficiency,
				"error": {doc: "why the grid could not be simulated", keys: object{{"minLength", 1}}},
			})).with(member{"oneOf", list{
			object{{"required", list{"execution_time", "efficiency"}}, {"properties", object{{"error", false}}}},
			object{{"required", list{"error"}}, {"properties", object{{"execution_time", false}, {"efficiency", false}}}},
		}})},
		{"pareto", record("pareto", "Grid of the Pareto front", "No grid with as many processors or fewer is faster.",
			fieldsOf[search.Point](point))},
		{"best", record("best", "Best grid", "The grid that the search found.",
			fieldsOf[search.Best](join(notes{"efficiency": efficiency}, point)))},
		{"end", record("end", "End of a search", "The last record; a stream without it was cut.",
			fieldsOf[search.End](notes{
				"evaluated": {doc: "number of grids that were simulated", keys: atLeast(0)},
				"not_bad":   {doc: "number of grids that are not bad", keys: atLeast(0)},
				"possible":  {doc: "number of grids that there are", keys: atLeast(0)},
			}))},
	}
	return variants(schema.Search, "Record of a search",
		"One line of what dvmsearch writes. The first record is the header \"search\", the last is \"end\".",
		append(defs, machineDefs()...), "search", "candidate", "pareto", "best", "end")
}
