package sim_test

import "testing"

// The time before a program's first call is its start: 40 ms, which take 80 ms
// on a processor of half the power. Later times are the program's own, and
// what passes in the first call is too.
func TestStartup(t *testing.T) {
	p := newProgram(2)
	p.call("bsloop_", "0.04", "nfrag=-1;", "0.001", " ")
	p.call("begbl_", "0.3", " ", "0", " ")
	text := p.end()
	for powers, want := range map[string]float64{"p": 40e-3, "p, 1 x half": 80e-3} {
		m := machineOf(t, "cluster = c; c = {1 x "+powers+"}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0; half = 0.5;")
		grid := []int{int(m.Processors())}
		if got := float64(simulate(t, powers, text, m, grid).Header().Startup); !near(got, want, 1e-15) {
			t.Errorf("%s: the start takes %v s, expected %v", powers, got, want)
		}
	}
}
