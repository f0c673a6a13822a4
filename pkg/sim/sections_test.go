package sim_test

import (
	"context"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/sim"
)

// twoTasks is a program traced on one processor: tasks of 1 s and 2 s of work
// that is not distributed, on sections of which the trace says 0..0.
func twoTasks() []byte {
	p := newProgram(1)
	p.call("psview_", "0", "PSRefPtr=NULL; PSRef=0; Rank=1; StaticSign=0;\nSizeArray[0]=1;", "0", "PSRef=f0;")
	p.call("crtamv_", "0", "AMRefPtr=NULL; AMRef=0; Rank=1; StaticSign=0;\nSizeArray[0]=2;", "0", "AMViewRef=a1;")
	section := func(line, handle, machine string) {
		lines := "call_crtps_ TIME=0 LINE=" + line + " FILE=a.fdv\nPSRefPtr=10; PSRef=f0; StaticSign=0;\nInitIndexArray[0]=0;\nLastIndexArray[0]=0;\nret_crtps_ TIME=0 LINE=" + line + " FILE=a.fdv\nPSRef=" + handle + ";\n"
		p.b.WriteString(lines)
		p.call("getamr_", "0", "AMViewRefPtr=10; AMViewRef=a1;\nIndexArray[0]="+machine+";", "0", "AMRef=b"+machine+";")
		p.call("mapam_", "0", "AMRefPtr=10; AMRef=b"+machine+"; PSRefPtr=10; PSRef="+handle+";", "0", " ")
	}
	section("16", "f1", "0")
	section("17", "f2", "1")
	for _, task := range []struct{ machine, time string }{{"b0", "1"}, {"b1", "2"}} {
		p.call("runam_", "0", "AMRefPtr=10; AMRef="+task.machine+";", "0", "Run=1;")
		p.call("tstio_", task.time, " ", "0", "Res=1;")
		p.call("stopam_", "0", " ", "0", " ")
	}
	return p.end()
}

// A trace of one processor does not know its sections: its tasks run one after
// the other on all processors, 1 + 2 = 3 s, and a warning says what to do. With
// sections given, halves of 4, they run beside each other on 4, 8 and 2
// processors, 2 s; on 3 the first has processor 0 and 1 (2 * 3/4 = 1.5, half
// up), the second processor 2; on 1 both have the one there is.
func TestSectionsOfATraceOfOneProcessor(t *testing.T) {
	text := twoTasks()
	on := func(n int, sections string) *sim.Result {
		t.Helper()
		opts := sim.Defaults()
		opts.Sections = sections
		r, err := sim.Run(context.Background(), sim.Config{Machine: machineOf(t, bus), Grid: []int{n}, Options: opts}, source(t, "a.ptr", text))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const halves = "16=0-1/4,17=2-3/4"
	for _, c := range []struct {
		n        int
		sections string
		want     float64
		warnings int
	}{{4, "", 3, 1}, {1, "", 3, 0}, {4, halves, 2, 0}, {8, halves, 2, 0}, {2, halves, 2, 0}, {3, halves, 2, 0}, {1, halves, 3, 0}} {
		r := on(c.n, c.sections)
		if got := float64(r.ExecutionTime()); got != c.want {
			t.Errorf("%d processors, sections %q: %v s, want %v", c.n, c.sections, got, c.want)
		}
		if len(r.Warnings) != c.warnings || c.warnings > 0 && !strings.Contains(r.Warnings[0].Error(), "(IsUserPS=1 and UserPS=4, for one), or say --sections 16=FIRST-LAST/N,17=FIRST-LAST/N with") {
			t.Errorf("%d processors, sections %q: warnings %v, want %d", c.n, c.sections, r.Warnings, c.warnings)
		}
		if o := r.Header().Options.Sections; o != c.sections {
			t.Errorf("the header says the sections %q, want %q", o, c.sections)
		}
	}
	// Each processor works for its own task alone.
	var works []float64
	if err := on(4, halves).Processors(0, sim.Each, func(p *interval.Processor) error {
		works = append(works, float64(p.CPUTime))
		return nil
	}); err != nil || len(works) != 4 || works[0] != 1 || works[1] != 1 || works[2] != 2 || works[3] != 2 {
		t.Errorf("the processors work %v s, %v", works, err)
	}
	opts := sim.Defaults()
	opts.Sections = "18=0-1/4"
	_, err := sim.Run(context.Background(), sim.Config{Machine: machineOf(t, bus), Grid: []int{4}, Options: opts}, source(t, "a.ptr", text))
	if err == nil || err.Error() != "sections are given for line 18, expected lines of crtps_ calls; those of the trace are at 16, 17" {
		t.Errorf("error %v", err)
	}
}

// f09_tasks traced on one processor, with the sections that the run on four
// processors had: each of its tasks runs on two of them.
func TestSectionsOfARealTrace(t *testing.T) {
	b := testtraces.Text(t, "single/f09_tasks.ptr.zst")
	opts := sim.Defaults()
	run := func(sections string) *sim.Result {
		opts.Sections = sections
		r, err := sim.Run(context.Background(), sim.Config{Machine: machineOf(t, bus), Grid: []int{4}, Options: opts}, source(t, "f09.ptr", b))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := run(""); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Error(), "--sections 16=FIRST-LAST/N,17=FIRST-LAST/N") {
		t.Errorf("warnings %v", r.Warnings)
	}
	r := run("16=0-1/4,17=2-3/4")
	if len(r.Warnings) != 0 {
		t.Errorf("warnings %v", r.Warnings)
	}
	// The loops of the tasks are intervals at lines 23 and 31.
	for _, iv := range r.Intervals() {
		if (iv.Line == 23 || iv.Line == 31) && iv.Processors != 2 {
			t.Errorf("interval at line %d has %d processors, want 2", iv.Line, iv.Processors)
		}
	}
}
