package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
)

// findShadow finds the group of shadow edges that a call names.
func findShadow(s *Sim, c *call.Call, f *found) (err error) {
	f.shadow, err = s.objects.ShadowGroup(c)
	return err
}

// findEdges finds the group of shadow edges that a call names, and its messages.
func findEdges(s *Sim, c *call.Call, f *found) error {
	err := findShadow(s, c, f)
	if err == nil {
		f.demands, err = s.edges(c, f.shadow)
	}
	return err
}

// startShadow handles strtsh_.
func startShadow(s *Sim, c *call.Call, f *found) (effect, error) {
	return effect{}, s.begin(c, flightKey{shadow: f.shadow}, interval.Shadow, f.demands...)
}

// waitShadow handles waitsh_.
func waitShadow(s *Sim, c *call.Call, f *found) (effect, error) {
	key := flightKey{shadow: f.shadow}
	if s.flights.find(key) == nil && s.waitHalf(f.shadow) {
		return effect{}, nil
	}
	return effect{}, s.await(c, key)
}
