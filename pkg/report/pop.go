package report

import "dvmtools/pkg/interval"

// popFigure is one of the POP metrics of an interval (docs/model.md#pop-metrics).
type popFigure struct {
	// Anchor is its name in the page, Name its field in records below "pop".
	Anchor, Name string
	Label, Unit  string
	// Definition says what it is and how it is found, in one line.
	Definition string
	// Depth is how deep it is nested in the products above it.
	Depth int
	of    func(*interval.POP) float64
}

// popFigures are all POP metrics, a product before its factors.
var popFigures = []popFigure{
	{"ppe", "parallel_efficiency", "Parallel efficiency", unitRatio,
		"the mean useful time of the processors over the execution time: Load balance × Communication efficiency", 0,
		func(p *interval.POP) float64 { return p.ParallelEfficiency }},
	{"plb", "load_balance", "Load balance", unitRatio,
		"the mean useful time of the processors over the longest", 1,
		func(p *interval.POP) float64 { return p.LoadBalance }},
	{"pce", "communication_efficiency", "Communication efficiency", unitRatio,
		"the longest useful time over the execution time: Serialisation × Transfer", 1,
		func(p *interval.POP) float64 { return p.CommunicationEfficiency }},
	{"pser", "serialisation", "Serialisation", unitRatio,
		"the longest useful time over the time on an ideal network", 2,
		func(p *interval.POP) float64 { return p.Serialisation }},
	{"ptra", "transfer", "Transfer", unitRatio,
		"the time on an ideal network over the execution time; above 1 where a faster network makes a pipeline or tasks slower", 2,
		func(p *interval.POP) float64 { return p.Transfer }},
	{"pideal", "ideal_time", "Time on an ideal network", unitSeconds,
		"the execution time on a network on which messages take no time", 0,
		func(p *interval.POP) float64 { return float64(p.IdealTime) }},
}

// value returns the metric of an interval that has it.
func (f *popFigure) value(iv *interval.Interval) Value { return Value{real: f.of(iv.POP)} }

// popWords returns the metrics of p as products, for people.
func (o *Options) popWords(p *interval.POP) string {
	return o.percent(p.ParallelEfficiency) + " parallel efficiency = " + o.percent(p.LoadBalance) + " load balance × " +
		o.percent(p.Serialisation) + " serialisation × " + o.percent(p.Transfer) + " transfer"
}
