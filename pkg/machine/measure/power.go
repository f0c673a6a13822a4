package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// Operations returns the numbers of arithmetic operations per iteration of
// the intervals of the power test (R appendix 1), ascending.
func Operations() []int { return []int{1, 2, 4, 8, 16, 32, 64, 128} }

// PowerIterations is the number of iterations of a loop of the power test.
const PowerIterations = 1000

// PowerSources returns the two programs of an interval of the power test, to
// be linked with [Driver]. The first runs a loop of [PowerIterations]
// iterations with a number of operations on double precision numbers each,
// of every eight one a division; the second does nothing.
func PowerSources(operations int) (first, second string) {
	var b strings.Builder
	array := func() {
		fmt.Fprintf(&b, "implicit none\ninteger, parameter :: k = %d\ndouble precision x(k), y(k), w(k)\ncommon /arrays/ x, y, w\n", PowerIterations)
	}
	fmt.Fprintf(&b, "! %d operations per iteration\nsubroutine work1(n)\n", operations)
	array()
	b.WriteString("integer n, i, j\ndouble precision s\ndo i = 1, n\ncall touch\ndo j = 1, k\ns = x(j)\n")
	for op := range operations {
		b.WriteString([...]string{
			"s = s + x(j)\n", "s = s * y(j)\n", "s = s - y(j)\n", "s = s * x(j)\n",
			"s = s + y(j)\n", "s = s * y(j)\n", "s = s - x(j)\n", "s = s / x(j)\n",
		}[op%8])
	}
	b.WriteString("w(j) = s\nend do\nend do\nend subroutine\nsubroutine prepare1\n")
	array()
	b.WriteString("call filld(x, k, 2d0, 9d0, 1)\ncall filld(y, k, 0.5d0, 0.9d0, 2)\nend subroutine\n")
	return b.String(), "subroutine work2(n)\nimplicit none\ninteger n\nend subroutine\nsubroutine prepare2\nend subroutine\n"
}

// A Column is what the power test gives on a machine: the time of an
// iteration for each interval (R appendix 1).
type Column struct {
	// Conditions are lines for people.
	Conditions []string
	// Rows are the intervals, ascending by operations.
	Rows []Row
}

// A Row is an interval of the power test: seconds per iteration with their
// standard deviation.
type Row struct {
	Operations      int
	Mean, Deviation float64
}

// String returns the column as a file: a line for each interval.
func (c *Column) String() string {
	var b strings.Builder
	b.WriteString("// The power test: operations per iteration, seconds per iteration, standard deviation.\n")
	for _, l := range c.Conditions {
		fmt.Fprintf(&b, "// %s\n", strings.Join(strings.Fields(l), " "))
	}
	for _, r := range c.Rows {
		fmt.Fprintf(&b, "%d %s %s\n", r.Operations, digits(r.Mean), digits(r.Deviation))
	}
	return b.String()
}

// ParseColumn reads what [Column.String] writes; the deviation may be
// missing. Comments are not kept.
func ParseColumn(name string, text []byte) (*Column, error) {
	var c Column
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		body, _, _ := strings.Cut(line, "//")
		fields := strings.Fields(body)
		if len(fields) == 0 {
			continue
		}
		bad := func(found, expected string) (*Column, error) {
			err := diag.New(diag.Pos{File: name, Line: n, Col: 1}, "power/syntax", "found %s, expected %s", found, expected)
			err.Source = line[:min(len(line), 100)]
			return nil, err
		}
		if len(fields) < 2 || len(fields) > 3 {
			return bad(fmt.Sprintf("%d words", len(fields)), "operations per iteration, seconds, and perhaps a standard deviation")
		}
		ops, err := strconv.Atoi(fields[0])
		if err != nil || ops < 1 {
			return bad(strconv.Quote(fields[0]), "a number of operations from 1")
		}
		if len(c.Rows) > 0 && ops <= c.Rows[len(c.Rows)-1].Operations {
			return bad(fmt.Sprintf("%d operations behind %d", ops, c.Rows[len(c.Rows)-1].Operations), "ascending numbers")
		}
		r := Row{Operations: ops}
		if r.Mean, err = strconv.ParseFloat(fields[1], 64); err != nil || !(r.Mean >= 1e-30 && r.Mean <= 1e30) {
			return bad(strconv.Quote(fields[1]), "a time from 1e-30 to 1e30 seconds")
		}
		if len(fields) == 3 {
			if r.Deviation, err = strconv.ParseFloat(fields[2], 64); err != nil || !(r.Deviation >= 0 && r.Deviation <= 1e30) {
				return bad(strconv.Quote(fields[2]), "a standard deviation from 0 to 1e30 seconds")
			}
		}
		c.Rows = append(c.Rows, r)
	}
	if len(c.Rows) == 0 {
		return nil, diag.Truncated(diag.Pos{File: name}, "power/empty", "found no line \"OPERATIONS SECONDS\", expected the output of 'dvmmachine power'")
	}
	return &c, nil
}

// A Ratio is the power of a machine relative to another in an interval: more
// than 1 for a faster one.
type Ratio struct {
	Operations int
	// Power is the ratio of times, other to target; Deviation its standard
	// deviation in the first order.
	Power, Deviation float64
}

// Ratios returns the power of target relative to other for the intervals that
// both columns have (R appendix 1). The field power of Predictor.par wants
// the target machine as target and the one traced on as other.
func Ratios(target, other *Column) []Ratio {
	var all []Ratio
	for _, a := range target.Rows {
		for _, b := range other.Rows {
			if a.Operations != b.Operations {
				continue
			}
			p := b.Mean / a.Mean
			all = append(all, Ratio{a.Operations, p, p * math.Hypot(a.Deviation/a.Mean, b.Deviation/b.Mean)})
		}
	}
	return all
}

// Nearest returns the ratio of the interval whose number of operations is
// nearest to ops, by their quotient; of two the smaller. There must be one.
func Nearest(all []Ratio, ops int) Ratio {
	distance := func(r Ratio) float64 { return math.Abs(math.Log(float64(r.Operations) / float64(ops))) }
	best := all[0]
	for _, r := range all[1:] {
		if distance(r) < distance(best) {
			best = r
		}
	}
	return best
}

// Words returns the ratio for people.
func (r Ratio) Words() string {
	text := expr.FormatFloat(roundTo(r.Power))
	if r.Deviation > 0 {
		text += "  (standard deviation " + expr.FormatFloat(roundTo(r.Deviation)) + ")"
	}
	return text
}
