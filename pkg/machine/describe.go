package machine

import (
	"encoding/json"
	"fmt"
	"slices"

	"dvmtools/pkg/units"
)

// Description is a machine as it stands in the header of results. Each node is
// listed once, the root first, and nodes refer to each other by name, so that
// the size does not depend on the number of processors.
type Description struct {
	Name       string `json:"name"`
	Processors int64  `json:"processors"`
	Unbounded  bool   `json:"unbounded,omitzero"`
	Search     int    `json:"search"`
	Topology   []int  `json:"topology,omitempty"`
	// Order is the order in which grids take the processors; absent for that of
	// the description.
	Order Order             `json:"order,omitempty"`
	Nodes []NodeDescription `json:"nodes"`
	// Network is what connects the processors of a machine of links, nil on
	// machines of media.
	Network *NetworkDescription `json:"network,omitempty"`
	// Changes are those that were made to the machine before it was used, in
	// their order; what is described is the machine after them.
	Changes []ChangeMade `json:"changes,omitempty"`
}

// ChangeMade is a [Change] as it was stated, in Set or in Scale, and how many
// values it changed.
type ChangeMade struct {
	Set    string `json:"set,omitempty"`
	Scale  string `json:"scale,omitempty"`
	Values int    `json:"values"`
}

// Made returns what is stated about a change of so many values.
func (c Change) Made(values int) ChangeMade {
	if c.Scale {
		return ChangeMade{Scale: c.text, Values: values}
	}
	return ChangeMade{Set: c.text, Values: values}
}

// String returns the change in words: "scale links.speed=0.5 (4 values)".
func (c ChangeMade) String() string {
	unit := "values"
	if c.Values == 1 {
		unit = "value"
	}
	if c.Scale != "" {
		return fmt.Sprintf("scale %s (%d %s)", c.Scale, c.Values, unit)
	}
	return fmt.Sprintf("set %s (%d %s)", c.Set, c.Values, unit)
}

// NetworkDescription is a topology of links, with the software overheads of the
// programming model, if one is stated. PowerBase says in words which processor
// has power 1.
type NetworkDescription struct {
	Topology  int64                 `json:"topology_id"`
	Name      string                `json:"name,omitempty"`
	Creation  units.Seconds         `json:"creation_s"`
	PowerBase string                `json:"power_base"`
	Model     string                `json:"model,omitempty"`
	Overheads []OverheadDescription `json:"overheads,omitempty"`
	Links     []LinkDescription     `json:"links,omitempty"`
}

// OverheadDescription is a function of a programming model and its time.
type OverheadDescription struct {
	Function string        `json:"function"`
	Cost     units.Seconds `json:"cost_s"`
}

// LinkDescription is a link: seconds per message, seconds per byte, and the
// processors that it connects, from 0.
type LinkDescription struct {
	ID      int64            `json:"id"`
	Latency units.Seconds    `json:"latency_s"`
	Speed   units.SecPerByte `json:"speed_s_per_b"`
	Ends    []int32          `json:"ends"`
}

// description returns the network as data, nil for none.
func (n *Network) description() *NetworkDescription {
	if n == nil {
		return nil
	}
	d := &NetworkDescription{Topology: n.ID, Name: n.Name, Creation: n.Creation, PowerBase: n.PowerBase, Model: n.Model}
	for _, o := range n.Overheads {
		d.Overheads = append(d.Overheads, OverheadDescription(o))
	}
	for _, l := range n.Links {
		d.Links = append(d.Links, LinkDescription(l))
	}
	return d
}

// NodeDescription is one node of a [Description]: a processor has a power, a
// cluster has children and, when it states one, a medium.
type NodeDescription struct {
	Name       string             `json:"name"`
	Processors int64              `json:"processors"`
	Power      float64            `json:"power,omitzero"`
	Medium     *MediumDescription `json:"medium,omitempty"`
	Children   []GroupDescription `json:"children,omitempty"`
}

// MediumDescription is the medium of a node: its kind, its channels (absent
// for a transputer), seconds per message and seconds per byte.
type MediumDescription struct {
	CommType Kind             `json:"comm_type"`
	Channels int              `json:"channels,omitzero"`
	TStart   units.Seconds    `json:"tstart_s"`
	TByte    units.SecPerByte `json:"tbyte_s_per_b"`
}

// GroupDescription is Count copies of the node with the name Node.
type GroupDescription struct {
	Count int64  `json:"count"`
	Node  string `json:"node"`
}

// Description returns the machine as data, the same for equal machines.
func (m *Machine) Description() Description {
	d := Description{
		Name:       m.Name,
		Processors: m.Processors(),
		Unbounded:  m.Unbounded,
		Search:     m.Search,
		Topology:   m.Topology,
		Network:    m.Network.description(),
		Changes:    m.Changes,
	}
	if o := m.Order(); o != InFile {
		d.Order = o
	}
	for _, n := range m.Nodes() {
		nd := NodeDescription{Name: n.Name, Processors: n.total, Power: n.Power}
		if md := n.Medium; md.Kind != NoMedium {
			nd.Medium = &MediumDescription{CommType: md.Kind, Channels: md.Channels, TStart: md.TStart, TByte: md.TByte}
		}
		for _, g := range n.Groups {
			nd.Children = append(nd.Children, GroupDescription{Count: g.Count, Node: g.Node.Name})
		}
		d.Nodes = append(d.Nodes, nd)
	}
	return d
}

// MarshalJSON writes [Machine.Description].
func (m *Machine) MarshalJSON() ([]byte, error) { return json.Marshal(m.Description()) }

// FromDescription returns the machine that d describes: its [Machine.Description]
// is d again. The error says which rule of a machine d breaks.
func FromDescription(d Description) (*Machine, error) {
	stated := map[string]*NodeDescription{}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if stated[n.Name] != nil {
			return nil, fmt.Errorf("found the node %q twice in the description of machine %q, expected it once", n.Name, d.Name)
		}
		stated[n.Name] = n
	}
	if len(d.Nodes) == 0 {
		return nil, fmt.Errorf("found no nodes in the description of machine %q, expected at least one", d.Name)
	}
	b := builder{stated: stated, made: map[string]*Node{}}
	root, err := b.node(d.Nodes[0].Name, 0)
	if err != nil {
		return nil, fmt.Errorf("the description of machine %q: %w", d.Name, err)
	}
	m := &Machine{Name: d.Name, Root: root, Topology: d.Topology, Search: d.Search, Unbounded: d.Unbounded, Changes: slices.Clone(d.Changes)}
	if n := d.Network; n != nil {
		m.Network = &Network{ID: n.Topology, Name: n.Name, Creation: n.Creation, PowerBase: n.PowerBase, Model: n.Model}
		for _, o := range n.Overheads {
			m.Network.Overheads = append(m.Network.Overheads, Overhead(o))
		}
		for _, l := range n.Links {
			m.Network.Links = append(m.Network.Links, Link(l))
		}
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	if d.Order == "" {
		return m, nil
	}
	return m.Ordered(d.Order)
}

// builder makes nodes from their descriptions.
type builder struct {
	stated map[string]*NodeDescription
	made   map[string]*Node
}

// node returns the node with a name, depth levels below the root.
func (b *builder) node(name string, depth int) (*Node, error) {
	if n := b.made[name]; n != nil {
		return n, nil
	}
	d := b.stated[name]
	switch {
	case d == nil:
		return nil, fmt.Errorf("found a group of %q, expected the name of a node", name)
	case depth > MaxDepth:
		return nil, fmt.Errorf("found node %q inside itself or nested more than %d deep", name, MaxDepth)
	case len(d.Children) == 0:
		n := NewProcessor(name, d.Power)
		b.made[name] = n
		return n, nil
	}
	var groups []Group
	for _, c := range d.Children {
		kid, err := b.node(c.Node, depth+1)
		if err != nil {
			return nil, err
		}
		groups = append(groups, Group{c.Count, kid})
	}
	var medium Medium
	if md := d.Medium; md != nil {
		medium = Medium{Kind: md.CommType, Channels: md.Channels, TStart: md.TStart, TByte: md.TByte}
	}
	n := NewCluster(name, medium, groups...)
	b.made[name] = n
	return n, nil
}
