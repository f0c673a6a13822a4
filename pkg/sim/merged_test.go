package sim_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine"
)

// mergedRuns merges the runs of several processes in testdata.
func mergedRuns(t testing.TB) map[string][]byte {
	t.Helper()
	runs := map[string][]byte{}
	for _, run := range testtraces.SampleRuns(t) {
		runs[run.Name] = testtraces.Merged(t, run)
	}
	return runs
}

// Every merged run simulates on every grid, each on one of the machines, and the
// large trace on two grids; the one permitted fault is a shadow edge wider than a
// block. That every trace of one process simulates is part of the tests of the
// laws.
func TestEverythingSimulates(t *testing.T) {
	all := mergedRuns(t)
	if !effort.Race {
		all["f11_big"] = testtraces.Text(t, "large/f11_big.ptr.zst")
	}
	machines := []*machine.Machine{machineOf(t, bus), machineOf(t, mixed), machineOf(t, tree)}
	wide := 0
	for name, b := range all {
		grids := [][]int{{1}, {2}, {4}, {2, 2}, {4, 4}, {8, 8}, {16}, {5, 3}, {2, 2, 2}}
		if name == "f11_big" {
			grids = [][]int{{1}, {4, 4}}
		}
		for i, grid := range grids {
			if effort.Race && i%3 != 0 {
				continue
			}
			if _, err := run(t, name, b, machines[(i+len(name))%len(machines)], grid); err != nil {
				if !tooWide(err) {
					t.Errorf("%s on %v: %v", name, grid, err)
				}
				wide++
			}
		}
	}
	t.Logf("%d traces; %d simulations ended at a shadow edge wider than a block", len(all), wide)
	if wide > 30 {
		t.Errorf("%d simulations were refused", wide)
	}
}

// The laws hold on merged runs too.
func TestLawsOnMergedRuns(t *testing.T) {
	m, mm := machineOf(t, bus), machineOf(t, mixed)
	for name, b := range mergedRuns(t) {
		want, lines := tracedTime(t, b)
		if got := float64(simulate(t, name, b, m, []int{1}).ExecutionTime()); !near(got, want, 1e-12*float64(lines)) {
			t.Errorf("L1: %s: %.17g s predicted, %.17g s traced", name, got, want)
		}
		for _, grid := range [][]int{{2}, {2, 2}, {3, 5}} {
			for _, mach := range []struct {
				name string
				text string
			}{{"bus", bus}, {"mixed", mixed}} {
				use := m
				if mach.name == "mixed" {
					use = mm
				}
				r, err := run(t, name, b, use, grid)
				if err != nil {
					if !tooWide(err) {
						t.Errorf("%s on %v: %v", name, grid, err)
					}
					continue
				}
				checkAccounts(t, fmt.Sprintf("%s on %v (%s)", name, grid, mach.name), r)
			}
		}
	}
}

// The programs whose loops do real work run faster on two processors of a
// machine with a good network, and so do their merged two-process traces.
func TestComputingProgramsGainFromASecondProcessor(t *testing.T) {
	src, err := os.ReadFile("../../testdata/machines/cluster.par")
	if err != nil {
		t.Fatal(err)
	}
	m := machineOf(t, string(src))
	for _, name := range []string{"jac", "heat3", "sor", "gauss", "mixed"} {
		for what, b := range map[string][]byte{name: testtraces.Text(t, "compute/"+name+".ptr.zst"), name + " merged": testtraces.MergedRun(t, name+"_p2")} {
			one, two := simulate(t, name, b, m, []int{1}).ExecutionTime(), simulate(t, name, b, m, []int{2}).ExecutionTime()
			if two >= one {
				t.Errorf("%s: %v s on one processor, %v s on two", what, one, two)
			}
			t.Logf("%s: %.4f s on one, %.4f s on two", what, one, two)
		}
	}
}

// f09_tasks with its loops made longer, as traced on four processes: its two
// tasks have a half of the processors each, run side by side, and the program
// gets faster with every doubling. Were they to run one after the other, two
// processors would gain nothing.
func TestTasksRunSideBySide(t *testing.T) {
	loop := regexp.MustCompile(`(?m)^(call_dopl_ +TIME=)([0-9.]+)(.*\n.*\nret_dopl_.*\nDoPL=0)`)
	b := loop.ReplaceAllFunc(testtraces.MergedRun(t, "f09_tasks_p4x1"), func(m []byte) []byte {
		parts := loop.FindSubmatch(m)
		x, err := strconv.ParseFloat(string(parts[2]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Appendf(nil, "%s%.8f%s", parts[1], x*1e5, parts[3])
	})
	src, err := os.ReadFile("../../testdata/machines/cluster.par")
	if err != nil {
		t.Fatal(err)
	}
	m := machineOf(t, string(src))
	prev := 0.0
	for _, p := range []int{1, 2, 4, 8} {
		got := float64(simulate(t, "f09", b, m, []int{p}).ExecutionTime())
		if p > 1 && got > 0.7*prev {
			t.Errorf("%v s on %d processors, %v s on half as many", got, p, prev)
		}
		prev = got
	}
}
