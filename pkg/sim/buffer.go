package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
)

// loadBuffer handles loadrb_: a loaded buffer is not loaded again unless
// RenewSign=1 (docs/model.md#remote-access-buffers).
func loadBuffer(s *Sim, c *call.Call) (effect, error) {
	b, err := s.objects.Buffer(c)
	if err != nil {
		return effect{}, err
	}
	renew, err := c.IntOr("RenewSign", 0)
	if err != nil {
		return effect{}, err
	}
	key := flightKey{buffer: b}
	if b.Loaded && renew == 0 {
		return effect{}, s.beginNoop(c, key)
	}
	b.Loaded = true
	return effect{}, s.loadBuffers(c, key, []*object.Buffer{b})
}

// waitBuffer handles waitrb_.
func waitBuffer(s *Sim, c *call.Call) (effect, error) {
	b, err := s.objects.Buffer(c)
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.awaitLoad(c, flightKey{buffer: b})
}

// loadGroup handles loadbg_: one exchange for the buffers of the group that
// are not loaded, or for all with RenewSign=1.
func loadGroup(s *Sim, c *call.Call) (effect, error) {
	g, err := s.objects.BufferGroup(c)
	if err != nil {
		return effect{}, err
	}
	renew, err := c.IntOr("RenewSign", 0)
	if err != nil {
		return effect{}, err
	}
	var due []*object.Buffer
	for _, b := range g.Buffers {
		if !b.Loaded || renew != 0 {
			b.Loaded = true
			due = append(due, b)
		}
	}
	key := flightKey{buffers: g}
	if len(due) == 0 && len(g.Buffers) > 0 {
		return effect{}, s.beginNoop(c, key)
	}
	return effect{}, s.loadBuffers(c, key, due)
}

// waitGroup handles waitbg_.
func waitGroup(s *Sim, c *call.Call) (effect, error) {
	g, err := s.objects.BufferGroup(c)
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.awaitLoad(c, flightKey{buffers: g})
}

// loadBuffers starts an exchange that fills remote access buffers.
func (s *Sim) loadBuffers(c *call.Call, key flightKey, buffers []*object.Buffer) error {
	for _, b := range buffers {
		if err := mapped(c, b.Array); err != nil {
			return err
		}
		if b.Loop != nil && b.Loop.Map == nil {
			return object.Error(c, "alignment", "the loop of the buffer is not mapped yet, expected mappl_ before")
		}
	}
	t, err := s.messages.root.Remote(buffers)
	d, err := s.load(c, elements(len(buffers), func(i int) *object.Array { return buffers[i].Array }), t, err)
	if err != nil {
		return err
	}
	return s.begin(c, key, interval.Remote, d...)
}

// beginNoop notes a load that has nothing to do, so that its wait finds it.
func (s *Sim) beginNoop(c *call.Call, key flightKey) error {
	if s.flights.find(key) != nil {
		return object.Error(c, "start", "the load is still under way, expected its wait before")
	}
	s.flights.noopLoads = append(s.flights.noopLoads, key)
	return nil
}

func (s *Sim) awaitLoad(c *call.Call, key flightKey) error {
	if s.flights.takeNoop(key) {
		return nil
	}
	return s.await(c, key)
}
