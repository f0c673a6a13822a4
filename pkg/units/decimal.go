package units

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"sync"
)

// AppendExact appends the shortest decimal that reads back as the same number, as
// strconv.AppendFloat(b, x, 'g', -1, 64) does, byte for byte, in less than half the
// time for numbers of a size that times have.
func AppendExact(b []byte, x float64) []byte {
	if x == 0 && !math.Signbit(x) {
		return append(b, '0')
	}
	digits, ten, ok := shortest(math.Abs(x))
	if !ok {
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	if x < 0 {
		b = append(b, '-')
	}
	// The longest has 17 digits, three zeros and a point, or an exponent.
	b = slices.Grow(b, 32)
	at := len(b)
	out := b[at : at+32]
	// The point is behind so many digits.
	n := countDigits(digits)
	switch point := n + ten; {
	case point < -3 || point > 6:
		putDigits(out[1:], digits, n)
		out[0] = out[1]
		at++
		if n > 1 {
			out[1] = '.'
			at += n
		}
		e, sign := point-1, byte('+')
		if e < 0 {
			e, sign = -e, '-'
		}
		// The sizes that shortest knows have exponents of two digits.
		return append(b[:at], 'e', sign, byte('0'+e/10), byte('0'+e%10))
	case point <= 0:
		copy(out, "0.000")
		putDigits(out[2-point:], digits, n)
		return b[:at+2-point+n]
	case ten >= 0:
		putDigits(out, digits, n)
		for i := range ten {
			out[n+i] = '0'
		}
		return b[:at+point]
	default:
		putDigits(out[1:], digits, n)
		for i := range point {
			out[i] = out[i+1]
		}
		out[point] = '.'
		return b[:at+n+1]
	}
}

// pairs are the numbers 0 to 99 with two digits each.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839" +
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// tens are the powers of ten that 64 bits hold.
var tens = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// countDigits returns how many digits n has.
func countDigits(n uint64) int {
	// 1233/4096 is just above log10(2), and log10 of n at most what its length says.
	count := bits.Len64(n|1) * 1233 >> 12
	if n >= tens[count] {
		count++
	}
	return max(1, count)
}

// putDigits writes the digits of n, of which there are count, to the front of b.
func putDigits(b []byte, n uint64, count int) {
	b = b[:count]
	for ; count > 8; count -= 8 {
		rest := n / 1e8
		putEight(b[count-8:count], uint32(n-rest*1e8))
		n = rest
	}
	for ; count > 1; count -= 2 {
		rest := n / 100
		pair := 2 * (n - 100*rest)
		b[count-2], b[count-1] = pairs[pair], pairs[pair+1]
		n = rest
	}
	if count == 1 {
		b[0] = byte('0' + n)
	}
}

// putEight writes a number below 1e8 with eight digits.
func putEight(b []byte, n uint32) {
	_ = b[7]
	high, low := n/1e4, n%1e4
	p, q, r, s := 2*(high/100), 2*(high%100), 2*(low/100), 2*(low%100)
	b[0], b[1] = pairs[p], pairs[p+1]
	b[2], b[3] = pairs[q], pairs[q+1]
	b[4], b[5] = pairs[r], pairs[r+1]
	b[6], b[7] = pairs[s], pairs[s+1]
}

// AppendDigits appends a whole number, as strconv.AppendUint does.
func AppendDigits(b []byte, n uint64) []byte {
	count := countDigits(n)
	at := len(b)
	b = slices.Grow(b, count)[:at+count]
	putDigits(b[at:], n, count)
	return b
}

// The binary exponents that shortest knows: of numbers from 2^-60 to 2^41, that is
// from 8.7e-19 to 2.1e12.
const (
	leastExponent = -60 - 52
	mostExponent  = 40 - 52
)

// A spacing is the distance 2^e of neighbouring numbers as a multiple of a power of
// ten: 2^e = r * 10^ten, 1 <= r < 10. hi and lo are the 128 bits of r * 2^124,
// rounded down.
type spacing struct {
	hi, lo uint64
	ten    int
}

// spacings are those of the exponents from [leastExponent] to [mostExponent].
var spacings = sync.OnceValue(func() *[mostExponent - leastExponent + 1]spacing {
	all := new([mostExponent - leastExponent + 1]spacing)
	ten, word := big.NewInt(10), new(big.Int).SetUint64(math.MaxUint64)
	for i := range all {
		// The exponents are negative: r = 10^k / 2^-e with the least k that makes
		// it 1 or more.
		e := uint(-(leastExponent + i))
		power, k := big.NewInt(1), 0
		for power.BitLen() <= int(e) {
			power.Mul(power, ten)
			k++
		}
		r := power.Lsh(power, 124)
		r.Rsh(r, e)
		all[i] = spacing{lo: new(big.Int).And(r, word).Uint64(), hi: new(big.Int).Rsh(r, 64).Uint64(), ten: -k}
	}
	return all
})

// shortest returns the shortest decimal digits * 10^ten that reads back as x and, of
// several, the one that is closest to x; ok is false when it does not know: x is not
// of a usual size, is a power of two, or the choice is too close for its 64 bits
// behind the point.
//
// All numbers between x-h and x+h read back as x, h being half the distance to its
// neighbours. With h between 0.5 and 5 units of 10^ten there is always a multiple of the
// unit between them, and at most one of ten units.
func shortest(x float64) (digits uint64, ten int, ok bool) {
	word := math.Float64bits(x)
	mantissa, e := word&(1<<52-1), int(word>>52)-1075
	if e < leastExponent || e > mostExponent || mantissa == 0 {
		return 0, 0, false
	}
	mantissa |= 1 << 52
	s := &spacings()[e-leastExponent]
	// x = (whole + part / 2^64) units.
	h1, l1 := bits.Mul64(mantissa, s.hi)
	h0, l0 := bits.Mul64(mantissa, s.lo)
	mid, carry := bits.Add64(l1, h0, 0)
	top := h1 + carry
	whole := top<<4 | mid>>60
	part := mid<<4 | l0>>60
	// h = halfWhole + halfPart / 2^64 units.
	halfWhole, halfPart := s.hi>>61, s.hi<<3|s.lo>>61
	// What is closer than this is left to others; the error is less than two.
	const close = 8

	rest := whole % 10
	if up := 10 - rest; rest < 5 {
		// The multiple of ten below is at a distance of rest + part.
		switch over, under := bits.Sub64(part, halfPart, 0); {
		case rest < halfWhole, rest == halfWhole && under == 1 && -over > close:
			digits, ten = trim(whole/10, s.ten+1)
			return digits, ten, true
		case rest == halfWhole && (over <= close || -over <= close):
			return 0, 0, false
		}
	} else {
		// The one above is at a distance of up - part.
		distanceWhole, distancePart := up, uint64(0)
		if part != 0 {
			distanceWhole, distancePart = up-1, -part
		}
		switch over, under := bits.Sub64(distancePart, halfPart, 0); {
		case distanceWhole < halfWhole, distanceWhole == halfWhole && under == 1 && -over > close:
			digits, ten = trim(whole/10+1, s.ten+1)
			return digits, ten, true
		case distanceWhole == halfWhole && (over <= close || -over <= close):
			return 0, 0, false
		}
	}
	const half = 1 << 63
	switch {
	case part < half-close:
		return whole, s.ten, true
	case part > half+close:
		return whole + 1, s.ten, true
	}
	return 0, 0, false
}

// trim takes the zeros off the end of a number greater than 0.
func trim(digits uint64, ten int) (uint64, int) {
	if rest := digits / 1e8; rest*1e8 == digits {
		digits, ten = rest, ten+8
	}
	for {
		rest := digits / 10
		if rest*10 != digits {
			return digits, ten
		}
		digits, ten = rest, ten+1
	}
}

// powers are 10^0 to 10^22, which are exact.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// AppendNine appends a number with nine significant digits, as a whole number and a
// power of ten, several times faster than strconv; the last digit may be one off. What
// is outside of 1e-13 to 1e8 it leaves to strconv.
func AppendNine(b []byte, x float64) []byte {
	if !(x >= 1e-13 && x < 1e8) {
		return strconv.AppendFloat(b, x, 'g', 9, 64)
	}
	// The power of ten by which x has nine digits before its point follows from its
	// power of two: 1233/4096 is just above log10(2). It may be one too large.
	two := int(math.Float64bits(x)>>52) - 1023
	shift := 8 - (two*1233)>>12
	n := uint64(float64(x*powers[shift]) + 0.5)
	if n >= 1e9 {
		shift--
		n = uint64(float64(x*powers[shift]) + 0.5)
	}
	at := len(b)
	b = append(b, "000000000"...)
	first := n / 1e8
	b[at] = byte('0' + first)
	putEight(b[at+1:], uint32(n-first*1e8))
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
		shift--
	}
	// The exponent is between -21 and 8.
	switch {
	case shift >= 10:
		return append(b, 'e', '-', byte('0'+shift/10), byte('0'+shift%10))
	case shift > 0:
		return append(b, 'e', '-', byte('0'+shift))
	case shift < 0:
		return append(b, 'e', byte('0'-shift))
	}
	return b
}
