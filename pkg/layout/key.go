package layout

import (
	"encoding/binary"
	"math"
)

// Keys spell values for those who remember what was computed from them: equal
// values have equal keys and different values different ones, whatever is
// appended before and behind. Every method appends its key to dst and returns
// the longer slice.

// AppendKey appends the rule's key.
func (r Rule) AppendKey(dst []byte) []byte {
	dst = append(dst, byte(r.Kind))
	dst = binary.AppendVarint(dst, int64(r.Dim))
	dst = binary.AppendVarint(dst, r.A)
	dst = binary.AppendVarint(dst, r.B)
	return binary.AppendVarint(dst, r.Step)
}

// AppendRulesKey appends the key of a list of rules.
func AppendRulesKey(dst []byte, rules []Rule) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(rules)))
	for _, r := range rules {
		dst = r.AppendKey(dst)
	}
	return dst
}

// AppendKey appends the weights' key. Weights that are nil are others than
// weights without elements.
func (w Weights) AppendKey(dst []byte) []byte {
	for _, list := range [...][]float64{w.Load, w.Sums} {
		dst = appendLen(dst, len(list), list == nil)
		for _, x := range list {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
		}
	}
	dst = appendLen(dst, len(w.Sizes), w.Sizes == nil)
	for _, n := range w.Sizes {
		dst = binary.AppendVarint(dst, n)
	}
	return binary.AppendVarint(dst, w.Divisor)
}

// AppendKey appends the iterations' key.
func (it Iterations) AppendKey(dst []byte) []byte {
	dst = binary.AppendVarint(dst, it.Init)
	dst = binary.AppendVarint(dst, it.Last)
	return binary.AppendVarint(dst, it.Step)
}

// AppendIntsKey appends the key of a list of numbers.
func AppendIntsKey[T int | int64](dst []byte, xs []T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(xs)))
	for _, x := range xs {
		dst = binary.AppendVarint(dst, int64(x))
	}
	return dst
}

// appendLen appends the length of a list, another one when there is none.
func appendLen(dst []byte, n int, none bool) []byte {
	if none {
		return binary.AppendVarint(dst, -1)
	}
	return binary.AppendVarint(dst, int64(n))
}

// Extent says how much a coordinate has along a grid dimension.
type Extent struct {
	// Indices is how many indices it owns of the dimension that is cut, 0
	// where none is.
	Indices int64
	// All is whether it owns everything along a dimension that is not cut.
	All bool
}

// Extent returns how much coordinate c has.
func (s *Ranges) Extent(c int) Extent {
	if s.Dim >= 0 {
		return Extent{Indices: s.Hi[c] - s.Lo[c]}
	}
	return Extent{All: s.Holds(c)}
}

// AppendKey appends the extent's key.
func (e Extent) AppendKey(dst []byte) []byte {
	all := byte(0)
	if e.All {
		all = 1
	}
	return binary.AppendVarint(append(dst, all), e.Indices)
}

// AppendKey appends the key of what the coordinates own.
func (s *Ranges) AppendKey(dst []byte) []byte {
	for _, n := range [...]int{s.Dim, s.First, s.Last} {
		dst = binary.AppendVarint(dst, int64(n))
	}
	dst = AppendMarksKey(dst, s.Gaps)
	dst = AppendIntsKey(dst, s.Lo)
	return AppendIntsKey(dst, s.Hi)
}

// AppendKey appends the mapping's key. Its number is no part of it: mappings that
// own the same have the same key.
func (m *Mapping) AppendKey(dst []byte) []byte {
	dst = AppendIntsKey(dst, m.Grid)
	dst = AppendIntsKey(dst, m.Size)
	dst = binary.AppendUvarint(dst, uint64(len(m.Ranges)))
	for k := range m.Ranges {
		dst = m.Ranges[k].AppendKey(dst)
	}
	return dst
}

// AppendMarksKey appends the key of a list of marks.
func AppendMarksKey(dst []byte, marks []bool) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(marks)))
	for _, m := range marks {
		b := byte(0)
		if m {
			b = 1
		}
		dst = append(dst, b)
	}
	return dst
}
