package interval

import (
	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// POP are the efficiencies of the POP project, products of each other
// (docs/model.md#pop-metrics). Useful time is Productive CPU and SYS time. All
// are 1 where nothing takes time.
type POP struct {
	// ParallelEfficiency is LoadBalance times CommunicationEfficiency: the mean
	// useful time of the interval's processors over its execution time.
	ParallelEfficiency float64 `json:"parallel_efficiency"`
	// LoadBalance is the mean useful time over the longest.
	LoadBalance float64 `json:"load_balance"`
	// CommunicationEfficiency is Serialisation times Transfer: the longest
	// useful time over the execution time.
	CommunicationEfficiency float64 `json:"communication_efficiency"`
	// Serialisation is the longest useful time over IdealTime, Transfer is
	// IdealTime over the execution time.
	Serialisation float64 `json:"serialisation"`
	Transfer      float64 `json:"transfer"`
	// IdealTime is the execution time of the interval on a network on which
	// messages take no time.
	IdealTime units.Seconds `json:"ideal_time"`
}

// NewPOP returns the metrics of an interval that takes execution, and ideal on a
// network on which messages take no time; mean and most are the mean and the
// longest useful time of its processors.
func NewPOP(mean, most, execution, ideal units.Seconds) *POP {
	p := &POP{LoadBalance: share(mean, most), IdealTime: ideal}
	p.Transfer = share(ideal, execution)
	p.Serialisation = share(most, ideal)
	p.CommunicationEfficiency = share(most, execution)
	p.ParallelEfficiency = share(mean, execution)
	return p
}

// share is a part of a whole, 1 of nothing.
func share(part, whole units.Seconds) float64 {
	if whole <= 0 {
		return 1
	}
	return float64(part / whole)
}

var popRecord = ndjson.NewRecord("a set of POP metrics",
	ndjson.Float("parallel_efficiency", func(p *POP) *float64 { return &p.ParallelEfficiency }),
	ndjson.Float("load_balance", func(p *POP) *float64 { return &p.LoadBalance }),
	ndjson.Float("communication_efficiency", func(p *POP) *float64 { return &p.CommunicationEfficiency }),
	ndjson.Float("serialisation", func(p *POP) *float64 { return &p.Serialisation }),
	ndjson.Float("transfer", func(p *POP) *float64 { return &p.Transfer }),
	ndjson.Float("ideal_time", func(p *POP) *units.Seconds { return &p.IdealTime }),
)

// popOf returns where the metrics of an interval are, made when it has none.
func popOf(v *Interval) *POP {
	if v.POP == nil {
		v.POP = &POP{}
	}
	return v.POP
}
