package machine

import "slices"

// Ideal returns a machine of the same processors on which messages take no time:
// no latency, infinite bandwidth, and on links no software overheads either. The
// time that setting up a topology takes stays. m is not changed.
func (m *Machine) Ideal() *Machine {
	out := m.Clone()
	for _, n := range out.Nodes() {
		n.Medium.TStart, n.Medium.TByte = 0, 0
	}
	if n := out.Network; n != nil {
		for i := range n.Links {
			n.Links[i].Latency, n.Links[i].Speed = 0, 0
		}
		for i := range n.Overheads {
			n.Overheads[i].Cost = 0
		}
	}
	return out
}

// Clone returns an equal machine with nodes and links of its own, so that its
// powers and times may be changed.
func (m *Machine) Clone() *Machine {
	copied := map[*Node]*Node{}
	var clone func(n *Node) *Node
	clone = func(n *Node) *Node {
		if c := copied[n]; c != nil {
			return c
		}
		c := *n
		c.Groups = slices.Clone(n.Groups)
		for i := range c.Groups {
			c.Groups[i].Node = clone(c.Groups[i].Node)
		}
		copied[n] = &c
		return &c
	}
	out := *m
	out.Root = clone(m.Root)
	if m.Network != nil {
		n := *m.Network
		n.Links, n.Overheads = slices.Clone(n.Links), slices.Clone(n.Overheads)
		out.Network = &n
	}
	return &out
}
