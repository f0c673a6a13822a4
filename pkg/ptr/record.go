package ptr

import "slices"

// record is an event line and the block behind it, its time excepted, as they came
// before. Records come in the order in which they came before, so that most lines
// are read by comparing them with those of one record.
type record struct {
	head *head
	tail *tail
	// known is the block, one that is remembered.
	known *remembered
	next  [2]*record // those that came after this one last
}

// recordKey identifies a record.
type recordKey struct {
	head  *head
	tail  *tail
	known *remembered
	// before is the block of the record before it: what answers a call, and what
	// comes behind that, depends on what was asked.
	before *remembered
}

// records finds records.
type records struct {
	of map[recordKey]*record
	// before is the record before the last event line that was read, and at is what
	// that line probably begins; both are nil when that is not known.
	before, at *record
}

// maxRecords bounds the memory for records.
const maxRecords = 1 << 14

// settle notes that the entry e turned out to have the block known, nil for one that
// is not remembered, and that the event line behind it is next, nil for none.
func (s *records) settle(e *entry, known *remembered, next *entry) {
	var k *record
	if known != nil {
		key := recordKey{head: e.head, tail: e.tail, known: known}
		if b := s.before; b != nil {
			key.before = b.known
		}
		k = s.find(key)
		if b := s.before; b != nil && b.next[0] != k {
			b.next[0], b.next[1] = k, b.next[0]
		}
	}
	s.before = k
	s.expect(next)
}

func (s *records) find(key recordKey) *record {
	k := s.of[key]
	if k == nil {
		if s.of == nil || len(s.of) >= maxRecords {
			s.of = map[recordKey]*record{}
		}
		k = &record{head: key.head, tail: key.tail, known: key.known}
		s.of[key] = k
	}
	return k
}

// expect finds the record that the event line e probably begins.
func (s *records) expect(e *entry) {
	s.at = nil
	if s.before == nil || e == nil {
		return
	}
	if i := slices.IndexFunc(s.before.next[:], func(k *record) bool { return k != nil && k.head == e.head && k.tail == e.tail }); i >= 0 {
		s.at = s.before.next[i]
	}
}

// follow reads the event line that t begins with into e if it is one that came after
// the record s.at before. It returns the size of the line with its LF, or -1.
func (s *records) follow(e *entry, t []byte) int {
	next := &s.at.next
	for i, k := range next {
		if k == nil {
			break
		}
		if len(t) <= len(k.head.text) || string(t[:len(k.head.text)]) != k.head.text {
			continue
		}
		time, digits, n := quickTime(t, len(k.head.text))
		if n < 0 {
			return -1
		}
		if end := n + len(k.tail.text); end < len(t) && t[end] == '\n' && string(t[n:end]) == k.tail.text {
			e.head, e.tail, e.time, e.digits = k.head, k.tail, time, uint8(digits)
			if i > 0 {
				next[0], next[i] = k, next[0]
			}
			s.before, s.at = s.at, k
			return end + 1
		}
	}
	return -1
}
