package machine_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dvmtools/pkg/machine"
)

// A machine can be made of its description again.
func TestFromDescription(t *testing.T) {
	m, _ := nested(t)
	ordered, err := m.Ordered(machine.Fastest)
	if err != nil {
		t.Fatal(err)
	}
	links := &machine.Machine{Name: "links", Root: machine.NewCluster("links", machine.Medium{}, machine.Group{Count: 2, Node: machine.NewProcessor("p", 1)}),
		Network: &machine.Network{ID: 3, Model: "mpi", Overheads: []machine.Overhead{{Function: "send", Cost: 1e-6}},
			Links: []machine.Link{{ID: 1, Latency: 1e-5, Speed: 1e-8, Ends: []int32{0, 1}}}}}
	for _, want := range []*machine.Machine{m, ordered, links} {
		d := want.Description()
		// As it comes from the header of a stream.
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var read machine.Description
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		got, err := machine.FromDescription(read)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(want) || !reflect.DeepEqual(got.Description(), d) {
			t.Errorf("%+v\nexpected\n%+v", got.Description(), d)
		}
	}
	p := machine.NodeDescription{Name: "p", Processors: 1, Power: 1}
	group := func(name string, of ...string) machine.NodeDescription {
		n := machine.NodeDescription{Name: name}
		for _, g := range of {
			n.Children = append(n.Children, machine.GroupDescription{Count: 1, Node: g})
		}
		return n
	}
	for _, bad := range []struct {
		nodes []machine.NodeDescription
		want  string
	}{
		{nil, "found no nodes"},
		{[]machine.NodeDescription{p, p}, `found the node "p" twice`},
		{[]machine.NodeDescription{group("a", "b")}, `found a group of "b"`},
		{[]machine.NodeDescription{group("a", "b"), group("b", "a")}, "inside itself"},
		{[]machine.NodeDescription{group("a", "p", "p"), p}, `"a"`}, // two children and no medium
	} {
		_, err := machine.FromDescription(machine.Description{Name: "m", Nodes: bad.nodes})
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("error %v, expected %q", err, bad.want)
		}
	}
}

// Every parameter can be set to what it is, and stays the same.
func TestParametersCanBeSet(t *testing.T) {
	m, _ := nested(t)
	list := m.Parameters()
	if len(list) < 8 {
		t.Fatalf("found the parameters %+v", list)
	}
	for _, p := range list {
		text, err := json.Marshal(p.Value)
		if err != nil {
			t.Fatal(err)
		}
		c, err := machine.ParseSet(p.Name + "=" + string(text))
		if err != nil {
			t.Fatal(err)
		}
		if moved, err := m.Apply(c); err != nil || len(moved) != 1 {
			t.Errorf("%s: %v, error %v", c, moved, err)
		}
	}
	if now := m.Parameters(); !slices.Equal(now, list) {
		t.Errorf("%+v, expected %+v", now, list)
	}
}
