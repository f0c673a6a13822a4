package density

import (
	"fmt"
	"math"

	"dvmtools/pkg/expr"
	"dvmtools/pkg/layout"
)

// MaxValues is how many values of an index an expression may be evaluated for, and
// of how many the results are remembered.
const MaxValues = 1 << 24

// alongKey names the values of an index: count of them from first on.
type alongKey struct {
	index              int
	first, step, count int64
}

// along is what iterations weigh along a dimension.
type along struct {
	axis axis
	// even says that all weigh the same, idle that they weigh nothing.
	even, idle bool
	err        error
}

// Space returns the iterations of a loop with their costs along each dimension;
// nil when all cost the same. It is an error when the expression has an index
// that the loop lacks, no value for some iteration, or one below 0.
func (c *Cost) Space(its []layout.Iterations) (*Space, error) {
	if c.Rank > len(its) {
		return nil, fmt.Errorf("%s: found I%d, expected an index of the loop, which has %d of them", c.Text, c.Rank, len(its))
	}
	even, idle := true, false
	most := 1.0 // what all iterations cost
	for _, f := range c.constant {
		x, err := c.value(f, 0, 0)
		if err != nil {
			return nil, err
		}
		idle = idle || x == 0
	}
	s := &Space{}
	for d, it := range its {
		n := it.Count()
		most *= float64(n)
		if d >= len(c.of) || len(c.of[d]) == 0 || n == 0 {
			s.axes = append(s.axes, whole(n))
			continue
		}
		a := c.along(alongKey{d, it.Init, stepOf(it), n})
		if a.err != nil {
			return nil, a.err
		}
		even, idle = even && a.even, idle || a.idle
		if a.axis.sums != nil {
			most *= a.axis.sums[n] / float64(n)
		}
		s.axes = append(s.axes, a.axis)
	}
	switch {
	case even || idle:
		return nil, nil
	case math.IsInf(most, 0):
		return nil, c.tooLarge()
	}
	return s, nil
}

func (c *Cost) tooLarge() error {
	return fmt.Errorf("%s: the costs add up beyond the range of numbers, expected smaller ones: only their ratios matter", c.Text)
}

func stepOf(it layout.Iterations) int64 {
	if it.Step == 0 {
		return 1
	}
	return it.Step
}

// along returns what iterations weigh along a dimension.
func (c *Cost) along(k alongKey) along {
	a, ok := c.known[k]
	if !ok {
		a = c.evaluate(k)
		if c.values += k.count; c.values > MaxValues {
			clear(c.known)
			c.values = k.count
		}
		c.known[k] = a
	}
	return a
}

// evaluate adds up the values of an index's factors.
func (c *Cost) evaluate(k alongKey) along {
	if k.count > MaxValues {
		return along{err: fmt.Errorf("%s: the loop has %d values of I%d, expected at most %d where a cost depends on it", c.Text, k.count, k.index+1, MaxValues)}
	}
	sums := make([]float64, k.count+1)
	even, first := true, 0.0
	// The sums are as exact as numbers can be: rest is what adding rounded off.
	sum, rest := 0.0, 0.0
	for i := range k.count {
		x := 1.0
		for _, f := range c.of[k.index] {
			v, err := c.value(f, k.index, k.first+i*k.step)
			if err != nil {
				return along{err: err}
			}
			x *= v
		}
		if i == 0 {
			first = x
		}
		even = even && x == first
		next := sum + x
		if sum >= x {
			rest += (sum - next) + x
		} else {
			rest += (x - next) + sum
		}
		sum = next
		sums[i+1] = max(sums[i], sum+rest)
	}
	switch {
	case math.IsInf(sums[k.count], 0) || math.IsNaN(sums[k.count]):
		return along{err: c.tooLarge()}
	case even:
		return along{axis: whole(k.count), even: true, idle: first == 0}
	}
	return along{axis: axis{ends: []int64{k.count}, sums: sums}}
}

// value evaluates a factor for a value of its index.
func (c *Cost) value(f *expr.Expr, index int, at int64) (float64, error) {
	v := c.scope.values[index]
	if v == nil {
		v = &expr.Variable{Name: fmt.Sprintf("I%d", index+1)}
		c.scope.values[index] = v
	}
	v.Value = expr.Int(at)
	if c.evaluator == nil {
		c.evaluator = expr.NewEvaluator(c.scope, false)
	}
	r, fault := c.evaluator.Eval(f)
	where := ""
	if len(f.Refs()) > 0 {
		where = fmt.Sprintf(" for I%d = %d", index+1, at)
	}
	if fault != nil {
		return 0, fmt.Errorf("%s: at character %d of the expression%s: %s", c.Text, fault.Pos.Col, where, fault.Msg)
	}
	if x := r.Float(); x >= 0 {
		return x, nil
	}
	return 0, fmt.Errorf("%s: found %v%s, expected a cost of at least 0", c.Text, r.Value, where)
}
