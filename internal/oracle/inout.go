package oracle

import (
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
)

// srmem sends memory of the I/O processor to all.
func (e *engine) srmem(c *call.Call) error {
	sum := 0
	for _, n := range numbers(c, "LengthArray") {
		sum += n
	}
	e.tell(int64(sum))
	return nil
}

// tell is a broadcast from the I/O processor.
func (e *engine) tell(bytes int64) {
	e.count(interval.IO)
	start := e.sync(interval.IO)
	e.comm(interval.IO, e.spreadOut(start, bytes)-start)
}

// spreadOut places a broadcast from the I/O processor.
func (e *engine) spreadOut(start float64, bytes int64) float64 {
	s := e.current()
	if e.opts.Collectives == options.Tree {
		return start + float64(float64(rounds(len(s.procs)))*e.network.slowest(s.procs, bytes))
	}
	return e.network.exchange(start, s.set(), broadcast(e.ioProcessor(), s.procs, bytes), informing)
}

// answer is how many bytes a function of standard I/O makes known to all, and
// whether it returns anything.
func answer(c *call.Call) (int64, bool) {
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
	e.io(float64(c.RetTime))
	if bytes, ok := answer(c); ok {
		e.tell(bytes)
	}
	return nil
}

// arrayIO is dvm_dfread and dvm_dfwrite.
func (e *engine) arrayIO(c *call.Call) error {
	a, err := findArray(e, c, "ArrayHandlePtr", "ArrayHeader")
	if err != nil {
		return err
	}
	e.io(float64(c.RetTime))
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
	e.comm(interval.IO, e.spreadOut(end, 4)-start)
	return nil
}
