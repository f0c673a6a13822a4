package sim

import (
	"errors"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/object"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// messages says what operations demand of the network, and remembers what
// recurs.
type messages struct {
	root *traffic.Root
	// shadows are the messages of groups of shadow edges by what they depend
	// on; key spells that.
	shadows map[string]*comm.Load
	key     []byte
	// partials are partial results by the layout of what they belong to.
	partials map[any][]partial
}

// maxKnown bounds how much is remembered.
const maxKnown = 1024

// load makes a demand of messages that were worked out for call c, and says
// what they are for.
func (s *Sim) load(c *call.Call, u comm.Use, t comm.Traffic, err error) ([]clock.Demand, error) {
	if err != nil {
		return nil, trafficError(c, err)
	}
	return []clock.Demand{{Load: s.clocks.Load(comm.For(t, u))}}, nil
}

// elements returns the use of messages that carry elements of the i-th of n
// arrays; of arrays whose elements differ in size it says nothing.
func elements(n int, array func(i int) *object.Array) comm.Use {
	var u comm.Use
	for i := range n {
		size := units.Bytes(array(i).ElemSize)
		if i > 0 && size != u.Element {
			return comm.Use{}
		}
		u.Element = size
	}
	return u
}

// edgeElements is elements for the shadow edges of a group.
func edgeElements(g *object.ShadowGroup) comm.Use {
	u := elements(len(g.Edges), func(i int) *object.Array { return g.Edges[i].Array })
	u.Edges = true
	return u
}

// trafficError gives an error of an exchange its place. A shadow edge wider
// than a block makes the program impossible on this grid.
func trafficError(c *call.Call, err error) error {
	if e, ok := errors.AsType[*traffic.ErrShadow](err); ok {
		return diag.Impossible(c.Pos, "model/shadow-width", "%s: %v", c.Where(), e)
	}
	if errors.Is(err, traffic.ErrVolume) {
		return object.Error(c, "volume", "%v", err)
	}
	if _, ok := errors.AsType[*diag.Error](err); ok {
		return err
	}
	return object.Error(c, "exchange", "%v", err)
}

// edges returns the messages of a group's shadow edges. Those of groups that
// are alike are worked out once.
func (s *Sim) edges(c *call.Call, g *object.ShadowGroup) ([]clock.Demand, error) {
	for i := range g.Edges {
		if err := mapped(c, g.Edges[i].Array); err != nil {
			return nil, err
		}
	}
	m := &s.messages
	key, ok := g.AppendKey(m.key[:0])
	m.key = key
	if known := m.shadows[string(key)]; ok && known != nil {
		return []clock.Demand{{Load: known}}, nil
	}
	t, err := m.root.Shadow(g.Edges)
	d, err := s.load(c, edgeElements(g), t, err)
	if err == nil && ok {
		if m.shadows == nil || len(m.shadows) > maxKnown {
			m.shadows = map[string]*comm.Load{}
		}
		m.shadows[string(key)] = d[0].Load
	}
	return d, err
}

// broadcast makes b bytes of the I/O processor known to all.
func (s *Sim) broadcast(b units.Bytes) clock.Demand {
	return clock.Demand{Broadcast: &clock.Broadcast{Root: s.ioProcessor(), Bytes: b}}
}

// mapped returns an error when one of the arrays is not aligned yet.
func mapped(c *call.Call, arrays ...*object.Array) error {
	for _, a := range arrays {
		if a.Map == nil {
			return object.Error(c, "alignment", "the array is not aligned with a distributed template, expected align_ and distr_ before")
		}
	}
	return nil
}
