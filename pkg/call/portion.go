package call

import (
	"bytes"
	"fmt"
	"strconv"

	"dvmtools/pkg/diag"
)

// PortionDim is what a dopl_ states of one loop dimension when the trace was
// made with dopl_Trace=1: the iterations Lower, Lower+Step, ... Upper.
type PortionDim struct{ Lower, Upper, Step int64 }

// IsPortion reports whether a line states a dimension of a portion, and what
// follows the number of the dimension.
func IsPortion(line []byte) bool {
	_, _, ok := portionDim(line)
	return ok
}

// Portion returns the part of a loop that a dopl_ hands out, from its lines
// "Dim0: Lower=1 Upper=12 Step=1", one for each dimension in order; nil when
// it states none. A line that lacks a bound is an error.
func (c *Call) Portion() ([]PortionDim, error) {
	var dims []PortionDim
	for _, line := range c.Text {
		d, rest, ok := portionDim(line)
		if !ok || d != len(dims) {
			continue
		}
		var p PortionDim
		for _, f := range []struct {
			key string
			dst *int64
		}{{"Lower=", &p.Lower}, {"Upper=", &p.Upper}, {"Step=", &p.Step}} {
			_, val, ok := bytes.Cut(rest, []byte(f.key))
			if !ok {
				return nil, portionFault(c, "%q lacks %s, expected Lower=, Upper= and Step=", line, f.key)
			}
			val, _, _ = bytes.Cut(bytes.TrimLeft(val, " "), []byte(" "))
			n, err := strconv.ParseInt(string(bytes.TrimRight(val, ";")), 10, 64)
			if err != nil {
				return nil, portionFault(c, "%q: %s%s is not an integer", line, f.key, val)
			}
			*f.dst = n
		}
		dims = append(dims, p)
	}
	return dims, nil
}

// portionDim splits a line "Dim0: ..." into the number and what follows.
func portionDim(line []byte) (dim int, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("Dim"))
	if !ok {
		return 0, nil, false
	}
	num, rest, ok := bytes.Cut(rest, []byte(":"))
	dim, err := strconv.Atoi(string(num))
	return dim, rest, ok && err == nil
}

func portionFault(c *Call, format string, args ...any) error {
	return diag.New(c.Pos, "call/portion", "%s: %s", c.Where(), fmt.Sprintf(format, args...))
}
