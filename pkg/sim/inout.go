package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

// ioCall handles an I/O function: the time inside it is I/O time of the I/O
// processor; a result is made known to all (model section 5).
func ioCall(s *Sim, c *call.Call) error {
	s.inOut("time inside the call", c.RetTime)
	if c.Row.Result == libdvm.ResultNone {
		return nil
	}
	b, err := resultBytes(c)
	if err != nil {
		return err
	}
	return s.synchronous(interval.IO, s.broadcast(b))
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
func arrayIO(s *Sim, c *call.Call) error {
	a, err := s.objects.Array(c, "")
	if err != nil {
		return err
	}
	s.inOut("time inside the call", c.RetTime)
	if err := mapped(c, a); err != nil {
		return err
	}
	move := s.root.Gather
	if c.Row.Reads {
		move = s.root.Scatter
	}
	t, err := move(a, traffic.All(a.Rank()), s.ioProcessor())
	blocks, status := s.exchange(c, t, err), s.broadcast(statusBytes)
	return s.synchronous(interval.IO, func(start units.Seconds, sys *procs.System) (units.Seconds, error) {
		end, err := blocks(start, sys)
		if err != nil {
			return end, err
		}
		return status(end, sys)
	})
}

// sendStore handles srmem_: the I/O processor sends memory to all.
func sendStore(s *Sim, c *call.Call) error {
	lengths, err := c.Ints(nil, "LengthArray")
	if err != nil {
		return err
	}
	b := units.Bytes(0)
	for i, n := range lengths {
		if n < 0 || n > 1<<60 || b > 1<<60 {
			return object.Error(c, "volume", "LengthArray[%d]=%d is no size of memory", i, n)
		}
		b += units.Bytes(n)
	}
	return s.synchronous(interval.IO, s.broadcast(b))
}
