package ndjson

import (
	"math"
	"strconv"
)

// maxDigits is the length of the longest integer of 64 bits.
const maxDigits = 20

// Number reads a number and returns its literal, which is valid JSON.
func (s *Scanner) Number() ([]byte, bool) {
	s.blank()
	d, i := s.data, s.pos
	s.start = i
	if i < len(d) && d[i] == '-' {
		i++
	}
	switch {
	case i < len(d) && d[i] == '0':
		i++
	case i < len(d) && d[i]-'1' < 9:
		for i++; i < len(d) && d[i]-'0' < 10; i++ {
		}
	case i > s.pos:
		return nil, s.unexpected(i, "a digit")
	default:
		return nil, s.unexpected(i, "a number")
	}
	if i < len(d) && d[i] == '.' {
		i++
		from := i
		for ; i < len(d) && d[i]-'0' < 10; i++ {
		}
		if i == from {
			return nil, s.unexpected(i, "a digit")
		}
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		from := i
		for ; i < len(d) && d[i]-'0' < 10; i++ {
		}
		if i == from {
			return nil, s.unexpected(i, "a digit")
		}
	}
	s.pos = i
	return d[s.start:i:i], true
}

// Int reads a number that is an integer of 64 bits, in any notation.
func (s *Scanner) Int() (int64, bool) {
	if s.Peek() != '0' {
		return 0, s.unexpected(s.pos, "an integer")
	}
	lit, ok := s.Number()
	if !ok {
		return 0, false
	}
	n, ok := parseInt(lit)
	if !ok {
		return 0, s.Fail("ndjson/value", "found %s, expected an integer of 64 bits", lit)
	}
	return n, true
}

// Float reads a number as the nearest float64.
func (s *Scanner) Float() (float64, bool) {
	lit, ok := s.Number()
	if !ok {
		return 0, false
	}
	f, ok := parseFloat(lit)
	if !ok {
		return 0, s.Fail("ndjson/value", "found %s, expected a number of at most 1.8e308", lit)
	}
	return f, true
}

// AppendInteger appends the JSON number lit as plain digits: 1e3 and 1000.0,
// which filters may make of 1000, become 1000 again, and -0.0 becomes 0. It
// returns dst as it was and false when lit is no integer or has more than 20
// digits.
func AppendInteger(dst, lit []byte) ([]byte, bool) {
	was := len(dst)
	if lit[0] == '-' {
		dst = append(dst, '-')
		lit = lit[1:]
	}
	first := len(dst)
	var scale int64 // the digits collected stand for themselves * 10^scale
	fraction := false
	for i, c := range lit {
		if c == '.' {
			fraction = true
			continue
		}
		if c == 'e' || c == 'E' {
			scale += exponent(lit[i+1:])
			break
		}
		if fraction {
			scale--
		}
		if c != '0' || len(dst) > first {
			dst = append(dst, c)
		}
	}
	if len(dst) == first {
		return append(dst[:was], '0'), true
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
		scale++
	}
	if scale < 0 || int64(len(dst)-first)+scale > maxDigits {
		return dst[:was], false
	}
	for range scale {
		dst = append(dst, '0')
	}
	return dst, true
}

// exponent returns the exponent of a JSON number. One that is too large becomes a
// number of the same sign whose size exceeds the length of any line.
func exponent(b []byte) int64 {
	const far = 1 << 40
	neg := b[0] == '-'
	if neg || b[0] == '+' {
		b = b[1:]
	}
	var n int64
	for _, c := range b {
		n = min(n*10+int64(c-'0'), far)
	}
	if neg {
		return -n
	}
	return n
}

// parseInt returns the value of a JSON number that is an integer of 64 bits.
func parseInt(lit []byte) (int64, bool) {
	if n := len(lit); n <= 18 {
		var v int64
		i := 0
		if lit[0] == '-' {
			i++
		}
		for ; i < n; i++ {
			d := lit[i] - '0'
			if d > 9 {
				break
			}
			v = v*10 + int64(d)
		}
		if i == n {
			if lit[0] == '-' {
				v = -v
			}
			return v, true
		}
	}
	var buf [maxDigits + 1]byte
	plain, ok := AppendInteger(buf[:0], lit)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseInt(string(plain), 10, 64)
	return v, err == nil
}

// tens are the powers of ten that float64 holds exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseFloat returns the float64 nearest to a JSON number; false when it is
// beyond the range.
func parseFloat(lit []byte) (float64, bool) {
	if f, ok := parseShort(lit); ok {
		return f, true
	}
	f, err := strconv.ParseFloat(string(lit), 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// parseShort is parseFloat where one multiplication or division by a power of
// ten gives the nearest float64 because both operands are exact.
func parseShort(lit []byte) (float64, bool) {
	if len(lit) > 24 {
		return 0, false
	}
	var mant uint64
	exp, i := 0, 0
	if lit[0] == '-' {
		i++
	}
	for ; i < len(lit); i++ {
		d := lit[i] - '0'
		if d > 9 {
			break
		}
		if mant >= 1<<53/10 {
			return 0, false
		}
		mant = mant*10 + uint64(d)
	}
	if i < len(lit) && lit[i] == '.' {
		for i++; i < len(lit); i++ {
			d := lit[i] - '0'
			if d > 9 {
				break
			}
			if mant >= 1<<53/10 {
				return 0, false
			}
			mant = mant*10 + uint64(d)
			exp--
		}
	}
	if i < len(lit) {
		e := exponent(lit[i+1:])
		if e < -40 || e > 40 {
			return 0, false
		}
		exp += int(e)
	}
	f := float64(mant)
	switch {
	case exp < -22 || exp > 22:
		return 0, false
	case exp < 0:
		f /= tens[-exp]
	default:
		f *= tens[exp]
	}
	if lit[0] == '-' {
		f = -f
	}
	return f, true
}
