package par

import (
	"strconv"
	"strings"
)

// parseShifted returns the nearest floating-point number to the decimal text
// times ten to the power of shift, infinite when it is too large. Shifting the
// text and not the number makes a time read in microseconds the same as one
// written in seconds, and lets formatting be undone exactly for every value.
func parseShifted(text string, shift int) float64 {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil || e > 1e6 || e < -1e6 {
			// MaxNumber keeps the mantissa from making up for such an
			// exponent.
			shift = 0
			e = 1e6
			if strings.HasPrefix(text[i+1:], "-") {
				e = -1e6
			}
		}
		mantissa, exponent = text[:i], e
	}
	// The only error for a text that the lexer passed is that of the range,
	// where the result is an infinity.
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
