package interval

import (
	"fmt"
	"slices"

	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// Line is what passed at a line of the source in an interval, intervals inside
// it excepted (docs/model.md#lines). What is booked in a call belongs to the
// line of the call.
type Line struct {
	// Interval is the ID of the interval.
	Interval int    `json:"interval"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	// FromLine is where the stretch of the source begins whose time this is:
	// the line of the call before, or of the dopl_ when Line is that of the
	// endpl_. It is at most Line, and Line when the call before stands behind it
	// or in another file.
	FromLine int `json:"from_line"`
	// Functions are the functions that were called there, in the order of
	// their first calls; none when only the program's end stands there.
	Functions []Function `json:"functions"`
	// Operations counts those that were started by these calls.
	Operations Operations `json:"operations"`
	// Times holds the characteristics that add up ([Characteristic], Inner),
	// sums over all processors; the others are 0 and not part of the record.
	Times
}

// Function is a function of the run-time system and how often it was called.
type Function struct {
	Func  string `json:"func"`
	Calls int64  `json:"calls"`
}

// Lost is what the processors lose at the line: insufficient parallelism and
// communication. Idle time is lost at no line; processors that have less to
// do wait at the line of the next operation.
func (l *Line) Lost() units.Seconds { return l.InsuffParallelism + l.Communication }

// Spent is the time that all processors spend at the line.
func (l *Line) Spent() units.Seconds {
	return l.CPUTime + l.SYSTime + l.IOTime + l.Communication
}

// Add adds what passed at the same line elsewhere.
func (l *Line) Add(d *Line) {
	l.FromLine = min(l.FromLine, d.FromLine)
	for _, f := range d.Functions {
		i := slices.IndexFunc(l.Functions, func(x Function) bool { return x.Func == f.Func })
		if i < 0 {
			l.Functions = append(l.Functions, f)
		} else {
			l.Functions[i].Calls += f.Calls
		}
	}
	for i := range characteristics {
		if c := &characteristics[i]; c.Inner {
			*c.times(&l.Times) += *c.times(&d.Times)
		}
	}
	for k := range NumKinds {
		*l.Operations.Kind(k) += *d.Operations.Kind(k)
		for i := range kindCharacteristics {
			c := &kindCharacteristics[i]
			*c.kind(l.Kind(k)) += *c.kind(d.Kind(k))
		}
	}
}

// MarshalJSON returns the fields of the line's record without its type.
func (l Line) MarshalJSON() ([]byte, error) { return lineRecord.Append(nil, &l) }

var lineRecord = ndjson.NewRecord("a line", append([]ndjson.Field[Line]{
	ndjson.Int("interval", func(l *Line) *int { return &l.Interval }),
	ndjson.String("file", func(l *Line) *string { return &l.File }),
	ndjson.Int("line", func(l *Line) *int { return &l.Line }),
	ndjson.Int("from_line", func(l *Line) *int { return &l.FromLine }),
	ndjson.Custom("functions", appendFunctions, scanFunctions),
	ndjson.Nested("operations", operationsRecord, func(l *Line) *Operations { return &l.Operations }),
}, ndjson.Embed(additiveRecord, func(l *Line) *Times { return &l.Times })...)...)

// additiveRecord are the characteristics that add up.
var additiveRecord = ndjson.NewRecord("a set of characteristics", timesFields(func(c *Characteristic) bool { return c.Inner })...)

var functionRecord = ndjson.NewRecord("a function",
	ndjson.String("func", func(f *Function) *string { return &f.Func }),
	ndjson.Int("calls", func(f *Function) *int64 { return &f.Calls }))

func appendFunctions(dst []byte, l *Line) ([]byte, error) {
	dst = append(dst, '[')
	for i := range l.Functions {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = functionRecord.Append(dst, &l.Functions[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func scanFunctions(s *ndjson.Scanner, l *Line) bool {
	if !s.Array() {
		return false
	}
	for s.Elem() {
		var f Function
		if !functionRecord.Scan(s, &f) {
			return false
		}
		l.Functions = append(l.Functions, f)
	}
	return s.Err() == nil
}

// checkLine returns what is wrong with a line.
func checkLine(l *Line) error {
	if l.Interval < 1 || l.FromLine < 0 || l.Line < l.FromLine {
		return fmt.Errorf("found lines %d to %d of interval %d, expected an interval from 1 and lines from 0 in order", l.FromLine, l.Line, l.Interval)
	}
	for _, f := range l.Functions {
		if f.Calls < 1 {
			return fmt.Errorf("found %d calls of %s, expected a number from 1", f.Calls, f.Func)
		}
	}
	return nil
}
