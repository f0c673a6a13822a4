package units

import (
	"math"
	"strconv"
	"strings"
)

// significant is the number of significant digits of times shown to people.
const significant = 4

// scales are the units of times shown to people, the largest first, and how many
// of them make a second.
var scales = [...]struct {
	unit      string
	perSecond float64
}{{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}

// Bounds of times that are shown without an exponent: below a picosecond four
// digits would be zeros, and from ten million seconds on there would be more
// digits than are significant.
const (
	leastShown Seconds = 1e-12
	mostShown  Seconds = 1e7
)

// Show returns the time for people: a number with four significant digits (or
// all digits of whole seconds, when they are more) and the unit that makes it
// at least 1 and less than 1000: s, ms, us or ns. It is rounded first, so that
// 999.95 us is 1.000 ms. Zero is 0 s. A time that has no such form, as one below
// a picosecond, is in seconds with an exponent.
func (s Seconds) Show() (number, unit string) {
	b, unit := s.AppendShow(nil)
	return string(b), unit
}

// AppendShow is [Seconds.Show], with the number appended to b.
func (s Seconds) AppendShow(b []byte) (number []byte, unit string) {
	size := Seconds(math.Abs(float64(s)))
	switch {
	case s == 0:
		return append(b, '0'), "s"
	case !(size >= leastShown && size < mostShown):
		return strconv.AppendFloat(b, float64(s), 'e', significant-1, 64), "s"
	}
	for _, c := range scales {
		if float64(size)*c.perSecond < 0.999 && c.perSecond < 1e9 {
			continue // below 1 however it is rounded
		}
		number, whole := appendFixed(b, float64(s)*c.perSecond)
		if whole || c.perSecond == 1e9 {
			return number, c.unit
		}
	}
	panic("units: internal error: no unit for a time")
}

// appendFixed appends x without an exponent, with four significant digits or all
// those before the point when they are more, and says whether it is at least 1 after
// rounding.
func appendFixed(b []byte, x float64) (number []byte, whole bool) {
	// Far from a power of ten the number of digits is plain.
	switch size := math.Abs(x); {
	case size >= 1 && size < 9.999:
		return AppendDecimals(b, x, significant-1), true
	case size >= 10 && size < 99.99:
		return AppendDecimals(b, x, significant-2), true
	case size >= 100 && size < 999.9:
		return AppendDecimals(b, x, significant-3), true
	}
	// The exponent of the rounded number says where its digits begin.
	_, e, _ := strings.Cut(strconv.FormatFloat(x, 'e', significant-1, 64), "e")
	exponent, err := strconv.Atoi(e)
	if err != nil {
		panic("units: internal error: " + err.Error())
	}
	return strconv.AppendFloat(b, x, 'f', max(0, significant-1-exponent), 64), exponent >= 0
}

// AppendDecimals appends x with one to three digits behind the point, as
// strconv.AppendFloat does.
func AppendDecimals(b []byte, x float64, decimals int) []byte {
	power := tens[decimals]
	scaled := math.Abs(x) * float64(power)
	n := uint64(0)
	if scaled < 1e6 {
		n = uint64(scaled)
	}
	// The product is off by less than 1e-9. Halves, and what is too large, are left
	// to exact arithmetic.
	rest := scaled - float64(n)
	if !(rest < 0.5-1e-9 || rest > 0.5+1e-9 && rest < 1) {
		return strconv.AppendFloat(b, x, 'f', decimals, 64)
	}
	if rest > 0.5 {
		n++
	}
	if math.Signbit(x) {
		b = append(b, '-')
	}
	b = append(AppendDigits(b, n/power), '.')
	at := len(b)
	b = append(b, "000"[:decimals]...)
	putDigits(b[at:], n%power, decimals)
	return b
}

// Short returns the time as [Seconds.Show] gives it, in one string: "21.40 us".
func (s Seconds) Short() string {
	number, unit := s.Show()
	return number + " " + unit
}

// Exact returns the shortest decimal that reads back as the same number of
// seconds.
func (s Seconds) Exact() string { return strconv.FormatFloat(float64(s), 'g', -1, 64) }

// Percent returns a share of 1 in per cent with one digit behind the point:
// "12.3 %". A share that would round to 0 and is not is "<0.1 %", or ">-0.1 %".
func Percent(share float64) string { return string(append(AppendPercent(nil, share), " %"...)) }

// AppendPercent appends the number of [Percent], without its sign.
func AppendPercent(b []byte, share float64) []byte {
	const least = 0.0005
	switch {
	case share > 0 && share < least:
		return append(b, "<0.1"...)
	case share < 0 && share > -least:
		return append(b, ">-0.1"...)
	}
	return AppendDecimals(b, share*100, 1)
}

// Micros returns the time in microseconds, without a unit, with at most the given
// number of significant digits.
func (s Seconds) Micros(digits int) string {
	return strconv.FormatFloat(float64(s)*1e6, 'g', digits, 64)
}

// sizes are the units of sizes shown to people, the largest first, and how many
// bytes they have.
var sizes = [...]struct {
	unit  string
	bytes float64
}{{"EB", 1e18}, {"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}

// Short returns the size for people: whole bytes below 1000, else four
// significant digits and the decimal unit that makes the number at least 1 and
// less than 1000: "960 B", "7.200 kB".
func (b Bytes) Short() string {
	if b > -1000 && b < 1000 {
		return strconv.FormatInt(int64(b), 10) + " B"
	}
	for _, s := range sizes {
		if number, whole := appendFixed(nil, float64(b)/s.bytes); whole {
			return string(number) + " " + s.unit
		}
	}
	panic("units: internal error: no unit for a size")
}
