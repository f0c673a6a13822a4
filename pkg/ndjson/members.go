package ndjson

import "dvmtools/pkg/diag"

// Members reads the object that comes next. For a member whose key is
// names[i] it calls read(i), which reads the value and returns false after an
// error; other members are skipped. A name that comes twice is an error.
// Bit i of seen is set when names[i] was there; there are at most 64 names.
// Reading is fastest when the members come in the order of names.
func (s *Scanner) Members(names []string, read func(i int) bool) (seen uint64, ok bool) {
	return s.MembersAndOthers(names, nil, read)
}

// MembersAndOthers is [Scanner.Members] that appends the text of the members
// that are not in names to others, each with a comma before it, as [AppendOthers]
// writes them. others may be nil.
func (s *Scanner) MembersAndOthers(names []string, others *[]byte, read func(i int) bool) (seen uint64, ok bool) {
	if !s.Object() {
		return 0, false
	}
	next := 0
	for {
		i := next
		if i >= len(names) || !s.KeyIs(names[i]) {
			k, more := s.Key()
			if !more {
				return seen, s.err == nil
			}
			if i = index(names, k); i < 0 {
				from, record := s.start, string(k) == "record"
				if !s.Skip() {
					return seen, false
				}
				if others != nil && !record {
					*others = append(*others, ',')
					*others = append(*others, s.data[from:s.pos]...)
				}
				continue
			}
		}
		if seen&(1<<i) != 0 {
			return seen, s.Fail("ndjson/duplicate", "found a second %q, expected it once", names[i])
		}
		seen |= 1 << i
		next = i + 1
		if !read(i) {
			return seen, false
		}
	}
}

// AppendOthers appends members that [Scanner.MembersAndOthers] collected; comma
// says that dst has a member before them.
func AppendOthers(dst, others []byte, comma bool) []byte {
	if !comma && len(others) > 0 {
		others = others[1:]
	}
	return append(dst, others...)
}

func index(names []string, k []byte) int {
	for i, n := range names {
		if n == string(k) {
			return i
		}
	}
	return -1
}

// Require reports an error at the position at when one of names has its bit set
// in required and not in seen, for the first such name. what names the object.
func (s *Scanner) Require(at diag.Pos, what string, names []string, required, seen uint64) bool {
	for i, n := range names {
		if required&^seen&(1<<i) != 0 {
			return s.failAt(at.Col-1, "ndjson/missing", "found "+what+" without "+`"`+n+`"`+", expected one with it; did a filter remove it?")
		}
	}
	return true
}
