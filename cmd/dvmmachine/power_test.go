package main

import (
	"testing"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/units"
)

// TestTraceRatio: the target takes 2 s, the machine traced on 5 s, so that the
// target has 2.5 times the power.
func TestTraceRatio(t *testing.T) {
	target := &computed{name: "a", calls: []string{"x", "y"}, time: 2}
	traced := &computed{name: "b", calls: []string{"x", "y"}, time: 5}
	if r, err := traceRatio(target, traced); err != nil || r.Power != 2.5 {
		t.Errorf("%v, %v: want 2.5", r, err)
	}
	for name, other := range map[string]*computed{
		"another call": {calls: []string{"x", "z"}, time: 1},
		"fewer calls":  {calls: []string{"x"}, time: 1},
		"no time":      {calls: []string{"x", "y"}},
	} {
		if r, err := traceRatio(target, other); err == nil {
			t.Errorf("%s: %v, want an error", name, r)
		}
	}
}

// TestIntervalRatios: 1 s before interval a, 2 s in it before b opens in it, 3 s
// in b, 4 s behind it in a, 5 s behind both, and the same again: b has 6 s, a
// with b 18 s, the program 30 s. The other machine takes twice as long in b alone.
func TestIntervalRatios(t *testing.T) {
	trace := func(name string, inB float64) *computed {
		c := &computed{name: name, known: map[string]*userTime{}}
		for range 2 {
			for _, x := range []struct {
				f    string
				line int
				time float64
			}{{"binter_", 10, 1}, {"bploop_", 20, 2}, {"eloop_", 25, inB}, {"einter_", 30, 4}, {"distr_", 40, 5}} {
				c.take(&call.Call{Func: x.f, Row: libdvm.RowOf(x.f), File: "a.fdv", Line: x.line, CallTime: units.Seconds(x.time)})
			}
		}
		return c
	}
	target, traced := trace("target", 3), trace("traced", 6)
	want := `power       target, s    traced on, s  interval
1.2         30           36            the program
1.333       18           24              a.fdv:10
2.0         6            12                a.fdv:20
`
	if got := intervalRatios(target, traced); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
