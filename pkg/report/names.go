package report

import (
	"strings"

	"dvmtools/pkg/interval"
)

// names are the fields of records in which the figures stand, by anchor;
// those of a kind of operation by their definition's.
var names = map[string]string{
	"effic": "efficiency", "exec": "execution_time", "total": "total_time",
	"ptime": "productive_time", "ptimec": "productive_cpu_time", "ptimes": "productive_sys_time", "ptimei": "io_time",
	"lost": "lost_time", "insuf": "insuff_parallelism", "iuser": "insuff_parallelism_usr", "isyst": "insuff_parallelism_sys",
	"comm": "communication", "csyn": "communication_synch", "idle": "idle",
	"imbal": "load_imbalance", "synch": "synchronization", "vary": "time_variation", "over": "overlap",
	"cpu": "cpu_time", "sys": "sys_time",
	"nopK": "operations.", "comK": ".communication", "synchK": ".real_synch", "overK": ".overlap",
	"psynchK": ".synch", "varyK": ".variation",
}

// Name returns the path of the figure in the record of an interval, such as
// "execution_time", "shadow.communication" or "operations.io".
func (f *Figure) Name() string {
	name := names[f.Def]
	switch {
	case !f.OfKind:
		return name
	case strings.HasPrefix(name, "."):
		return f.Kind.String() + name
	}
	return name + f.Kind.String()
}

// OfProcessors tells whether a class of processors has the figure too: it has
// all but the counts of operations.
func (f *Figure) OfProcessors() bool { return f.ops == nil }

// OfTimes returns the figure of a class of processors, for which
// [Figure.OfProcessors] holds, or of any other set of characteristics.
func (f *Figure) OfTimes(t *interval.Times) Value { return Value{real: f.times(t)} }

// exactUnit is the unit of the figure's exact value in tables for programs.
func (f *Figure) exactUnit() string {
	switch f.Unit {
	case unitSeconds:
		return "seconds"
	case unitOps:
		return "operations"
	}
	return "ratio"
}
