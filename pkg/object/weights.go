package object

import (
	"math"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/procs"
)

// BlockDivisor handles blkdiv_.
func (t *Table) BlockDivisor(c *call.Call) error {
	tm, err := t.template(c)
	if err != nil {
		return err
	}
	n, err := c.Int("AMVAxisCount")
	if err != nil {
		return err
	}
	tm.divisors = nil
	if n == 0 {
		return nil
	}
	tm.divisors, err = ints(c, "AMVAxisDiv")
	return err
}

// BlockSizes handles genblk_: the weights hold for the named system and
// template. One without axes (AxisCount=0) removes those that there are.
func (t *Table) BlockSizes(c *call.Call) error {
	tm, s, err := t.weighted(c)
	if err != nil {
		return err
	}
	double, err := c.IntOr("DoubleSign", 0)
	if err != nil {
		return err
	}
	axes, err := c.IntOr("AxisCount", 1)
	if err != nil {
		return err
	}
	if axes == 0 {
		tm.sizes, tm.loads = pending{}, pending{}
		return nil
	}
	p := pending{system: s, exact: double == 0}
	q := c.Args.Get("AxisWeightAddr")
	if q == nil {
		return Error(c, "weights", "no AxisWeightAddr is given, expected a weight for each coordinate")
	}
	all, err := c.Reals(nil, "AxisWeightAddr")
	if err != nil {
		return err
	}
	first := int32(0)
	for _, end := range c.Args.Rows(q) {
		p.values = append(p.values, all[first:end])
		first = end
	}
	for _, x := range all {
		switch {
		case p.exact && !(x >= 0 && x <= 1<<31 && x == math.Trunc(x)):
			return Error(c, "weights", "AxisWeightAddr has the block size %v, expected a whole number 0..2^31 (DoubleSign=0)", x)
		case !(x >= 0) || math.IsInf(x, 1):
			return Error(c, "weights", "AxisWeightAddr has the weight %v, expected a finite number of at least 0", x)
		}
	}
	tm.sizes, tm.loads = p, pending{}
	return nil
}

// LoadWeights handles setelw_. Traces made with LoadWeightTrace=0 lack the
// loads; equal ones are taken then, with one warning.
func (t *Table) LoadWeights(c *call.Call) error {
	tm, s, err := t.weighted(c)
	if err != nil {
		return err
	}
	if c.Args.Get("LoadWeight") == nil || c.Args.Get("WeightNumber") == nil {
		tm.sizes, tm.loads = pending{}, pending{}
		if !t.noLoad {
			t.noLoad = true
			t.warned = append(t.warned, diag.Warn(c.Pos, "model/load-weights", "%s: the trace has no LoadWeight; equal loads are taken (trace with LoadWeightTrace=1 for the real ones)", c.Where()))
		}
		return nil
	}
	counts, err := ints(c, "WeightNumber")
	if err != nil {
		return err
	}
	all, err := c.Reals(nil, "LoadWeight")
	if err != nil {
		return err
	}
	p := pending{system: s}
	for k, n := range counts {
		if n < 0 || n > int64(len(all)) {
			return Error(c, "weights", "WeightNumber[%d]=%d, but LoadWeight has %d more elements", k, n, len(all))
		}
		p.values = append(p.values, all[:n])
		all = all[n:]
	}
	tm.sizes, tm.loads = pending{}, p
	return nil
}

// weighted returns the template that weights are for, and the system on which
// they hold.
func (t *Table) weighted(c *call.Call) (*Template, *procs.System, error) {
	tm, err := t.template(c)
	if err != nil {
		return nil, nil, err
	}
	s, err := t.system(c)
	return tm, s, err
}

// weights returns what axis a of tm, mapped on dimension k of s, is
// distributed by.
func (t *Table) weights(tm *Template, s *procs.System, a, k int) layout.Weights {
	var w layout.Weights
	n := s.Grid[k]
	if a < len(tm.divisors) {
		w.Divisor = tm.divisors[a]
	}
	switch {
	case tm.sizes.system == s && k < len(tm.sizes.values) && len(tm.sizes.values[k]) > 0:
		given := tm.sizes.values[k]
		switch {
		case len(given) != n:
			if sums := layout.Resample(given, n); sums[n] > 0 {
				w.Sums = sums
			}
		case tm.sizes.exact:
			for _, x := range given {
				w.Sizes = append(w.Sizes, int64(x))
			}
		default:
			w.Load = positive(given)
		}
	case tm.loads.system == s && k < len(tm.loads.values) && len(tm.loads.values[k]) > 0:
		w.Load = positive(layout.CutLoads(tm.loads.values[k], n))
	case t.cfg.Power != nil:
		w.Load = t.cfg.Power(s, k)
	}
	return w
}

// positive returns w, or nil when its sum is zero: weights that are
// all 0 mean an even distribution.
func positive(w []float64) []float64 {
	for _, x := range w {
		if x > 0 {
			return w
		}
	}
	return nil
}
