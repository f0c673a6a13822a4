package machine_test

import (
	"strings"
	"testing"

	"dvmtools/pkg/machine"
)

// changeable returns a machine with two media and two powers.
func changeable(t *testing.T) *machine.Machine {
	t.Helper()
	slow, fast := machine.NewProcessor("slow", 0.5), machine.NewProcessor("fast", 2)
	node := machine.NewCluster("node", machine.Medium{Kind: machine.Myrinet, Channels: 2, TStart: 1e-6, TByte: 1e-9},
		machine.Group{Count: 1, Node: slow}, machine.Group{Count: 1, Node: fast})
	m, err := machine.New(machine.NewCluster("all", machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 7e-6, TByte: 4e-9}, machine.Group{Count: 2, Node: node}))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		change string
		check  func(all, node, slow, fast *machine.Node) bool
		moved  int
	}{
		// Microseconds in the change, seconds in the machine: the nearest ones.
		{"all.TStart=0.3", func(a, n, s, f *machine.Node) bool { return a.Medium.TStart == 3e-7 && n.Medium.TStart == 1e-6 }, 1},
		{"all.TByte = 7e-1", func(a, n, s, f *machine.Node) bool { return a.Medium.TByte == 7e-7 }, 1},
		{"node.Channels=4", func(a, n, s, f *machine.Node) bool { return n.Medium.Channels == 4 }, 1},
		{"slow=4", func(a, n, s, f *machine.Node) bool { return s.Power == 4 && f.Power == 2 }, 1},
		{"slow.power=4", func(a, n, s, f *machine.Node) bool { return s.Power == 4 && f.Power == 2 }, 1},
		{"power=4", func(a, n, s, f *machine.Node) bool { return s.Power == 4 && f.Power == 4 }, 2},
		{"scale power=2", func(a, n, s, f *machine.Node) bool { return s.Power == 1 && f.Power == 4 }, 2},
		{"scale fast=0.5", func(a, n, s, f *machine.Node) bool { return s.Power == 0.5 && f.Power == 1 }, 1},
		{"start time=2", func(a, n, s, f *machine.Node) bool { return a.Medium.TStart == 2e-6 && n.Medium.TStart == 2e-6 }, 2},
		{"scale TStart=2", func(a, n, s, f *machine.Node) bool { return a.Medium.TStart == 14e-6 && n.Medium.TStart == 2e-6 }, 2},
		{"node.CommType=myrinet (4)", func(a, n, s, f *machine.Node) bool {
			return n.Medium == machine.Medium{Kind: machine.Myrinet, Channels: 4, TStart: 1e-6, TByte: 1e-9}
		}, 1},
		{"node.CommType = Myrinet", func(a, n, s, f *machine.Node) bool { return n.Medium.Channels == 2 }, 1},
		{"CommType=ethernet", func(a, n, s, f *machine.Node) bool {
			return n.Medium.Kind == machine.Ethernet && n.Medium.Channels == 1 && a.Medium.Kind == machine.Ethernet
		}, 2},
		{"all.CommType=transputer", func(a, n, s, f *machine.Node) bool {
			return a.Medium == machine.Medium{Kind: machine.Transputer, TStart: 7e-6, TByte: 4e-9}
		}, 1},
		{"scale all.TByte=0.5", func(a, n, s, f *machine.Node) bool { return a.Medium.TByte == 2e-9 && n.Medium.TByte == 1e-9 }, 1},
	} {
		m := changeable(t)
		moved, err := m.Apply(parseChange(t, c.change))
		nodes := m.Nodes()
		if err != nil || len(moved) != c.moved || !c.check(nodes[0], nodes[1], nodes[2], nodes[3]) {
			t.Errorf("%s: %v, %v", c.change, moved, err)
		}
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", c.change, err)
		}
	}
}

// TestApplyRefused has changes that match no parameter or are out of range: they
// change nothing.
func TestApplyRefused(t *testing.T) {
	m := changeable(t)
	for change, message := range map[string]string{
		"al.TStart=1":                `expected one of all.CommType, node.CommType, all.TStart, all.TByte, node.TStart, node.TByte, node.Channels, slow.power, fast.power, or TStart, TByte, CommType or power for all; did you mean "all.TStart"?`,
		"all.Channels=1":             "found no parameter",
		"slow.CommType=ethernet":     "found no parameter",
		"all.CommType=token ring":    `found medium "token ring", expected one of [ethernet `,
		"all.CommType=myrinet":       "expected its number of channels too",
		"CommType=myrinet":           "expected its number of channels too",
		"all.CommType=myrinet (0)":   `expected "myrinet(N)" with N from 1 to`,
		"all.CommType=myrinet (2":    `expected "myrinet(N)" with N from 1 to`,
		"all.CommType=ethernet (2)":  "it has no channels to choose",
		"scale all.CommType=2":       "it is no number",
		"all.TStart=-1":              "neither 0 nor between",
		"all.TStart=x":               `found value "x" for all.TStart, expected a number`,
		"power=0":                    "has power 0",
		"node.Channels=1.5":          "channels are whole",
		"node.Channels=0":            "0 channels",
		"scale power=1e30":           "expected a value in range",
		"scale TStart[topology=1]=2": "expected no brackets",
	} {
		if moved, err := m.Apply(parseChange(t, change)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, %v, want %s", change, moved, err, message)
		}
		if !m.Equal(changeable(t)) {
			t.Fatalf("%s changed the machine", change)
		}
	}
}

func parseChange(t *testing.T, text string) machine.Change {
	t.Helper()
	c, err := machine.ParseSet(text)
	if s, ok := strings.CutPrefix(text, "scale "); ok {
		c, err = machine.ParseScale(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEffect(t *testing.T) {
	for _, c := range []struct{ what, old, now, effect string }{
		{"pt(1).ila", "2.0e-7 1.0e-8", "1.0e-7", "faster"}, {"tl(1)(1).speed", "1.0e-9", "2.0e-9", "slower"},
		{"mp.send", "4 * pt(1).ila", "2.0 * (4 * pt(1).ila)", "slower"}, {"mp.send", "2.0 * (a)", "0.5 * (a)", "faster"},
		{"mp.send", "pt(1).ila", "0.5 * (pt(1).ila)", "faster"},
		{"pr(1).smallloopspeedup", "1.5", "2.0", "faster"}, {"slow.power", "1", "0.5", "slower"}, {"n.Channels", "1", "2", "faster"},
		{"a.TStart", "7", "7", ""}, {"pt(1).ila", "1.0 0.1", "1.0 0.2", ""},
	} {
		if got := (machine.Changed{What: c.what, Old: c.old, New: c.now}).Effect(); got != c.effect {
			t.Errorf("%s from %s to %s is %q, want %q", c.what, c.old, c.now, got, c.effect)
		}
	}
}
