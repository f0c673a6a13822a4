package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// copyOf is what a copy of array sections does (docs/model.md#copies).
type copyOf struct {
	kind    interval.Kind
	demands []clock.Demand
	// share is each processor's part of the written section, on sys; nil
	// when the time inside the call is spent by all alike.
	share *layout.Share
	sys   *procs.System
}

// readCopy reads what arrcpy_ or aarrcp_ copies. A copy with a buffer and
// CopyRegim other than 0 is input or output of an array section: the buffer
// is on the I/O processor only (docs/model.md#5-input-and-output).
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
		t, k.share, err = s.messages.root.Copy(from, source, to, target)
		if k.share != nil && k.share.Total == 0 {
			k.share = nil
		}
		k.sys = to.System
	case from == nil && to == nil:
		return k, object.Error(c, "handle", "neither side is an array, expected FromArrayHandlePtr or ToArrayHandlePtr")
	case regime != 0:
		k.kind = interval.IO
		if from != nil {
			t, err = s.messages.root.Gather(from, source, s.ioProcessor())
		} else {
			t, err = s.messages.root.Scatter(to, target, s.ioProcessor())
		}
	case from != nil:
		t, err = s.messages.root.CopyToAll(from, source, s.objects.Current())
	default:
		return k, nil
	}
	carried := to
	if from != nil {
		carried = from
	}
	k.demands, err = s.load(c, comm.Use{Element: units.Bytes(carried.ElemSize)}, t, err)
	return k, err
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

// inside books the time inside a copy: between arrays it is the work of each
// processor's part of the written section.
func (s *Sim) inside(k copyOf) func(units.Seconds) {
	if k.share == nil {
		return nil
	}
	redundant := redundantShare(k.share.Same)
	total := float64(k.share.Total)
	return func(t units.Seconds) {
		s.sayShare("time inside the copy", t, k.share, k.sys)
		s.clocks.AddBy(k.sys, k.share.Labels, func(labels []int64) clock.Amount {
			return clock.Amount{System: scaled(t, float64(k.share.Count(labels))/total), SystemRedundant: redundant}
		})
	}
}

// copyArray handles arrcpy_.
func copyArray(s *Sim, c *call.Call) (effect, error) {
	k, err := s.readCopy(c)
	if err != nil {
		return effect{}, err
	}
	s.synchronous(k.kind, k.demands...)
	return effect{inside: s.inside(k)}, nil
}

// startCopy handles aarrcp_.
func startCopy(s *Sim, c *call.Call) (effect, error) {
	k, err := s.readCopy(c)
	if err != nil {
		return effect{}, err
	}
	key, err := copyFlagOf(c)
	if err != nil {
		return effect{}, err
	}
	return effect{inside: s.inside(k)}, s.begin(c, key, k.kind, k.demands...)
}

// waitCopy handles waitcp_.
func waitCopy(s *Sim, c *call.Call) (effect, error) {
	key, err := copyFlagOf(c)
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.await(c, key)
}

// copyFlagOf returns the key of an asynchronous copy.
func copyFlagOf(c *call.Call) (flightKey, error) {
	h, ok := c.Handle("CopyFlagPtr")
	if !ok {
		return flightKey{}, object.Error(c, "handle", "no CopyFlagPtr is given, expected the flag of an asynchronous copy")
	}
	return flightKey{copyFlag: h}, nil
}
