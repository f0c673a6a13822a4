package ndjson

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

const (
	// byteBase is the character that stands for the byte 0 (package comment,
	// Bytes in strings).
	byteBase = 0xF700
	byteLast = byteBase + 0xFF
)

// AppendString appends s as a JSON string. Bytes that are no UTF-8 are mapped
// as the package comment says, control characters are escaped, everything
// else stands as it is: there is no escaping for HTML or JavaScript.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	from := len(dst)
	dst = append(dst, s...)
	if i := plain(dst[from:]); i < len(s) {
		dst = appendEscaped(dst[:from+i], s[i:])
	}
	return append(dst, '"')
}

// appendEscaped appends the inside of the JSON string of s.
func appendEscaped[S ~string | ~[]byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			var b [utf8.UTFMax]byte
			r, n := utf8.DecodeRune(b[:copy(b[:], s[i:])])
			if r == utf8.RuneError && n == 1 || r >= byteBase && r <= byteLast {
				for _, c := range b[:n] {
					dst = utf8.AppendRune(dst, byteBase+rune(c))
				}
			} else {
				dst = append(dst, b[:n]...)
			}
			i += n
			continue
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// plain returns the number of bytes at the beginning of b that stand for
// themselves in a JSON string: ASCII without control characters, quotes and
// backslashes.
func plain(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// special sets the top bit of the lowest of the eight bytes in w that does
// not stand for itself in a JSON string; 0 means that all do. Bits above that
// one mean nothing, because the subtractions borrow.
func special(w uint64) uint64 {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	quote := w ^ '"'*ones
	slash := w ^ '\\'*ones
	return (w | (w-' '*ones)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & tops
}

// AppendFloat appends x in the shortest form that reads as the same float64,
// the bytes of strconv.AppendFloat(dst, x, 'g', -1, 64). It returns dst as it
// was and false for NaN and infinities, which JSON cannot hold.
func AppendFloat[F ~float64](dst []byte, x F) ([]byte, bool) {
	f := float64(x)
	// Times of traces are multiples of 1e-8 (TimePrecision=8). Decimals of at
	// most 15 digits are all different as float64, so one that reads as f is
	// the shortest that does.
	if f >= 1e-8 && f < 1e6 {
		if n := uint64(float64(f*1e8) + 0.5); float64(n)/1e8 == f {
			return appendTicks(dst, n), true
		}
	} else if f == 0 && !math.Signbit(f) {
		return append(dst, '0'), true
	} else if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, false
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64), true
}

// appendTicks appends n * 1e-8, where 0 < n < 1e14, as AppendFloat does.
func appendTicks(dst []byte, n uint64) []byte {
	if n >= 10_000 {
		dst = strconv.AppendUint(dst, n/100_000_000, 10)
		if n %= 100_000_000; n == 0 {
			return dst
		}
		var frac [9]byte
		frac[0] = '.'
		end := 0
		for i := 8; i > 0; i-- {
			d := byte('0' + n%10)
			if n /= 10; d != '0' && end == 0 {
				end = i + 1
			}
			frac[i] = d
		}
		return append(dst, frac[:end]...)
	}
	// Below 1e-4 the form has an exponent: -5 for four digits.
	exp := byte('8')
	for m := n; m >= 10; m /= 10 {
		exp--
	}
	for n%10 == 0 {
		n /= 10
	}
	at := len(dst)
	dst = strconv.AppendUint(dst, n, 10)
	if len(dst) > at+1 {
		dst = append(dst, 0)
		copy(dst[at+2:], dst[at+1:])
		dst[at+1] = '.'
	}
	return append(dst, 'e', '-', '0', exp)
}
