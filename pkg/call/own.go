package call

import (
	"bytes"
	"slices"
	"strconv"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// Absent stands in [Own] for a process that did not take part in a call.
const Absent units.Seconds = -1

// Own are the times of a call on each process of the run that was traced, in
// the order of the processes, beside the one time of each half that was made
// of them (docs/trace-format.md#own-times). Both are empty in a trace that
// does not keep them; Ret also where the call has no ret_ line.
type Own struct {
	// Call are the times before the call, Ret those inside, that of nested
	// events included; [Absent] for a process that did not execute the call.
	Call, Ret []units.Seconds
}

// Empty reports whether no times are kept.
func (o *Own) Empty() bool { return len(o.Call) == 0 && len(o.Ret) == 0 }

// Clone returns a copy that shares no memory with o.
func (o *Own) Clone() Own { return Own{slices.Clone(o.Call), slices.Clone(o.Ret)} }

// CheckOwn returns the error of a call whose own times are not those of a
// number of processes.
func (c *Call) CheckOwn(processes int) error {
	for _, n := range [...]int{len(c.Own.Call), len(c.Own.Ret)} {
		if n != 0 && n != processes {
			return ownCount(c.Pos, c.Where(), n, processes)
		}
	}
	return nil
}

// CheckOwn is [Call.CheckOwn] for the program's end, of the trace at pos.
func (e *Exit) CheckOwn(pos diag.Pos, processes int) error {
	if n := len(e.Own); n != 0 && n != processes {
		return ownCount(pos, "the program's end", n, processes)
	}
	return nil
}

func ownCount(pos diag.Pos, where string, n, processes int) error {
	return diag.New(pos, "call/own", "%s has own times of %d processes, expected %d, as the header says; merge the traces of the run again with --call-times own", where, n, processes)
}

// ownPrefix begins the line of a .ptr trace that holds own times.
const ownPrefix = "OwnTimes:"

// IsOwnLine reports whether a line of a trace holds own times.
func IsOwnLine(line []byte) bool { return bytes.HasPrefix(line, []byte(ownPrefix)) }

// AppendOwnLine appends the line of a trace that holds own times, without its
// line end: "OwnTimes:", then for each process, or "*N" for N of them in a row
// that are equal, its time as text appends it, "-" for Absent.
func AppendOwnLine(dst []byte, times []units.Seconds, text func(dst []byte, t units.Seconds) []byte) []byte {
	dst = append(dst, ownPrefix...)
	for i := 0; i < len(times); {
		n := 1
		for i+n < len(times) && times[i+n] == times[i] {
			n++
		}
		dst = append(dst, ' ')
		if times[i] == Absent {
			dst = append(dst, '-')
		} else {
			dst = text(dst, times[i])
		}
		if n > 1 {
			dst = strconv.AppendInt(append(dst, '*'), int64(n), 10)
		}
		i += n
	}
	return dst
}

// maxOwn is of how many processes a trace may hold times.
const maxOwn = 1 << 20

// ScanOwnLine appends to dst what the line of [AppendOwnLine] holds, each time
// as read reads it; false when it is no such line.
func ScanOwnLine(dst []units.Seconds, line []byte, read func(b []byte) (units.Seconds, bool)) ([]units.Seconds, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(ownPrefix))
	if !ok {
		return dst, false
	}
	from := len(dst)
	for word := range bytes.FieldsSeq(rest) {
		text, times, repeated := bytes.Cut(word, []byte("*"))
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(string(times)); err != nil || n < 1 {
				return dst, false
			}
		}
		t := Absent
		if string(text) != "-" {
			if t, ok = read(text); !ok {
				return dst, false
			}
		}
		if n > maxOwn || len(dst)-from+n > maxOwn {
			return dst, false
		}
		for range n {
			dst = append(dst, t)
		}
	}
	return dst, len(dst) > from
}

// The field "own" of a call: {"call_time":[...],"ret_time":[...]}, a list
// being left out when it is empty; null stands for Absent.
var ownRecord = ndjson.NewRecord("own times",
	ownTimes("call_time", func(o *Own) *[]units.Seconds { return &o.Call }),
	ownTimes("ret_time", func(o *Own) *[]units.Seconds { return &o.Ret }),
)

// ownTimes is a field that holds times of processes.
func ownTimes[T any](name string, at func(v *T) *[]units.Seconds) ndjson.Field[T] {
	return ndjson.Custom(name,
		func(dst []byte, v *T) ([]byte, error) { return appendTimes(dst, *at(v)) },
		func(s *ndjson.Scanner, v *T) bool { return scanTimes(s, at(v)) },
	).OmitIf(func(v *T) bool { return len(*at(v)) == 0 })
}

func appendTimes(dst []byte, times []units.Seconds) ([]byte, error) {
	dst = append(dst, '[')
	for i, t := range times {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch {
		case t == Absent:
			dst = append(dst, "null"...)
			continue
		case !validTime(t):
			return dst, diag.New(diag.Pos{}, "call/time", "the own time of process %d is %v, expected %s", i, float64(t), timeRange)
		}
		dst, _ = ndjson.AppendFloat(dst, t)
	}
	return append(dst, ']'), nil
}

func scanTimes(s *ndjson.Scanner, times *[]units.Seconds) bool {
	if !s.Array() {
		return false
	}
	for s.Elem() {
		t := Absent
		if s.Peek() == 'n' {
			if !s.Null() {
				return false
			}
		} else {
			var ok bool
			if t, ok = scanTime(s); !ok {
				return false
			}
		}
		if len(*times) == maxOwn {
			return s.Fail("call/own", "found own times of more than %d processes, expected fewer", maxOwn)
		}
		*times = append(*times, t)
	}
	return s.Err() == nil
}
