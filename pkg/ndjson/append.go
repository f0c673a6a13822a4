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

// AppendString appends s as a JSON string. Bytes that are not UTF-8 are mapped
// as the package comment says and control characters are escaped. Nothing is
// escaped for HTML or JavaScript.
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
		n := uint64(float64(f*1e8) + 0.5)
		if n < uint64(len(shortTimes)) && shortTimes[n].value == f {
			t := &shortTimes[n]
			return append(dst, t.text[:]...)[:len(dst)+int(t.n)], true
		}
		if float64(n)/1e8 == f {
			return appendTicks(dst, n), true
		}
	} else if f == 0 && !math.Signbit(f) {
		return append(dst, '0'), true
	} else if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, false
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64), true
}

// shortTimes are the multiples of 1e-8 below 1e-5 by their number, which most times of
// traces are, as n bytes of text.
var shortTimes = func() (t [1000]struct {
	value float64
	text  [8]byte
	n     uint8
}) {
	for i := range t {
		t[i].value = float64(i) / 1e8
		if i > 0 {
			t[i].n = uint8(copy(t[i].text[:], appendFewTicks(nil, uint64(i))))
		}
	}
	return t
}()

// appendTicks appends n * 1e-8, where 0 < n < 1e14, as AppendFloat does.
func appendTicks(dst []byte, n uint64) []byte {
	if n < 10_000 {
		return appendFewTicks(dst, n)
	}
	whole, frac := n/100_000_000, uint32(n%100_000_000)
	if whole < 10 {
		dst = append(dst, '0'+byte(whole))
	} else {
		dst = strconv.AppendUint(dst, whole, 10)
	}
	if frac == 0 {
		return dst
	}
	high, low := frac/10_000, frac%10_000
	a, b, c, d := 2*(high/100), 2*(high%100), 2*(low/100), 2*(low%100)
	dst = append(dst, '.',
		twoDigits[a], twoDigits[a+1], twoDigits[b], twoDigits[b+1],
		twoDigits[c], twoDigits[c+1], twoDigits[d], twoDigits[d+1])
	end := len(dst)
	for dst[end-1] == '0' {
		end--
	}
	return dst[:end]
}

// twoDigits holds the numbers from 00 to 99.
const twoDigits = "0001020304050607080910111213141516171819" +
	"2021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859" +
	"6061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// appendFewTicks is appendTicks below 1e-4, where the form has an exponent:
// -5 for four digits.
func appendFewTicks(dst []byte, n uint64) []byte {
	exp := byte('8')
	switch {
	case n >= 1000:
		exp = '5'
	case n >= 100:
		exp = '6'
	case n >= 10:
		exp = '7'
	}
	for n%10 == 0 {
		n /= 10
	}
	switch {
	case n < 10:
		dst = append(dst, '0'+byte(n))
	case n < 100:
		dst = append(dst, '0'+byte(n/10), '.', '0'+byte(n%10))
	case n < 1000:
		dst = append(dst, '0'+byte(n/100), '.', '0'+byte(n/10%10), '0'+byte(n%10))
	default:
		dst = append(dst, '0'+byte(n/1000), '.', '0'+byte(n/100%10), '0'+byte(n/10%10), '0'+byte(n%10))
	}
	return append(dst, 'e', '-', '0', exp)
}
