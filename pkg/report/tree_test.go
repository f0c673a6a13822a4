package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
)

func TestBuilderRefusesWhatIsNoTree(t *testing.T) {
	type iv = interval.Interval
	root := iv{ID: 1}
	for _, c := range []struct {
		name string
		ivs  []iv
		want string
	}{
		{"no intervals", nil, "x:9: found no main interval, expected one; was the stream filtered?"},
		{"id", []iv{{ID: 0}}, "x:2: found interval id 0, expected a number from 1"},
		{"twice", []iv{root, {ID: 2, Parent: 1, Level: 1}, {ID: 2, Parent: 1, Level: 1}}, "x:4: interval 2 comes a second time, expected each interval once"},
		{"two roots", []iv{root, {ID: 2}}, "x:3: interval 2 has no parent, expected one: interval 1 is the main interval already"},
		{"level of main", []iv{{ID: 1, Level: 1}}, "x:2: the main interval has level 1, expected 0"},
		{"parent unknown", []iv{root, {ID: 2, Parent: 7, Level: 1}}, "x:3: interval 2 has the parent 7, which does not come before it; do not filter the intervals around it"},
		{"own parent", []iv{root, {ID: 2, Parent: 2, Level: 1}}, "x:3: interval 2 has the parent 2, which does not come before it; do not filter the intervals around it"},
		{"level", []iv{root, {ID: 2, Parent: 1, Level: 2}}, "x:3: interval 2 has level 2, expected 1, one more than interval 1 around it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := build(c.ivs, nil, report.AllLevels)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, ok := errors.AsType[*diag.Error](err); !ok {
				t.Errorf("%T is no diag.Error", err)
			}
		})
	}
	for _, c := range []struct {
		p    interval.Processor
		want string
	}{
		{interval.Processor{Interval: 5, N: 1}, "x:5: processors of interval 5, which does not come before them"},
		{interval.Processor{Interval: 1}, "x:5: found a class of 0 processors, expected 1 to 1000000000"},
		{interval.Processor{Interval: 1, N: math.MaxInt64}, "x:5: found a class of 9223372036854775807 processors, expected 1 to 1000000000"},
	} {
		if _, err := build([]iv{root}, []interval.Processor{c.p}, 0); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// build builds a tree; interval i is at line 2+i, processors are at line 5,
// the end is at line 9.
func build(ivs []interval.Interval, procs []interval.Processor, level int) (*report.Tree, error) {
	b := report.NewBuilder(interval.Header{}, level)
	for i := range ivs {
		if err := b.Interval(diag.Pos{File: "x", Line: 2 + i}, &ivs[i]); err != nil {
			return nil, err
		}
	}
	for i := range procs {
		if err := b.Processor(diag.Pos{File: "x", Line: 5}, &procs[i]); err != nil {
			return nil, err
		}
	}
	return b.Tree(diag.Pos{File: "x", Line: 9})
}

// TestOrder adds the intervals level by level, as a stream may, and expects them in
// the order of reading.
func TestOrder(t *testing.T) {
	type iv = interval.Interval
	tree, err := build([]iv{
		{ID: 1}, {ID: 2, Parent: 1, Level: 1}, {ID: 5, Parent: 1, Level: 1},
		{ID: 3, Parent: 2, Level: 2}, {ID: 6, Parent: 5, Level: 2}, {ID: 4, Parent: 2, Level: 2}, {ID: 7, Parent: 3, Level: 3},
	}, []interval.Processor{{Interval: 7, N: 1}, {Interval: 3, N: 2}, {Interval: 3, N: 1}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	id := func(n *report.Node) int {
		if n == nil {
			return 0
		}
		return n.ID
	}
	for _, n := range tree.Nodes {
		got = append(got, fmt.Sprintf("%d: up %d pred %d next %d classes %d", n.ID, id(n.Up), id(n.Pred), id(n.Next), len(n.Classes)))
	}
	want := []string{
		"1: up 0 pred 0 next 0 classes 0",
		"2: up 1 pred 0 next 5 classes 0",
		"3: up 2 pred 0 next 4 classes 2",
		"4: up 2 pred 3 next 0 classes 0",
		"5: up 1 pred 2 next 0 classes 0",
		"6: up 5 pred 0 next 0 classes 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if tree.Dropped != 1 {
		t.Errorf("%d intervals dropped, expected the one of level 3", tree.Dropped)
	}
}

func TestFiguresAreThoseOfAppendix2(t *testing.T) {
	want := strings.Fields(`effic exec total ptime ptimec ptimes ptimei lost insuf iuser isyst comm csyn idle imbal synch vary over
		nopi comi synchi overi nopr comr synchr overr nops coms synchs overs nopa coma syncha overa nopd comd synchd overd`)
	var got []string
	line := regexp.MustCompile(`^[^\n]{10,140}$`)
	for _, f := range report.Figures() {
		if slices.Contains(want, f.Anchor) { // others are ours
			got = append(got, f.Anchor)
		}
		if f.Label == "" || !line.MatchString(f.Definition) || !line.MatchString(f.Formula) && f.Anchor != "insuf" {
			t.Errorf("%s: label %q, definition %q, formula %q", f.Anchor, f.Label, f.Definition, f.Formula)
		}
		if !slices.Contains([]string{"s", "ratio", "op"}, f.Unit) {
			t.Errorf("%s: unit %q", f.Anchor, f.Unit)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if n, all := len(report.Figures()), len(interval.Characteristics())+int(interval.NumKinds)*(1+len(interval.KindCharacteristics())); n != all {
		t.Errorf("%d figures, expected %d", n, all)
	}
}

// TestEveryFigureIsDefined expects the definition and formula of each figure as
// a tooltip on the link at its name, and once in the table of definitions, to
// which the link leads.
func TestEveryFigureIsDefined(t *testing.T) {
	ids := byID(t, parse(t, write(t, sample(t).tree(t, report.AllLevels), report.HTML)))
	titles := map[string]string{}
	for n := range ids["i3"].Descendants() {
		if href, _ := attr(n, "href"); n.Data == "a" && strings.HasPrefix(href, "#def-") {
			titles[href], _ = attr(n, "title")
		}
	}
	for _, f := range report.Figures() {
		if got, want := titles["#def-"+f.Def], f.Definition+": "+f.Formula; got != want {
			t.Errorf("%s: title %q, expected %q", f.Anchor, got, want)
		}
		// The tooltip of the figure itself is the exact value.
		cell := ids["i3-"+f.Anchor]
		title, _ := attr(cell, "title")
		want, _ := attr(cell, "data-value")
		switch {
		case want == "0":
			want = ""
		case f.Unit == "s":
			want += " s"
		}
		if title != want {
			t.Errorf("%s: title %q, expected %q", f.Anchor, title, want)
		}
		row := ids["def-"+f.Def]
		if row == nil {
			t.Errorf("%s is not defined", f.Def)
			continue
		}
		for _, want := range []string{f.Label, f.Unit, f.Definition, f.Formula} {
			if !strings.Contains(text(row), want) {
				t.Errorf("the definition of %s lacks %q", f.Def, want)
			}
		}
	}
}

func TestSplitSumsToTotal(t *testing.T) {
	for _, iv := range sample(t).intervals {
		sum, share := 0.0, 0.0
		for _, p := range report.Split(&iv.Times) {
			sum += p.Seconds
			share += p.Share
		}
		if math.Abs(sum-float64(iv.TotalTime)) > 1e-12 || math.Abs(share-1) > 1e-12 {
			t.Errorf("interval %d: the parts sum to %v of %v s, %v", iv.ID, sum, iv.TotalTime, share)
		}
	}
	// A part that is negative by rounding is 0, and parts of no time have no
	// shares.
	for _, p := range report.Split(&interval.Times{Communication: 0.1 + 0.2, CommunicationSynch: 0.30000000000000005}) {
		if p.Seconds < 0 || p.Share != 0 {
			t.Errorf("%s: %v s, share %v", p.Label, p.Seconds, p.Share)
		}
	}
}

// TestBarFitsItsWidth draws shares whose sum exceeds 1, as in a damaged stream.
func TestBarFitsItsWidth(t *testing.T) {
	r := sample(t)
	r.intervals[1].Idle = 1e300
	r.intervals[2].Idle, r.intervals[2].TotalTime = -5, -1
	r.intervals[3].TotalTime = 1e-320
	doc := parse(t, write(t, r.tree(t, report.AllLevels), report.HTML))
	bars := 0
	for n := range doc.Descendants() {
		if c, _ := attr(n, "class"); c != "bar" {
			continue
		}
		bars++
		end := 0.0
		for rect := range n.ChildNodes() {
			var x, width float64
			for key, to := range map[string]*float64{"x": &x, "width": &width} {
				v, _ := attr(rect, key)
				if _, err := fmt.Sscanf(v, "%g", to); err != nil {
					t.Fatalf("%s=%q: %v", key, v, err)
				}
			}
			if x < end-0.11 || width <= 0 || x+width > 1000.11 {
				t.Errorf("a part from %v, %v wide, after %v", x, width, end)
			}
			end = x + width
		}
	}
	if bars == 0 {
		t.Error("no bars")
	}
}

// TestProcessors compares the table of processors of the main interval with
// its classes: 14.8596 ms on three, 15.8596 ms on one, mean 15.1096 ms.
func TestProcessors(t *testing.T) {
	r := sample(t)
	rank := int64(3)
	r.processors[3].Rank = &rank
	ids := byID(t, parse(t, write(t, r.tree(t, report.AllLevels), report.HTML)))
	rows := func(section string) []string {
		var out []string
		for n := range ids[section].Descendants() {
			if n.Data != "tr" {
				continue
			}
			if c, _ := attr(n.Parent.Parent, "class"); c != "procs" {
				continue
			}
			var cells []string
			for c := range n.ChildNodes() {
				if c.Type == html.ElementNode && len(cells) < 4 {
					cells = append(cells, strings.ReplaceAll(text(c), "\u00a0", " "))
				}
			}
			out = append(out, strings.Join(cells, " | "))
		}
		return out
	}
	for section, want := range map[string][]string{
		"i1": {"Coordinates | Processors | Execution time | CPU time",
			"(0-1; 0), (0; 1) | 3 | 14.86 ms | 14.00 ms", "(1; 1) | 1 | 15.86 ms | 11.00 ms",
			"minimum |  | 14.86 ms | 11.00 ms", "mean |  | 15.11 ms | 13.25 ms", "maximum |  | 15.86 ms | 14.00 ms"},
		"i2": nil,
		"i4": {"Coordinates | Processors | Execution time | CPU time",
			"(0-1; 0), (0; 1) | 3 | 12.46 ms | 12.00 ms", "processor 3 | 1 | 12.46 ms | 9.000 ms",
			"minimum |  | 12.46 ms | 9.000 ms", "mean |  | 12.46 ms | 11.25 ms", "maximum |  | 12.46 ms | 12.00 ms"},
	} {
		if got := rows(section); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", section, got, want)
		}
	}
}

// TestManyClassesAndBoxesAreBounded gives an interval 1000 classes, one of
// 1000 boxes; the page lists 256 of them, says so, and the maximum is that of
// all.
func TestManyClassesAndBoxesAreBounded(t *testing.T) {
	r := sample(t)
	r.processors = nil
	for i := range 1000 {
		p := interval.Processor{Interval: 2, N: 1, Boxes: [][]string{{fmt.Sprint(i)}}}
		p.ExecutionTime = 1 + r.intervals[1].ExecutionTime
		if i == 999 {
			p.ExecutionTime = 4321
		}
		if i == 0 {
			p.Boxes = nil
			for j := range 1000 {
				p.Boxes = append(p.Boxes, []string{fmt.Sprint(2 * j)})
			}
		}
		r.processors = append(r.processors, p)
	}
	section := byID(t, parse(t, write(t, r.tree(t, report.AllLevels), report.HTML)))["i2"]
	got := text(section)
	for _, want := range []string{"1000 processors in 1000 classes of equal values", "744 more classes are not listed", "and 992 more boxes", "4321"} {
		if !strings.Contains(got, want) {
			t.Errorf("the section does not say %q", want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range report.Formats() {
		if got, err := report.ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%s: %v, %v", f, got, err)
		}
	}
	for name, want := range map[string]string{
		"htlm": `found format "htlm", expected html, text, csv, json, folded, prom, md or perfetto; did you mean "html"?`,
		"":     `found format "", expected html, text, csv, json, folded, prom, md or perfetto`,
	} {
		if _, err := report.ParseFormat(name); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", name, err, want)
		}
	}
}

// full is a writer that fails after n bytes.
type full struct{ n int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return f.n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

func TestWriteReportsErrors(t *testing.T) {
	tree := sample(t).tree(t, report.AllLevels)
	for _, f := range report.Formats() {
		size := len(write(t, tree, f))
		for _, n := range []int{0, size / 2, size - 1} {
			if err := report.Write(&full{n}, tree, f, report.Options{}); !errors.Is(err, errFull) {
				t.Errorf("%s, room for %d bytes: %v", f, n, err)
			}
		}
	}
}

// chain returns a program of n intervals, each inside the one before when
// deep, else all inside the first.
func chain(n int, deep bool) *records {
	r := &records{header: interval.Header{Source: []string{"x.ptr"}, Grid: []int{4}, Processors: 4}}
	for i := range n {
		iv := interval.Interval{ID: i + 1, Type: interval.User, File: "x.fdv", Line: i, Count: 1, Processors: 4}
		if i > 0 {
			iv.Parent, iv.Level = 1, 1
			if deep {
				iv.Parent, iv.Level = i, i
			}
		}
		iv.ProductiveCPUTime, iv.ProductiveTime, iv.TotalTime, iv.LostTime, iv.Idle = 3, 3, 4, 1, 1
		r.intervals = append(r.intervals, iv)
		for c := range 3 {
			r.processors = append(r.processors, interval.Processor{Interval: i + 1, N: int64(c + 1), Boxes: [][]string{{fmt.Sprint(c)}}})
		}
	}
	return r
}

// TestSizeIsLinear doubles the number of intervals, side by side and one in
// the other, and expects pages and texts that at most double, with some room for
// longer numbers.
func TestSizeIsLinear(t *testing.T) {
	for _, deep := range []bool{false, true} {
		for _, f := range report.Formats() {
			one := len(write(t, chain(520, deep).tree(t, report.AllLevels), f))
			two := len(write(t, chain(1040, deep).tree(t, report.AllLevels), f))
			if float64(two) > 2.1*float64(one) {
				t.Errorf("deep %v, %s: %d bytes for 520 intervals, %d for 1040", deep, f, one, two)
			}
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	tree := chain(2000, false).tree(b, report.AllLevels)
	var buf bytes.Buffer
	if err := report.Write(&buf, tree, report.HTML, report.Options{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		if err := report.Write(io.Discard, tree, report.HTML, report.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(buf.Len())/2000, "B/interval")
}
