package par

import (
	"strconv"
	"strings"
)

// parseShifted returns the nearest floating-point number to the decimal text
// times ten to the power of shift, infinite when it is too large. It changes the
// exponent of the text and rounds once, so that a time in microseconds gives the
// same number as one written in seconds, and [formatShifted] has an exact
// inverse.
func parseShifted(text string, shift int) float64 {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e > 1e6 || e < -1e6 {
			// A mantissa of at most MaxNumber bytes cannot make up for such an
			// exponent.
			shift = 0
			e = 1e6
			if strings.HasPrefix(text[i+1:], "-") {
				e = -1e6
			}
		}
		mantissa, exponent = text[:i], e
	}
	// The lexer accepted the text, so that the only error left is that of a
	// number out of range; the result is then an infinity.
	x, _ := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exponent+shift), 64)
	return x
}

// formatShifted is the inverse of parseShifted: the shortest decimal that,
// read with -shift, gives x again.
func formatShifted(x float64, shift int) string {
	s := strconv.FormatFloat(x, 'e', -1, 64)
	i := strings.IndexByte(s, 'e')
	e, _ := strconv.Atoi(s[i+1:])
	digits := strings.Replace(s[:i], ".", "", 1)
	if x == 0 {
		return "0"
	}
	e += shift
	switch {
	case e < -5 || e > 15:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return digits + "e" + strconv.Itoa(e)
	case e < 0:
		return "0." + strings.Repeat("0", -e-1) + digits
	case e >= len(digits)-1:
		return digits + strings.Repeat("0", e-len(digits)+1)
	default:
		return digits[:e+1] + "." + digits[e+1:]
	}
}
