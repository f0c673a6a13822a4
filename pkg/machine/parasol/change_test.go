package parasol_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
)

// apply states a change as users do, "scale " before those by a factor.
func apply(t *testing.T, f *parasol.File, text string) ([]machine.Changed, error) {
	t.Helper()
	c, err := machine.ParseSet(text)
	if s, ok := strings.CutPrefix(text, "scale "); ok {
		c, err = machine.ParseScale(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Apply(c)
}

// TestSection322_Change and the sections after it: parameters singly and in
// groups, on the complete example.
func TestSection322_Change(t *testing.T) {
	for _, c := range []struct {
		change string
		moved  int
		values map[string]string // after it
	}{
		// 3.2.2: one parameter.
		{"pt(1).rla=2e-8", 1, map[string]string{"pt(1).rla": "2.0e-8", "pt(805).rla": "6.5e-7"}},
		{"pt(1).rla=2e-8 1e-9", 1, map[string]string{"pt(1).rla.sd": "1.0e-9"}},
		{"pt(1).rla.sd=1e-9", 1, map[string]string{"pt(1).rla.sd": "1.0e-9", "pt(1).rla": "1.25e-7"}},
		{"pr(1).smallloopspeedup = 2.0", 1, map[string]string{"pr(1).smallloopspeedup": "2.0"}},
		{"pc(1).size=0x800", 1, map[string]string{"pc(1).size": "2048"}},
		{"pc(805).speed=1.0", 1, map[string]string{"pc(805).speed": "1.0"}},
		{"pc(1).speedratio=1+1", 1, map[string]string{"pc(1).speedratio": "2"}},
		{"po(1).ia_spd=pt(1).ila", 1, map[string]string{"po(1).ia_spd": "5.0e-8"}},
		{"mc.maxtotalspd=5", 1, map[string]string{"mc.maxtotalspd": "5"}},
		{"scale pt(1).ila=0.5", 1, map[string]string{"pt(1).ila": "2.5e-8", "pt(1).ila.sd": "1.0e-9", "po(1).ia_spd": "2.4999999999999998e-14"}},
		// Groups of timings, of which the T805 has nine.
		{"scale local=2", 33 + 8, map[string]string{"pt(1).ila": "1.0e-7", "pt(1).iga": "6.25e-8", "pt(805).ila": "2.0e-7", "pt(805).goto": "2.0e-7"}},
		{"scale global=2", 33, map[string]string{"pt(1).iga": "1.25e-7"}},
		{"scale add=2", 8 + 3, map[string]string{"pt(1).cga": "1.0e-6"}},
		{"scale int=2", 27 + 2, nil},
		{"scale double[proc=805]=2", 4, map[string]string{"pt(805).dla": "1.7e-6", "pt(1).dla": "1.75e-7"}},
		{"scale float=2", -1, map[string]string{"pt(1).ila": "5.0e-8", "pt(1).sind": "6.3e-6"}},
		{"scale fn.sin=2", 3, nil},
		{"scale all=0.5", 150 + 9, map[string]string{"pt(1).ila": "2.5e-8", "pr(1).smallloopspeedup": "1.4", "pc(1).speed": "2.5e-8"}},
		// 3.2.3: links, all or those with an end of one type.
		{"tl(2)(3).speed=1e-9", 1, map[string]string{"tl(2)(3).speed": "1.0e-9", "tl(2)(2).speed": "6.0e-7"}},
		{"to(1).creation=0", 1, map[string]string{"to(1).creation": "0.0"}},
		{"to(2).hardware=1", 1, map[string]string{"to(2).hardware": "1"}},
		{"scale links.speed=0.5", 7, map[string]string{"tl(1)(1).speed": "5.0e-7", "tl(1)(1).speed.sd": "5.0e-8", "tl(1)(1).latency": "0.001"}},
		{"scale links.latency=2", 7, map[string]string{"tl(1)(1).latency": "0.002"}},
		{"scale links.speed[proctype=1]=0.5", 2, map[string]string{"tl(3)(1).speed": "5.0e-7", "tl(3)(2).speed": "6.0e-7", "tl(2)(1).speed": "6.0e-7"}},
		{"scale links.latency[proctype=805][topology=3]=0.5", 2, map[string]string{"tl(3)(1).latency": "1.0e-5", "tl(2)(1).latency": "5.0e-6"}},
		{"scale links.latency[proctype=805,topology=2]=0.5", 4, nil},
		// 3.2.4: a factor on one function of a model, or on all; what refers to
		// a function sees it.
		{"scale express.send=2", 1, map[string]string{"ex.send / (600 * pt(1).ila)": "2.0"}},
		{"scale ex.send=2", 1, map[string]string{"ex.send / (600 * pt(1).ila)": "2.0"}},
		{"scale pvm=0.5", 17, nil},
	} {
		f := parse(t, string(read(t, complete)))
		moved, err := apply(t, f, c.change)
		if err != nil || len(moved) != c.moved && c.moved >= 0 {
			t.Errorf("%s: moved %d values, want %d; %v", c.change, len(moved), c.moved, err)
			continue
		}
		for ref, value := range c.values {
			if got := eval(t, f, ref); got != value {
				t.Errorf("%s: %s = %s, want %s", c.change, ref, got, value)
			}
		}
		// The changed file is a file, in canonical form, with its comments.
		text := f.String()
		if again := parse(t, text).String(); again != text || !strings.Contains(text, "// not in the order of the ids") {
			t.Errorf("%s: printed\n%s", c.change, cmp.Diff(text, again))
		}
	}
}

// TestSection324_Factor: the expression stays, the factor stands before it;
// factors are multiplied.
func TestSection324_Factor(t *testing.T) {
	f := parse(t, mach(proc+bus+"begin mpi\nsend = pt(1).ila + 7 / 2 // comment\nend mpi"))
	for _, want := range []string{"send = 2.0 * (pt(1).ila + 7 / 2) // comment\n", "send = 4.0 * (pt(1).ila + 7 / 2) // comment\n"} {
		if _, err := apply(t, f, "scale mpi.send=2"); err != nil || !strings.Contains(f.String(), want) {
			t.Errorf("%v, want %q in\n%s", err, want, f)
		}
	}
	if got := eval(t, f, "mp.send > 12.0000003 && mp.send < 12.0000005"); got != "1" {
		t.Error(eval(t, f, "mp.send"))
	}
}

// TestChangeRefused: nothing is changed then.
func TestChangeRefused(t *testing.T) {
	f := parse(t, string(read(t, complete)))
	before := f.String()
	for change, message := range map[string]string{
		"pt(1).abc=1":                     `found "abc" after pt`,
		"pt(805).sinr=1":                  "found no pt(805).sinr in this machine, expected a field that the file defines",
		"pt(3).ila=1":                     "found processor 3, expected the id of a processor",
		"pt(1).ila=-1":                    "a time is not negative",
		"pt(1).ila=x":                     `found "x", expected a number`,
		"pt(1).ila=1; end":                "found a second line",
		"pt(1).ila=1e40":                  "expected 0 or a number from 1e-30 to 1e30",
		"pt(1).ila.sd=1 2":                "found two numbers for pt(1).ila",
		"pc(1).size=1.5":                  "without a fraction",
		"to(1).hardware=2":                "expected 0 or 1",
		"tl(1)(1).connect(1)=2":           "what connects which processors cannot be set, edit the file",
		"tp(1)(1)=805":                    "what connects which processors cannot be set, edit the file",
		"to(1).processors=3":              "ids and counts cannot be set, edit the file",
		"ma.id=3":                         "ids and counts cannot be set",
		"mp.send=1":                       "found a change of the expression mp.send, expected a factor; scale it: mp.send=FACTOR",
		"po(1).ia_spd=1+":                 "found the end of the expression",
		"1+pt(1).ila=3":                   "expected a single parameter",
		"scale locals=2":                  `found group "locals", expected a parameter, as pt(1).ila, or one of add`,
		"scale global[proc=805]=2":        "which matches nothing, expected a group of timings that are defined: dla, dld, dlm, dls, goto, ila, ils, rla, rlm",
		"tl(1)(1).connect=2 1 2":          "what connects which processors cannot be set, edit the file",
		"p[1]=2":                          "what connects which processors cannot be set, edit the file",
		"scale local[proc=4]=2":           "expected the id of a processor of this machine: 1, 805",
		"scale local[type=1]=2":           "found [type=1], expected proc in brackets for local",
		"scale links.speed[topology=9]=2": "which matches nothing, expected links that there are: topology 1 with 1 links",
		"scale mpi.sync=2":                "which matches nothing, expected what is defined: mpi.send, mpi.receive",
		"scale mpi[proc=1]=2":             "expected no brackets for mpi",
		"scale pt(1).ila.sd=2":            "set it: pt(1).ila.sd=VALUE",
		"scale pc(1).size=2":              "found a factor for pc(1).size, expected a new value",
		"scale tl(1)(1).connect(1)=2":     "what connects which processors cannot be set",
		"scale all=1e-30":                 "expected a result from 1e-30 to 1e30",
	} {
		if moved, err := apply(t, f, change); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, %v, want %s", change, moved, err, message)
		}
		if f.String() != before {
			t.Fatalf("%s changed the file", change)
		}
	}
	for _, s := range []string{"", "=", "a", "=1", "a="} {
		if _, err := machine.ParseSet(s); err == nil {
			t.Errorf("set %q is accepted", s)
		}
	}
	for _, s := range []string{"", "a", "a=", "=2", "a=0", "a=-1", "a=1e40", "a=nan", "a=inf", "a[b=1=2", "a[b]=2", "a[b=x]=2", "[b=1]=2", "a[b=1]"} {
		if c, err := machine.ParseScale(s); err == nil {
			t.Errorf("scale %q is accepted: %+v", s, c)
		}
	}
}

// TestSection323_Generate: the links of every shape, worked by hand.
func TestSection323_Generate(t *testing.T) {
	for _, c := range []struct {
		kind    string
		extents []int
		want    string
	}{
		{"line", []int{3}, "1-2 2-3"}, {"line", []int{1}, ""},
		{"ring", []int{4}, "1-2 2-3 3-4 1-4"}, {"ring", []int{2}, "1-2"}, {"ring", []int{3}, "1-2 2-3 1-3"},
		{"grid", []int{2, 3}, "1-2 1-4 2-3 2-5 3-6 4-5 5-6"},
		{"torus", []int{3, 2}, "1-2 1-3 2-4 3-4 3-5 4-6 5-6 1-5 2-6"},
		{"torus", []int{2, 2}, "1-2 1-3 2-4 3-4"},
		{"hypercube", []int{8}, "1-2 1-3 1-5 2-4 2-6 3-4 3-7 4-8 5-6 5-7 6-8 7-8"},
		{"bus", []int{3}, "1-2-3"}, {"bus", []int{1}, ""}, {"star", []int{4}, "1-2 1-3 1-4"},
	} {
		s := parasol.Shape{Kind: c.kind, Extents: c.extents, ID: 2, Type: 1, Latency: 1e-6, Speed: 1e-9}
		text, err := s.Section()
		if err != nil {
			t.Fatal(err)
		}
		f := parse(t, mach(proc+text))
		if again := f.String(); !strings.Contains(again, text) {
			t.Errorf("%s: not in canonical form:\n%s\n%s", c.kind, text, again)
		}
		var got []string
		for _, l := range f.Machine().Topology(2).Links {
			var ends []string
			for _, e := range l.Ends {
				ends = append(ends, string(rune('1'+e)))
			}
			got = append(got, strings.Join(ends, "-"))
		}
		if s := strings.Join(got, " "); len(got) != len(strings.Fields(c.want)) || !sameSet(got, strings.Fields(c.want)) {
			t.Errorf("%s %v: %s, want %s", c.kind, c.extents, s, c.want)
		}
	}
	for what, s := range map[string]parasol.Shape{
		"did you mean \"torus\"": {Kind: "toros", Extents: []int{3}}, "expected a power of two": {Kind: "hypercube", Extents: []int{6}},
		"expected one for a ring": {Kind: "ring", Extents: []int{2, 2}}, "found the extent 0": {Kind: "grid", Extents: []int{2, 0}},
		"expected from 1 to": {Kind: "grid", Extents: []int{2000, 2000}}, "found the time -1": {Kind: "bus", Extents: []int{2}, Latency: -1},
	} {
		if _, err := s.Section(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%+v: %v, want %s", s, err, what)
		}
	}
}

func sameSet(a, b []string) bool {
	seen := map[string]int{}
	for i := range a {
		seen[a[i]]++
		seen[b[i]]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestConvert turns machines of media into machine files and back.
func TestConvert(t *testing.T) {
	md := machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 7.5e-5, TByte: 2e-7}
	slow, fast := machine.NewProcessor("slow", 0.5), machine.NewProcessor("fast", 3)
	m, err := machine.New(machine.NewCluster("bus", md, machine.Group{Count: 3, Node: slow}, machine.Group{Count: 1, Node: fast}))
	if err != nil {
		t.Fatal(err)
	}
	text, lost, err := parasol.FromTree(m, nil)
	if err != nil || len(lost) != 1 {
		t.Fatal(lost, err)
	}
	f := parse(t, text)
	if f.String() != text || len(f.Warnings) > 0 {
		t.Errorf("not in canonical form, or %v:\n%s", f.Warnings, cmp.Diff(text, f.String()))
	}
	pm := f.Machine()
	// The last type is the traced processor.
	o := parasol.TargetOptions{Powers: parasol.PowerOptions{TracedOn: pm.Type(3)}}
	target, err := pm.Target(o)
	if err != nil {
		t.Fatal(err)
	}
	for p := range int64(4) {
		if a, b := m.Power(p), target.Power(p); a/b-1 > 1e-15 || b/a-1 > 1e-15 {
			t.Errorf("processor %d has power %v, want %v", p, b, a)
		}
	}
	if l := target.Network.Links; len(l) != 1 || l[0].Latency != md.TStart || l[0].Speed != md.TByte || len(l[0].Ends) != 4 {
		t.Error(l)
	}
	back, _, err := pm.ToTree(o)
	if err != nil || back.Root.Medium != md || back.Processors() != 4 || back.Check() != nil {
		t.Error(back, err)
	}
	// Clusters of clusters are buses of their processors.
	inner := machine.NewCluster("node", machine.Medium{Kind: machine.Myrinet, Channels: 2, TStart: 1e-6, TByte: 1e-9}, machine.Group{Count: 2, Node: slow})
	if m, err = machine.New(machine.NewCluster("all", md, machine.Group{Count: 2, Node: inner})); err != nil {
		t.Fatal(err)
	}
	if text, lost, err = parasol.FromTree(m, nil); err != nil || len(lost) != 3 {
		t.Error(lost, err)
	}
	pm = parse(t, text).Machine()
	if l := pm.Topology(1).Links; len(l) != 3 || len(l[2].Ends) != 4 || len(l[1].Ends) != 2 || l[1].Ends[0] != 2 {
		t.Error(l)
	}
	if _, _, err := pm.ToTree(parasol.TargetOptions{}); err == nil || !strings.Contains(err.Error(), "neither one bus nor equal lines") {
		t.Error(err)
	}
	// A ring of equal lines is a transputer to Predictor.par.
	f = parse(t, string(read(t, complete)))
	back, lost, err = f.Machine().ToTree(parasol.TargetOptions{Topology: f.Machine().Topology(2)})
	if err != nil || back.Root.Medium.Kind != machine.Transputer || back.Check() != nil || len(lost) < 6 {
		t.Error(back, lost, err)
	}
}
