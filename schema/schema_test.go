package schema_test

import (
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/schema"
	"dvmtools/schema/internal/definition"
	"dvmtools/schema/schematest"
)

func TestFilesAreWhatTheGeneratorWrites(t *testing.T) {
	files := definition.Files()
	if len(files) != len(schema.Names()) {
		t.Errorf("the generator writes %d files, the package has %d", len(files), len(schema.Names()))
	}
	for _, f := range files {
		have, err := fs.ReadFile(schema.Files(), f.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		want := f.Text
		if bytes.Equal(have, want) {
			continue
		}
		line := 1
		for len(have) > 0 && len(want) > 0 && have[0] == want[0] {
			if have[0] == '\n' {
				line++
			}
			have, want = have[1:], want[1:]
		}
		t.Errorf("%s is not what the generator writes, from line %d on; run: go generate ./schema", f.Name, line)
	}
}

// Records of the writers are valid, and with any single field changed they are
// not.
func TestRecords(t *testing.T) {
	real, made := written(t), samples(t)
	c := schematest.New(t)
	t.Run("valid", func(t *testing.T) {
		lines := map[string]int{}
		for _, all := range []corpus{real, made} {
			for name, streams := range all {
				for _, s := range streams {
					lines[name] += c.Stream(t, name, s)
				}
			}
		}
		for _, name := range schema.Names() {
			t.Logf("%s: %d records", name, lines[name])
			if lines[name] < 100 {
				t.Errorf("%s was tried on %d records only", name, lines[name])
			}
		}
	})
	t.Run("mutants", func(t *testing.T) { mutants(t, c, representatives(t, real, made)) })
}

// documented are the required and the optional fields of every record, listed by
// hand, independently of the types from which schemas are generated.
var documented = []struct{ schema, def, required, optional string }{
	{schema.Calls, "trace", "record version source runtime", "preamble"},
	{schema.Calls, "runtime", "rts_version processors grid io_processor time_digits", "virtual_grid"},
	{schema.Calls, "call", "record seq func line file call_time ret_time args ret", "only ret_line ret_file outside text ret_text nested own"},
	{schema.Calls, "nested_call", "func line file call_time ret_time args ret", "seq only ret_line ret_file outside text ret_text nested"},
	{schema.Calls, "exit", "record time rc line file", "own"},
	{schema.Calls, "own", "", "call_time ret_time"},
	{schema.Calls, "end", "record calls warnings", "noticed"},
	{schema.Calls, "notice", "file line col code message", ""},
	{schema.Intervals, "simulation", "record version machine grid processors source startup options", "measured"},
	{schema.Intervals, "options", "collectives across balance async level", "sections loop_cost own_times"},
	{schema.Intervals, "interval", "record id parent level type file line expr count processors operations " + characteristics, "pop"},
	{schema.Intervals, "processor", "record interval n " + characteristics, "boxes rank"},
	{schema.Intervals, "line", more("record interval file line from_line functions operations productive_time productive_cpu_time productive_sys_time io_time "+
		"insuff_parallelism insuff_parallelism_usr insuff_parallelism_sys communication communication_synch synchronization "+
		"time_variation overlap cpu_time sys_time io reduction shadow remote redistribution", inner()), ""},
	{schema.Intervals, "function", "func calls", ""},
	{schema.Intervals, "pop", "parallel_efficiency load_balance communication_efficiency serialisation transfer ideal_time", ""},
	{schema.Intervals, "operations", "io reduction shadow remote redistribution", ""},
	{schema.Intervals, "kind_times", more("communication real_synch synch variation overlap", interval.KindCharacteristics()), ""},
	{schema.Intervals, "exchange", more("record kind func file line seq count messages size_b communication real_synch synch variation overlap", interval.KindCharacteristics()), ""},
	{schema.Intervals, "span", "record processors start end kind interval seq", "op"},
	{schema.Intervals, "end", "record intervals warnings", ""},
	{schema.Search, "search", "record version machine mode objective rank extents source max options", "threshold min_efficiency deadline whole_nodes points sweep"},
	{schema.Search, "candidate", "record grid processors mark step", "point mode execution_time efficiency cost abandoned_at error"},
	{schema.Search, "comparison", "record mode grid processors execution_time efficiency behind evaluated", "point partial"},
	{schema.Search, "pareto", "record grid processors execution_time", "point"},
	{schema.Search, "best", "record grid processors execution_time efficiency order", "point cost"},
	{schema.Search, "explanation", "record about text", "point"},
	{schema.Search, "bound", "processors value", ""},
	{schema.Search, "end", "record evaluated not_bad possible", "descent improved bound partial points"},
	{schema.Parts, "plan", "record version arguments inputs search cases", ""},
	{schema.Parts, "plan_input", "file sha256", ""},
	{schema.Parts, "case", "record case mode", "point grid"},
	{schema.Parts, "part", "record version part parts plan", ""},
	{schema.Parts, "outcome", "record case grid", "point execution_time efficiency abandoned_at error main warnings"},
	{schema.Parts, "times", characteristics, ""},
	{schema.Parts, "part_warning", "file line col code message", ""},
	{schema.Parts, "end", "record cases sha256", "outcomes"},
	{schema.Report, "report", "report version program machine grid processors source startup options warnings dropped_intervals diagnosis findings intervals", "measured exchanges"},
	{schema.Report, "finding", "id interval place saving share text advice", "lines"},
	{schema.Report, "interval", "id parent level type file line expr count processors operations " + characteristics, "pop classes lines"},
	{schema.Report, "sheet", "report version title sentences facts tables", ""},
	{schema.Report, "table", "name columns rows", ""},
	{schema.Search, "axis", "parameter values", "scale"},
	{schema.Search, "point", "record point changes", ""},
	{schema.Search, "changed", "what old new", ""},
	{schema.Search, "point_end", "record point evaluated not_bad possible", "descent improved bound partial error"},
	{schema.Search, "sensitivity", "record parameter seconds_per_percent check smooth share", "value"},
	{schema.Search, "break_even", "record parameter direction", "value factor at grid processors execution_time"},
}

// characteristics are the fields that records have had since version 1; to them come
// those that the list of characteristics has beside them.
var characteristics = more("efficiency execution_time total_time productive_time productive_cpu_time productive_sys_time io_time lost_time "+
	"insuff_parallelism insuff_parallelism_usr insuff_parallelism_sys communication communication_synch idle load_imbalance synchronization "+
	"time_variation overlap cpu_time sys_time io reduction shadow remote redistribution", interval.Characteristics())

// inner returns the characteristics that lines have.
func inner() []interval.Characteristic {
	return slices.DeleteFunc(slices.Clone(interval.Characteristics()), func(c interval.Characteristic) bool { return !c.Inner })
}

// more adds the names of a list to fields, those that are not there yet.
func more(fields string, list []interval.Characteristic) string {
	for _, c := range list {
		if !slices.Contains(strings.Fields(fields), c.Name) {
			fields += " " + c.Name
		}
	}
	return fields
}

func TestDocumentedFieldsAreRequired(t *testing.T) {
	for _, d := range documented {
		def := schematest.Definitions(t, d.schema)[d.def]
		required := []string{}
		list, _ := def["required"].([]any)
		for _, r := range list {
			required = append(required, r.(string))
		}
		slices.Sort(required)
		props, _ := def["properties"].(map[string]any)
		all := slices.Sorted(maps.Keys(props))
		want := strings.Fields(d.required)
		slices.Sort(want)
		if !slices.Equal(required, want) {
			t.Errorf("%s: %s requires %q, want %q", d.schema, d.def, required, want)
		}
		want = append(want, strings.Fields(d.optional)...)
		slices.Sort(want)
		if !slices.Equal(all, want) {
			t.Errorf("%s: %s has %q, want %q", d.schema, d.def, all, want)
		}
		if def["additionalProperties"] != false {
			t.Errorf("%s: %s allows other fields", d.schema, d.def)
		}
	}
}

func TestEveryFieldIsDescribed(t *testing.T) {
	for _, name := range schema.Names() {
		for def, d := range schematest.Definitions(t, name) {
			if d["description"] == nil {
				t.Errorf("%s: %s has no description", name, def)
			}
			props, _ := d["properties"].(map[string]any)
			for field, p := range props {
				s, _ := p.(map[string]any)["description"].(string)
				if s == "" {
					t.Errorf("%s: nothing says what %s of %s is", name, field, def)
				}
				timed := strings.HasSuffix(field, "_time") || field == "start" || field == "idle" || field == "communication"
				if timed && !strings.Contains(s, "seconds") {
					t.Errorf("%s: %s of %s has no unit: %s", name, field, def, s)
				}
			}
		}
	}
}

// Every function of the table lists its own parameters, and only functions
// that no trace shows may have others.
func TestEveryFunctionIsDescribed(t *testing.T) {
	then := schematest.Definitions(t, schema.Calls)["parameters"]["then"].(map[string]any)
	var all []any
	for _, group := range then["allOf"].([]any) {
		if then, ok := group.(map[string]any)["then"].(map[string]any); ok {
			all = append(all, then["allOf"].([]any)...)
		}
	}
	if want := len(libdvm.Functions()); len(all) != want {
		t.Fatalf("%d conditions, want %d", len(all), want)
	}
	for i := range libdvm.Functions() {
		f := &libdvm.Functions()[i]
		rule := all[i].(map[string]any)
		name := rule["if"].(map[string]any)["properties"].(map[string]any)["func"].(map[string]any)["const"]
		then := rule["then"].(map[string]any)
		if name != f.Name || then["description"] != f.Doc {
			t.Errorf("rule %d is of %v (%v), want %s (%s)", i, name, then["description"], f.Name, f.Doc)
		}
		for half, params := range map[string][]libdvm.Param{"args": f.Args, "ret": f.Ret} {
			s := then["properties"].(map[string]any)[half].(map[string]any)
			props, _ := s["properties"].(map[string]any)
			want := []string{}
			for _, p := range params {
				want = append(want, p.Key)
			}
			slices.Sort(want)
			if got := slices.Sorted(maps.Keys(props)); !slices.Equal(got, want) {
				t.Errorf("%s of %s has %q, want %q", half, f.Name, got, want)
			}
			if closed := s["additionalProperties"] == false; closed == f.Open {
				t.Errorf("%s of %s allows others: %v, want %v", half, f.Name, !closed, f.Open)
			}
		}
	}
}
