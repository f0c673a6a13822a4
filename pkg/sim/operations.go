package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
)

// ioCall handles an I/O function: the time inside it is I/O time of the I/O
// processor; a result is made known to all (model section 5).
func ioCall(s *Sim, c *call.Call) error {
	if c.RetTime != 0 {
		s.clocks.AddOne(s.ioProcessor(), Amount{IO: c.RetTime})
	}
	if c.Row.Result == libdvm.ResultNone {
		return nil
	}
	return s.synchronous(interval.IO, s.freely(c))
}

// sendStore handles srmem_.
func sendStore(s *Sim, c *call.Call) error {
	return s.synchronous(interval.IO, s.freely(c))
}

// startShadow handles strtsh_ and recvsh_; with sendsh_ the latter is one
// exchange.
func startShadow(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	return s.begin(c, g, interval.Shadow, s.freely(c))
}

// sendShadow handles sendsh_: the exchange that recvsh_ started, or starts
// later, is one and the same.
func sendShadow(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil || s.flying(g) >= 0 {
		return err
	}
	return s.begin(c, g, interval.Shadow, s.freely(c))
}

func waitShadow(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	return s.await(c, g)
}

// exportFirst handles exfrst_: the exchange of the group begins when the
// loop's boundary iterations are done, which is settled at its endpl_.
func exportFirst(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	s.atEndOfLoop = append(s.atEndOfLoop, func(end *call.Call) error {
		return s.begin(c, g, interval.Shadow, s.freely(c))
	})
	return nil
}

// importLast handles imlast_: the loop's endpl_ waits for the group.
func importLast(s *Sim, c *call.Call) error {
	g, err := s.objects.ShadowGroup(c)
	if err != nil {
		return err
	}
	s.atEndOfLoop = append(s.atEndOfLoop, func(end *call.Call) error { return s.await(c, g) })
	return nil
}

func endLoop(s *Sim, c *call.Call) error {
	if _, err := s.objects.EndLoop(c); err != nil {
		return err
	}
	todo := s.atEndOfLoop
	s.atEndOfLoop = s.atEndOfLoop[:0]
	for _, f := range todo {
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

func startReduction(s *Sim, c *call.Call) error {
	g, err := s.objects.ReductionGroup(c)
	if err != nil {
		return err
	}
	return s.begin(c, g, interval.Reduction, s.freely(c))
}

func waitReduction(s *Sim, c *call.Call) error {
	g, err := s.objects.ReductionGroup(c)
	if err != nil {
		return err
	}
	return s.await(c, g)
}

func redistribute(s *Sim, c *call.Call) error {
	if _, err := s.objects.Redistribute(c); err != nil {
		return err
	}
	return s.synchronous(interval.Redistribution, s.freely(c))
}

func realign(s *Sim, c *call.Call) error {
	if _, err := s.objects.Realign(c); err != nil {
		return err
	}
	return s.synchronous(interval.Redistribution, s.freely(c))
}

func copyArray(s *Sim, c *call.Call) error {
	if err := s.checkCopy(c); err != nil {
		return err
	}
	return s.synchronous(interval.Remote, s.freely(c))
}

func startCopy(s *Sim, c *call.Call) error {
	if err := s.checkCopy(c); err != nil {
		return err
	}
	flag, err := flagOf(c)
	if err != nil {
		return err
	}
	return s.begin(c, flag, interval.Remote, s.freely(c))
}

// checkCopy reports arrays that a copy names and that do not exist.
func (s *Sim) checkCopy(c *call.Call) error {
	for _, side := range []string{"From", "To"} {
		if object.HasArray(c, side) {
			if _, err := s.objects.Array(c, side); err != nil {
				return err
			}
		}
	}
	return nil
}

func waitCopy(s *Sim, c *call.Call) error {
	flag, err := flagOf(c)
	if err != nil {
		return err
	}
	return s.await(c, flag)
}

// loadBuffer handles loadrb_: a loaded buffer is not loaded again unless
// RenewSign=1 (model section 7, remote access buffers).
func loadBuffer(s *Sim, c *call.Call) error {
	b, err := s.objects.Buffer(c)
	if err != nil {
		return err
	}
	renew, err := c.IntOr("RenewSign", 0)
	if err != nil {
		return err
	}
	if b.Loaded && renew == 0 {
		return s.beginNothing(c, b)
	}
	b.Loaded = true
	return s.begin(c, b, interval.Remote, s.freely(c))
}

func waitBuffer(s *Sim, c *call.Call) error {
	b, err := s.objects.Buffer(c)
	if err != nil {
		return err
	}
	return s.awaitLoad(c, b)
}

func loadGroup(s *Sim, c *call.Call) error {
	g, err := s.objects.BufferGroup(c)
	if err != nil {
		return err
	}
	renew, err := c.IntOr("RenewSign", 0)
	if err != nil {
		return err
	}
	if g.Loaded && renew == 0 {
		return s.beginNothing(c, g)
	}
	g.Loaded = true
	return s.begin(c, g, interval.Remote, s.freely(c))
}

func waitGroup(s *Sim, c *call.Call) error {
	g, err := s.objects.BufferGroup(c)
	if err != nil {
		return err
	}
	return s.awaitLoad(c, g)
}

// beginNothing notes a load that had nothing to do, so that its wait finds
// it.
func (s *Sim) beginNothing(c *call.Call, key any) error {
	if s.flying(key) >= 0 {
		return object.Error(c, "start", "the load is still under way, expected its wait before")
	}
	s.idleLoads = append(s.idleLoads, key)
	return nil
}

func (s *Sim) awaitLoad(c *call.Call, key any) error {
	for i, k := range s.idleLoads {
		if k == key {
			s.idleLoads = append(s.idleLoads[:i], s.idleLoads[i+1:]...)
			return nil
		}
	}
	return s.await(c, key)
}

// across handles across_: the loop becomes a pipeline.
func across(s *Sim, c *call.Call) error {
	if err := s.objects.Across(c); err != nil {
		return err
	}
	s.tree.operation(interval.Shadow)
	return s.noteFree(c, s.objects.Current())
}
