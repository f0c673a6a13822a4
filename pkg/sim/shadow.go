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

// sendShadow handles sendsh_ and recvsh_: whichever comes first starts the
// exchange, the other is part of it.
func sendShadow(s *Sim, c *call.Call) (effect, error) {
	g, err := s.objects.ShadowGroup(c)
	if err != nil || s.flights.find(flightKey{shadow: g}) != nil {
		return effect{}, err
	}
	return startShadow(s, c)
}

// waitShadow handles waitsh_.
func waitShadow(s *Sim, c *call.Call) (effect, error) {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.await(c, flightKey{shadow: g})
}
