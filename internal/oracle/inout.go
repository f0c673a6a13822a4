package oracle

import (
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
)

// srmem sends memory of the I/O processor to all processors.
func (e *engine) srmem(c *call.Call) error {
	sum := 0
	for _, n := range numbers(c, "LengthArray") {
		sum += n
	}
	e.broadcastIO(int64(sum))
	return nil
}

// broadcastIO is a broadcast from the I/O processor as an I/O operation.
func (e *engine) broadcastIO(bytes int64) {
	e.count(interval.IO)
	start := e.sync(interval.IO)
	e.comm(interval.IO, e.broadcastEnd(start, bytes)-start)
}

// broadcastEnd places the messages of a broadcast from the I/O processor that
// begins at start, and returns when it ends.
func (e *engine) broadcastEnd(start float64, bytes int64) float64 {
	s := e.current()
	if e.opts.Collectives == options.Tree {
		return start + float64(float64(rounds(len(s.procs)))*e.network.slowest(s.procs, bytes))
	}
	return e.network.exchange(start, s.set(), broadcast(e.ioProcessor(), s.procs, bytes), informing)
}

// madeKnown returns how many bytes a function of standard I/O broadcasts to all
// processors, and whether it broadcasts anything.
func madeKnown(c *call.Call) (int64, bool) {
	switch name := strings.TrimPrefix(c.Func, "dvm_"); name {
	case "void_printf", "void_fprintf", "void_vprintf", "void_vfprintf", "rewind", "clearerr", "setbuf":
		return 0, false
	case "fread":
		return 4 + int64(number(c, "Size"))*int64(number(c, "Count")), true
	case "fgets":
		return 4 + int64(number(c, "N")), true
	case "fscanf", "scanf":
		if p := c.Args.Get("Format"); p != nil {
			f := strings.NewReplacer("%%", "", "%*", "").Replace(string(p.Val))
			return 4 + 8*int64(strings.Count(f, "%")), true
		}
	}
	return 4, true
}

func (e *engine) inout(c *call.Call) error {
	e.io(e.within)
	if bytes, ok := madeKnown(c); ok {
		e.broadcastIO(bytes)
	}
	return nil
}

// arrayIO is dvm_dfread and dvm_dfwrite.
func (e *engine) arrayIO(c *call.Call) error {
	a, err := findArray(e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	e.io(e.within)
	io := e.ioProcessor()
	ms := messages{}
	for _, owners := range a.owner() {
		if c.Func == "dvm_dfread" {
			for _, p := range owners.each() {
				ms.add(io, p, a.bytes)
			}
		} else if !owners.has(io) && owners != 0 {
			ms.add(e.nearest(owners, io), io, a.bytes)
		}
	}
	e.count(interval.IO)
	start := e.sync(interval.IO)
	end := e.network.exchange(start, e.current().set(), ms, plainMessages)
	e.comm(interval.IO, e.broadcastEnd(end, 4)-start)
	return nil
}
