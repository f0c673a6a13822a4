package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// redistribute handles redis_: every array aligned with the template moves,
// free of charge when its contents are renewed anyway (model section 6).
func redistribute(s *Sim, c *call.Call) error {
	moves, err := s.objects.Redistribute(c)
	if err != nil {
		return err
	}
	return s.move(c, moves)
}

// realign handles realn_: one array moves; one that lay nowhere is aligned.
func realign(s *Sim, c *call.Call) error {
	m, err := s.objects.Realign(c)
	if err != nil || m.From == nil {
		return err
	}
	return s.move(c, []object.Move{m})
}

func (s *Sim) move(c *call.Call, moves []object.Move) error {
	renewed, err := c.IntOr("NewSign", 0)
	if err != nil {
		return err
	}
	if renewed != 0 {
		return s.synchronous(interval.Redistribution, nothing)
	}
	t, err := s.root.Redistribute(moves)
	return s.synchronous(interval.Redistribution, s.exchange(c, t, err))
}

// copyOf is what a copy of array sections does (model section 7, arrcpy_).
type copyOf struct {
	kind interval.Kind
	cost costs
	// share is each processor's part of the written section, on sys; nil
	// when the time inside the call is spent by all alike.
	share *layout.Share
	sys   *procs.System
}

// readCopy reads what arrcpy_ or aarrcp_ copies. A copy with a buffer and
// CopyRegim other than 0 is input or output of an array section: the buffer
// is on the I/O processor only (model section 5).
func (s *Sim) readCopy(c *call.Call) (copyOf, error) {
	regime, err := c.IntOr("CopyRegim", 0)
	if err != nil {
		return copyOf{}, err
	}
	var from, to *object.Array
	var source, target traffic.Section
	if object.HasArray(c, "From") {
		if from, source, err = s.side(c, "From"); err != nil {
			return copyOf{}, err
		}
	}
	if object.HasArray(c, "To") {
		if to, target, err = s.side(c, "To"); err != nil {
			return copyOf{}, err
		}
	}
	k := copyOf{kind: interval.Remote}
	var t comm.Traffic
	switch {
	case from != nil && to != nil:
		t, k.share, err = s.root.Copy(from, source, to, target)
		if k.share != nil && k.share.Total == 0 {
			k.share = nil
		}
		k.sys = to.System
	case from == nil && to == nil:
		return k, object.Error(c, "handle", "neither side is an array, expected FromArrayHandlePtr or ToArrayHandlePtr")
	case regime != 0:
		k.kind = interval.IO
		if from != nil {
			t, err = s.root.Gather(from, source, s.ioProcessor())
		} else {
			t, err = s.root.Scatter(to, target, s.ioProcessor())
		}
	case from != nil:
		t, err = s.root.CopyToAll(from, source, s.objects.Current())
	default:
		k.cost = nothing
		return k, nil
	}
	k.cost = s.exchange(c, t, err)
	return k, nil
}

// side returns the array on one side of a copy and its section.
func (s *Sim) side(c *call.Call, prefix string) (*object.Array, traffic.Section, error) {
	var sec traffic.Section
	a, err := s.objects.Array(c, prefix)
	if err != nil {
		return nil, sec, err
	}
	if err := mapped(c, a); err != nil {
		return nil, sec, err
	}
	for _, f := range []struct {
		key string
		dst *[]int64
	}{{"InitIndexArray", &sec.First}, {"LastIndexArray", &sec.Last}, {"StepArray", &sec.Step}} {
		if *f.dst, err = c.Ints(nil, prefix+f.key); err != nil {
			return nil, sec, err
		}
		if len(*f.dst) != a.Rank() {
			return nil, sec, object.Error(c, "rank", "%s has %d elements, the array has rank %d", prefix+f.key, len(*f.dst), a.Rank())
		}
	}
	return a, sec, nil
}

// spend makes the time inside a copy between arrays the work of each
// processor's part of the written section.
func (s *Sim) spend(k copyOf) {
	if k.share == nil {
		return
	}
	twice := inVain(k.share.Same)
	total := float64(k.share.Total)
	s.passRet = func(t units.Seconds) {
		s.sayShare("time inside the copy", t, k.share, k.sys)
		s.clocks.AddBy(k.sys, k.share.Labels, func(labels []int64) Amount {
			return Amount{System: scaled(t, float64(k.share.Count(labels))/total), SystemTwice: twice}
		})
	}
}

func copyArray(s *Sim, c *call.Call) error {
	k, err := s.readCopy(c)
	if err != nil {
		return err
	}
	s.spend(k)
	return s.synchronous(k.kind, k.cost)
}

func startCopy(s *Sim, c *call.Call) error {
	k, err := s.readCopy(c)
	if err != nil {
		return err
	}
	flag, err := flagOf(c)
	if err != nil {
		return err
	}
	s.spend(k)
	return s.begin(c, flag, k.kind, k.cost)
}

func waitCopy(s *Sim, c *call.Call) error {
	flag, err := flagOf(c)
	if err != nil {
		return err
	}
	return s.await(c, flag)
}

// load starts an exchange that fills remote access buffers.
func (s *Sim) load(c *call.Call, key any, buffers []*object.Buffer) error {
	for _, b := range buffers {
		if err := mapped(c, b.Array); err != nil {
			return err
		}
		if b.Loop != nil && b.Loop.Map == nil {
			return object.Error(c, "alignment", "the loop of the buffer is not mapped yet, expected mappl_ before")
		}
	}
	t, err := s.root.Remote(buffers)
	return s.begin(c, key, interval.Remote, s.exchange(c, t, err))
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
	return s.load(c, b, []*object.Buffer{b})
}

func waitBuffer(s *Sim, c *call.Call) error {
	b, err := s.objects.Buffer(c)
	if err != nil {
		return err
	}
	return s.awaitLoad(c, b)
}

// loadGroup handles loadbg_: one exchange for the buffers of the group that
// are not loaded, or for all with RenewSign=1.
func loadGroup(s *Sim, c *call.Call) error {
	g, err := s.objects.BufferGroup(c)
	if err != nil {
		return err
	}
	renew, err := c.IntOr("RenewSign", 0)
	if err != nil {
		return err
	}
	var due []*object.Buffer
	for _, b := range g.Buffers {
		if !b.Loaded || renew != 0 {
			b.Loaded = true
			due = append(due, b)
		}
	}
	if len(due) == 0 && len(g.Buffers) > 0 {
		return s.beginNothing(c, g)
	}
	return s.load(c, g, due)
}

func waitGroup(s *Sim, c *call.Call) error {
	g, err := s.objects.BufferGroup(c)
	if err != nil {
		return err
	}
	return s.awaitLoad(c, g)
}

// beginNothing notes a load that has nothing to do, so that its wait finds
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
