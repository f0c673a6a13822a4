package machine

import "slices"

// Ideal returns a machine of the same processors on which messages take no time:
// no latency, infinite bandwidth, and on links no software overheads either. The
// time that setting up a topology takes stays. m is not changed.
func (m *Machine) Ideal() *Machine {
	copied := map[*Node]*Node{}
	var ideal func(n *Node) *Node
	ideal = func(n *Node) *Node {
		if c := copied[n]; c != nil {
			return c
		}
		c := *n
		c.Medium.TStart, c.Medium.TByte = 0, 0
		c.Groups = slices.Clone(n.Groups)
		for i := range c.Groups {
			c.Groups[i].Node = ideal(c.Groups[i].Node)
		}
		copied[n] = &c
		return &c
	}
	out := *m
	out.Root = ideal(m.Root)
	if m.Network != nil {
		n := *m.Network
		n.Links, n.Overheads = slices.Clone(n.Links), slices.Clone(n.Overheads)
		for i := range n.Links {
			n.Links[i].Latency, n.Links[i].Speed = 0, 0
		}
		for i := range n.Overheads {
			n.Overheads[i].Cost = 0
		}
		out.Network = &n
	}
	return &out
}
