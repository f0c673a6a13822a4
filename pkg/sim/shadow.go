package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
)

// startShadow handles strtsh_.
func startShadow(s *Sim, c *call.Call) (effect, error) {
	g, d, err := s.groupEdges(c)
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.begin(c, flightKey{shadow: g}, interval.Shadow, d...)
}

// groupEdges returns the group of shadow edges that a call names, and its
// messages.
func (s *Sim) groupEdges(c *call.Call) (*object.ShadowGroup, []clock.Demand, error) {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return nil, nil, err
	}
	d, err := s.edges(c, g)
	return g, d, err
}

// waitShadow handles waitsh_.
func waitShadow(s *Sim, c *call.Call) (effect, error) {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return effect{}, err
	}
	key := flightKey{shadow: g}
	if s.flights.find(key) == nil && s.waitHalf(g) {
		return effect{}, nil
	}
	return effect{}, s.await(c, key)
}
