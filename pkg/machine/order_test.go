package machine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
)

// parsed returns the machine of a description in the 2010 form.
func parsed(t *testing.T, text string) *machine.Machine {
	t.Helper()
	m, list := par.Parse("m.par", []byte(text))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// places returns the numbers in the description of all processors.
func places(m *machine.Machine) []int64 {
	var all []int64
	for p := range m.Processors() {
		all = append(all, m.Place(p))
	}
	return all
}

// Two nodes of two slow processors, one fast processor beside them, and a node of
// three of middling power: 0 1 | 2 3 | 4 | 5 6 7.
const uneven = `cluster = c; c = {2 x n, f, w}; c.CommType = ethernet; c.TStart = 10; c.TByte = 1;
n = {2 x s}; n.CommType = ethernet; n.TStart = 1; n.TByte = 1; w = {3 x m}; w.CommType = ethernet; w.TStart = 2; w.TByte = 1;
s = 1; m = 2; f = 3;`

func TestOrders(t *testing.T) {
	flat := "cluster = c; c = {2 x s, 2 x f, s}; c.CommType = ethernet; c.TStart = 10; c.TByte = 1; s = 1; f = 2;"
	for _, c := range []struct {
		text  string
		order machine.Order
		want  string
	}{
		{uneven, machine.InFile, "[0 1 2 3 4 5 6 7]"},
		{uneven, machine.Fastest, "[4 5 6 7 0 1 2 3]"},
		{uneven, machine.Cyclic, "[0 2 4 5 1 3 6 7]"},
		{flat, machine.Fastest, "[2 3 0 1 4]"},
		{flat, machine.Cyclic, "[0 1 2 3 4]"},
	} {
		file := parsed(t, c.text)
		m, err := file.Ordered(c.order)
		if err != nil {
			t.Fatal(err)
		}
		got := places(m)
		if fmt.Sprint(got) != c.want || m.Order() != c.order {
			t.Errorf("%s: %v as %s, want %s", c.order, got, m.Order(), c.want)
		}
		if file.Order() != machine.InFile || file.Scattered() {
			t.Errorf("%s: the machine itself was changed", c.order)
		}
		// All that a machine says about numbers is what it says about places.
		power := machine.Powers(m.PowerRuns(m.Processors()))
		for p := range m.Processors() {
			if m.Power(p) != file.Power(got[p]) || power[p] != m.Power(p) || m.MaxPower(p+1) != slices.Max(power[:p+1]) {
				t.Errorf("%s: processor %d has power %g, the runs say %g, the largest so far is %g", c.order, p, m.Power(p), power[p], m.MaxPower(p+1))
			}
			if !slices.Equal(m.Path(p), file.Path(got[p])) {
				t.Errorf("%s: the path of processor %d differs from that of %d", c.order, p, got[p])
			}
			for q := range m.Processors() {
				a, first, depth := m.Lowest(p, q)
				b, first2, depth2 := file.Lowest(got[p], got[q])
				if a != b || first != first2 || depth != depth2 {
					t.Errorf("%s: processors %d and %d meet in %s, their places in %s", c.order, p, q, a.Name, b.Name)
				}
			}
		}
		back, err := m.Ordered(machine.InFile)
		if err != nil || !back.Equal(file) || m.Equal(file) != (c.order == machine.InFile) {
			t.Errorf("%s: back in the order of the file the machine is another, %v", c.order, err)
		}
		if i := m.Ideal(); !slices.Equal(places(i), got) {
			t.Errorf("%s: the ideal machine has the processors %v", c.order, places(i))
		}
	}
}

func TestHome(t *testing.T) {
	m := parsed(t, uneven)
	var got []string
	for p := range m.Processors() {
		h := m.Home(p)
		got = append(got, fmt.Sprintf("%s%d", h.Node.Name, h.First))
	}
	if text := strings.Join(got, " "); text != "n0 n0 n2 n2 f4 w5 w5 w5" {
		t.Errorf("the nodes of the processors are %s", text)
	}
}

func TestOrderErrors(t *testing.T) {
	m := parsed(t, uneven)
	if _, err := m.Ordered("random"); err == nil || !strings.Contains(err.Error(), `found order "random", expected one of`) {
		t.Errorf("an unknown order: %v", err)
	}
	// As many processors as one likes are no hindrance where the order is clear.
	big := parsed(t, "cluster = c; c = {500000000 x s}; c.CommType = ethernet; c.TStart = 10; c.TByte = 1; s = 1;")
	for _, o := range machine.Orders() {
		if b, err := big.Ordered(o); err != nil || b.Scattered() {
			t.Errorf("%s: %v", o, err)
		}
	}
	big = parsed(t, "cluster = c; c = {500000000 x s, f}; c.CommType = ethernet; c.TStart = 10; c.TByte = 1; s = 1; f = 2;")
	if _, err := big.Ordered(machine.Fastest); err == nil || !strings.Contains(err.Error(), "expected at most 16777216") {
		t.Errorf("too many processors: %v", err)
	}
}
