package definition

import (
	"slices"

	"dvmtools/pkg/report"
	"dvmtools/schema"
)

// reports is the schema of the JSON documents of reports.
func reports() object {
	prefixed := list{}
	for _, kind := range report.SheetKinds() {
		prefixed = append(prefixed, "dvmreport "+kind)
	}
	form := version(report.DocumentVersion)
	form.schema = form.schema.with(member{"description", "the version of the document's form"})
	cell := object{{"type", list{"string", "number", "null"}}}
	defs := object{
		{"report", closed("Report on a program", "What a stream of intervals says about one program.",
			slices.Concat(fieldsOf[report.Document](join(header(), notes{
				"report":            {doc: "what the document is", keys: only("dvmreport")},
				"program":           {doc: "name of the program for people"},
				"warnings":          {doc: "number of warnings given by the simulation", keys: atLeast(0)},
				"dropped_intervals": {doc: "number of intervals that are deeper than --level", keys: atLeast(0)},
				"diagnosis":         {doc: "sentences that sum up the figures"},
				"findings":          {doc: "what costs time and could be changed, what would save most first"},
				"exchanges":         {doc: "what exchanges cost, by the places where they are started; absent when the stream does not say", keys: notEmpty()},
			})), []field{form, {name: "intervals", schema: object{{"description", "the intervals, parents first"}, {"type", "array"}, {"items", ref("interval")}, {"minItems", 1}}}}))},
		{"finding", closed("Finding", "Something that costs time and could be changed.",
			fieldsOf[report.Finding](notes{
				"id":       {doc: "what was found", keys: enum(strs(report.FindingIDs()...))},
				"interval": {doc: "id of the interval that has most of it", keys: atLeast(1)},
				"place":    {doc: "where that interval begins"},
				"lines":    {doc: "the lines that have most of it, as jac.fdv:24-31; absent when it is of no line"},
				"saving":   {doc: "by how much the execution time could fall at best, in seconds", keys: atLeast(0)},
				"share":    {doc: "saving as a share of the execution time, as a ratio", keys: atLeast(0)},
				"text":     {doc: "a sentence that says what was found, and where"},
				"advice":   {doc: "a sentence that says what to do"},
			}))},
		{"interval", closed("Interval of the program",
			"The characteristics of a part of the program, of its processors and lines. Sums are over the interval's processors, nested intervals included.",
			fieldsOf[report.DocumentInterval](join(ofInterval(), notes{
				"classes": {doc: "the processors; absent when the stream does not have them", keys: notEmpty()},
				"lines":   {doc: "the lines of the source; absent when there are none", keys: notEmpty()},
			})))},
		{"processor", closed("Class of processors in an interval",
			"The characteristics of one processor of a class of processors with equal values. A class has boxes, a processor of its own has a rank.",
			processorFields()).with(boxesOrRank)},
		{"line", closed("Line of the source in an interval",
			"The characteristics that add up of what passed at a line, nested intervals excepted. Sums are over all processors.",
			lineFields())},
		{"exchange", closed("Exchanges started at a place",
			"What the exchanges of a kind that a function starts at a line cost, wherever they are waited for. Sums are over all processors.",
			exchangeFields())},
		{"sheet", closed("Comparison, scaling or search", "Sentences, facts and tables about several programs, or about a search.",
			[]field{
				{name: "report", schema: object{{"description", "what the document is"}, {"enum", prefixed}}},
				form,
				{name: "title", schema: object{{"description", "title of the page"}, {"type", "string"}}},
				{name: "sentences", schema: object{{"description", "sentences that sum up the tables"}, {"type", "array"}, {"items", object{{"type", "string"}}}}},
				{name: "facts", schema: object{{"description", "names of facts, and what they are"}, {"type", "array"},
					{"items", object{{"type", "array"}, {"items", object{{"type", "string"}}}, {"minItems", 2}, {"maxItems", 2}}}}},
				{name: "tables", schema: object{{"description", "the tables"}, {"type", "array"}, {"items", ref("table")}}},
			})},
		{"table", closed("Table of a sheet", "Numbers are exact, times in seconds, ratios of 1.",
			[]field{
				{name: "name", schema: object{{"description", "name of the table"}, {"type", "string"}}},
				{name: "columns", schema: object{{"description", "headings of the columns"}, {"type", "array"}, {"items", object{{"type", "string"}}}, {"minItems", 1}}},
				{name: "rows", schema: object{{"description", "rows, with a cell for each column; null where the page has a bar"}, {"type", "array"},
					{"items", object{{"type", "array"}, {"items", cell}, {"minItems", 1}}}}},
			})},
		simulationOptions(),
	}
	isReport := object{{"properties", object{{"report", only("dvmreport")}}}, {"required", list{"report"}}}
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", schema.Report},
		{"title", "Document of a report"},
		{"description", "What dvmreport --format json writes: one document."},
		{"type", "object"},
		{"if", isReport},
		{"then", ref("report")},
		{"else", ref("sheet")},
		{"$defs", slices.Concat(defs, sharedDefs(), machineDefs())},
	}
}
