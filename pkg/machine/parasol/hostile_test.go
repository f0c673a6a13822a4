package parasol_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/pkg/machine/parasol"
)

// torus returns a machine with an n x n torus.
func torus(t testing.TB, n int) string {
	t.Helper()
	s := parasol.Shape{Kind: "torus", Extents: []int{n, n}, ID: 1, Type: 1, Latency: 1e-6, Speed: 1e-9, Hardware: true}
	text, err := s.Section()
	if err != nil {
		t.Fatal(err)
	}
	return mach(proc + text)
}

// TestHostile has texts that are large or deep: each gives a result or a few
// errors with positions, in time and memory that the text's size bounds.
func TestHostile(t *testing.T) {
	var circle strings.Builder
	const types = 12_500 // of 8 references each
	const fields = 8
	names := []string{"ia_spd", "im_spd", "da_spd", "dm_spd", "dd_spd", "ds_spd", "dp_spd"}
	next := func(k int) string {
		k %= types * fields
		if k%fields == 7 {
			return fmt.Sprintf("pc(%d).speedratio", k/fields)
		}
		return fmt.Sprintf("po(%d).%s", k/fields, names[k%fields])
	}
	for p := range types {
		fmt.Fprintf(&circle, "begin processor\nid = %d\nname = \"p\"\nbegin combinations\n", p)
		for i, n := range names {
			fmt.Fprintf(&circle, "%s = %s\n", n, next(p*fields+i+1))
		}
		fmt.Fprintf(&circle, "end combinations\nbegin cache\nspeedratio = %s\nend cache\nend processor\n", next(p*fields+8))
	}
	ends := strings.Replace(bus, "connect = 2 1 2", "connect = 10000000"+strings.Repeat(" 1", 10_000_000), 1)
	for _, c := range []struct{ name, text, want string }{
		{"parentheses", mach(proc + bus + "begin mpi\nsend = " + strings.Repeat("(", 1_000_000) + "1" + strings.Repeat(")", 1_000_000) + "\nend mpi"), ""},
		{"open parentheses", mach(proc + bus + "begin mpi\nsend = " + strings.Repeat("(", 1_000_000) + "\nend mpi"), "found the end of the expression"},
		{"circle", mach(circle.String()), "found a value that depends on itself"},
		{"ends", mach(proc + ends), "found a link that connects 10000000 processors, expected 2 to 1000000"},
		{"more ends than counted", mach(proc + strings.Replace(bus, "2 1 2", "2"+strings.Repeat(" 1", 1_000_000), 1)), "expected the end of the line after 2 processors"},
		{"processors", mach(proc + strings.Replace(bus, "processors = 2", "processors = 1000000", 1)), "found processors = 1000000 and 2 statements in procid"},
		{"links", mach(proc + strings.Replace(bus, "links = 1", "links = 2000000", 1)), "found links = 2000000 and 1 links"},
		{"begin", mach(strings.Repeat("begin processor\n", 200_000)), "found \"processor\" after \"begin\""},
		{"unknown sections", mach(strings.Repeat("begin x\n", 200_000)), "expected one of processor"},
		{"ends only", mach(strings.Repeat("end x\n", 200_000)), "found \"end x\""},
		{"unknown fields", mach(strings.Repeat("abcdefg = 1\n", 200_000)), `found "abcdefg" in machine`},
		{"one line", mach(strings.Repeat("x;", 500_000)), `found "x" in machine`},
		{"digits", mach("id = " + strings.Repeat("9", 1_000_000)), "expected an integer up to"},
		{"letters", mach(strings.Repeat("a", 1_000_000)), "in machine, expected one of"},
		{"bytes", mach(strings.Repeat("\xff\x00\r ", 100_000)), "expected a field"},
		{"blanks", mach(strings.Repeat(" ", 1_000_000) + proc + bus), ""},
		{"large file", strings.Repeat(" ", parasol.MaxFile+1), "expected at most 67108864"},
		{"statements", mach(proc + bus + strings.Repeat("//\n", effort.Of(1, parasol.MaxStatements+1))), map[bool]string{true: "found more than 2000000 statements"}[effort.Long()]},
	} {
		f, list := parasol.Parse("t.mach", []byte(c.text))
		if f != nil {
			list = append(list, f.Machine().Check()...)
		}
		err := list.Err()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %.300v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %.300v, want %s", c.name, err, c.want)
		}
		if len(list) > parasol.MaxReports+1 {
			t.Errorf("%s: %d reports", c.name, len(list))
		}
		for _, e := range list {
			if len(e.Error()) > 3000 || e.Pos.Line < 1 {
				t.Errorf("%s: %.300v (%d bytes)", c.name, e, len(e.Error()))
				break
			}
		}
	}
}

// FuzzParse has the properties: no panic; a file or an error; the text of a
// file reads as the same machine and is printed as the same text; all that
// can be asked of a machine has an answer.
func FuzzParse(f *testing.F) {
	f.Add([]byte(mach(proc + bus)))
	f.Add([]byte(mach(proc + bus + "begin mpi\nsend = 2.0*(pt(1).ila)+mp.receive\nreceive=tl(1)(1).connect(0)\nend mpi // x\n\n// y")))
	f.Add([]byte("begin machine;id=0x1F\v;;// c\nbegin processor;id=1;begin timings;clid=.5 1e-3;cosd=1;end timings;begin cache;speedratio=pc(1).speedratio;end cache;end processor;end machine"))
	for _, c := range bad {
		f.Add([]byte(mach(proc + bus + c.text)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, list := parasol.Parse("fuzz.mach", src)
		if (file == nil) != (list.Err() != nil) {
			t.Fatalf("file %v, error %v", file != nil, list.Err())
		}
		for _, e := range list {
			if e.Pos.Line < 1 || e.Pos.Col < 1 {
				t.Fatalf("no position: %v", e)
			}
		}
		if file == nil {
			return
		}
		text := file.String()
		again, list := parasol.Parse("fuzz.mach", []byte(text))
		if again == nil {
			t.Fatalf("the printed text is refused: %v\n%s", list.Err(), text)
		}
		if s := again.String(); s != text {
			t.Fatalf("printed\n%s\nand then\n%s", text, s)
		}
		m, n := file.Machine(), again.Machine()
		if m.ID != n.ID || m.Name != n.Name || len(m.Types) != len(n.Types) || len(m.Topologies) != len(n.Topologies) {
			t.Fatal("another machine")
		}
		a, b := m.EvalAll(), n.EvalAll()
		for i := range a {
			if a[i].Name != b[i].Name || a[i].Value != b[i].Value || (a[i].Err == nil) != (b[i].Err == nil) {
				t.Fatalf("%+v and %+v", a[i], b[i])
			}
		}
		for i, pt := range m.Types {
			for _, p := range parasol.Parameters() {
				x, ok := pt.Timing(p.Name)
				if y, ok2 := n.Types[i].Timing(p.Name); x != y || ok != ok2 {
					t.Fatalf("%s: %v and %v", p.Name, x, y)
				}
			}
		}
		for i, top := range m.Topologies {
			x, err := m.Target(parasol.TargetOptions{Topology: top})
			y, err2 := n.Target(parasol.TargetOptions{Topology: n.Topologies[i]})
			if (err == nil) != (err2 == nil) || err == nil && !x.Equal(y) {
				t.Fatalf("%v, %v", err, err2)
			}
		}
		m.Unused()
	})
}

// BenchmarkParse reads a machine of 10,000 processors and 20,000 links.
func BenchmarkParse(b *testing.B) {
	text := []byte(torus(b, 100))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if f, list := parasol.Parse("t.mach", text); f == nil {
			b.Fatal(list)
		}
	}
}

// BenchmarkTarget makes the machine that is simulated of the same file.
func BenchmarkTarget(b *testing.B) {
	f := parse(b, torus(b, 100))
	for b.Loop() {
		if _, err := f.Machine().Target(parasol.TargetOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Sections that announce more than they hold, again and again, cost no more memory
// than the text is worth.
func TestAnnounced(t *testing.T) {
	var b strings.Builder
	for id := range 2000 {
		fmt.Fprintf(&b, "begin topology\nid = %d\nprocessors = 1000000000\nlinks = 1000000000\nbegin procid\nend procid\nbegin linklist\nend linklist\nend topology\n", id)
	}
	text := []byte(mach(proc + b.String()))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if f, list := parasol.Parse("t.mach", text); f != nil || list.Err() == nil {
		t.Error("no error")
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / uint64(len(text)); n > 200 {
		t.Errorf("%d bytes were allocated for each byte of the text", n)
	}
}
