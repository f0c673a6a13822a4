package sim_test

import "testing"

// Weights of genblk_ on other numbers of coordinates than traced, and none at
// all. A loop of 10 s over 10 elements takes N_i seconds on processor i.
func TestBlockSizesOnOtherGrids(t *testing.T) {
	genblk := func(double, values string) func(*program) {
		return func(p *program) {
			p.call("genblk_", "0", "PSRefPtr=NULL; PSRef=0; AMViewRefPtr=10; AMViewRef=a1; AxisCount=1; DoubleSign="+double+"\n"+values, "0", " ")
		}
	}
	sizes := genblk("0", "AxisWeightAddr[0][0] = 7\nAxisWeightAddr[0][1] = 3")
	for _, c := range []struct {
		name  string
		procs int
		extra func(*program)
		want  []float64
	}{
		{"7 and 3 as traced", 2, sizes, []float64{7, 3}},
		// The bounds of the density are 7·2/3 = 4 2/3 and 7 + 3·1/3 = 8.
		{"7 and 3 on three", 3, sizes, []float64{4, 4, 2}},
		// Bounds at 3.5, 7 and 8.5.
		{"7 and 3 on four", 4, sizes, []float64{3, 4, 1, 2}},
		// Weights 14/3, 10/3 and 2 sum to 10 = N: b = 1, bounds at 4 and 8.
		{"weights 7 and 3 on three", 3, genblk("1", "AxisWeightAddr[0][0] = 7.0\nAxisWeightAddr[0][1] = 3.0"), []float64{4, 4, 2}},
		// A genblk_ without axes takes the weights back.
		{"removed", 2, func(p *program) {
			sizes(p)
			p.call("genblk_", "0", "PSRefPtr=NULL; PSRef=0; AMViewRefPtr=10; AMViewRef=a1; AxisCount=0; DoubleSign=0", "0", " ")
		}, []float64{5, 5}},
	} {
		p := newProgram(2)
		p.template([]int{10}, []int{1}, func() { c.extra(p) })
		p.loop([]int{10}, "10")
		got := cpu(t, simulate(t, c.name, p.end(), machineOf(t, bus), []int{c.procs}))
		for i := range c.want {
			if len(got) != len(c.want) || !near(got[i], c.want[i], 1e-12) {
				t.Errorf("%s: the processors work %v s, want %v", c.name, got, c.want)
				break
			}
		}
	}
}
