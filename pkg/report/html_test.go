package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
	"dvmtools/pkg/units"
)

// parse parses a page as a browser without scripts does.
func parse(t testing.TB, page string) *html.Node {
	t.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// attr returns an attribute of n and whether it is there.
func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// text returns the text inside n.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// byID returns the elements of doc by their id, and fails on a second one.
func byID(t testing.TB, doc *html.Node) map[string]*html.Node {
	t.Helper()
	ids := map[string]*html.Node{}
	for n := range doc.Descendants() {
		if id, ok := attr(n, "id"); ok {
			if ids[id] != nil {
				t.Errorf("id %q stands there twice", id)
			}
			ids[id] = n
		}
	}
	return ids
}

// documented maps the anchors of the design's appendix 2, and ours, to the
// path of the figure in the record. It is written by hand, independent of the table
// under test, which may have more. %s is the kind.
var (
	documented = map[string]string{
		"effic": "efficiency", "exec": "execution_time", "total": "total_time",
		"ptime": "productive_time", "ptimec": "productive_cpu_time", "ptimes": "productive_sys_time", "ptimei": "io_time",
		"lost": "lost_time", "insuf": "insuff_parallelism", "iuser": "insuff_parallelism_usr", "isyst": "insuff_parallelism_sys",
		"comm": "communication", "csyn": "communication_synch", "idle": "idle",
		"imbal": "load_imbalance", "synch": "synchronization", "vary": "time_variation", "over": "overlap",
		"cpu": "cpu_time", "sys": "sys_time",
	}
	documentedKinds   = map[string]string{"i": "io", "r": "reduction", "s": "shadow", "a": "remote", "d": "redistribution"}
	documentedOfAKind = map[string]string{
		"nop": "operations.%s", "com": "%s.communication", "synch": "%s.real_synch", "over": "%s.overlap",
		"psynch": "%s.synch", "vary": "%s.variation",
	}
)

// paths returns the path of every anchor.
func paths() map[string]string {
	all := map[string]string{}
	for a, p := range documented {
		all[a] = p
	}
	for a, p := range documentedOfAKind {
		for letter, kind := range documentedKinds {
			all[a+letter] = fmt.Sprintf(p, kind)
		}
	}
	for _, c := range interval.Characteristics() {
		if all[c.Anchor] == "" {
			all[c.Anchor] = c.Name
		}
	}
	for _, c := range interval.KindCharacteristics() {
		for letter, kind := range documentedKinds {
			if all[c.Anchor+letter] == "" {
				all[c.Anchor+letter] = kind + "." + c.Name
			}
		}
	}
	return all
}

// lookup returns the number at a path in a record.
func lookup(t testing.TB, record map[string]any, path string) float64 {
	t.Helper()
	var at any = record
	for p := range strings.SplitSeq(path, ".") {
		m, _ := at.(map[string]any)
		at = m[p]
	}
	x, ok := at.(float64)
	if !ok {
		t.Fatalf("the record has no number %s", path)
	}
	return x
}

// distinct fills a record with numbers that are all different, so that no figure can
// be mistaken for another.
func distinct(t testing.TB, iv *interval.Interval, seed float64) {
	t.Helper()
	data, err := json.Marshal(iv)
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	n := 0.0
	var fill func(m map[string]any, whole bool)
	fill = func(m map[string]any, whole bool) {
		keys := slices.Sorted(func(yield func(string) bool) {
			for k := range m {
				if !yield(k) {
					return
				}
			}
		})
		for _, k := range keys {
			if inner, ok := m[k].(map[string]any); ok {
				fill(inner, k == "operations")
				continue
			}
			n++
			switch x := m[k].(type) {
			case float64:
				if whole {
					m[k] = 1000*n + math.Floor(seed)
				} else if x == 0 {
					m[k] = math.Sqrt(n + seed)
				}
			}
		}
	}
	for _, k := range []string{"id", "parent", "level", "line", "count", "processors", "type", "file", "expr"} {
		delete(record, k)
	}
	fill(record, false)
	if data, err = json.Marshal(record); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, iv); err != nil {
		t.Fatal(err)
	}
}

// TestFiguresEqualTheRecord reads every figure of every interval back from
// the page and compares it with the record as JSON has it.
func TestFiguresEqualTheRecord(t *testing.T) {
	r := sample(t)
	r.intervals[1].Times = interval.Times{}
	distinct(t, &r.intervals[1], 0.5)
	r.intervals[3].Times = interval.Times{}
	distinct(t, &r.intervals[3], 77)
	r.intervals[3].ExecutionTime = math.MaxFloat64
	r.intervals[3].IO.Overlap = math.SmallestNonzeroFloat64
	r.intervals[3].Operations.IO = 1 << 52

	doc := parse(t, write(t, r.tree(t, report.AllLevels), report.HTML))
	ids := byID(t, doc)
	number := regexp.MustCompile(`^(\S+)\x{a0}(\S+)$`)
	compared := 0
	for i := range r.intervals {
		iv := &r.intervals[i]
		data, err := json.Marshal(iv)
		if err != nil {
			t.Fatal(err)
		}
		var record map[string]any
		if err := json.Unmarshal(data, &record); err != nil {
			t.Fatal(err)
		}
		for anchor, path := range paths() {
			want := lookup(t, record, path)
			id := fmt.Sprintf("i%d-%s", iv.ID, anchor)
			cell := ids[id]
			if cell == nil {
				t.Errorf("no element has the id %q", id)
				continue
			}
			if name, _ := attr(cell, "data-name"); name != anchor {
				t.Errorf("%s: data-name is %q", id, name)
			}
			exact, _ := attr(cell, "data-value")
			if got, err := strconv.ParseFloat(exact, 64); err != nil || got != want {
				t.Errorf("%s: data-value is %q, the record says %v", id, exact, want)
			}
			m := number.FindStringSubmatch(text(cell))
			if m == nil {
				t.Errorf("%s: found %q, expected a number, a no-break space and a unit", id, text(cell))
				continue
			}
			printed, unit := units.Seconds(want).Show()
			switch {
			case anchor == "effic":
				printed, unit, _ = strings.Cut(units.Percent(want), " ")
			case strings.HasPrefix(path, "operations."):
				printed, unit = fmt.Sprintf("%.0f", want), "op"
			}
			if m[1] != printed || m[2] != unit {
				t.Errorf("%s: printed %q %q, expected %q %q", id, m[1], m[2], printed, unit)
			}
			compared++
		}
		// Nothing else is called a figure of this interval.
		figures := 0
		for n := range ids[fmt.Sprintf("i%d", iv.ID)].Descendants() {
			if _, ok := attr(n, "data-name"); ok {
				figures++
			}
		}
		if figures != len(paths()) {
			t.Errorf("interval %d has %d figures, expected %d", iv.ID, figures, len(paths()))
		}
	}
	if want := len(r.intervals) * len(paths()); compared != want {
		t.Errorf("%d figures compared, expected %d", compared, want)
	}
}

// TestUserAndSystemAreNotExchanged checks two figures that appendix 2 of the design
// exchanges.
func TestUserAndSystemAreNotExchanged(t *testing.T) {
	ids := byID(t, parse(t, write(t, sample(t).tree(t, report.AllLevels), report.HTML)))
	for id, want := range map[string]string{"i2-iuser": "0.006", "i2-isyst": "0.0012"} {
		if got, _ := attr(ids[id], "data-value"); got != want {
			t.Errorf("%s is %q, expected %q", id, got, want)
		}
	}
}

// TestNavigation follows the links of the sections.
func TestNavigation(t *testing.T) {
	doc := parse(t, write(t, sample(t).tree(t, report.AllLevels), report.HTML))
	ids := byID(t, doc)
	for id, want := range map[string]string{
		"i1": "UP PRED NEXT HOME=#top DEFINITIONS=#definitions",
		"i2": "UP=#i1 PRED NEXT=#i3 HOME=#top DEFINITIONS=#definitions",
		"i3": "UP=#i1 PRED=#i2 NEXT HOME=#top DEFINITIONS=#definitions",
		"i4": "UP=#i3 PRED NEXT HOME=#top DEFINITIONS=#definitions",
	} {
		var got []string
		for nav := range ids[id].ChildNodes() {
			if nav.Data != "nav" {
				continue
			}
			for n := range nav.ChildNodes() {
				if n.Type != html.ElementNode {
					continue
				}
				word := text(n)
				if href, ok := attr(n, "href"); ok {
					word += "=" + href
				}
				got = append(got, word)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: got %q, want %q", id, g, want)
		}
	}
	rows := map[string]int{}
	for n := range doc.Descendants() {
		if n.Data != "a" {
			continue
		}
		href, _ := attr(n, "href")
		target := strings.TrimPrefix(href, "#")
		if target == href || ids[target] == nil {
			t.Errorf("the link %q leads to nothing in the page", href)
		}
		rows[target]++
	}
	for _, id := range []string{"i1", "i2", "i3", "i4"} {
		if rows[id] == 0 {
			t.Errorf("nothing links to %s", id)
		}
	}
}

// TestNothingLeavesThePage looks for everything that can make a browser load
// something or run something.
func TestNothingLeavesThePage(t *testing.T) {
	r := sample(t)
	r.header.Source = []string{"https://example.org/a.ptr"}
	r.intervals[1].File = "javascript:alert(1)"
	page := write(t, r.tree(t, report.AllLevels), report.HTML)
	doc := parse(t, page)
	elements := map[string]int{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		elements[n.Data]++
		for _, a := range n.Attr {
			switch {
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
			case slices.Contains([]string{"href", "src", "srcset", "action", "data", "poster", "style", "ping", "background", "formaction"}, a.Key),
				strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, e := range []string{"link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "foreignobject"} {
		if elements[e] > 0 {
			t.Errorf("%d elements <%s>", elements[e], e)
		}
	}
	if elements["style"] != 1 || elements["script"] != 2 || elements["svg"] == 0 {
		t.Fatalf("expected one style sheet, the data, one script and some pictures, found %v", elements)
	}

	var css, js, policy string
	for n := range doc.Descendants() {
		if n.Data == "style" {
			css = text(n)
		}
		if n.Data == "script" {
			js = text(n)
		}
		if v, _ := attr(n, "http-equiv"); v == "Content-Security-Policy" {
			policy, _ = attr(n, "content")
		}
	}
	if m := regexp.MustCompile(`(?i)url\(|@import|image-set|@font-face`).FindString(css); m != "" {
		t.Errorf("the style sheet holds %q", m)
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; script-src " + hash(js) + "; style-src " + hash(css) + "; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("the policy is %q, expected %q", policy, want)
	}
	if strings.Index(page, "Content-Security-Policy") > strings.Index(page, "<style>") {
		t.Error("the policy comes after what it is to govern")
	}
}

// TestTextOfTheTraceIsText puts hostile text wherever a trace or a machine
// can contain text.
func TestTextOfTheTraceIsText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"script", `<script>alert("1")</script>`, `<script>alert("1")</script>`},
		{"quotes", `a" onclick="x' &amp; b`, `a" onclick="x' &amp; b`},
		{"end of title", `</title></style><b>`, `</title></style><b>`},
		{"template", "{{.Program}}", "{{.Program}}"},
		{"control", "a\x00b\x1b[31m\r\n\tc\x7f", `a\x00b\x1b[31m\x0d\x0a\x09c\x7f`},
		{"cp1251", "\xef\xf0\xee.fdv", `\xef\xf0\xee.fdv`},
		{"cp1251 as records carry it", "\uf7ef\uf7f0.fdv", `\xef\xf0.fdv`},
		{"order of writing", "a\u202etxt.fdv\u2028", `a\u202etxt.fdv\u2028`},
		{"letters", "программа № 1 – é😀.fdv", "программа № 1 – é😀.fdv"},
		{"beyond", "x\U000e0041", `x\U000e0041`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := report.Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
			r := sample(t)
			plain := parse(t, write(t, r.tree(t, report.AllLevels), report.HTML))
			r.header.Source = []string{c.in}
			r.header.Machine.Name = c.in
			for i := range r.header.Machine.Nodes {
				n := &r.header.Machine.Nodes[i]
				n.Name = c.in
				for j := range n.Children {
					n.Children[j].Node = c.in
				}
			}
			for i := range r.intervals {
				r.intervals[i].File = c.in
			}
			r.intervals[1].Type = interval.Type(c.in)
			for i := range r.processors {
				r.processors[i].Boxes = [][]string{{c.in}}
			}
			page := write(t, r.tree(t, report.AllLevels), report.HTML)
			doc := parse(t, page)
			// The page has the same elements and attributes as with
			// harmless text: nothing of the text became markup.
			if got, want := shape(doc), shape(plain); got != want {
				t.Error("the text changed the elements of the page")
			}
			ids := byID(t, doc)
			if got := text(ids["i3"]); !strings.Contains(got, "user "+c.want+":12") {
				t.Errorf("interval 3 does not show %q", c.want)
			}
			for n := range doc.Descendants() {
				if n.Data == "h1" && text(n) != c.want+" on 2 × 2" {
					t.Errorf("the heading is %q", text(n))
				}
			}
			txt := write(t, r.tree(t, report.AllLevels), report.Text)
			for name, s := range map[string]string{"page": page, "text": txt} {
				if i := strings.IndexFunc(s, func(r rune) bool { return r < 0x20 && r != '\n' || r == 0x7f || r == 0xfffd }); i >= 0 {
					t.Errorf("the %s holds a control byte at %d: %q", name, i, s[max(0, i-20):i+1])
				}
			}
		})
	}
}

// shape writes the elements of a page with the names of their attributes.
func shape(doc *html.Node) string {
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		b.WriteString("<" + n.Data)
		for _, a := range n.Attr {
			b.WriteString(" " + a.Key)
		}
		b.WriteString(">\n")
	}
	return b.String()
}

// FuzzText puts any text wherever a trace can contain text: the text shown is
// printable, cleaning it again changes nothing, it is in the page, and the elements
// of the page stay the same.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "jac.fdv", "<b>", "\"'`=", "&lt;", "\x00\xff\x1b", "\ufeff\u202e\uf7f0", "-->", "]]>", "\\x00"} {
		f.Add(s)
	}
	r := sample(f)
	r.intervals = r.intervals[:2]
	r.processors = nil
	r.intervals[1].File = "jac.fdv"
	want := shape(parse(f, write(f, r.tree(f, report.AllLevels), report.HTML)))
	f.Fuzz(func(t *testing.T, s string) {
		clean := report.Clean(s)
		for _, c := range clean {
			if !strconv.IsPrint(c) {
				t.Errorf("Clean(%q) holds %q", s, c)
			}
		}
		if again := report.Clean(clean); again != clean {
			t.Errorf("Clean(%q) = %q, cleaned again %q", s, clean, again)
		}
		if s == "" {
			return
		}
		r.intervals[1].File = s
		doc := parse(t, write(t, r.tree(t, report.AllLevels), report.HTML))
		if shape(doc) != want {
			t.Errorf("%q changed the elements of the page", s)
		}
		if got := text(byID(t, doc)["i2"]); !strings.Contains(got, "sequential "+clean+":9") {
			t.Errorf("the page does not show %q", clean)
		}
	})
}

// TestPOPEqualsTheRecord reads the POP metrics of every interval back.
func TestPOPEqualsTheRecord(t *testing.T) {
	tree := bundled(t, "f01_ivals")
	ids := byID(t, parse(t, write(t, tree, report.HTML)))
	for _, n := range tree.Nodes {
		p := n.POP
		for name, want := range map[string]float64{"ppe": p.ParallelEfficiency, "plb": p.LoadBalance, "pce": p.CommunicationEfficiency,
			"pser": p.Serialisation, "ptra": p.Transfer, "pideal": float64(p.IdealTime)} {
			cell := ids[fmt.Sprintf("i%d-%s", n.ID, name)]
			if cell == nil {
				t.Fatalf("interval %d has no %s", n.ID, name)
			}
			printed := units.Percent(want)
			if name == "pideal" {
				printed = p.IdealTime.Short()
			}
			exact, _ := attr(cell, "data-value")
			if got := strings.ReplaceAll(text(cell), "\u00a0", " "); exact != strconv.FormatFloat(want, 'g', -1, 64) || got != printed {
				t.Errorf("interval %d: %s is %s, printed %q, expected %v, %s", n.ID, name, exact, got, want, printed)
			}
		}
	}
}
