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
	next  [4]*record // those that came after this one last
}

// front makes k the one that came last.
func (r *record) front(k *record) {
	if r.next[0] == k {
		return
	}
	move := k
	for i, o := range r.next {
		r.next[i], move = move, o
		if o == k {
			return
		}
	}
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
		if b := s.before; b != nil {
			b.front(k)
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

// guess returns the block that probably begins where t does, behind the event line that
// was read last: if an event line comes behind it, it is that one.
func (s *records) guess(t []byte) *remembered {
	k := s.at
	if k == nil {
		return nil
	}
	if startsWith(t, k.known.text) {
		return k.known
	}
	for _, o := range s.before.next {
		if o != nil && o != k && o.head == k.head && o.tail == k.tail && startsWith(t, o.known.text) {
			s.at = o
			s.before.front(o)
			return o.known
		}
	}
	return nil
}

// startsWith reports whether t begins with text, and more comes.
func startsWith(t, text []byte) bool {
	return len(t) > len(text) && string(t[:len(text)]) == string(text)
}

// follow reads the event line that t begins with into e if it is one that came after
// the record s.at before. It returns the size of the line with its LF, or -1.
func (s *records) follow(e *entry, t []byte) int {
	for _, k := range s.at.next {
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
			s.at.front(k)
			s.before, s.at = s.at, k
			return end + 1
		}
	}
	return -1
}
