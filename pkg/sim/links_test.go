package sim_test

import (
	"fmt"
	"os"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
	"dvmtools/pkg/units"
)

// linked returns a machine of n processors of some power on links.
func linked(t testing.TB, n int64, power float64, links ...machine.Link) *machine.Machine {
	t.Helper()
	for i := range links {
		links[i].ID = int64(i + 1)
	}
	m := &machine.Machine{Name: "linked", Root: machine.NewCluster("linked", machine.Medium{}, machine.Group{Count: n, Node: machine.NewProcessor("p", power)}), Network: &machine.Network{ID: 1, Links: links}}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return m
}

// row returns lines from each of n processors to the next, so that every pair
// has one way.
func row(n int, latency units.Seconds, speed units.SecPerByte) (links []machine.Link) {
	for p := int32(1); p < int32(n); p++ {
		links = append(links, machine.Link{Latency: latency, Speed: speed, Ends: []int32{p - 1, p}})
	}
	return links
}

// oneBus returns a bus between n processors, with the times of the machine
// called bus.
func oneBus(n int) machine.Link {
	l := machine.Link{Latency: 75e-6, Speed: 0.2e-6}
	for p := range n {
		l.Ends = append(l.Ends, int32(p))
	}
	return l
}

// All traces are simulated on the machine of all sections, with every model
// and on each of its topologies of four processors.
func TestParasolMachineOnEveryTrace(t *testing.T) {
	text, err := os.ReadFile("../../testdata/machines/sparc.mach")
	if err != nil {
		t.Fatal(err)
	}
	f, list := parasol.Parse("sparc.mach", text)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	pm := f.Machine()
	var machines []*machine.Machine
	for _, id := range []int64{1, 2} {
		for _, model := range parasol.Models() {
			m, err := pm.Target(parasol.TargetOptions{Topology: pm.Topology(id), Model: model})
			if err != nil {
				t.Fatal(err)
			}
			machines = append(machines, m)
		}
	}
	grids := [][]int{{2, 2}, {4}, {3}}
	for i, path := range testtraces.Programs(t) {
		// The first of the machines is that of --topology-id 1 --model mpi.
		b := testtraces.Text(t, path)
		for _, k := range []int{2, i % len(machines)} {
			grid := grids[0]
			if k == i%len(machines) {
				grid = grids[i%len(grids)]
			}
			name := fmt.Sprintf("%s on topology %d, %s, %v", path, machines[k].Network.ID, machines[k].Network.Model, grid)
			r, err := run(t, path, b, machines[k], grid)
			if tooWide(err) {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkAccounts(t, name, r)
		}
	}
}

// A bus as the only link gives what a machine of media with an ethernet gives,
// pipelines included.
func TestBusLinkIsEthernet(t *testing.T) {
	ether := machineOf(t, bus)
	for _, path := range testtraces.Sample(t) {
		b := testtraces.Text(t, path)
		for _, grid := range [][]int{{1}, {3}, {2, 2}, {2, 2, 2}} {
			want, err := run(t, path, b, ether, grid)
			if tooWide(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			sameResult(t, fmt.Sprintf("%s on %v", path, grid), want, simulate(t, path, b, linked(t, 8, 1, oneBus(8)), grid))
		}
	}
}

// The laws hold on links: the accounts and L4 everywhere, L6 where every pair
// of processors has one way.
func TestLawsOnLinks(t *testing.T) {
	for _, path := range testtraces.Sample(t) {
		b := testtraces.Text(t, path)
		one := simulate(t, path, b, linked(t, 1, 1), []int{1})
		want, lines := tracedTime(t, b)
		if got := float64(one.ExecutionTime()); !near(got, want, 1e-12*float64(lines)) {
			t.Errorf("L1: %s: %.17g s predicted, %.17g s traced", path, got, want)
		}
		for _, grid := range [][]int{{4}, {2, 2}, {5}} {
			name := fmt.Sprintf("%s on %v", path, grid)
			r, err := run(t, path, b, linked(t, 5, 1, row(5, 75e-6, 0.2e-6)...), grid)
			if tooWide(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			checkAccounts(t, name, r)
			twice := simulate(t, path, b, linked(t, 5, 2, row(5, 75e-6, 0.2e-6)...), grid)
			free := simulate(t, path, b, linked(t, 5, 1, row(5, 0, 0)...), grid)
			for i, iv := range r.Intervals() {
				if w := one.Intervals()[i]; !tasks(b) && (!near(float64(iv.ProductiveCPUTime), float64(w.ProductiveCPUTime), 1e-9) || !near(float64(iv.ProductiveSYSTime), float64(w.ProductiveSYSTime), 1e-9)) {
					t.Errorf("L4: %s: interval %d: productive CPU %g, SYS %g; on one processor %g, %g", name, iv.ID, iv.ProductiveCPUTime, iv.ProductiveSYSTime, w.ProductiveCPUTime, w.ProductiveSYSTime)
				}
				if w := twice.Intervals()[i]; !near(float64(iv.CPUTime), 2*float64(w.CPUTime), 1e-9) || !near(float64(iv.SYSTime), 2*float64(w.SYSTime), 1e-9) {
					t.Errorf("L6: %s: interval %d: CPU %g, SYS %g; with twice the power %g, %g", name, iv.ID, iv.CPUTime, iv.SYSTime, w.CPUTime, w.SYSTime)
				}
				if w := free.Intervals()[i]; !near(float64(w.Communication), float64(w.CommunicationSynch), 1e-9) || !near(float64(w.Communication), float64(w.Synchronization), 1e-9) {
					t.Errorf("L6: %s: interval %d on free links: communication %g, real synchronization %g, synchronization %g", name, w.ID, w.Communication, w.CommunicationSynch, w.Synchronization)
				}
			}
			if tasks(b) || pipelines(b) {
				continue
			}
			better := map[string]*machine.Machine{"twice the power": linked(t, 5, 2, row(5, 75e-6, 0.2e-6)...), "a faster link": nil, "less latency": linked(t, 5, 1, row(5, 60e-6, 0.2e-6)...)}
			links := row(5, 75e-6, 0.2e-6)
			links[1].Speed /= 3
			better["a faster link"] = linked(t, 5, 1, links...)
			for what, m := range better {
				if q := simulate(t, path, b, m, grid).ExecutionTime(); q > r.ExecutionTime()*(1+1e-9) {
					t.Errorf("L6: %s: %g s, with %s %g s", name, r.ExecutionTime(), what, q)
				}
			}
		}
	}
}

// The creation time comes before the program, on every processor whatever its
// power, and none of it is productive.
func TestCreationTime(t *testing.T) {
	const path = "single/f02_heat3d.ptr.zst"
	b := testtraces.Text(t, path)
	m := linked(t, 4, 2, row(4, 75e-6, 0.2e-6)...)
	before := simulate(t, path, b, m, []int{4})
	m.Network.Creation = 0.25
	after := simulate(t, path, b, m, []int{4})
	a, z := before.Intervals()[0], after.Intervals()[0]
	for _, c := range []struct {
		what string
		more units.Seconds
		want float64
	}{
		{"execution time", z.ExecutionTime - a.ExecutionTime, 0.25},
		{"SYS time", z.SYSTime - a.SYSTime, 1},
		{"insufficient parallelism of SYS", z.InsuffParallelismSYS - a.InsuffParallelismSYS, 1},
		{"productive time", z.ProductiveTime - a.ProductiveTime, 0},
		{"communication", z.Communication - a.Communication, 0},
	} {
		if !near(float64(c.more), c.want, 1e-12) && (c.want != 0 || float64(c.more) > 1e-12) {
			t.Errorf("%s grows by %v s, want %v", c.what, float64(c.more), c.want)
		}
	}
	checkAccounts(t, path, after)
}
