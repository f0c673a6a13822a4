package call

import (
	"bytes"
	"encoding/binary"

	"dvmtools/pkg/libdvm"
)

// blocks are the different parameters, with the lines beside them, of the calls of
// a recording. Programs do the same many times, so that they are few.
type blocks struct {
	kept   []half
	fixed  map[*fixed]int32
	byText map[string]int32
	key    []byte
}

// half is what one half of a call says beside its times.
type half struct {
	params Params
	text   [][]byte
}

// keep returns a copy of c that shares no memory with its reader, but its
// parameters with the calls before it, and the numbers of its two blocks.
func (b *blocks) keep(c *Call) (Call, [2]int32) {
	d := *c
	d.Before, d.Others, d.Own, d.Nested = bytes.Clone(c.Before), Others{bytes.Clone(c.Others.Others)}, c.Own.Clone(), nil
	for i := range c.Nested {
		d.Nested = append(d.Nested, c.Nested[i].Clone())
	}
	numbers := [2]int32{b.number(&c.Args, c.Text), b.number(&c.Ret, c.RetText)}
	args, ret := &b.kept[numbers[0]], &b.kept[numbers[1]]
	d.Args, d.Text, d.Ret, d.RetText = args.params, args.text, ret.params, ret.text
	return d, numbers
}

// number returns the number of a block; a new one is copied.
func (b *blocks) number(p *Params, text [][]byte) int32 {
	f := p.fixed
	if f != nil && sameLines(text, f.lines) {
		if n, ok := b.fixed[f]; ok {
			return n
		}
	} else {
		f = nil
	}
	b.key = p.appendKey(b.key[:0])
	for _, l := range text {
		b.key = appendBytesKey(b.key, l)
	}
	n, ok := b.byText[string(b.key)]
	if !ok {
		if b.byText == nil {
			b.byText, b.fixed = map[string]int32{}, map[*fixed]int32{}
		}
		n = int32(len(b.kept))
		b.byText[string(b.key)] = n
		b.kept = append(b.kept, half{*p.Clone(), cloneLines(text)})
	}
	if f != nil {
		b.fixed[f] = n
	}
	return n
}

// Block names the parameters of one half of a call, with the lines beside them. Halves
// with the same block are equal.
type Block struct{ f *fixed }

// Blocks returns the blocks of both halves of a call. It can tell only when they are
// empty or shared by calls that are alike ([Params.Fix]).
func (c *Call) Blocks() (args, ret Block, ok bool) {
	a, ok := blockOf(&c.Args, c.Text)
	if !ok {
		return args, ret, false
	}
	b, ok := blockOf(&c.Ret, c.RetText)
	return a, b, ok
}

func blockOf(p *Params, text [][]byte) (Block, bool) {
	if f := p.fixed; f != nil {
		return Block{f}, sameLines(text, f.lines)
	}
	return Block{}, len(p.list) == 0 && len(text) == 0
}

// AppendKey appends a key that calls share only when they are equal but for their
// times, numbers and positions. Calls inside of them are left out.
func (c *Call) AppendKey(dst []byte) []byte {
	dst = appendBytesKey(appendBytesKey(appendBytesKey(dst, []byte(c.Func)), []byte(c.File)), []byte(c.RetFile))
	dst = binary.AppendVarint(binary.AppendVarint(append(dst, byte(c.Only)), int64(c.Line)), int64(c.RetLine))
	for _, half := range [...]half{{c.Args, c.Text}, {c.Ret, c.RetText}} {
		dst = binary.AppendUvarint(half.params.appendKey(dst), uint64(len(half.text)))
		for _, l := range half.text {
			dst = appendBytesKey(dst, l)
		}
	}
	return dst
}

// sameLines reports whether two lists of lines are one.
func sameLines(a, b [][]byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// appendKey appends a key that parameters share only when [Params.Equal] holds.
func (p *Params) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.list)))
	for i := range p.list {
		q := &p.list[i]
		dst = append(appendBytesKey(dst, []byte(q.Key)), byte(q.Kind), byte(q.Shape))
		dst = appendBytesKey(dst, q.Val)
		dst = binary.AppendUvarint(dst, uint64(q.Len()))
		for _, e := range p.Elems(q) {
			dst = appendBytesKey(dst, e)
		}
		rows := p.Rows(q)
		dst = binary.AppendUvarint(dst, uint64(len(rows)))
		for _, r := range rows {
			dst = binary.AppendUvarint(dst, uint64(r))
		}
	}
	return dst
}

func appendBytesKey(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// AppendKeyBut appends a key that parameters share only when they are equal but
// for the values of handles and pointers that are left out ([Params.HandlesOf]).
func (p *Params) AppendKeyBut(dst []byte, out func(*Param) bool) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.list)))
	for i := range p.list {
		q := &p.list[i]
		dst = append(appendBytesKey(dst, []byte(q.Key)), byte(q.Kind), byte(q.Shape))
		values, without := p.values(q), out(q)
		dst = binary.AppendUvarint(dst, uint64(len(values)))
		for _, v := range values {
			if _, ok := handle(q, v); ok && without {
				v = nil
			}
			dst = appendBytesKey(dst, v)
		}
		rows := p.Rows(q)
		dst = binary.AppendUvarint(dst, uint64(len(rows)))
		for _, r := range rows {
			dst = binary.AppendUvarint(dst, uint64(r))
		}
	}
	return dst
}

// HandlesOf returns the values of a parameter that is a handle or a pointer, or an
// array of them, and nothing for other kinds.
func (p *Params) HandlesOf(q *Param) []uint64 {
	var out []uint64
	for _, v := range p.values(q) {
		if h, ok := handle(q, v); ok {
			out = append(out, h)
		}
	}
	return out
}

// values returns the value of a scalar, or the elements of an array.
func (p *Params) values(q *Param) [][]byte {
	if q.Shape == libdvm.Scalar {
		return [][]byte{q.Val}
	}
	return p.Elems(q)
}

// handle returns the value v of q when it is that of a handle or a pointer.
func handle(q *Param, v []byte) (uint64, bool) {
	if q.Kind != libdvm.Handle && q.Kind != libdvm.Pointer {
		return 0, false
	}
	return parseHex(v)
}
