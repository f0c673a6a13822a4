package parasol_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
)

// complete is the example that uses every section.
const complete = "../../../testdata/machines/sparc.mach"

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// parse reads a file without an error and returns it.
func parse(t testing.TB, text string) *parasol.File {
	t.Helper()
	f, list := parasol.Parse("t.mach", []byte(text))
	if f == nil {
		t.Fatalf("%v\nin\n%.2000s", list.Err(), text)
	}
	return f
}

// mach is a machine with the given statements inside.
func mach(inside string) string {
	return "begin machine\nid = 7\nname = \"m\"\nprocessors = 1\ntopologies = 1\n" + inside + "\nend machine\n"
}

const (
	// proc is a processor type, bus a topology of two of them.
	proc = "begin processor\nid = 1\nname = \"p\"\nbegin timings\nila = 1.0e-7 1.0e-8\nils = 2.0e-7 2.0e-8\ngoto = 5.0e-8\nend timings\nend processor\n"
	bus  = "begin topology\nid = 1\nname = \"t\"\nhardware = 1\nprocessors = 2\nlinks = 1\nbegin procid\np[1] = 1\np[2] = 1\nend procid\n" +
		"begin linklist\nbegin link\nid = 1\nlatency = 0.001\nspeed = 1.0e-6\nconnect = 2 1 2\nend link\nend linklist\nend topology\n"
)

// eval returns the value of an expression about a file, or the message of the
// error.
func eval(t testing.TB, f *parasol.File, text string) string {
	t.Helper()
	m := f.Machine()
	x, list := m.Expression("e", text)
	if x == nil {
		return list[0].Msg
	}
	r, err := m.Evaluator(false).Eval(x)
	if err != nil {
		return err.Msg
	}
	return r.String()
}

// warnings returns the messages of the warnings about a text.
func warnings(t testing.TB, text string) []string {
	t.Helper()
	var all []string
	for _, w := range parse(t, text).Warnings {
		all = append(all, fmt.Sprintf("%d: %s", w.Pos.Line, w.Msg))
	}
	return all
}

// refused returns the messages of the errors about a text that must have one.
func refused(t testing.TB, text string) []string {
	t.Helper()
	f, list := parasol.Parse("t.mach", []byte(text))
	if f != nil {
		t.Fatalf("no error in\n%s", text)
	}
	var all []string
	for _, e := range list {
		if e.Severity == diag.SeverityError {
			all = append(all, fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Col, e.Msg))
		}
	}
	return all
}

// want fails unless the texts contain the parts, one each, in order.
func want(t *testing.T, what string, got []string, parts ...string) {
	t.Helper()
	if len(got) != len(parts) {
		t.Errorf("%s: got %d messages, want %d: %s", what, len(got), len(parts), strings.Join(got, "\n"))
		return
	}
	for i, p := range parts {
		if !strings.Contains(got[i], p) {
			t.Errorf("%s: got %q, want %q", what, got[i], p)
		}
	}
}

func TestCompleteExample(t *testing.T) {
	text := read(t, complete)
	f, list := parasol.Parse("sparc.mach", text)
	if f == nil {
		t.Fatal(list)
	}
	want(t, "warnings", warnings(t, string(text)))
	if diff := cmp.Diff(string(text), f.String()); diff != "" {
		t.Errorf("the example is not in canonical form (-file +printed):\n%s", diff)
	}
	m := f.Machine()
	if list := m.Check(); len(list) > 0 {
		t.Error(list.Err())
	}
	for _, p := range parasol.Parameters() {
		if _, ok := m.Type(1).Timing(p.Name); !ok {
			t.Errorf("no timing %s", p.Name)
		}
	}
	if n := len(m.EvalAll()); n != 1+7+1+17+8+2 {
		t.Errorf("%d expressions", n)
	}
	for _, section := range []string{"machine", "processor", "timings", "cache", "combinations", "machinecombinations", "topology", "procid", "linklist", "link", "pvm", "express", "mpi"} {
		if !strings.Contains(string(text), "begin "+section+"\n") && section != "timings" {
			t.Errorf("the example has no section %s", section)
		}
	}
	// (4 x 5.0e-8 + 2 x 3.0e-8 + 2.5e-8) / 1.4
	if got := eval(t, f, "mp.send * 1.4 - 2.85e-7 < 1e-20 && 2.85e-7 - mp.send * 1.4 < 1e-20"); got != "1" {
		t.Errorf("mp.send is %s", eval(t, f, "mp.send"))
	}
	target, err := m.Target(parasol.TargetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantNet := &machine.Network{
		ID: 1, Name: "Ethernet", Creation: 2,
		Links:     []machine.Link{{ID: 1, Latency: 0.001, Speed: 1e-6, Ends: []int32{0, 1, 2, 3}}},
		Model:     "mpi",
		PowerBase: "assumed to be the processor that was traced, as that of the first processor: type 1 (Sun SPARCstation)",
		Overheads: target.Network.Overheads,
	}
	if diff := cmp.Diff(wantNet, target.Network); diff != "" {
		t.Error(diff)
	}
	if names := m.Unused(); !slices.Equal(names, []string{"pvm.sync", "pvm.packint", "pvm.packlong", "pvm.packstring", "pvm.unpackint", "pvm.unpacklong", "pvm.unpackstring", "express.sync", "express.multicast", "express.concat"}) {
		t.Error(names)
	}
	// Topology 3 mixes types; its link 1 stands second in the file.
	host, err := m.Target(parasol.TargetOptions{Topology: m.Topology(3), Model: "express"})
	if err != nil {
		t.Fatal(err)
	}
	if l := host.Network.Links[0]; l.ID != 1 || !slices.Equal(l.Ends, []int32{0, 1}) {
		t.Error(l)
	}
	if host.Power(0) != 1 || host.Power(1) >= 1 || host.Power(1) != host.Power(2) {
		t.Error(host.Power(0), host.Power(1), host.Power(2))
	}
	if c, ok := host.Network.Overhead("combine"); !ok || c <= 0 {
		t.Error(host.Network.Overheads)
	}
}

// TestNoInfluence: cache, combined parameters and the machine's combinations can be
// anything, the machine to simulate on is the same.
func TestNoInfluence(t *testing.T) {
	text := string(read(t, complete))
	other := text
	for _, change := range [][2]string{
		{"size = 0x10000", "size = 1"}, {"speed = 2.5e-8 1.0e-9\n", "speed = 1.0\n"}, {"speedratio = 1.0e-7 / pc(1).speed", "speedratio = 77"},
		{"ia_spd = ", "ia_spd = 1000 * "}, {"maxtotalspd = ", "maxtotalspd = 3 + "},
	} {
		changed := strings.Replace(other, change[0], change[1], 1)
		if changed == other {
			t.Fatalf("found no %q", change[0])
		}
		other = changed
	}
	target := func(text string) *machine.Machine {
		m, err := parse(t, text).Machine().Target(parasol.TargetOptions{Model: "pvm"})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if !target(text).Equal(target(other)) {
		t.Error("the machines differ")
	}
	if target(text).Equal(target(strings.Replace(text, "ils = 3.0e-8", "ils = 4.0e-8", 1))) {
		t.Error("a timing that packing refers to changes nothing")
	}
}

// TestPowers has ratios worked by hand: timings present in both types, the
// group arithmetic.
func TestPowers(t *testing.T) {
	f := parse(t, mach(`begin processor; id = 1; name = "a"; smallloopspeedup = 2.0
		begin timings; ila = 1.0e-7; dla = 3.0e-7; goto = 9.0; sinr = 5.0e-7; end timings; end processor
		begin processor; id = 2; name = "b"; begin timings; ila = 4.0e-7; dla = 4.0e-7; dlm = 1.0; goto = 1.0e-7; end timings; end processor
		begin processor; id = 3; name = "c"; begin timings; pcall = 1.0e-7; end timings; end processor
		begin topology; id = 1; name = "t"; processors = 2; links = 0; begin procid; p[1] = 1; p[2] = 2; end procid; end topology
		begin topology; id = 2; name = "u"; processors = 2; links = 0; begin procid; p[1] = 3; p[2] = 1; end procid; end topology`))
	m := f.Machine()
	for _, c := range []struct {
		o      parasol.PowerOptions
		p1, p2 float64
	}{
		{parasol.PowerOptions{}, 1, 0.5},                                                      // (1+3) / (4+4)
		{parasol.PowerOptions{TracedOn: m.Type(2)}, 2, 1},                                     //
		{parasol.PowerOptions{Group: "double"}, 1, 0.75},                                      // 3 / 4; dlm is in one of them
		{parasol.PowerOptions{Group: "all"}, 1, (4e-7 + 9) / 9e-7},                            // goto counts
		{parasol.PowerOptions{SmallLoops: true}, 1, 0.25},                                     // 2 / 8
		{parasol.PowerOptions{Weights: []parasol.Count{{"ila", 1}, {"dla", 2}}}, 1, 7.0 / 12}, // (1+6) / (4+8)
	} {
		p, _, err := m.Powers(m.Topology(1), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := p[m.Type(1)], p[m.Type(2)]; a != c.p1 || b/c.p2-1 > 1e-15 || c.p2/b-1 > 1e-15 {
			t.Errorf("%+v: powers %v and %v, want %v and %v", c.o, a, b, c.p1, c.p2)
		}
	}
	for what, o := range map[string]parasol.PowerOptions{
		`found group "arith"`:      {Group: "arith"},
		`found timing "ilaa"`:      {Weights: []parasol.Count{{"ilaa", 1}}},
		"found no timing of group": {TracedOn: m.Type(3)},
	} {
		if _, _, err := m.Powers(m.Topology(1), o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	if _, _, err := m.Powers(m.Topology(2), parasol.PowerOptions{}); err == nil {
		t.Error("a type without a common timing has a power")
	}
	if _, err := m.Target(parasol.TargetOptions{}); err == nil || !strings.Contains(err.Error(), "there are 1 (t), 2 (u)") {
		t.Errorf("no topology is the hardware's: %v", err)
	}
}

// TestEstimate works an estimate by hand.
func TestEstimate(t *testing.T) {
	f := parse(t, mach(strings.Replace(proc, "name", "smallloopspeedup = 2.0 0.5\nname", 1)+bus))
	m := f.Machine()
	e, err := m.Estimate(m.Type(1), []parasol.Count{{"ila", 4}, {"ils", 1}, {"ila", 6}}, false)
	if err != nil {
		t.Fatal(err)
	}
	// 10 x 1e-7 + 1 x 2e-7; the deviation sqrt((10 x 1e-8)^2 + (2e-8)^2).
	if got, want := float64(e.Time), 1.2e-6; got != want {
		t.Errorf("time %v, want %v", got, want)
	}
	if got := float64(e.Deviation); got < 1.0198039e-7 || got > 1.0198040e-7 || len(e.Unknown) > 0 {
		t.Errorf("deviation %v, %v", got, e.Unknown)
	}
	if len(e.Parts) != 2 || e.Parts[0].Name != "ila" || e.Parts[0].Number != 10 || e.Parts[1].Name != "ils" {
		t.Errorf("%+v", e.Parts)
	}
	e, err = m.Estimate(m.Type(1), []parasol.Count{{"ila", 10}, {"ils", 1}}, true)
	// Half of it all; the speed-up adds (1.2e-6 / 4 x 0.5)^2 to the variance.
	if got := float64(e.Deviation); err != nil || e.Time != 0.6e-6 || got < 1.5842e-7 || got > 1.5844e-7 {
		t.Errorf("%v +- %v, %v", e.Time, got, err)
	}
	e, err = m.Estimate(m.Type(1), []parasol.Count{{"goto", 1}, {"ila", 1}}, false)
	if err != nil || !slices.Equal(e.Unknown, []string{"goto"}) || e.Deviation != 0 || e.Parts[0].Name != "ila" {
		t.Errorf("%+v, %v", e, err)
	}
	for text, c := range map[string]parasol.Count{
		"did you mean \"ila\"": {"ilq", 1}, "no timing dla of processor 1": {"dla", 1}, "not negative": {"ila", -1},
	} {
		if _, err := m.Estimate(m.Type(1), []parasol.Count{c}, false); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v, want %s", c, err, text)
		}
	}
}

// TestTable compares the table with what section 2.3.1 counts: seven
// arithmetic instructions for four types, local and global.
func TestTable(t *testing.T) {
	count := map[string]int{}
	seen := map[string]bool{}
	extensions := 0
	for _, p := range parasol.Parameters() {
		if seen[p.Name] {
			t.Errorf("%s has two rows", p.Name)
		}
		seen[p.Name] = true
		if p.Substitute != "" {
			extensions++
			if !seen[p.Substitute] {
				t.Errorf("the substitute of %s is no parameter", p.Name)
			}
			continue
		}
		count[p.Class]++
		for g := range strings.FieldsSeq(p.Groups) {
			count["group "+g]++
		}
		if p.Measures == "" || p.Section == "" || p.Groups == "" || p.Certainty == parasol.Uncertain && p.Note == "" && p.Class != "flow" {
			t.Errorf("%+v", p)
		}
	}
	for what, n := range map[string]int{
		"arithmetic": 56, "logical": 10, "index": 7, "flow": 8, "intrinsic": 69,
		"group arithmetic": 56, "group local": 33, "group global": 33, "group add": 8, "group mul": 8, "group assign": 8, "group loop": 4, "group fn.int": 4,
	} {
		if count[what] != n {
			t.Errorf("%s: %d parameters, want %d", what, count[what], n)
		}
	}
	if len(seen) != 162 || extensions != 12 {
		t.Errorf("%d parameters, %d extensions", len(seen), extensions)
	}
	if c := count["group float"]; c != count["group real"]+count["group double"]+count["group complex"] {
		t.Errorf("float has %d", c)
	}
}

// TestEstimateSubstitute: a function that the report leaves out costs what its substitute
// costs, and both depend on one measurement: the deviation is that of the sum
// of the counts, not the root of two squares.
func TestEstimateSubstitute(t *testing.T) {
	f := parse(t, mach(bus+"begin processor\nid = 1\nbegin timings\nsind = 1.0e-6 1.0e-7\nend timings\nend processor"))
	m := f.Machine()
	e, err := m.Estimate(m.Type(1), []parasol.Count{{"sind", 3}, {"cosd", 4}}, false)
	if err != nil || len(e.Parts) != 2 || e.Parts[0].Name != "cosd" || e.Parts[0].Timing != "sind" || e.Parts[0].Words() != "COS, double, by the timing of sind" {
		t.Fatalf("%+v, %v", e, err)
	}
	if got := float64(e.Deviation); got < 6.99999e-7 || got > 7.00001e-7 {
		t.Errorf("deviation %v, want 7e-7", got)
	}
}

// TestIs tells machine files from the other language by their first word.
func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"begin machine": true, "\ufeff\n; // c\n\tBEGIN machine": true, "begin": true, "begin // x": true,
		"": false, "cluster = begin;": false, "begin = {2 x a};": false, "begin.TStart = 1;": false, "// begin machine": false, "beginning": false, "type = network;": false,
	} {
		if got := parasol.Is([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestSection325_Fields: every field can be read, by a name that is an
// expression with the same value.
func TestSection325_Fields(t *testing.T) {
	f := parse(t, string(read(t, complete)))
	m := f.Machine()
	fields := m.Fields()
	if len(fields) < 150+9+36 {
		t.Errorf("%d fields", len(fields))
	}
	seen := map[string]bool{}
	for _, field := range fields {
		if seen[field.Name] {
			t.Errorf("%s comes twice", field.Name)
		}
		seen[field.Name] = true
		switch {
		case strings.HasSuffix(field.Name, ".name"):
			if field.Known || !strings.HasPrefix(field.Text, `"`) {
				t.Errorf("%+v", field)
			}
		case strings.HasSuffix(field.Name, ".connect"):
			if got := eval(t, f, field.Name+"(0)"); got != fmt.Sprint(len(field.List)) || len(field.List) < 2 {
				t.Errorf("%+v: %s", field, got)
			}
		default:
			if got := eval(t, f, field.Name); got != field.Value.String() || !field.Known {
				t.Errorf("%s is %s, read as %v", field.Name, got, field.Value)
			}
		}
	}
}
