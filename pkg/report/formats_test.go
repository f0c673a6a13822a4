package report_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/report"
)

// hostile is a sample whose names contain characters with a meaning in the formats.
func hostile(t testing.TB) *records {
	r := sample(t)
	r.header.Source = []string{"a\"b,c;d\ne|f\\g .ptr"}
	r.intervals[0].File = "x\"y,z;w\n|v\\u\xff.fdv"
	r.intervals[2].File = "=1+1; 77"
	return r
}

// TestCSVIsJSON reads the table and the document and expects all numbers of the
// records in both.
func TestCSVIsJSON(t *testing.T) {
	r := hostile(t)
	tree := r.tree(t, report.AllLevels)
	rows, err := csv.NewReader(strings.NewReader(write(t, tree, report.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0][:5], " "); got != "interval processors metric value unit" {
		t.Fatalf("the columns are %q", got)
	}
	table := map[string]float64{}
	for _, row := range rows[1:] {
		key := row[0] + " " + row[1] + " " + row[2]
		if _, ok := table[key]; ok {
			t.Errorf("%s comes twice", key)
		}
		if table[key], err = strconv.ParseFloat(row[3], 64); err != nil {
			t.Error(err)
		}
		want := "seconds"
		switch {
		case row[2] == "efficiency":
			want = "ratio"
		case strings.HasPrefix(row[2], "operations."):
			want = "operations"
		case row[2] == "count":
			want = "entries"
		case row[2] == "processors":
			want = "processors"
		}
		if row[4] != want {
			t.Errorf("%s: unit %q, expected %q", key, row[4], want)
		}
	}
	var doc struct {
		Intervals []map[string]any `json:"intervals"`
	}
	if err := json.Unmarshal([]byte(write(t, tree, report.JSON)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Intervals) != len(r.intervals) {
		t.Fatalf("%d intervals in the document, expected %d", len(doc.Intervals), len(r.intervals))
	}
	compared := 0
	compare := func(key string, record map[string]any, path string) {
		t.Helper()
		got, ok := table[key]
		if want := lookup(t, record, path); !ok || got != want {
			t.Errorf("%s: the table says %v, the document %v", key, got, want)
		}
		compared++
	}
	for i, iv := range doc.Intervals {
		id := fmt.Sprint(r.intervals[i].ID)
		compare(id+" all count", iv, "count")
		compare(id+" all processors", iv, "processors")
		for _, path := range paths() {
			compare(id+" all "+path, iv, path)
		}
		classes, _ := iv["classes"].([]any)
		for _, c := range classes {
			class := c.(map[string]any)
			var boxes []string
			for _, box := range class["boxes"].([]any) {
				var sets []string
				for _, set := range box.([]any) {
					sets = append(sets, set.(string))
				}
				boxes = append(boxes, strings.Join(sets, ";"))
			}
			key := id + " " + strings.Join(boxes, " ") + " "
			compare(key+"processors", class, "n")
			for _, path := range paths() {
				if !strings.HasPrefix(path, "operations.") {
					compare(key+path, class, path)
				}
			}
		}
	}
	if compared != len(rows)-1 {
		t.Errorf("%d numbers compared, %d in the table", compared, len(rows)-1)
	}
}

// TestClassesSumToTheirInterval sums a metric over the classes of the table:
// 3 x 12 ms + 9 ms is the 45 ms of the loop.
func TestClassesSumToTheirInterval(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(write(t, sample(t).tree(t, report.AllLevels), report.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	members, sum, all := map[string]float64{}, 0.0, 0.0
	for _, row := range rows {
		if row[0] != "4" {
			continue
		}
		x, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case row[2] == "processors":
			members[row[1]] = x
		case row[2] != "cpu_time":
		case row[1] == "all":
			all = x
		default:
			sum += members[row[1]] * x
		}
	}
	if math.Abs(sum-all) > 1e-15 || all != 45e-3 {
		t.Errorf("the classes sum to %v of %v s", sum, all)
	}
}

// TestFoldedSumsToTheProgram sums the stacks of every metric.
func TestFoldedSumsToTheProgram(t *testing.T) {
	line := regexp.MustCompile(`^(\S[^\n]*) ([1-9][0-9]*)$`)
	for name, r := range map[string]*records{"sample": hostile(t), "deep": chain(300, true)} {
		root := &r.intervals[0]
		if name == "sample" {
			// The figures of outer intervals include those of inner ones.
			r.intervals[0].Remote, r.intervals[0].Redistribution = interval.KindTimes{}, interval.KindTimes{}
		}
		tree := r.tree(t, report.AllLevels)
		values := map[string]float64{}
		for _, f := range report.Figures() {
			x, err := strconv.ParseFloat(f.Value(root).Exact(), 64)
			if err != nil {
				t.Fatal(err)
			}
			if f.Unit == "s" {
				x *= 1e9
			}
			values[f.Name()] = x
		}
		for _, metric := range report.Metrics() {
			var b strings.Builder
			if err := report.Write(&b, tree, report.Folded, report.Options{Metric: metric}); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for l := range strings.Lines(b.String()) {
				m := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
				if m == nil {
					t.Fatalf("%s: %q is no stack", metric, l)
				}
				frames := strings.Split(m[1], ";")
				if len(frames) > 101 || !strings.HasPrefix(frames[0], "main ") && name == "sample" {
					t.Errorf("%s: %d frames from %q", metric, len(frames), frames[0])
				}
				n, err := strconv.ParseInt(m[2], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				sum += float64(n)
			}
			if want := values[metric]; math.Abs(sum-want) > 1+1e-12*want {
				t.Errorf("%s, %s: the stacks sum to %v, the program has %v", name, metric, sum, want)
			}
		}
	}
	for _, m := range []string{"efficiency", "execution_time", "idle", "load_imbalance", "", "nothing"} {
		if err := report.CheckMetric(m); (err == nil) != (m == "") {
			t.Errorf("%q: %v", m, err)
		}
	}
}

// TestPromIsOpenMetrics reads the text by the grammar of OpenMetrics 1.0, as
// far as gauges go, and compares every sample with its record.
func TestPromIsOpenMetrics(t *testing.T) {
	r := hostile(t)
	text := write(t, r.tree(t, report.AllLevels), report.Prom)
	lines := strings.Split(text, "\n")
	if n := len(lines); lines[n-1] != "" || lines[n-2] != "# EOF" {
		t.Fatal("it does not end with # EOF")
	}
	meta := regexp.MustCompile(`^# (TYPE|UNIT|HELP) ([a-z_:][a-z0-9_:]*) (.+)$`)
	sampleLine := regexp.MustCompile(`^([a-z_:][a-z0-9_:]*)\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\} (\S+)$`)
	label := regexp.MustCompile(`([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"`)
	families := map[string]bool{}
	family, unit := "", ""
	found := map[string]float64{}
	for _, l := range lines[:len(lines)-2] {
		if m := meta.FindStringSubmatch(l); m != nil {
			switch m[1] {
			case "TYPE":
				if families[m[2]] || m[3] != "gauge" {
					t.Errorf("%q: a family must come once, as a gauge", l)
				}
				family, unit = m[2], ""
				families[family] = true
			case "UNIT":
				unit = m[3]
				if !strings.HasSuffix(m[2], "_"+unit) {
					t.Errorf("%q: the name must end in the unit", l)
				}
			}
			if m[2] != family {
				t.Errorf("%q in the family %s", l, family)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("%q is no sample", l)
		}
		if m[1] != family {
			t.Errorf("%q in the family %s", l, family)
		}
		labels := map[string]string{}
		for _, p := range label.FindAllStringSubmatch(m[2], -1) {
			if _, ok := labels[p[1]]; ok {
				t.Errorf("%q: label %s twice", l, p[1])
			}
			labels[p[1]] = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(p[2])
		}
		if labels["program"] != `x"y,z;w\x0a|v\u\xff.fdv` || labels["grid"] != "2x2" {
			t.Fatalf("the labels of %q are %q", l, labels)
		}
		key := m[1] + " " + labels["interval"] + " " + labels["kind"]
		if _, ok := found[key]; ok {
			t.Errorf("%s comes twice", key)
		}
		x, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Error(err)
		}
		found[key] = x
	}
	n := 0
	for i := range r.intervals {
		iv := &r.intervals[i]
		for _, f := range report.Figures() {
			name, kind := "dvm_"+strings.TrimSuffix(f.Name(), "_time"), ""
			if f.OfKind {
				kind = f.Kind.String()
				name = "dvm_operation_" + strings.TrimPrefix(f.Name(), kind+".")
			}
			switch f.Unit {
			case "s":
				name += "_seconds"
			case "op":
				name = "dvm_operation_starts"
			}
			key := fmt.Sprintf("%s %d %s", name, iv.ID, kind)
			if got, ok := found[key]; !ok || fmt.Sprint(got) != fmt.Sprint(number(t, f.Value(iv))) {
				t.Errorf("%s is %v, the record says %s", key, got, f.Value(iv).Exact())
			}
			n++
		}
		n += 2 // entries and processors
	}
	if n != len(found) {
		t.Errorf("%d samples, expected %d", len(found), n)
	}
}

// number returns a value as a number.
func number(t testing.TB, v report.Value) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(v.Exact(), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestMarkdownIsOneTableEach expects every line of a table to have the columns of its
// head, whatever the names contain.
func TestMarkdownIsOneTableEach(t *testing.T) {
	text := write(t, hostile(t).tree(t, report.AllLevels), report.Markdown)
	bare := regexp.MustCompile(`(^|[^\\])\|`)
	columns := 0
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "|") {
			columns = 0
			continue
		}
		n := len(bare.FindAllString(l, -1))
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("%d columns, expected %d: %s", n, columns, l)
		}
	}
	for _, want := range []string{"## x\"y,z;w\\\\x0a\\|v\\\\u\\\\xff.fdv on 2 × 2\n", "efficiency **76.3 %**", "most"} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
}

// TestColours expects colours when they are allowed, and the same text without them
// otherwise.
func TestColours(t *testing.T) {
	tree := sample(t).tree(t, report.AllLevels)
	var b strings.Builder
	if err := report.Write(&b, tree, report.Text, report.Options{Colour: true}); err != nil {
		t.Fatal(err)
	}
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	plain := write(t, tree, report.Text)
	if got := escapes.ReplaceAllString(b.String(), ""); got != plain || len(got) == b.Len() {
		t.Error("the text with colours is not the text and colours")
	}
	// The sequential part holds 48 % of Lost time, the loop 32 %.
	for l := range strings.Lines(b.String()) {
		if hot := strings.HasPrefix(l, "\x1b[31m"); hot != strings.Contains(l, "jac.fdv:9  ") && hot != strings.Contains(l, "jac.fdv:14 ") {
			t.Errorf("red or not: %q", l)
		}
	}
}

// TestFormatsAreWritten writes every format for special programs without an error: one processor, no time, no intervals.
func TestFormatsAreWritten(t *testing.T) {
	one := interval.Interval{ID: 1, Type: interval.Main}
	for name, r := range map[string]*records{
		"nothing":       {intervals: []interval.Interval{one}},
		"one processor": {header: interval.Header{Processors: 1, Grid: []int{1}}, intervals: []interval.Interval{{ID: 1, Processors: 1, Times: interval.Times{ExecutionTime: 1, TotalTime: 1, CPUTime: 1}}}},
	} {
		for _, f := range report.Formats() {
			if f == report.Folded {
				continue
			}
			if s := write(t, r.tree(t, report.AllLevels), f); s == "" || strings.Contains(s, "NaN") || strings.Contains(s, "+Inf") {
				t.Errorf("%s, %s: %q", name, f, s)
			}
		}
	}
}
