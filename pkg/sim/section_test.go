package sim_test

import (
	"fmt"
	"strings"
	"testing"
)

// task runs a task of the given time on a section of the root.
func (p *program) task(index, first, last int, time string) {
	p.call("crtps_", "0", fmt.Sprintf("PSRefPtr=NULL; PSRef=0; StaticSign=0;\n%s\n%s", vector("InitIndexArray", first), vector("LastIndexArray", last)), "0", fmt.Sprintf("PSRef=51%d;", index))
	p.call("getamr_", "0", "AMViewRefPtr=10; AMViewRef=a1;\n"+vector("IndexArray", index), "0", fmt.Sprintf("AMRef=52%d;", index))
	p.call("mapam_", "0", fmt.Sprintf("AMRefPtr=13; AMRef=52%d; PSRefPtr=14; PSRef=51%d;", index, index), "0", " ")
	p.call("runam_", "0", fmt.Sprintf("AMRefPtr=13; AMRef=52%d;", index), "0", "Run=1;")
	p.call("stopam_", time, " ", "0", " ")
}

// Tasks of 3 s and 2 s on 0..0 and 1..3 of 4 traced processors share no
// processor of 2 or more, so that they last 3 s together; on 1 they take 5 s.
func TestSectionsOnOtherGrids(t *testing.T) {
	p := newProgram(4)
	p.call("crtamv_", "0", "AMRefPtr=NULL; AMRef=0; Rank=1; StaticSign=0;\n"+vector("SizeArray", 2), "0", "AMViewRef=a1;")
	p.task(0, 0, 0, "3")
	p.task(1, 1, 3, "2")
	text := p.end()
	for grid, want := range map[int]float64{1: 5, 2: 3, 3: 3, 4: 3, 5: 3, 8: 3} {
		r := simulate(t, "tasks", text, machineOf(t, bus), []int{grid})
		if got := float64(r.ExecutionTime()); !near(got, want, 1e-12) {
			t.Errorf("on %d processors the tasks take %v s, want %v", grid, got, want)
		}
	}
}

// A runam_ that states no Run enters its task, as in the traces of the design
// (R appendix 5): two tasks of 3 s and 2 s on halves of the grid last 3 s. One
// that states Run=0 has no stopam_ and what follows is done by all.
func TestTaskWithoutRun(t *testing.T) {
	p := newProgram(4)
	p.call("crtamv_", "0", "AMRefPtr=NULL; AMRef=0; Rank=1; StaticSign=0;\n"+vector("SizeArray", 2), "0", "AMViewRef=a1;")
	p.task(0, 0, 1, "3")
	p.task(1, 2, 3, "2")
	text := strings.ReplaceAll(string(p.end()), "Run=1;", " ")
	r := simulate(t, "tasks", []byte(text), machineOf(t, bus), []int{4})
	if got := float64(r.ExecutionTime()); !near(got, 3, 1e-12) {
		t.Errorf("the tasks take %v s, want 3", got)
	}
	p = newProgram(4)
	p.call("runam_", "0", "AMRefPtr=13; AMRef=0;", "0", "Run=0;")
	p.call("begbl_", "1", " ", "0", " ")
	r = simulate(t, "no task", p.end(), machineOf(t, bus), []int{4})
	if got := float64(r.ExecutionTime()); !near(got, 1, 1e-12) {
		t.Errorf("a task that was not entered takes %v s, want 1", got)
	}
}
