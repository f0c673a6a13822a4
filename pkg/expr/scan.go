package expr

import (
	"fmt"
	"strconv"
)

// A Number is a number as it is written: an integer, decimal or hexadecimal,
// or a float.
type Number struct {
	Value
	Hex bool
}

// String returns the number in the form in which the language is printed.
func (n Number) String() string {
	if n.Hex {
		return fmt.Sprintf("0x%X", n.i)
	}
	return n.Value.String()
}

// IsDigit says whether c is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsLetter says whether c can begin a word: a letter or an underscore.
func IsLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// StartsNumber says whether a number without a sign begins at the start of s.
func StartsNumber(s string) bool {
	return s != "" && (IsDigit(s[0]) || s[0] == '.' && len(s) > 1 && IsDigit(s[1]))
}

// Word returns the word at the start of s: a letter or "_" and the letters,
// digits and "_" behind it; "" when there is none.
func Word(s string) string {
	if s == "" || !IsLetter(s[0]) {
		return ""
	}
	i := 1
	for i < len(s) && (IsLetter(s[i]) || IsDigit(s[i])) {
		i++
	}
	return s[:i]
}

// ScanNumber reads the number, without a sign, at the start of s, which must
// begin with a digit or a point and a digit. It returns the number of bytes
// read and, when they are no number in range, a message that says so with
// what was expected; the bytes are still to be skipped.
//
//	integer = digit { digit } | "0x" hexdigit { hexdigit } .
//	float   = digits "." [ digits ] [ exponent ] | "." digits [ exponent ]
//	        | digits exponent .
//
// A hexadecimal digit may be in either case, the e of an exponent too. An
// integer is at most 2^63-1.
func ScanNumber(s string) (n Number, width int, problem string) {
	if len(s) >= 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		return scanHex(s)
	}
	i := digits(s, 0)
	isFloat := false
	if i < len(s) && s[i] == '.' {
		isFloat = true
		i = digits(s, i+1)
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if end := digits(s, j); end > j {
			isFloat = true
			i = end
		}
	}
	if end := runOn(s, i); end > i {
		return Number{}, end, fmt.Sprintf("found %s, expected a number; put a blank or an operator behind %s", quote(s[:end]), quote(s[:i]))
	}
	if isFloat {
		f, err := strconv.ParseFloat(s[:i], 64)
		if err != nil {
			return Number{}, i, fmt.Sprintf("found %s, expected a number below 1.8e308", quote(s[:i]))
		}
		if f == 0 && !zero(s[:i]) {
			return Number{}, i, fmt.Sprintf("found %s, expected 0 or a number from 5e-324", quote(s[:i]))
		}
		return Number{Value: Double(f)}, i, ""
	}
	v, err := strconv.ParseInt(s[:i], 10, 64)
	if err != nil {
		return Number{}, i, fmt.Sprintf("found %s, expected an integer up to 9223372036854775807", quote(s[:i]))
	}
	return Number{Value: Int(v)}, i, ""
}

func scanHex(s string) (Number, int, string) {
	i := 2
	for i < len(s) && isHex(s[i]) {
		i++
	}
	if end := runOn(s, i); end > i || i == 2 || s[1] == 'X' {
		return Number{}, max(i, end), fmt.Sprintf("found %s, expected 0x and hexadecimal digits", quote(s[:max(i, end)]))
	}
	v, err := strconv.ParseInt(s[2:i], 16, 64)
	if err != nil {
		return Number{}, i, fmt.Sprintf("found %s, expected at most 0x7FFFFFFFFFFFFFFF", quote(s[:i]))
	}
	return Number{Value: Int(v), Hex: true}, i, ""
}

func isHex(c byte) bool { return IsDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// digits returns the end of the digits of s from i on.
func digits(s string, i int) int {
	for i < len(s) && IsDigit(s[i]) {
		i++
	}
	return i
}

// runOn returns the end of letters, digits and points that stick to a number.
func runOn(s string, i int) int {
	for i < len(s) && (IsLetter(s[i]) || IsDigit(s[i]) || s[i] == '.') {
		i++
	}
	return i
}

// zero says whether the mantissa of a float has only zeros.
func zero(s string) bool {
	for i := 0; i < len(s) && s[i] != 'e' && s[i] != 'E'; i++ {
		if s[i] != '0' && s[i] != '.' {
			return false
		}
	}
	return true
}

// quote returns s in quotes, cut when it is long: a message stays a message.
func quote(s string) string {
	const most = 40
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
