package interval

import "dvmtools/pkg/units"

// A Characteristic is what is known about an interval, a processor in it, or
// one kind of operation there (docs/model.md#2-accounting). [Characteristics]
// and [KindCharacteristics] list them all. The lists drive the records, their
// schema, the adding of values, the report and the comparison with the slow
// simulation; CONTRIBUTING.md says how to add one.
type Characteristic struct {
	// Name is the field of records.
	Name string
	Unit Unit
	// Counter is what processors book and the value is the sum of;
	// [NoCounter] for one that follows from others.
	Counter Counter
	// Over says how the value of an interval follows from its processors'.
	Over Over
	// Inner says that the value of an interval is the sum of what passed in
	// it and of the values of the intervals inside it.
	Inner bool
	// Label is the name for people; for a kind of operation, without that of
	// the kind.
	Label string
	// Anchor is its name in pages: a documented one (design of 2010, appendix
	// 2; there USR and SYS of insufficient parallelism are exchanged: iuser is
	// USR, isyst is SYS) or, for what the document lacks, one of ours: cpu,
	// sys, psynch and vary of a kind. A kind's letter follows it.
	Anchor string
	// Definition says what it is, Formula how it is found; each in one line.
	Definition, Formula string
	// Depth is how far it is a part of those above it in the list, PartOfTotal
	// whether it is a part of the total time.
	Depth       int
	PartOfTotal bool

	times func(*Times) *units.Seconds
	ratio func(*Times) *float64
	kind  func(*KindTimes) *units.Seconds
}

// Unit is the unit of a characteristic.
type Unit string

// The units.
const (
	UnitSeconds    Unit = "s"
	UnitRatio      Unit = "ratio"
	UnitOperations Unit = "op"
)

// Over says how a characteristic of an interval follows from those of its
// processors.
type Over uint8

const (
	// SumOver is the sum over the processors.
	SumOver Over = iota
	// MaxOver is the maximum over the processors.
	MaxOver
	// FromOthers follows from other characteristics of the interval.
	FromOthers
)

// Value returns the characteristic of t, in its unit.
func (c *Characteristic) Value(t *Times) float64 {
	if c.ratio != nil {
		return *c.ratio(t)
	}
	return float64(*c.times(t))
}

// At returns where the characteristic of an interval or processor is, nil for
// one that is no time.
func (c *Characteristic) At(t *Times) *units.Seconds {
	if c.times == nil {
		return nil
	}
	return c.times(t)
}

// AtKind is [Characteristic.At] for the rows of [KindCharacteristics].
func (c *Characteristic) AtKind(t *KindTimes) *units.Seconds { return c.kind(t) }

// Characteristics returns what is known about an interval or a processor, in
// the order of records and of the design's appendix 2. It must not be changed.
func Characteristics() []Characteristic { return characteristics }

// KindCharacteristics returns what is known about a kind of operation, in the
// order of records. It must not be changed.
func KindCharacteristics() []Characteristic { return kindCharacteristics }

// OperationCount returns what the number of operations of a kind is, which is
// no time and stands in [Operations].
func OperationCount() Characteristic {
	return Characteristic{Name: "operations", Anchor: "nop", Label: "# op", Unit: UnitOperations, Inner: true,
		Definition: "operations of the kind that were started",
		Formula:    "count, nested intervals included"}
}

// KindTimes are the characteristics of one kind of operation.
type KindTimes struct {
	// Communication is the time that processors spent in operations of this
	// kind, waiting included.
	Communication units.Seconds `json:"communication"`
	// RealSynch is the part of Communication that was spent waiting for
	// other processors to start the operation.
	RealSynch units.Seconds `json:"real_synch"`
	// Synch is the potential loss through starts that were not simultaneous.
	Synch units.Seconds `json:"synch"`
	// Variation is the loss through the spread of completion times.
	Variation units.Seconds `json:"variation"`
	// Overlap is the time that exchanges of this kind passed beside
	// computation.
	Overlap units.Seconds `json:"overlap"`
}

// Times are the characteristics of an interval or of one processor in it, in
// seconds (R 2.2 and 2.3; docs/model.md#3-intervals). In an
// interval they are sums over its processors with nested intervals included,
// except ExecutionTime, the maximum.
type Times struct {
	Efficiency           float64       `json:"efficiency"`
	ExecutionTime        units.Seconds `json:"execution_time"`
	TotalTime            units.Seconds `json:"total_time"`
	ProductiveTime       units.Seconds `json:"productive_time"`
	ProductiveCPUTime    units.Seconds `json:"productive_cpu_time"`
	ProductiveSYSTime    units.Seconds `json:"productive_sys_time"`
	IOTime               units.Seconds `json:"io_time"`
	LostTime             units.Seconds `json:"lost_time"`
	InsuffParallelism    units.Seconds `json:"insuff_parallelism"`
	InsuffParallelismUSR units.Seconds `json:"insuff_parallelism_usr"`
	InsuffParallelismSYS units.Seconds `json:"insuff_parallelism_sys"`
	Communication        units.Seconds `json:"communication"`
	CommunicationSynch   units.Seconds `json:"communication_synch"`
	Idle                 units.Seconds `json:"idle"`
	LoadImbalance        units.Seconds `json:"load_imbalance"`
	Synchronization      units.Seconds `json:"synchronization"`
	TimeVariation        units.Seconds `json:"time_variation"`
	Overlap              units.Seconds `json:"overlap"`
	CPUTime              units.Seconds `json:"cpu_time"`
	SYSTime              units.Seconds `json:"sys_time"`
	IO                   KindTimes     `json:"io"`
	Reduction            KindTimes     `json:"reduction"`
	Shadow               KindTimes     `json:"shadow"`
	Remote               KindTimes     `json:"remote"`
	Redistribution       KindTimes     `json:"redistribution"`
}

// characteristics are the rows of [Times]; those of [KindTimes] follow.
var characteristics = []Characteristic{
	{Name: "efficiency", Anchor: "effic", Label: "Efficiency", Unit: UnitRatio, Over: FromOthers,
		Definition: "the share of the processors' time that is productive",
		Formula:    "Productive time / Total time (1 when both are 0)",
		ratio:      func(t *Times) *float64 { return &t.Efficiency }},
	{Name: "execution_time", Anchor: "exec", Label: "Execution time", Unit: UnitSeconds, Over: MaxOver,
		Definition: "the time of the processor that took longest",
		Formula:    "max over processors of (CPU time + SYS time + I/O + Communications)",
		times:      func(t *Times) *units.Seconds { return &t.ExecutionTime }},
	{Name: "total_time", Anchor: "total", Label: "Total time", Unit: UnitSeconds, Over: FromOthers, PartOfTotal: true,
		Definition: "the time for which the processors are taken",
		Formula:    "Execution time × number of processors = Productive time + Lost time",
		times:      func(t *Times) *units.Seconds { return &t.TotalTime }},
	{Name: "productive_time", Anchor: "ptime", Label: "Productive time", Unit: UnitSeconds, Inner: true, Depth: 1, PartOfTotal: true,
		Definition: "the time that the program needs on one processor",
		Formula:    "Productive CPU + Productive SYS + I/O",
		times:      func(t *Times) *units.Seconds { return &t.ProductiveTime }},
	{Name: "productive_cpu_time", Anchor: "ptimec", Label: "CPU", Unit: UnitSeconds, Inner: true, Depth: 2, PartOfTotal: true,
		Definition: "the program's own computation, repeated work left out",
		Formula:    "CPU time − Insufficient parallelism USR",
		times:      func(t *Times) *units.Seconds { return &t.ProductiveCPUTime }},
	{Name: "productive_sys_time", Anchor: "ptimes", Label: "SYS", Unit: UnitSeconds, Inner: true, Depth: 2, PartOfTotal: true,
		Definition: "the work of the runtime system, repeated work left out",
		Formula:    "SYS time − Insufficient parallelism SYS",
		times:      func(t *Times) *units.Seconds { return &t.ProductiveSYSTime }},
	{Name: "io_time", Anchor: "ptimei", Label: "I/O", Unit: UnitSeconds, Counter: BookedIO, Inner: true, Depth: 2, PartOfTotal: true,
		Definition: "the time of input and output itself",
		Formula:    "sum over processors of I/O time (only the I/O processor has any)",
		times:      func(t *Times) *units.Seconds { return &t.IOTime }},
	{Name: "lost_time", Anchor: "lost", Label: "Lost time", Unit: UnitSeconds, Depth: 1, PartOfTotal: true,
		Definition: "the time of the processors that is not productive",
		Formula:    "Total time − Productive time = Insufficient parallelism + Communications + Idle time",
		times:      func(t *Times) *units.Seconds { return &t.LostTime }},
	{Name: "insuff_parallelism", Anchor: "insuf", Label: "Insufficient parallelism", Unit: UnitSeconds, Inner: true, Depth: 2, PartOfTotal: true,
		Definition: "work that several processors repeat because it is not distributed",
		Formula:    "USR + SYS",
		times:      func(t *Times) *units.Seconds { return &t.InsuffParallelism }},
	{Name: "insuff_parallelism_usr", Anchor: "iuser", Label: "USR", Unit: UnitSeconds, Counter: BookedInsuffUSR, Inner: true, Depth: 3, PartOfTotal: true,
		Definition: "repeated computation of the program",
		Formula:    "sum over processors of CPU time × (n − 1) / n, n processors doing the same",
		times:      func(t *Times) *units.Seconds { return &t.InsuffParallelismUSR }},
	{Name: "insuff_parallelism_sys", Anchor: "isyst", Label: "SYS", Unit: UnitSeconds, Counter: BookedInsuffSYS, Inner: true, Depth: 3, PartOfTotal: true,
		Definition: "repeated work of the runtime system",
		Formula:    "sum over processors of SYS time × (n − 1) / n, n processors doing the same",
		times:      func(t *Times) *units.Seconds { return &t.InsuffParallelismSYS }},
	{Name: "communication", Anchor: "comm", Label: "Communications", Unit: UnitSeconds, Counter: BookedCommunication, Inner: true, Depth: 2, PartOfTotal: true,
		Definition: "time in exchanges between processors, waiting included",
		Formula:    "sum over the five kinds of their Communications",
		times:      func(t *Times) *units.Seconds { return &t.Communication }},
	{Name: "communication_synch", Anchor: "csyn", Label: "SYN", Unit: UnitSeconds, Counter: BookedRealSynch, Inner: true, Depth: 3, PartOfTotal: true,
		Definition: "the part of Communications that was spent waiting for other processors to start",
		Formula:    "sum over the five kinds of their Real synch",
		times:      func(t *Times) *units.Seconds { return &t.CommunicationSynch }},
	{Name: "idle", Anchor: "idle", Label: "Idle time", Unit: UnitSeconds, Depth: 2, PartOfTotal: true,
		Definition: "time of processors that finished before the last one",
		Formula:    "sum over processors of (Execution time − own execution time)",
		times:      func(t *Times) *units.Seconds { return &t.Idle }},
	{Name: "load_imbalance", Anchor: "imbal", Label: "Load imbalance", Unit: UnitSeconds,
		Definition: "what is lacking to an equal load of the processors",
		Formula:    "sum over processors of (max of (CPU time + SYS time) − own CPU time − own SYS time)",
		times:      func(t *Times) *units.Seconds { return &t.LoadImbalance }},
	{Name: "synchronization", Anchor: "synch", Label: "Synchronization", Unit: UnitSeconds, Counter: BookedSynch, Inner: true,
		Definition: "the potential loss through operations that processors do not start together",
		Formula:    "sum over operations and processors of (latest start − own start)",
		times:      func(t *Times) *units.Seconds { return &t.Synchronization }},
	{Name: "time_variation", Anchor: "vary", Label: "Time variation", Unit: UnitSeconds, Counter: BookedVariation, Inner: true,
		Definition: "the loss through collective operations that processors do not complete together",
		Formula:    "sum over collective operations and processors of (latest completion − own completion)",
		times:      func(t *Times) *units.Seconds { return &t.TimeVariation }},
	{Name: "overlap", Anchor: "over", Label: "Overlap", Unit: UnitSeconds, Inner: true,
		Definition: "the time that exchanges passed beside computation",
		Formula:    "sum over the five kinds of their Overlap",
		times:      func(t *Times) *units.Seconds { return &t.Overlap }},
	{Name: "cpu_time", Anchor: "cpu", Label: "CPU time", Unit: UnitSeconds, Counter: BookedCPU, Inner: true,
		Definition: "the program's computation on all processors, repeated work included",
		Formula:    "sum over processors of call times / power",
		times:      func(t *Times) *units.Seconds { return &t.CPUTime }},
	{Name: "sys_time", Anchor: "sys", Label: "SYS time", Unit: UnitSeconds, Counter: BookedSYS, Inner: true,
		Definition: "the runtime system's work on all processors, repeated work included",
		Formula:    "sum over processors of return times / power",
		times:      func(t *Times) *units.Seconds { return &t.SYSTime }},
}

// kindCharacteristics are the rows of [KindTimes].
var kindCharacteristics = []Characteristic{
	{Name: "communication", Anchor: "com", Label: "Communications", Unit: UnitSeconds, Counter: KindCommunication, Inner: true,
		Definition: "time in operations of the kind, waiting included",
		Formula:    "sum over processors of (waiting for others to start + waiting for the exchange to end)",
		kind:       func(t *KindTimes) *units.Seconds { return &t.Communication }},
	{Name: "real_synch", Anchor: "synch", Label: "Real synch", Unit: UnitSeconds, Counter: KindRealSynch, Inner: true,
		Definition: "the part of the kind's Communications that was spent waiting for other processors to start",
		Formula:    "sum over processors of (latest start − own start) as far as nothing hid it",
		kind:       func(t *KindTimes) *units.Seconds { return &t.RealSynch }},
	{Name: "synch", Anchor: "psynch", Label: "Synchronization", Unit: UnitSeconds, Counter: KindSynch, Inner: true,
		Definition: "the potential loss through operations of the kind that processors do not start together",
		Formula:    "sum over operations and processors of (latest start − own start)",
		kind:       func(t *KindTimes) *units.Seconds { return &t.Synch }},
	{Name: "variation", Anchor: "vary", Label: "Time variation", Unit: UnitSeconds, Counter: KindVariation, Inner: true,
		Definition: "the loss through operations of the kind that processors do not complete together",
		Formula:    "sum over operations and processors of (latest completion − own completion)",
		kind:       func(t *KindTimes) *units.Seconds { return &t.Variation }},
	{Name: "overlap", Anchor: "over", Label: "Overlap", Unit: UnitSeconds, Counter: KindOverlap, Inner: true,
		Definition: "the time that exchanges of the kind passed beside computation",
		Formula:    "sum over exchanges and processors of (the earlier of exchange end and begin of waiting − exchange start)",
		kind:       func(t *KindTimes) *units.Seconds { return &t.Overlap }},
}
