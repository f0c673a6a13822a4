package report_test

import (
	"strings"
	"testing"

	"dvmtools/pkg/report"
	"dvmtools/schema"
	"dvmtools/schema/schematest"
)

// Every JSON document is as its schema says: those of the programs of the golden
// reports, of programs with all kinds of numbers and names, and of sheets.
func TestJSONIsAsItsSchemaSays(t *testing.T) {
	c := schematest.New(t)
	check := func(name, document string) {
		t.Helper()
		v, err := schematest.Decode([]byte(document))
		if err == nil {
			err = c.Value(schema.Report, v)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	trees := map[string]*report.Tree{
		"sample": sample(t).tree(t, report.AllLevels), "level 0": sample(t).tree(t, 0), "hostile": hostile(t).tree(t, report.AllLevels),
	}
	for name, r := range map[string]*records{"varied": varied(50), "deep": chain(300, true), "large": large(100)} {
		r.header.Machine, r.header.Options = sample(t).header.Machine, sample(t).header.Options
		trees[name] = r.tree(t, report.AllLevels)
	}
	for _, name := range []string{"f01_ivals", "f09_tasks", "f11_subr"} {
		trees[name] = bundled(t, name)
	}
	for name, tree := range trees {
		check(name, write(t, tree, report.JSON))
	}
	a, b := versions()
	search, err := report.ReadSearch("x", strings.NewReader(searchStream))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*report.Sheet{
		"comparison": report.Compare(a.tree(t, report.AllLevels), b.tree(t, report.AllLevels), "a", "b"),
		"other":      report.Compare(trees["f01_ivals"], trees["f09_tasks"], "a", "b"),
		"scaling":    report.Scale(grids(t)), "search": search.Sheet(),
		"sweep": found(t, sweepStream).Sheet(), "cross": found(t, crossStream).Sheet(), "varied": found(t, variedStream).Sheet(),
	} {
		check(name, sheet(t, s, report.JSON))
	}
}
