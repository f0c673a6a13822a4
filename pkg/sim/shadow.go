package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// shadows returns what the exchange of a group's edges costs. The messages of
// a group are worked out once, until an array of it moves.
func (s *Sim) shadows(c *call.Call, g *object.ShadowGroup) (costs, error) {
	for i := range g.Edges {
		if err := mapped(c, g.Edges[i].Array); err != nil {
			return nil, err
		}
	}
	k := s.known[g]
	if k == nil || !k.holds(g) {
		t, err := s.root.Shadow(g.Edges)
		if err != nil {
			return nil, trafficError(c, err)
		}
		k = &knownShadow{load: s.net.Load(t)}
		for i := range g.Edges {
			k.maps = append(k.maps, g.Edges[i].Array.Map)
		}
		if s.known == nil || len(s.known) > 1024 {
			s.known = map[*object.ShadowGroup]*knownShadow{}
		}
		s.known[g] = k
	}
	return func(start units.Seconds, sys *object.System) (units.Seconds, error) {
		return s.placed(s.net.Again(start, setOf(sys), k.load)), nil
	}, nil
}

// knownShadow is the load of a group's exchange while its arrays lie as maps
// say.
type knownShadow struct {
	maps []*layout.Mapping
	load *comm.Load
}

func (k *knownShadow) holds(g *object.ShadowGroup) bool {
	if len(k.maps) != len(g.Edges) {
		return false
	}
	for i := range g.Edges {
		if k.maps[i] != g.Edges[i].Array.Map {
			return false
		}
	}
	return true
}

// startShadow handles strtsh_.
func startShadow(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	cost, err := s.shadows(c, g)
	if err != nil {
		return err
	}
	return s.begin(c, g, interval.Shadow, cost)
}

// sendShadow handles sendsh_ and recvsh_: whichever comes first starts the
// exchange, the other is part of it.
func sendShadow(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil || s.flying(g) >= 0 {
		return err
	}
	return startShadow(s, c)
}

func waitShadow(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	return s.await(c, g)
}
