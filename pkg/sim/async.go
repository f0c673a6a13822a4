package sim

import (
	"fmt"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// flight is an asynchronous operation between its start and its wait (model
// section 6).
type flight struct {
	key        any
	by         origin
	pos        diag.Pos
	kind       interval.Kind
	sys        *procs.System
	start, end units.Seconds
	mark       Mark
}

// origin is the call that started an operation.
type origin struct {
	name string
	seq  int64
	file string
	line int
}

func originOf(c *call.Call) origin { return origin{c.Func, c.Seq, c.File, c.Line} }

func (o origin) String() string {
	return fmt.Sprintf("%s (call %d, %s:%d)", o.name, o.seq, o.file, o.line)
}

// costs returns when an exchange that starts at start on sys ends.
type costs func(start units.Seconds, sys *procs.System) (units.Seconds, error)

// synchronous does an operation during which the processors of the current
// system wait: sync(K), then comm(K, T).
func (s *Sim) synchronous(k interval.Kind, cost costs) error {
	s.tree.operation(k)
	return s.whileWaiting(k, cost)
}

// whileWaiting is synchronous without counting an operation.
func (s *Sim) whileWaiting(k interval.Kind, cost costs) error {
	sys := s.objects.Current()
	start := s.together(sys, k)
	end, err := cost(start, sys)
	if err != nil {
		return err
	}
	if end > start {
		s.clocks.Delay(sys, k, end-start)
	}
	s.clocks.Settle(sys, k)
	return nil
}

// begin starts an asynchronous operation under key, which the wait names
// again.
func (s *Sim) begin(c *call.Call, key any, k interval.Kind, cost costs) error {
	if i := s.flying(key); i >= 0 {
		return object.Error(c, "start", "the operation begun at %v is still under way, expected its wait before", s.flights[i].pos)
	}
	sys := s.objects.Current()
	s.tree.operation(k)
	start, mark := s.startAsync(sys, k)
	end, err := cost(start, sys)
	if err != nil {
		return err
	}
	s.flights = append(s.flights, flight{key: key, by: originOf(c), pos: c.Pos, kind: k, sys: sys, start: start, end: end, mark: mark})
	return nil
}

// startAsync returns when an asynchronous operation of sys starts: when the
// latest processor is there. With --async free the others go on.
func (s *Sim) startAsync(sys *procs.System, k interval.Kind) (units.Seconds, Mark) {
	if s.cfg.Options.Async != "free" {
		return s.together(sys, k), 0
	}
	start, mark := s.clocks.Late(sys, k)
	if s.explained != nil {
		s.say("the latest processor of system %s is there at %s; the others go on (%s)", gridText(sys.Grid), micro(start), k)
	}
	return start, mark
}

// together makes the processors of sys wait for the latest. When it is all of
// them no exchange can start earlier any more, but for those of an open loop's
// boundary iterations.
func (s *Sim) together(sys *procs.System, k interval.Kind) units.Seconds {
	start := s.clocks.Sync(sys, k)
	if s.explained != nil {
		s.say("all processors of system %s wait for the latest: they start at %s (waiting is communication and synchronization, %s)", gridText(sys.Grid), micro(start), k)
	}
	if sys.Ranks == nil && len(s.edges) == 0 {
		s.net.Forget(start)
	}
	return start
}

func (s *Sim) flying(key any) int {
	return slices.IndexFunc(s.flights, func(f flight) bool { return f.key == key })
}

// await ends the asynchronous operation under key.
func (s *Sim) await(c *call.Call, key any) error {
	i := s.flying(key)
	if i < 0 {
		return object.Error(c, "wait", "nothing was started that this could wait for, expected the start before")
	}
	f := s.flights[i]
	s.flights = slices.Delete(s.flights, i, i+1)
	s.land(&f)
	return nil
}

func (s *Sim) land(f *flight) {
	if s.explained != nil {
		s.say("waits for the exchange begun by %s: from %s to %s; what has passed of it is overlap, the rest is communication (%s)", f.by, micro(f.start), micro(f.end), f.kind)
	}
	s.clocks.Await(f.sys, f.kind, f.start, f.end, f.mark)
	s.clocks.Settle(f.sys, f.kind)
}

// landAll ends what is still under way at the end of the program, with a
// warning for each.
func (s *Sim) landAll() {
	for i := range s.flights {
		f := &s.flights[i]
		s.warned = append(s.warned, diag.Warn(f.pos, "model/no-wait", "%s was never waited for; it is ended with the program", f.by))
		s.land(f)
	}
	s.flights = nil
}

// copyFlag identifies an asynchronous copy by the address of its flag.
type copyFlag uint64

func flagOf(c *call.Call) (copyFlag, error) {
	h, ok := c.Handle("CopyFlagPtr")
	if !ok {
		return 0, object.Error(c, "handle", "no CopyFlagPtr is given, expected the flag of an asynchronous copy")
	}
	return copyFlag(h), nil
}

func (f copyFlag) String() string { return fmt.Sprintf("copy flag %x", uint64(f)) }
