package ptr

import (
	"encoding/binary"
	"math/bits"
)

// memory remembers blocks by their text. A block is remembered when it comes
// for the second time, since many come once only.
type memory struct {
	slots []slot // a power of 2; none while the trace is short
	size  int    // bytes of text that are remembered
	most  int    // limit of size
	kept  int    // slots with a block
	wait  int    // bytes of text to come before the trace is long
}

// slot is the place of one block. The hash of its text tells two neighbours, one of
// which it takes.
type slot struct {
	hash  uint64
	uses  uint8       // counts up when the block comes, down when another one does
	known *remembered // nil when it came only once
}

// remembered is a block with what tells it.
type remembered struct {
	fn    *function
	half  half
	text  []byte
	lines int // in text
	block *block
}

const (
	// longTrace is the size of traces, in bytes, from which it is worth while
	// to remember blocks.
	longTrace = 64 << 10
	// rememberText bounds the text that is remembered unless [Options] say
	// otherwise, rememberBlock that of one block. What is kept of a block needs
	// some ten times the memory of its text.
	rememberText  = 512 << 10
	rememberBlock = 4 << 10

	firstSlots = 1 << 8
	maxSlots   = 1 << 13
	mostUses   = 8
)

// worth says which of two slots another block takes: the one that is worth less.
func (s *slot) worth() int {
	switch {
	case s.hash == 0:
		return 0
	case s.known == nil:
		return 1
	}
	return 2 + int(s.uses)
}

// note counts n bytes of text that were read.
func (m *memory) note(n int) {
	if m.slots == nil && m.most > 0 {
		if m.wait -= n; m.wait <= 0 {
			m.slots = make([]slot, firstSlots)
		}
	}
}

// find returns the block of text behind an event line of fn. When it is not
// remembered but should be, find returns a place for it.
func (m *memory) find(fn *function, h half, text []byte) (*remembered, *slot) {
	if m.slots == nil || len(text) > rememberBlock {
		return nil, nil
	}
	hash := hashOf(text, fn.id<<2|uint64(h))
	at := hash & uint64(len(m.slots)-1)
	s, other := &m.slots[at], &m.slots[at^1]
	if other.hash == hash || s.hash != hash && other.worth() < s.worth() {
		s = other
	}
	switch r := s.known; {
	case s.hash == hash && r == nil:
		return nil, s
	case s.hash == hash:
		if r.fn == fn && r.half == h && string(r.text) == string(text) {
			s.uses = min(s.uses+1, mostUses)
			return r, nil
		}
	case s.uses > 0:
		s.uses--
	default:
		if r != nil {
			m.size -= len(r.text)
			m.kept--
		}
		*s = slot{hash: hash}
	}
	return nil, nil
}

// keep puts r into the place that find gave.
func (m *memory) keep(s *slot, r *remembered) {
	if m.size+len(r.text) > m.most {
		clear(m.slots)
		m.size, m.kept = 0, 0
		return
	}
	s.known = r
	m.size += len(r.text)
	if m.kept++; m.kept > len(m.slots)/2 && len(m.slots) < maxSlots {
		m.grow()
	}
}

// grow makes four times as many slots.
func (m *memory) grow() {
	old := m.slots
	m.slots = make([]slot, 4*len(old))
	for i := range old {
		if old[i].hash == 0 {
			continue
		}
		// Of slots of one size no more than two neighbours meet in a larger one.
		at := old[i].hash & uint64(len(m.slots)-1)
		if m.slots[at].hash != 0 {
			at ^= 1
		}
		m.slots[at] = old[i]
	}
}

// hashOf returns a hash of text and what.
func hashOf(text []byte, what uint64) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := what*k1 ^ uint64(len(text))
	for len(text) >= 16 {
		hi, lo := bits.Mul64(binary.LittleEndian.Uint64(text)^k0, binary.LittleEndian.Uint64(text[8:])^h)
		h = hi ^ lo
		text = text[16:]
	}
	var a, b uint64
	if len(text) >= 8 {
		a = binary.LittleEndian.Uint64(text)
		b = binary.LittleEndian.Uint64(text[len(text)-8:])
	} else {
		for _, c := range text {
			a = a<<8 | uint64(c)
		}
	}
	hi, lo := bits.Mul64(a^k0, b^h^k1)
	h = hi ^ lo
	hi, lo = bits.Mul64(h^k1, k0)
	return max(hi^lo, 1) // 0 is that of an empty slot
}
