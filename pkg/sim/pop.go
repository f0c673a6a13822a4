package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// newIdeal returns the simulation of the same calls on a network on which
// messages take no time (docs/model.md#pop-metrics).
func newIdeal(cfg Config, h *call.Header) (*Sim, error) {
	cfg.Machine = cfg.Machine.Ideal()
	cfg.POP, cfg.Lines, cfg.Timeline, cfg.Strict, cfg.Explain, cfg.Limit = false, false, false, false, nil, 0
	return New(cfg, h)
}

// addPOP gives every interval its metrics; ideal is the result of the same
// calls on the ideal network.
func (r *Result) addPOP(ideal *Result) {
	for i := range r.nodes {
		iv := &r.nodes[i]
		var sum, most units.Seconds
		for _, c := range r.classes[i] {
			useful := c.times.ProductiveCPUTime + c.times.ProductiveSYSTime
			sum += scaled(useful, float64(c.n))
			most = max(most, useful)
		}
		mean := units.Seconds(0)
		if iv.Processors > 0 {
			mean = sum / units.Seconds(iv.Processors)
		}
		iv.POP = interval.NewPOP(mean, most, iv.ExecutionTime, ideal.nodes[i].ExecutionTime)
	}
}
