package report

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Units of figures.
const (
	unitSeconds = "s"
	unitRatio   = "ratio"
	unitOps     = "op"
)

// Figure is one thing that is known about an interval.
type Figure struct {
	// Anchor is the name of the figure in the page: a documented one (design
	// of 2010, appendix 2; there USR and SYS of insufficient parallelism are
	// exchanged: iuser is USR, isyst is SYS) or, for what the document lacks,
	// one of ours: cpu, sys, and psynchK and varyK for a kind K.
	Anchor string
	// Label is its name for people, without that of the kind.
	Label string
	// Unit is "s", "ratio" or "op" (operations).
	Unit string
	// Definition says what it is, Formula how it is found; both in one line.
	Definition, Formula string
	// Depth is how far it is a part of the figures above it in the table.
	Depth int
	// PartOfTotal says that it is a part of Total time.
	PartOfTotal bool
	// OfKind says that it belongs to Kind; otherwise it is of the interval.
	OfKind bool
	Kind   interval.Kind
	// Def is the anchor of its definition, the same for the five kinds.
	Def string

	times func(*interval.Times) float64
	ops   func(*interval.Operations) int64
}

// Value returns the figure of iv.
func (f *Figure) Value(iv *interval.Interval) Value {
	if f.ops != nil {
		return Value{count: f.ops(&iv.Operations), isCount: true}
	}
	return Value{real: f.times(&iv.Times)}
}

// Title returns the definition and the formula in one line.
func (f *Figure) Title() string { return f.Definition + ": " + f.Formula }

// kindLetters end the anchors of the kinds, kindLabels name the kinds; both
// in the order of the records.
const kindLetters = "irsad"

func kindLabel(k interval.Kind) string {
	return [...]string{"I/O", "Reduction", "Shadow", "Remote access", "Redistribution"}[k]
}

// Figures returns every figure in the order of the design's appendix 2: those
// of the interval, then the six of each kind of operation.
func Figures() []Figure {
	all := mainFigures()
	for k := range interval.NumKinds {
		all = append(all, kindFigures(k)...)
	}
	return all
}

// seconds makes an accessor of one that returns a field.
func seconds(get func(*interval.Times) units.Seconds) func(*interval.Times) float64 {
	return func(t *interval.Times) float64 { return float64(get(t)) }
}

// mainFigures are the figures of an interval as a whole.
func mainFigures() []Figure {
	type times = interval.Times
	list := []Figure{
		{Anchor: "effic", Label: "Efficiency", Unit: unitRatio,
			Definition: "the share of the processors' time that is productive",
			Formula:    "Productive time / Total time (1 when both are 0)",
			times:      func(t *times) float64 { return t.Efficiency }},
		{Anchor: "exec", Label: "Execution time", Unit: unitSeconds,
			Definition: "the time of the processor that took longest",
			Formula:    "max over processors of (CPU time + SYS time + I/O + Communications)",
			times:      seconds(func(t *times) units.Seconds { return t.ExecutionTime })},
		{Anchor: "total", Label: "Total time", Unit: unitSeconds, PartOfTotal: true,
			Definition: "the time for which the processors are taken",
			Formula:    "Execution time × number of processors = Productive time + Lost time",
			times:      seconds(func(t *times) units.Seconds { return t.TotalTime })},
		{Anchor: "ptime", Label: "Productive time", Unit: unitSeconds, Depth: 1, PartOfTotal: true,
			Definition: "the time that the program needs on one processor",
			Formula:    "Productive CPU + Productive SYS + I/O",
			times:      seconds(func(t *times) units.Seconds { return t.ProductiveTime })},
		{Anchor: "ptimec", Label: "CPU", Unit: unitSeconds, Depth: 2, PartOfTotal: true,
			Definition: "the program's own computation, repeated work left out",
			Formula:    "CPU time − Insufficient parallelism USR",
			times:      seconds(func(t *times) units.Seconds { return t.ProductiveCPUTime })},
		{Anchor: "ptimes", Label: "SYS", Unit: unitSeconds, Depth: 2, PartOfTotal: true,
			Definition: "the work of the runtime system, repeated work left out",
			Formula:    "SYS time − Insufficient parallelism SYS",
			times:      seconds(func(t *times) units.Seconds { return t.ProductiveSYSTime })},
		{Anchor: "ptimei", Label: "I/O", Unit: unitSeconds, Depth: 2, PartOfTotal: true,
			Definition: "the time of input and output itself",
			Formula:    "sum over processors of I/O time (only the I/O processor has any)",
			times:      seconds(func(t *times) units.Seconds { return t.IOTime })},
		{Anchor: "lost", Label: "Lost time", Unit: unitSeconds, Depth: 1, PartOfTotal: true,
			Definition: "the time of the processors that is not productive",
			Formula:    "Total time − Productive time = Insufficient parallelism + Communications + Idle time",
			times:      seconds(func(t *times) units.Seconds { return t.LostTime })},
		{Anchor: "insuf", Label: "Insufficient parallelism", Unit: unitSeconds, Depth: 2, PartOfTotal: true,
			Definition: "work that several processors repeat because it is not distributed",
			Formula:    "USR + SYS",
			times:      seconds(func(t *times) units.Seconds { return t.InsuffParallelism })},
		{Anchor: "iuser", Label: "USR", Unit: unitSeconds, Depth: 3, PartOfTotal: true,
			Definition: "repeated computation of the program",
			Formula:    "sum over processors of CPU time × (n − 1) / n, n processors doing the same",
			times:      seconds(func(t *times) units.Seconds { return t.InsuffParallelismUSR })},
		{Anchor: "isyst", Label: "SYS", Unit: unitSeconds, Depth: 3, PartOfTotal: true,
			Definition: "repeated work of the runtime system",
			Formula:    "sum over processors of SYS time × (n − 1) / n, n processors doing the same",
			times:      seconds(func(t *times) units.Seconds { return t.InsuffParallelismSYS })},
		{Anchor: "comm", Label: "Communications", Unit: unitSeconds, Depth: 2, PartOfTotal: true,
			Definition: "time in exchanges between processors, waiting included",
			Formula:    "sum over the five kinds of their Communications",
			times:      seconds(func(t *times) units.Seconds { return t.Communication })},
		{Anchor: "csyn", Label: "SYN", Unit: unitSeconds, Depth: 3, PartOfTotal: true,
			Definition: "the part of Communications that was spent waiting for other processors to start",
			Formula:    "sum over the five kinds of their Real synch",
			times:      seconds(func(t *times) units.Seconds { return t.CommunicationSynch })},
		{Anchor: "idle", Label: "Idle time", Unit: unitSeconds, Depth: 2, PartOfTotal: true,
			Definition: "time of processors that finished before the last one",
			Formula:    "sum over processors of (Execution time − own execution time)",
			times:      seconds(func(t *times) units.Seconds { return t.Idle })},
		{Anchor: "imbal", Label: "Load imbalance", Unit: unitSeconds,
			Definition: "what is lacking to an equal load of the processors",
			Formula:    "sum over processors of (max of (CPU time + SYS time) − own CPU time − own SYS time)",
			times:      seconds(func(t *times) units.Seconds { return t.LoadImbalance })},
		{Anchor: "synch", Label: "Synchronization", Unit: unitSeconds,
			Definition: "the potential loss through operations that processors do not start together",
			Formula:    "sum over operations and processors of (latest start − own start)",
			times:      seconds(func(t *times) units.Seconds { return t.Synchronization })},
		{Anchor: "vary", Label: "Time variation", Unit: unitSeconds,
			Definition: "the loss through collective operations that processors do not complete together",
			Formula:    "sum over collective operations and processors of (latest completion − own completion)",
			times:      seconds(func(t *times) units.Seconds { return t.TimeVariation })},
		{Anchor: "over", Label: "Overlap", Unit: unitSeconds,
			Definition: "the time that exchanges passed beside computation",
			Formula:    "sum over the five kinds of their Overlap",
			times:      seconds(func(t *times) units.Seconds { return t.Overlap })},
		{Anchor: "cpu", Label: "CPU time", Unit: unitSeconds,
			Definition: "the program's computation on all processors, repeated work included",
			Formula:    "sum over processors of call times / power",
			times:      seconds(func(t *times) units.Seconds { return t.CPUTime })},
		{Anchor: "sys", Label: "SYS time", Unit: unitSeconds,
			Definition: "the runtime system's work on all processors, repeated work included",
			Formula:    "sum over processors of return times / power",
			times:      seconds(func(t *times) units.Seconds { return t.SYSTime })},
	}
	for i := range list {
		list[i].Def = list[i].Anchor
	}
	return list
}

// kindFigures are the figures of one kind of operation.
func kindFigures(k interval.Kind) []Figure {
	type times = interval.KindTimes
	of := func(get func(*times) units.Seconds) func(*interval.Times) float64 {
		return func(t *interval.Times) float64 { return float64(get(t.Kind(k))) }
	}
	list := []Figure{
		{Def: "nop", Label: "# op", Unit: unitOps,
			Definition: "operations of the kind that were started",
			Formula:    "count, nested intervals included",
			ops:        func(o *interval.Operations) int64 { return *o.Kind(k) }},
		{Def: "com", Label: "Communications", Unit: unitSeconds,
			Definition: "time in operations of the kind, waiting included",
			Formula:    "sum over processors of (waiting for others to start + waiting for the exchange to end)",
			times:      of(func(t *times) units.Seconds { return t.Communication })},
		{Def: "synch", Label: "Real synch", Unit: unitSeconds,
			Definition: "the part of the kind's Communications that was spent waiting for other processors to start",
			Formula:    "sum over processors of (latest start − own start) as far as nothing hid it",
			times:      of(func(t *times) units.Seconds { return t.RealSynch })},
		{Def: "psynch", Label: "Synchronization", Unit: unitSeconds,
			Definition: "the potential loss through operations of the kind that processors do not start together",
			Formula:    "sum over operations and processors of (latest start − own start)",
			times:      of(func(t *times) units.Seconds { return t.Synch })},
		{Def: "vary", Label: "Time variation", Unit: unitSeconds,
			Definition: "the loss through operations of the kind that processors do not complete together",
			Formula:    "sum over operations and processors of (latest completion − own completion)",
			times:      of(func(t *times) units.Seconds { return t.Variation })},
		{Def: "over", Label: "Overlap", Unit: unitSeconds,
			Definition: "the time that exchanges of the kind passed beside computation",
			Formula:    "sum over exchanges and processors of (the earlier of exchange end and begin of waiting − exchange start)",
			times:      of(func(t *times) units.Seconds { return t.Overlap })},
	}
	for i := range list {
		f := &list[i]
		f.Anchor = f.Def + kindLetters[k:k+1]
		f.Def += "K"
		f.OfKind, f.Kind = true, k
	}
	return list
}

// processorFigures are the columns of the table of processors.
func processorFigures() []Figure {
	want := []string{"exec", "cpu", "sys", "ptimei", "iuser", "isyst", "comm", "csyn", "idle", "imbal"}
	all := mainFigures()
	var cols []Figure
	for _, w := range want {
		i := slices.IndexFunc(all, func(f Figure) bool { return f.Anchor == w })
		cols = append(cols, all[i])
	}
	return cols
}
