package parasol

import (
	"fmt"
	"strings"

	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// unitTiming is the timing of the traced processor in converted machines.
// Predictor.par has ratios of powers only, so that any value would do.
const unitTiming = 1e-8

// FromTree writes a machine of media as a Parasol machine file, and lists what
// the file cannot express. Every instance of a cluster becomes a bus between all
// its processors. A processor of power p gets a type whose one timing is 1/p of
// that of the traced processor, which is the last type. grid is the processor
// grid of a transputer, from which its links follow. A machine with too many
// processors, or a transputer without a grid, cannot be expressed.
func FromTree(m *machine.Machine, grid []int) (text string, lost []string, err error) {
	n := m.Processors()
	if m.Unbounded {
		if n = 1; len(grid) == 0 {
			return "", nil, fmt.Errorf("found a machine with as many processors as one likes, expected a number; state a grid")
		}
		for _, e := range grid {
			if e < 1 || int64(e) > MaxProcessors/n {
				return "", nil, fmt.Errorf("found a grid of more than %d processors, expected fewer", MaxProcessors)
			}
			n *= int64(e)
		}
	}
	if n > MaxProcessors {
		return "", nil, fmt.Errorf("found %d processors, expected at most %d in a machine file of Parasol", n, MaxProcessors)
	}
	c := &fromTree{t: topologyText{id: 1, name: "from Predictor.par", hardware: true}, ids: map[float64]int64{}, seen: map[string]bool{}, grid: grid, n: n}
	if err := c.node(m.Root, 0, n); err != nil {
		return "", nil, err
	}
	if m.Search != 0 {
		c.lose("the search mode %d", m.Search)
	}
	if len(m.Nodes()) > 2 {
		c.lose("the names of clusters and processors below %q", m.Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "begin machine\n    id = 1\n    name = \"%s\"\n    processors = %d\n    topologies = 1\n", m.Name, len(c.powers)+1)
	for i, p := range append(c.powers, 1) {
		name := fmt.Sprintf("power %s", expr.FormatFloat(p))
		if i == len(c.powers) {
			name = "traced"
		}
		fmt.Fprintf(&b, "\n    begin processor\n        id = %d\n        name = \"%s\"\n        begin timings\n            dla = %s // a ratio, no measurement\n        end timings\n    end processor\n",
			i+1, name, expr.FormatFloat(unitTiming/p))
	}
	b.WriteByte('\n')
	c.t.write(&b)
	b.WriteString("end machine\n")
	return b.String(), c.lost, nil
}

type fromTree struct {
	t      topologyText
	powers []float64
	ids    map[float64]int64 // type by power
	grid   []int
	n      int64
	ends   int
	lost   []string
	seen   map[string]bool
}

func (c *fromTree) lose(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !c.seen[s] {
		c.seen[s] = true
		c.lost = append(c.lost, s)
	}
}

// node enters the processors of n, the first of which has number first, as
// long as there are fewer than limit, and the links of its medium.
func (c *fromTree) node(n *machine.Node, first, limit int64) error {
	if n.Leaf() {
		if c.ids[n.Power] == 0 {
			c.powers = append(c.powers, n.Power)
			c.ids[n.Power] = int64(len(c.powers))
		}
		c.t.types = append(c.t.types, c.ids[n.Power])
		return nil
	}
	at := first
	for _, g := range n.Groups {
		for i := int64(0); i < g.Count && at < limit; i++ {
			if err := c.node(g.Node, at, limit); err != nil {
				return err
			}
			at += g.Node.Processors()
		}
	}
	return c.medium(n, first, min(at, limit))
}

// medium enters the links between processors first to end-1.
func (c *fromTree) medium(n *machine.Node, first, end int64) error {
	md := n.Medium
	if md.Kind == machine.NoMedium || end-first < 2 {
		return nil
	}
	latency, speed := float64(md.TStart), float64(md.TByte)
	switch md.Kind {
	case machine.Transputer:
		if first != 0 || end != c.n {
			return fmt.Errorf("found the transputer %q inside another cluster, expected it alone", n.Name)
		}
		s := Shape{Kind: "grid", Extents: c.grid}
		total := int64(1)
		for _, e := range c.grid {
			total *= int64(e)
		}
		if total != c.n || len(c.grid) == 0 {
			return fmt.Errorf("found a transputer of %d processors and no grid of as many, expected one; state a grid", c.n)
		}
		links, err := s.links(int(c.n))
		if err != nil {
			return err
		}
		for _, ends := range links {
			c.t.links = append(c.t.links, linkText{latency, speed, ends})
		}
		c.lose("the cost of distance on the transputer %q; messages go from link to link instead", n.Name)
		return nil
	case machine.Myrinet:
		if md.Channels > 1 {
			c.lose("%d of the %d channels of %q; messages take a link by cost, never because it is free", md.Channels-1, md.Channels, n.Name)
		}
	}
	ends := make([]int, end-first)
	for i := range ends {
		ends[i] = int(first) + i + 1
	}
	if c.ends += len(ends); c.ends > MaxStatements {
		return fmt.Errorf("found clusters whose media connect more than %d processors, expected fewer", MaxStatements)
	}
	c.t.links = append(c.t.links, linkText{latency, speed, ends})
	if int64(len(ends)) < c.n {
		c.lose("that a message uses the medium of the lowest cluster with both processors; it takes the cheapest links")
	}
	return nil
}

// ToTree returns a topology as a machine of media, and lists what such a machine
// cannot express. A bus between all processors becomes an ethernet, equal links
// between pairs become a transputer; other topologies are an error.
func (m *Machine) ToTree(o TargetOptions) (*machine.Machine, []string, error) {
	var err error
	t := o.Topology
	if t == nil {
		if t, err = m.Hardware(); err != nil {
			return nil, nil, err
		}
	}
	powers, _, err := m.Powers(t, o.Powers)
	if err != nil {
		return nil, nil, err
	}
	lost := []string{"timings; only their ratios are kept, as powers", "standard deviations"}
	medium := machine.Medium{}
	if len(t.Types) > 1 {
		if len(t.Links) == 0 {
			return nil, nil, m.file.errorAt(t.at, "parasol/convert", "found topology %d without links, expected a bus or lines", t.ID)
		}
		first := t.Links[0]
		latency, ok := first.Latency()
		speed, ok2 := first.Speed()
		if !ok || !ok2 {
			return nil, nil, m.file.errorAt(first.at, "parasol/missing", "found link 1 without latency or speed, expected both")
		}
		medium.TStart, medium.TByte = units.Seconds(latency.Average), units.SecPerByte(speed.Average)
		switch {
		case len(t.Links) == 1 && len(first.Ends) == len(t.Types):
			medium.Kind, medium.Channels = machine.Ethernet, 1
		case m.lines(t, latency, speed):
			medium.Kind = machine.Transputer
			lost = append(lost, "which processors the links connect; the grid of a simulation takes the place", "the route from link to link; the cost of a message depends on its distance")
		default:
			return nil, nil, m.file.errorAt(t.at, "parasol/convert", "found topology %d with links that are neither one bus nor equal lines between pairs, expected one of them; Predictor.par has no others", t.ID)
		}
	}
	if t.Creation().Average > 0 {
		lost = append(lost, "the creation time of the topology")
	}
	for i, set := range m.models {
		if set != nil {
			lost = append(lost, "the overheads of "+Models()[i])
		}
	}
	if m.combinations != nil {
		lost = append(lost, "machine combinations")
	}
	if len(m.Topologies) > 1 {
		lost = append(lost, fmt.Sprintf("%d other topologies", len(m.Topologies)-1))
	}
	name := fmt.Sprintf("machine%d", m.ID)
	return &machine.Machine{Name: name, Root: tree(t, name, "type", medium, powers)}, lost, nil
}

// lines reports whether all links connect two processors and cost the same.
func (m *Machine) lines(t *Topology, latency, speed Timing) bool {
	for _, l := range t.Links {
		la, ok := l.Latency()
		sp, ok2 := l.Speed()
		if !ok || !ok2 || len(l.Ends) != 2 || la.Average != latency.Average || sp.Average != speed.Average {
			return false
		}
	}
	return true
}
