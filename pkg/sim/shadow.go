package sim

import (
	"encoding/binary"

	"dvmtools/pkg/call"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// shadows returns what the exchange of a group's edges costs. The messages of
// groups that are alike are worked out once.
func (s *Sim) shadows(c *call.Call, g *object.ShadowGroup) (costs, error) {
	for i := range g.Edges {
		if err := mapped(c, g.Edges[i].Array); err != nil {
			return nil, err
		}
	}
	key := s.shadowKey(g)
	load, ok := s.known[string(key)]
	if !ok || key == nil {
		t, err := s.root.Shadow(g.Edges)
		if err != nil {
			return nil, trafficError(c, err)
		}
		load = s.net.Load(t)
		if s.known == nil || len(s.known) > 1024 {
			s.known = map[string]*comm.Load{}
		}
		if key != nil {
			s.known[string(key)] = load
		}
	}
	return func(start units.Seconds, sys *procs.System) (units.Seconds, error) {
		return s.placed(s.net.Again(start, setOf(sys), load)), nil
	}, nil
}

// shadowKey spells everything that the messages of a group depend on; nil when
// that cannot be told. It is valid until the next key.
func (s *Sim) shadowKey(g *object.ShadowGroup) []byte {
	k := s.key[:0]
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Array.Map.ID == 0 {
			return nil
		}
		k = binary.AppendVarint(k, int64(e.Array.Map.ID))
		k = binary.AppendVarint(k, int64(e.Array.System.ID))
		k = binary.AppendVarint(k, e.Array.ElemSize)
		k = binary.AppendVarint(k, int64(e.Corners))
		for d := range e.Lo {
			k = binary.AppendVarint(k, e.Lo[d])
			k = binary.AppendVarint(k, e.Hi[d])
			if e.Outside != nil && e.Outside[d] {
				k = append(k, 1)
			}
		}
	}
	s.key = k
	return k
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
