package report_test

import (
	"strings"
	"testing"

	"dvmtools/pkg/report"
)

// found reads the stream of a search.
func found(t testing.TB, stream string) *report.Search {
	t.Helper()
	s, err := report.ReadSearch("x", strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sweepStream is a sweep over one parameter that was ended on the third machine. On
// the first the widest grid is the best, on the second one processor.
const sweepStream = `{"record":"search","version":1,"machine":{"name":"hpc","processors":4,"search":0,"nodes":[]},"mode":2,"objective":"time","rank":1,"extents":[160],"source":["dir/<jac>.ptr"],"max":4,"points":3,"sweep":[{"parameter":"TStart","values":["1","100","10us"]}]}
{"record":"point","point":1,"changes":[{"what":"hpc.TStart","old":"5","new":"1"}]}
{"record":"candidate","point":1,"grid":[1],"processors":1,"mark":1,"step":1,"execution_time":0.5,"efficiency":1}
{"record":"candidate","point":1,"grid":[4],"processors":4,"mark":1,"step":2,"execution_time":0.2,"efficiency":0.625}
{"record":"pareto","point":1,"grid":[1],"processors":1,"execution_time":0.5}
{"record":"pareto","point":1,"grid":[4],"processors":4,"execution_time":0.2}
{"record":"best","point":1,"grid":[4],"processors":4,"execution_time":0.2,"efficiency":0.625,"order":"file"}
{"record":"point_end","point":1,"evaluated":2,"not_bad":3,"possible":4}
{"record":"point","point":2,"changes":[{"what":"hpc.TStart","old":"5","new":"100"}]}
{"record":"candidate","point":2,"grid":[1],"processors":1,"mark":1,"step":1,"execution_time":0.5,"efficiency":1}
{"record":"candidate","point":2,"grid":[2],"processors":2,"mark":1,"step":2,"abandoned_at":0.5}
{"record":"pareto","point":2,"grid":[1],"processors":1,"execution_time":0.5}
{"record":"best","point":2,"grid":[1],"processors":1,"execution_time":0.5,"efficiency":1,"order":"file"}
{"record":"point_end","point":2,"evaluated":2,"not_bad":3,"possible":4}
{"record":"point","point":3,"changes":[{"what":"hpc.TStart","old":"5","new":"10"}]}
{"record":"point_end","point":3,"evaluated":0,"not_bad":3,"possible":4,"partial":true,"error":"no grid was tried"}
{"record":"end","evaluated":4,"not_bad":9,"possible":12,"partial":true,"points":3}
`

// crossStream is a sweep over two parameters, of which the last varies fastest.
const crossStream = `{"record":"search","version":1,"machine":{"name":"hpc","processors":4,"search":0,"nodes":[]},"mode":2,"objective":"time","rank":1,"extents":[160],"source":["jac.ptr"],"max":4,"points":4,"sweep":[{"parameter":"TStart","values":["1","100"]},{"parameter":"power","scale":true,"values":["1","2"]}]}
{"record":"point","point":1,"changes":[]}
{"record":"best","point":1,"grid":[4],"processors":4,"execution_time":0.2,"efficiency":0.6,"order":"file"}
{"record":"point_end","point":1,"evaluated":3,"not_bad":3,"possible":4}
{"record":"point","point":2,"changes":[]}
{"record":"best","point":2,"grid":[2],"processors":2,"execution_time":0.15,"efficiency":0.7,"order":"file"}
{"record":"point_end","point":2,"evaluated":3,"not_bad":3,"possible":4}
{"record":"point","point":3,"changes":[]}
{"record":"best","point":3,"grid":[2],"processors":2,"execution_time":0.4,"efficiency":0.6,"order":"file"}
{"record":"point_end","point":3,"evaluated":3,"not_bad":3,"possible":4}
{"record":"point","point":4,"changes":[]}
{"record":"best","point":4,"grid":[1],"processors":1,"execution_time":0.25,"efficiency":1,"order":"file"}
{"record":"point_end","point":4,"evaluated":3,"not_bad":3,"possible":4}
{"record":"end","evaluated":12,"not_bad":12,"possible":16,"points":4}
`

// variedStream is [searchStream] with other values of the parameters, ended early.
var variedStream = strings.Replace(strings.Replace(searchStream, `"possible":8}`, `"possible":8,"partial":true}`, 1), `{"record":"end"`,
	`{"record":"sensitivity","parameter":"hpc.TStart","value":"2","seconds_per_percent":9.2e-7,"check":9.1e-7,"smooth":false,"share":0.0017}
{"record":"sensitivity","parameter":"power","seconds_per_percent":-0.0025,"check":-0.0025,"smooth":true,"share":-0.98}
{"record":"break_even","parameter":"power","direction":"more","factor":51.168,"at":"51.168","grid":[2,1],"processors":2,"execution_time":0.002}
{"record":"break_even","parameter":"power","direction":"less"}
{"record":"end"`, 1)

func TestSweep(t *testing.T) {
	for name, stream := range map[string]string{"sweep": sweepStream, "sweep-cross": crossStream, "search-varied": variedStream} {
		golden(t, name+".txt", sheet(t, found(t, stream).Sheet(), report.Text))
		for n := range len(stream) {
			if _, err := report.ReadSearch("x", strings.NewReader(stream[:n])); err == nil {
				t.Fatalf("%s: cut after %d bytes it is read", name, n)
			}
		}
	}
	short := strings.Replace(strings.Replace(sweepStream, `"points":3,"sweep"`, `"points":4,"sweep"`, 1), `"10us"]`, `"10us","1000"]`, 1)
	if text := sheet(t, found(t, short).Sheet(), report.Text); !strings.Contains(text, "3 of 4 machines were searched on.") {
		t.Errorf("a sweep that was ended before its last machine:\n%s", text)
	}
	page := sheet(t, found(t, sweepStream).Sheet(), report.HTML)
	// Not all values are numbers: they have equal distances, and their own labels.
	for _, want := range []string{"4 at TStart = 1: 200.0 ms", "1 at TStart = 100: 500.0 ms", ">10us</text>", ">TStart</text>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}

// What no sweep can be is refused with its place.
func TestBadSweeps(t *testing.T) {
	for name, stream := range map[string]string{
		"more machines than values": strings.Replace(sweepStream, `"points":3,`, `"points":4,`, 1),
		"no values":                 strings.Replace(sweepStream, `"values":["1","100","10us"]`, `"values":[]`, 1),
		"no parameters":             strings.Replace(sweepStream, `,"sweep":[{"parameter":"TStart","values":["1","100","10us"]}]`, "", 1),
		"a grid before its machine": strings.Replace(sweepStream, `"candidate","point":1`, `"candidate","point":2`, 1),
		"a grid of no machine":      strings.Replace(sweepStream, `"candidate","point":1,`, `"candidate",`, 1),
		"too many machines":         strings.Replace(sweepStream, `{"record":"end"`, `{"record":"point","point":4,"changes":[]}`+"\n"+`{"record":"end"`, 1),
		"a machine without a sweep": strings.Replace(searchStream, `{"record":"end"`, `{"record":"point","point":1,"changes":[]}`+"\n"+`{"record":"end"`, 1),
	} {
		if _, err := report.ReadSearch("x", strings.NewReader(stream)); err == nil || !strings.HasPrefix(err.Error(), "x:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
