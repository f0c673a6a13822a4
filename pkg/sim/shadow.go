package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// startShadow handles strtsh_.
func startShadow(s *Sim, c *call.Call) (effect, error) {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return effect{}, err
	}
	d, err := s.edges(c, g)
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.begin(c, flightKey{shadow: g}, interval.Shadow, d...)
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
