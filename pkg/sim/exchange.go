package sim

import (
	"fmt"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
	"dvmtools/pkg/options"
	"dvmtools/pkg/procs"
)

// flight is an asynchronous operation between its start and its wait
// (docs/model.md#6-operations).
type flight struct {
	key        flightKey
	by         site
	pos        diag.Pos
	kind       interval.Kind
	sys        *procs.System
	start, end clock.Instant
	snapshot   clock.Snapshot
	cost       *exchangesAt
}

// flightKey is what the start and the wait of an operation both name. One of
// the fields is set.
type flightKey struct {
	shadow    *object.ShadowGroup
	reduction *object.ReductionGroup
	buffer    *object.Buffer
	buffers   *object.BufferGroup
	// copyFlag is the address of the flag of an asynchronous copy.
	copyFlag uint64
}

// flights are the operations that are under way, and the loads of remote
// access buffers that had nothing to do and await their wait.
type flights struct {
	open      []flight
	noopLoads []flightKey
	// collective counts what pulled clocks together so far.
	collective int
	// halves are groups of shadow edges of which only one of recvsh_ and
	// sendsh_ has been there.
	halves map[*object.ShadowGroup]*halves
}

// find returns the first operation with the given key, nil for none.
func (f *flights) find(key flightKey) *flight {
	i := slices.IndexFunc(f.open, func(x flight) bool { return x.key == key })
	if i < 0 {
		return nil
	}
	return &f.open[i]
}

// take removes the first operation with the given key.
func (f *flights) take(key flightKey) (flight, bool) {
	i := slices.IndexFunc(f.open, func(x flight) bool { return x.key == key })
	if i < 0 {
		return flight{}, false
	}
	out := f.open[i]
	f.open = slices.Delete(f.open, i, i+1)
	return out, true
}

// takeNoop removes a load that had nothing to do.
func (f *flights) takeNoop(key flightKey) bool {
	i := slices.Index(f.noopLoads, key)
	if i >= 0 {
		f.noopLoads = slices.Delete(f.noopLoads, i, i+1)
	}
	return i >= 0
}

// site is where a call stands in the program and in the trace.
type site struct {
	name string
	seq  int64
	file string
	line int
}

func callSite(c *call.Call) site { return site{c.Func, c.Seq, c.File, c.Line} }

func (o site) String() string {
	return fmt.Sprintf("%s (call %d, %s:%d)", o.name, o.seq, o.file, o.line)
}

// synchronous does an operation during which the processors of the current
// system wait: sync(K), then comm(K, T).
func (s *Sim) synchronous(k interval.Kind, demands ...clock.Demand) {
	s.whileWaiting(s.countOperation(k), k, demands...)
}

// whileWaiting is synchronous without counting an operation; it costs x.
func (s *Sim) whileWaiting(x *exchangesAt, k interval.Kind, demands ...clock.Demand) {
	s.charge(x)
	sys := s.objects.Current()
	start := s.together(sys, k)
	if len(demands) > 0 {
		end := s.clocks.Exchange(sys, start, demands...)
		s.clocks.Delay(sys, k, start, end)
		if x != nil {
			s.placed(x, s.lines.call, sys, start, end, demands)
		}
	}
	s.clocks.Variation(sys, k)
	s.discharge(x)
}

// begin starts an asynchronous operation under key, which the wait names
// again. An operation that is still under way with the same key is an error.
func (s *Sim) begin(c *call.Call, key flightKey, k interval.Kind, demands ...clock.Demand) error {
	if err := s.refuseSecond(c, key); err != nil {
		return err
	}
	s.start(c, key, k, demands...)
	return nil
}

// start is begin for operations of which several may be under way with one key;
// waits end them in order.
func (s *Sim) start(c *call.Call, key flightKey, k interval.Kind, demands ...clock.Demand) {
	sys := s.objects.Current()
	x := s.countOperation(k)
	s.charge(x)
	start, snapshot := s.startAsync(sys, k)
	s.discharge(x)
	end := s.clocks.Exchange(sys, start, demands...)
	f := flight{key: key, by: callSite(c), pos: c.Pos, kind: k, sys: sys, start: start, end: end, snapshot: snapshot, cost: x}
	s.placed(x, f.by, sys, start, end, demands)
	s.flights.open = append(s.flights.open, f)
}

// refuseSecond returns an error when an operation with the same key is still under way.
func (s *Sim) refuseSecond(c *call.Call, key flightKey) error {
	if f := s.flights.find(key); f != nil {
		return object.Error(c, "start", "the operation begun at %v is still under way, expected its wait before", f.pos)
	}
	return nil
}

// startAsync returns when an asynchronous operation of sys starts: when the
// latest processor is there. With --async free the others go on.
func (s *Sim) startAsync(sys *procs.System, k interval.Kind) (clock.Instant, clock.Snapshot) {
	if s.cfg.Options.Async != options.Free {
		return s.together(sys, k), 0
	}
	s.flights.collective++
	start, snapshot := s.clocks.Late(sys, k)
	s.watch(start)
	if s.explained != nil {
		s.say("the latest processor of system %s is there at %v; the others go on (%s)", gridText(sys.Grid), start, k)
	}
	return start, snapshot
}

// together makes the processors of sys wait for the latest. When it is all of
// them no exchange can start earlier any more, but for those of an open loop's
// boundary iterations.
func (s *Sim) together(sys *procs.System, k interval.Kind) clock.Instant {
	s.flights.collective++
	start := s.clocks.Sync(sys, k)
	s.watch(start)
	if s.explained != nil {
		s.say("all processors of system %s wait for the latest: they start at %v (waiting is communication and synchronization, %s)", gridText(sys.Grid), start, k)
	}
	if sys.Ranks == nil && len(s.loop.edges) == 0 {
		s.clocks.Forget(start)
	}
	return start
}

// await ends the asynchronous operation under key.
func (s *Sim) await(c *call.Call, key flightKey) error {
	f, ok := s.flights.take(key)
	if !ok {
		return object.Error(c, "wait", "nothing was started that this could wait for, expected the start before")
	}
	s.complete(&f)
	return nil
}

// complete makes the processors of an operation wait for its end.
func (s *Sim) complete(f *flight) {
	if s.explained != nil {
		s.say("waits for the exchange begun by %s: from %v to %v; what has passed of it is overlap, the rest is communication (%s)", f.by, f.start, f.end, f.kind)
	}
	s.flights.collective++
	s.charge(f.cost)
	s.clocks.Await(f.sys, f.kind, f.start, f.end, f.snapshot)
	s.clocks.Variation(f.sys, f.kind)
	s.discharge(f.cost)
}

// completeAll ends what is still under way at the end of the program, with a
// warning for each.
func (s *Sim) completeAll() {
	for i := range s.flights.open {
		f := &s.flights.open[i]
		s.notes.warn(f.pos, "no-wait", "%s was never waited for; it is ended with the program", f.by)
		s.complete(f)
	}
	s.flights.open = nil
	s.abandonHalves()
}
