package report

import (
	"strconv"

	"dvmtools/pkg/units"
)

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
	return string(units.AppendExact(nil, v.real))
}

// appendShown appends the number for people and returns its unit, from the unit of
// its figure: times with four digits in a fitting unit, ratios in per cent, counts
// in full.
func (v Value) appendShown(b []byte, unit string) (number []byte, shown string) {
	switch {
	case v.isCount:
		return strconv.AppendInt(b, v.count, 10), unit
	case unit == unitRatio:
		return units.AppendPercent(b, v.real), "%"
	}
	return units.Seconds(v.real).AppendShow(b)
}

// timeWords returns a time for people: "21.40 us".
func timeWords(seconds float64) string { return units.Seconds(seconds).Short() }

// percent returns a share of 1 as "12.3 %".
func percent(share float64) string { return units.Percent(share) }

// time returns a time as the options want it.
func (o *Options) time(seconds float64) string {
	if o.Exact {
		return units.Seconds(seconds).Exact() + " s"
	}
	return timeWords(seconds)
}

// percent returns a share as the options want it.
func (o *Options) percent(share float64) string {
	if o.Exact {
		return Value{real: share * 100}.Exact() + " %"
	}
	return percent(share)
}

// ratio returns a/b, 0 when b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
