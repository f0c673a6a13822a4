package definition

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/search"
	"dvmtools/schema"
)

// parts is the schema of plans of searches and of their parts.
func parts() object {
	text := object{{"minLength", 1}}
	number := note{doc: "number of the case, from 1", keys: atLeast(1)}
	point := note{doc: "number of the machine in a sweep, from 1; absent without a sweep", keys: atLeast(1)}
	hash := pattern("^[0-9a-f]{64}$")
	defs := object{
		{"plan", record("plan", "Header of a plan", "A search of which the cases can be evaluated by themselves.",
			append([]field{version(search.PlanVersion)}, fieldsOf[search.Plan](notes{
				"arguments": {doc: "the command line of the search"},
				"inputs":    {doc: "the files that it reads", keys: notEmpty()},
				"search":    {doc: "the header of its stream, as text", keys: text},
				"cases":     {doc: "number of cases", keys: atLeast(1)},
			})...))},
		{"plan_input", closed("Input of a search", "A file that has to be the same everywhere.",
			fieldsOf[search.PlanInput](notes{
				"file":   {doc: "name of the file, from the directory in which the plan was made" + anyBytes, keys: text},
				"sha256": {doc: "SHA-256 of its bytes", keys: hash},
			}))},
		{"case", record("case", "Case of a plan", "A grid on a machine in mode 3, a search on a machine in the other modes.",
			fieldsOf[search.Case](notes{
				"case": number, "point": point,
				"mode": {doc: "mode of the search", keys: enum(list{search.Heuristic, search.NotBad, search.All, search.Compare})},
				"grid": {doc: "extents of the grid, in mode 3", keys: notEmpty(), items: atLeast(1)},
			}))},
		{"part", record("part", "Header of a part", "What some cases of a plan gave: those numbered part, part + parts, part + 2 parts and so on.",
			append([]field{version(search.PlanVersion)}, fieldsOf[search.PartHeader](notes{
				"part":  {doc: "number of the part, from 1", keys: atLeast(1)},
				"parts": {doc: "number of parts", keys: atLeast(1)},
				"plan":  {doc: "the plan"},
			})...))},
		{"outcome", record("outcome", "Simulation of a grid", "What it gave, or why it is not possible.",
			fieldsOf[search.PartOutcome](notes{
				"case": number, "point": point,
				"grid":           {doc: "extents of the grid", keys: notEmpty(), items: atLeast(1)},
				"execution_time": {doc: "predicted time of the program on the grid, in seconds", keys: atLeast(0)},
				"efficiency":     {doc: "the share of the processors' time that is productive, as a ratio"},
				"abandoned_at":   {doc: "time beyond which the simulation was given up, in seconds", keys: atLeast(0)},
				"error":          {doc: "why the grid could not be simulated", keys: text},
				"main":           {doc: "characteristics of the whole program, for --explain"},
				"warnings":       {doc: "what the simulation warned of", keys: notEmpty()},
			})).with(member{"oneOf", list{
			object{{"required", list{"execution_time", "efficiency"}}, {"properties", object{{"error", false}, {"abandoned_at", false}}}},
			object{{"required", list{"abandoned_at"}}, {"properties", object{{"execution_time", false}, {"efficiency", false}, {"main", false}, {"error", false}, {"warnings", false}}}},
			object{{"required", list{"error"}}, {"properties", object{{"execution_time", false}, {"efficiency", false}, {"main", false}, {"abandoned_at", false}}}},
		}})},
		{"times", closed("Characteristics", "Those of an interval.", fieldsOf[interval.Times](times()))},
		{"kind_times", closed("Characteristics of a kind of operation", "The characteristics of one kind of communication operation.",
			fieldsOf[interval.KindTimes](kindTimes()))},
		{"part_warning", closed("Warning", "A warning of a simulation, with its place in the trace.",
			fieldsOf[search.PartWarning](notes{
				"file":    {doc: "name of the file" + anyBytes},
				"line":    {doc: "line, from 1; 0 when it is not known", keys: atLeast(0)},
				"col":     {doc: "column in bytes, from 1; 0 when it is not known", keys: atLeast(0)},
				"code":    {doc: "stable name of the warning", keys: text},
				"message": {doc: "the warning", keys: text},
			}))},
		{"end", record("end", "End of a plan or a part", "The last record; a file without it was cut.",
			fieldsOf[search.PartEnd](notes{
				"cases":    {doc: "number of cases", keys: atLeast(0)},
				"outcomes": {doc: "number of outcomes of a part, absent for none", keys: atLeast(1)},
				"sha256":   {doc: "SHA-256 of the lines before", keys: hash},
			}))},
	}
	return variants(schema.Parts, "Record of a plan or a part",
		"One line of what dvmsearch --plan and --run-part write. The first record is the header \"plan\" or \"part\", the last is \"end\".",
		defs, "plan", "case", "part", "outcome", "end")
}
