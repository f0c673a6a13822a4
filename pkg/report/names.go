package report

import "dvmtools/pkg/interval"

// Name returns the path of the figure in the record of an interval, such as
// "execution_time", "shadow.communication" or "operations.io".
func (f *Figure) Name() string { return f.name }

// OfProcessors tells whether a class of processors has the figure too: it has
// all but the counts of operations.
func (f *Figure) OfProcessors() bool { return f.ops == nil }

// OfTimes returns the figure of a class of processors, for which
// [Figure.OfProcessors] holds, or of any other set of characteristics.
func (f *Figure) OfTimes(t *interval.Times) Value { return Value{real: f.times(t)} }

// exactUnit is the unit of the figure's exact value in tables for programs.
func (f *Figure) exactUnit() string { return exactUnit(f.Unit) }

func exactUnit(unit string) string {
	switch unit {
	case unitSeconds:
		return "seconds"
	case unitOps:
		return "operations"
	}
	return "ratio"
}
