package report

import "strconv"

// Value is a number of a record.
type Value struct {
	real    float64
	count   int64
	isCount bool
}

// Exact returns the shortest decimal that reads back as the same number.
func (v Value) Exact() string {
	if v.isCount {
		return strconv.FormatInt(v.count, 10)
	}
	return strconv.FormatFloat(v.real, 'g', -1, 64)
}

// String returns the number for people: a count in full, any other number
// with six significant digits as C's %.6g writes it.
func (v Value) String() string {
	if v.isCount {
		return strconv.FormatInt(v.count, 10)
	}
	return strconv.FormatFloat(v.real, 'g', 6, 64)
}

// percent returns a share of 1 as "12.3 %". Shares that would round to 0 and
// are not are "<0.1 %".
func percent(share float64) string {
	if share > 0 && share < 0.0005 {
		return "<0.1 %"
	}
	return strconv.FormatFloat(share*100, 'f', 1, 64) + " %"
}

// ratio returns a/b, 0 when b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
