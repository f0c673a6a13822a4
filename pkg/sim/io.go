package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// beginIO begins Fortran input or output: until its end everything that
// passes is I/O time of the I/O processor (docs/model.md#5-input-and-output).
func beginIO(s *Sim, _ *call.Call, _ *found) (effect, error) {
	return effect{then: func() { s.inIO = true }}, nil
}

// stepIO simulates a call between biof_ and eiof_.
func (s *Sim) stepIO(c *call.Call) error {
	s.inOut(beforeInIO, s.before(c))
	var e effect
	switch c.Class() {
	case libdvm.EndIO:
		s.inIO = false
		s.system(s.within(c))
		return nil
	case libdvm.DoLoop, libdvm.BeginIO:
	default:
		var err error
		if e, err = s.handle(c); err != nil {
			return err
		}
	}
	if !s.passMeasured(c) && !e.booked {
		s.inOut("time inside the call", s.within(c))
	}
	if e.then != nil {
		e.then()
	}
	return s.unmet(c)
}

// beforeInIO is what the user's time is between biof_ and eiof_.
const beforeInIO = "time in input and output"

// inOut passes t of I/O time on the I/O processor; the power of processors
// makes input and output no faster.
func (s *Sim) inOut(what string, spent spent) {
	p := s.ioProcessor()
	if s.measured != nil {
		s.measured.besides(p, spent, what == beforeInIO)
	}
	t := spent.merged + spent.of(p)
	if t == 0 {
		return
	}
	if s.explained != nil {
		s.say("%s %s: I/O time of processor %d alone, whatever its power", what, micro(t), p)
	}
	s.clocks.AddOne(p, clock.Amount{IO: t})
}

// ioProcessor returns the root's number of the I/O processor: processor 0 of
// the root, or the first of a system that lacks it.
func (s *Sim) ioProcessor() int {
	sys := s.objects.Current()
	if _, ok := sys.Contains(0); ok {
		return 0
	}
	return sys.Rank(0)
}

// ioCall handles an I/O function: the time inside it is I/O time of the I/O
// processor; a result is made known to all (docs/model.md#5-input-and-output).
func ioCall(s *Sim, c *call.Call, f *found) (effect, error) {
	s.inOut("time inside the call", s.within(c))
	if c.Row.Result == libdvm.ResultNone {
		return effect{booked: true}, nil
	}
	s.synchronous(interval.IO, s.broadcast(f.bytes))
	return effect{booked: true}, nil
}

// findResult finds how much an I/O function makes known to all.
func findResult(_ *Sim, c *call.Call, f *found) (err error) {
	if c.Row.Result != libdvm.ResultNone {
		f.bytes, err = resultBytes(c)
	}
	return err
}

const (
	statusBytes = 4
	itemBytes   = 8
)

// resultBytes is how much an I/O function makes known to all: a status of 4
// bytes, and what it read.
func resultBytes(c *call.Call) (units.Bytes, error) {
	b := units.Bytes(statusBytes)
	switch c.Row.Result {
	case libdvm.ResultBuffer:
		size, err := c.IntOr("Size", 0)
		if err != nil {
			return 0, err
		}
		count, err := c.IntOr("Count", 0)
		if err != nil {
			return 0, err
		}
		data, ok := units.MulBytes(units.Bytes(size), units.Bytes(count))
		if !ok || data > 1<<60 {
			return 0, object.Error(c, "volume", "Size=%d times Count=%d is no size of a transfer", size, count)
		}
		b += data
	case libdvm.ResultString:
		n, err := c.IntOr("N", 0)
		if err != nil {
			return 0, err
		}
		if n < 0 || n > 1<<60 {
			return 0, object.Error(c, "volume", "N=%d is no size of a transfer", n)
		}
		b += units.Bytes(n)
	case libdvm.ResultItems:
		if q := c.Args.Get("Format"); q != nil {
			b += itemBytes * units.Bytes(conversions(q.Val))
		}
	}
	return b, nil
}

// conversions counts the items that a scanf format assigns.
func conversions(format []byte) int {
	n := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			continue
		}
		i++
		if format[i] != '%' && format[i] != '*' {
			n++
		}
	}
	return n
}

// arrayIO handles dvm_dfread and dvm_dfwrite: I/O time on the I/O processor,
// then the blocks of the array are scattered from it or gathered on it, and
// the status is made known to all.
func arrayIO(s *Sim, c *call.Call) (effect, error) {
	a, err := s.objects.Array(c, "")
	if err != nil {
		return effect{}, err
	}
	s.inOut("time inside the call", s.within(c))
	if err := mapped(c, a); err != nil {
		return effect{}, err
	}
	move := s.messages.root.Gather
	if c.Row.Reads {
		move = s.messages.root.Scatter
	}
	t, err := move(a, traffic.All(a.Rank()), s.ioProcessor())
	d, err := s.load(c, comm.Use{Element: units.Bytes(a.ElemSize)}, t, err)
	if err != nil {
		return effect{}, err
	}
	s.synchronous(interval.IO, append(d, s.broadcast(statusBytes))...)
	return effect{booked: true}, nil
}

// sendMemory handles srmem_: the I/O processor sends memory to all.
func sendMemory(s *Sim, c *call.Call) (effect, error) {
	lengths, err := c.Ints(nil, "LengthArray")
	if err != nil {
		return effect{}, err
	}
	b := units.Bytes(0)
	for i, n := range lengths {
		if n < 0 || n > 1<<60 || b > 1<<60 {
			return effect{}, object.Error(c, "volume", "LengthArray[%d]=%d is no size of memory", i, n)
		}
		b += units.Bytes(n)
	}
	s.synchronous(interval.IO, s.broadcast(b))
	return effect{}, nil
}
