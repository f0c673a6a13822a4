package parasol_test

import (
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/machine/parasol"
)

// The tests of this file are named after the sections of the report that
// state what they test.

// TestSection21_Sections: the machine holds sections in any order, processors
// and topologies many times, the others once; of several the last counts.
func TestSection21_Sections(t *testing.T) {
	f := parse(t, mach(bus+proc+"begin processor\nid = 2\nname = \"q\"\nend processor\n"+strings.Replace(bus, "id = 1", "id = 5", 1)))
	if m := f.Machine(); len(m.Types) != 2 || len(m.Topologies) != 2 || m.Type(2).Name != "q" || m.Topology(5) == nil || m.Type(3) != nil || m.Topology(2) != nil {
		t.Errorf("%d types, %d topologies", len(m.Types), len(m.Topologies))
	}
	for _, section := range []string{"mpi", "pvm", "express"} {
		text := mach(proc + bus + "begin " + section + "\nsend = 1.0\nreceive = 2.0\nend " + section + "\nbegin " + section + "\nreceive = 3.0\nend " + section)
		want(t, section, warnings(t, text), "found the section "+section+" a second time, expected it once; this one counts, not that of line 34")
		f := parse(t, text)
		ref := map[string]string{"mpi": "mp", "pvm": "pv", "express": "ex"}[section]
		if got := eval(t, f, ref+".receive"); got != "3.0" {
			t.Errorf("%s.receive = %s", ref, got)
		}
		// As a whole: the first one's send is gone.
		if got := eval(t, f, ref+".send"); got != "found no "+ref+".send in this machine, expected it to be defined" {
			t.Errorf("%s.send = %s", ref, got)
		}
	}
	text := mach(proc + bus + "begin machinecombinations\nmaxtotalspd = 1\nend machinecombinations\nbegin machinecombinations\nmaxtotalspd = 2\nend machinecombinations")
	if got := eval(t, parse(t, text), "mc.maxtotalspd"); got != "2" || len(warnings(t, text)) != 1 {
		t.Errorf("maxtotalspd = %s", got)
	}
	want(t, "no section", warnings(t, "begin machine\nid = 1\nname = \"x\"\nprocessors = 0\ntopologies = 0\nend machine"), "without a section")
	// Fields may follow sections.
	if m := parse(t, "begin machine\n"+proc+bus+"id = 3\nprocessors = 1\nname = \"x\"\ntopologies = 1\nend machine").Machine(); m.ID != 3 || m.Name != "x" {
		t.Errorf("id %d, name %q", m.ID, m.Name)
	}
}

// TestSection22_MachineFields: id, name and counts, of which the last counts;
// the counts are those of types and topologies and only for reference.
func TestSection22_MachineFields(t *testing.T) {
	text := "begin machine\nid = 1\nid = 2\nname = \"a\"\nname = \"b\"\nprocessors = 9\nprocessors = 5\ntopologies = 1\n" + proc + bus + "end machine"
	want(t, "duplicates", warnings(t, text), "3: found id a second time, expected it once; this one counts, not that of line 2", "5: found name a second", "7: found processors a second",
		"7: found processors = 5, expected 1: so many processor types are defined")
	f := parse(t, text)
	if m := f.Machine(); m.ID != 2 || m.Name != "b" {
		t.Errorf("id %d, name %q", m.ID, m.Name)
	}
	if got := eval(t, f, "ma.processors*100 + ma.id*10 + ma.topologies"); got != "521" {
		t.Error(got)
	}
	want(t, "missing", refused(t, "begin machine\n"+proc+bus+"end machine"), "1:1: found a machine without an id")
	text = "begin machine\nid = 1\n" + proc + bus + "end machine"
	want(t, "missing", warnings(t, text), "no name of the machine", `no processors of the machine, expected "processors = 1"`, `no topologies of the machine`)
	if got := eval(t, parse(t, text), "ma.processors"); !strings.Contains(got, "found no ma.processors in this machine") {
		t.Error(got)
	}
}

// TestSection23_ProcessorFields: blocks in any order; of a field defined
// twice the last counts, also over several blocks, field by field.
func TestSection23_ProcessorFields(t *testing.T) {
	text := mach("begin processor\nbegin timings\nila = 1.0\nila = 2.0\nils = 3.0\nend timings\nid = 1\nname = \"p\"\nsmallloopspeedup = 1.5 0.1\nbegin timings\nila = 4.0\nend timings\nbegin cache\nsize = 1\nend cache\nbegin cache\nspeed = 1.0\nend cache\nend processor")
	want(t, "blocks", warnings(t, text), "found topologies = 1, expected 0", "found ila a second time", "found a second block of timings in one processor", "found ila a second time, expected it once; this one counts, not that of line 9", "second block of cache")
	f := parse(t, text)
	for ref, value := range map[string]string{"pt(1).ila": "4.0", "pt(1).ils": "3.0", "pc(1).size": "1", "pc(1).speed": "1.0", "pr(1).smallloopspeedup": "1.5", "pr(1).smallloopspeedup.sd": "0.1", "pr(1).id": "1"} {
		if got := eval(t, f, ref); got != value {
			t.Errorf("%s = %s, want %s", ref, got, value)
		}
	}
	want(t, "no id", refused(t, mach("begin processor\nname = \"p\"\nend processor")), "without an id")
	want(t, "same id", refused(t, mach(proc+proc)), "found id 1 a second time, expected each processor to have its own; line 7 has it")
	want(t, "a factor", refused(t, mach("begin processor\nid = 1\nsmallloopspeedup = 0\nend processor")), "expected a factor greater than 0")
	want(t, "misprint", warnings(t, mach(bus+"begin processor\nid = 1\nname = \"p\"\nsmallloopsdup = 1.5\nend processor")), "a misprint of the report, read as smallloopspeedup")
}

// TestSection231_Timings: every name of the table is read and referred to; so
// are the misprints of appendix A; what it leaves out yields its substitute.
func TestSection231_Timings(t *testing.T) {
	var b strings.Builder
	for _, p := range parasol.Parameters()[:150] {
		b.WriteString(p.Name + " = 1.0e-7\n")
	}
	text := mach(bus + "begin processor\nid = 1\nname = \"p\"\nbegin timings\n" + b.String() + "end timings\nend processor")
	want(t, "all names", warnings(t, text))
	f := parse(t, text)
	for _, p := range parasol.Parameters() {
		if got := eval(t, f, "pt(1)."+p.Name); got != "1.0e-7" {
			t.Errorf("pt(1).%s = %s", p.Name, got)
		}
	}
	// expr, goto and real.. are names here, no keywords.
	text = mach(bus + "begin processor\nid = 1\nname = \"p\"\nbegin timings\nclid = 1.0\naimage = 2.0\nsqrti = 3.0\nsind = 4.0\nexpr = 5.0\ngoto = 6.0\nend timings\nend processor")
	want(t, "misprints", warnings(t, text), "found clid, a misprint of the report, read as cld", "aimagc", "sqrtr")
	f = parse(t, text)
	for ref, value := range map[string]string{"pt(1).cld": "1.0", "pt(1).aimagc": "2.0", "pt(1).sqrtr": "3.0", "pt(1).cosd": "4.0", "pt(1).expr": "5.0", "pt(1).goto": "6.0", "pt(1).sqrti": "3.0"} {
		if got := eval(t, f, ref); got != value {
			t.Errorf("%s = %s, want %s", ref, got, value)
		}
	}
	if got := eval(t, f, "pt(1).cosr"); got != "found no pt(1).sinr in this machine, expected it to be defined" && !strings.Contains(got, "pt(1).cosr") {
		t.Error(got)
	}
	text = mach(bus + "begin processor\nid = 1\nname = \"p\"\nbegin timings\nsind = 4.0\ncosd = 7.0\nmini = 1.0\nend timings\nend processor")
	want(t, "extensions", warnings(t, text))
	var notes []string
	for _, n := range parse(t, text).Notes {
		notes = append(notes, n.Msg)
	}
	want(t, "extensions", notes, "found cosd, which the report has no timing for, read as an extension; without it the timing of sind holds")
	if got := eval(t, parse(t, text), "pt(1).cosd"); got != "7.0" {
		t.Error(got)
	}
	want(t, "unknown", refused(t, mach("begin processor\nid = 1\nbegin timings\nilla = 1.0\nend timings\nend processor")), `9:1: found "illa" in timings, expected the name of a timing; did you mean "il`)
}

// TestSection232_Cache and the other sections with expressions.
func TestSection232_Cache(t *testing.T) {
	f := parse(t, mach(bus+strings.Replace(proc, "begin timings", "begin cache\nsize = 0x1000\nspeed = 1.0e-8 1.0e-9\nspeedratio = pc(1).size * pc(1).speed\nend cache\nbegin timings", 1)))
	if got := eval(t, f, "pc(1).speedratio"); got != "4.096e-5" {
		t.Error(got)
	}
}

func TestSection233_Combinations(t *testing.T) {
	names := []string{"ia_spd", "im_spd", "da_spd", "dm_spd", "dd_spd", "ds_spd", "dp_spd"}
	f := parse(t, mach(bus+strings.Replace(proc, "begin timings", "begin combinations\n"+strings.Join(names, " = pt(1).ila / tl(1)(1).speed\n")+" = 1\nend combinations\nbegin timings", 1)))
	for i, n := range names {
		if got, value := eval(t, f, "po(1)."+n), []string{"0.09999999999999999", "1"}[i/6]; got != value && got != "0.1" {
			t.Errorf("po(1).%s = %s", n, got)
		}
	}
}

func TestSection24_MachineCombinations(t *testing.T) {
	f := parse(t, mach(proc+bus+"begin machinecombinations\nmaxtotalspd = 2 / tl(1)(1).speed\nend machinecombinations"))
	if got := eval(t, f, "mc.maxtotalspd"); got != "2000000.0" {
		t.Error(got)
	}
}

// TestSection25_Topology: fields once, of several the last; hardware is 0 or
// 1 and the default topology.
func TestSection25_Topology(t *testing.T) {
	text := mach(proc + strings.Replace(bus, "hardware = 1", "hardware = 1\ncreation = 1.0\ncreation = 2.0 0.5\nhardware = 0", 1))
	want(t, "duplicates", warnings(t, text), "found creation a second", "found hardware a second")
	f := parse(t, text)
	m := f.Machine()
	if c := m.Topology(1).Creation(); c != (parasol.Timing{Average: 2, Deviation: 0.5, Known: true}) || m.Topology(1).Hardware {
		t.Error(c)
	}
	for ref, value := range map[string]string{"to(1).id": "1", "to(1).hardware": "0", "to(1).creation": "2.0", "to(1).processors": "2", "to(1).links": "1"} {
		if got := eval(t, f, ref); got != value {
			t.Errorf("%s = %s, want %s", ref, got, value)
		}
	}
	if _, err := m.Hardware(); err == nil || !strings.Contains(err.Error(), "found 0 topologies with hardware = 1") {
		t.Error(err)
	}
	if top, err := parse(t, mach(proc+bus)).Machine().Hardware(); err != nil || top.ID != 1 {
		t.Error(err)
	}
	want(t, "hardware", refused(t, mach(proc+strings.Replace(bus, "hardware = 1", "hardware = 2", 1))), "found hardware = 2, expected 0 or 1")
	for _, field := range []string{"id", "processors", "links"} {
		text := strings.Replace(bus, field+" = ", "// "+field+" = ", 1)
		want(t, "without "+field, refused(t, mach(proc+text)), "found a topology without")
	}
	want(t, "same id", refused(t, mach(proc+bus+bus)), "found id 1 a second time, expected each topology")
}

// TestSection251_ProcessorTypes: p[1] to p[processors], each once, of types
// that are defined, also later.
func TestSection251_ProcessorTypes(t *testing.T) {
	f := parse(t, mach(bus+proc))
	if m := f.Machine(); len(m.Topology(1).Types) != 2 || m.Topology(1).Types[1] != m.Type(1) {
		t.Error("p[2] is not type 1")
	}
	replace := func(old, new string) string { return mach(proc + strings.Replace(bus, old, new, 1)) }
	want(t, "type", refused(t, replace("p[2] = 1", "p[2] = 4")), "found processor type 4, expected the id of a processor of this machine; there are 1")
	want(t, "missing", refused(t, replace("p[2] = 1\n", "")), "found processors = 2 and 1 statements in procid")
	want(t, "twice", refused(t, replace("p[2] = 1", "p[1] = 1")), "found no p[2]", "found p[1] a second time, expected it once")
	want(t, "zero", refused(t, replace("p[2] = 1", "p[0] = 1")), "found no p[2]", "found p[0], expected p[1] to p[2]")
	want(t, "beyond", refused(t, replace("p[2] = 1", "p[2] = 1\np[3] = 1")), "found p[3], expected p[1] to p[2]")
	want(t, "blocks", warnings(t, replace("p[2] = 1\nend procid", "end procid\nbegin procid\np[2] = 1\nend procid")), "second block of procid")
	want(t, "no processor", refused(t, replace("processors = 2", "processors = 0")), "found processors = 0, expected 1 to 1000000")
}

// TestSection252_Links: ids 1 to links in any order; a link connects two
// processors or more.
func TestSection252_Links(t *testing.T) {
	link := func(id, connect string) string {
		return "begin link\nid = " + id + "\nlatency = 0.001\nspeed = 1.0e-6\nconnect = " + connect + "\nend link\n"
	}
	with := func(n string, links ...string) string {
		text := strings.Replace(bus, "links = 1", "links = "+n, 1)
		return mach(proc + strings.Replace(text, link("1", "2 1 2"), strings.Join(links, ""), 1))
	}
	m := parse(t, with("2", link("2", "2 2 1"), link("1", "2 1 2"))).Machine()
	if l := m.Topology(1).Links; l[0].ID != 1 || l[1].ID != 2 || !slices.Equal(l[1].Ends, []int32{1, 0}) {
		t.Error(l)
	}
	want(t, "range", refused(t, with("1", link("2", "2 1 2"))), "found the link id 2, expected 1 to 1, as links says")
	want(t, "twice", refused(t, with("2", link("2", "2 1 2"), link("2", "2 1 2"))), "found link 2 a second time")
	want(t, "count", refused(t, with("2", link("1", "2 1 2"))), "found links = 2 and 1 links, expected as many")
	want(t, "no id", refused(t, with("1", strings.Replace(link("1", "2 1 2"), "id = 1", "", 1))), "found a link without an id")
	want(t, "one end", refused(t, with("1", link("1", "1 1"))), "found a link that connects 1 processors, expected 2")
	want(t, "few", refused(t, with("1", link("1", "3 1 2"))), "found 2 processors, expected 3 as the first number says")
	want(t, "many", refused(t, with("1", link("1", "2 1 2 1"))), `found "1", expected the end of the line after 2 processors`)
	want(t, "beyond", refused(t, with("1", link("1", "2 1 3"))), "found processor 3 in connect, expected 1 to 2")
	want(t, "same", refused(t, with("1", link("1", "2 2 2"))), "found processor 2 twice in connect")
	want(t, "blocks", warnings(t, with("2", link("2", "2 2 1"), "end linklist\nbegin linklist\n", link("1", "2 1 2"))), "second block of linklist")
	// The simulation needs all of a link; the file does not.
	m = parse(t, with("1", "begin link\nid = 1\nend link\n")).Machine()
	if _, err := m.Target(parasol.TargetOptions{}); err == nil || strings.Count(err.Error(), "expected \"") != 3 {
		t.Error(err)
	}
}

// TestSection26_Models: all functions of the three models, as expressions.
func TestSection26_Models(t *testing.T) {
	for model, functions := range map[string]string{
		"pvm":     "sync broadcast multicast send receive packbyte packdouble packfloat packint packlong packstring unpackbyte unpackdouble unpackfloat unpackint unpacklong unpackstring",
		"express": "sync broadcast multicast send receive exchange combine concat",
		"mpi":     "send receive",
	} {
		var b strings.Builder
		for f := range strings.FieldsSeq(functions) {
			b.WriteString(f + " = 3 * pt(1).ila\n")
		}
		m := parse(t, mach(proc+bus+"begin "+model+"\n"+b.String()+"end "+model)).Machine()
		all, err := m.Overheads(model)
		if err != nil || len(all) != len(strings.Fields(functions)) {
			t.Errorf("%s: %v, %v", model, all, err)
		}
		for i, f := range strings.Fields(functions) {
			if all[i].Function != f || all[i].Cost < 2.9e-7 || all[i].Cost > 3.1e-7 {
				t.Errorf("%s: %v", f, all[i])
			}
		}
	}
	m := parse(t, mach(proc+bus+"begin mpi\nsend = -1.0\nreceive = 1 / 0\nend mpi")).Machine()
	if _, err := m.Overheads("mpi"); err == nil || !strings.Contains(err.Error(), "found -1.0 s for send") && !strings.Contains(err.Error(), "found -1 s for send") || !strings.Contains(err.Error(), "1 / 0") {
		t.Error(err)
	}
	if _, err := m.Overheads("mpl"); err == nil || !strings.Contains(err.Error(), `did you mean "mpi"`) {
		t.Error(err)
	}
	if o, err := m.Overheads("pvm"); err != nil || o != nil {
		t.Error(o, err)
	}
	want(t, "field", refused(t, mach(proc+bus+"begin mpi\nsync = 1\nend mpi")), `found "sync" in mpi, expected one of send, receive`)
}

// TestSection27_Measured: an average and perhaps a standard deviation, both
// numbers that are not negative.
func TestSection27_Measured(t *testing.T) {
	with := func(value string) string { return mach(bus + strings.Replace(proc, "5.0e-8", value, 1)) }
	for value, timing := range map[string]parasol.Timing{
		"1.":             {Average: 1},
		"1.5e-6 2.5e-7":  {Average: 1.5e-6, Deviation: 2.5e-7, Known: true},
		"1.5e+6":         {Average: 1.5e6},
		"0.0 0.0":        {Known: true},
		"3":              {Average: 3},
		"1e-6":           {Average: 1e-6},
		".5\t.25 // why": {Average: 0.5, Deviation: 0.25, Known: true},
		"2.0E-6":         {Average: 2e-6},
		"0x10":           {Average: 16},
	} {
		if got, ok := parse(t, with(value)).Machine().Type(1).Timing("goto"); !ok || got != timing {
			t.Errorf("%s: %+v, want %+v", value, got, timing)
		}
	}
	for value, message := range map[string]string{
		"-1.0":        "10:8: found -1.0 for goto, expected a number that is not negative; a time is not negative",
		"1.0 -0.5":    "found -0.5 for the standard deviation of goto",
		"1.0 0.5 0.5": `found "0.5", expected the end of the line`,
		"1.0.5":       `found "1.0.5", expected a number`,
		"1e31":        "expected 0 or a number from 1e-30 to 1e30",
		"1e999":       "expected a number below 1.8e308",
		"1e-999":      "expected 0 or a number from 5e-324",
		"x":           `found "x", expected a number`,
		"":            "found the end of the statement, expected a number",
		"pt(1).ila":   `found "pt", expected a number`,
		"1.0,0.5":     `found ",", expected a blank before the standard deviation`,
		"1.0 2*3":     `found "*", expected the end of the line`,
	} {
		if got := refused(t, with(value)); !strings.Contains(got[0], strings.Replace(message, "10:8", "22:8", 1)) && !strings.Contains(got[0], message[strings.Index(message, "found"):]) {
			t.Errorf("%q: %s, want %s", value, got[0], message)
		}
	}
}

// TestSection28_Expressions: the example of the section, and what it stands
// for: four additions, two assignments and a goto, in the cache.
func TestSection28_Expressions(t *testing.T) {
	f := parse(t, mach(bus+strings.Replace(proc, "name", "smallloopspeedup = 2.0\nname", 1)+"begin mpi\nsend = (4*pt(1).ila + 2*pt(1).ils + pt(1).goto) / pr(1).smallloopspeedup\nend mpi"))
	if got := eval(t, f, "mp.send"); got != "4.2499999999999995e-7" { // (4e-7 + 4e-7 + 0.5e-7) / 2, as doubles
		t.Error(got)
	}
	// All operators and functions of the section are those of pkg/expr.
	for text, value := range map[string]string{
		"1-2+3*4/5%6**2": "1", "1==1>=1>1<=1<1!=1": "1", "8>>1<<2&7|8^1&&1||0": "1", "-!~1": "0",
		"abs(1)+int(acos(1)+asin(0)+atan(0)+cos(0)+cosh(0)+double(1)+exp(0)+floor(1)+log(1)+log10(1)+sin(0)+sinh(0)+sqrt(1)+tan(0)+tanh(0))+round(1)+sgn(1)": "9",
		"0x1F": "31", "1.5e-6": "1.5e-6",
	} {
		if got := eval(t, f, text); got != value {
			t.Errorf("%s = %s, want %s", text, got, value)
		}
	}
	// An expression ends with its line, also inside parentheses.
	want(t, "line", refused(t, mach(proc+bus+"begin mpi\nsend = (1 +\n2)\nend mpi"))[:1], "found the end of the expression")
	want(t, "semicolon", refused(t, mach(proc+bus+"begin mpi\nsend = (1 +; receive = 2)\nend mpi"))[:1], "found the end of the expression")
	// Literals only elsewhere.
	want(t, "integer", refused(t, mach(proc+strings.Replace(bus, "links = 1", "links = 2-1", 1)))[:1], `found "-", expected the end of the line after the value of links`)
}

// TestSection29_References has every production of the section.
func TestSection29_References(t *testing.T) {
	f := parse(t, string(read(t, complete)))
	for ref, value := range map[string]string{
		"ma.id": "1", "ma.processors": "2", "ma.topologies": "3",
		"pr(805).id": "805", "pr(1).smallloopspeedup": "1.4", "pt(1).ila": "5.0e-8", "pt(1).ila.sd": "2.0e-9",
		"pc(1).size": "65536", "pc(1).speed": "2.5e-8", "pc(1).speedratio": "4.0", "po(1).ia_spd": "4.9999999999999995e-14", "mc.maxtotalspd": "1000000.0",
		"to(1).id": "1", "to(1).hardware": "1", "to(1).creation": "2.0", "to(2).processors": "4", "to(2).links": "4",
		"tp(3)(1)": "1", "tp(3)(3)": "805",
		"tl(3)(2).id": "2", "tl(3)(1).latency": "2.0e-5", "tl(3)(1).speed": "1.0e-6", "tl(3)(1).latency == 2.0e-5": "1",
		"tl(1)(1).connect(0)": "4", "tl(1)(1).connect(1)": "1", "tl(1)(1).connect(4)": "4", "tl(3)(2).connect(1)": "2",
		"pv.send > 0": "1", "ex.concat > ex.send": "1", "mp.receive > mp.send": "1",
		"tl ( 1 ) ( 1 ) . connect ( 0 )": "4",
		"pv,send == pv.send":             "1",
	} {
		if got := eval(t, f, ref); got != value && got != value+"0000000000001" {
			t.Errorf("%s = %s, want %s", ref, got, value)
		}
	}
	for ref, message := range map[string]string{
		"ma.name":                "found a reference to a name",
		"pr(1).name":             "found a reference to a name",
		"pr(2).id":               "found processor 2, expected the id of a processor of this machine",
		"pt(805).sinr":           "found no pt(805).sinr in this machine",
		"pt(805).ila.sd":         "found no standard deviation of pt(805).ila",
		"pt(1).xyz":              `found "xyz" after pt, expected the name of a timing`,
		"pt(1).ilA":              `did you mean "ila"`,
		"pt.ila":                 `found "pt.ila", expected pt(NUMBER).FIELD`,
		"pt(1)":                  `found "pt(1)", expected pt(NUMBER).FIELD`,
		"tl(1).speed":            `expected tl(NUMBER)(NUMBER).FIELD`,
		"tl(1)(2).speed":         "found link 2 of topology 1, expected 1 to 1",
		"tl(9)(1).speed":         "found topology 9, expected the id of a topology",
		"to(9).id":               "found topology 9, expected the id of a topology",
		"tp(1)(5)":               "found processor 5 of topology 1, expected 1 to 4",
		"tp(9)(1)":               "found topology 9",
		"tp(1)(1).id":            `found "id" after tp(NUMBER)(NUMBER), expected nothing`,
		"tl(1)(1).connect":       "expected connect(0), the number of processors of the link, or connect(K)",
		"tl(1)(1).connect(5)":    "found connect(5), expected connect(0) to connect(4)",
		"tl(1)(1).speed(1)":      "expected no number behind speed",
		"pv.sent":                `did you mean "send"`,
		"mp.sync":                `found "sync" after mp, expected one of send, receive`,
		"ab(1).c":                `found "ab", expected a function or a reference that begins with one of ma, pr`,
		"ma.id.sd":               `found "sd" after a field, expected nothing, or sd after a timing`,
		"pt(1).ila.average":      `found "average" after a field`,
		"tl(1)(1).connect(0).sd": `found "sd" after a field`,
		"pt(ma.id).ila":          "expected an integer; references take no expressions",
	} {
		if got := eval(t, f, ref); !strings.Contains(got, message) {
			t.Errorf("%s: %s, want %s", ref, got, message)
		}
	}
}

// TestAppendixA_Lines: nl is a newline, a vertical tab or ";", one or more of
// them; blanks and tabs are free between tokens; words are lower-case.
func TestAppendixA_Lines(t *testing.T) {
	plain := mach(proc + bus)
	same := parse(t, plain).String()
	for name, text := range map[string]string{
		"semicolons":    strings.ReplaceAll(plain, "\n", ";"),
		"vertical tabs": strings.ReplaceAll(plain, "\n", "\v"),
		"CRLF":          strings.ReplaceAll(plain, "\n", "\r\n"),
		"blanks":        strings.NewReplacer("=", " \t= ", "[", " [ ", "]", " ] ", "begin ", "\tbegin\t ").Replace(plain),
		"many":          "\n;;\v\n" + strings.ReplaceAll(plain, "\n", ";\v;"),
		"mark":          "\ufeff" + plain,
		"no last nl":    strings.TrimSuffix(plain, "\n"),
	} {
		if got := parse(t, text).String(); strings.ReplaceAll(got, "\n\n", "\n") != same {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
	f := parse(t, strings.Replace(plain, `"m"`, "\"a;b\vc // d\"", 1))
	if f.Machine().Name != "a;b\vc // d" {
		t.Errorf("%q", f.Machine().Name)
	}
	want(t, "string", refused(t, strings.Replace(plain, `"m"`, `"m`, 1)), "found no second quote in the line")
	want(t, "string", refused(t, strings.Replace(plain, `"m"`, `""`, 1)), "found an empty string")
	want(t, "string", refused(t, strings.Replace(plain, `"m"`, `m`, 1)), `found "m", expected a string in quotes`)
	want(t, "case", refused(t, strings.Replace(plain, "begin machine", "Begin Machine", 1)), `found "Begin", expected "begin machine"; did you mean "begin"?`, `did you mean "machine"?`)
	want(t, "case", refused(t, strings.Replace(plain, "id = 7", "ID = 7", 1)), `found "ID" in machine, expected one of id, name, processors, topologies; did you mean "id"?`)
	want(t, "case", refused(t, strings.Replace(plain, "begin timings", "begin Timings", 1)), `found "Timings" after "begin", expected one of timings, cache, combinations within processor; did you mean "timings"?`)
	want(t, "case", refused(t, strings.Replace(plain, "end timings", "end Timings", 1)), `found "end Timings", expected "end timings"`)
	want(t, "after", refused(t, plain+"x = 1"), "expected only empty lines and comments after \"end machine\"")
	want(t, "integer", refused(t, strings.Replace(plain, "id = 7", "id = 7.0", 1)), "found 7.0, expected an integer without a fraction")
	want(t, "integer", refused(t, strings.Replace(plain, "id = 7", "id = -7", 1)), `found "-", expected an integer`)
	want(t, "integer", refused(t, strings.Replace(plain, "id = 7", "id = 9223372036854775808", 1)), "expected an integer up to 9223372036854775807")
	want(t, "broken", refused(t, strings.Replace(plain, "id = 7", "id\n= 7", 1)), `found the end of the statement, expected "=" after id`, `found "=", expected a field`)
}

// TestComments: a comment stays behind the statement of its line, or on its
// own line, also where ";" ended the statement; strings hold what they like.
func TestComments(t *testing.T) {
	text := "// before\nbegin machine; // begin\nid = 1; // id\nname = \"a // b\" // name\n\n\n// alone\nprocessors = 0 ;topologies = 0//both\n// last\nend machine // end\n// after\n"
	want := `// before
begin machine // begin
    id = 1 // id
    name = "a // b" // name

    // alone
    processors = 0
    topologies = 0 //both
    // last
end machine // end
// after
`
	f := parse(t, text)
	if got := f.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := parse(t, want).String(); got != want {
		t.Errorf("printed again:\n%s", got)
	}
}

// TestOneErrorForAString: what is in a string ends no statement, also where the
// statement is skipped.
func TestOneErrorForAString(t *testing.T) {
	want(t, "string", refused(t, mach(proc+bus+"title = \"a; b; // c\"; id = 8")), `found "title" in machine`)
}
