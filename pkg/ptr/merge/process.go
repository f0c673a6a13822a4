package merge

import (
	"errors"
	"io"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/ptr"
)

// process is the trace of one process, read ahead as far as matching needs.
type process struct {
	index int // 0 is process 0
	name  string
	// stated is the process number that the trace states. It is known as soon
	// as the first call of the program is read.
	stated int
	src    io.Closer
	rd     *ptr.Reader

	// The calls read ahead: copies in queue, or the reader's own call in
	// direct as long as no other one was read.
	queue  []*copied
	free   []*copied
	direct *call.Call
	taken  int64 // calls taken from the head

	// ended is set when the program's end was read. after is the first call
	// after it, for process 0 only.
	ended bool
	after *call.Call

	// level is the number of tasks that the process runs in.
	level int
	// canon maps the process's own handles to their canonical names, made maps
	// some to their invented names.
	canon map[uint64]uint64
	made  map[uint64]uint64
}

// peek returns the next call after k others, or nil when the program ends before
// it. The call is valid until it is taken.
func (p *process) peek(k int) (*call.Call, error) {
	for {
		switch {
		case k < len(p.queue):
			return &p.queue[k].c, nil
		case k == 0 && p.direct != nil:
			return p.direct, nil
		case p.direct != nil:
			p.push(p.direct)
			p.direct = nil
		case p.ended:
			return nil, nil
		default:
			c, err := p.read()
			if err != nil {
				return nil, err
			}
			if c == nil {
				continue
			}
			if len(p.queue) == 0 {
				p.direct = c
			} else {
				p.push(c)
			}
		}
	}
}

// head returns the next call, nil at the program's end.
func (p *process) head() (*call.Call, error) {
	if p.direct != nil {
		return p.direct, nil
	}
	return p.peek(0)
}

// take removes the head.
func (p *process) take() {
	p.taken++
	if p.direct != nil {
		p.direct = nil
		return
	}
	p.free = append(p.free, p.queue[0])
	p.queue = slices.Delete(p.queue, 0, 1)
}

// read returns the reader's next call of the program, nil at its end. Of
// process 0 the calls before ret_dvm_Init are returned too.
func (p *process) read() (*call.Call, error) {
	for {
		c, err := p.rd.Next()
		if errors.Is(err, io.EOF) {
			p.ended = true
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !c.Outside {
			return c, nil
		}
		if !p.rd.Exit().Found && p.stated == unknownProcess {
			p.stated = statedProcess(c)
		}
		if p.rd.Exit().Found {
			p.ended = true
			if p.index == 0 {
				p.after = c
			}
			return nil, nil
		}
		if p.index == 0 {
			return c, nil
		}
	}
}

func (p *process) push(c *call.Call) {
	var d *copied
	if n := len(p.free); n > 0 {
		d, p.free = p.free[n-1], p.free[:n-1]
	} else {
		d = new(copied)
	}
	d.set(c)
	p.queue = append(p.queue, d)
}

// copied is a call with its own memory, which is reused.
type copied struct {
	c     call.Call
	arena []byte
}

// set makes d a copy of c.
func (d *copied) set(c *call.Call) {
	d.arena = d.arena[:0]
	args, ret, text, retText := d.c.Args, d.c.Ret, d.c.Text, d.c.RetText
	d.c = *c
	d.c.Args, d.c.Ret = args, ret
	copyParams(&d.c.Args, &c.Args, d.keep)
	copyParams(&d.c.Ret, &c.Ret, d.keep)
	d.c.Text = d.lines(text[:0], c.Text)
	d.c.RetText = d.lines(retText[:0], c.RetText)
	d.c.Nested = cloneCalls(c.Nested)
}

// keep returns a copy of b in d's memory.
func (d *copied) keep(_ *call.Param, b []byte) []byte {
	n := len(d.arena)
	d.arena = append(d.arena, b...)
	return d.arena[n:len(d.arena):len(d.arena)]
}

func (d *copied) lines(dst, src [][]byte) [][]byte {
	for _, l := range src {
		dst = append(dst, d.keep(nil, l))
	}
	return dst
}

// copyParams makes dst a copy of src in which value has replaced each value.
func copyParams(dst, src *call.Params, value func(*call.Param, []byte) []byte) {
	dst.Reset()
	for i := range src.Len() {
		s := src.At(i)
		if s.Shape == libdvm.Scalar {
			dst.Add(s.Key, s.Kind, value(s, s.Val))
			continue
		}
		dst.AddArray(s.Key, s.Kind, s.Shape)
		q := dst.At(dst.Len() - 1)
		ends := src.Rows(s)
		for j, e := range src.Elems(s) {
			if len(ends) > 0 && (j == 0 || int(ends[0]) == j) {
				if j > 0 {
					ends = ends[1:]
				}
				dst.AddRow(q)
			}
			dst.AddElem(q, value(s, e))
		}
	}
}

// cloneCalls returns copies of nested calls with their own memory.
func cloneCalls(calls []call.Call) []call.Call {
	if len(calls) == 0 {
		return nil
	}
	out := make([]call.Call, len(calls))
	for i := range calls {
		d := new(copied)
		d.set(&calls[i])
		out[i] = d.c
	}
	return out
}
