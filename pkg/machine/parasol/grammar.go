package parasol

// sectionKind is an index of [grammar].
type sectionKind uint8

const (
	secFile sectionKind = iota // the file itself: what stands around "begin machine"
	secMachine
	secProcessor
	secTimings
	secCache
	secCombinations
	secMachineCombinations
	secTopology
	secProcID
	secLinkList
	secLink
	secPVM
	secExpress
	secMPI
	secCount
)

// fieldKind is the kind of value that a field has.
type fieldKind uint8

const (
	kindInteger    fieldKind = iota
	kindFlag                 // the integer 0 or 1
	kindString               //
	kindTiming               // average and standard deviation in seconds
	kindFactor               // the same, but not a time, and greater than 0
	kindExpression           //
	kindEnds                 // a count and as many processors
	kindProcessor            // p[integer] = integer
)

// fieldRule is a field that a section may hold.
type fieldRule struct {
	name string
	kind fieldKind
}

// sectionRule is a row of the grammar. name is the word after begin and end;
// fields and sections may be in any order.
type sectionRule struct {
	name     string
	section  string // of the report
	fields   []fieldRule
	sections []sectionKind
	once     bool // of several, the last counts as a whole
}

// grammar lists the fields and sections of every section (appendix A). The fields
// of timings are those of the table of parameters.
var grammar = [secCount]sectionRule{
	secFile: {name: "file", section: "2.1", sections: []sectionKind{secMachine}},
	secMachine: {name: "machine", section: "2.1", fields: []fieldRule{
		{"id", kindInteger}, {"name", kindString}, {"processors", kindInteger}, {"topologies", kindInteger}},
		sections: []sectionKind{secProcessor, secMachineCombinations, secTopology, secPVM, secExpress, secMPI}},
	secProcessor: {name: "processor", section: "2.3", fields: []fieldRule{
		{"id", kindInteger}, {"name", kindString}, {"smallloopspeedup", kindFactor}},
		sections: []sectionKind{secTimings, secCache, secCombinations}},
	secTimings: {name: "timings", section: "2.3.1", fields: timingRules()},
	secCache: {name: "cache", section: "2.3.2", fields: []fieldRule{
		{"size", kindInteger}, {"speed", kindTiming}, {"speedratio", kindExpression}}},
	secCombinations: {name: "combinations", section: "2.3.3", fields: expressions(
		"ia_spd", "im_spd", "da_spd", "dm_spd", "dd_spd", "ds_spd", "dp_spd")},
	secMachineCombinations: {name: "machinecombinations", section: "2.4", fields: expressions("maxtotalspd"), once: true},
	secTopology: {name: "topology", section: "2.5", fields: []fieldRule{
		{"id", kindInteger}, {"name", kindString}, {"hardware", kindFlag}, {"creation", kindTiming},
		{"processors", kindInteger}, {"links", kindInteger}},
		sections: []sectionKind{secProcID, secLinkList}},
	secProcID:   {name: "procid", section: "2.5.1", fields: []fieldRule{{"p", kindProcessor}}},
	secLinkList: {name: "linklist", section: "2.5.2", sections: []sectionKind{secLink}},
	secLink: {name: "link", section: "2.5.2", fields: []fieldRule{
		{"id", kindInteger}, {"latency", kindTiming}, {"speed", kindTiming}, {"connect", kindEnds}}},
	secPVM: {name: "pvm", section: "2.6", fields: expressions(
		"sync", "broadcast", "multicast", "send", "receive",
		"packbyte", "packdouble", "packfloat", "packint", "packlong", "packstring",
		"unpackbyte", "unpackdouble", "unpackfloat", "unpackint", "unpacklong", "unpackstring"), once: true},
	secExpress: {name: "express", section: "2.6", fields: expressions(
		"sync", "broadcast", "multicast", "send", "receive", "exchange", "combine", "concat"), once: true},
	secMPI: {name: "mpi", section: "2.6", fields: expressions("send", "receive"), once: true},
}

// misprints are words that the grammar of the report spells differently from its
// text.
var misprints = map[string]string{"smallloopsdup": "smallloopspeedup"}

func expressions(names ...string) []fieldRule {
	rules := make([]fieldRule, len(names))
	for i, n := range names {
		rules[i] = fieldRule{n, kindExpression}
	}
	return rules
}

func timingRules() []fieldRule {
	rules := make([]fieldRule, len(parameters))
	for i, p := range parameters {
		rules[i] = fieldRule{p.Name, kindTiming}
	}
	return rules
}

// field returns the index of the field called name in the section, -1 when
// there is none. canonical is false for the spelling of a misprint.
func (k sectionKind) field(name string) (i int, canonical bool) {
	if k == secTimings {
		i, ok := parameterIndex[name]
		if !ok {
			return -1, true
		}
		return i, parameters[i].Name == name
	}
	canonical = true
	if right, ok := misprints[name]; ok {
		name, canonical = right, false
	}
	for i, r := range grammar[k].fields {
		if r.name == name {
			return i, canonical
		}
	}
	return -1, canonical
}

// fieldNames returns the names of the fields of the section.
func (k sectionKind) fieldNames() []string {
	names := make([]string, len(grammar[k].fields))
	for i, r := range grammar[k].fields {
		names[i] = r.name
	}
	return names
}

// sectionNames returns the names of the sections within the section.
func (k sectionKind) sectionNames() []string {
	names := make([]string, len(grammar[k].sections))
	for i, s := range grammar[k].sections {
		names[i] = grammar[s].name
	}
	return names
}
