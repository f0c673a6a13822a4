package par_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/units"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// sections splits a golden file: "-- NAME --" begins the section NAME.
func sections(text string) (names []string, body map[string]string) {
	body = map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if s, ok := strings.CutPrefix(line, "-- "); ok {
			name = strings.TrimSuffix(s, " --\n")
			names = append(names, name)
			continue
		}
		body[name] += line
	}
	return names, body
}

// TestDiagnostics reads the files of each testdata/diag/*.txt as one
// description and compares everything that is reported, and the canonical
// text of the machine when there is one.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/diag/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			names, body := sections(string(text))
			var sources []par.Source
			var kept strings.Builder
			for _, n := range names {
				if n != "want" {
					sources = append(sources, par.Source{Name: n, Text: []byte(body[n])})
					fmt.Fprintf(&kept, "-- %s --\n%s", n, body[n])
				}
			}
			m, list := par.ParseAll(sources...)
			checkList(t, m, list)
			var got strings.Builder
			for _, e := range list {
				fmt.Fprintln(&got, e)
			}
			if m != nil {
				got.WriteString("\n" + par.Format(m))
			}
			if *update {
				if err := os.WriteFile(path, []byte(body[""]+kept.String()+"-- want --\n"+got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got.String() != body["want"] {
				t.Errorf("got:\n%s\nwant:\n%s", got.String(), body["want"])
			}
		})
	}
}

// checkList tests what holds for every result of Parse: a machine or an error,
// and sorted diagnostics with a position, what was found and what was expected.
func checkList(t testing.TB, m *machine.Machine, list diag.List) {
	t.Helper()
	if (m == nil) != (list.Err() != nil) {
		t.Errorf("machine %v with %v", m, list.Err())
	}
	for i, e := range list {
		if e.Pos.Line < 1 || e.Pos.Col < 1 || e.Pos.File == "" {
			t.Errorf("no position: %v", e)
		}
		if e.Severity == diag.SeverityError && (!strings.HasPrefix(e.Msg, "found ") || !strings.Contains(e.Msg, "expected")) {
			t.Errorf("does not say what was found and what was expected: %v", e)
		}
		if e.Code == "par/machine" {
			t.Errorf("only the model noticed: %v", e)
		}
		if i > 0 && list[i-1].Pos.File == e.Pos.File && (list[i-1].Pos.Line > e.Pos.Line || list[i-1].Pos.Line == e.Pos.Line && list[i-1].Pos.Col > e.Pos.Col) {
			t.Errorf("%v stands before %v", list[i-1], e)
		}
	}
	if remarks := len(list) - len(list.Notes()); m != nil && len(m.Warnings) != remarks {
		t.Errorf("%d warnings, %d reports that are no notes", len(m.Warnings), remarks)
	}
}

// parseClean returns the machine of a text without any diagnostic.
func parseClean(t testing.TB, text string) *machine.Machine {
	t.Helper()
	m, list := par.Parse("t.par", []byte(text))
	if m == nil || len(list) > 0 {
		t.Fatalf("%q: %v", text, list)
	}
	return m
}

// TestDocumentExample spells out the machine of R 2.4.
func TestDocumentExample(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/machines/mvs.par")
	if err != nil {
		t.Fatal(err)
	}
	got := parseClean(t, string(text))
	p1 := machine.NewProcessor("mvsP1", 1)
	p2 := machine.NewCluster("mvsP2", machine.Medium{Kind: machine.Myrinet, Channels: 1, TStart: 1e-6, TByte: 1e-9}, machine.Group{Count: 2, Node: p1})
	want, err := machine.New(machine.NewCluster("mvs", machine.Medium{Kind: machine.Myrinet, Channels: 1, TStart: 7e-6, TByte: 4e-9}, machine.Group{Count: 512, Node: p2}))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equal(want) {
		t.Errorf("got:\n%s\nwant:\n%s", par.Format(got), par.Format(want))
	}
	if got.Processors() != 1024 {
		t.Errorf("%d processors, want 1024", got.Processors())
	}
}

func TestForm2000(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/machines/year2000.par")
	if err != nil {
		t.Fatal(err)
	}
	m := parseClean(t, string(text))
	md, flat := m.Flat()
	if want := (machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 75e-6, TByte: 2e-7}); md != want || !flat {
		t.Errorf("medium %v, %v, want %v", md, flat, want)
	}
	if len(m.Topology) != 2 || m.Topology[0] != 2 || m.Topology[1] != 2 {
		t.Errorf("topology %v, want 2x2", m.Topology)
	}
	if !m.Unbounded || m.Processors() != machine.MaxProcessors || m.Power(999) != 1 {
		t.Errorf("%v, %d processors, power %v", m.Unbounded, m.Processors(), m.Power(999))
	}
	for _, word := range []string{"network", "transputer"} {
		text := "SEND  byte\n time=.5;Type=" + strings.ToUpper(word) + ";start time=1;power=1;"
		m := parseClean(t, text)
		if m.Topology != nil || m.Root.Medium.TByte != 5e-7 {
			t.Errorf("%q: %v, %v", text, m.Topology, m.Root.Medium)
		}
		if want := "type = " + word + ";\nstart time = 1;\nsend byte time = 0.5;\npower = 1;\n"; par.Format(m) != want {
			t.Errorf("got %q, want %q", par.Format(m), want)
		}
	}
}

// The power of the 2000 form is the inverse of that of the 2010 form: 2 is a
// processor half as fast as the machine traced on. A note says so, and the
// canonical text states the number as it was written.
func TestPowerOf2000(t *testing.T) {
	for _, c := range []struct {
		stated string
		power  float64
	}{{"1", 1}, {"2", 0.5}, {"0.5", 2}, {"3", 1. / 3}, {"49", 1. / 49}, {"1.1", 1 / 1.1}, {"1e30", 1e-30}, {"0.7000000000000001", 1 / 0.7000000000000001}} {
		text := "type = network;\nstart time = 1;\nsend byte time = 1;\npower = " + c.stated + ";\n"
		m, list := par.Parse("t.par", []byte(text))
		if m == nil || m.Power(0) != c.power {
			t.Fatalf("power = %s: machine %v, %v; want a processor of power %v", c.stated, m, list, c.power)
		}
		if notes := list.Notes(); len(list) != len(notes) || len(notes) == 0 != (c.power == 1) {
			t.Errorf("power = %s: %v", c.stated, list)
		}
		if got := par.Format(m); got != text {
			t.Errorf("got\n%s\nwant\n%s", got, text)
		}
	}
}

// Whatever the text of a power is, the canonical text gives the same machine.
func TestPowerOf2000IsAFixedPoint(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2000))
	for range 2000 {
		power := math.Exp(r.NormFloat64() * 8)
		m, _ := par.Parse("t.par", fmt.Appendf(nil, "type = network; start time = 1; send byte time = 1; power = %v;", power))
		again, _ := par.Parse("t.par", []byte(par.Format(m)))
		if !m.Equal(again) || par.Format(again) != par.Format(m) || !again.Unbounded {
			t.Fatalf("power %v became %v", power, again.Power(0))
		}
	}
}

// TestExamples reads every machine in testdata/machines: no diagnostics, the
// stated number of processors, and a canonical text that is a fixed point.
func TestExamples(t *testing.T) {
	want := map[string]int64{
		"bus4.par": 4096, "myrinet2.par": 4096, "transputer.par": 4096, "mixed.par": 4096,
		"mvs.par": 1024, "tree.par": 2304, "year2000.par": machine.MaxProcessors,
	}
	files, err := filepath.Glob("../../../testdata/machines/*.par")
	if err != nil || len(files) < len(want) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := parseClean(t, string(text))
		checkRoundTrip(t, m)
		if n, ok := want[filepath.Base(path)]; ok && m.Processors() != n {
			t.Errorf("%s: %d processors, want %d", path, m.Processors(), n)
		}
	}
}

func checkRoundTrip(t testing.TB, m *machine.Machine) {
	t.Helper()
	text := par.Format(m)
	again, list := par.Parse("formatted", []byte(text))
	if err := list.Err(); err != nil {
		t.Fatalf("%v\nin:\n%s", err, text)
	}
	if !m.Equal(again) {
		t.Fatalf("formatted:\n%s\nread and formatted again:\n%s", text, par.Format(again))
	}
	if s := par.Format(again); s != text {
		t.Fatalf("formatted:\n%s\nread and formatted again:\n%s", text, s)
	}
}

// TestSpelling holds pairs of texts that describe the same machine.
func TestSpelling(t *testing.T) {
	const plain = `cluster = c; c = {2 x a, b}; c.CommType = myrinet(3); c.TStart = 7; c.TByte = 0.004; a = 1; b = 2.5;`
	want := parseClean(t, plain)
	for name, text := range map[string]string{
		"no white space":    `cluster=c;c={2xa,b};c.CommType=myrinet(3);c.TStart=7;c.TByte=0.004;a=1;b=2.5;`,
		"sticking x":        `cluster = c; c = {2x a, b}; c.CommType = myrinet(3); c.TStart = 7; c.TByte = 0.004; a = 1; b = 2.5;`,
		"x at the name":     `cluster = c; c = {2 xa, 1Xb}; c.CommType = myrinet(3); c.TStart = 7; c.TByte = 0.004; a = 1; b = 2.5;`,
		"keywords' case":    `CLUSTER = c; c = {2 X a, b}; c.COMMTYPE = Myrinet(3); c.tstart = 7; c.tByte = 0.004; a = 1; b = 2.5;`,
		"numbers":           `cluster = c; c = {+2 x a, 01 x b}; c.CommType = myrinet(+3); c.TStart = +.7e+1; c.TByte = 4E-3; a = 1.; b = 25e-1;`,
		"other order":       `b = 2.5; c.TByte = 0.004; a = 1; c.TStart = 7; c.CommType = myrinet(3); search = 0; c = {2 x a, b}; cluster = c;`,
		"crlf":              strings.ReplaceAll(plain, "; ", ";\r\n"),
		"tabs and vertical": strings.NewReplacer(" ", "\t\v\f", "x a", "x\ta").Replace(plain),
		"over lines":        strings.ReplaceAll(plain, " ", "\n"),
		"comments":          "//;\n" + strings.ReplaceAll(plain, "; ", "; // {;= cluster = x;\n") + "// no end",
		"comment in a list": strings.ReplaceAll(plain, "a, b", "a, // 2 x b,\n b"),
		"cp1251 comment":    "// \xea\xeb\xe0\xf1\xf2\xe5\xf0 \xff\x98\x00\n" + plain,
		"utf-8 comment":     plain + "// кластер",
		"byte order mark":   "\ufeff" + plain,
		"empty statements":  ";;" + strings.ReplaceAll(plain, ";", ";;"),
	} {
		m, list := par.Parse(name, []byte(text))
		if m == nil || len(list) > 0 {
			t.Errorf("%s: %v", name, list)
		} else if !m.Equal(want) {
			t.Errorf("%s: got:\n%s", name, par.Format(m))
		}
	}
}

// TestNames uses words of the language, and x, as names of clusters.
func TestNames(t *testing.T) {
	m := parseClean(t, `cluster = type; type = {2 x x, x, 3xx, ethernet}; type.CommType = ethernet.CommType;
		ethernet = {2 x power}; ethernet.CommType = ethernet; ethernet.TStart = 1; ethernet.TByte = 1; x = 1; power = 2;`)
	if got := m.Processors(); got != 8 {
		t.Errorf("%d processors, want 8", got)
	}
	if m.Root.Medium.Kind != machine.Ethernet {
		t.Errorf("medium %v", m.Root.Medium)
	}
}

// TestBorrowedMedium follows OTHER.CommType over two steps. The cluster between
// states its own times: they hold for it and for the clusters that refer to it.
func TestBorrowedMedium(t *testing.T) {
	const text = `cluster = a; p = 1; a = {2 x b}; b = {2 x c}; c = {2 x p};
		a.CommType = b.CommType; b.CommType = c.CommType; b.TStart = 3;
		c.CommType = myrinet(2); c.TStart = 1; c.TByte = 0.5;`
	m := parseClean(t, text)
	a, b, c := m.Nodes()[0].Medium, m.Nodes()[1].Medium, m.Nodes()[2].Medium
	if want := (machine.Medium{Kind: machine.Myrinet, Channels: 2, TStart: 1e-6, TByte: 5e-7}); c != want {
		t.Errorf("c: %v, want %v", c, want)
	}
	want := machine.Medium{Kind: machine.Myrinet, Channels: 2, TStart: 3e-6, TByte: 5e-7}
	if a != want || b != want {
		t.Errorf("a: %v, b: %v, want %v", a, b, want)
	}
}

// TestLentMedium has a cluster outside the machine whose medium the machine
// uses: there is no warning that it is unused.
func TestLentMedium(t *testing.T) {
	m := parseClean(t, `cluster = a; a = {2 x p}; a.CommType = net.CommType; p = 1;
		net = {p}; net.CommType = transputer; net.TStart = 1; net.TByte = 0;`)
	if m.Root.Medium.Kind != machine.Transputer {
		t.Errorf("medium %v", m.Root.Medium)
	}
}

// TestTimesAreNearest checks that a time in microseconds becomes the same
// number as the time written in seconds, which a division by 10^6 misses for
// some of these.
func TestTimesAreNearest(t *testing.T) {
	for us, s := range map[string]float64{
		"7": 7e-6, "0.004": 4e-9, "75": 75e-6, "0.2": 2e-7, "0.3": 3e-7, "1e-3": 1e-9, "0.0007": 7e-10,
		"123456.789e-2": 1234.56789e-6, "33.3": 33.3e-6, "1e6": 1, "1e30": 1e24, "2.5e-24": 2.5e-30,
	} {
		m := parseClean(t, "type = network; power = 1; send byte time = 1; start time = "+us+";")
		if got := m.Root.Medium.TStart; got != units.Seconds(s) {
			t.Errorf("%s us is read as %v s, want %v", us, float64(got), s)
		}
	}
}

// TestLimits has inputs just inside and just outside of each limit.
func TestLimits(t *testing.T) {
	name := strings.Repeat("n", par.MaxName)
	number := "1." + strings.Repeat("0", par.MaxNumber-2)
	rest := "c.CommType = ethernet; c.TStart = 1; c.TByte = 1; p = 1;"
	chain := func(n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "cluster = c1; c%d = 1;", n)
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "c%d = {c%d};\n", i, i+1)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text, want string
	}{
		{"name", "cluster = " + name + ";" + name + " = 1;", ""},
		{"long name", "cluster = n" + name + "; p = 1;", "at most 128"},
		{"number", "cluster = p; p = " + number + ";", ""},
		{"long number", "cluster = p; p = 0" + number + ";", "at most 64"},
		{"depth", chain(machine.MaxDepth), ""},
		{"too deep", chain(machine.MaxDepth + 1), "1001 nodes one inside the other"},
		{"processors", "cluster = c; c = {1000000000 x p};" + rest, ""},
		{"too many", "cluster = c; c = {999999999 x p, 2 x p};" + rest, "more than 1000000000 processors"},
		{"product", "cluster = c; c = {1000000000 x d}; d = {1000000000 x e}; e = {1000000000 x p}; d.CommType = c.CommType; d.TStart = 1; e.CommType = d.CommType;" + rest, "more than 1000000000 processors in \"d\""},
		{"count", "cluster = c; c = {1000000001 x p};" + rest, "1 to 1000000000"},
		{"overflow", "cluster = c; c = {99999999999999999999999999 x p};" + rest, "1 to 1000000000"},
		{"power", "cluster = p; p = 1e30;", ""},
		{"large power", "cluster = p; p = 1.1e30;", "greater than 0"},
		{"infinite", "cluster = p; p = 1e999999999999999999999;", "greater than 0"},
		{"vanishing", "cluster = p; p = 1e-999999999999999999999;", "greater than 0"},
		{"size", "cluster = p; p = 1;" + strings.Repeat(" ", par.MaxFile-19), ""},
		{"too large", "cluster = p; p = 1;" + strings.Repeat(" ", par.MaxFile-18), "at most 1048576"},
		{"rank", "type = network; start time = 1; send byte time = 1; power = 1; topology = {1" + strings.Repeat(",1", machine.MaxRank-1) + "};", ""},
		{"high rank", "type = network; start time = 1; send byte time = 1; power = 1; topology = {1" + strings.Repeat(",1", machine.MaxRank) + "};", "65 dimensions"},
	} {
		m, list := par.Parse("t.par", []byte(c.text))
		checkList(t, m, list)
		switch err := list.Err(); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %.300v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %.300v, want %q", c.name, err, c.want)
		}
	}
}

// TestHostile reads long texts that make the parser work, in long runs of the
// largest size. With work quadratic in the file, or proportional to the number of
// processors, the test would not end in a reasonable time.
func TestHostile(t *testing.T) {
	size := effort.Of(par.MaxFile/8, par.MaxFile) - 200
	fill := func(line func(i int) string) []byte {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(line(i))
		}
		return []byte(b.String())
	}
	for name, src := range map[string][]byte{
		"digits":        append([]byte("cluster = p; p = "), fill(func(int) string { return "1234567890" })...),
		"letters":       fill(func(int) string { return "abcdefghij" }),
		"braces":        append([]byte("a = "), fill(func(int) string { return "{{{{{{{{{{" })...),
		"chain":         append([]byte("cluster = c0;"), fill(func(i int) string { return fmt.Sprintf("c%d={c%d};", i, i+1) })...),
		"ring":          append([]byte("cluster = c0; c9={c0};"), fill(func(i int) string { return fmt.Sprintf("d%d={d%d,d0};", i, i+1) })...),
		"media chain":   append([]byte("cluster = c0;"), fill(func(i int) string { return fmt.Sprintf("c%d={c};c%d.CommType=c%d.CommType;", i, i, i+1) })...),
		"doubling":      append([]byte("cluster = c0;"), fill(func(i int) string { return fmt.Sprintf("c%d={c%d,c%d};", i, i+1, i+1) })...),
		"undefined":     append([]byte("cluster = c0;"), fill(func(i int) string { return fmt.Sprintf("%0120d", i) })...),
		"unknown names": append([]byte("cluster = c0;"), fill(func(i int) string { return fmt.Sprintf("a%0100d={b%0100d};\n", i, i) })...),
		"bytes":         fill(func(i int) string { return "\xff\x00\n" }),
		"one line":      fill(func(i int) string { return "# ;" }),
		"duplicates":    fill(func(i int) string { return "a=1;" }),
	} {
		m, list := par.Parse(name, src)
		checkList(t, m, list)
		if m != nil || len(list) > par.MaxReports {
			t.Errorf("%s: machine %v, %d reports", name, m != nil, len(list))
		}
		for _, e := range list {
			if len(e.Error()) > 3000 {
				t.Errorf("%s: a message of %d bytes", name, len(e.Error()))
				break
			}
		}
	}
}

func TestNoSource(t *testing.T) {
	if m, list := par.ParseAll(); m != nil || list.Err() == nil {
		t.Errorf("no file gives %v, %v", m, list)
	}
}

func TestUTF16(t *testing.T) {
	for _, text := range []string{"\xff\xfec\x00l\x00", "\xfe\xff\x00c\x00l"} {
		m, list := par.Parse("t.par", []byte(text))
		checkList(t, m, list)
		if len(list) != 1 || list[0].Code != "par/encoding" {
			t.Errorf("%q: %v", text, list)
		}
	}
}
