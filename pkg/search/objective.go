package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Objective is the quantity by which grids are compared.
type Objective string

const (
	// Time is the execution time.
	Time Objective = "time"
	// Efficiency is the share of productive time. One processor is not tried,
	// as it always has the greatest.
	Efficiency Objective = "efficiency"
	// Cost is the execution time times the number of processors.
	Cost Objective = "cost"
)

// Objectives lists all objectives, the default first.
func Objectives() []Objective { return []Objective{Time, Efficiency, Cost} }

// Limits are conditions on the best grid. A field that is 0 is no condition.
type Limits struct {
	// Efficiency is the least efficiency, Deadline the longest execution time.
	Efficiency float64
	Deadline   units.Seconds
}

// score compares grids: by how far they exceed the limits, relative to these, then
// by the value of the objective. Less is better.
type score struct{ over, value float64 }

// never is the score of a grid that cannot be simulated, or was given up.
var never = score{math.Inf(1), math.Inf(1)}

func (a score) compare(b score) int {
	return cmp.Or(cmp.Compare(a.over, b.over), cmp.Compare(a.value, b.value))
}

// worseBy reports whether a is worse than b by at least the share threshold.
func (a score) worseBy(b score, threshold float64) bool {
	return a.over > b.over || a.over == b.over && a.value > b.value && a.value-b.value >= b.value*threshold
}

// score returns the score of an outcome on n processors.
func (c *Config) score(o *outcome, n int) score {
	if !o.known() {
		return never
	}
	var s score
	if least := c.Limits.Efficiency; o.efficiency < least {
		s.over += (least - o.efficiency) / least
	}
	if t := c.Limits.Deadline; t > 0 && o.time > t {
		s.over += float64((o.time - t) / t)
	}
	switch c.Objective {
	case Efficiency:
		s.value = 1 - o.efficiency
	case Cost:
		s.value = c.cost(o.time, n)
	default:
		s.value = float64(o.time)
	}
	return s
}

// floor returns a lower bound of the objective for a grid of n processors on which
// the program takes at least t.
func (c *Config) floor(t units.Seconds, n int) float64 {
	switch c.Objective {
	case Efficiency:
		return 0
	case Cost:
		return c.cost(t, n)
	default:
		return float64(t)
	}
}

// cost returns the processor-seconds of a program that takes t on n processors.
func (c *Config) cost(t units.Seconds, n int) float64 {
	if c.WholeNodes {
		return float64(t) * float64(taken(c.Machine, int64(n)))
	}
	return float64(t) * float64(n)
}

// taken returns the number of processors of all nodes ([machine.Machine.Home])
// that contain one of the first n processors of a machine.
func taken(m *machine.Machine, n int64) int64 {
	if !m.Scattered() {
		h := m.Home(n - 1)
		return h.First + h.Node.Processors()
	}
	seen := map[int64]bool{}
	sum := int64(0)
	for p := range n {
		if h := m.Home(p); !seen[h.First] {
			seen[h.First] = true
			sum += h.Node.Processors()
		}
	}
	return sum
}

// check returns an error for a configuration with which no search is possible.
func (c *Config) check() error {
	switch most := min(c.Machine.Processors(), MaxProcessors); {
	case c.Max < 1 || int64(c.Max) > most:
		return fmt.Errorf("a search over up to %d processors is not possible, expected 1 to %d", c.Max, most)
	case c.Mode != Heuristic && c.Mode != NotBad && c.Mode != All && c.Mode != Compare:
		return fmt.Errorf("the mode of the search is %d, expected %d, %d, %d or %d", c.Mode, Heuristic, NotBad, All, Compare)
	case !slices.Contains(Objectives(), c.Objective):
		return fmt.Errorf("the objective is %q, expected one of %q", c.Objective, Objectives())
	case !(c.Threshold >= 0 && c.Threshold < 1):
		return fmt.Errorf("the threshold is %g, expected a share of at least 0 and less than 1", c.Threshold)
	case !(c.Limits.Efficiency >= 0 && c.Limits.Efficiency <= 1):
		return fmt.Errorf("the least efficiency is %g, expected 0 to 1", c.Limits.Efficiency)
	case !(c.Limits.Deadline >= 0) || math.IsInf(float64(c.Limits.Deadline), 0):
		return fmt.Errorf("the deadline is %g s, expected a time", float64(c.Limits.Deadline))
	case c.Objective == Efficiency && c.Max == 1:
		return fmt.Errorf("one processor has always the best efficiency and is not tried, so that nothing is left to try")
	}
	return nil
}
