package sim

import (
	"errors"

	"dvmtools/pkg/call"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// setOf describes the processor system whose exchange it is.
func setOf(sys *procs.System) comm.Set { return comm.Set{ID: sys.ID, Ranks: sys.Ranks} }

// exchange places a set of messages on the network.
func (s *Sim) exchange(c *call.Call, t comm.Traffic, err error) costs {
	return func(start units.Seconds, sys *procs.System) (units.Seconds, error) {
		if err != nil {
			return start, trafficError(c, err)
		}
		return s.placed(s.net.Exchange(start, setOf(sys), t)), nil
	}
}

// placed takes a placement in and returns when it ends.
func (s *Sim) placed(p comm.Placement) units.Seconds {
	s.explainPlacement(&p)
	return p.End
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

// broadcast makes b bytes of the I/O processor known to all.
func (s *Sim) broadcast(b units.Bytes) costs {
	root := s.ioProcessor()
	return func(start units.Seconds, sys *procs.System) (units.Seconds, error) {
		return s.placed(s.net.Broadcast(start, setOf(sys), root, b)), nil
	}
}

// nothing costs nothing.
func nothing(start units.Seconds, _ *procs.System) (units.Seconds, error) { return start, nil }

// mapped reports an array that is not aligned yet.
func mapped(c *call.Call, arrays ...*object.Array) error {
	for _, a := range arrays {
		if a.Map == nil {
			return object.Error(c, "alignment", "the array is not aligned with a distributed template, expected align_ and distr_ before")
		}
	}
	return nil
}
